//! What the arguments of a start of Claude Code ask for.

use super::claude::MODES;
use super::dialect::Start;
use jackfield_core::contract::{McpServer, McpTransport, Pairs};
use serde_json::Value;

/// Arguments that our host writes by itself, each with the number of its values.
const OURS: &[(&str, usize)] = &[
    ("-p", 0),
    ("--verbose", 0),
    ("--include-partial-messages", 0),
    ("--input-format", 1),
    ("--output-format", 1),
    ("--permission-prompt-tool", 1),
];

pub(super) fn start(arguments: &[String]) -> Start {
    let mut start = Start::default();
    let mut rest = arguments;
    while let [flag, after @ ..] = rest {
        let values = after.iter().take_while(|word| !word.starts_with('-')).count();
        rest = &after[taken(&mut start, flag, &after[..values])..];
    }
    start
}

/// Takes a flag in; how many of the words behind it are its values.
fn taken(start: &mut Start, flag: &str, values: &[String]) -> usize {
    let value = values.first().cloned();
    match (flag, value.as_deref()) {
        ("--session-id", _) => start.session = value,
        ("--resume" | "-r", _) => start.resume = value,
        ("--resume-session-at", _) => start.at = value,
        ("--model", Some(model)) => start.selection.push(("model".into(), model.to_owned())),
        ("--permission-mode", Some(mode)) if MODES.contains(&mode) => {
            start.selection.push(("mode".into(), mode.to_owned()))
        }
        ("--max-turns", Some(turns)) => {
            start.options.push(("max_turns".into(), serde_json::from_str(turns).unwrap_or_default()))
        }
        ("--fork-session", _) => {
            start.fork = true;
            return 0;
        }
        ("--mcp-config", _) => {
            values.iter().for_each(|config| configured(start, config));
            return values.len();
        }
        (flag, _) => {
            if let Some((_, count)) = OURS.iter().find(|(known, _)| *known == flag) {
                return (*count).min(values.len());
            }
            start.latest |= matches!(flag, "--continue" | "-c");
            start.not_ours.push(format!("start/{flag}"));
            return values.len();
        }
    }
    values.len().min(1)
}

/// MCP servers, as JSON in the argument itself. What is in a file of the recording's machine is not known here.
fn configured(start: &mut Start, config: &str) {
    let Ok(config) = serde_json::from_str::<Value>(config) else {
        return start.not_ours.push("start/--mcp-config/file".into());
    };
    for (name, server) in config["mcpServers"].as_object().into_iter().flatten() {
        match one(name, server) {
            Some(server) => start.servers.push(server),
            None => start.not_ours.push("start/--mcp-config/in-process".into()),
        }
    }
}

/// The servers of an object; nothing when one of them is in the client's own process.
pub(super) fn servers(servers: &Value) -> Option<Vec<McpServer>> {
    servers.as_object()?.iter().map(|(name, server)| one(name, server)).collect()
}

fn one(name: &str, server: &Value) -> Option<McpServer> {
    let text = |field: &str| server[field].as_str().map(str::to_owned);
    let (transport, address, values) = match (server["type"].as_str(), text("command"), text("url")) {
        (None | Some("stdio"), Some(command), _) => (McpTransport::Stdio, command, "env"),
        (None | Some("http"), _, Some(url)) => (McpTransport::Http, url, "headers"),
        (Some("sse"), _, Some(url)) => (McpTransport::Sse, url, "headers"),
        _ => return None,
    };
    let values = server[values].as_object().into_iter().flatten();
    let values: Pairs = values.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    let args = server["args"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    Some(McpServer {
        name: name.to_owned(),
        transport,
        address,
        args,
        values,
        disabled_tools: Vec::new(),
        extra: Pairs::new(),
    })
}

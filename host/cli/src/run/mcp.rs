//! `--mcp-config FILE`: MCP servers for the provider, in the form that the field has agreed on:
//! `{"mcpServers": {"NAME": {"command": …, "args": […], "env": {…}} | {"type": "http"|"sse", "url": …, "headers": {…}}}}`.
//!
//! **Every wrong shape is named by its place in the file.** `${NAME}` in a value is your own variable of that name,
//! `${NAME:-word}` with a word in its place; `${secret:NAME}` stays as it is, for the host to fill in when it writes: the instance says which variable holds it.
//! Tests: below.

use crate::config::{is_address, is_name};
use crate::exit::Failure;
use jackfield_core::contract::{McpServer, McpTransport, Pairs};
use serde_json::{Map, Value};
use std::path::Path;

/// The servers that a file names.
pub fn read(path: &Path) -> Result<Vec<McpServer>, Failure> {
    let wrong = |text: String| Failure::usage(format!("--mcp-config {}: {text}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(format!("it can't be read ({error})")))?;
    parse(&text, &|name| std::env::var(name).ok()).map_err(wrong)
}

type Own<'a> = &'a dyn Fn(&str) -> Option<String>;

fn parse(text: &str, own: Own<'_>) -> Result<Vec<McpServer>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("it is no JSON ({error})"))?;
    let whole = object(&value, "the file")?;
    let servers = whole.get("mcpServers").ok_or("it has no mcpServers: write {\"mcpServers\": {\"NAME\": {…}}}")?;
    let servers = object(servers, "mcpServers")?;
    servers.iter().map(|(name, server)| one(name, server, own)).collect()
}

fn one(name: &str, value: &Value, own: Own<'_>) -> Result<McpServer, String> {
    let at = format!("mcpServers.{name}");
    if !is_name(name) {
        return Err(format!("{at}: a server's name has letters, digits, - and _ only"));
    }
    let fields = object(value, &at)?;
    let kind = text_of(fields, &at, "type")?;
    let transport = match kind.as_deref() {
        None if fields.contains_key("url") && !fields.contains_key("command") => McpTransport::Http,
        None | Some("stdio") => McpTransport::Stdio,
        Some("http" | "streamable-http") => McpTransport::Http,
        Some("sse") => McpTransport::Sse,
        Some(other) => return Err(format!("{at}.type is {other:?}; it is stdio, http or sse")),
    };
    let by_program = transport == McpTransport::Stdio;
    let (target, values, known): (_, _, &[&str]) = match by_program {
        true => ("command", "env", &["type", "command", "args", "env", "disabledTools"]),
        false => ("url", "headers", &["type", "url", "headers", "disabledTools"]),
    };
    if let Some(strange) = fields.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("{at}.{strange} is not known here; there are {}", known.join(", ")));
    }
    let address = text_of(fields, &at, target)?.filter(|text| !text.trim().is_empty());
    let address = filled(&address.ok_or(format!("{at}.{target} is missing"))?, &format!("{at}.{target}"), own)?;
    if !by_program && !is_address(&address) {
        return Err(format!("{at}.url does not begin with http:// or https://"));
    }
    let args = list_of(fields, &at, "args")?;
    let args = args.iter().enumerate().map(|(n, arg)| filled(arg, &format!("{at}.args[{n}]"), own));
    Ok(McpServer {
        name: name.to_owned(),
        transport,
        address,
        args: args.collect::<Result<_, _>>()?,
        values: pairs(fields, &at, values, own)?,
        disabled_tools: list_of(fields, &at, "disabledTools")?,
        extra: Vec::new(),
    })
}

fn object<'a>(value: &'a Value, at: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("{at} is {}, and must be an object", kind_of(value)))
}

fn text_of(fields: &Map<String, Value>, at: &str, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("{at}.{name} is {}, and must be a text", kind_of(other))),
    }
}

fn list_of(fields: &Map<String, Value>, at: &str, name: &str) -> Result<Vec<String>, String> {
    let Some(value) = fields.get(name) else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or_else(|| format!("{at}.{name} is {}, and must be a list", kind_of(value)))?;
    let texts = list.iter().enumerate().map(|(n, value)| {
        let text = value.as_str().map(str::to_owned);
        text.ok_or_else(|| format!("{at}.{name}[{n}] is {}, and must be a text", kind_of(value)))
    });
    texts.collect()
}

fn pairs(fields: &Map<String, Value>, at: &str, name: &str, own: Own<'_>) -> Result<Pairs, String> {
    let Some(value) = fields.get(name) else { return Ok(Vec::new()) };
    let at = format!("{at}.{name}");
    let pairs = object(value, &at)?.iter().map(|(key, value)| {
        let at = format!("{at}.{key}");
        let text = value.as_str().ok_or_else(|| format!("{at} is {}, and must be a text", kind_of(value)))?;
        Ok((key.clone(), filled(text, &at, own)?))
    });
    pairs.collect()
}

/// A text with its holes filled; those for secrets stay.
fn filled(text: &str, at: &str, own: Own<'_>) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find("${") {
        out.push_str(&rest[..start]);
        let hole = &rest[start + 2..];
        let end = hole.find('}').ok_or_else(|| format!("{at}: a ${{ has no }}"))?;
        let name = &hole[..end];
        if name.starts_with("secret:") {
            out.push_str(&rest[start..start + end + 3]);
        } else {
            let (name, otherwise) = name.split_once(":-").map_or((name, None), |(name, word)| (name, Some(word)));
            let value = own(name).or_else(|| otherwise.map(str::to_owned));
            out.push_str(&value.ok_or_else(|| format!("{at} names your variable {name}, which is not set"))?);
        }
        rest = &hole[end + 1..];
    }
    Ok(out + rest)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<McpServer>, String> {
        parse(text, &|name| (name == "MINE").then(|| "my-value".to_owned()))
    }

    #[test]
    fn both_forms_are_read_and_holes_filled() {
        let servers = of(r#"{"mcpServers": {
            "a": {"command": "run-${MINE}", "args": ["-x", "${NOT:-there}"], "env": {"K": "${secret:key}", "V": "${MINE}"}},
            "b": {"type": "sse", "url": "https://h/p", "headers": {"A": "b"}},
            "c": {"url": "http://127.0.0.1:1/"}
        }}"#)
        .expect("servers");
        assert_eq!(servers.len(), 3);
        assert_eq!((servers[0].transport, servers[0].address.as_str()), (McpTransport::Stdio, "run-my-value"));
        assert_eq!(servers[0].args, ["-x", "there"]);
        assert_eq!(servers[0].values, [("K".into(), "${secret:key}".into()), ("V".into(), "my-value".into())]);
        assert_eq!((servers[1].transport, servers[2].transport), (McpTransport::Sse, McpTransport::Http));
    }

    #[test]
    fn every_wrong_shape_is_named_by_its_place() {
        let cases = [
            ("nothing", "no JSON"),
            ("[]", "the file is a list"),
            ("{}", "no mcpServers"),
            (r#"{"mcpServers": []}"#, "mcpServers is a list"),
            (r#"{"mcpServers": {"a b": {}}}"#, "mcpServers.a b: a server's name"),
            (r#"{"mcpServers": {"a": 7}}"#, "mcpServers.a is a number"),
            (r#"{"mcpServers": {"a": {}}}"#, "mcpServers.a.command is missing"),
            (r#"{"mcpServers": {"a": {"command": ""}}}"#, "mcpServers.a.command is missing"),
            (r#"{"mcpServers": {"a": {"command": 1}}}"#, "mcpServers.a.command is a number"),
            (r#"{"mcpServers": {"a": {"command": "x", "args": "y"}}}"#, "mcpServers.a.args is a text"),
            (r#"{"mcpServers": {"a": {"command": "x", "args": ["y", null]}}}"#, "mcpServers.a.args[1] is null"),
            (r#"{"mcpServers": {"a": {"command": "x", "env": ["y"]}}}"#, "mcpServers.a.env is a list"),
            (r#"{"mcpServers": {"a": {"command": "x", "env": {"K": true}}}}"#, "mcpServers.a.env.K is true or false"),
            (r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "${GONE}"}}}}"#, "your variable GONE"),
            (r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "${GONE"}}}}"#, "a ${ has no }"),
            (r#"{"mcpServers": {"a": {"command": "x", "url": "y"}}}"#, "mcpServers.a.url is not known"),
            (r#"{"mcpServers": {"a": {"type": "ws", "url": "y"}}}"#, "mcpServers.a.type is \"ws\""),
            (r#"{"mcpServers": {"a": {"type": "http"}}}"#, "mcpServers.a.url is missing"),
            (r#"{"mcpServers": {"a": {"url": "file:///x"}}}"#, "does not begin with http"),
        ];
        for (text, wanted) in cases {
            let problem = of(text).expect_err(text);
            assert!(problem.contains(wanted), "{text}: {problem}");
        }
    }
}

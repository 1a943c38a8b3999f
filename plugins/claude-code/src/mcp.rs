//! MCP servers: those that the host gives, and how each is.
//!
//! They are given by a control request, never by an argument: so they can change while the program runs, and no secret stands in a
//! command line. The program reads what we write in order, so the first message waits until they are connected. A server whose tools are
//! all disabled is not given at all: the program's own switch would be kept in a file of the person's. Tests: `tests/servers.rs`.

use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::Raw;
use serde_json::{Map, Value, json};

use crate::control::Control;
use crate::session::{ClaudeCode, Phase};
use crate::wire_session::{Init, McpServer as Told, ServersSet, ServersStatus};

const ALL_OR_NONE: &str = "This version of Claude Code cannot be kept from single tools of an MCP server.";

/// What the host wants the program to have; nothing was said while it is absent.
#[derive(Debug, Default)]
pub(crate) struct Servers(Option<Vec<McpServer>>);

impl ClaudeCode {
    /// The command `set-mcp-servers`.
    pub(crate) fn set_servers(&mut self, cx: &mut Cx, op: u32, servers: Vec<McpServer>) {
        if let Some(fault) = servers.iter().find_map(|server| config(server).err()) {
            return cx.fail(op, fault);
        }
        // Before the handshake the version is not known: then it is told of each server when they are given.
        if self.revision > 0 && !servers.iter().all(|server| self.can_give(server)) {
            return cx
                .fail(op, Fault::unsupported(format!("{ALL_OR_NONE} Leave the server out, or update the program.")));
        }
        match self.phase {
            Phase::Ready => {
                self.servers = Servers(Some(servers));
                cx.hold(op);
                self.give(cx, Some(op));
            }
            Phase::Opening(_) | Phase::Restarting(_) => {
                cx.fail(op, Fault::new(FaultKind::Conflict, "The thread is being opened. Try again then."))
            }
            _ => {
                self.servers = Servers(Some(servers));
                cx.done(op, OpValue::Applied(Applies::Now));
            }
        }
    }

    /// The program is ready for them.
    pub(crate) fn give_servers(&mut self, cx: &mut Cx) {
        if self.servers.0.is_some() {
            self.give(cx, None);
        }
    }

    fn give(&mut self, cx: &mut Cx, op: Option<u32>) {
        let wanted = self.servers.0.iter().flatten().filter(|server| !switched_off(server) && self.can_give(server));
        let servers: Map<String, Value> =
            wanted.clone().filter_map(|server| Some((server.name.clone(), config(server).ok()?))).collect();
        let denied: Vec<String> = wanted.flat_map(disabled).collect();
        // Each list replaces the one before; left out, the old one would stay.
        let request = json!({"subtype": "mcp_set_servers", "servers": servers, "denied_tools": denied});
        self.ask(cx, request, Control::Servers(op));
    }

    /// The program took them; which of them work, it is asked.
    pub(crate) fn servers_set(&mut self, cx: &mut Cx, op: Option<u32>, reply: Option<&Raw>) {
        let reply: ServersSet = reply.map(Raw::lossy).unwrap_or_default();
        if let Some(op) = op {
            cx.done(op, OpValue::Applied(Applies::Now));
        }
        let wanted = self.servers.0.iter().flatten();
        let states = wanted.map(|server| {
            let withheld = (!self.can_give(server)).then(|| ALL_OR_NONE.to_owned());
            let message = withheld.or_else(|| reply.errors.get(&server.name).cloned());
            let status = match message {
                Some(_) => Status::Failed,
                None if switched_off(server) => Status::Cancelled,
                None => Status::Pending,
            };
            McpState { name: server.name.clone(), status, tools: vec![], message }
        });
        cx.event(EventBody::McpServers(states.collect()));
        self.ask(cx, json!({"subtype": "mcp_status"}), Control::ServersStatus);
    }

    /// How they are.
    pub(crate) fn servers_status(&mut self, cx: &mut Cx, reply: Option<&Raw>) {
        let reply: ServersStatus = reply.map(Raw::lossy).unwrap_or_default();
        let states = reply.mcp_servers.into_iter().map(|server| {
            let tools = server.tools.iter().map(|tool| tool.name.clone()).collect();
            state(server, tools)
        });
        let states = self.with_withheld(states.collect());
        cx.event(EventBody::McpServers(states));
    }

    /// How they are at the beginning of a turn.
    pub(crate) fn servers_of_init(&self, cx: &mut Cx, init: Init) {
        let states = init.mcp_servers.into_iter().map(|server| {
            let prefix = tool_name(&server.name, "");
            let tools = init.tools.iter().filter_map(|tool| tool.strip_prefix(&prefix)).map(str::to_owned).collect();
            state(server, tools)
        });
        let states = self.with_withheld(states.collect());
        if !states.is_empty() {
            cx.event(EventBody::McpServers(states));
        }
    }

    /// The program's servers, and those that it was not given.
    fn with_withheld(&self, mut states: Vec<McpState>) -> Vec<McpState> {
        for server in self.servers.0.iter().flatten() {
            let (status, message) = match () {
                () if switched_off(server) => (Status::Cancelled, None),
                () if !self.can_give(server) => (Status::Failed, Some(ALL_OR_NONE.to_owned())),
                () => continue,
            };
            if states.iter().all(|state| state.name != server.name) {
                states.push(McpState { name: server.name.clone(), status, tools: vec![], message });
            }
        }
        states
    }

    /// Whether this version keeps from the tools that are disabled.
    fn can_give(&self, server: &McpServer) -> bool {
        self.selects_tools || disabled(server).is_empty()
    }
}

/// A server as the program's configuration has it.
fn config(server: &McpServer) -> Result<Value, Fault> {
    let values: Map<String, Value> =
        server.values.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    let remote = |kind: &str| json!({"type": kind, "url": server.address, "headers": values});
    match server.transport {
        McpTransport::Stdio => {
            Ok(json!({"type": "stdio", "command": server.address, "args": server.args, "env": values}))
        }
        McpTransport::Http => Ok(remote("http")),
        McpTransport::Sse => Ok(remote("sse")),
        McpTransport::Unknown => {
            let text = format!(
                "Claude Code reaches MCP servers by stdio, http or sse; `{}` has another transport.",
                server.name
            );
            Err(Fault::unsupported(text))
        }
    }
}

fn switched_off(server: &McpServer) -> bool {
    server.disabled_tools.iter().any(|tool| tool == "*")
}

/// Single tools that are disabled, by the program's names of them.
fn disabled(server: &McpServer) -> Vec<String> {
    let single = server.disabled_tools.iter().filter(|_| !switched_off(server));
    single.map(|tool| tool_name(&server.name, tool)).collect()
}

fn tool_name(server: &str, tool: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    format!("mcp__{}__{tool}", server.chars().map(plain).collect::<String>())
}

fn state(server: Told, tools: Vec<String>) -> McpState {
    let status = match server.status.as_str() {
        "connected" => Status::Running,
        "pending" => Status::Pending,
        "needs-auth" => Status::Waiting,
        "failed" => Status::Failed,
        "disabled" => Status::Cancelled,
        _ => Status::Unknown,
    };
    // 2.1.197 goes on naming the tools of a server that is switched off.
    let tools = if status == Status::Running { tools } else { vec![] };
    McpState { name: server.name, status, tools, message: server.error }
}

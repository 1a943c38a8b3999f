//! MCP servers, as the agent takes them: with a conversation, when it is opened. Tests: `tests/conversations.rs`.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::dialect::AcpDialect;
use crate::session::Acp;
use crate::shake::Agent;

impl<D: AcpDialect> Acp<D> {
    /// The command `set-mcp-servers`.
    pub(crate) fn set_servers(&mut self, cx: &mut Cx, op: u32, servers: Vec<McpServer>) {
        // Before the handshake nobody knows what the agent takes; then the conversation's opening says it.
        if self.told.0 > 0
            && let Err(fault) = list(&self.data.label, &self.agent, &servers)
        {
            return cx.fail(op, fault);
        }
        self.servers = servers;
        let applies = match (self.conversations.is_empty(), self.agent.resumes()) {
            (true, _) => Applies::Now,
            (false, true) => Applies::AfterRestart,
            (false, false) => Applies::InNewThread,
        };
        cx.done(op, OpValue::Applied(applies));
    }
}

/// The servers for a conversation, or why the agent can't have one of them. The list is always there: some agents refuse without it.
pub(crate) fn list(label: &str, agent: &Agent, servers: &[McpServer]) -> Result<Vec<Value>, Fault> {
    let wanted = servers.iter().filter(|server| !server.disabled_tools.iter().any(|tool| tool == "*"));
    wanted.map(|server| config(label, agent, server)).collect()
}

fn config(label: &str, agent: &Agent, server: &McpServer) -> Result<Value, Fault> {
    if !server.disabled_tools.is_empty() {
        let text = format!(
            "{label} can't be kept from single tools of an MCP server. Leave `{}` out, or allow all of it.",
            server.name
        );
        return Err(Fault::unsupported(text));
    }
    let values: Vec<Value> = server.values.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    let remote = |kind: &str| json!({"type": kind, "name": server.name, "url": server.address, "headers": values});
    match server.transport {
        McpTransport::Stdio => {
            Ok(json!({"name": server.name, "command": server.address, "args": server.args, "env": values}))
        }
        McpTransport::Http if agent.http => Ok(remote("http")),
        McpTransport::Sse if agent.sse => Ok(remote("sse")),
        _ => {
            let ways = [Some("stdio"), agent.http.then_some("http"), agent.sse.then_some("sse")];
            let ways: Vec<&str> = ways.into_iter().flatten().collect();
            let text =
                format!("{label} reaches MCP servers by {}; `{}` has another transport.", ways.join(", "), server.name);
            Err(Fault::unsupported(text))
        }
    }
}

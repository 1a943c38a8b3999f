//! MCP servers: given with a thread's beginning, told as they come up.

use jackfield_sdk::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

use crate::session::Codex;
use crate::turn::status_word;
use crate::wire::Notice;

/// Those that were given, and how each is.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    given: Vec<McpServer>,
    states: BTreeMap<String, McpState>,
}

impl Servers {
    /// As a thread takes them: values of the program's own configuration, for this thread only.
    pub(crate) fn config(&self) -> Option<Value> {
        if self.given.is_empty() {
            return None;
        }
        let servers: Map<String, Value> =
            self.given.iter().map(|server| (server.name.clone(), configuration(server))).collect();
        Some(json!({"mcp_servers": servers}))
    }
}

fn configuration(server: &McpServer) -> Value {
    let values: Map<String, Value> =
        server.values.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    match server.transport {
        McpTransport::Stdio => json!({"command": server.address, "args": server.args, "env": values}),
        _ => json!({"url": server.address, "http_headers": values}),
    }
}

impl Codex {
    /// The command `set-mcp-servers`: a thread that is open keeps those that it has until it is resumed.
    pub(crate) fn set_servers(&mut self, cx: &mut Cx, op: u32, servers: Vec<McpServer>) {
        for server in &servers {
            if !matches!(server.transport, McpTransport::Stdio | McpTransport::Http) {
                let text = format!("Codex reaches MCP servers by stdio and HTTP; `{}` has neither.", server.name);
                return cx.fail(op, Fault::new(FaultKind::Invalid, text));
            }
            if !server.disabled_tools.is_empty() && server.disabled_tools != ["*"] {
                let text =
                    format!("Single tools of `{}` cannot be kept from Codex here; leave the server out.", server.name);
                return cx.fail(op, Fault::unsupported(text));
            }
        }
        self.servers.given = servers.into_iter().filter(|server| server.disabled_tools.is_empty()).collect();
        let applies = if self.threads.is_empty() { Applies::Now } else { Applies::AfterRestart };
        cx.done(op, OpValue::Applied(applies));
    }

    /// `mcpServer/startupStatus/updated`.
    pub(crate) fn server_told(&mut self, cx: &mut Cx, notice: &Notice) {
        let Some(name) = notice.name.clone() else {
            return cx.unknown("mcpServer/startupStatus/updated without a name");
        };
        let status = match status_word(&notice.status) {
            Some("starting") => Status::Pending,
            Some("ready") => Status::Running,
            Some("failed") => Status::Failed,
            Some("cancelled") => Status::Cancelled,
            _ => Status::Unknown,
        };
        let message = Some(notice.error.message.clone()).filter(|text| !text.is_empty());
        self.servers.states.insert(name.clone(), McpState { name, status, tools: vec![], message });
        cx.event(EventBody::McpServers(self.servers.states.values().cloned().collect()));
    }
}

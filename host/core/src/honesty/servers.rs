//! Is a tool that was switched off left alone? Only calls that began after the provider took the list.

use super::{Finding, shown};
use crate::contract::{Event, EventBody, Item, ItemBody, McpServer, Status};
use crate::event::is_terminal;
use std::collections::BTreeSet;

/// Tools of MCP servers that the provider must not use.
#[derive(Debug, Default)]
pub(super) struct Servers {
    /// Server and tool; `*` stands for all of a server's.
    off: BTreeSet<(String, String)>,
    /// Calls at work.
    running: BTreeSet<String>,
    /// Calls that had begun before the list came.
    before: BTreeSet<String>,
}

impl Servers {
    pub fn given(&mut self, servers: &[McpServer]) {
        let tools = |server: &McpServer| {
            let name = server.name.clone();
            server.disabled_tools.clone().into_iter().map(move |tool| (name.clone(), tool))
        };
        self.off = servers.iter().flat_map(tools).collect();
        self.before.append(&mut self.running);
    }

    pub fn told(&mut self, event: &Event, bound: usize) -> Option<Finding> {
        let EventBody::Items(items) = &event.body else { return None };
        if self.off.is_empty() {
            self.before.clear();
        }
        items.iter().filter_map(|item| self.call(item, bound)).next()
    }

    fn call(&mut self, item: &Item, bound: usize) -> Option<Finding> {
        let (ItemBody::Tool(tool), Some(id)) = (&item.body, &item.id) else { return None };
        let (server, name) = (tool.server.clone()?, tool.name.clone()?);
        if !is_terminal(item.status) {
            if self.running.len() < bound {
                self.running.insert(id.clone());
            }
            return None;
        }
        self.running.remove(id);
        if self.before.remove(id) || item.status != Status::Completed {
            return None;
        }
        let all = (server.clone(), "*".to_owned());
        let is_off = self.off.contains(&(server.clone(), name.clone())) || self.off.contains(&all);
        let because =
            || format!("{} of the MCP server {} was switched off, and was used", shown(&name), shown(&server));
        is_off.then(|| Finding::off("tools.supports-mcp-server-selection", because()))
    }
}

//! The handshake: the version of the protocol, and what the agent can do.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::answer::Call;
use crate::capabilities;
use crate::dialect::AcpDialect;
use crate::session::{Acp, Phase};
use crate::wire::{AuthMethod, Initialized, read};

/// The version of the protocol that this plugin speaks.
const VERSION: u64 = 1;

/// What the agent told in the handshake.
#[derive(Debug, Default)]
pub(crate) struct Agent {
    pub version: Option<String>,
    pub loads: bool,
    pub returns: bool,
    pub forks: bool,
    pub closes: bool,
    pub lists: bool,
    pub deletes: bool,
    pub logs_out: bool,
    /// It has told a todo list.
    pub plans: bool,
    pub image: bool,
    pub audio: bool,
    pub embeds: bool,
    pub http: bool,
    pub sse: bool,
    pub logins: Vec<AuthMethod>,
}

impl Agent {
    /// Whether a conversation can be opened again.
    pub(crate) fn resumes(&self) -> bool {
        self.loads || self.returns
    }
}

impl<D: AcpDialect> Acp<D> {
    /// The program runs.
    pub(crate) fn initialize(&mut self, cx: &mut Cx) {
        self.peer = Some(jackfield_sdk::jsonrpc::Peer::new(self.channel, true));
        let mut params = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": {
                "fs": {"readTextFile": false, "writeTextFile": false},
                "terminal": false,
                "elicitation": {"form": {}, "url": {}},
                "session": {"compaction": {}, "configOptions": {"boolean": {}}, "notices": {}},
            },
            "clientInfo": {"name": "jackfield", "title": "Jackfield", "version": env!("CARGO_PKG_VERSION")},
        });
        self.dialect.initialize(&mut params);
        self.ask(cx, "initialize", params, Call::Initialize);
    }

    pub(crate) fn initialized(&mut self, cx: &mut Cx, outcome: Result<Value, Fault>) {
        let reply: Initialized = match outcome {
            Ok(reply) => read(reply),
            Err(fault) => return self.start_failed(cx, fault),
        };
        if version(&reply.protocol_version) != Some(VERSION) {
            return self.start_failed(cx, self.other_version(&reply.protocol_version));
        }
        let can = reply.agent_capabilities;
        let sessions = can.session_capabilities;
        self.agent = Agent {
            version: reply.agent_info.version,
            loads: can.load_session,
            returns: sessions.resume.is_some(),
            forks: sessions.fork.is_some(),
            closes: sessions.close.is_some(),
            lists: sessions.list.is_some(),
            deletes: sessions.delete.is_some(),
            logs_out: can.auth.logout.is_some(),
            image: can.prompt_capabilities.image,
            audio: can.prompt_capabilities.audio,
            embeds: can.prompt_capabilities.embedded_context,
            http: can.mcp_capabilities.http,
            sse: can.mcp_capabilities.sse,
            plans: false,
            logins: reply.auth_methods,
        };
        match self.options.auth_method.clone() {
            Some(method) => self.log_in(cx, None, &method),
            None => self.ready(cx),
        }
    }

    fn other_version(&self, told: &Value) -> Fault {
        let label = &self.data.label;
        let told = version(told).map_or_else(|| "none".to_owned(), |version| version.to_string());
        let text = format!(
            "{label} speaks version {told} of the Agent Client Protocol; this plugin speaks version {VERSION}. Use a version of \
             the agent that speaks {VERSION}, too, or a plugin for version {told}."
        );
        Fault::new(FaultKind::Protocol, text).with_code("protocol-version")
    }

    fn ready(&mut self, cx: &mut Cx) {
        let Phase::Starting(op) = self.phase else { return };
        self.phase = Phase::Ready;
        let started_for = self.started_for.take();
        if started_for.is_none() {
            cx.done(op, OpValue::Accepted);
        }
        self.negotiate(cx, None);
        if let Some((thread, name)) = started_for {
            self.other(cx, op, thread, &name);
        }
    }

    /// Tells what the agent can do; a conversation's settings say more.
    pub(crate) fn negotiate(&mut self, cx: &mut Cx, thread: Option<&str>) {
        let settings = thread.and_then(|id| self.conversations.get(id)).map(|conversation| &conversation.settings);
        let set = capabilities::negotiated(&self.data, &self.agent, settings);
        if self.told.0 == 0 || self.told.1 != set.capabilities {
            self.told = (self.told.0 + 1, set.capabilities.clone());
            cx.negotiated(set.negotiated(self.told.0, self.agent.version.clone()));
        }
    }

    /// The command `authenticate`.
    pub(crate) fn authenticate(&mut self, cx: &mut Cx, op: u32, method: &str) {
        if self.phase != Phase::Ready {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The agent has not started. Try again then."));
        }
        cx.hold(op);
        self.log_in(cx, Some(op), method);
    }

    fn log_in(&mut self, cx: &mut Cx, op: Option<u32>, method: &str) {
        if !self.agent.logins.iter().any(|login| login.id == method) {
            let known: Vec<&str> = self.agent.logins.iter().map(|login| login.id.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let text = format!("{} has no login `{method}`; it offers: {known}.", self.data.label);
            return self.authenticated(cx, op, Err(Fault::new(FaultKind::Invalid, text)));
        }
        self.ask(cx, "authenticate", json!({"methodId": method}), Call::Authenticate { op });
    }

    pub(crate) fn authenticated(&mut self, cx: &mut Cx, op: Option<u32>, outcome: Result<Value, Fault>) {
        match (op, outcome) {
            (None, Ok(_)) => self.ready(cx),
            (None, Err(fault)) => self.start_failed(cx, self.with_login(fault)),
            (Some(op), Ok(_)) => {
                cx.done(op, OpValue::Accepted);
                let account = Account { logged_in: Some(true), label: None, plan: None, limits: vec![], extra: vec![] };
                cx.event(EventBody::Account(account));
            }
            (Some(op), Err(fault)) => cx.fail(op, self.with_login(fault)),
        }
    }

    /// A fault about a login says what to do.
    pub(crate) fn with_login(&self, fault: Fault) -> Fault {
        if fault.kind != FaultKind::Auth {
            return fault;
        }
        let offered = self.agent.logins.iter().map(|login| {
            let how = login.command().or_else(|| login.description.clone()).unwrap_or_default();
            format!("{} ({}{}{how})", login.name, login.id, if how.is_empty() { "" } else { ": " })
        });
        let offered: Vec<String> = self.data.login.iter().cloned().chain(offered).collect();
        if offered.is_empty() {
            return fault;
        }
        let said = fault.message.trim_end().trim_end_matches('.');
        let message = format!("{said}. {} needs a login: {}.", self.data.label, offered.join("; "));
        Fault { message, ..fault }
    }
}

/// A version; some write a whole number with a point.
fn version(told: &Value) -> Option<u64> {
    told.as_u64()
        .or_else(|| told.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0).map(|number| number as u64))
}

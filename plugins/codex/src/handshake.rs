//! From the program's start to the first thread: the handshake, its version, its configuration, its account.
//!
//! **A configuration that the program could not read refuses the session**: it would go on with its defaults, and speak to another
//! service than the one that was configured. It says so three times, and each is enough: `config/read` fails, a `configWarning`
//! names the place in the file, and its stderr has the words.

use jackfield_sdk::jsonrpc::{Peer, RpcError};
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::capabilities::{self, Version};
use crate::session::{Call, Codex, Phase};
use crate::settings::Settings;
use crate::wire::Initialized;

/// The program's words when it goes on without its configuration; it has no code for it.
pub(crate) const DEFAULTS: &str = "Invalid configuration; using defaults";

impl Codex {
    pub(crate) fn start(&mut self, cx: &mut Cx, op: u32, start: &StartSession) {
        for (name, value) in &start.selection {
            if let Err(fault) = Settings::check(name, value) {
                return cx.fail(op, fault);
            }
            self.settings.choose(name, value);
        }
        self.query = start.role == Role::Query;
        match self.query {
            // What is stored is read from its files; the models, and what is asked by its name, need the program.
            true => cx.done(op, OpValue::Accepted),
            false => self.launch(cx, op),
        }
    }

    /// Starts the program, for a command that waits for it.
    pub(crate) fn launch(&mut self, cx: &mut Cx, op: u32) {
        self.phase = Phase::Starting(op);
        cx.hold(op);
        self.channel = cx.spawn("main", vec![]);
    }

    /// The program runs: the handshake.
    pub(crate) fn initialize(&mut self, cx: &mut Cx) {
        self.peer = Some(Peer::new(self.channel, false));
        let client = json!({"name": "jackfield", "title": "Jackfield", "version": env!("CARGO_PKG_VERSION")});
        let capabilities = json!({"experimentalApi": true, "requestAttestation": false});
        let params = json!({"clientInfo": client, "capabilities": capabilities});
        self.call(cx, None, "initialize", params, Call::Initialize);
    }

    pub(crate) fn initialized(&mut self, cx: &mut Cx, answer: Result<Value, RpcError>) {
        let reply: Initialized = match answer {
            Ok(reply) => serde_json::from_value(reply).unwrap_or_default(),
            Err(error) => return self.start_failed(cx, error.fault(FaultKind::Protocol)),
        };
        self.version = Version::of_user_agent(reply.user_agent.as_deref().unwrap_or_default());
        self.revision += 1;
        cx.negotiated(capabilities::for_version(&self.version, self.revision));
        if let Some(peer) = &self.peer {
            peer.notify(cx, "initialized", json!({}));
        }
        self.call(cx, None, "config/read", json!({"includeLayers": false}), Call::Config);
    }

    pub(crate) fn configured(&mut self, cx: &mut Cx, answer: Result<Value, RpcError>) {
        match answer {
            Err(error) if error.code != crate::fault::REFUSED => self.broken = Some(error.message),
            // It read its configuration; or it is so old that it can't tell, and says it in the other ways.
            _ => {}
        }
        match self.broken.take() {
            Some(why) => self.start_failed(cx, unread(&why)),
            None => self.call(cx, None, "account/read", json!({"refreshToken": false}), Call::Account),
        }
    }

    /// The program goes on with its defaults. At the start that counts when it has answered what it read: all that it has to say of
    /// it has come then.
    pub(crate) fn misconfigured(&mut self, cx: &mut Cx, why: &str) {
        match self.phase {
            Phase::Starting(_) => self.broken = Some(why.to_owned()),
            Phase::Ready => cx.end_session(unread(why)),
            _ => {}
        }
    }

    /// The handshake is through.
    pub(crate) fn ready(&mut self, cx: &mut Cx) {
        if let Some(why) = self.broken.take() {
            return self.start_failed(cx, unread(&why));
        }
        if let Phase::Starting(op) = self.phase {
            self.phase = Phase::Ready;
            match self.started_for.take() {
                Some((thread, name)) => self.other(cx, op, thread, &name),
                None if self.query => self.list_settings(cx, op),
                None => cx.done(op, OpValue::Accepted),
            }
        }
    }

    pub(crate) fn start_failed(&mut self, cx: &mut Cx, fault: Fault) {
        let Phase::Starting(op) = self.phase else { return };
        self.started_for = None;
        self.leave(cx);
        cx.fail(op, fault);
    }
}

/// The fault of a configuration that was not read.
fn unread(why: &str) -> Fault {
    let text = format!("Codex cannot read its configuration and would go on with its defaults: {}", why.trim());
    Fault::new(FaultKind::Invalid, text).with_code("configuration")
}

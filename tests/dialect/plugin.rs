//! A third party's agent, Grumble, spoken to by the ACP plugin: what data can't say of it is overridden here, and nothing is copied.

use jackfield_plugin_acp::{Acp, AcpDialect};
use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::Value;

#[derive(Debug, Default)]
struct Grumble;

impl AcpDialect for Grumble {
    /// It says how it feels beside the protocol.
    fn notice(&mut self, cx: &mut Cx, method: &str, params: &Value) -> bool {
        let Some(mood) = params["mood"].as_str().filter(|_| method == "_grumble/mood") else { return false };
        cx.event(EventBody::Note(Note::new(Level::Info, "mood", format!("It is {mood}."))));
        true
    }

    /// What it is fed up with passes.
    fn fault(&mut self, _method: &str, error: &RpcError, fault: &mut Fault) {
        if error.data["tired"] == true {
            *fault = Fault { retryable: true, ..error.fault(FaultKind::RateLimit) };
        }
    }
}

jackfield_sdk::plugin!(Acp<Grumble>);

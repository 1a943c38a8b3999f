//! The seam for what an agent does its own way and data can't say. Each method has a default that is the protocol's.

use jackfield_sdk::data;
use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::data::Data;

/// A dialect of the protocol. Implement it for a type of your own, override what differs, and name `Acp<YourType>` in
/// `jackfield_sdk::plugin!`. The same state is kept for a whole session: one program with all its conversations.
pub trait AcpDialect: Default + 'static {
    /// The dialect's data. The default is the manifest's `[data]`; data that can't be read is an error that the start tells.
    fn data() -> Result<Data, String> {
        data::read()
    }

    /// Our call `initialize`, before it is sent.
    fn initialize(&mut self, params: &mut Value) {
        let _ = params;
    }

    /// The params of a call of ours, before it is sent: `session/new`, `session/prompt` …
    fn call(&mut self, method: &str, params: &mut Value) {
        let _ = (method, params);
    }

    /// An update, before it is understood: change it into what the protocol has for it. False when it is of no interest.
    fn update(&mut self, update: &mut Value) -> bool {
        let _ = update;
        true
    }

    /// The params of a request for permission, before they are understood. The host goes by what the agent said itself, whatever stands here.
    fn asks(&mut self, params: &mut Value) {
        let _ = params;
    }

    /// A request of the agent's by a method that the protocol does not have. Without an answer it is refused.
    fn request(&mut self, cx: &mut Cx, method: &str, params: &Value) -> Option<Value> {
        let _ = (cx, method, params);
        None
    }

    /// A notification by a method that the protocol does not have; true when it was understood.
    fn notice(&mut self, cx: &mut Cx, method: &str, params: &Value) -> bool {
        let _ = (cx, method, params);
        false
    }

    /// The end of a turn as it will be told, made from the prompt's answer.
    fn ended(&mut self, result: &Value, end: &mut TurnEnd) {
        let _ = (result, end);
    }

    /// The fault of an error as it will be told.
    fn fault(&mut self, method: &str, error: &RpcError, fault: &mut Fault) {
        let _ = (method, error, fault);
    }
}

/// A dialect that is data and nothing else: the bundled ones.
#[derive(Debug, Default)]
pub struct ByData;

impl AcpDialect for ByData {}

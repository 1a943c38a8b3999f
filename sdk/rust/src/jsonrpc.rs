//! One side of a JSON-RPC conversation over a channel: our calls and their answers, their calls and ours.
//!
//! **An id is compared exactly: 0, 1 and "1" are three ids, and the two sides' ids never meet.** A call that the plugin does not know
//! is answered -32601, so that no provider waits for ever; the channel's end gives back every call that was still open.
//! The `jsonrpc` member is written or left out as the provider likes it, and never required. Tests: below.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::prelude::*;

/// The id of a call, as it came.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// A number, in whatever form it was written.
    Number(serde_json::Number),
    /// A text.
    Text(String),
}

impl Id {
    /// As text that keeps numbers and texts apart: `0` and `"0"`.
    pub fn to_text(&self) -> String {
        match self {
            Id::Number(number) => number.to_string(),
            Id::Text(text) => Value::from(text.as_str()).to_string(),
        }
    }
}

/// An error of the other side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RpcError {
    /// Its code; 0 when it had none.
    #[serde(default)]
    pub code: i64,
    /// What it said.
    #[serde(default)]
    pub message: String,
    /// More, when there was more.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

impl RpcError {
    /// A fault of this kind that carries the code and the message.
    pub fn fault(&self, kind: FaultKind) -> Fault {
        Fault::new(kind, self.message.clone()).with_code(self.code.to_string())
    }
}

/// What a message turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming<T> {
    /// The answer to a call of ours, with what the plugin attached to it.
    Answer(T, Result<Value, RpcError>),
    /// A call of theirs: answer it once, with [`Peer::reply`] or [`Peer::refuse`].
    Call(Id, String, Value),
    /// A notification.
    Notice(String, Value),
    /// An answer to no call of ours.
    Stray(Id),
    /// Not JSON-RPC.
    Noise,
}

#[derive(Deserialize)]
struct Wire {
    #[serde(default)]
    id: Option<Id>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default, deserialize_with = "there")]
    result: Option<Value>,
    error: Option<RpcError>,
}

/// A member that is there, `null` included.
fn there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// One side of the conversation. `T` is what the plugin wants back with an answer.
#[derive(Debug, Clone)]
pub struct Peer<T> {
    channel: u32,
    member: bool,
    next: u64,
    calls: BTreeMap<u64, T>,
    theirs: Vec<Id>,
}

impl<T> Peer<T> {
    /// Talks over this channel; `member` says whether to write `"jsonrpc":"2.0"`.
    pub fn new(channel: u32, member: bool) -> Self {
        Peer { channel, member, next: 1, calls: BTreeMap::new(), theirs: Vec::new() }
    }

    /// Calls the other side; gives the number of the write effect.
    pub fn call(&mut self, cx: &mut Cx, method: &str, params: Value, tag: T) -> u32 {
        let id = self.next;
        self.next += 1;
        self.calls.insert(id, tag);
        self.send(cx, json!({"id": id, "method": method, "params": params}))
    }

    /// Notifies the other side.
    pub fn notify(&self, cx: &mut Cx, method: &str, params: Value) -> u32 {
        self.send(cx, json!({"method": method, "params": params}))
    }

    /// Reads one message.
    pub fn accept(&mut self, text: &str) -> Incoming<T> {
        let Ok(wire) = serde_json::from_str::<Wire>(text) else { return Incoming::Noise };
        match (wire.method, wire.id) {
            (Some(method), Some(id)) => {
                self.theirs.push(id.clone());
                Incoming::Call(id, method, wire.params)
            }
            (Some(method), None) => Incoming::Notice(method, wire.params),
            // A log line may have an `id`, too: without one of the two it answers nothing.
            (None, Some(_)) if wire.result.is_none() && wire.error.is_none() => Incoming::Noise,
            (None, Some(id)) => match self.take(&id) {
                Some(tag) => Incoming::Answer(tag, wire.error.map_or(Ok(wire.result.unwrap_or(Value::Null)), Err)),
                None => Incoming::Stray(id),
            },
            (None, None) => Incoming::Noise,
        }
    }

    /// Answers a call of theirs. A call that is not open is not answered again; then there is no effect.
    pub fn reply(&mut self, cx: &mut Cx, id: &Id, result: Value) -> Option<u32> {
        self.close(id).then(|| self.send(cx, json!({"id": id, "result": result})))
    }

    /// Answers a call of theirs with an error.
    pub fn fail(&mut self, cx: &mut Cx, id: &Id, code: i64, message: &str) -> Option<u32> {
        self.close(id).then(|| self.send(cx, json!({"id": id, "error": {"code": code, "message": message}})))
    }

    /// Answers a call whose method the plugin does not know.
    pub fn refuse(&mut self, cx: &mut Cx, id: &Id, method: &str) -> Option<u32> {
        self.fail(cx, id, -32601, &format!("Method not found: {method}"))
    }

    /// An answer of ours never left: their call is open again.
    pub fn reopen(&mut self, id: &Id) {
        self.theirs.push(id.clone());
    }

    /// They want no answer to this call any more.
    pub fn forget(&mut self, id: &Id) {
        self.close(id);
    }

    /// The channel ended: everything of ours that was never answered, in order. Their open calls are forgotten.
    pub fn take_open(&mut self) -> Vec<T> {
        self.theirs.clear();
        std::mem::take(&mut self.calls).into_values().collect()
    }

    fn take(&mut self, id: &Id) -> Option<T> {
        match id {
            Id::Number(number) => self.calls.remove(&number.as_u64()?),
            Id::Text(_) => None,
        }
    }

    fn close(&mut self, id: &Id) -> bool {
        let at = self.theirs.iter().position(|open| open == id);
        at.map(|at| self.theirs.remove(at)).is_some()
    }

    fn send(&self, cx: &mut Cx, mut message: Value) -> u32 {
        if self.member {
            message["jsonrpc"] = "2.0".into();
        }
        cx.write_json(self.channel, &message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cx: &Cx) -> Vec<String> {
        let texts = cx.out.iter().filter_map(|caused| match &caused.output {
            Output::Effect(Effect { body: EffectBody::Write(Write { data: FrameData::Text(text), .. }), .. }) => {
                Some(text.clone())
            }
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn answers_find_their_calls_in_any_order_and_by_exact_id() {
        let (mut cx, mut peer) = (Cx::default(), Peer::new(7, true));
        peer.call(&mut cx, "first", json!({}), "a");
        peer.call(&mut cx, "second", json!({}), "b");
        assert_eq!(peer.accept(r#"{"id":"1","result":{}}"#), Incoming::Stray(Id::Text("1".into())));
        assert_eq!(peer.accept(r#"{"id":2,"result":5}"#), Incoming::Answer("b", Ok(json!(5))));
        let error = RpcError { code: -32600, message: "no".into(), data: Value::Null };
        assert_eq!(
            peer.accept(r#"{"id":1,"error":{"code":-32600,"message":"no"}}"#),
            Incoming::Answer("a", Err(error))
        );
        assert!(matches!(peer.accept(r#"{"id":1,"result":{}}"#), Incoming::Stray(_)));
        assert!(written(&cx)[0].contains(r#""jsonrpc":"2.0""#));
    }

    #[test]
    fn their_ids_and_ours_never_meet_and_each_call_is_answered_once() {
        let (mut cx, mut peer) = (Cx::default(), Peer::new(7, false));
        peer.call(&mut cx, "mine", Value::Null, ());
        let Incoming::Call(zero, ..) = peer.accept(r#"{"id":0,"method":"ask","params":{}}"#) else { panic!() };
        let Incoming::Call(text, method, _) = peer.accept(r#"{"id":"0","method":"new/thing"}"#) else { panic!() };
        assert_ne!(zero, text);
        assert!(peer.refuse(&mut cx, &text, &method).is_some());
        assert!(peer.reply(&mut cx, &text, json!({})).is_none(), "answered twice");
        assert!(peer.reply(&mut cx, &zero, json!({"ok": true})).is_some());
        peer.reopen(&zero);
        peer.forget(&zero);
        assert!(peer.reply(&mut cx, &zero, json!({"late": true})).is_none(), "answered what was taken back");
        assert_eq!(written(&cx)[1], r#"{"error":{"code":-32601,"message":"Method not found: new/thing"},"id":"0"}"#);
        assert_eq!(written(&cx)[2], r#"{"id":0,"result":{"ok":true}}"#);
    }

    #[test]
    fn the_end_of_the_channel_gives_back_what_is_open() {
        let (mut cx, mut peer) = (Cx::default(), Peer::new(7, false));
        peer.call(&mut cx, "a", Value::Null, 1);
        peer.call(&mut cx, "b", Value::Null, 2);
        peer.accept(r#"{"id":1,"result":null}"#);
        assert_eq!(peer.take_open(), [2]);
        assert!(peer.take_open().is_empty());
    }

    #[test]
    fn the_rest_is_notice_or_noise() {
        let mut peer = Peer::<()>::new(1, true);
        assert_eq!(peer.accept(r#"{"method":"tick"}"#), Incoming::Notice("tick".into(), Value::Null));
        peer.call(&mut Cx::default(), "wait", Value::Null, ());
        assert_eq!(peer.accept(r#"{"id":1,"level":"info"}"#), Incoming::Noise, "the call still waits");
        assert_eq!(peer.accept(r#"{"id":1,"result":null}"#), Incoming::Answer((), Ok(Value::Null)));
        for noise in ["log line", "3", "{}", r#"{"method":5,"id":1}"#] {
            assert_eq!(peer.accept(noise), Incoming::Noise, "{noise}");
        }
    }
}

//! What each kind of line means. The table of this protocol: a kind that is not here is `unknown`, by its name.

use jackfield_sdk::ndjson;
use jackfield_sdk::prelude::*;
use serde::de::DeserializeOwned;

use crate::fault;
use crate::session::{ClaudeCode, Phase};
use crate::turn::Order;
use crate::wire::{Head, MessageFrame, Stream};
use crate::wire_session::{
    ControlCancel, ControlRequest, ControlResponse, Denial, Init, Lifecycle, RateLimit as LimitFrame, System,
    TaskFrame, TurnResult,
};

impl ClaudeCode {
    pub(crate) fn translate(&mut self, cx: &mut Cx, frame: &Frame) {
        if frame.pipe == Pipe::Error {
            // The host keeps its tail; it is told with the channel's end.
            return cx.silent("stderr");
        }
        let Some(text) = ndjson::text(frame) else { return cx.noise() };
        let Ok(Head { kind: Some(kind), subtype, uuid }) = serde_json::from_str::<Head>(text) else {
            return cx.noise();
        };
        if self.seen.again(uuid.as_deref()) {
            return cx.duplicate();
        }
        match kind.as_str() {
            "stream_event" => with(cx, &kind, text, |cx, frame: Stream| self.stream_event(cx, frame)),
            "assistant" => rare(cx, &kind, text, |cx, frame: MessageFrame| self.assistant(cx, frame)),
            "user" => rare(cx, &kind, text, |cx, frame: MessageFrame| self.user(cx, frame)),
            "system" => self.system(cx, subtype.as_deref().unwrap_or("none"), text),
            "result" => rare(cx, &kind, text, |cx, frame: TurnResult| self.result_frame(cx, &frame)),
            "control_request" => with(cx, &kind, text, |cx, frame: ControlRequest| self.asked(cx, frame)),
            "control_response" => {
                with(cx, &kind, text, |cx, frame: ControlResponse| self.control_answer(cx, frame.response))
            }
            "control_cancel_request" => rare(cx, &kind, text, |cx, frame: ControlCancel| self.withdrawn(cx, frame)),
            "command_lifecycle" => rare(cx, &kind, text, |cx, frame: Lifecycle| self.turns.lifecycle(cx, &frame)),
            "rate_limit_event" => rare(cx, &kind, text, |cx, frame: LimitFrame| rate_limit(cx, frame)),
            "conversation_reset" => {
                // The next `system/init` has the new session's id; then it is told.
                self.turns.reset = true;
                cx.silent(kind);
            }
            "keep_alive" | "tool_progress" | "streamlined_text" => cx.silent(kind),
            _ => cx.unknown(kind),
        }
    }

    fn system(&mut self, cx: &mut Cx, subtype: &str, text: &str) {
        let kind = format!("system/{subtype}");
        match subtype {
            "init" => rare(cx, &kind, text, |cx, frame: Init| self.turn_init(cx, frame)),
            "status" => rare(cx, &kind, text, |cx, frame: System| self.status(cx, frame)),
            "compact_boundary" => rare(cx, &kind, text, |cx, frame: System| compacted(cx, frame)),
            "api_retry" => rare(cx, &kind, text, |cx, frame: System| retrying(cx, frame)),
            "task_started" | "task_progress" | "task_updated" | "task_notification" | "background_tasks_changed" => {
                rare(cx, &kind, text, |cx, frame: TaskFrame| {
                    if !self.tasks.told(cx, subtype, frame) {
                        cx.unknown(format!("system/{subtype} without an id"));
                    }
                });
            }
            "permission_denied" => rare(cx, &kind, text, |cx, frame: Denial| self.denied(cx, frame)),
            "thinking_tokens" => cx.silent(kind),
            _ => cx.unknown(kind),
        }
    }

    /// Told at the beginning of every turn.
    fn turn_init(&mut self, cx: &mut Cx, init: Init) {
        self.turns.begin_unnamed(cx);
        self.will_be_stored(cx);
        if let Some(id) = &init.session_id {
            self.renamed(cx, id);
        }
        self.negotiate(cx, init.claude_code_version.clone());
        let model = init.model.as_deref().is_some_and(|model| self.settings.set("model", model));
        let mode = init.permission_mode.as_deref().is_some_and(|mode| self.settings.set("mode", mode));
        if model || mode {
            cx.event(EventBody::Settings(self.settings.to_settings()));
        }
        self.servers_of_init(cx, init);
        if cx.said_nothing() {
            cx.silent("system/init");
        }
    }

    fn status(&mut self, cx: &mut Cx, frame: System) {
        match frame.status.as_deref() {
            Some("requesting") => {
                self.got_over_error(cx);
                self.turns.touch(cx, &frame.user_message_uuids);
                self.turns.model_asked(cx);
            }
            Some("compacting") => {
                self.turns.touch(cx, &frame.user_message_uuids);
                cx.event(EventBody::Context(ContextChange::new(ContextEffect::Compacting)));
            }
            Some(other) => return cx.unknown(format!("system/status/{other}")),
            None => {}
        }
        if let Some(mode) = frame.permission_mode
            && self.settings.set("mode", &mode)
        {
            cx.event(EventBody::Settings(self.settings.to_settings()));
        }
        // A good end is told by `compact_boundary`, with the numbers.
        if let Some(result) = frame.compact_result.filter(|result| result != "success") {
            let why = frame.compact_error.unwrap_or(result);
            let change = ContextChange { summary: Some(why), ..ContextChange::new(ContextEffect::CompactFailed) };
            cx.event(EventBody::Context(change));
        }
        if cx.said_nothing() {
            cx.silent("system/status");
        }
    }

    fn result_frame(&mut self, cx: &mut Cx, result: &TurnResult) {
        if result.is_error {
            self.messages.error = None;
        }
        self.got_over_error(cx);
        if matches!(self.phase, Phase::Opening(_)) {
            // The only answer that a session gets which cannot be resumed.
            let fault = fault::of_result(result, false)
                .1
                .unwrap_or_else(|| Fault::new(FaultKind::Protocol, "The program ended a turn before its handshake."));
            return self.opening_failed(cx, fault);
        }
        if fault::of_result(result, self.turns.interrupting).0 == Status::Interrupted {
            let background = self.tasks.in_background();
            self.streams.stopped(cx, |parent| parent.is_none() || !background);
        }
        let order = self.turns.order();
        if !self.turns.end(cx, result, self.tasks.in_background()) {
            return cx.duplicate();
        }
        if let Some((op, Order::Clear { from })) = order {
            self.cleared(cx, op, from, result);
        }
        self.streams.turn_ended(self.tasks.in_background());
        self.stored(cx);
    }

    /// The end of the turn in which the conversation was to be emptied.
    fn cleared(&mut self, cx: &mut Cx, op: u32, from: String, result: &TurnResult) {
        if self.thread.id != from {
            let thread = Thread { replaces: Some(from), ..self.to_thread(ThreadState::Idle) };
            return cx.done(op, OpValue::Thread(thread));
        }
        let said = result.result.clone().filter(|text| !text.is_empty());
        let text = said.unwrap_or_else(|| "The program did not begin the conversation anew.".to_owned());
        cx.fail(op, Fault::new(FaultKind::Unknown, text));
    }

    fn withdrawn(&mut self, cx: &mut Cx, frame: ControlCancel) {
        if self.requests.withdraw(&frame.request_id) {
            let end = RequestEnd { id: frame.request_id, status: Status::Cancelled };
            cx.event(EventBody::RequestsClosed(vec![end]));
        } else {
            // It was answered or refused before: its end is known.
            cx.duplicate();
        }
    }
}

/// Reads a line as a type, or says that this kind has another shape than the one that is known.
fn with<T: DeserializeOwned>(cx: &mut Cx, kind: &str, text: &str, then: impl FnOnce(&mut Cx, T)) {
    read(cx, kind, serde_json::from_str(text), then);
}

/// The same by way of a value: for kinds that come seldom. A type is then read from values only, so its code exists once.
fn rare<T: DeserializeOwned>(cx: &mut Cx, kind: &str, text: &str, then: impl FnOnce(&mut Cx, T)) {
    read(cx, kind, serde_json::from_str(text).and_then(serde_json::from_value::<T>), then);
}

fn read<T>(cx: &mut Cx, kind: &str, frame: serde_json::Result<T>, then: impl FnOnce(&mut Cx, T)) {
    match frame {
        Ok(frame) => then(cx, frame),
        Err(error) => {
            cx.diagnostic(Level::Warning, "unreadable-frame", format!("`{kind}`: {error}"));
            cx.unknown(format!("{kind} of another shape"));
        }
    }
}

fn compacted(cx: &mut Cx, frame: System) {
    let data = frame.compact_metadata.unwrap_or_default();
    cx.event(EventBody::Context(ContextChange {
        tokens_before: data.pre_tokens,
        tokens_after: data.post_tokens,
        automatic: data.trigger.as_deref() == Some("auto"),
        ..ContextChange::new(ContextEffect::Compacted)
    }));
}

fn retrying(cx: &mut Cx, frame: System) {
    let text = frame.error.unwrap_or_else(|| "The model's service did not answer.".to_owned());
    cx.event(EventBody::Retrying(Retry {
        attempt: frame.attempt.unwrap_or(1),
        max_attempts: frame.max_retries,
        delay_ms: frame.retry_delay_ms,
        fault: fault::of_status(frame.error_status, &text),
    }));
}

fn rate_limit(cx: &mut Cx, frame: LimitFrame) {
    let info = frame.rate_limit_info;
    let limit = RateLimit {
        name: info.rate_limit_type.unwrap_or_else(|| "requests".to_owned()).replace('_', "-"),
        used_percent: info.utilization.map(|part| part * 100.0),
        resets_at_ms: info.resets_at.map(|seconds| seconds * 1000.0),
        reached: info.status.as_deref() == Some("rejected"),
    };
    cx.event(EventBody::Account(Account {
        logged_in: None,
        label: None,
        plan: None,
        limits: vec![limit],
        extra: vec![],
    }));
}

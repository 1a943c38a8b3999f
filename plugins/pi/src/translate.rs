//! What each kind of frame means. A frame that is not understood is unknown by its kind, and never decides anything.

use jackfield_sdk::ndjson;
use jackfield_sdk::prelude::*;
use serde::de::DeserializeOwned;

use crate::answer::Response;
use crate::fault;
use crate::session::Pi;
use crate::wire::{CompactionFrame, ExtensionError, Head, MessageFrame, RetryFrame};

impl Pi {
    pub(crate) fn line(&mut self, cx: &mut Cx, frame: &Frame) {
        let Some(text) = ndjson::text(frame) else {
            return match frame.pipe {
                Pipe::Error => cx.silent("stderr"),
                Pipe::Main => cx.noise(),
            };
        };
        let Some(Head { kind }) = Some(text).filter(|text| text.trim_start().starts_with('{')).and_then(read_head)
        else {
            return cx.noise();
        };
        if frame.channel != self.channel {
            return self.copy_line(cx, frame.channel, &kind, text);
        }
        self.meaning(cx, &kind, text);
    }

    fn meaning(&mut self, cx: &mut Cx, kind: &str, text: &str) {
        match kind {
            "message_update" => with(cx, kind, text, |cx, frame| self.update(cx, frame)),
            "message_start" => with(cx, kind, text, |cx, frame: MessageFrame| self.message_started(cx, frame.message)),
            "message_end" => with(cx, kind, text, |cx, frame: MessageFrame| self.message_ended(cx, frame.message)),
            "tool_execution_start" => with(cx, kind, text, |cx, frame| self.execution_started(cx, frame)),
            "tool_execution_update" => with(cx, kind, text, |cx, frame| self.execution_goes_on(cx, frame)),
            "tool_execution_end" => with(cx, kind, text, |cx, frame| self.execution_ended(cx, frame)),
            "agent_start" => self.agent_started(cx),
            "agent_end" => self.agent_ended(cx),
            "turn_start" => cx.silent(kind),
            "turn_end" => self.call_over(cx),
            "response" => with(cx, kind, text, |cx, frame: Response| self.answered(cx, frame)),
            "auto_retry_start" => with(cx, kind, text, |cx, frame| self.retrying(cx, frame)),
            "auto_retry_end" => with(cx, kind, text, |cx, frame| self.retried(cx, frame)),
            "compaction_start" | "auto_compaction_start" => {
                with(cx, kind, text, |cx, frame| self.compacting(cx, frame))
            }
            "compaction_end" | "auto_compaction_end" => with(cx, kind, text, |cx, frame| self.compacted(cx, frame)),
            "extension_ui_request" => with(cx, kind, text, |cx, frame| self.asked(cx, frame)),
            "extension_error" => with(cx, kind, text, extension_error),
            // Which of our messages wait; each is told when it is taken in.
            "queue_update" => cx.silent(kind),
            _ => cx.unknown(kind),
        }
    }

    fn agent_started(&mut self, cx: &mut Cx) {
        self.turns.begins(cx);
        self.tools.clear();
        if let Some(op) = self.turns.stop_at_start.take() {
            self.abort(cx, op);
        }
    }

    /// One call of the model is over. By now the program has written it down: the conversation can be resumed.
    fn call_over(&mut self, cx: &mut Cx) {
        if self.thread.answered && !self.thread.stored {
            self.thread.stored = true;
            cx.event(EventBody::Threads(vec![self.to_thread(ThreadState::Active)]));
        } else {
            cx.silent("turn_end");
        }
    }

    fn agent_ended(&mut self, cx: &mut Cx) {
        if self.turns.seems_over(cx, self.thread.mark()) {
            self.ask_whether_over(cx);
        }
    }

    fn retrying(&mut self, cx: &mut Cx, frame: RetryFrame) {
        self.turns.retries();
        let text = frame.error_message.unwrap_or_else(|| "The model's service failed.".to_owned());
        cx.event(EventBody::Retrying(Retry {
            attempt: frame.attempt.unwrap_or(1),
            max_attempts: frame.max_attempts,
            delay_ms: frame.delay_ms,
            fault: fault::of_service(&text),
        }));
    }

    fn retried(&mut self, cx: &mut Cx, frame: RetryFrame) {
        if !frame.success {
            self.turns.gave_up(cx, frame.final_error, self.thread.mark());
        }
        if cx.said_nothing() {
            cx.silent("auto_retry_end");
        }
    }

    fn compacting(&mut self, cx: &mut Cx, frame: CompactionFrame) {
        self.turns.compacting = true;
        self.compaction_begins(cx);
        let automatic = frame.reason != "manual";
        cx.event(EventBody::Context(ContextChange { automatic, ..ContextChange::new(ContextEffect::Compacting) }));
    }

    fn compacted(&mut self, cx: &mut Cx, frame: CompactionFrame) {
        self.turns.compacting = false;
        self.compaction_told = true;
        let automatic = frame.reason != "manual";
        let change = match frame.result {
            Some(result) => ContextChange {
                tokens_before: result.tokens_before,
                summary: result.summary,
                ..ContextChange::new(ContextEffect::Compacted)
            },
            None => {
                let stopped = frame.aborted.then(|| "It was stopped.".to_owned());
                let why = frame.error_message.or(stopped);
                ContextChange { summary: why, ..ContextChange::new(ContextEffect::CompactFailed) }
            }
        };
        cx.event(EventBody::Context(ContextChange { automatic, ..change }));
        if frame.will_retry {
            self.turns.goes_on();
        } else {
            self.turns.settled(cx);
        }
    }
}

fn read_head(text: &str) -> Option<Head> {
    serde_json::from_str(text).ok()
}

/// Reads a line as a type, or says that this kind has another shape than the one that is known.
fn with<T: DeserializeOwned>(cx: &mut Cx, kind: &str, text: &str, then: impl FnOnce(&mut Cx, T)) {
    match serde_json::from_str(text) {
        Ok(frame) => then(cx, frame),
        Err(error) => {
            cx.diagnostic(Level::Warning, "unreadable-frame", format!("`{kind}`: {error}"));
            cx.unknown(format!("{kind} of another shape"));
        }
    }
}

fn extension_error(cx: &mut Cx, frame: ExtensionError) {
    let text = format!("The extension {} failed at `{}`: {}", frame.extension_path, frame.event, frame.error);
    cx.event(EventBody::Note(Note::new(Level::Warning, "extension", text)));
}

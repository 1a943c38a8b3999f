//! Opening the conversation: start the program, listen to its events, begin or find the conversation; and how it ends.
//!
//! **Nothing is asked before the events are listened to**: what the server says of its own accord would be missed.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::calls::Call;
use crate::session::{Conversation, OpenCode, Phase};
use crate::wire::Session;
use crate::{capabilities, fault};

/// How long the program has to say that it serves, in milliseconds; then it is asked all the same: its words may change. So long it has to
/// answer, too. A machine at work makes it say so only after half a minute.
pub(crate) const PATIENCE_MS: f64 = 20_000.0;

impl OpenCode {
    pub(crate) fn open(&mut self, cx: &mut Cx, op: u32, open: &OpenThread) {
        if self.phase != Phase::Empty {
            let text = "This session has its thread. Open another session for another one.";
            return cx.fail(op, Fault::new(FaultKind::Conflict, text));
        }
        if cx.is_elsewhere(open) || !open.context.is_empty() {
            let text = "OpenCode takes neither a folder other than the session's nor context before the first message.";
            return cx.fail(op, Fault::unsupported(text));
        }
        if let Err(fault) = self.settings.choose(&open.selection) {
            return cx.fail(op, fault);
        }
        let from = open.cursor.clone();
        self.thread = Conversation { whole: from.is_none(), from, ..Conversation::default() };
        self.server = cx.spawn("server", vec![]);
        self.phase = Phase::Opening(op);
        cx.hold(op);
    }

    /// Whether the program says that it serves. **Its port takes connections before that, and what is asked on one of those is never
    /// answered** (1.18.33): what was asked too soon is asked again.
    pub(crate) fn serves(&self, frame: &Frame) -> bool {
        let says = matches!(&frame.data, FrameData::Text(text) if text.contains("listening on"));
        let opening = matches!(self.phase, Phase::Opening(_)) && self.patience != 0;
        says && opening && frame.channel == self.server && frame.pipe == Pipe::Main
    }

    /// It serves, as it says or as is hoped; until it answers, that is hoped again and again. The host waits until it takes a connection.
    pub(crate) fn listen(&mut self, cx: &mut Cx) {
        for asked in [std::mem::take(&mut self.patience), std::mem::take(&mut self.events)] {
            if asked != 0 {
                cx.cancel(asked);
            }
        }
        self.events = cx.listen("server", "/event");
        self.patience = cx.timer(PATIENCE_MS);
    }

    pub(crate) fn listening(&mut self, cx: &mut Cx, outcome: Result<EffectValue, Fault>) {
        let patience = std::mem::take(&mut self.patience);
        if patience != 0 {
            cx.cancel(patience);
        }
        match outcome {
            Ok(EffectValue::Response(response)) if response.body.is_none() => {}
            Ok(EffectValue::Response(response)) => {
                let refused = fault::body(response, "tell its events").err();
                let text = "OpenCode answered, and tells no events.";
                let fault = refused.unwrap_or_else(|| Fault::new(FaultKind::Protocol, text));
                return self.opening_failed(cx, fault);
            }
            Ok(_) => return,
            Err(fault) => return self.opening_failed(cx, fault),
        }
        match &self.thread.from {
            Some(from) => {
                let path = format!("/session/{from}");
                self.calls.ask(cx, "GET", &path, None, Call::Opened);
            }
            None => self.calls.ask(cx, "POST", "/session", Some(&json!({})), Call::Opened),
        }
    }

    pub(crate) fn opened(&mut self, cx: &mut Cx, answer: Result<Value, Fault>) {
        let Phase::Opening(op) = self.phase else { return };
        let session: Session = match answer {
            Ok(session) => serde_json::from_value(session).unwrap_or_default(),
            // It is the conversation that is not found, and nothing narrower.
            Err(fault) if fault.kind == FaultKind::NotFound => {
                return self.opening_failed(cx, Fault { code: None, ..fault });
            }
            Err(fault) => return self.opening_failed(cx, fault),
        };
        if session.id.is_empty() || self.thread.from.as_ref().is_some_and(|from| *from != session.id) {
            let text = format!("OpenCode opened another conversation (`{}`) than was asked for.", session.id);
            return self.opening_failed(cx, Fault::new(FaultKind::NotFound, text));
        }
        self.phase = Phase::Ready;
        self.thread.id = session.id.clone();
        self.thread.title = session.title;
        cx.done(op, OpValue::Thread(self.to_thread(ThreadState::Idle)));
        self.revision += 1;
        cx.negotiated(capabilities::declared().negotiated(self.revision, session.version));
        self.tell_settings(cx);
        self.calls.ask(cx, "GET", "/config/providers", None, Call::Models);
        self.calls.ask(cx, "GET", "/agent", None, Call::Agents);
    }

    pub(crate) fn opening_failed(&mut self, cx: &mut Cx, fault: Fault) {
        let Phase::Opening(op) = self.phase else { return };
        self.phase = Phase::Ended;
        self.thread = Conversation::default();
        cx.fail(op, fault);
        self.hang_up(cx);
    }

    /// The thread as far as it is known. The server writes a conversation when it begins it.
    pub(crate) fn to_thread(&self, state: ThreadState) -> Thread {
        let (id, title) = (&self.thread.id, self.thread.title.clone());
        Thread { cursor: Some(id.clone()), title, ..Thread::new(id, state) }
    }

    /// Ends the conversation: the server does not look at its stdin, so it is told by a signal.
    pub(crate) fn leave(&mut self, cx: &mut Cx) {
        if matches!(self.phase, Phase::Opening(_) | Phase::Ready) {
            self.phase = Phase::Closing;
            self.hang_up(cx);
        }
    }

    fn hang_up(&mut self, cx: &mut Cx) {
        if self.server != 0 {
            cx.signal(self.server, SignalKind::Terminate);
        }
    }

    /// The stream of events broke while the server lives: nothing that it does would be seen any more.
    pub(crate) fn events_ended(&mut self, cx: &mut Cx, exit: &ChannelExit) {
        self.events = 0;
        if !matches!(self.phase, Phase::Opening(_) | Phase::Ready) {
            return;
        }
        let text = "OpenCode's stream of events ended.";
        let fault = exit.fault.clone().unwrap_or_else(|| Fault::new(FaultKind::Network, text));
        if matches!(self.phase, Phase::Opening(_)) {
            return self.opening_failed(cx, fault);
        }
        cx.diagnostic(Level::Warning, "events-ended", fault.message);
        self.hang_up(cx);
    }

    /// The program ended.
    pub(crate) fn server_ended(&mut self, cx: &mut Cx, exit: &ChannelExit) {
        let expected = self.phase == Phase::Closing;
        let known = !self.thread.id.is_empty();
        let fault = Fault::channel_closed(exit);
        if let Phase::Opening(_) = self.phase {
            self.opening_failed(cx, fault.clone());
        }
        self.phase = if expected { Phase::Empty } else { Phase::Ended };
        self.server = 0;
        self.calls.clear();
        self.asks_no_more(cx);
        self.turn_lost(cx, &fault);
        cx.fail_held(&fault);
        if !expected && known {
            cx.event(EventBody::Threads(vec![self.to_thread(ThreadState::Closed)]));
        }
    }
}

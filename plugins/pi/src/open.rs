//! Opening the conversation: start the program, shake hands, and say when it can be resumed.
//!
//! **A cursor is told only once the program has written its session**, which it does with the model's first answer; one that was never
//! written can't be resumed. **A resume that gives another conversation is a failure**, never a fresh start.

use jackfield_sdk::prelude::*;
use serde_json::json;

use crate::answer::{Commands, Models, Points, State};
use crate::calls::Call;
use crate::capabilities;
use crate::fault;
use crate::session::{Conversation, Phase, Pi};

/// The cursor of a conversation that was emptied on purpose and has nothing in it yet: it is begun anew, and nothing is lost by that.
pub(crate) const EMPTY: &str = "empty";

impl Pi {
    pub(crate) fn open(&mut self, cx: &mut Cx, op: u32, open: &OpenThread) {
        if self.phase != Phase::Empty {
            let text = "This session has its thread. pi serves one thread per program: open another session.";
            return cx.fail(op, Fault::new(FaultKind::Conflict, text));
        }
        if cx.is_elsewhere(open) || !open.context.is_empty() {
            let text = "pi takes neither a folder other than the session's nor context before the first message.";
            return cx.fail(op, Fault::unsupported(text));
        }
        if let Err(fault) = self.settings.choose(&open.selection) {
            return cx.fail(op, fault);
        }
        let from = open.cursor.clone().filter(|cursor| cursor != EMPTY);
        self.thread = Conversation { stored: from.is_some(), from, ..Conversation::default() };
        self.channel = self.spawn(cx, self.thread.from.clone());
        self.phase = Phase::Opening(op);
        cx.hold(op);
    }

    /// Starts the program, on this conversation or a new one.
    pub(crate) fn spawn(&self, cx: &mut Cx, session: Option<String>) -> u32 {
        let mut holes = vec![];
        let mut hole = |name: &str, value: Option<String>| holes.extend(value.map(|value| (name.to_owned(), value)));
        if let Some(model) = &self.settings.model {
            let (provider, id) = self.settings.parts(model);
            hole("provider", provider);
            hole("model", Some(id));
        }
        hole("effort", self.settings.effort.clone());
        hole("session", session);
        cx.spawn("main", holes)
    }

    /// The program runs: the handshake.
    pub(crate) fn shake_hands(&mut self, cx: &mut Cx) {
        self.calls.ask(cx, self.channel, "get_state", json!({}), Call::Opened);
    }

    pub(crate) fn opened(&mut self, cx: &mut Cx, state: State) {
        let Phase::Opening(op) = self.phase else { return };
        if let Some(from) = self.thread.from.as_ref().filter(|from| **from != state.session_id) {
            let text = format!("pi opened the session `{}` in place of `{from}`.", state.session_id);
            return self.opening_failed(cx, Fault::new(FaultKind::NotFound, text));
        }
        self.phase = Phase::Ready;
        self.thread.id = state.session_id.clone();
        self.settings.learn(&state);
        cx.done(op, OpValue::Thread(Thread { title: state.session_name, ..self.to_thread(ThreadState::Idle) }));
        // It does not tell its version here; `doctor` asks for it.
        self.revision += 1;
        cx.negotiated(capabilities::declared().negotiated(self.revision, None));
        self.tell_settings(cx);
        self.calls.ask(cx, self.channel, "get_available_models", json!({}), Call::Models);
        self.calls.ask(cx, self.channel, "get_commands", json!({}), Call::Commands);
        if self.thread.from.is_some() {
            self.calls.ask(cx, self.channel, "get_fork_messages", json!({}), Call::Counted);
        }
    }

    pub(crate) fn opening_failed(&mut self, cx: &mut Cx, fault: Fault) {
        let Phase::Opening(op) = self.phase else { return };
        self.phase = Phase::Ended;
        self.thread = Conversation::default();
        cx.fail(op, fault);
        self.hang_up(cx);
    }

    pub(crate) fn offered(&mut self, cx: &mut Cx, models: Models) {
        self.settings.offer(models.models);
        self.tell_settings(cx);
    }

    pub(crate) fn tell_settings(&self, cx: &mut Cx) {
        cx.event(EventBody::Settings(self.settings.to_settings()));
    }

    pub(crate) fn commands_told(&mut self, cx: &mut Cx, told: Commands) {
        let named = |command: &crate::answer::Command| SlashCommand {
            name: command.name.clone(),
            description: command.description.clone(),
            hint: None,
            extra: vec![("kind".to_owned(), if command.source == "skill" { "skill" } else { "command" }.to_owned())],
        };
        let commands = told.commands.iter().map(named).collect();
        let handled = told.commands.into_iter().filter(|command| command.source == "extension");
        self.extension_commands = handled.map(|command| command.name).collect();
        cx.event(EventBody::SlashCommands(commands));
    }

    /// How many messages of the person's are in a conversation that was resumed: places to go back to are counted.
    pub(crate) fn counted(&mut self, cx: &mut Cx, points: Points) {
        self.thread.said += points.messages.len();
        cx.silent("response/get_fork_messages");
    }

    /// The program of the conversation ended.
    pub(crate) fn program_ended(&mut self, cx: &mut Cx, exit: &ChannelExit) {
        let expected = self.phase == Phase::Closing;
        let known = !self.thread.id.is_empty();
        let fault = fault::of_exit(exit);
        self.phase = if expected { Phase::Empty } else { Phase::Ended };
        self.calls.lost(None);
        self.asks_no_more(cx);
        self.turns.lost(cx, &fault);
        self.tools.clear();
        cx.fail_held(&fault);
        if !expected && known {
            cx.event(EventBody::Threads(vec![self.to_thread(ThreadState::Closed)]));
        }
    }
}

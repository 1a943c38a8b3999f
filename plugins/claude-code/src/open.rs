//! Opening the conversation: start the program, shake hands, and say when it can be resumed.
//!
//! **A cursor is told only once the program has surely written its session**: one that it never wrote cannot be resumed. It writes
//! behind: a session killed 0.3 s after its first frame was not on disk. A tool's result, a turn's end or two seconds count as sure.

use jackfield_sdk::prelude::*;
use serde_json::json;

use crate::capabilities;
use crate::control::Control;
use crate::cursor::Cursor;
use crate::session::{ClaudeCode, Conversation, Phase, Rewinding};
use crate::settings::Settings;
use crate::wire_session::Initialized;

/// After so many milliseconds of its first turn a session counts as written.
const STORED_AFTER_MS: f64 = 2_000.0;

impl ClaudeCode {
    pub(crate) fn open(&mut self, cx: &mut Cx, op: u32, open: &OpenThread) {
        if self.phase != Phase::Empty {
            let text = "This session has its thread. Claude Code serves one thread per program: open another session.";
            return cx.fail(op, Fault::new(FaultKind::Conflict, text));
        }
        if cx.is_elsewhere(open) || !open.context.is_empty() {
            let text =
                "Claude Code takes neither a folder other than the session's nor context before the first message.";
            return cx.fail(op, Fault::unsupported(text));
        }
        if let Err(fault) = self.settings.choose(&open.selection) {
            return cx.fail(op, fault);
        }
        self.thread = match open.cursor.as_deref().map(Cursor::read) {
            Some(from) => Conversation::of(from),
            None => Conversation { id: cx.uuid(), ..Conversation::default() },
        };
        self.spawn(cx);
        self.phase = Phase::Opening(op);
        cx.hold(op);
    }

    /// Starts the program on the conversation.
    pub(crate) fn spawn(&mut self, cx: &mut Cx) {
        let mut holes = vec![];
        let mut hole = |name: &str, value: Option<String>| holes.extend(value.map(|value| (name.to_owned(), value)));
        hole("model", self.settings.model.clone());
        // A mode that only an operator's own arguments can give is not asked for: they are there at each start.
        hole("mode", self.settings.mode.clone().filter(|mode| Settings::check("mode", mode).is_ok()));
        hole("max-turns", self.options.max_turns.map(|turns| turns.to_string()));
        match &self.thread.from {
            Some(from) => holes.extend(from.holes()),
            None => hole("session", Some(self.thread.id.clone())),
        }
        self.channel = cx.spawn("main", holes);
    }

    /// The program runs: the handshake.
    pub(crate) fn initialize(&mut self, cx: &mut Cx) {
        self.ask(cx, json!({"subtype": "initialize", "hooks": null}), Control::Initialize);
    }

    pub(crate) fn initialized(&mut self, cx: &mut Cx, reply: Initialized) {
        let Phase::Opening(op) = self.phase else { return };
        self.phase = Phase::Ready;
        self.settings.offer(reply.models);
        if let Some(mode) = &reply.current_permission_mode {
            self.settings.set("mode", mode);
        }
        let thread = self.to_thread(ThreadState::Idle);
        match self.thread.rewinding.take() {
            None => cx.done(op, OpValue::Thread(thread)),
            Some(Rewinding { refused: Some(fault), .. }) => cx.fail(op, fault),
            Some(_) => {
                cx.done(op, OpValue::Thread(thread));
                cx.event(EventBody::Context(ContextChange::new(ContextEffect::Rewound)));
            }
        }
        self.negotiate(cx, reply.claude_code_version);
        cx.event(EventBody::Settings(self.settings.to_settings()));
        let named = |kind: &str, name: String, description: String, hint: Option<String>| SlashCommand {
            name,
            description,
            hint,
            extra: vec![("kind".to_owned(), kind.to_owned())],
        };
        let commands = reply.commands.into_iter().map(|command| {
            let hint = Some(command.argument_hint).filter(|hint| !hint.is_empty());
            named("command", command.name, command.description, hint)
        });
        let agents = reply.agents.into_iter().map(|agent| named("agent", agent.name, agent.description, None));
        cx.event(EventBody::SlashCommands(commands.chain(agents).collect()));
        if let Some(account) = reply.account {
            let source =
                [account.api_key_source, account.token_source].into_iter().flatten().find(|source| source != "none");
            cx.event(EventBody::Account(Account {
                logged_in: None,
                label: account.email.or(account.organization).or(source),
                plan: account.subscription_type,
                limits: vec![],
                extra: vec![],
            }));
        }
        self.give_servers(cx);
    }

    /// What the version can do, told once per version. One that does not tell itself in the handshake is an older one.
    pub(crate) fn negotiate(&mut self, cx: &mut Cx, version: Option<String>) {
        if self.revision == 0 || (version.is_some() && self.version != version) {
            self.version = version.clone();
            self.revision += 1;
            self.selects_tools = capabilities::selects_tools(version.as_deref());
            cx.negotiated(capabilities::for_version(version, self.revision));
        }
    }

    /// The thread cannot be opened.
    pub(crate) fn opening_failed(&mut self, cx: &mut Cx, fault: Fault) {
        let Phase::Opening(op) = self.phase else { return };
        if self.returns(op, &fault) {
            return self.hang_up(cx);
        }
        self.phase = Phase::Ended;
        let fault = match self.thread.rewinding.take() {
            Some(Rewinding { before, refused }) => {
                // It is on disk as it was, and no program has it open.
                self.thread = Conversation::of(before);
                cx.event(EventBody::Threads(vec![self.to_thread(ThreadState::Closed)]));
                refused.unwrap_or(fault)
            }
            None => fault,
        };
        // There is no such thread, or it was told already: nothing more is said of it.
        self.thread = Conversation::default();
        cx.fail(op, fault);
    }

    /// The first frame of a turn came: the session will be on disk soon.
    pub(crate) fn will_be_stored(&mut self, cx: &mut Cx) {
        // One that was cut back or copied can be opened from its cursor as it is: for that, only what is sure counts.
        if !self.thread.stored && self.thread.from.is_none() && self.thread.timer == 0 {
            self.thread.timer = cx.timer(STORED_AFTER_MS);
        }
    }

    /// The session is on disk: from now on it can be resumed.
    pub(crate) fn stored(&mut self, cx: &mut Cx) {
        if self.thread.stored {
            return;
        }
        self.thread.stored = true;
        let state = if self.turns.is_open() { ThreadState::Active } else { ThreadState::Idle };
        cx.event(EventBody::Threads(vec![self.to_thread(state)]));
    }

    /// The program tells the session's id at every turn. Another id than ours is a new name of the same conversation.
    pub(crate) fn renamed(&mut self, cx: &mut Cx, id: &str) {
        if self.thread.id != id {
            let cleared = self.turns.clears();
            let fresh =
                Conversation { id: id.to_owned(), stored: cleared || self.thread.stored, ..Conversation::default() };
            let old = std::mem::replace(&mut self.thread, fresh).id;
            cx.event(EventBody::Threads(vec![Thread { replaces: Some(old), ..self.to_thread(ThreadState::Active) }]));
            if cleared {
                self.turns.mark = None;
                cx.event(EventBody::Context(ContextChange::new(ContextEffect::Cleared)));
            }
        }
    }
}

impl Conversation {
    /// What a cursor opens.
    pub(crate) fn of(from: Cursor) -> Self {
        // Only a whole session is on disk just as it is opened.
        let stored = from == Cursor::whole(from.session.as_str());
        Conversation { id: from.id().to_owned(), stored, from: Some(from), ..Conversation::default() }
    }
}

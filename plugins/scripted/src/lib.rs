//! A provider without a provider: it plays a script that the words of the prompt choose, paced by timers.
//!
//! For the first success without a key, a network or a CLI, and for tests that need every kind of event. It is deterministic and says
//! that it is a demonstration. With the option `table` it plays a table instead (`table.rs`). **It starts nothing and touches nothing: its "command" is only told.** Tests: `tests/script.rs`.

mod capabilities;
mod script;
mod settings;
mod stage;
mod table;

use jackfield_sdk::prelude::*;

use settings::Settings;
use stage::Stage;
use table::Table;

/// The plugin.
#[derive(Debug, Default)]
pub struct Scripted {
    thread: Option<Conversation>,
    settings: Settings,
    stage: Stage,
    /// A table of inputs and outputs in place of the scripts.
    table: Option<Table>,
}

/// The one conversation of a session.
#[derive(Debug)]
struct Conversation {
    id: String,
    turns: u32,
}

impl Conversation {
    /// A cursor is all that a resume needs: the id and how many turns there were.
    fn cursor(&self) -> String {
        format!("scripted/{}/{}", self.id, self.turns)
    }

    fn resume(cursor: &str) -> Option<Self> {
        let (id, turns) = cursor.strip_prefix("scripted/")?.rsplit_once('/')?;
        (!id.is_empty()).then_some(())?;
        Some(Conversation { id: id.to_owned(), turns: turns.parse().ok()? })
    }

    fn to_thread(&self, state: ThreadState) -> Thread {
        Thread { cursor: Some(self.cursor()), ..Thread::new(&self.id, state) }
    }
}

impl Provider for Scripted {
    fn describe() -> Descriptor {
        Descriptor::new("scripted", "Scripted demonstration")
            .with_declared(capabilities::declared())
            .with_settings(Settings::default().to_settings())
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        let op = command.op;
        if matches!(command.body, CommandBody::Start(_)) {
            let options = cx.options().unwrap_or_default();
            self.table = Table::of(&options);
            if let Some(set) = Table::capabilities(&options) {
                cx.negotiated(set);
            }
        }
        if let Some(table) = &mut self.table {
            return table.command(cx, &command);
        }
        match command.body {
            CommandBody::Start(start) => match self.settings.choose(&start.selection) {
                Ok(()) => cx.done(op, OpValue::Accepted),
                Err(fault) => cx.fail(op, fault),
            },
            CommandBody::OpenThread(open) => self.open(cx, op, &open),
            CommandBody::SendRun(message) => self.send(cx, op, &message),
            CommandBody::Interrupt(interrupt) => self.stage.interrupt(cx, op, interrupt.turn.as_deref()),
            CommandBody::Respond(answer) => self.stage.respond(cx, op, &answer),
            CommandBody::SetSelection(pairs) => match self.settings.choose(&pairs) {
                Ok(()) => {
                    cx.done(op, OpValue::Applied(Applies::Now));
                    cx.event(EventBody::Settings(self.settings.to_settings()));
                }
                Err(fault) => cx.fail(op, fault),
            },
            CommandBody::ListSettings => cx.done(op, OpValue::Settings(self.settings.to_settings())),
            CommandBody::ListFolders => cx.done(op, OpValue::Folders(vec![])),
            CommandBody::ListThreads(_) => cx.done(op, OpValue::Threads(ThreadList { threads: vec![], next: None })),
            CommandBody::CloseThread => {
                self.stage.clear(cx);
                self.thread = None;
                cx.done(op, OpValue::Accepted);
            }
            _ => {}
        }
    }

    fn timer(&mut self, cx: &mut Cx, timer: u32) {
        if let Some(table) = &mut self.table {
            return table.timer(cx, timer);
        }
        self.stage.timer(cx, timer);
        if !self.stage.is_open() {
            self.idle(cx);
        }
    }
}

impl Scripted {
    fn open(&mut self, cx: &mut Cx, op: u32, open: &OpenThread) {
        let conversation = match &open.cursor {
            None => Conversation { id: cx.uuid(), turns: 0 },
            Some(cursor) => match Conversation::resume(cursor) {
                Some(conversation) => conversation,
                None => {
                    return cx.fail(
                        op,
                        Fault::new(FaultKind::NotFound, format!("`{cursor}` is no cursor of this demonstration.")),
                    );
                }
            },
        };
        if let Err(fault) = self.settings.choose(&open.selection) {
            return cx.fail(op, fault);
        }
        cx.done(op, OpValue::Thread(conversation.to_thread(ThreadState::Idle)));
        cx.event(EventBody::Settings(self.settings.to_settings()));
        cx.event(EventBody::SlashCommands(vec![]));
        let text = match conversation.turns {
            0 => "This is a demonstration: a script answers, no model. Say `help` to see what it can show.".to_owned(),
            turns => format!(
                "This is a demonstration: a script answers, no model. The conversation goes on after {turns} turns."
            ),
        };
        cx.event(EventBody::Note(Note::new(Level::Info, "demonstration", text)));
        self.thread = Some(conversation);
    }

    fn send(&mut self, cx: &mut Cx, op: u32, message: &Message) {
        let Some(conversation) = &mut self.thread else {
            return cx.fail(op, Fault::new(FaultKind::NotFound, "No thread is open. Open one first."));
        };
        if self.stage.is_open() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "A turn is open. Wait for its end, or interrupt it."));
        }
        if let Err(fault) = self.settings.choose(&message.selection) {
            return cx.fail(op, fault);
        }
        conversation.turns += 1;
        let turn = format!("turn-{}", conversation.turns);
        let thread = conversation.to_thread(ThreadState::Active);
        cx.done(op, OpValue::Delivered(Delivery { how: Delivered::OpenedTurn, turn: Some(turn.clone()) }));
        cx.event(EventBody::Threads(vec![thread]));
        let script = script::write(&message.text(), conversation.turns, self.settings.asks());
        self.stage.begin(cx, op, turn, script);
    }

    /// After a turn: the cursor knows it, the thread takes the next message.
    fn idle(&self, cx: &mut Cx) {
        if let Some(conversation) = &self.thread {
            cx.event(EventBody::Threads(vec![conversation.to_thread(ThreadState::Idle)]));
        }
    }
}

jackfield_sdk::plugin!(Scripted);

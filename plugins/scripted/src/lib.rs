//! A provider without a provider: it plays a script that the words of the prompt choose, paced by timers.
//!
//! For the first success without a key, a network or a CLI, and for tests that need every kind of event. It is deterministic and says
//! that it is a demonstration. With the option `table` it plays a table instead (`table.rs`). **It starts nothing and touches nothing: its "command" is only told.** Tests: `tests/script.rs`.

mod capabilities;
mod operations;
mod script;
mod settings;
mod stage;
mod table;

use std::collections::VecDeque;

use jackfield_sdk::prelude::*;

use operations::Watcher;
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
    /// Messages that wait for the open turn's end.
    behind: VecDeque<Behind>,
    servers: Vec<McpServer>,
    watcher: Option<Watcher>,
}

/// A message that came during a turn and opens the next one.
#[derive(Debug)]
struct Behind {
    op: u32,
    /// The turn will say whose it is.
    named: bool,
    message: Message,
}

/// The one conversation of a session.
#[derive(Debug)]
struct Conversation {
    id: String,
    /// Those that it remembers.
    turns: u32,
    /// Those that there ever were: what is gone lends its id to no other turn.
    made: u32,
}

impl Conversation {
    /// A cursor is all that a resume needs: the id and how many turns it remembers, and how many there were.
    fn cursor(&self) -> String {
        format!("scripted/{}/{}/{}", self.id, self.turns, self.made)
    }

    fn resume(cursor: &str) -> Option<Self> {
        let mut parts = cursor.strip_prefix("scripted/")?.split('/');
        let id = parts.next().filter(|id| !id.is_empty())?.to_owned();
        let turns = parts.next()?.parse().ok()?;
        // Cursors of older builds have no third part.
        let made = parts.next().map_or(Some(turns), |made| made.parse().ok())?;
        parts.next().is_none().then_some(Conversation { id, turns, made })
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
            CommandBody::SteerRun(message) => self.steer(cx, op, &message),
            CommandBody::Interrupt(interrupt) => {
                self.stage.interrupt(cx, op, interrupt.turn.as_deref());
                if !self.stage.is_open() {
                    self.next(cx);
                }
            }
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
                self.behind.clear();
                self.watcher = None;
                self.thread = None;
                cx.done(op, OpValue::Accepted);
            }
            body => {
                self.operate(cx, op, body);
            }
        }
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        match (&mut self.table, &result.outcome) {
            (Some(table), _) => table.effect_done(cx, &result),
            (None, Err(fault)) => cx.end_session(fault.clone()),
            (None, Ok(_)) => {}
        }
    }

    fn timer(&mut self, cx: &mut Cx, timer: u32) {
        if let Some(table) = &mut self.table {
            return table.timer(cx, timer);
        }
        self.stage.timer(cx, timer);
        if !self.stage.is_open() {
            self.idle(cx);
            self.next(cx);
        }
    }
}

impl Scripted {
    fn open(&mut self, cx: &mut Cx, op: u32, open: &OpenThread) {
        let conversation = match &open.cursor {
            None => Conversation { id: cx.uuid(), turns: 0, made: 0 },
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
        let turn = Some(format!("turn-{}", conversation.made + 1));
        cx.done(op, OpValue::Delivered(Delivery { how: Delivered::OpenedTurn, turn }));
        self.begin(cx, Some(op), message);
    }

    fn begin(&mut self, cx: &mut Cx, op: Option<u32>, message: &Message) {
        let Some(conversation) = &mut self.thread else { return };
        conversation.turns += 1;
        conversation.made += 1;
        let number = conversation.made;
        let turn = format!("turn-{number}");
        cx.event(EventBody::Threads(vec![conversation.to_thread(ThreadState::Active)]));
        let text = message.text();
        let script = script::write(&text, number, self.settings.asks(), &operations::told(message, &self.servers));
        self.stage.begin(cx, op, turn, script);
        if script::chooses(&text, "background") {
            self.watch(cx, number);
        }
    }

    /// A message into the open turn. Its words choose what becomes of it: as any provider may, it takes the message in, lets
    /// it wait (`behind`), drops it (`late`), or does not tell which (`untold`).
    fn steer(&mut self, cx: &mut Cx, op: u32, message: &Message) {
        let text = message.text();
        let says = |word: &str| text.split_whitespace().any(|said| said == word);
        if !self.stage.is_open() {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The turn has ended."));
        }
        let told = !says("untold");
        let how = match () {
            () if says("late") => Delivered::Stale,
            () if !told => Delivered::Unknown,
            () if says("behind") => Delivered::Queued,
            () => Delivered::JoinedTurn,
        };
        cx.done(op, OpValue::Delivered(Delivery::new(how)));
        if says("behind") {
            self.behind.push_back(Behind { op, named: told, message: message.clone() });
        } else if how != Delivered::Stale {
            self.stage.take_in(cx, op, &text);
        }
    }

    fn next(&mut self, cx: &mut Cx) {
        if let Some(Behind { op, named, message }) = self.behind.pop_front() {
            self.begin(cx, named.then_some(op), &message);
        }
    }

    /// After a turn: the cursor knows it, the thread takes the next message.
    fn idle(&self, cx: &mut Cx) {
        if let Some(conversation) = &self.thread {
            cx.event(EventBody::Threads(vec![conversation.to_thread(ThreadState::Idle)]));
        }
    }
}

jackfield_sdk::plugin!(Scripted);

//! Going back in a conversation, and copies of it.
//!
//! Every message of the program has a uuid, and `--resume-session-at` opens a conversation up to there. A copy is only a cursor until
//! it is opened, and it names the message that it ends with: **what is said in the original later never leaks into it**. To go back,
//! the program ends and starts again; if the point is not there, it starts again where it was. Measured: copies keep the uuids; any message
//! of the conversation is a point, a tool's result and the marker of an interrupt, too, but what was compacted away is none any more. Tests: `tests/branches.rs`.

use jackfield_sdk::prelude::*;

use crate::control::Controls;
use crate::cursor::Cursor;
use crate::fault;
use crate::message::Messages;
use crate::session::{ClaudeCode, Conversation, Phase, Rewinding};
use crate::stream::Streams;
use crate::task::Tasks;
use crate::todo::Todos;
use crate::turn::Turns;

impl ClaudeCode {
    /// The command `fork-thread`.
    pub(crate) fn fork(&mut self, cx: &mut Cx, op: u32, point: &Point) {
        let at = match self.not_ready().map_or_else(|| self.place(point), Err) {
            Ok(at) => at,
            Err(fault) => return cx.fail(op, fault),
        };
        let copy = cx.uuid();
        let cursor = Cursor { copy: Some(copy.clone()), ..at }.write();
        let parent = Some(self.thread.id.clone());
        cx.done(op, OpValue::Thread(Thread { cursor: Some(cursor), parent, ..Thread::new(copy, ThreadState::Stored) }));
    }

    /// The command `rollback-thread`.
    pub(crate) fn rollback(&mut self, cx: &mut Cx, op: u32, point: &Point) {
        let at = match self.not_ready().map_or_else(|| self.place(point), Err) {
            Ok(at) => at,
            Err(fault) => return cx.fail(op, fault),
        };
        if self.turns.has_work() || self.tasks.in_background() {
            let text = "Something is at work in the thread. Wait for its end, or stop it, and go back then.";
            return cx.fail(op, Fault::new(FaultKind::Conflict, text));
        }
        // A copy that the program has not made yet is made from the earlier point.
        let copy = self.thread.from.as_ref().filter(|_| !self.thread.stored).and_then(|from| from.copy.clone());
        let before = match self.to_thread(ThreadState::Idle).cursor {
            Some(cursor) => Cursor::read(&cursor),
            None => Cursor::whole(self.thread.id.as_str()),
        };
        let rewinding = Some(Rewinding { before, refused: None });
        self.thread = Conversation { rewinding, ..Conversation::of(Cursor { copy, ..at }) };
        self.phase = Phase::Restarting(op);
        self.hang_up(cx);
        cx.hold(op);
    }

    /// Where a point is: in the session on disk, or in what the conversation was opened from while nothing more is on disk.
    fn place(&self, point: &Point) -> Result<Cursor, Fault> {
        let source = self.thread.from.as_ref().filter(|_| !self.thread.stored);
        let last = || self.turns.mark.clone().or_else(|| source.and_then(|from| from.at.clone()));
        let at = match (&point.mark, point.turns_after) {
            (Some(mark), _) => Some(mark.clone()),
            // An item without a resume point is no message of its own: the end of its turn is another place.
            (None, 0) if point.item.is_none() => last(),
            (None, _) => None,
        };
        let Some(at) = at else {
            let text = "The program goes back to a message, by its resume point, and none is known here. Give the mark of a \
                        turn; to go back before the first one, open a new thread.";
            return Err(Fault::new(FaultKind::Invalid, text));
        };
        let session = source.map_or_else(|| self.thread.id.clone(), |from| from.session.clone());
        Ok(Cursor { at: Some(at), ..Cursor::whole(session) })
    }

    /// The program ended and is to start again: the command that waits for it.
    pub(crate) fn starts_again(&mut self, exit: &ChannelExit) -> Option<u32> {
        match (&self.phase, &self.thread.from) {
            (Phase::Restarting(op), _) => Some(*op),
            // The copy was made before, and we were gone before it was told: it is a session like any other.
            (Phase::Opening(op), Some(Cursor { copy: Some(copy), .. })) if fault::in_use(&exit.stderr_tail) => {
                let op = *op;
                let rewinding = self.thread.rewinding.take();
                self.thread = Conversation { rewinding, ..Conversation::of(Cursor::whole(copy.as_str())) };
                Some(op)
            }
            (Phase::Opening(op), _) => {
                let op = *op;
                self.returns(op, &fault::of_exit(exit)).then_some(op)
            }
            _ => None,
        }
    }

    /// The conversation could not go back: once the program has ended, it is opened as it was, and only then the command fails.
    /// False when there is nothing to return to.
    pub(crate) fn returns(&mut self, op: u32, fault: &Fault) -> bool {
        let Some(Rewinding { before, refused: None }) = &self.thread.rewinding else { return false };
        let before = before.clone();
        let rewinding = Some(Rewinding { before: before.clone(), refused: Some(fault.clone()) });
        self.thread = Conversation { rewinding, ..Conversation::of(before) };
        self.phase = Phase::Restarting(op);
        true
    }

    /// Starts the program again, with nothing left of the one that ended.
    pub(crate) fn start_again(&mut self, cx: &mut Cx, op: u32) {
        self.writes.clear();
        self.controls = Controls::default();
        self.streams = Streams::default();
        self.messages = Messages::default();
        self.tasks = Tasks::default();
        self.todos = Todos::default();
        self.turns = Turns::default();
        self.turns.mark = self.thread.from.as_ref().and_then(|from| from.at.clone());
        self.spawn(cx);
        self.phase = Phase::Opening(op);
    }
}

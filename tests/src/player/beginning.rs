//! How a start of the program comes about in our host: in a new thread, in one that is resumed, in a copy of one, or in one that
//! goes back. Each is what a client of ours would ask for; where there is no such thing, the argument is left out, by its kind.

use super::house::stored;
use super::plan::Incarnation;
use super::seen::{Conversation, Play};
use anyhow::Result;
use jackfield_core::id::TurnId;
use jackfield_core::projection::Snapshot;
use jackfield_runtime::host::Host;
use jackfield_runtime::thread::ForkAt;

/// What is done before the first message; the number is that of the conversation.
#[derive(Debug, PartialEq)]
pub(super) enum Beginning {
    New,
    Resume(usize),
    Copy(usize, ForkAt),
    Back(usize, TurnId),
}

/// A conversation from before the recording.
const NOT_RECORDED: &str = "start/--resume/not-recorded";
/// A conversation that the program had not saved, as far as the host knows: it begins afresh.
const NOT_SAVED: &str = "start/--resume/not-saved";
/// A message that ends no turn.
const IN_A_TURN: &str = "start/--resume-session-at/in-a-turn";

/// How this start begins.
pub(super) async fn beginning(host: &Host, play: &Play, incarnation: &mut Incarnation) -> Result<Beginning> {
    let start = &mut incarnation.start;
    let source = match (&start.resume, start.latest) {
        // One that the program does not know either is asked of the first.
        (Some(id), _) => play.conversations.iter().position(|one| one.names.contains(id)).or(Some(0)),
        (None, true) => play.latest,
        (None, false) => return Ok(Beginning::New),
    };
    let Some((at, source)) = source.and_then(|at| Some((at, play.conversations.get(at)?))) else {
        start.not_ours.push(NOT_RECORDED.into());
        return Ok(Beginning::New);
    };
    let snapshot = Snapshot::of(&stored(host, &source.thread).await?);
    if !snapshot.resumable {
        start.not_ours.push(NOT_SAVED.into());
        return Ok(if start.fork { Beginning::New } else { Beginning::Resume(at) });
    }
    let turn = start.at.as_ref().and_then(|mark| {
        let marked = |turn: &&jackfield_core::projection::Turn| {
            !turn.rolled_back && [&turn.mark, &turn.native_id].contains(&&Some(mark.clone()))
        };
        snapshot.turns.iter().find(marked).map(|turn| turn.id.clone())
    });
    if start.at.is_some() && turn.is_none() {
        start.not_ours.push(IN_A_TURN.into());
    }
    Ok(match (start.fork, turn) {
        (true, turn) => Beginning::Copy(at, turn.map_or(ForkAt::Tip, ForkAt::Turn)),
        (false, Some(turn)) => Beginning::Back(at, turn),
        (false, None) => Beginning::Resume(at),
    })
}

impl Conversation {
    /// How many sessions it had.
    pub(super) async fn sessions(&self, host: &Host) -> Result<usize> {
        use jackfield_core::event::EventBody::SessionStarted;
        let events = stored(host, &self.thread).await?;
        Ok(events.iter().filter(|event| matches!(event.draft.body, SessionStarted { .. })).count())
    }
}

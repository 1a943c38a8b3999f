//! What the driver does at a step of the player: the host's command that stands for the client's line.

use super::dialect::{Asked, Cut, Way};
use super::drive::Seat;
use super::plan::What;
use super::reply::reply;
use super::stage::ToPlayer;
use super::{drive::tell, seen::every};
use anyhow::{Context, Result};
use jackfield_core::event::{EventBody, Request};
use jackfield_core::id::{TaskId, TurnId};
use jackfield_core::projection::{Snapshot, Turn};
use jackfield_runtime::thread::{Delivery, Thread};
use tokio::net::unix::OwnedWriteHalf;

impl Seat {
    pub(super) async fn act(
        &mut self,
        thread: &Thread,
        player: &mut OwnedWriteHalf,
        step: usize,
        what: What,
    ) -> Result<()> {
        match what {
            What::Wait(Asked::Message { content }) if Some(step) != self.first => {
                let Way { selection, behind } = self.dialect.way(&self.sitting.incarnation.steps[step].line);
                if !selection.is_empty() {
                    thread.select(selection).await?;
                }
                thread.send_as(content, if behind { Delivery::Queue } else { Delivery::Auto }).await?;
            }
            What::Into(Asked::Message { content }) => _ = thread.send_as(content, Delivery::Auto).await?,
            What::Wait(Asked::Message { content }) if self.before.is_some() => {
                let before = self.before.take().context("what comes before it")?;
                before.await.context("nobody goes back")??;
                thread.send(content).await?;
            }
            What::Wait(Asked::Back(cut)) => {
                let to = turn_before(&Snapshot::of(&every(thread).await?), &cut)?;
                thread.rollback(to.as_ref()).await?;
            }
            What::Wait(Asked::Compact(keep)) => thread.compact(&keep).await?,
            What::Wait(Asked::Answer { request, answer }) => {
                let open = self.request(&request).with_context(|| format!("request {request} was never shown"))?;
                let reply = reply(&open, answer).with_context(|| format!("request {request} offers no such answer"))?;
                thread.answer(open.id, reply, "user").await?;
            }
            What::Wait(Asked::Interrupt) => thread.interrupt().await?,
            What::Wait(Asked::Select(pairs)) => thread.select(pairs).await?,
            What::Wait(Asked::Servers(servers)) => _ = thread.set_mcp_servers(servers).await?,
            What::Wait(Asked::StopTask(task)) => {
                let id = self.task(&task).with_context(|| format!("task {task} was never shown"))?;
                thread.stop_task(&id).await?;
            }
            What::HangUp => {
                if let Some(before) = self.before.take() {
                    // A start without a message has done what it does.
                    _ = before.await;
                }
                self.sitting.ended_by_us = Some(self.sitting.said.len());
                thread.close().await?;
            }
            What::Killed => {
                // One that was hung up on before owes nothing that it said since.
                self.sitting.ended_by_us.get_or_insert(self.sitting.said.len());
                thread.kill().await?;
            }
            What::Exit(_) => tell(player, &ToPlayer::Go).await,
            What::Say if self.dialect.is_raw() => tell(player, &ToPlayer::Go).await,
            What::Wait(_) | What::Before(_) | What::Say | What::Complain | What::Unread(_) => {}
            What::Into(_) | What::Follows(_) | What::SaidBefore | What::Opens => {}
            What::LeaveOut(_) | What::Hold => {}
        }
        Ok(())
    }

    /// Our request that stands for the program's: the one that its frame opened.
    fn request(&self, native: &str) -> Option<Request> {
        self.live.iter().rev().find_map(|event| {
            let EventBody::RequestOpened { request } = &event.draft.body else { return None };
            let number = event.draft.origin.frame?;
            let frame = self.sitting.frames.iter().find(|frame| frame.number == number)?;
            (self.dialect.requested(&frame.raw)?.id == native).then(|| request.clone())
        })
    }

    /// Our task that stands for the program's: a frame told of both.
    fn task(&self, native: &str) -> Option<TaskId> {
        self.live.iter().find_map(|event| {
            let EventBody::TaskUpdated { task } = &event.draft.body else { return None };
            let number = event.draft.origin.frame?;
            let frame = self.sitting.frames.iter().find(|frame| frame.number == number)?;
            self.dialect.tells_of_task(&frame.raw, native).then(|| task.id.clone())
        })
    }
}

/// The last turn that stays, of a conversation that is cut here; none when nothing stays.
fn turn_before(snapshot: &Snapshot, cut: &Cut) -> Result<Option<TurnId>> {
    let turns: Vec<&Turn> = snapshot.turns.iter().filter(|turn| !turn.rolled_back).collect();
    let at = match cut {
        Cut::Turns(count) => turns.len().checked_sub(*count).context("it has fewer turns")?,
        Cut::Before(id) => {
            let is_it = |turn: &&Turn| turn.native_id.as_ref() == Some(id);
            turns.iter().position(is_it).with_context(|| format!("turn {id} was never shown"))?
        }
    };
    Ok(at.checked_sub(1).map(|last| turns[last].id.clone()))
}

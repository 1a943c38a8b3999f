//! Which sessions live, and what each was begun with: a thread that would begin the same may have a seat there instead.
//!
//! **Only what was begun with all the same is shared**: the plugin's digest, the folder, and everything of the instance. Whether the
//! provider serves several threads is the policy's to say, with what the session can do; it is asked in the session itself. Where it does
//! not, each thread has a session of its own, which loses nothing and is not announced.

use super::ask::NewRun;
use super::handle::SessionHandle;
use super::seat::{Newcomer, SeatStart};
use super::{SessionStart, Shared};
use jackfield_sandbox::CallError;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc, oneshot};

/// The sessions of a host.
#[derive(Default)]
pub(crate) struct Registry {
    lives: Mutex<Vec<Lives>>,
}

struct Lives {
    start: SessionStart,
    door: mpsc::WeakSender<Newcomer>,
}

impl Shared {
    /// A seat for this thread: on a session that lives, or on a new one.
    pub(crate) async fn seat(
        self: &Arc<Self>,
        start: SessionStart,
        seat: SeatStart,
        first: Vec<NewRun>,
    ) -> Result<SessionHandle, CallError> {
        let mut asked: Vec<mpsc::Sender<Newcomer>> = Vec::new();
        loop {
            let mut lives = self.sessions.lives.lock().await;
            lives.retain(|one| one.door.upgrade().is_some_and(|door| !door.is_closed()));
            let alike = lives.iter().filter(|one| one.start.is_alike(&start)).filter_map(|one| one.door.upgrade());
            let next = alike.into_iter().find(|door| asked.iter().all(|other| !other.same_channel(door)));
            let Some(door) = next else {
                // Held over the start: two threads that begin at once find one another.
                let handle = SessionHandle::start(start.clone(), seat, self.clone(), first).await?;
                lives.push(Lives { start, door: handle.door() });
                return Ok(handle);
            };
            drop(lives);
            if let Some(handle) = ask(&door, seat.clone(), first.clone()).await {
                return Ok(handle);
            }
            asked.push(door);
        }
    }
}

/// Asks a session for a seat; none when it serves no other thread, or is about to end.
async fn ask(door: &mpsc::Sender<Newcomer>, start: SeatStart, first: Vec<NewRun>) -> Option<SessionHandle> {
    let (seated, answer) = oneshot::channel();
    let newcomer = Newcomer { start, first, door: door.clone(), seated };
    door.send(newcomer).await.ok()?;
    answer.await.ok().flatten()
}

impl SessionStart {
    /// True when a thread that begins this has nothing to tell it from the other.
    fn is_alike(&self, other: &SessionStart) -> bool {
        self.role == other.role
            && self.generation.digest() == other.generation.digest()
            && self.bundled == other.bundled
            && self.folder == other.folder
            && self.instance == other.instance
    }
}

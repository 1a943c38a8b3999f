//! Threads that are let in while others work, and let go of while others work on.
//!
//! **Who leaves takes nothing along that is another's**: its turn is stopped, its thread is let go of by `close-thread`, what is open in
//! it closes; the session goes on, and ends with the last one. Tests: `tests/tests/seats.rs`.

use super::ask::Ask;
use super::ops::Purpose;
use super::outlet::fault;
use super::seat::{Newcomer, Seat, SeatStart, Stage};
use super::task::{Phase, Task};
use jackfield_core::contract::{CommandBody, Fault, FaultKind};
use jackfield_core::event::{EventBody, SessionEnd};
use jackfield_core::id::{SessionId, ThreadId};
use jackfield_core::normalizer::{SessionEnded, SessionScope};
use jackfield_core::policy::{Decision, Intent};
use std::future::poll_fn;
use std::task::Poll;

/// What is asked next through any seat, each in its turn; nothing, when nobody holds that seat any more.
pub(super) async fn next_ask(seats: &mut [Seat], heard: &mut usize) -> (usize, Option<Ask>) {
    poll_fn(|cx| {
        for after in 1..=seats.len() {
            let at = (*heard + after) % seats.len();
            let seat = &mut seats[at];
            if seat.is_free() || !seat.listens {
                continue;
            }
            if let Poll::Ready(ask) = seat.inbox.poll_recv(cx) {
                seat.listens = ask.is_some();
                *heard = at;
                return Poll::Ready((at, ask));
            }
        }
        Poll::Pending
    })
    .await
}

impl Task {
    /// The seats that somebody has.
    pub(super) fn seated(&self) -> Vec<usize> {
        (0..self.seats.len()).filter(|at| !self.seats[*at].is_free()).collect()
    }

    /// The seat of this thread.
    pub(super) fn seat_of(&self, thread: &ThreadId) -> Option<usize> {
        self.seats.iter().position(|seat| !seat.is_free() && seat.thread() == thread)
    }

    /// True when no other thread stays in the session.
    pub(super) fn is_last(&self, at: usize) -> bool {
        self.seats.iter().enumerate().all(|(other, seat)| other == at || !seat.stays())
    }

    pub(super) fn scope_of(&self, start: &SeatStart) -> SessionScope {
        SessionScope {
            instance: self.start.instance.name.clone(),
            session: start.session.clone(),
            epoch: start.epoch,
            thread: start.log.thread().clone(),
        }
    }

    /// Lets those in who asked for a seat, once it is known whether the session serves more than one thread.
    pub(super) async fn let_in(&mut self) {
        for newcomer in std::mem::take(&mut self.waiting_room) {
            let serves = self.decides(Intent::ShareSession) == Decision::Native;
            let ends = self.ending.is_some() || matches!(self.phase, Phase::Closing | Phase::Ended);
            match self.phase {
                Phase::Starting if serves && !ends => self.waiting_room.push(newcomer),
                _ if serves && !ends && self.has_room(&newcomer) => self.sit(newcomer).await,
                // It begins a session of its own.
                _ => drop(newcomer.seated.send(None)),
            }
        }
    }

    fn has_room(&self, newcomer: &Newcomer) -> bool {
        let seated = self.seated();
        let room = (seated.len() as u64) < self.shared.limits.session_threads;
        let stays = seated.iter().any(|at| self.seats[*at].stays());
        room && stays && !self.altered && !self.journal.is_full() && self.seat_of(newcomer.start.log.thread()).is_none()
    }

    async fn sit(&mut self, newcomer: Newcomer) {
        let Newcomer { start, first, door, seated } = newcomer;
        let thread = start.log.thread().clone();
        let handle = self.seat_for(start, first, door);
        let Some(at) = self.seat_of(&thread) else { return };
        self.note("share", "share-session", serde_json::json!({ "thread": thread, "seats": self.seated().len() }));
        self.take_up(at).await;
        let view = self.view.borrow().clone();
        if let Some(capabilities) = view {
            self.say(at, None, EventBody::CapabilitiesUpdated { capabilities }).await;
        }
        // Nobody may wait any more.
        if seated.send(Some(handle)).is_ok() {
            self.open_thread(at).await;
        }
    }

    /// A thread is let go of. The last one ends the session.
    pub(super) async fn leave(&mut self, at: usize, end: SessionEnd) {
        self.leave_with(at, SessionEnded::new(end, None)).await;
    }

    pub(super) async fn leave_with(&mut self, at: usize, ended: SessionEnded) {
        if !self.seats[at].stays() {
            return;
        }
        if self.is_last(at) {
            return self.close(ended.end, ended.fault).await;
        }
        self.seats[at].stage = Stage::Leaving(Box::new(ended));
        self.stop_for_good(at).await;
        // Its last step would end the session for those who stay.
        if let Some(active) = &mut self.seats[at].active {
            active.ladder = None;
        }
        let Some(native) = self.seats[at].native.clone() else { return self.left(at).await };
        let session = self.seats[at].start.session.clone();
        let (purpose, deadline) = (Purpose::CloseThread(session), self.after(self.shared.limits.command_ms));
        Box::pin(self.command(at, purpose, Some(native), CommandBody::CloseThread, deadline)).await;
    }

    /// The thread is let go of at once: what the provider answers is not waited for.
    pub(super) async fn leave_now(&mut self, at: usize) {
        self.leave(at, SessionEnd::Closed).await;
        self.left(at).await;
    }

    /// A turn of a thread that is let go of must not go on unseen.
    async fn stop_for_good(&mut self, at: usize) {
        let thread = self.seats[at].thread().clone();
        let at_work = self.seats[at].active.is_some() || self.normalizer.is_at_work(&thread);
        if !at_work || self.decides(Intent::Interrupt) != Decision::Native {
            return;
        }
        if let Some(run) = self.seats[at].run() {
            self.normalizer.interrupting(&run);
        }
        let turn = self.normalizer.open_turn(&thread).map(str::to_owned);
        self.interrupt_unheard(at, turn, false).await;
    }

    /// The answer to `close-thread`, or none in time.
    pub(super) async fn let_go(&mut self, at: usize, session: &SessionId) {
        if self.seats[at].start.session == *session {
            self.left(at).await;
        }
    }

    /// It is over for this seat.
    pub(super) async fn left(&mut self, at: usize) {
        let Stage::Leaving(ended) = self.seats[at].stage.clone() else { return };
        for pending in self.ops.drain_of(at) {
            super::asks::answer_ended(pending);
        }
        self.end_messages(at, ended.fault.clone()).await;
        self.seats[at].later.clear();
        self.let_go_of_answers(at);
        let thread = self.seats[at].thread().clone();
        let closing = self.normalizer.end_thread(&thread, *ended);
        self.emit(closing).await;
        self.seats[at].active = None;
        self.free(at);
    }

    /// Nobody sits there any more; whoever waits for that end hears of it.
    fn free(&mut self, at: usize) {
        let seat = &mut self.seats[at];
        seat.stage = Stage::Free;
        // It may be taken by others from now on.
        seat.start.lease = None;
        seat.inbox.close();
        while let Ok(ask) = seat.inbox.try_recv() {
            seat.unheard.push(ask);
        }
        self.ends.over(&seat.start.session);
        seat.unheard.clear();
    }

    /// The thread of a later seat could not be opened: that is its own affair.
    pub(super) async fn seat_failed(&mut self, at: usize, fault: Fault) {
        if self.phase == Phase::Starting || self.is_last(at) {
            return self.start_failed(fault);
        }
        self.seats[at].stage = Stage::Leaving(Box::new(SessionEnded::new(SessionEnd::StartFailed, Some(fault))));
        self.left(at).await;
    }

    /// The session serves this thread no better than another program would: it has one of its own from now on.
    pub(super) async fn moves_out(&mut self, at: usize) {
        self.seats[at].goes_on = true;
        self.seats[at].stage = Stage::Leaving(Box::new(SessionEnded::new(SessionEnd::Closed, None)));
        self.left(at).await;
    }

    /// Ends the session in each thread that it serves, for the sake of one.
    pub(super) fn ended_for_one(&self) -> Option<Fault> {
        let many = self.seats.iter().filter(|seat| !seat.is_free()).count() > 1;
        many.then(|| {
            let text = "the session, which served several threads, was ended to stop a turn of one of them; resume the thread to go on";
            fault(FaultKind::Cancelled, text.into())
        })
    }
}

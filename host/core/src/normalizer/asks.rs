//! Requests, as the provider opens and closes them. What may be answered is in `requests`.

use super::item::Kind;
use super::report::{How, Where};
use super::route::Spot;
use super::tasks::Loose;
use super::thread::Slot;
use super::{Normalizer, clean};
use crate::contract::{self, Status, Subject, TextKind};
use crate::event::{EventBody, Request, RequestSubject, Resolution, RunStatus};
use crate::id::{ItemId, RequestId};
use crate::policy::Intent;
use crate::requests::{Place, Resolved, Survivor};
use crate::scrub;

impl Normalizer {
    pub(super) fn requests_opened(&mut self, spot: &Spot, requests: Vec<contract::Request>) {
        for told in requests {
            self.request_opened(spot, told);
        }
    }

    fn request_opened(&mut self, spot: &Spot, told: contract::Request) {
        let t = spot.thread;
        if spot.replayed {
            return self.tally("request-told-again");
        }
        if self.requests.has_native(t, &told.id) {
            return self.tally("request-open-already");
        }
        if self.requests.open().len() as u64 >= self.limits.open_requests {
            let text = format!(
                "more than open_requests ({}) requests are open; this one cannot be answered",
                self.limits.open_requests
            );
            return self.warn(t, "open-requests", text);
        }
        let item = told.item.as_ref().and_then(|id| self.item_asked_about(spot, id, &told.subject));
        let mut place = self.here(spot);
        let parent = spot.is_nested().then(|| self.settle(spot)).and_then(|(slot, parent)| Some((slot, parent?)));
        if let Some((slot, parent)) = parent {
            let turn = self.threads[t].turn(slot);
            place = Where {
                run: turn.and_then(|turn| turn.run.clone()),
                turn: turn.map(|turn| turn.id.clone()),
                parent: Some(parent),
            };
        }
        let survivor = self.take_survivor(t, &told.id);
        let loose = survivor.is_none() && !matches!(told.subject, Subject::Login(_));
        if place.run.is_none() && self.threads[t].open.is_none() && loose {
            place.run = self.threads[t].waiting_run().map(|run| run.id.clone());
        }
        let strength = self.strength(Intent::IdentifyRequest);
        let (digits, correlation) = self.mint_here(t, Loose::Request, &told.id, strength);
        let native = told.id.clone();
        let mut request = self.clean_request(RequestId::from_digits(&digits), item.clone(), told);
        match survivor {
            Some(survivor) if survivor.is(&request) => request.id = survivor.request.id,
            // The same id for another question: an answer to the one is none to the other.
            Some(survivor) => self.survivor_expired(t, survivor.request.id),
            None => {}
        }
        let kept = Place { thread: t, run: place.run.clone(), turn: place.turn.clone(), parent: place.parent.clone() };
        self.requests.add(request.clone(), native, kept);
        if let Some(item) = &item {
            self.set_item_waiting(t, item, true);
        }
        let how = How { correlation: Some(correlation), ..How::TOLD };
        let request = self.asked_plainly(t, request);
        self.emit(t, place.clone(), how, EventBody::RequestOpened { request });
        if let Some(run) = place.run {
            self.set_run_status(t, &run, RunStatus::Waiting);
        }
    }

    /// The request of an earlier session of this thread that this one is, if it is one.
    fn take_survivor(&mut self, t: usize, native: &str) -> Option<Survivor> {
        let at = self.survivors.iter().position(|(of, survivor)| *of == t && survivor.native == native)?;
        Some(self.survivors.remove(at).1)
    }

    pub(super) fn survivor_expired(&mut self, t: usize, request: RequestId) {
        self.requests.expired(request.clone());
        let body = EventBody::RequestResolved { request, resolution: Resolution::Expired };
        self.emit(t, Where::default(), How::MADE, body);
    }

    /// The session ends, or this thread's part in it. Where the provider promises it, requests outlive it, but for those of a run
    /// that was stopped.
    pub(super) fn leave_requests(&mut self, of: Option<usize>) {
        if !self.handling.native(Intent::AnswerAfterRestart) {
            return;
        }
        let runs = self.threads.iter().flat_map(|thread| &thread.runs);
        let stopped: Vec<_> = runs.filter(|run| run.interrupted).map(|run| run.id.clone()).collect();
        self.requests.leave_where(|open| {
            of.is_none_or(|t| open.place.thread == t)
                && !open.place.run.as_ref().is_some_and(|run| stopped.contains(run))
        });
    }

    /// Questions without a card: their choices are words. Only what was offered is taken as an answer all the same.
    fn asked_plainly(&mut self, t: usize, mut request: Request) -> Request {
        if request.questions.is_empty() || self.handling.native(Intent::AskQuestions) {
            return request;
        }
        self.degrade(t, Intent::AskQuestions);
        for question in &mut request.questions {
            for choice in std::mem::take(&mut question.choices) {
                question.text.push_str(&format!("\n- {}: {}", choice.value, choice.label));
            }
            clean::bound(&mut question.text, self.limits.label_bytes);
            question.free_text = true;
        }
        request
    }

    /// The item that a request is about. A request may be the first to tell of a call.
    fn item_asked_about(&mut self, spot: &Spot, id: &str, subject: &Subject) -> Option<ItemId> {
        let t = spot.thread;
        let native = spot.native(id);
        // A plan is asked about by its own item, everything else by a call.
        let kind = if matches!(subject, Subject::Plan(_)) { Kind::Plan } else { Kind::Tool };
        let key = (kind, native.clone());
        let state = &self.threads[t];
        let known = state.live_slots().into_iter().find_map(|slot| {
            let turn = state.turn(slot)?;
            let open = turn.open.iter().rev().find(|open| open.kind == kind && open.native.as_deref() == Some(&native));
            open.map(|open| open.item.id.clone())
                .or_else(|| turn.known.get(&key).cloned().filter(|_| slot == Slot::Open))
        });
        if known.is_some() {
            return known;
        }
        let Subject::Approval(tool) = subject else { return None };
        let (slot, parent) = self.settle_item(spot, Kind::Tool, Some(&native));
        self.close_messages_before(t, slot, &parent, Kind::Tool, true);
        let limits = self.limits.clone();
        let body = contract::ItemBody::Tool(tool.clone());
        let at = self.open_item(t, slot, Kind::Tool, Status::Running, Some(native), parent, How::MADE, |open| {
            open.merge(body, false, &limits);
        })?;
        Some(self.threads[t].turn(slot)?.open.get(at)?.item.id.clone())
    }

    fn clean_request(&self, id: RequestId, item: Option<ItemId>, mut told: contract::Request) -> Request {
        let limits = &self.limits;
        clean::maybe(&mut told.reason, limits);
        clean::offers(&mut told.options, limits);
        clean::questions(&mut told.questions, limits);
        let subject = match told.subject {
            Subject::Approval(mut tool) => {
                clean::tool(&mut tool, limits);
                RequestSubject::Approval { tool }
            }
            Subject::Plan(mut text) => {
                clean::bound(&mut text, limits.item_text_bytes);
                RequestSubject::Plan { text }
            }
            Subject::Questions => RequestSubject::Questions,
            Subject::Login(mut login) => {
                clean::login(&mut login, limits);
                RequestSubject::Login { login }
            }
            Subject::HostTool(mut tool) => {
                clean::tool(&mut tool, limits);
                RequestSubject::HostTool { tool }
            }
            Subject::Other(mut other) => {
                clean::label(&mut other.name, limits);
                RequestSubject::Unknown { name: other.name, json: scrub::cut(&other.json, limits.unknown_raw_bytes) }
            }
        };
        Request {
            id,
            item,
            subject,
            reason: told.reason,
            options: told.options,
            questions: told.questions,
            raw: told.raw.map(|raw| scrub::cut(&raw, limits.unknown_raw_bytes)),
            expires_ms: told.expires_ms.and_then(clean::millis),
            ruled: None,
        }
    }

    pub(super) fn requests_closed(&mut self, spot: &Spot, ends: Vec<contract::RequestEnd>) {
        for end in ends {
            match self.requests.close(spot.thread, &end.id, end.status) {
                Some(resolved) => self.show_resolved(resolved),
                None => self.tally("request-closed-again"),
            }
        }
    }

    /// Requests of the open turn that came from work in the background: they outlive it.
    pub(super) fn requests_of_background(&self, t: usize) -> Vec<RequestId> {
        let state = &self.threads[t];
        let Some(turn) = &state.open else { return Vec::new() };
        let goes_on = |id: &Option<ItemId>| id.as_ref().is_some_and(|id| state.is_background(turn, id));
        let open = self.requests.open().iter().filter(|open| open.place.thread == t);
        open.filter(|open| goes_on(&open.request.item) || goes_on(&open.place.parent))
            .map(|open| open.request.id.clone())
            .collect()
    }

    pub(super) fn resolve_requests(&mut self, resolution: &Resolution, pick: impl Fn(&RequestId, &Place) -> bool) {
        // The run ends next: it does not go on for a moment.
        self.closing = true;
        for resolved in self.requests.resolve_where(resolution, |open| pick(&open.request.id, &open.place)) {
            self.show_resolved(resolved);
        }
        self.closing = false;
    }

    pub(super) fn show_resolved(&mut self, resolved: Resolved) {
        let Place { thread: t, run, turn, parent, .. } = resolved.place;
        let place = Where { run: run.clone(), turn, parent };
        let how = if matches!(resolved.resolution, Resolution::Answered { .. }) { How::TOLD } else { How::MADE };
        // What was refused, or stopped before anybody answered, does not run: how it ends is for the provider to say, or for its turn's end.
        let goes_ahead = matches!(
            resolved.resolution,
            Resolution::Answered { allowed: None | Some(true), .. } | Resolution::Withdrawn
        );
        self.emit(t, place, how, EventBody::RequestResolved { request: resolved.id, resolution: resolved.resolution });
        if let Some(item) = &resolved.item
            && goes_ahead
        {
            self.set_item_waiting(t, item, false);
        }
        let Some(run) = run else { return };
        if resolved.stops_turn
            && let Some(run) = self.threads[t].run_mut(&run)
        {
            run.interrupted = true;
        }
        let started = self.threads[t].run(&run).is_some_and(|run| run.started());
        if !self.closing && !self.requests.open().iter().any(|open| open.place.run.as_ref() == Some(&run)) {
            self.set_run_status(t, &run, if started { RunStatus::Running } else { RunStatus::Starting });
        }
    }

    /// A call waits as long as a request about it is open.
    fn set_item_waiting(&mut self, t: usize, item: &ItemId, waits: bool) {
        let still = self.requests.open().iter().any(|open| open.request.item.as_ref() == Some(item));
        if !waits && still {
            return;
        }
        for slot in self.threads[t].live_slots() {
            let Some(turn) = self.threads[t].turn(slot) else { continue };
            let Some(at) = turn.open.iter().position(|open| open.item.id == *item) else { continue };
            // What a person is asked to decide about is there to be read, and may have been held back until now.
            let is_uncovered =
                waits && turn.open[at].kind.is_message() && self.holds(slot, &turn.open[at], TextKind::Plan);
            let Some(turn) = self.threads[t].turn_mut(slot) else { continue };
            let open = &mut turn.open[at];
            open.whole |= is_uncovered;
            open.is_announced &= !waits;
            let changes = match waits {
                true => open.item.step(Status::Waiting),
                false => open.item.status == Status::Waiting && open.item.step(Status::Running),
            };
            if changes || is_uncovered {
                self.show_change(t, slot, at, TextKind::ToolOutput, super::item::Change::Whole);
            }
        }
    }
}

//! From the door to who takes an event: it is located or held, then there is one row per kind of event.

use super::clean;
use super::report::{How, Where};
use super::route::Spot;
use super::{Cause, Normalizer};
use crate::capability::Strength;
use crate::contract::{self, EventBody as Told};
use crate::event::EventBody;
use crate::policy::Intent;

impl Normalizer {
    pub(super) fn at(&mut self, frame: Option<u64>, at_ms: u64) {
        self.frame = frame;
        self.now = self.now.max(at_ms);
        for t in 0..self.threads.len() {
            self.close_late(t, false);
        }
    }

    pub(super) fn deliver(&mut self, cause: Cause, event: contract::Event) {
        self.at(cause.frame, cause.at_ms);
        if self.is_of_gone(&event) {
            return self.fence_silently();
        }
        if self.is_of_all(&event) {
            for thread in self.served() {
                self.told(&Spot { thread, ..Spot::default() }, event.body.clone());
            }
            return;
        }
        match self.locate(&event) {
            Some(spot) => self.told(&spot, event.body),
            None if (self.held.len() as u64) < self.limits.held_updates => self.held.push_back((cause, event)),
            None if self.is_of_nobody(&event) => self.fence_silently(),
            None => {
                let t = self.primary();
                self.warn(
                    t,
                    "held-updates",
                    format!(
                        "more than held_updates ({}) events wait for their thread; shown in the first one",
                        self.limits.held_updates
                    ),
                );
                self.told(&Spot { thread: t, ..Spot::default() }, event.body);
            }
        }
    }

    /// The session ends and nobody claimed these: they are shown where they can be.
    pub(super) fn deliver_all_held(&mut self) {
        let thread = self.primary();
        for (cause, event) in std::mem::take(&mut self.held) {
            self.at(cause.frame, cause.at_ms);
            match self.is_of_nobody(&event) {
                true => self.fence_silently(),
                false => self.told(&Spot { thread, ..Spot::default() }, event.body),
            }
        }
        self.frame = None;
    }

    pub(super) fn unknown(&mut self, t: usize, mut kind: String, raw: String) {
        clean::label(&mut kind, &self.limits);
        let raw = crate::scrub::cut(&raw, self.limits.unknown_raw_bytes);
        self.warn(t, &format!("unknown:{kind}"), format!("nobody understands {kind:?}; it is kept as it came"));
        self.emit(t, Where::default(), How::TOLD, EventBody::Unknown { kind, raw });
    }

    pub(super) fn told(&mut self, spot: &Spot, mut body: Told) {
        let t = spot.thread;
        if self.is_held_history(spot, &mut body) {
            if let Some(frame) = self.frame {
                self.ledger.shown(frame, None);
            }
            self.tally("history-held");
            return self.repeated();
        }
        if self.is_of_an_old_turn(spot, &body) {
            return self.fence(t);
        }
        if !spot.replayed
            && !matches!(
                body,
                Told::Threads(_) | Told::Settings(_) | Told::SlashCommands(_) | Told::McpServers(_) | Told::Account(_)
            )
        {
            self.end_history(t);
        }
        let body = match self.as_declared(spot, body) {
            Some(body) => body,
            None => return,
        };
        match body {
            Told::Delta(delta) => self.delta_told(spot, delta),
            Told::Items(items) => self.items_told(spot, items),
            Told::TurnStarted(start) => self.turn_started(spot, start),
            Told::TurnEnded(end) => self.turn_ended(spot, end),
            Told::Threads(threads) => self.threads_told(threads),
            Told::Tasks(tasks) => self.tasks_told(spot, tasks),
            Told::Roster(ids) => self.roster_told(spot, ids),
            Told::RequestsOpened(requests) => self.requests_opened(spot, requests),
            Told::RequestsClosed(ends) => self.requests_closed(spot, ends),
            Told::Other(other) => self.unknown(t, other.name, other.json),
            shown => self.pass(spot, shown),
        }
    }

    /// Words of a turn that is over and gone, while another is open: they are not that one's. A request is no such word: nobody
    /// else could answer it.
    fn is_of_an_old_turn(&self, spot: &Spot, body: &Told) -> bool {
        let is_word = matches!(body, Told::Delta(_) | Told::Items(_) | Told::Plan(_) | Told::Changes(_));
        let names_turns =
            self.strength(Intent::IdentifyTurn) == Strength::Strong && self.handling.native(Intent::StartTurn);
        let state = &self.threads[spot.thread];
        let (Some(native), Some(open)) = (&spot.turn, &state.open) else { return false };
        let is_kept =
            open.native.as_ref() == Some(native) || state.ended.iter().any(|turn| turn.native.as_ref() == Some(native));
        is_word && names_turns && !spot.replayed && !is_kept && state.knows_turn_id(native)
    }

    /// What is said of a thread that is over is only counted.
    fn fence_silently(&mut self) {
        self.tally("thread-over");
        if let Some(frame) = self.frame {
            self.ledger.fence(frame);
        }
    }

    fn fence(&mut self, t: usize) {
        self.warn(
            t,
            "fenced",
            "words of a turn that is long over came while another was open; they are not shown".into(),
        );
        if let Some(frame) = self.frame {
            self.ledger.shown(frame, None);
            self.ledger.fence(frame);
        }
    }

    /// What is shown as it is told, but clean.
    fn pass(&mut self, spot: &Spot, body: Told) {
        let limits = self.limits.clone();
        let t = spot.thread;
        let place = match &body {
            Told::Settings(_) | Told::SlashCommands(_) | Told::McpServers(_) | Told::Account(_) | Told::Queue(_) => {
                Where::default()
            }
            _ => self.here(spot),
        };
        let body = match body {
            Told::Plan(mut plan) => {
                clean::plan(&mut plan, &limits);
                if self.plan_is_held(spot, &plan) {
                    return self.degrade(t, Intent::ShowProgress);
                }
                EventBody::PlanUpdated { plan }
            }
            Told::Usage(mut usage) => {
                clean::usage(&mut usage, &limits);
                EventBody::UsageUpdated { usage }
            }
            Told::Context(mut change) => {
                clean::context(&mut change, &limits);
                EventBody::ContextChanged { change }
            }
            Told::Changes(mut changes) => {
                changes.iter_mut().for_each(|diff| clean::file_diff(diff, &limits));
                EventBody::ChangesUpdated { changes }
            }
            Told::Settings(mut settings) => {
                clean::settings(&mut settings, &limits);
                EventBody::SettingsUpdated { settings }
            }
            Told::SlashCommands(mut commands) => {
                clean::commands(&mut commands, &limits);
                EventBody::SlashCommandsUpdated { commands }
            }
            Told::McpServers(mut servers) => {
                clean::servers(&mut servers, &limits);
                EventBody::McpUpdated { servers }
            }
            Told::Account(mut account) => {
                clean::account(&mut account, &limits);
                EventBody::AccountUpdated { account }
            }
            Told::Queue(ops) => {
                let state = &self.threads[t];
                let begun = state.runs.iter().map(|run| (run.op, &run.id));
                let known: Vec<_> = begun.chain(state.handed.iter().map(|handed| (handed.op, &handed.run))).collect();
                let run_of = |op: &u32| known.iter().find(|(known, _)| known == op).map(|(_, run)| (*run).clone());
                EventBody::QueueUpdated { runs: ops.iter().filter_map(run_of).collect() }
            }
            Told::Retrying(mut retry) => {
                clean::retry(&mut retry, &limits);
                EventBody::Retrying { retry }
            }
            Told::Note(mut note) => {
                clean::note(&mut note, &limits);
                EventBody::Note { note }
            }
            Told::Delta(_)
            | Told::Items(_)
            | Told::TurnStarted(_)
            | Told::TurnEnded(_)
            | Told::Threads(_)
            | Told::Tasks(_)
            | Told::Roster(_)
            | Told::RequestsOpened(_)
            | Told::RequestsClosed(_)
            | Told::Other(_) => return,
        };
        self.emit(t, place, How { replayed: spot.replayed, ..How::TOLD }, body);
    }
}

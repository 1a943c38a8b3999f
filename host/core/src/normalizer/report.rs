//! Where drafts, counts and diagnostics are gathered until a door hands them out.

use super::{Normalizer, Routed};
use crate::capability::Strength;
use crate::contract::{Level, Note};
use crate::event::{Correlation, Draft, EventBody, Origin};
use crate::id::{ItemId, RunId, TurnId};
use crate::policy::Intent;
use std::collections::BTreeMap;

/// Where an event belongs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Where {
    pub run: Option<RunId>,
    pub turn: Option<TurnId>,
    pub parent: Option<ItemId>,
}

/// How an event was made, but for the frame.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct How {
    pub correlation: Option<Correlation>,
    pub synthetic: bool,
    pub replayed: bool,
}

impl How {
    /// As the provider said it.
    pub const TOLD: Self = Self { correlation: None, synthetic: false, replayed: false };
    /// Made by the host because the provider did not say it.
    pub const MADE: Self = Self { correlation: None, synthetic: true, replayed: false };
}

/// What has been gathered.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub out: Vec<Routed>,
    counts: BTreeMap<String, u64>,
}

impl Report {
    /// Counts one of a kind and returns how many there have been. Kinds come from providers: beyond `kinds` they share one.
    pub fn count(&mut self, kind: &str, kinds: u64) -> u64 {
        let kind = if self.counts.len() as u64 >= kinds && !self.counts.contains_key(kind) { "other" } else { kind };
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        *count
    }

    pub fn counts(&self) -> &BTreeMap<String, u64> {
        &self.counts
    }
}

impl Normalizer {
    pub(super) fn emit(&mut self, thread: usize, place: Where, how: How, body: EventBody) {
        let origin = Origin {
            frame: self.frame,
            correlation: how.correlation,
            synthetic: how.synthetic,
            replayed: how.replayed,
        };
        if let (Some(frame), Some(turn)) = (self.frame, &place.turn) {
            let open = self.threads[thread].open.as_ref().filter(|open| open.id == *turn);
            self.ledger.shown(frame, open.and_then(|open| open.page));
        }
        let draft = Draft { run: place.run, turn: place.turn, parent: place.parent, origin, body };
        let thread = self.threads[thread].id.clone();
        self.report.out.push(Routed { thread, draft });
    }

    /// Counted and not shown.
    pub(super) fn tally(&mut self, kind: &str) {
        self.report.count(kind, self.limits.diagnostics_kept);
    }

    /// What is being told is known already: the frame behind it is a duplicate, unless more comes of it.
    pub(super) fn repeated(&mut self) {
        if let Some(frame) = self.frame {
            self.ledger.repeat(frame);
        }
    }

    /// Counted, and shown the first times.
    pub(super) fn warn(&mut self, thread: usize, code: &str, text: String) {
        let count = self.report.count(code, self.limits.diagnostics_kept);
        if count <= self.limits.warnings_per_kind {
            let mut note = Note { level: Level::Warning, code: code.to_owned(), text, fault: None };
            super::clean::note(&mut note, &self.limits);
            self.emit(thread, Where::default(), How::MADE, EventBody::Diagnostic { note, count });
        }
    }

    /// Something else is done than what a provider with this capability would allow. Said once per session in each thread, with what is lost,
    /// where a person has a control or a panel for it; marks on the events say the rest.
    pub(super) fn degrade(&mut self, thread: usize, intent: Intent) {
        self.tally(intent.name());
        if intent.is_for_users() && self.announced.insert((thread, intent.name())) {
            let decision = self.handling.decision(intent).clone();
            let body = EventBody::PolicyDecided { intent: intent.name().to_owned(), decision };
            self.emit(thread, Where::default(), How::MADE, body);
        }
    }

    /// How far the ids behind this intent can be relied on.
    pub(super) fn strength(&self, identify: Intent) -> Strength {
        self.handling.strength(identify)
    }

    pub(super) fn take(&mut self) -> Vec<Routed> {
        std::mem::take(&mut self.report.out)
    }
}

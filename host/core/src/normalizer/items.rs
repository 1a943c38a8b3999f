//! Items told whole: which open item they are, what changes, when they end.
//!
//! **Terminal states absorb: what is told of an item that has ended in its turn is counted, not shown.** With strong ids an
//! id is one item of its turn. With weak ones the same id may be another item: told twice in one event, begun anew, or with
//! another input; results go to the first that is open; what says nothing but what one that has ended said is that one, told
//! again (`ended`). Without ids, the open item of that kind in that place is meant.

use super::Normalizer;
use super::clean;
use super::ended::Ended;
use super::find::Match;
use super::item::{Change, Kind, OpenItem};
use super::report::{How, Where};
use super::route::Spot;
use super::run::words;
use super::thread::{HandedState, Slot, TurnState, Unconfirmed};
use crate::capability::Strength;
use crate::contract::{self, Status, TextKind};
use crate::event::{Correlation, EventBody, Item, ItemBody, is_terminal};
use crate::id::ItemId;
use crate::identity::{self, Mark};
use crate::lifecycle::Kept;
use crate::policy::Intent;

impl Normalizer {
    pub(super) fn items_told(&mut self, spot: &Spot, items: Vec<contract::Item>) {
        let (count, mut known, mut seen) = (items.len(), 0, Vec::new());
        for told in items {
            known += usize::from(self.item_told(spot, told, &mut seen));
        }
        if count > 0 && known == count {
            self.repeated();
        }
    }

    /// True when it was known already.
    fn item_told(&mut self, spot: &Spot, told: contract::Item, seen: &mut Vec<ItemId>) -> bool {
        let kind = Kind::of(&told.body);
        if let (contract::ItemBody::User(message), false) = (&told.body, spot.replayed)
            && self.is_echo(spot, message, told.id.as_deref())
        {
            self.tally("echo");
            return false;
        }
        let native = told.id.as_ref().map(|id| spot.native(id));
        let (slot, parent) = self.settle_item(spot, kind, native.as_deref());
        let ends = is_terminal(told.status) || kind == Kind::User;
        let at = match self.find(spot.thread, slot, &native, &parent, &told, seen) {
            known @ (Match::Absorbed | Match::Late) => {
                self.tally("ended-item-told");
                return matches!(known, Match::Absorbed);
            }
            Match::Confirmed => {
                self.tally("message-confirmed");
                return false;
            }
            Match::Open(at) => at,
            Match::New => {
                let Some(at) = self.begin_item(spot, slot, native, parent, &told, ends) else { return false };
                at
            }
        };
        if let Some(turn) = self.threads[spot.thread].turn(slot) {
            seen.push(turn.open[at].item.id.clone());
        }
        self.update_item(spot.thread, slot, at, told, ends);
        false
    }

    /// The provider repeats what the person said: known by the command's number, or by the same words in its own turn.
    fn is_echo(&mut self, spot: &Spot, told: &contract::UserMessage, native: Option<&str>) -> bool {
        let state = &mut self.threads[spot.thread];
        if spot.is_nested() {
            return false;
        }
        if let Some(op) = told.op {
            return state.runs.iter().any(|run| run.op == op) || state.handed.iter().any(|handed| handed.op == op);
        }
        let said = words(&told.content);
        let is_it = |handed: &&mut HandedState| told.typed && !handed.echoed && handed.words == said;
        if let Some(handed) = state.handed.iter_mut().find(is_it) {
            handed.echoed = true;
            return true;
        }
        let current = match &state.open {
            Some(turn) => turn.run.clone(),
            None => state.waiting_run().map(|run| run.id.clone()),
        };
        let Some(run) = current.and_then(|id| state.run_mut(&id)) else { return false };
        if run.echoed {
            return native.is_some() && run.echo.as_deref() == native;
        }
        let same = told.typed && said == run.words;
        if same {
            run.echoed = true;
            run.echo = native.map(str::to_owned);
        }
        same
    }

    /// Where an item goes. One that is open in a turn that has ended is background work and stays there.
    pub(super) fn settle_item(&mut self, spot: &Spot, kind: Kind, native: Option<&str>) -> (Slot, Option<ItemId>) {
        let Some(native) = native.filter(|_| !spot.replayed) else { return self.settle(spot) };
        let state = &self.threads[spot.thread];
        if spot.turn.is_none() && !state.ended.is_empty() {
            let is_it = |open: &OpenItem| open.kind == kind && open.native.as_deref() == Some(native);
            if !state.open.as_ref().is_some_and(|turn| turn.open.iter().any(is_it)) {
                for (at, turn) in state.ended.iter().enumerate().rev() {
                    if let Some(open) = turn.open.iter().find(|open| is_it(open)) {
                        return (Slot::Ended(at), open.parent.clone());
                    }
                }
            }
            let key = (kind, native.to_owned());
            let last = state.ended.len() - 1;
            if self.strength(Intent::IdentifyItem) == Strength::Strong
                && state.open.is_none()
                && state.ended[last].known.contains_key(&key)
            {
                return (Slot::Ended(last), None);
            }
        }
        self.settle(spot)
    }

    /// Opens an item that was told whole. One that is told only when it has ended has a start that we made.
    fn begin_item(
        &mut self,
        spot: &Spot,
        slot: Slot,
        native: Option<String>,
        parent: Option<ItemId>,
        told: &contract::Item,
        ends: bool,
    ) -> Option<usize> {
        let t = spot.thread;
        let kind = Kind::of(&told.body);
        self.close_messages_before(t, slot, &parent, kind, native.is_some());
        let tells_starts = kind != Kind::Tool || spot.replayed || self.handling.native(Intent::StartTool);
        let synthetic = kind != Kind::User && (ends || !tells_starts);
        let how = How { synthetic, replayed: spot.replayed, correlation: None };
        let is_announced = !ends && matches!(told.status, Status::Pending | Status::Waiting);
        if let contract::ItemBody::Tool(tool) = &told.body
            && !spot.replayed
            && !is_announced
        {
            self.works_unasked(t, spot.is_nested(), tool);
        }
        let limits = self.limits.clone();
        let status = if ends { Status::Running } else { told.status };
        let at_ms = told
            .extra
            .iter()
            .find(|(name, _)| name == "at-ms")
            .and_then(|(_, value)| clean::millis(value.parse().ok()?));
        let body = told.body.clone();
        self.open_item(t, slot, kind, status, native, parent, how, |open| {
            *open.item.rest().at_ms = at_ms;
            open.learn(&told.extra, &limits);
            *open.item.rest().mark = clean::native(told.mark.as_deref(), &limits);
            open.whole = ends;
            open.is_announced = is_announced;
            if let contract::ItemBody::User(mut message) = body {
                clean::contents(&mut message.content, &limits);
                *open.item.rest().body = ItemBody::UserMessage { typed: message.typed, content: message.content };
            } else {
                open.merge(body, true, &limits);
            }
        })
    }

    fn update_item(&mut self, t: usize, slot: Slot, at: usize, told: contract::Item, ends: bool) {
        let limits = self.limits.clone();
        let Some(open) = self.threads[t].turn_mut(slot).and_then(|turn| turn.open.get_mut(at)) else { return };
        let change = open.merge(told.body, ends, &limits);
        // It is shown with the next change: at the item's end at the latest.
        let mark = open.item.rest().mark;
        *mark = clean::native(told.mark.as_deref(), &limits).or(mark.take());
        let change = if open.learn(&told.extra, &limits) { Change::Whole } else { change };
        self.goes_to_work(t, slot, at, told.status);
        let Some(open) = self.threads[t].turn_mut(slot).and_then(|turn| turn.open.get_mut(at)) else { return };
        if ends {
            let status = if is_terminal(told.status) { told.status } else { Status::Completed };
            if open.kind == Kind::Tool && slot != Slot::History && !self.handling.native(Intent::EndTool) {
                open.told_end = Some(status);
                self.tally(Intent::EndTool.name());
                return self.show_change(t, slot, at, TextKind::Assistant, change);
            }
            return self.end_item(t, slot, at, status, How::TOLD);
        }
        // An announcement that comes again does not take back what has begun.
        let change = if open.item.step(told.status) { Change::Whole } else { change };
        self.show_change(t, slot, at, TextKind::Assistant, change);
    }

    /// A call that had only been announced may be at work now, or have ended with it. Whoever declined or stopped it was there to decide.
    fn goes_to_work(&mut self, t: usize, slot: Slot, at: usize, status: Status) {
        let Some(open) = self.threads[t].turn_mut(slot).and_then(|turn| turn.open.get_mut(at)) else { return };
        if !open.is_announced || matches!(status, Status::Pending | Status::Waiting) {
            return;
        }
        open.is_announced = false;
        let worked = matches!(status, Status::Running | Status::Completed | Status::Failed);
        if let ItemBody::Tool { tool, .. } = &open.item.body
            && worked
            && slot != Slot::History
        {
            let (tool, is_nested) = (tool.clone(), open.parent.is_some());
            self.works_unasked(t, is_nested, &tool);
        }
    }

    pub(super) fn show_change(&mut self, t: usize, slot: Slot, at: usize, kind: TextKind, change: Change) {
        let Some(open) = self.threads[t].turn(slot).and_then(|turn| turn.open.get(at)) else { return };
        let id = open.item.id.clone();
        let kind = match open.kind {
            Kind::Reasoning if kind != TextKind::ReasoningSummary => TextKind::Reasoning,
            Kind::Plan => TextKind::Plan,
            _ => kind,
        };
        let is_cut = matches!(change, Change::Cut(_));
        let is_held = self.holds(slot, open, kind);
        let body = match change {
            Change::None => return,
            Change::Whole if is_held && open.kind.is_message() => return self.held_back(t, kind),
            Change::Whole => match self.shown(t, slot, at) {
                Some(item) => EventBody::ItemUpdated { item },
                None => return,
            },
            Change::More(_) if is_held => return self.held_back(t, kind),
            Change::Cut(text) if text.is_empty() || is_held => return self.say_cut(t, &id),
            Change::More(text) | Change::Cut(text) => EventBody::ItemDelta { item: id.clone(), kind, text },
        };
        let (place, how) = self.place_of(t, slot, at);
        self.emit(t, place, how, body);
        if is_cut {
            self.say_cut(t, &id);
        }
    }

    fn say_cut(&mut self, t: usize, id: &ItemId) {
        let bytes = self.limits.item_text_bytes;
        self.warn(
            t,
            "item-text-cut",
            format!("the text of {id} passed item_text_bytes ({bytes}); what follows is not kept"),
        );
    }

    /// Where an open item's events belong, and how sure that is.
    fn place_of(&self, t: usize, slot: Slot, at: usize) -> (Where, How) {
        let Some(turn) = self.threads[t].turn(slot) else { return Default::default() };
        let Some(open) = turn.open.get(at) else { return Default::default() };
        let place = Where {
            run: if open.late { None } else { turn.run.clone() },
            turn: Some(turn.id.clone()),
            parent: open.parent.clone(),
        };
        let correlation = if open.late { Correlation::Inferred } else { open.correlation };
        (place, How { correlation: Some(correlation), synthetic: false, replayed: slot == Slot::History })
    }

    /// Opens an item and says so. At the bound the oldest one is closed to make room.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn open_item(
        &mut self,
        t: usize,
        slot: Slot,
        kind: Kind,
        first: Status,
        native: Option<String>,
        parent: Option<ItemId>,
        how: How,
        fill: impl FnOnce(&mut OpenItem),
    ) -> Option<usize> {
        if self.threads[t].turn(slot)?.open.len() as u64 >= self.limits.open_items {
            self.warn(
                t,
                "open-items",
                format!("more than open_items ({}) items are open; the oldest was closed", self.limits.open_items),
            );
            self.end_item(t, slot, 0, Status::Unknown, How::MADE);
        }
        let strength = self.strength(Intent::IdentifyItem);
        let strength = if slot == Slot::History { strength.max(Strength::Weak) } else { strength };
        let thread = self.threads[t].id.clone();
        let is_background = |state: &super::thread::ThreadState, turn: &TurnState| {
            parent.as_ref().is_some_and(|parent| state.is_background(turn, parent))
        };
        let late = matches!(slot, Slot::Ended(_)) && !is_background(&self.threads[t], self.threads[t].turn(slot)?);
        let turn = self.threads[t].turn_mut(slot)?;
        let ordinal = turn.next_ordinal();
        let occurrence = native.as_ref().map(|native| turn.marks.occurrence(kind.key(), native));
        let mark = match (&native, occurrence, strength) {
            (Some(native), Some(1), Strength::Strong) => Mark::Strong(native),
            (Some(native), Some(occurrence), Strength::Strong | Strength::Weak) => Mark::Weak(native, occurrence),
            _ => Mark::Ordinal(turn.marks.ordinal(kind.key())),
        };
        let id = ItemId::from_digits(&self.scope.mint(&thread, &turn.key, kind.key(), &mark));
        let mut open = OpenItem {
            item: Kept::begin(Item {
                id: id.clone(),
                native_id: clean::native(native.as_deref(), &self.limits),
                mark: None,
                ordinal,
                status: first,
                body: kind.empty(),
                at_ms: None,
                facts: Vec::new(),
            }),
            kind,
            native: native.clone(),
            parent,
            correlation: mark.correlation(),
            streamed: false,
            late,
            cut: false,
            whole: false,
            is_announced: false,
            told_end: None,
        };
        fill(&mut open);
        open.streamed = false;
        if let Some(native) = native {
            turn.known.insert((kind, native), id);
        }
        let whole = open.whole.then(|| (*open.item).clone());
        turn.acted |= kind == Kind::Tool;
        turn.open.push(open);
        let at = turn.open.len() - 1;
        let item = match whole {
            Some(item) => item,
            None => self.shown(t, slot, at)?,
        };
        let (place, placed) = self.place_of(t, slot, at);
        self.emit(t, place, How { synthetic: how.synthetic, ..placed }, EventBody::ItemStarted { item });
        Some(at)
    }

    /// Ends an item: what is inside of it first, unless that goes on in the background.
    pub(super) fn end_item(&mut self, t: usize, slot: Slot, at: usize, status: Status, how: How) {
        let Some(open) = self.threads[t].turn(slot).and_then(|turn| turn.open.get(at)) else { return };
        let id = open.item.id.clone();
        let goes_on = |state: &super::thread::ThreadState| {
            state.tasks.iter().any(|task| task.task.item.as_ref() == Some(&id) && task.task.background)
        };
        if open.kind == Kind::Tool && !goes_on(&self.threads[t]) {
            self.close_children(t, slot, &id, status);
        }
        let Some(turn) = self.threads[t].turn(slot) else { return };
        let Some(at) = turn.open.iter().position(|open| open.item.id == id) else { return };
        let (place, placed) = self.place_of(t, slot, at);
        let bound = self.limits.open_items as usize;
        let strength = self.strength(Intent::IdentifyItem);
        let Some(turn) = self.threads[t].turn_mut(slot) else { return };
        let mut open = turn.open.remove(at);
        open.item.step(open.told_end.unwrap_or(status));
        if let Some(words) = open.words().filter(|_| how.synthetic && open.streamed) {
            if turn.unconfirmed.len() >= bound {
                turn.unconfirmed.remove(0);
            }
            let words = identity::digest(&[words]);
            turn.unconfirmed.push(Unconfirmed {
                kind: open.kind,
                native: open.native.clone(),
                parent: open.parent.clone(),
                words,
            });
        }
        let ended = if strength == Strength::None { None } else { Ended::of(&open) };
        if let Some(ended) = ended {
            if turn.done.len() >= bound {
                turn.done.pop_front();
            }
            turn.done.push_back(ended);
        }
        let how = How { synthetic: how.synthetic, ..placed };
        self.emit(t, place, how, EventBody::ItemEnded { item: open.item.into_inner() });
    }

    /// Messages close when a tool starts and when another message begins; those with ids wait for their own end where the
    /// provider tells it.
    pub(super) fn close_messages_before(
        &mut self,
        t: usize,
        slot: Slot,
        parent: &Option<ItemId>,
        kind: Kind,
        has_id: bool,
    ) {
        let waits = self.handling.native(Intent::EndMessage);
        loop {
            let Some(turn) = self.threads[t].turn(slot) else { return };
            let closes = |open: &OpenItem| {
                let other = has_id || open.kind != kind;
                let in_place = open.kind.is_message() && open.parent == *parent;
                in_place && other && (open.native.is_none() || (!waits && !kind.is_message()))
            };
            if kind == Kind::User {
                return;
            }
            let Some(at) = turn.open.iter().position(closes) else { return };
            self.end_item(t, slot, at, Status::Completed, How::MADE);
        }
    }
}

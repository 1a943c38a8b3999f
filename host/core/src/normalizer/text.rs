//! Text told in pieces. **Two equal pieces are two pieces; text told whole again and again is stored once.**

use super::Normalizer;
use super::find::{confirm_closed, confirm_open};
use super::item::{Change, Kind};
use super::report::How;
use super::route::Spot;
use super::thread::Slot;
use crate::capability::Strength;
use crate::contract::{Delta, Status};
use crate::id::ItemId;
use crate::policy::Intent;

impl Normalizer {
    pub(super) fn delta_told(&mut self, spot: &Spot, told: Delta) {
        let kind = Kind::of_text(told.kind);
        let native = told.id.as_ref().map(|id| spot.native(id));
        let (slot, parent) = self.settle_item(spot, kind, native.as_deref());
        let at = match &native {
            Some(native) => self.piece_by_id(spot.thread, slot, kind, native, &parent, &told),
            None => Piece::of(self.open_of_kind(spot.thread, slot, kind, &parent)),
        };
        let at = match at {
            Piece::Open(at) => at,
            Piece::Known => return self.tally("ended-item-told"),
            Piece::Confirmed => return self.tally("message-confirmed"),
            Piece::New => {
                self.close_messages_before(spot.thread, slot, &parent, kind, native.is_some());
                let how = How { replayed: spot.replayed, ..How::MADE };
                match self.open_item(spot.thread, slot, kind, Status::Running, native, parent, how, |_| {}) {
                    Some(at) => at,
                    None => return,
                }
            }
        };
        self.add_text(spot.thread, slot, at, told);
    }

    fn add_text(&mut self, t: usize, slot: Slot, at: usize, told: Delta) {
        let kind = told.kind;
        let Some(turn) = self.threads[t].turn_mut(slot) else { return };
        let Some(open) = turn.open.get_mut(at) else { return };
        if open.item.status == Status::Pending {
            open.item.step(Status::Running);
        }
        let change = if told.whole {
            open.replace(kind, told.text, &self.limits)
        } else {
            open.append(kind, told.text, &self.limits)
        };
        if change == Change::None {
            self.tally("text-without-news");
        }
        self.show_change(t, slot, at, kind, change);
    }

    fn piece_by_id(
        &mut self,
        t: usize,
        slot: Slot,
        kind: Kind,
        native: &str,
        parent: &Option<ItemId>,
        told: &Delta,
    ) -> Piece {
        let strong = self.strength(Intent::IdentifyItem) == Strength::Strong || slot == Slot::History;
        let Some(turn) = self.threads[t].turn_mut(slot) else { return Piece::Known };
        let open = turn.open.iter().rposition(|open| open.kind == kind && open.native.as_deref() == Some(native));
        if let Some(at) = open {
            return Piece::Open(at);
        }
        if strong && turn.known.contains_key(&(kind, native.to_owned())) {
            return Piece::Known;
        }
        if kind.is_message() && !told.text.is_empty() {
            if confirm_open(turn, kind, native, parent, &told.text, &self.limits).is_some() {
                return Piece::Confirmed;
            }
            if confirm_closed(turn, kind, Some(native), parent, &told.text) {
                return Piece::Confirmed;
            }
        }
        Piece::New
    }

    /// The open item of a kind in a place. Text of another kind without an id ends the messages before it.
    fn open_of_kind(&mut self, t: usize, slot: Slot, kind: Kind, parent: &Option<ItemId>) -> Option<usize> {
        if kind.is_message() {
            self.close_messages_before(t, slot, parent, kind, false);
        }
        let turn = self.threads[t].turn(slot)?;
        turn.open.iter().rposition(|open| open.kind == kind && open.parent == *parent)
    }
}

/// Which item a piece of text belongs to.
enum Piece {
    Open(usize),
    New,
    /// It has ended.
    Known,
    /// It is the whole of what was told in pieces.
    Confirmed,
}

impl Piece {
    fn of(open: Option<usize>) -> Self {
        open.map_or(Self::New, Self::Open)
    }
}

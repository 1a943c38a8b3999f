//! What a provider tells beyond, or short of, what it says it can do. **Never pretend:** a panel is fed only by a provider
//! that has it; what it tells all the same is counted, and that nothing is shown is said once.
//!
//! A request that waits for an answer is never left out: nobody else could answer it.

use super::Normalizer;
use super::item::{Kind, OpenItem};
use super::route::Spot;
use super::thread::Slot;
use crate::contract::{self, Content, Delta, EventBody as Told, ItemBody, Task, TaskKind, TextKind, Tool, ToolKind};
use crate::event::Item;
use crate::policy::{Intent, stream_of};

impl Normalizer {
    /// What is left of an event once it is read by what the provider can do; `None` when nothing is.
    pub(super) fn as_declared(&mut self, spot: &Spot, body: Told) -> Option<Told> {
        if spot.replayed {
            return Some(body);
        }
        match body {
            Told::Plan(_) if !self.handling.native(Intent::ShowTodo) => {
                self.degrade(spot.thread, Intent::ShowTodo);
                None
            }
            Told::Delta(delta) => self.piece_as_declared(spot, delta).map(Told::Delta),
            Told::Items(items) => {
                Some(Told::Items(items.into_iter().map(|item| self.item_as_declared(spot, item)).collect()))
            }
            Told::Tasks(tasks) if !self.handling.native(Intent::ShowSubagents) => {
                let is_subagent = |task: &Task| task.kind == TaskKind::Subagent;
                if tasks.iter().any(is_subagent) {
                    self.degrade(spot.thread, Intent::ShowSubagents);
                }
                let rest: Vec<Task> = tasks.into_iter().filter(|task| !is_subagent(task)).collect();
                (!rest.is_empty()).then_some(Told::Tasks(rest))
            }
            other => Some(other),
        }
    }

    fn piece_as_declared(&mut self, spot: &Spot, mut delta: Delta) -> Option<Delta> {
        match delta.kind {
            TextKind::ToolOutput if !self.handling.native(Intent::ShowToolOutput) => {
                self.degrade(spot.thread, Intent::ShowToolOutput);
                return None;
            }
            TextKind::Plan if !self.handling.native(Intent::ProposePlan) => {
                self.degrade(spot.thread, Intent::ProposePlan);
                delta.kind = TextKind::Assistant;
            }
            TextKind::Plan if !self.handling.native(Intent::PlanPieces) => delta.id = None,
            _ => {}
        }
        Some(delta)
    }

    fn item_as_declared(&mut self, spot: &Spot, mut item: contract::Item) -> contract::Item {
        match &mut item.body {
            ItemBody::ProposedPlan(text) if !self.handling.native(Intent::ProposePlan) => {
                item.body = ItemBody::Assistant(vec![Content::Text(std::mem::take(text))]);
                self.degrade(spot.thread, Intent::ProposePlan);
            }
            ItemBody::Tool(tool) if !tool.content.is_empty() && !self.handling.native(Intent::ShowToolOutput) => {
                tool.content.clear();
                tool.exit_code = None;
                self.degrade(spot.thread, Intent::ShowToolOutput);
            }
            _ => {}
        }
        item
    }

    /// An item that is not whole yet, as it is shown meanwhile.
    pub(super) fn shown(&mut self, t: usize, slot: Slot, at: usize) -> Option<Item> {
        let open = self.threads[t].turn(slot)?.open.get(at)?;
        let kind = match open.kind {
            Kind::Assistant => TextKind::Assistant,
            Kind::Reasoning => TextKind::Reasoning,
            Kind::Plan => TextKind::Plan,
            Kind::Tool => TextKind::ToolOutput,
            Kind::User | Kind::Other => return Some((*open.item).clone()),
        };
        if !self.holds(slot, open, kind) || open.text(kind).is_none_or(String::is_empty) {
            return Some((*open.item).clone());
        }
        let item = open.without_text(kind);
        self.held_back(t, kind);
        Some(item)
    }

    /// True when text of this kind is kept until it is whole, and it is not.
    pub(super) fn holds(&self, slot: Slot, open: &OpenItem, kind: TextKind) -> bool {
        slot != Slot::History && !self.handling.streams(kind) && !open.has_all_words()
    }

    /// Text of this kind is kept until it is whole.
    pub(super) fn held_back(&mut self, t: usize, kind: TextKind) {
        if let Some(intent) = stream_of(kind) {
            self.degrade(t, intent);
        }
    }

    /// A tool works that a provider would have asked about before, if it could: what stands guard instead is said.
    pub(super) fn works_unasked(&mut self, t: usize, is_nested: bool, told: &Tool) {
        let Some(intent) = approval_of(told) else { return };
        if !self.handling.native(intent) {
            self.degrade(t, intent);
        } else if is_nested && !self.handling.native(Intent::ApproveInSubagents) {
            self.degrade(t, Intent::ApproveInSubagents);
        }
    }
}

/// The intent to be asked before a tool like this begins. A change that comes as a patch alone is a patch.
pub(super) fn approval_of(tool: &Tool) -> Option<Intent> {
    let is_patch = |part: &Content| matches!(part, Content::Diff(diff) if diff.patch.is_some() && diff.after.is_none());
    match tool.kind {
        ToolKind::Execute => Some(Intent::ApproveCommand),
        ToolKind::Read => Some(Intent::ApproveFileRead),
        ToolKind::Edit if tool.content.iter().any(is_patch) => Some(Intent::ApprovePatch),
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => Some(Intent::ApproveFileChange),
        _ => None,
    }
}

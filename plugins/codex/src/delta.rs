//! More text of an item: the one frequent thing.

use jackfield_sdk::prelude::*;

use crate::session::Codex;
use crate::wire::Notice;

impl Codex {
    /// A piece of text of this kind.
    pub(crate) fn delta(&mut self, cx: &mut Cx, id: &str, notice: Notice, kind: TextKind) {
        let scope = self.scope(id, notice.turn_id.as_deref());
        let delta = Delta { id: notice.item_id, kind, whole: false, text: notice.delta };
        cx.event_in(scope, EventBody::Delta(delta));
    }

    /// Another part of a thought's summary begins: what is told whole has a blank line there.
    pub(crate) fn summary_part(&mut self, cx: &mut Cx, id: &str, notice: Notice) {
        if notice.summary_index == 0 {
            return cx.silent("item/reasoning/summaryPartAdded");
        }
        self.delta(cx, id, Notice { delta: "\n\n".into(), ..notice }, TextKind::ReasoningSummary);
    }

    /// How a tool of an MCP server gets on, in its own words.
    pub(crate) fn progress(&mut self, cx: &mut Cx, id: &str, notice: Notice) {
        let text = format!("{}\n", notice.message.clone().unwrap_or_default());
        self.delta(cx, id, Notice { delta: text, ..notice }, TextKind::ToolOutput);
    }

    /// A change of files was told anew.
    pub(crate) fn patch_updated(&mut self, cx: &mut Cx, id: &str, notice: &Notice) {
        let item = Item::tool(notice.item_id.clone(), Status::Running, crate::item::changed(&notice.changes));
        let scope = self.scope(id, notice.turn_id.as_deref());
        cx.event_in(scope, EventBody::Items(vec![item]));
    }
}

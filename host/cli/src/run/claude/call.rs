//! Calls of tools, and plans that are proposed, which this envelope tells as calls: when each is told, and its result.

use super::frame::{Block, Denial, Frame, Said};
use super::frames::{Frames, fact};
use super::say;
use jackfield_core::contract::{Status, ToolKind};
use jackfield_core::event::{Item, ItemBody, SessionEvent};
use jackfield_core::id::ItemId;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// A call, as far as it is known.
pub(super) struct Call {
    /// The provider's id of it, or ours where it has none.
    pub id: String,
    pub name: String,
    pub input: Box<RawValue>,
    pub has_input: bool,
    item: Item,
    parent: Option<String>,
    told: bool,
}

/// The calls of the session, by their items.
#[derive(Default)]
pub(super) struct Calls(HashMap<ItemId, Call>);

impl Calls {
    pub fn get(&self, item: &ItemId) -> Option<&Call> {
        self.0.get(item)
    }

    /// Learns what is now known of a call. Once it was told it stays as it was told.
    pub fn know(&mut self, item: &ItemId, call: Call) {
        let known = self.0.entry(item.clone()).or_insert(Call { told: false, ..call.clone_untold() });
        if !known.told {
            *known = call;
        }
    }
}

impl Call {
    /// The call that an item is.
    pub fn of(item: &Item, parent: Option<String>) -> Option<Call> {
        let (name, input, has_input) = match &item.body {
            ItemBody::Tool { tool, .. } => {
                (say::tool_name(tool), say::raw(tool.input.as_deref()), tool.input.is_some())
            }
            ItemBody::ProposedPlan { text } => {
                let input = fact(item, "input").map(|json| say::raw(Some(json)));
                let plan = || say::raw_of(&HashMap::from([("plan", text)]));
                (say::PLAN_TOOL.to_owned(), input.unwrap_or_else(plan), !text.is_empty())
            }
            _ => return None,
        };
        let id = item.native_id.clone().unwrap_or_else(|| item.id.to_string());
        Some(Call { id, name, input, has_input, item: item.clone(), parent, told: false })
    }

    fn clone_untold(&self) -> Call {
        Call {
            id: self.id.clone(),
            name: self.name.clone(),
            input: self.input.clone(),
            has_input: self.has_input,
            item: self.item.clone(),
            parent: self.parent.clone(),
            told: false,
        }
    }
}

impl Frames {
    /// Tells a call, unless it was told.
    pub(super) fn tell_call(&mut self, item: &ItemId, out: &mut Vec<Frame>) {
        let Some(call) = self.calls.0.get_mut(item).filter(|call| !call.told) else { return };
        call.told = true;
        let block = Block::ToolUse { id: call.id.clone(), name: call.name.clone(), input: call.input.clone() };
        let (item, parent) = (call.item.clone(), call.parent.clone());
        self.say_block(&item, parent, block, out);
    }

    /// A call has ended. One that never began, and whose end the provider did not tell, was only announced.
    pub(super) fn call_ended(
        &mut self,
        event: &SessionEvent,
        item: &Item,
        parent: Option<String>,
        out: &mut Vec<Frame>,
    ) {
        let made = event.draft.origin.synthetic;
        if item.status == Status::Retracted {
            return;
        }
        if let Some(call) = Call::of(item, parent.clone()) {
            let told = self.calls.get(&item.id).is_some_and(|call| call.told);
            self.calls.know(&item.id, call);
            if !told && made && self.confirms_tools {
                return;
            }
        }
        self.tell_call(&item.id, out);
        let Some(call) = self.calls.get(&item.id) else { return };
        if item.status == Status::Declined {
            let denial =
                Denial { tool_name: call.name.clone(), tool_use_id: call.id.clone(), tool_input: call.input.clone() };
            self.turn.denials.push(denial);
        }
        // Without a word of the provider there is no result, where it promises one. A block of a broken message has none.
        if made && self.confirms_tools || !made && item.status == Status::Interrupted && !has_result(item) {
            return;
        }
        let (tool_use_id, parts) = (call.id.clone(), fact(item, "result-form") == Some("parts"));
        let content = match &item.body {
            ItemBody::Tool { tool, output, .. } => say::result_of(&tool.content, output, parts),
            _ => Said::Text(fact(item, "result").unwrap_or_default().to_owned()),
        };
        let result = Block::ToolResult { tool_use_id, content, is_error: is_error(item) };
        out.push(self.user(&item.id, parent, Said::Blocks(vec![result])));
    }
}

fn has_result(item: &Item) -> bool {
    match &item.body {
        ItemBody::Tool { tool, output, .. } => {
            !output.is_empty() || tool.content.iter().any(|part| say::block(part).is_some())
        }
        _ => fact(item, "result").is_some(),
    }
}

/// True for a call that did not do what it should. A command says so either way, the others only when it is so.
fn is_error(item: &Item) -> Option<bool> {
    let wrong = item.status != Status::Completed;
    let command = matches!(&item.body, ItemBody::Tool { tool, .. } if tool.kind == ToolKind::Execute);
    (wrong || command).then_some(wrong)
}

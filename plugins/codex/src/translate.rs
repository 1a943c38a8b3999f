//! What each method means. The table of this protocol: a method that is not here is `unknown`, by its name.
//!
//! **What is of a thread that nobody opened is a subagent's, or of a copy that waits to be opened**; of the first nothing is the main
//! thread's, of the second nothing is told.

use jackfield_sdk::jsonrpc::Incoming;
use jackfield_sdk::ndjson;
use jackfield_sdk::prelude::*;

use crate::account;
use crate::session::{Codex, Phase};
use crate::turn;
use crate::wire::Notice;

/// Understood, and of no interest to anybody; or of interest only in a thread that is open here.
const SILENT: &[&str] = &[
    "app/list/updated",
    "command/exec/outputDelta",
    "fs/changed",
    "fuzzyFileSearch/*",
    "hook/*",
    "item/autoApprovalReview/*",
    "item/commandExecution/terminalInteraction",
    "mcpServer/oauthLogin/completed",
    "rawResponseItem/completed",
    "remoteControl/status/changed",
    "skills/changed",
    "thread/archived",
    "thread/closed",
    "thread/compacted",
    "thread/deleted",
    "thread/goal/*",
    "thread/name/updated",
    "thread/queue/changed",
    "thread/readState/changed",
    "thread/realtime/*",
    "thread/reverted",
    "thread/settings/updated",
    "thread/started",
    "thread/status/changed",
    "thread/tokenUsage/updated",
    "thread/unarchived",
    // The older protocol's events, which say the same again.
    "codex/event/*",
];

impl Codex {
    pub(crate) fn translate(&mut self, cx: &mut Cx, frame: &Frame) {
        if frame.pipe == Pipe::Error {
            return self.complained(cx, frame);
        }
        let Some(peer) = &mut self.peer else { return cx.noise() };
        let Some(text) = ndjson::text(frame) else { return cx.noise() };
        match peer.accept(text) {
            Incoming::Answer(call, answer) => self.answered(cx, call, answer),
            Incoming::Call(id, method, params) => self.asked(cx, id, &method, params),
            Incoming::Notice(method, params) => {
                let notice = serde_json::from_value(params).unwrap_or_default();
                self.notice(cx, &method, notice);
            }
            Incoming::Stray(_) => cx.silent("answer/stray"),
            Incoming::Noise => cx.noise(),
        }
    }

    fn notice(&mut self, cx: &mut Cx, method: &str, notice: Notice) {
        if self.phase == Phase::Ended {
            return cx.silent("after-the-end");
        }
        match method {
            "configWarning" => self.config_warning(cx, &notice),
            "warning" => self.warning(cx, &notice),
            "deprecationNotice" => Self::deprecated(cx, &notice),
            "model/rerouted" => self.rerouted(cx, &notice),
            "account/updated" => self.account_updated(cx, &notice),
            "account/login/completed" => self.login_completed(cx, &notice),
            "account/rateLimits/updated" => {
                _ = notice.rate_limits.is_some_and(|limits| account::rate_limits(cx, &limits))
            }
            "mcpServer/startupStatus/updated" => self.server_told(cx, &notice),
            "serverRequest/resolved" => self.resolved(cx, &notice),
            "error" => self.turn_error(cx, &notice),
            _ => match notice.thread_id.clone() {
                Some(id) if self.threads.get(&id).is_some() => self.of_thread(cx, method, &id, notice),
                Some(id) if !self.copies.contains(&id) && is_work(method) && self.is_agent(cx, &id) => {
                    self.of_agent(cx, method, &id, notice)
                }
                Some(id) if self.copies.contains(&id) || self.agents.is(&id) => {}
                _ => beside(cx, method),
            },
        }
        if cx.said_nothing() {
            cx.silent(method);
        }
    }

    /// What happens in a thread of ours.
    fn of_thread(&mut self, cx: &mut Cx, method: &str, id: &str, notice: Notice) {
        match method {
            "turn/started" => self.turn_started(cx, id, &notice.turn),
            "turn/completed" => self.turn_completed(cx, id, &notice.turn),
            "turn/plan/updated" => {
                let scope = self.scope(id, notice.turn_id.as_deref());
                cx.event_in(scope, EventBody::Plan(turn::plan(&notice)));
            }
            "turn/diff/updated" => {
                let scope = self.scope(id, notice.turn_id.as_deref());
                cx.event_in(scope, EventBody::Changes(turn::changes(&notice.diff)));
            }
            "thread/tokenUsage/updated" => self.used(cx, id, &notice),
            "thread/name/updated" => self.named(cx, id, &notice),
            "thread/settings/updated" => self.settings_told(cx, id, &notice),
            "thread/closed" | "thread/archived" => self.closed(cx, id),
            "thread/deleted" => self.gone(cx, id),
            _ => self.of_item(cx, method, id, notice),
        }
    }

    /// What happens in a subagent's.
    fn of_agent(&mut self, cx: &mut Cx, method: &str, id: &str, notice: Notice) {
        match method {
            "turn/started" => self.agent_turn_started(cx, id, &notice.turn),
            "turn/completed" => self.agent_turn_completed(cx, id, &notice.turn),
            // Its list and its diff are not the main thread's.
            "turn/plan/updated" | "turn/diff/updated" => {}
            _ => self.of_item(cx, method, id, notice),
        }
    }

    fn of_item(&mut self, cx: &mut Cx, method: &str, id: &str, notice: Notice) {
        match method {
            "item/started" | "item/completed" => match &notice.item {
                Some(item) => self.item_told(cx, id, notice.turn_id.as_deref(), item, method == "item/completed"),
                None => cx.unknown(format!("{method} without an item")),
            },
            "item/agentMessage/delta" => self.delta(cx, id, notice, TextKind::Assistant),
            "item/plan/delta" => self.delta(cx, id, notice, TextKind::Plan),
            "item/reasoning/textDelta" => self.delta(cx, id, notice, TextKind::Reasoning),
            "item/reasoning/summaryTextDelta" => self.delta(cx, id, notice, TextKind::ReasoningSummary),
            "item/reasoning/summaryPartAdded" => self.summary_part(cx, id, notice),
            "item/commandExecution/outputDelta" | "item/fileChange/outputDelta" => {
                self.delta(cx, id, notice, TextKind::ToolOutput)
            }
            "item/fileChange/patchUpdated" => self.patch_updated(cx, id, &notice),
            "item/mcpToolCall/progress" => self.progress(cx, id, notice),
            _ => beside(cx, method),
        }
    }
}

/// What only a thread at work tells.
fn is_work(method: &str) -> bool {
    method.starts_with("turn/") || method.starts_with("item/")
}

fn beside(cx: &mut Cx, method: &str) {
    let is =
        |known: &&str| known.strip_suffix('*').map_or(**known == *method, |beginning| method.starts_with(beginning));
    if !SILENT.iter().any(is) {
        cx.unknown(method);
    }
}

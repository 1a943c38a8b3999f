//! A turn's end as the envelope tells it: one `result`, and before it the text in which the service's own error is told.
//!
//! The envelope has a trap: an error of the model's service is a `success` that `is_error`, with the error as the last text.
//! A turn that was stopped, or whose program or plugin broke, is `error_during_execution`.

use super::frame::{Block, Denial, Empty, Frame, OutputTokens, TurnResult, Usage};
use super::frames::{self, Frames};
use super::say;
use jackfield_core::contract::{Fault, Status, UsageSpan};
use jackfield_core::event::{RunStatus, SessionEvent};
use std::collections::BTreeSet;

/// The subtypes of a turn that broke off; a provider that has them says them as its own code.
const SUBTYPES: &[&str] =
    &["error_during_execution", "error_max_turns", "error_max_budget_usd", "error_max_structured_output_retries"];

/// Why a turn ended, in the words that the envelope knows as such; any other word is the model's.
const TERMINAL: &[&str] = &[
    "blocking_limit",
    "prompt_too_long",
    "image_error",
    "model_error",
    "api_error",
    "aborted_streaming",
    "aborted_tools",
    "stop_hook_prevented",
    "hook_stopped",
    "max_turns",
    "budget_exhausted",
];

/// What is known of the turn that is open.
#[derive(Default)]
pub(super) struct Turn {
    began_ms: u64,
    last_words: String,
    messages: BTreeSet<String>,
    usage: Usage,
    cost_usd: f64,
    pub denials: Vec<Denial>,
}

impl Turn {
    pub fn begin(at_ms: u64) -> Turn {
        Turn { began_ms: at_ms, ..Turn::default() }
    }

    pub fn said(&mut self, text: &str) {
        text.clone_into(&mut self.last_words);
    }

    pub fn message(&mut self, id: &str) {
        self.messages.insert(id.to_owned());
    }

    /// Counts of the turn; the money is the session's, as the envelope has it.
    pub fn count(&mut self, usage: &jackfield_core::contract::Usage) {
        let count = |name: &str| usage.counts.iter().find(|(known, _)| known == name).map(|(_, count)| *count);
        if usage.span == UsageSpan::Turn {
            let tokens = |name: &str| count(name).unwrap_or_default().max(0.0) as u64;
            self.usage = Usage {
                input_tokens: tokens("input"),
                output_tokens: tokens("output"),
                cache_creation_input_tokens: tokens("cache-write"),
                cache_read_input_tokens: tokens("cache-read"),
                output_tokens_details: OutputTokens { thinking_tokens: tokens("reasoning") },
                ..Usage::default()
            };
        }
        self.cost_usd = count("cost-usd").unwrap_or(self.cost_usd);
    }
}

/// How a run that had no turn ended; nothing is owed for one that ended well inside of another's turn.
pub(super) fn of_run(status: RunStatus) -> Option<Status> {
    match status {
        RunStatus::Failed => Some(Status::Failed),
        RunStatus::Interrupted => Some(Status::Interrupted),
        RunStatus::Cancelled | RunStatus::RolledBack => Some(Status::Cancelled),
        _ => None,
    }
}

/// Which end it is.
enum End {
    Well,
    /// The service failed, in these words.
    Service(String),
    /// It broke off.
    Broken(&'static str),
}

fn end(event: &SessionEvent, status: Status, fault: Option<&Fault>) -> End {
    let code = fault.and_then(|fault| fault.code.as_deref());
    let subtype = SUBTYPES.iter().find(|known| Some(**known) == code);
    match (status, fault, subtype) {
        (Status::Completed, ..) => End::Well,
        (Status::Failed, _, Some(subtype)) => End::Broken(subtype),
        // Said by a frame of the provider, or with its code: its service. Else its program or its plugin broke.
        (Status::Failed, Some(fault), None) if event.draft.origin.frame.is_some() || code.is_some() => {
            End::Service(fault.message.clone())
        }
        _ => End::Broken("error_during_execution"),
    }
}

impl Frames {
    /// An error of the service, as the envelope tells it: a text of the assistant's. The turn fails of it, or gets over it.
    pub(super) fn say_error(&mut self, event: &SessionEvent, fault: &Fault, out: &mut Vec<Frame>) {
        let (uuid, session_id) = self.signed(event, "error");
        let told = event.draft.origin.frame.is_some();
        let block = Block::Text { text: fault.message.clone(), citations: frames::citations(told) };
        self.turn.message(&uuid);
        let error = Some(say::error_word(fault.kind));
        let message = self.message(uuid.clone(), vec![block]);
        out.push(Frame::Assistant { message, parent_tool_use_id: None, error, uuid, session_id });
    }

    pub(super) fn turn_ended(
        &mut self,
        event: &SessionEvent,
        status: Status,
        reason: Option<&str>,
        fault: Option<&Fault>,
        out: &mut Vec<Frame>,
    ) {
        let end = end(event, status, fault);
        if let (End::Service(_), Some(fault)) = (&end, fault) {
            self.say_error(event, fault, out);
        }
        let turn = std::mem::take(&mut self.turn);
        let (subtype, result, errors) = match &end {
            End::Well => ("success", Some(turn.last_words), None),
            End::Service(text) => ("success", Some(text.clone()), None),
            End::Broken(subtype) => {
                (*subtype, None, Some(fault.map(|fault| fault.message.clone()).into_iter().collect()))
            }
        };
        let terminal = reason.filter(|reason| TERMINAL.contains(reason)).map(str::to_owned);
        let (uuid, session_id) = self.signed(event, "result");
        out.push(Frame::Result(Box::new(TurnResult {
            subtype,
            is_error: !matches!(end, End::Well),
            duration_ms: event.at_ms.saturating_sub(turn.began_ms),
            duration_api_ms: 0,
            num_turns: turn.messages.len(),
            result,
            errors,
            api_error_status: fault.and_then(|fault| fault.code.as_deref()?.parse().ok()),
            stop_reason: reason.filter(|_| terminal.is_none()).map(str::to_owned),
            terminal_reason: terminal,
            total_cost_usd: turn.cost_usd,
            usage: turn.usage,
            model_usage: Empty {},
            permission_denials: turn.denials,
            uuid,
            session_id,
        })));
    }
}

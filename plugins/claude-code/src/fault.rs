//! Why a turn failed, from what the program tells: the service's status first, then its own words for the kinds without a status.

use jackfield_sdk::prelude::*;

use crate::wire_session::TurnResult;

/// The fault of a status of the model's service; `text` is what the program made of it.
pub fn of_status(status: Option<u32>, text: &str) -> Fault {
    let kind = kind_of_status(status, text);
    let fault = Fault::new(kind, text);
    let fault = match status {
        Some(status) => fault.with_code(status.to_string()),
        None => fault,
    };
    fault.with_retry_if_it_passes()
}

fn kind_of_status(status: Option<u32>, text: &str) -> FaultKind {
    let says = |words: &[&str]| {
        let text = text.to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    match (status, status.and_then(FaultKind::of_http)) {
        (Some(429), _) if says(&["usage limit", "credit balance"]) => FaultKind::Quota,
        (Some(400), _) if says(&["prompt is too long", "context window"]) => FaultKind::ContextWindow,
        (Some(400), _) if says(&["credit balance"]) => FaultKind::Quota,
        (_, Some(kind)) => kind,
        _ if says(&["invalid api key", "/login", "oauth token"]) => FaultKind::Auth,
        _ if says(&["overloaded"]) => FaultKind::Overloaded,
        _ if says(&[
            "connection error",
            "unable to connect",
            "connection lost",
            "connection closed",
            "econnrefused",
            "enotfound",
        ]) =>
        {
            FaultKind::Network
        }
        _ => FaultKind::Unknown,
    }
}

/// How a turn ended: the status, and the fault when it failed. `interrupting` is whether we asked for its end.
pub fn of_result(result: &TurnResult, interrupting: bool) -> (Status, Option<Fault>) {
    let aborted = result.terminal_reason.as_deref().is_some_and(|reason| reason.starts_with("aborted"));
    let text = || match (&result.result, result.errors.as_slice()) {
        (Some(text), _) if !text.is_empty() => text.clone(),
        (_, []) => format!("The turn ended with `{}`.", result.subtype),
        (_, errors) => errors.join("\n"),
    };
    match result.subtype.as_str() {
        "success" if !result.is_error => (Status::Completed, None),
        // The trap of this protocol: a success that is an error.
        "success" => (Status::Failed, Some(of_status(result.api_error_status, &text()))),
        "error_during_execution" if aborted || (interrupting && result.terminal_reason.is_none()) => {
            (Status::Interrupted, None)
        }
        "error_during_execution" if no_conversation(&text()) => {
            (Status::Failed, Some(Fault::new(FaultKind::NotFound, text())))
        }
        "error_during_execution" if no_message(&text()) => {
            (Status::Failed, Some(Fault::new(FaultKind::NotFound, text()).with_code(NO_MESSAGE)))
        }
        "error_max_turns" | "error_max_budget_usd" => {
            (Status::Failed, Some(Fault::new(FaultKind::Quota, text()).with_code(result.subtype.clone())))
        }
        _ => (Status::Failed, Some(of_status(result.api_error_status, &text()).with_code(result.subtype.clone()))),
    }
}

/// The provider's word for how a turn ended. An older version calls a failure of the service `completed`, with a stop reason of its
/// own making; the newer one's word is used for both.
pub fn reason_of(result: &TurnResult) -> Option<String> {
    match result.terminal_reason.as_deref() {
        Some(reason) if reason != "completed" => Some(reason.to_owned()),
        _ if result.is_error && result.subtype == "success" => Some("api_error".to_owned()),
        _ => result.stop_reason.clone(),
    }
}

/// The program's words when a session to resume is not on disk; it has no code for it.
pub fn no_conversation(text: &str) -> bool {
    text.contains("No conversation found")
}

/// The program's words when a session that is to be made exists; it has no code for it.
pub fn in_use(text: &str) -> bool {
    text.contains("is already in use")
}

/// The code of a fault about a conversation that is there, but without the message to open it at.
const NO_MESSAGE: &str = "message-not-found";

/// The program's words when the message to open a conversation at is not in it.
fn no_message(text: &str) -> bool {
    text.contains("No message found with message.uuid")
}

/// The fault of a program that ended before or in the middle of its work.
pub fn of_exit(exit: &ChannelExit) -> Fault {
    let fault = Fault::channel_closed(exit);
    match exit.stderr_tail.as_str() {
        tail if no_conversation(tail) => Fault { kind: FaultKind::NotFound, retryable: false, ..fault },
        tail if no_message(tail) => {
            Fault { kind: FaultKind::NotFound, retryable: false, ..fault }.with_code(NO_MESSAGE)
        }
        tail if kind_of_status(None, tail) == FaultKind::Auth => {
            Fault { kind: FaultKind::Auth, retryable: false, ..fault }
        }
        _ => fault,
    }
}

//! Why something failed, by the program's own codes; its words decide nothing.

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::wire::TurnError;

/// The program's code for a call that it does not take: an unknown method, a wrong field, no such thread or turn. It has no finer one.
pub(crate) const REFUSED: i64 = -32600;

/// Answers a command with what became of its call.
pub(crate) fn answer(cx: &mut Cx, op: u32, outcome: Result<OpValue, RpcError>) {
    match outcome {
        Ok(value) => cx.done(op, value),
        Err(error) => cx.fail(op, of_call(&error)),
    }
}

/// The fault of a call that was refused.
pub(crate) fn of_call(error: &RpcError) -> Fault {
    let kind = match error.code {
        REFUSED | -32602 => FaultKind::Invalid,
        -32601 => FaultKind::Unsupported,
        -32001 => FaultKind::Overloaded,
        _ => FaultKind::Unknown,
    };
    error.fault(kind)
}

/// The fault of a turn, or of an attempt in it.
pub(crate) fn of_turn(error: &TurnError) -> Fault {
    let (word, status) = info(&error.codex_error_info);
    let kind = kind(word.as_deref(), status);
    let text = match &error.additional_details {
        Some(details) if !details.is_empty() => format!("{} ({details})", error.message),
        _ => error.message.clone(),
    };
    Fault { code: word, ..Fault::new(kind, text) }.with_retry_if_it_passes()
}

/// The word, and the status of the model's service where there was one.
fn info(info: &Value) -> (Option<String>, Option<u64>) {
    match info {
        Value::String(word) => (Some(word.clone()), None),
        Value::Object(members) => match members.iter().next() {
            Some((word, of)) => (Some(word.clone()), of["httpStatusCode"].as_u64()),
            None => (None, None),
        },
        _ => (None, None),
    }
}

fn kind(word: Option<&str>, status: Option<u64>) -> FaultKind {
    match (word, status) {
        (_, Some(401 | 403)) | (Some("unauthorized"), _) => FaultKind::Auth,
        (_, Some(402)) | (Some("usageLimitExceeded" | "sessionBudgetExceeded"), _) => FaultKind::Quota,
        (Some("contextWindowExceeded"), _) => FaultKind::ContextWindow,
        (_, Some(429)) | (Some("modelCap"), _) => FaultKind::RateLimit,
        (Some("serverOverloaded" | "internalServerError"), _) | (_, Some(500..=599)) => FaultKind::Overloaded,
        (Some("badRequest" | "unsupportedInputModality"), _) | (_, Some(400..=499)) => FaultKind::Invalid,
        (Some("sandboxError" | "cyberPolicy"), _) => FaultKind::Denied,
        (
            Some(
                "httpConnectionFailed"
                | "responseStreamConnectionFailed"
                | "responseStreamDisconnected"
                | "responseTooManyFailedAttempts",
            ),
            None,
        ) => FaultKind::Network,
        _ => FaultKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_fault_is_told_by_its_code_and_status() {
        for (info, kind, retryable) in [
            (json!("contextWindowExceeded"), FaultKind::ContextWindow, false),
            (json!("usageLimitExceeded"), FaultKind::Quota, false),
            (json!("serverOverloaded"), FaultKind::Overloaded, true),
            (json!({"httpConnectionFailed": {"httpStatusCode": 401}}), FaultKind::Auth, false),
            (json!({"responseTooManyFailedAttempts": {"httpStatusCode": 429}}), FaultKind::RateLimit, true),
            (json!({"responseStreamDisconnected": {"httpStatusCode": null}}), FaultKind::Network, true),
            (json!({"somethingNew": {}}), FaultKind::Unknown, false),
            (Value::Null, FaultKind::Unknown, false),
        ] {
            let error = TurnError { message: "no".into(), codex_error_info: info.clone(), additional_details: None };
            let fault = of_turn(&error);
            assert_eq!((fault.kind, fault.retryable), (kind, retryable), "{info}");
        }
    }
}

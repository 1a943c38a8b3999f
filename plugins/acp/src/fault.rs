//! Errors by class: the dialect's own rules first, then the protocol's codes, then those of HTTP that some agents pass on.

use jackfield_sdk::jsonrpc::RpcError;
use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::data::Data;

/// The fault of an error that answers this method.
pub(crate) fn of_error(data: &Data, method: &str, error: &RpcError) -> Fault {
    let text = message(error);
    let says = |rule: &crate::data::ErrorRule| match &rule.at {
        None => text.contains(&rule.says),
        Some(pointer) => {
            error.data.pointer(pointer).and_then(Value::as_str).is_some_and(|word| word.contains(&rule.says))
        }
    };
    let of_method = |rule: &&crate::data::ErrorRule| rule.method.as_deref().is_none_or(|only| only == method);
    let by_rule = data.errors.iter().filter(of_method).find(|rule| says(rule)).and_then(|rule| kind(&rule.kind));
    let kind = by_rule.unwrap_or_else(|| of_code(error.code));
    Fault::new(kind, text).with_code(error.code.to_string()).with_retry_if_it_passes()
}

fn of_code(code: i64) -> FaultKind {
    match code {
        -32000 => FaultKind::Auth,
        -32002 => FaultKind::NotFound,
        -32601 => FaultKind::Unsupported,
        -32602 => FaultKind::Invalid,
        -32600 | -32700 => FaultKind::Protocol,
        -32800 => FaultKind::Cancelled,
        // Of the others an agent may mean something of its own.
        400..=404 | 408 | 413 | 429 | 500..=599 => FaultKind::of_http(code as u32).unwrap_or(FaultKind::Unknown),
        _ => FaultKind::Unknown,
    }
}

/// What an error says to a person: its message, and the detail where the message says nothing. Some put a service's whole answer there.
fn message(error: &RpcError) -> String {
    let inner = serde_json::from_str::<Value>(&error.message).ok();
    let inner = inner.as_ref().and_then(|answer| answer.pointer("/error/message")).and_then(Value::as_str);
    let text = inner.unwrap_or(&error.message).trim();
    let detail = error.data.get("details").and_then(Value::as_str).filter(|detail| !text.contains(detail));
    match (text, detail) {
        ("", None) => format!("The agent answered with error {} and said no more.", error.code),
        ("" | "Internal error", Some(detail)) => detail.to_owned(),
        (text, Some(detail)) => format!("{text}: {detail}"),
        (text, None) => text.to_owned(),
    }
}

/// A kind by the contract's name of it.
fn kind(name: &str) -> Option<FaultKind> {
    Some(match name {
        "unsupported" => FaultKind::Unsupported,
        "invalid" => FaultKind::Invalid,
        "not-found" => FaultKind::NotFound,
        "conflict" => FaultKind::Conflict,
        "auth" => FaultKind::Auth,
        "denied" => FaultKind::Denied,
        "rate-limit" => FaultKind::RateLimit,
        "quota" => FaultKind::Quota,
        "context-window" => FaultKind::ContextWindow,
        "overloaded" => FaultKind::Overloaded,
        "network" => FaultKind::Network,
        "timeout" => FaultKind::Timeout,
        "cancelled" => FaultKind::Cancelled,
        "protocol" => FaultKind::Protocol,
        _ => return None,
    })
}

/// The fault of a failure that the agent told as text: by the dialect's rules, else of no known kind.
pub(crate) fn of_text(data: &Data, method: &str, text: &str) -> Fault {
    let error = RpcError { code: 0, message: text.to_owned(), data: Value::Null };
    Fault { code: None, ..of_error(data, method, &error) }
}

/// The fault of a program that ended.
pub(crate) fn of_exit(data: &Data, exit: &ChannelExit) -> Fault {
    let fault = Fault::channel_closed(exit);
    let rule =
        data.errors.iter().find(|rule| rule.method.as_deref() == Some("exit") && exit.stderr_tail.contains(&rule.says));
    match rule.and_then(|rule| kind(&rule.kind)) {
        Some(kind) => Fault { kind, retryable: false, ..fault },
        None => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fault(code: i64, message: &str, data: Value) -> (FaultKind, String) {
        let rules = json!({"errors": [
            {"says": "No previous sessions", "kind": "not-found"},
            {"at": "/errorKind", "says": "rate_limit", "kind": "rate-limit", "method": "session/prompt"},
        ]});
        let rules: Data = serde_json::from_value(rules).unwrap();
        let fault = of_error(&rules, "session/prompt", &RpcError { code, message: message.into(), data });
        (fault.kind, fault.message)
    }

    #[test]
    fn a_dialects_rules_come_before_the_codes() {
        let none = "No previous sessions found for this project.";
        assert_eq!(fault(-32603, "Internal error", json!({"details": none})), (FaultKind::NotFound, none.into()));
        assert_eq!(fault(-32603, "slow down", json!({"errorKind": "rate_limit"})).0, FaultKind::RateLimit);
        assert_eq!(fault(-32603, "rate_limit", Value::Null).0, FaultKind::Unknown, "the rule is about another place");
    }

    #[test]
    fn what_a_service_said_is_shown_and_not_its_wrapping() {
        let wrapped = r#"{"error":{"code":401,"status":"UNAUTHENTICATED","message":"bad key"}}"#;
        assert_eq!(fault(401, wrapped, Value::Null), (FaultKind::Auth, "bad key".into()));
        assert_eq!(fault(-32602, "Invalid params", json!({"details": "cwd"})).1, "Invalid params: cwd");
        assert!(fault(7, "", Value::Null).1.contains('7'));
    }
}

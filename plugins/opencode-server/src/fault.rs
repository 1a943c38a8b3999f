//! Why something failed, from the server's own classes: an HTTP status, or the name of an error. **Words decide nothing.**

use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::wire::Failure;

/// The word for a turn that was stopped.
pub(crate) const ABORTED: &str = "MessageAbortedError";

/// The fault of an error that the server names.
pub(crate) fn of_failure(failure: &Failure) -> Fault {
    let status = failure.data.status_code;
    let kind = match (failure.name.as_str(), status.and_then(FaultKind::of_http)) {
        ("ContextOverflowError", _) => FaultKind::ContextWindow,
        ("ProviderAuthError", _) => FaultKind::Auth,
        ("MessageOutputLengthError", _) => FaultKind::Quota,
        (ABORTED, _) => FaultKind::Cancelled,
        ("ProviderModelNotFoundError", _) => FaultKind::NotFound,
        (_, Some(kind)) => kind,
        _ => FaultKind::Unknown,
    };
    let text = match failure.data.message.as_str() {
        "" if failure.name.is_empty() => "The server did not say why.",
        "" => failure.name.as_str(),
        text => text,
    };
    let code = status.map_or_else(|| failure.name.clone(), |status| status.to_string());
    let fault = Fault::new(kind, text).with_code(code);
    match failure.data.is_retryable {
        Some(true) => fault.with_retry(None),
        _ => fault.with_retry_if_it_passes(),
    }
}

/// The body of a good answer, or the fault of any other.
pub(crate) fn body(response: HttpResponse, asked: &str) -> Result<Value, Fault> {
    let text = match &response.body {
        Some(FrameData::Text(text)) => text.as_str(),
        _ => "",
    };
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    if (200..300).contains(&response.status) {
        return Ok(value);
    }
    let kind = FaultKind::of_http(response.status).unwrap_or(FaultKind::Unknown);
    let told = [&value["data"]["message"], &value["message"], &value["error"]];
    let why = told.into_iter().find_map(Value::as_str).unwrap_or(text);
    let why: String = why.chars().take(500).collect();
    let text = format!("OpenCode refused to {asked} ({}): {why}", response.status);
    Err(Fault::new(kind, text.trim_end_matches([':', ' '])).with_code(response.status.to_string()))
}

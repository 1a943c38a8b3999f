//! Why a turn or a command failed, from what the program tells.
//!
//! The program has no codes: an error of the model's service is a text that begins with the HTTP status, else its class. **The status decides
//! where there is one; words only tell apart what has none.**

use jackfield_sdk::prelude::*;

/// The fault of an error of the model's service.
pub fn of_service(text: &str) -> Fault {
    let status = status(text);
    let kind = kind(status, text);
    let fault = Fault::new(kind, text);
    let fault = match status {
        Some(status) => fault.with_code(status.to_string()),
        None => fault,
    };
    fault.with_retry_if_it_passes()
}

/// The fault of a command that the program refused.
pub fn of_command(command: &str, text: &str) -> Fault {
    let kind = match text {
        text if text.starts_with("Unknown command") => FaultKind::Unsupported,
        text if text.contains("already processing") => FaultKind::Conflict,
        text if text.contains("No API key") || text.contains("/login") => FaultKind::Auth,
        text if text.contains("not found") => FaultKind::NotFound,
        text if text.starts_with("Nothing to compact") || text.starts_with("Already compacted") => FaultKind::Conflict,
        text if text.starts_with("Invalid entry ID") => FaultKind::NotFound,
        text => kind(status(text), text),
    };
    Fault::new(kind, format!("pi refused `{command}`: {text}"))
}

/// The fault of a program that ended before or in the middle of its work.
pub fn of_exit(exit: &ChannelExit) -> Fault {
    let fault = Fault::channel_closed(exit);
    match exit.stderr_tail.as_str() {
        tail if tail.contains("No session found") => Fault { kind: FaultKind::NotFound, retryable: false, ..fault },
        tail if tail.contains("No models available") || tail.contains("No API key") => {
            Fault { kind: FaultKind::Auth, retryable: false, ..fault }
        }
        _ => fault,
    }
}

fn status(text: &str) -> Option<u32> {
    let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|status| (400..600).contains(status))
}

fn kind(status: Option<u32>, text: &str) -> FaultKind {
    let text = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match (status, status.and_then(FaultKind::of_http)) {
        (Some(429), _) if says(&["quota", "usage limit"]) => FaultKind::Quota,
        (Some(400), _) if says(&["context", "too long", "maximum"]) => FaultKind::ContextWindow,
        (_, Some(kind)) => kind,
        _ if says(&["overloaded"]) => FaultKind::Overloaded,
        _ if says(&["rate limit", "too many requests"]) => FaultKind::RateLimit,
        // The words of the program's HTTP client for a stream that was cut.
        _ if says(&["terminated", "fetch failed", "connection", "other side closed", "econnrefused"]) => {
            FaultKind::Network
        }
        _ => FaultKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_decides_before_the_words() {
        for (text, expected) in [
            ("401 bad key", FaultKind::Auth),
            ("500 mock failure", FaultKind::Overloaded),
            ("429 slow down", FaultKind::RateLimit),
            ("400 prompt is too long", FaultKind::ContextWindow),
            ("404 overloaded", FaultKind::NotFound),
            ("terminated", FaultKind::Network),
            ("12 monkeys", FaultKind::Unknown),
            ("the 401st attempt", FaultKind::Unknown),
        ] {
            assert_eq!(of_service(text).kind, expected, "{text}");
        }
    }
}

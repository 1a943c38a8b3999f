//! What goes wrong in an exchange, each with its stable code.

use jackfield_core::contract::{Fault, FaultKind};

/// Why there is no answer, or no whole one.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum HttpError {
    #[error("nobody listens at {address}: {reason}")]
    Refused { address: String, reason: String },
    #[error("the program did not take a connection at {address} within {ms} ms (limit http_server_start_ms)")]
    NotUp { address: String, ms: u64 },
    #[error("at {address} listens a process that is none of the program's: it is not spoken to")]
    NotOurs { address: String },
    #[error("the program that serves it has ended")]
    ServerGone,
    #[error("no answer within {ms} ms (limit http_answer_ms)")]
    NoAnswer { ms: u64 },
    #[error("the answer came to a stop: silence for {ms} ms (limit http_body_ms)")]
    Stalled { ms: u64 },
    #[error(
        "the head of the answer is larger than {bytes} bytes or has more than {headers} headers (limits http_head_bytes, http_headers)"
    )]
    HeadTooLarge { bytes: u64, headers: u64 },
    #[error("the answer is larger than {bytes} bytes (limit http_body_bytes)")]
    BodyTooLarge { bytes: u64 },
    #[error("the server answers {status} and sends elsewhere; redirects are not followed")]
    Redirect { status: u16 },
    #[error("what the server says is no HTTP: {reason}")]
    Malformed { reason: String },
    #[error("the connection broke before the answer was whole: {reason}")]
    Cut { reason: String },
    #[error("the request can't be written: {reason}")]
    Request { reason: String },
}

impl HttpError {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "connection-refused",
            Self::NotUp { .. } => "server-not-up",
            Self::NotOurs { .. } => "server-not-ours",
            Self::ServerGone => "server-gone",
            Self::NoAnswer { .. } => "answer-timeout",
            Self::Stalled { .. } => "answer-stalled",
            Self::HeadTooLarge { .. } => "answer-head-too-large",
            Self::BodyTooLarge { .. } => "answer-too-large",
            Self::Redirect { .. } => "redirect-refused",
            Self::Malformed { .. } => "answer-malformed",
            Self::Cut { .. } => "answer-cut",
            Self::Request { .. } => "request-malformed",
        }
    }

    /// Of an error of the HTTP library's.
    pub(super) fn of(error: &hyper::Error, limits: &jackfield_core::limits::Limits) -> HttpError {
        let reason =
            std::error::Error::source(error).map_or_else(|| error.to_string(), |why| format!("{error}: {why}"));
        match error {
            error if error.is_parse_too_large() => {
                Self::HeadTooLarge { bytes: limits.http_head_bytes, headers: limits.http_headers }
            }
            error if error.is_parse() || error.is_parse_status() => Self::Malformed { reason },
            error if error.is_user() => Self::Request { reason },
            _ => Self::Cut { reason },
        }
    }

    pub(super) fn fault(&self) -> Fault {
        let kind = match self {
            Self::Refused { .. } | Self::ServerGone | Self::Cut { .. } => FaultKind::Network,
            Self::NotUp { .. } | Self::NoAnswer { .. } | Self::Stalled { .. } => FaultKind::Timeout,
            Self::NotOurs { .. } | Self::Redirect { .. } => FaultKind::Denied,
            Self::HeadTooLarge { .. } | Self::BodyTooLarge { .. } | Self::Malformed { .. } => FaultKind::Protocol,
            Self::Request { .. } => FaultKind::Invalid,
        };
        Fault { code: Some(self.code().to_owned()), ..crate::session::fault(kind, self.to_string()) }
    }
}

//! Things that a provider tells, with all that a test does not care for left empty.
#![allow(dead_code, reason = "each test uses a part of it")]

use jackfield_core::contract::{Request, Subject, Tool, ToolKind};

/// A command of this tool.
pub fn command(name: &str) -> Tool {
    Tool {
        kind: ToolKind::Execute,
        name: Some(name.into()),
        server: None,
        title: None,
        input: None,
        locations: vec![],
        content: vec![],
        exit_code: None,
        extra: vec![],
    }
}

/// A request with this id of the provider's.
pub fn question(id: &str) -> Request {
    Request {
        id: id.into(),
        item: None,
        subject: Subject::Questions,
        reason: None,
        options: vec![],
        questions: vec![],
        raw: None,
        expires_ms: None,
        extra: vec![],
    }
}

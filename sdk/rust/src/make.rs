//! Short ways to write the contract's shared records, commands and channel ends. They add nothing to the contract.

use crate::prelude::*;

impl FaultKind {
    /// What the status of an HTTP answer says of a call that failed; nothing below 400 and from 600 on.
    pub fn of_http(status: u32) -> Option<Self> {
        Some(match status {
            401 | 403 => FaultKind::Auth,
            402 => FaultKind::Quota,
            404 => FaultKind::NotFound,
            408 => FaultKind::Timeout,
            413 => FaultKind::ContextWindow,
            429 => FaultKind::RateLimit,
            400..=499 => FaultKind::Invalid,
            500..=599 => FaultKind::Overloaded,
            _ => return None,
        })
    }
}

impl Fault {
    /// A fault that another attempt would not change.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Fault { kind, message: message.into(), code: None, retryable: false, retry_after_ms: None, extra: vec![] }
    }

    /// Something is missing in what the provider can do.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Fault::new(FaultKind::Unsupported, message)
    }

    /// A channel ended while something waited for it.
    pub fn channel_closed(exit: &ChannelExit) -> Self {
        if let Some(fault) = &exit.fault {
            return fault.clone();
        }
        let how = match (exit.code, exit.signal) {
            (_, Some(signal)) => format!("was ended by signal {signal}"),
            (Some(code), None) => format!("ended with exit code {code}"),
            (None, None) => "ended".to_owned(),
        };
        let tail = exit.stderr_tail.trim();
        let tail =
            if tail.is_empty() { "It said nothing on stderr.".to_owned() } else { format!("Its last words: {tail}") };
        Fault::new(FaultKind::Network, format!("The provider's program {how}. {tail}")).with_retry(None)
    }

    /// With the provider's own code.
    pub fn with_code(self, code: impl Into<String>) -> Self {
        Fault { code: Some(code.into()), ..self }
    }

    /// May be tried again, when it is of a kind that passes: a limit of rate, an overload, the network, a deadline.
    pub fn with_retry_if_it_passes(self) -> Self {
        match self.kind {
            FaultKind::RateLimit | FaultKind::Overloaded | FaultKind::Network | FaultKind::Timeout => {
                self.with_retry(None)
            }
            _ => self,
        }
    }

    /// Worth another attempt, unchanged, perhaps not before so many milliseconds.
    pub fn with_retry(self, after_ms: Option<f64>) -> Self {
        Fault { retryable: true, retry_after_ms: after_ms, ..self }
    }
}

impl Note {
    /// A statement.
    pub fn new(level: Level, code: &str, text: impl Into<String>) -> Self {
        Note { level, code: code.into(), text: text.into(), fault: None }
    }
}

impl Thread {
    /// A thread of which nothing but its id and state is known.
    pub fn new(id: impl Into<String>, state: ThreadState) -> Self {
        Thread {
            id: id.into(),
            cursor: None,
            parent: None,
            replaces: None,
            state,
            title: None,
            preview: None,
            folder: None,
            modified_ms: None,
            extra: vec![],
        }
    }
}

impl Setting {
    /// A setting whose value is not known; no choices means free text.
    pub fn new(name: &str, label: &str, choices: Vec<Choice>) -> Self {
        Setting { name: name.into(), label: label.into(), value: None, choices, extra: vec![] }
    }

    /// With the value in force.
    pub fn with_value(self, value: impl Into<String>) -> Self {
        Setting { value: Some(value.into()), ..self }
    }
}

impl Choice {
    /// A value and how it is shown.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Choice { value: value.into(), label: label.into(), description: None, extra: vec![] }
    }

    /// With a sentence about it.
    pub fn with_description(self, description: impl Into<String>) -> Self {
        Choice { description: Some(description.into()), ..self }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Content::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Content::Text(text.into())
    }
}

impl Content {
    /// The refusal of a part like this, by a program of this name that takes none in a message.
    pub fn not_taken(&self, label: &str) -> Fault {
        let what = match self {
            Content::Text(_) => return Fault::unsupported(format!("{label} takes no text in a message.")),
            Content::Media(_) => "file",
            Content::Diff(_) => "diff",
            Content::Other(other) => &format!("`{}`", other.name),
        };
        Fault::unsupported(format!("{label} takes no {what} in a message; write it as text."))
    }
}

impl Message {
    /// A message that is one text. Its UUID is nil: for tests.
    pub fn of_text(text: impl Into<String>) -> Self {
        Message {
            content: vec![Content::Text(text.into())],
            turn: None,
            context: vec![],
            selection: vec![],
            uuid: "00000000-0000-4000-8000-000000000000".into(),
            enqueue: false,
            extra: vec![],
        }
    }

    /// Its texts, joined by blank lines; pictures and files are left out.
    pub fn text(&self) -> String {
        let texts: Vec<_> = self
            .content
            .iter()
            .filter_map(|part| if let Content::Text(text) = part { Some(text.as_str()) } else { None })
            .collect();
        texts.join("\n\n")
    }

    /// The context that goes along, for a program of this name that takes it as if the person had said it; other roles are refused.
    pub fn context_texts(&self, label: &str) -> Result<Vec<&str>, Fault> {
        let texts = self.context.iter().map(|part| match part.role {
            ContextRole::User | ContextRole::Handoff => Ok(part.text.as_str()),
            role => Err(Fault::unsupported(format!("{label} takes no context in the role {role:?} with a message."))),
        });
        texts.collect()
    }
}

impl ReadThread {
    /// What names the thread that is read: its cursor, else the command's thread.
    pub fn of_thread(&self, thread: Option<&str>) -> Result<String, Fault> {
        let named = self.cursor.as_deref().or(thread).map(str::to_owned);
        named.ok_or_else(|| Fault::new(FaultKind::Invalid, "Name the thread, or give its cursor."))
    }
}

impl Delivery {
    /// Where a message went, of a provider without turn ids.
    pub fn new(how: Delivered) -> Self {
        Delivery { how, turn: None }
    }
}

impl CommandBody {
    /// The command's name in the contract.
    pub fn name(&self) -> &str {
        match self {
            CommandBody::Start(_) => "start",
            CommandBody::OpenThread(_) => "open-thread",
            CommandBody::SendRun(_) => "send-run",
            CommandBody::SteerRun(_) => "steer-run",
            CommandBody::Interrupt(_) => "interrupt",
            CommandBody::Respond(_) => "respond",
            CommandBody::ReadThread(_) => "read-thread",
            CommandBody::RollbackThread(_) => "rollback-thread",
            CommandBody::ForkThread(_) => "fork-thread",
            CommandBody::CompactThread(_) => "compact-thread",
            CommandBody::ClearThread => "clear-thread",
            CommandBody::CloseThread => "close-thread",
            CommandBody::Summarize(_) => "summarize",
            CommandBody::SetSelection(_) => "set-selection",
            CommandBody::SetMcpServers(_) => "set-mcp-servers",
            CommandBody::RegisterTools(_) => "register-tools",
            CommandBody::StopTask(_) => "stop-task",
            CommandBody::WaitTask(_) => "wait-task",
            CommandBody::Authenticate(_) => "authenticate",
            CommandBody::ListFolders => "list-folders",
            CommandBody::ListThreads(_) => "list-threads",
            CommandBody::ListSettings => "list-settings",
            CommandBody::Other(other) => &other.name,
        }
    }
}

/// The value of a name in pairs; the last one wins.
pub(crate) fn pair<'a>(pairs: &'a Pairs, name: &str) -> Option<&'a str> {
    pairs.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

impl StartSession {
    /// A setting in force from the start.
    pub fn selected(&self, name: &str) -> Option<&str> {
        pair(&self.selection, name)
    }
}

impl OpenThread {
    /// A setting in force in this thread.
    pub fn selected(&self, name: &str) -> Option<&str> {
        pair(&self.selection, name)
    }
}

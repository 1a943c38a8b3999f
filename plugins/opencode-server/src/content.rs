//! What a message holds, as the server takes it: parts. **What it would drop without a word is refused before anything is sent.**

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

/// The parts of a message, or why it can't be sent.
pub(crate) fn of_message(message: &Message) -> Result<Vec<Value>, Fault> {
    let mut parts = vec![];
    for part in &message.context {
        match part.role {
            ContextRole::User | ContextRole::Handoff => parts.push(json!({"type": "text", "text": part.text})),
            role => {
                let text = format!("OpenCode takes no context in the role {role:?} with a message.");
                return Err(Fault::unsupported(text));
            }
        }
    }
    for part in &message.content {
        match part {
            Content::Text(text) => parts.push(json!({"type": "text", "text": text})),
            Content::Media(media) => parts.push(file(media)?),
            Content::Diff(_) => {
                return Err(Fault::unsupported("OpenCode takes no diff in a message; write it as text."));
            }
            Content::Other(other) => {
                let text = format!("OpenCode takes no `{}` in a message; write it as text.", other.name);
                return Err(Fault::unsupported(text));
            }
        }
    }
    if parts.is_empty() {
        return Err(Fault::new(FaultKind::Invalid, "The message is empty."));
    }
    Ok(parts)
}

fn file(media: &Media) -> Result<Value, Fault> {
    let name = media.name.as_deref().unwrap_or("attachment");
    match &media.base64 {
        Some(data) => {
            let url = format!("data:{};base64,{data}", media.mime);
            Ok(json!({"type": "file", "mime": media.mime, "filename": name, "url": url}))
        }
        None => Err(Fault::unsupported(format!("{name}: OpenCode takes a file only with its bytes."))),
    }
}

//! What a message holds, as the server takes it: parts. **What it would drop without a word is refused before anything is sent.**

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

/// The parts of a message, or why it can't be sent.
pub(crate) fn of_message(message: &Message) -> Result<Vec<Value>, Fault> {
    let mut parts: Vec<_> = message.context_texts("OpenCode")?.into_iter().map(text).collect();
    for part in &message.content {
        match part {
            Content::Text(words) => parts.push(text(words)),
            Content::Media(media) => parts.push(file(media)?),
            Content::Diff(_) | Content::Other(_) => return Err(part.not_taken("OpenCode")),
        }
    }
    if parts.is_empty() {
        return Err(Fault::new(FaultKind::Invalid, "The message is empty."));
    }
    Ok(parts)
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
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

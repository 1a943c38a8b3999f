//! Content blocks, both ways. **What the agent does not take is refused here, before anything is sent.** Tests: `tests/conversations.rs`.

use jackfield_sdk::base64;
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::shake::Agent;

/// The blocks of a message, or why it can't be sent.
pub(crate) fn of_message(label: &str, agent: &Agent, message: &Message) -> Result<Vec<Value>, Fault> {
    let context = message.context_texts(label)?.into_iter().map(|words| Ok(text(words)));
    let parts = message.content.iter().map(|part| match part {
        Content::Text(words) => Ok(text(words)),
        Content::Media(media) => attachment(label, agent, media),
        _ => Err(Fault::unsupported(format!("{label} takes only text, pictures, sounds and files in a message."))),
    });
    let blocks = context.chain(parts).collect::<Result<Vec<_>, _>>()?;
    if blocks.is_empty() { Err(Fault::new(FaultKind::Invalid, "The message is empty.")) } else { Ok(blocks) }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn attachment(label: &str, agent: &Agent, media: &Media) -> Result<Value, Fault> {
    let name = media.name.as_deref().or(media.uri.as_deref()).unwrap_or("attachment");
    let uri = media.uri.clone().unwrap_or_else(|| format!("attachment:///{name}"));
    let mime = media.mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let Some(data) = &media.base64 else {
        // Each agent takes a link.
        return match &media.uri {
            Some(uri) => Ok(json!({"type": "resource_link", "name": name, "uri": uri, "mimeType": mime})),
            None => Err(Fault::new(FaultKind::Invalid, format!("{name} has neither bytes nor a place."))),
        };
    };
    match mime.split('/').next().unwrap_or_default() {
        "image" if agent.image => Ok(json!({"type": "image", "mimeType": mime, "data": data})),
        "audio" if agent.audio => Ok(json!({"type": "audio", "mimeType": mime, "data": data})),
        "image" | "audio" => Err(not_taken(label, agent, name, &mime)),
        _ if !agent.embeds => Err(not_taken(label, agent, name, &mime)),
        kind => {
            let words = base64::decode(data).and_then(|bytes| String::from_utf8(bytes).ok());
            let resource = match words {
                Some(words) => json!({"uri": uri, "mimeType": mime, "text": words}),
                None if kind == "text" => {
                    let text = format!("{name} is said to be text, but it is no base64 of UTF-8.");
                    return Err(Fault::new(FaultKind::Invalid, text));
                }
                None => json!({"uri": uri, "mimeType": mime, "blob": data}),
            };
            Ok(json!({"type": "resource", "resource": resource}))
        }
    }
}

fn not_taken(label: &str, agent: &Agent, name: &str, mime: &str) -> Fault {
    let takes = [(agent.image, "pictures"), (agent.audio, "sounds"), (agent.embeds, "files")];
    let takes: Vec<&str> = takes.into_iter().filter_map(|(can, what)| can.then_some(what)).collect();
    let takes = if takes.is_empty() { "no attachments".to_owned() } else { takes.join(", ") };
    Fault::unsupported(format!(
        "{label} takes {takes}; {name} is `{mime}`. Put the file into the workspace and name it."
    ))
}

/// A block of the agent's.
pub(crate) fn of_block(block: &Value) -> Content {
    let word = |pointer: &str| block.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let media = |mime: Option<String>, base64, name, uri| {
        let mime = mime.unwrap_or_else(|| "application/octet-stream".to_owned());
        Content::Media(Media { mime, name, uri, base64 })
    };
    match block["type"].as_str() {
        Some("text") => Content::Text(word("/text").unwrap_or_default()),
        Some("image" | "audio") => media(word("/mimeType"), word("/data"), None, word("/uri")),
        Some("resource_link") => media(word("/mimeType"), None, word("/name"), word("/uri")),
        Some("resource") => match word("/resource/text") {
            Some(words) => Content::Text(words),
            None => media(word("/resource/mimeType"), word("/resource/blob"), None, word("/resource/uri")),
        },
        kind => Content::Other(Other { name: kind.unwrap_or("unknown").to_owned(), json: block.to_string() }),
    }
}

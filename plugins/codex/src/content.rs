//! What a message holds, as the program takes it: text and pictures. Other files it reads from the workspace.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

/// The input of a message, or why it cannot be sent. Context that no person typed goes ahead of it.
pub(crate) fn of_message(message: &Message) -> Result<Value, Fault> {
    let context = message.context_texts("Codex")?.into_iter().map(|words| Ok(text(words)));
    let input = context.chain(message.content.iter().map(part)).collect::<Result<Vec<_>, _>>()?;
    if input.is_empty() {
        return Err(Fault::new(FaultKind::Invalid, "The message is empty."));
    }
    Ok(Value::Array(input))
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text, "text_elements": []})
}

fn part(part: &Content) -> Result<Value, Fault> {
    match part {
        Content::Text(words) => Ok(text(words)),
        Content::Media(media) => picture(media),
        Content::Diff(_) | Content::Other(_) => Err(part.not_taken("Codex")),
    }
}

fn picture(media: &Media) -> Result<Value, Fault> {
    let name = media.name.as_deref().or(media.uri.as_deref()).unwrap_or("the attachment");
    match &media.base64 {
        Some(data) if media.mime.starts_with("image/") => {
            Ok(json!({"type": "image", "url": format!("data:{};base64,{data}", media.mime)}))
        }
        _ => {
            let text =
                format!("Codex takes pictures with their bytes only; put {name} into the workspace and name it.");
            Err(Fault::unsupported(text))
        }
    }
}

/// A message's parts, as the program tells them again.
pub(crate) fn told(parts: &[Value]) -> Vec<Content> {
    let part = |part: &Value| match part["type"].as_str() {
        Some("text") => Some(Content::Text(part["text"].as_str()?.to_owned())),
        Some("image") => Some(media(part["url"].as_str()?)),
        Some("localImage") => Some(link(part["path"].as_str()?)),
        Some("skill" | "mention") => Some(Content::Text(format!("@{}", part["name"].as_str()?))),
        _ => None,
    };
    parts.iter().filter_map(part).collect()
}

/// What a tool gave: texts and pictures of the model's service.
pub(crate) fn given(parts: &[Value]) -> Vec<Content> {
    let part = |part: &Value| match part["type"].as_str() {
        Some("inputText" | "text") => Some(Content::Text(part["text"].as_str()?.to_owned())),
        Some("inputImage") => Some(media(part["imageUrl"].as_str()?)),
        Some("image") => Some(Content::Media(Media {
            mime: part["mimeType"].as_str().unwrap_or("image/png").to_owned(),
            name: None,
            uri: None,
            base64: part["data"].as_str().map(str::to_owned),
        })),
        _ => None,
    };
    parts.iter().filter_map(part).collect()
}

/// A picture by its address, whose bytes may be in it.
fn media(url: &str) -> Content {
    let inside = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match inside {
        Some((mime, data)) => {
            Content::Media(Media { mime: mime.to_owned(), name: None, uri: None, base64: Some(data.to_owned()) })
        }
        None => link(url),
    }
}

fn link(address: &str) -> Content {
    let mime = "application/octet-stream".to_owned();
    Content::Media(Media { mime, name: None, uri: Some(address.to_owned()), base64: None })
}

//! What a message holds, as the program takes it: text, pictures, PDFs, files of text.
//!
//! One text stays text, so that a slash command works; more goes as blocks, context first. **What the program would pass on and its
//! service would refuse is refused here, before anything is sent.** Tests: `tests/messages.rs`.

use jackfield_sdk::base64;
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

/// Pictures that the model's service takes.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The content of a message, or why it cannot be sent.
pub(crate) fn of_message(message: &Message) -> Result<Value, Fault> {
    let context = message.context_texts("Claude Code")?.into_iter().map(|words| Ok(text(words)));
    let blocks = context.chain(message.content.iter().map(block)).collect::<Result<Vec<_>, _>>()?;
    match blocks.as_slice() {
        [] => Err(Fault::new(FaultKind::Invalid, "The message is empty.")),
        [block] if block["type"] == "text" => Ok(block["text"].clone()),
        _ => Ok(Value::Array(blocks)),
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn block(part: &Content) -> Result<Value, Fault> {
    match part {
        Content::Text(words) => Ok(text(words)),
        Content::Media(media) => attachment(media),
        Content::Diff(_) | Content::Other(_) => Err(part.not_taken("Claude Code")),
    }
}

fn attachment(media: &Media) -> Result<Value, Fault> {
    let name = media.name.as_deref().or(media.uri.as_deref()).unwrap_or("the attachment");
    let Some(data) = &media.base64 else {
        let text =
            format!("Claude Code takes {name} only with its bytes; put the file into the workspace and name it.");
        return Err(Fault::unsupported(text));
    };
    // Parameters (`; charset=utf-8`) are of no use to the service.
    let mime = media.mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let mut block = match mime.as_str() {
        picture if PICTURES.contains(&picture) => {
            return Ok(json!({"type": "image", "source": {"type": "base64", "media_type": picture, "data": data}}));
        }
        "application/pdf" => {
            json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data}})
        }
        words if is_text(words) => {
            let text = base64::decode(data).and_then(|bytes| String::from_utf8(bytes).ok());
            let text = text.ok_or_else(|| {
                Fault::new(FaultKind::Invalid, format!("{name} is said to be text, but it is no base64 of UTF-8."))
            })?;
            json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": text}})
        }
        other => {
            let takes = "pictures (PNG, JPEG, GIF, WebP), PDFs and text";
            let text =
                format!("Claude Code takes {takes}; {name} is `{other}`. Put the file into the workspace and name it.");
            return Err(Fault::unsupported(text));
        }
    };
    if let Some(name) = &media.name {
        block["title"] = json!(name);
    }
    Ok(block)
}

fn is_text(mime: &str) -> bool {
    let named =
        ["application/json", "application/xml", "application/toml", "application/yaml", "application/javascript"];
    mime.starts_with("text/")
        || named.contains(&mime)
        || mime.ends_with("+json")
        || mime.ends_with("+xml") && !mime.starts_with("image/")
}

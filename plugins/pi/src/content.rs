//! What a message holds, as the program takes it: one text, and pictures beside it.
//!
//! **What the program would drop without a word is refused before anything is sent.** The pictures' form rests on the program's
//! documentation; no recording has one.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

/// Pictures that the program passes on.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The text and the pictures of a message, or why it cannot be sent.
pub(crate) fn of_message(message: &Message, takes_no_pictures: bool) -> Result<(String, Vec<Value>), Fault> {
    let (mut texts, mut pictures) = (message.context_texts("pi")?, vec![]);
    for part in &message.content {
        match part {
            Content::Text(text) => texts.push(text),
            Content::Media(media) if takes_no_pictures => {
                return Err(not_taken(media, "the model in force takes text only"));
            }
            Content::Media(media) => pictures.push(picture(media)?),
            Content::Diff(_) | Content::Other(_) => return Err(part.not_taken("pi")),
        }
    }
    if texts.iter().all(|text| text.trim().is_empty()) {
        return Err(Fault::new(FaultKind::Invalid, "The message has no words; pi takes pictures only beside some."));
    }
    Ok((texts.join("\n\n"), pictures))
}

fn picture(media: &Media) -> Result<Value, Fault> {
    let mime = media.mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match &media.base64 {
        _ if !PICTURES.contains(&mime.as_str()) => {
            Err(not_taken(media, "pi takes pictures only (PNG, JPEG, GIF, WebP)"))
        }
        None => Err(not_taken(media, "pi takes a picture only with its bytes")),
        Some(data) => Ok(json!({"type": "image", "data": data, "mimeType": mime})),
    }
}

fn not_taken(media: &Media, why: &str) -> Fault {
    let name = media.name.as_deref().or(media.uri.as_deref()).unwrap_or("The attachment");
    Fault::unsupported(format!("{name}: {why}. Put the file into the workspace and name it."))
}

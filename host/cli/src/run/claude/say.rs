//! Words and shapes that more than one frame needs: ids, raw JSON, the names that the envelope gives to what events tell.

use super::frame::{Block, Said, Source};
use jackfield_core::contract::{Content, FaultKind, Media, Tool, ToolKind};
use jackfield_core::identity::digest;
use serde_json::value::RawValue;

/// The name of the tool that proposes a plan, in this envelope.
pub const PLAN_TOOL: &str = "ExitPlanMode";
/// The name of the tool that asks a person.
pub const QUESTION_TOOL: &str = "AskUserQuestion";

/// An id in the form of a UUID that follows from these parts, so that the same events give the same frames.
pub fn uuid(parts: &[&str]) -> String {
    let digits = digest(parts) + &digest(&[&["more"], parts].concat());
    format!("{}-{}-{}-{}-{}", &digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..32])
}

/// A JSON text as it is; what is no JSON becomes an empty object.
pub fn raw(json: Option<&str>) -> Box<RawValue> {
    json.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_else(|| raw_of(&super::frame::Empty {}))
}

/// A value as raw JSON.
pub fn raw_of(value: &impl serde::Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// A tool's name: with its server's in front where it has one.
pub fn tool_name(tool: &Tool) -> String {
    let name = tool.name.clone().unwrap_or_else(|| kind_name(tool.kind).to_owned());
    match &tool.server {
        Some(server) => format!("mcp__{server}__{name}"),
        None => name,
    }
}

/// What a front end knows a tool of this kind by, where the provider gave no name.
fn kind_name(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "Read",
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => "Edit",
        ToolKind::Search => "Grep",
        ToolKind::Execute => "Bash",
        ToolKind::Fetch => "WebFetch",
        ToolKind::Delegate => "Task",
        ToolKind::Ask => QUESTION_TOOL,
        _ => "Tool",
    }
}

/// What a tool gave. A change of files was told as the call's own input; the result is its words and pictures.
pub fn result_of(content: &[Content], output: &str, in_parts: bool) -> Said {
    let mut blocks: Vec<Block> = content.iter().filter_map(block).collect();
    if blocks.is_empty() && !output.is_empty() {
        blocks.push(text(output));
    }
    match blocks.as_mut_slice() {
        [] if !in_parts => Said::Text(String::new()),
        [Block::Text { text, .. }] if !in_parts => Said::Text(std::mem::take(text)),
        _ => Said::Blocks(blocks),
    }
}

/// A text outside of the assistant's messages.
pub fn text(text: &str) -> Block {
    Block::Text { text: text.to_owned(), citations: None }
}

/// A part as a block; a change of files is none.
pub fn block(part: &Content) -> Option<Block> {
    match part {
        Content::Text(said) => Some(text(said)),
        Content::Media(media) => picture(media),
        Content::Diff(_) | Content::Other(_) => None,
    }
}

fn picture(media: &Media) -> Option<Block> {
    let source = match (&media.base64, &media.uri) {
        (Some(data), _) => Source::Base64 { media_type: media.mime.clone(), data: data.clone() },
        (None, Some(url)) => Source::Url { url: url.clone() },
        (None, None) => return None,
    };
    Some(if media.mime.starts_with("image/") { Block::Image { source } } else { Block::Document { source } })
}

/// The envelope's word for why the service failed.
pub fn error_word(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Auth => "authentication_failed",
        FaultKind::Quota => "billing_error",
        FaultKind::RateLimit => "rate_limit",
        FaultKind::Overloaded | FaultKind::Network | FaultKind::Timeout => "server_error",
        FaultKind::Invalid | FaultKind::ContextWindow => "invalid_request",
        FaultKind::NotFound => "model_not_found",
        _ => "unknown",
    }
}

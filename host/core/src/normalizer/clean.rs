//! What is done to a provider's data before anybody sees it: labels scrubbed, texts bounded, numbers finite.
//!
//! **An assistant's words and a tool's input are never changed, only bounded.** Nothing here knows of turns or threads.

use crate::contract::{
    Account, Choice, Content, ContextChange, Fault, FileDiff, Login, McpState, Note, Offer, Pairs, Plan, Question,
    Retry, Setting, SlashCommand, Tool, Usage,
};
use crate::limits::Limits;
use crate::scrub;

/// A label, scrubbed in place.
pub(super) fn label(text: &mut String, limits: &Limits) {
    if let std::borrow::Cow::Owned(clean) = scrub::label(text, limits.label_bytes) {
        *text = clean;
    }
}

pub(super) fn maybe(text: &mut Option<String>, limits: &Limits) {
    text.iter_mut().for_each(|text| label(text, limits));
}

/// A provider's own id, as it came; one that is longer than a label is nobody's id.
pub(super) fn native(id: Option<&str>, limits: &Limits) -> Option<String> {
    id.filter(|id| id.len() as u64 <= limits.label_bytes && !id.chars().any(char::is_control)).map(str::to_owned)
}

/// A text that keeps its characters and is cut at the bound of one item.
pub(super) fn bound(text: &mut String, max_bytes: u64) {
    if text.len() as u64 > max_bytes {
        let end = (0..=max_bytes as usize).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
    }
}

/// The words of a session's end.
pub(super) fn ended(ended: &mut super::SessionEnded, limits: &Limits) {
    ended.fault.iter_mut().for_each(|one| fault(one, limits));
    ended.stderr_tail = scrub::error(&ended.stderr_tail, limits.stderr_tail_bytes);
}

/// A fault: its words bounded, without what steers a terminal, secrets hidden.
pub fn fault(fault: &mut Fault, limits: &Limits) {
    fault.message = scrub::error(&fault.message, limits.label_bytes);
    maybe(&mut fault.code, limits);
    finite(&mut fault.retry_after_ms);
    for (name, value) in &mut fault.extra {
        label(name, limits);
        *value = scrub::error(value, limits.label_bytes);
    }
}

pub(super) fn note(note: &mut Note, limits: &Limits) {
    label(&mut note.code, limits);
    note.text = scrub::error(&note.text, limits.label_bytes);
    note.fault.iter_mut().for_each(|why| fault(why, limits));
}

pub(super) fn tool(tool: &mut Tool, limits: &Limits) {
    for text in [&mut tool.name, &mut tool.server, &mut tool.title] {
        maybe(text, limits);
    }
    tool.input.iter_mut().for_each(|input| bound(input, limits.item_text_bytes));
    tool.locations.iter_mut().for_each(|location| label(&mut location.path, limits));
    contents(&mut tool.content, limits);
    pairs(&mut tool.extra, limits);
}

pub(super) fn contents(contents: &mut [Content], limits: &Limits) {
    for content in contents {
        match content {
            Content::Text(text) => bound(text, limits.item_text_bytes),
            Content::Diff(diff) => file_diff(diff, limits),
            Content::Media(media) => {
                label(&mut media.mime, limits);
                maybe(&mut media.name, limits);
            }
            Content::Other(other) => bound(&mut other.json, limits.unknown_raw_bytes),
        }
    }
}

pub(super) fn file_diff(diff: &mut FileDiff, limits: &Limits) {
    label(&mut diff.path, limits);
    maybe(&mut diff.moved_from, limits);
    for text in [&mut diff.before, &mut diff.after, &mut diff.patch].into_iter().flatten() {
        bound(text, limits.item_text_bytes);
    }
}

pub(super) fn plan(plan: &mut Plan, limits: &Limits) {
    maybe(&mut plan.explanation, limits);
    for step in &mut plan.steps {
        label(&mut step.text, limits);
        maybe(&mut step.priority, limits);
    }
}

pub(super) fn usage(usage: &mut Usage, limits: &Limits) {
    usage.counts.retain(|(_, count)| count.is_finite());
    usage.counts.iter_mut().for_each(|(name, _)| label(name, limits));
}

pub(super) fn context(change: &mut ContextChange, limits: &Limits) {
    finite(&mut change.tokens_before);
    finite(&mut change.tokens_after);
    change.summary.iter_mut().for_each(|text| bound(text, limits.item_text_bytes));
}

pub(super) fn settings(settings: &mut [Setting], limits: &Limits) {
    for setting in settings {
        label(&mut setting.label, limits);
        choices(&mut setting.choices, limits);
        pairs(&mut setting.extra, limits);
    }
}

pub(super) fn choices(choices: &mut [Choice], limits: &Limits) {
    for choice in choices {
        label(&mut choice.label, limits);
        maybe(&mut choice.description, limits);
        pairs(&mut choice.extra, limits);
    }
}

pub(super) fn commands(commands: &mut [SlashCommand], limits: &Limits) {
    for command in commands {
        label(&mut command.name, limits);
        label(&mut command.description, limits);
        maybe(&mut command.hint, limits);
    }
}

pub(super) fn servers(servers: &mut [McpState], limits: &Limits) {
    for server in servers {
        label(&mut server.name, limits);
        server.tools.iter_mut().for_each(|tool| label(tool, limits));
        server.message.iter_mut().for_each(|message| *message = scrub::error(message, limits.label_bytes));
    }
}

pub(super) fn account(account: &mut Account, limits: &Limits) {
    maybe(&mut account.label, limits);
    maybe(&mut account.plan, limits);
    for limit in &mut account.limits {
        label(&mut limit.name, limits);
        finite(&mut limit.used_percent);
        finite(&mut limit.resets_at_ms);
    }
}

pub(super) fn retry(retry: &mut Retry, limits: &Limits) {
    finite(&mut retry.delay_ms);
    fault(&mut retry.fault, limits);
}

/// Option ids stay as they are: they are sent back.
pub(super) fn offers(offers: &mut [Offer], limits: &Limits) {
    offers.iter_mut().for_each(|offer| label(&mut offer.label, limits));
}

pub(super) fn questions(questions: &mut [Question], limits: &Limits) {
    for question in questions {
        maybe(&mut question.header, limits);
        label(&mut question.text, limits);
        choices(&mut question.choices, limits);
    }
}

pub(super) fn login(login: &mut Login, limits: &Limits) {
    maybe(&mut login.url, limits);
    maybe(&mut login.code, limits);
    label(&mut login.text, limits);
}

/// A moment that came as a floating number.
pub(super) fn millis(value: f64) -> Option<u64> {
    (value.is_finite() && value >= 0.0).then_some(value as u64)
}

fn pairs(pairs: &mut Pairs, limits: &Limits) {
    for (name, value) in pairs {
        label(name, limits);
        label(value, limits);
    }
}

/// JSON has no infinity: what is not finite was not told.
fn finite(value: &mut Option<f64>) {
    *value = value.filter(|value| value.is_finite());
}

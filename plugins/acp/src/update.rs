//! `session/update`: what happens in a conversation. The table of this protocol: a kind that is not here is `unknown`, by its name.

use jackfield_sdk::prelude::*;
use serde_json::Value;

use crate::content;
use crate::dialect::AcpDialect;
use crate::replay::Voice;
use crate::session::Acp;
use crate::usage;
use crate::wire::{Commands, Entry, Notice, Opened, PlanUpdate, read};

impl<D: AcpDialect> Acp<D> {
    pub(crate) fn update(&mut self, cx: &mut Cx, mut params: Value) {
        let Some(id) = take_text(&mut params, "sessionId") else {
            return cx.unknown("session/update without a session");
        };
        let update = params.get_mut("update").map(Value::take).unwrap_or_default();
        if self.conversations.contains_key(&id) {
            return self.told(cx, &id, update);
        }
        if self.early.copying > 0 || self.early.copies.contains(&id) {
            // It is our own history, and is told again when somebody opens the copy.
            cx.duplicate();
        } else if self.early.keep(&id, update) {
            cx.held();
        } else {
            cx.unknown("session/update of another session");
        }
    }

    /// An update of a conversation that is known.
    pub(crate) fn told(&mut self, cx: &mut Cx, id: &str, mut update: Value) {
        self.trail_heard(id);
        if !self.dialect.update(&mut update) {
            return cx.silent("update");
        }
        let Some(kind) = take_text(&mut update, "sessionUpdate") else {
            return cx.unknown("session/update of no kind");
        };
        let parent = self.data.pointers.parent.as_ref().and_then(|pointer| update.pointer(pointer)?.as_str());
        let parent = parent.map(str::to_owned);
        match kind.as_str() {
            "agent_message_chunk" => self.chunk(cx, id, Voice::Assistant, update, parent),
            "agent_thought_chunk" => self.chunk(cx, id, Voice::Thought, update, parent),
            "user_message_chunk" => self.chunk(cx, id, Voice::User, update, parent),
            "tool_call" | "tool_call_update" => self.tool(cx, id, update, parent),
            "plan" => self.plan(cx, id, read(update)),
            "available_commands_update" => {
                let commands = read::<Commands>(update).available_commands.into_iter().map(|command| SlashCommand {
                    name: command.name,
                    description: command.description,
                    hint: command.input.hint.filter(|hint| !hint.is_empty()),
                    extra: vec![("kind".to_owned(), "command".to_owned())],
                });
                cx.event_in(self.scope(id), EventBody::SlashCommands(commands.collect()));
            }
            "current_mode_update" => {
                let mode = take_text(&mut update, "currentModeId").unwrap_or_default();
                self.setting(cx, id, "mode", &mode);
            }
            "config_option_update" => {
                if let (Some(options), Some(conversation)) =
                    (read::<Opened>(update).config_options, self.conversations.get_mut(id))
                {
                    conversation.settings.offer_options(&self.data, options);
                    self.tell_settings(cx, id);
                }
            }
            "session_info_update" => {
                let title = take_text(&mut update, "title").filter(|title| !title.is_empty());
                let conversation = self.conversations.get_mut(id);
                if let Some(conversation) = conversation.filter(|found| title.is_some() && found.title != title) {
                    conversation.title = title;
                    if !conversation.opening {
                        self.tell_thread(cx, id);
                    }
                }
            }
            "usage_update" => {
                if let Some(usage) = usage::of_update(&update) {
                    cx.event_in(self.scope(id), EventBody::Usage(usage));
                }
            }
            "notice" => {
                let note = note(read(update));
                cx.event_in(self.scope(id), EventBody::Note(note));
            }
            "compaction_update" => self.compaction(cx, id, read(update)),
            "compaction_summary_chunk" => self.compaction_piece(cx, id, read(update)),
            _ => return cx.unknown(format!("session/update/{kind}")),
        }
        if cx.said_nothing() {
            cx.silent(kind);
        }
    }

    fn chunk(&mut self, cx: &mut Cx, id: &str, voice: Voice, mut update: Value, parent: Option<String>) {
        let message = take_text(&mut update, "messageId");
        let mut block = update.get_mut("content").map(Value::take).unwrap_or_default();
        if self.replays(id) {
            return self.replay_piece(cx, id, voice, message, &block);
        }
        if voice == Voice::User {
            return self.echo(cx, id, message, &block);
        }
        let words = if block["type"] == "text" { take_text(&mut block, "text") } else { None };
        if let (Some(words), Some(before)) = (&words, &self.data.mode_text)
            && let Some(mode) = words.strip_prefix(before.as_str())
        {
            let mode = mode.trim().to_owned();
            return self.setting(cx, id, "mode", &mode);
        }
        let kind = if voice == Voice::Assistant { TextKind::Assistant } else { TextKind::Reasoning };
        let keeps_text = self.data.failed_end.is_some() && kind == TextKind::Assistant;
        let Some(conversation) = self.conversations.get_mut(id) else { return };
        let part = conversation.message.part(message, kind);
        if let (Some(turn), Some(words), true) = (&mut conversation.turn, &words, keeps_text) {
            turn.last_text.clone_from(words);
        }
        self.will_be_stored(cx, id);
        let scope = self.inside(id, parent);
        match words {
            Some(words) if words.is_empty() => cx.silent("empty chunk"),
            Some(text) => cx.event_in(scope, EventBody::Delta(Delta { id: part, kind, whole: false, text })),
            None => {
                let content = vec![content::of_block(&block)];
                let body = match voice {
                    Voice::Assistant => ItemBody::Assistant(content),
                    _ => ItemBody::Reasoning(content),
                };
                cx.event_in(scope, EventBody::Items(vec![Item::new(None, Status::Completed, body)]));
            }
        }
    }

    /// What the person said, told back; live, only what the host does not know is shown.
    fn echo(&mut self, cx: &mut Cx, id: &str, message: Option<String>, block: &Value) {
        let piece = content::of_block(block);
        let turn = self.conversations.get(id).and_then(|conversation| conversation.turn.as_ref());
        let known = match (&piece, turn) {
            (Content::Text(words), Some(turn)) => turn.said.contains(words.trim()),
            (Content::Text(words), None) => words.trim().is_empty(),
            _ => turn.is_some(),
        };
        if known {
            return cx.duplicate();
        }
        let said = UserMessage { op: None, typed: false, content: vec![piece] };
        cx.event_in(
            self.scope(id),
            EventBody::Items(vec![Item::new(message, Status::Completed, ItemBody::User(said))]),
        );
    }

    /// The todo list, whole. History tells it as it was; only the last one counts, and it is live soon.
    fn plan(&mut self, cx: &mut Cx, id: &str, plan: PlanUpdate) {
        if !std::mem::replace(&mut self.agent.plans, true) {
            self.negotiate(cx, Some(id));
        }
        let scope = if self.replays(id) { self.history(id) } else { self.scope(id) };
        let steps = plan.entries.into_iter().map(|Entry { content, status, priority }| PlanStep {
            priority,
            ..PlanStep::new(content, crate::wire::status(&status).unwrap_or(Status::Pending))
        });
        cx.event_in(scope, EventBody::Plan(Plan { id: None, explanation: None, steps: steps.collect() }));
    }

    fn setting(&mut self, cx: &mut Cx, id: &str, name: &str, value: &str) {
        if let Some(conversation) = self.conversations.get_mut(id)
            && conversation.settings.set(name, value)
        {
            self.tell_settings(cx, id);
        }
        if cx.said_nothing() {
            cx.silent("setting");
        }
    }

    /// Where something happened, inside of a call where the agent names one.
    pub(crate) fn inside(&self, id: &str, parent: Option<String>) -> Option<Scope> {
        match parent {
            Some(parent) => Some(Scope { parent: Some(parent), ..self.scope(id).unwrap_or_else(Scope::root) }),
            None => self.scope(id),
        }
    }
}

fn note(told: Notice) -> Note {
    let level = match told.severity.as_str() {
        "warning" => Level::Warning,
        "error" => Level::Error,
        _ => Level::Info,
    };
    let text = told.description.iter().fold(told.title, |text, more| format!("{text}: {more}"));
    Note::new(level, "notice", text)
}

/// A text of an object, taken out of it.
pub(crate) fn take_text(object: &mut Value, key: &str) -> Option<String> {
    match object.get_mut(key).map(Value::take) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

//! A line of input as a script writes it, and the order it becomes.
//!
//! `Line` is what may be written: its documentation and attributes are the schema that `jackfield schema input` prints.
//! `Order` is what can be carried out. **A field that a line does not have is refused: a misspelt `option` must not pass for a dismissal.**

use jackfield_core::contract::{Chosen, Content, Filled, Pairs, Reply};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// One line of input: a JSON object, known by its `type`. Each is answered by one `input.accepted` or `input.rejected`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// Says something: the first prompt, the next one, or a word into the run at work.
    #[schemars(extend("oneOf" = one_of(&["text", "content"])))]
    Message {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// What to say.
        #[serde(default)]
        text: Option<String>,
        /// What to say, in parts, as `run.created` shows them.
        #[serde(default)]
        content: Option<Vec<Content>>,
    },
    /// Answers a request: with an option that it offers, with values for its questions, or by closing it.
    #[schemars(extend("oneOf" = one_of(&["option", "answers", "dismiss"]), "dependentRequired" = json!({ "note": ["option"], "input": ["option"] })))]
    Answer {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// The request's id, from `request.opened`.
        request: String,
        /// The id of one of the request's `options`.
        #[serde(default)]
        option: Option<String>,
        /// A word to the provider, with an option.
        #[serde(default)]
        note: Option<String>,
        /// The tool's input as you changed it, with an option that allows.
        #[serde(default)]
        input: Option<Map<String, Value>>,
        /// Values for the request's `questions`.
        #[serde(default)]
        answers: Option<Vec<Filled>>,
        /// `true` closes the request without an answer, which never is consent.
        #[serde(default)]
        #[schemars(extend("const" = true))]
        dismiss: bool,
    },
    /// Stops the run at work; the conversation goes on with the next message.
    Interrupt {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
    },
    /// Chooses settings, such as `model` and `mode`. `settings.updated` lists them with their values.
    Settings {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
        /// Names with the values that are wanted.
        #[schemars(extend("minProperties" = 1))]
        values: BTreeMap<String, String>,
    },
    /// Ends the conversation now, in order: a run at work ends with it as interrupted.
    Close {
        /// Told again in the answer to this line.
        #[serde(default)]
        id: Option<String>,
    },
}

/// The types there are, for whoever wrote another.
pub const TYPES: [&str; 5] = ["message", "answer", "interrupt", "settings", "close"];

/// What a line asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    Message(Vec<Content>),
    Answer(String, Reply),
    Interrupt,
    Settings(Pairs),
    Close,
}

impl Line {
    /// What it asks for; or what is wrong with its fields.
    pub fn order(self) -> Result<Order, String> {
        Ok(match self {
            Line::Message { text, content, .. } => Order::Message(match (text, content) {
                (Some(text), None) => vec![Content::Text(text)],
                (None, Some(content)) => content,
                _ => return Err("give either `text` or `content`".into()),
            }),
            Line::Answer { request, option, note, input, answers, dismiss, .. } => {
                if option.is_none() && (note.is_some() || input.is_some()) {
                    return Err("`note` and `input` go with an `option`".into());
                }
                Order::Answer(
                    request,
                    match (option, answers, dismiss) {
                        (Some(option_id), None, false) => Reply::Chosen(Chosen {
                            option_id,
                            note,
                            input: input.map(|input| Value::Object(input).to_string()),
                        }),
                        (None, Some(answers), false) => Reply::Filled(answers),
                        (None, None, true) => Reply::Dismissed,
                        _ => return Err("give one of `option`, `answers` or `dismiss`".into()),
                    },
                )
            }
            Line::Interrupt { .. } => Order::Interrupt,
            Line::Settings { values, .. } if values.is_empty() => {
                return Err("`values` names no setting".into());
            }
            Line::Settings { values, .. } => Order::Settings(values.into_iter().collect()),
            Line::Close { .. } => Order::Close,
        })
    }
}

/// Exactly one of these fields is there.
fn one_of(fields: &[&str]) -> Value {
    fields.iter().map(|field| json!({ "required": [field] })).collect()
}

//! A message as the one argument that a program is given.

use jackfield_sdk::prelude::*;

/// The words of a message, or why it can't be sent. Nothing but words fits an argument.
pub(crate) fn text_of(message: &Message) -> Result<String, Fault> {
    let mut texts = vec![];
    for part in &message.context {
        match part.role {
            ContextRole::User | ContextRole::Handoff => texts.push(part.text.as_str()),
            role => return Err(Fault::unsupported(format!("No context in the role {role:?} is taken."))),
        }
    }
    for part in &message.content {
        match part {
            Content::Text(text) => texts.push(text),
            _ => return Err(Fault::unsupported("Only words are taken. Put the file into the workspace and name it.")),
        }
    }
    let text = texts.join("\n\n");
    if text.trim().is_empty() {
        return Err(Fault::new(FaultKind::Invalid, "The message is empty."));
    }
    Ok(text)
}

/// The holes of the program's arguments. The host checks them; a message is one argument, whatever it holds.
pub(crate) fn holes(text: String, model: Option<String>) -> Pairs {
    let model = model.map(|model| ("model".to_owned(), model));
    model.into_iter().chain([("message".to_owned(), text)]).collect()
}

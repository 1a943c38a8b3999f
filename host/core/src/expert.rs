//! A prompt for an expert role: the thread keeps and shows what the person wrote, and the provider gets it rewritten.
//!
//! A role travels as a part of the message's content, so that it is stored, queued and told with it like every other part.
//! **It is rewritten in one place, by a fixed rule, and only for a provider that takes rewritten prompts.** Tests: below.

use crate::contract::{Content, Other};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The name of the part that is a role.
const PART: &str = "expert";

/// A role that a prompt is written for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expert {
    /// Its name: `reviewer`.
    pub role: String,
    /// What one in it does and minds, for the model.
    pub prompt: String,
}

impl Expert {
    /// As a part of a message.
    pub fn part(&self) -> Content {
        Content::Other(Other { name: PART.to_owned(), json: serde_json::to_string(self).unwrap_or_default() })
    }

    fn of(part: &Content) -> Option<Result<Expert, String>> {
        let Content::Other(other) = part else { return None };
        (other.name == PART).then(|| serde_json::from_str(&other.json).map_err(|error| error.to_string()))
    }
}

/// True when a message is written for a role.
pub fn is_for_one(content: &[Content]) -> bool {
    content.iter().any(|part| Expert::of(part).is_some())
}

/// What is wrong with a message's role, where it has one.
pub fn check(content: &[Content]) -> Result<(), String> {
    let roles: Vec<_> = content.iter().filter_map(Expert::of).collect();
    match roles.as_slice() {
        [] => Ok(()),
        [Ok(one)] if one.role.trim().is_empty() || one.prompt.trim().is_empty() => {
            Err("an expert's role has a name and a prompt".into())
        }
        [Ok(_)] if content.iter().any(|part| matches!(part, Content::Text(_))) => Ok(()),
        [Ok(_)] => Err("a message for an expert has a text: that is what is rewritten".into()),
        [Err(problem)] => Err(format!("the expert's role is not understood: {problem}")),
        _ => Err("a message is for one expert".into()),
    }
}

/// The message as the provider gets it: as it was written, where it is for no role.
pub fn rewritten(content: &[Content]) -> Cow<'_, [Content]> {
    if !is_for_one(content) {
        return Cow::Borrowed(content);
    }
    let role = content.iter().find_map(Expert::of).and_then(Result::ok);
    let mut rest: Vec<Content> = content.iter().filter(|part| Expert::of(part).is_none()).cloned().collect();
    let text = rest.iter_mut().find_map(|part| if let Content::Text(text) = part { Some(text) } else { None });
    if let (Some(Expert { role, prompt }), Some(text)) = (role, text) {
        *text = format!("You are asked as {}.\n{}\n\n{text}", role.trim(), prompt.trim());
    }
    Cow::Owned(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_stays_and_the_provider_gets_it_rewritten() {
        let expert = Expert { role: "reviewer".into(), prompt: "Look for what breaks.".into() };
        let message = vec![Content::Text("Is this right?".into()), expert.part()];
        assert_eq!(check(&message), Ok(()));
        assert!(is_for_one(&message));
        let wanted = "You are asked as reviewer.\nLook for what breaks.\n\nIs this right?";
        assert_eq!(rewritten(&message).as_ref(), [Content::Text(wanted.into())]);
        let plain = vec![Content::Text("a".into()), Content::Other(Other { name: "more".into(), json: "1".into() })];
        assert_eq!(rewritten(&plain), plain);
    }

    #[test]
    fn a_role_that_can_not_be_carried_out_is_refused() {
        let text = || Content::Text("a".into());
        let role = |role: &str, prompt: &str| Expert { role: role.into(), prompt: prompt.into() }.part();
        let other = Content::Other(Other { name: PART.into(), json: "{}".into() });
        for (message, word) in [
            (vec![text(), role("", "x")], "name"),
            (vec![text(), role("x", " ")], "prompt"),
            (vec![role("x", "y")], "text"),
            (vec![text(), role("x", "y"), role("x", "y")], "one expert"),
            (vec![text(), other], "not understood"),
        ] {
            assert!(check(&message).expect_err(word).contains(word), "{message:?}");
        }
    }
}

//! What is promised to be asked before it is done, as settings tell it.

use crate::contract::Setting;

/// Kinds of calls that a person is asked about before each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Promise {
    pub commands: bool,
    pub reads: bool,
    pub changes: bool,
    pub patches: bool,
}

impl Promise {
    /// What the well-known setting `approvals` promises by this value; nothing is known of others.
    pub fn of_approvals(value: &str) -> Option<Self> {
        let changes = match value {
            "ask" => true,
            "edits" => false,
            "auto" | "never" => return Some(Self::of_words("")),
            _ => return None,
        };
        Some(Self { commands: true, reads: true, changes, patches: changes })
    }

    /// What a setting promises by the value that is in force.
    pub fn of(setting: &Setting) -> Option<Self> {
        let value = setting.value.as_deref()?;
        if setting.name == "approvals" {
            return Self::of_approvals(value);
        }
        let choice = setting.choices.iter().find(|choice| choice.value == value)?;
        let (_, words) = choice.extra.iter().find(|(name, _)| name == "asks")?;
        Some(Self::of_words(words))
    }

    fn of_words(words: &str) -> Self {
        let has = |word| words.split_whitespace().any(|one| one == word);
        Self { commands: has("commands"), reads: has("reads"), changes: has("changes"), patches: has("patches") }
    }

    /// What both promise.
    pub fn and(self, other: Self) -> Self {
        Self {
            commands: self.commands && other.commands,
            reads: self.reads && other.reads,
            changes: self.changes && other.changes,
            patches: self.patches && other.patches,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Choice;

    #[test]
    fn a_choice_says_what_is_asked_in_it() {
        let choice = |value: &str, asks: Option<&str>| Choice {
            value: value.into(),
            label: value.into(),
            description: None,
            extra: asks.map(|asks| ("asks".to_owned(), asks.to_owned())).into_iter().collect(),
        };
        let setting = |value: &str| Setting {
            name: "mode".into(),
            label: "Mode".into(),
            value: Some(value.into()),
            choices: vec![choice("careful", Some("changes commands")), choice("free", Some("")), choice("odd", None)],
            extra: vec![],
        };
        let careful = Promise::of(&setting("careful")).expect("it says so");
        assert!(careful.changes && careful.commands && !careful.reads && !careful.patches);
        assert_eq!(Promise::of(&setting("free")), Some(Promise::of_words("")));
        assert_eq!(Promise::of(&setting("odd")), None);
        assert_eq!(careful.and(Promise::of_words("changes")), Promise::of_words("changes"));
    }
}

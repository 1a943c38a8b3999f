//! On the recordings a promise is found broken exactly where the list says: `tests/recordings/honesty.json`, each entry with
//! the argument of somebody who read the frames.

use super::seen::{Play, Problem};
use anyhow::{Context, Result};
use jackfield_core::event::EventBody;
use std::collections::BTreeMap;

/// By recording (`folder/name`): flags that it shows broken, each with why that is so.
pub type Broken = BTreeMap<String, BTreeMap<String, String>>;

/// The list.
pub fn list() -> Result<Broken> {
    let path = xtask::root().join("tests/recordings/honesty.json");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

/// What a play shows that the list does not say, and the other way round.
pub fn judge(play: &Play, name: &str, list: &Broken) -> Vec<Problem> {
    let mut expected = list.get(name).cloned().unwrap_or_default();
    let mut problems = Vec::new();
    for event in play.conversations.iter().flat_map(|conversation| &conversation.events) {
        if let EventBody::CapabilityDemoted { flag, because, .. } = &event.draft.body
            && expected.remove(flag).is_none()
        {
            let text = format!("{flag} was declared and not kept, and is not on the list: {because}");
            problems.push(Problem::new("honesty", text));
        }
    }
    let held = expected.keys().map(|flag| Problem::new("honesty", format!("{flag} is on the list, and holds")));
    problems.extend(held);
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::seen::Conversation;
    use jackfield_core::capability::flag;
    use jackfield_core::contract::CapabilityValue;
    use jackfield_core::event::{Draft, SessionEvent};
    use jackfield_core::id::ThreadId;

    #[test]
    fn the_list_names_flags_and_argues() {
        for (recording, flags) in list().expect("the list") {
            for (name, why) in flags {
                assert!(flag(&name).is_some() && why.len() > 40, "{recording}: {name}: {why}");
            }
        }
    }

    #[test]
    fn both_what_is_missing_and_what_is_too_much_is_a_problem() {
        let thread = ThreadId::from_digits("1");
        let body =
            EventBody::CapabilityDemoted { flag: "a.b".into(), to: CapabilityValue::Flag(false), because: "so".into() };
        let event = SessionEvent { seq: 1, at_ms: 0, thread: thread.clone(), draft: Draft::from(body) };
        let conversation = Conversation {
            thread,
            names: Default::default(),
            openings: 1,
            sittings: vec![],
            events: vec![event],
            live: vec![],
        };
        let play = Play { conversations: vec![conversation], latest: None, problems: vec![] };
        let entry = |name: &str| BTreeMap::from([(name.to_owned(), "why".to_owned())]);
        assert_eq!(judge(&play, "r", &BTreeMap::from([("r".to_owned(), entry("a.b"))])), []);
        assert_eq!(judge(&play, "r", &BTreeMap::new()).len(), 1);
        assert_eq!(judge(&play, "r", &BTreeMap::from([("r".to_owned(), entry("c.d"))])).len(), 2);
    }
}

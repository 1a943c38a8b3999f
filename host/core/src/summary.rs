//! A summary of a thread by a fixed rule, where nobody can write one: what was said, the oldest left out first.
//!
//! **The same thread gives the same summary.** It understands nothing, and its first line says so. Tests: below.

use crate::contract::Content;
use crate::event::ItemBody;
use crate::projection::Snapshot;

/// What is put in place of what was left out.
const LEFT_OUT: &str = "[older messages are left out]";

/// What was said in a thread, in at most so many characters.
pub fn local_summary(snapshot: &Snapshot, max_chars: u64) -> String {
    let taken_back =
        |turn: &crate::id::TurnId| snapshot.turns.iter().any(|known| known.id == *turn && known.rolled_back);
    let kept =
        snapshot.items.iter().filter(|shown| shown.parent.is_none() && !shown.turn.as_ref().is_some_and(taken_back));
    let lines: Vec<String> = kept.filter_map(|shown| line(&shown.item.body)).collect();
    let room = (max_chars as usize).saturating_sub(LEFT_OUT.len() + 1);
    let (mut used, mut from) = (0, lines.len());
    while from > 0 && used + lines[from - 1].chars().count() < room {
        from -= 1;
        used += lines[from].chars().count() + 1;
    }
    let mut kept: Vec<&str> = lines[from..].iter().map(String::as_str).collect();
    if from > 0 {
        kept.insert(0, LEFT_OUT);
    }
    kept.join("\n")
}

fn line(body: &ItemBody) -> Option<String> {
    let (who, text) = match body {
        ItemBody::UserMessage { typed: true, content } => {
            let texts = content
                .iter()
                .filter_map(|part| if let Content::Text(text) = part { Some(text.as_str()) } else { None });
            ("Person", texts.collect::<Vec<_>>().join(" "))
        }
        ItemBody::AssistantMessage { text, .. } => ("Assistant", text.clone()),
        _ => return None,
    };
    (!text.trim().is_empty()).then(|| format!("{who}: {}", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Status;
    use crate::event::Item;
    use crate::id::ItemId;
    use crate::lifecycle::Kept;
    use crate::projection::ShownItem;

    fn said(texts: &[&str]) -> Snapshot {
        let item = |text: &&str| {
            let body = ItemBody::AssistantMessage { text: (*text).into(), media: vec![] };
            let item = serde_json::json!({ "id": ItemId::from_digits("1"), "ordinal": 1, "status": Status::Completed });
            let mut item: serde_json::Value = item;
            for (name, value) in serde_json::to_value(body).expect("plain data").as_object().expect("an object") {
                item[name] = value.clone();
            }
            let item: Kept<Item> = serde_json::from_value(item).expect("an item");
            ShownItem { run: None, turn: None, parent: None, correlation: None, replayed: false, item }
        };
        Snapshot { items: texts.iter().map(item).collect(), ..Snapshot::default() }
    }

    #[test]
    fn the_oldest_is_left_out_first_and_that_is_said() {
        let thread = said(&["first words", "second words", "third words"]);
        assert_eq!(
            local_summary(&thread, 1_000),
            "Assistant: first words\nAssistant: second words\nAssistant: third words"
        );
        let short = local_summary(&thread, 60);
        assert_eq!(short, "[older messages are left out]\nAssistant: third words");
        assert!(short.chars().count() <= 60);
        assert_eq!(local_summary(&thread, 0), LEFT_OUT);
    }
}

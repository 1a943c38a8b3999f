//! A tool's input, remembered by its digest: equal inputs have equal digests, however they were written down.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Digest of an input; an absent one is like none other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InputDigest([u8; 32]);

impl InputDigest {
    /// Of this input.
    pub(super) fn of(input: Option<&Value>) -> Self {
        let mut hash = Sha256::new();
        match input {
            None => hash.update(b"absent"),
            Some(value) => feed(&mut hash, value),
        }
        InputDigest(hash.finalize().into())
    }
}

/// Feeds a value so that no two different values feed the same bytes; keys in order, `1.0` as `1`.
fn feed(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hash.update(b"n"),
        Value::Bool(true) => hash.update(b"t"),
        Value::Bool(false) => hash.update(b"f"),
        Value::Number(number) => {
            hash.update(b"#");
            // A JavaScript or JSON round trip may turn 1.0 into 1; beyond 2^53 whole numbers differ from their floats.
            match number.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < 9.0e15) {
                Some(whole) => text(hash, &(whole as i64).to_string()),
                None => text(hash, &number.to_string()),
            }
        }
        Value::String(string) => {
            hash.update(b"s");
            text(hash, string);
        }
        Value::Array(list) => {
            hash.update(b"[");
            hash.update((list.len() as u64).to_le_bytes());
            list.iter().for_each(|item| feed(hash, item));
        }
        Value::Object(map) => {
            hash.update(b"{");
            hash.update((map.len() as u64).to_le_bytes());
            let mut keys: Vec<_> = map.iter().collect();
            keys.sort_by_key(|(key, _)| *key);
            for (key, item) in keys {
                text(hash, key);
                feed(hash, item);
            }
        }
    }
}

fn text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn same(a: Value, b: Value) -> bool {
        InputDigest::of(Some(&a)) == InputDigest::of(Some(&b))
    }

    #[test]
    fn order_and_spelling_of_numbers_do_not_matter() {
        assert!(same(json!({"a": 1, "b": [2.0]}), json!({"b": [2], "a": 1.0})));
        assert!(same(json!(-0.0), json!(0)));
    }

    #[test]
    fn everything_else_does() {
        for (a, b) in [
            (json!(1), json!("1")),
            (json!(-10), json!(10)),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64)),
            (json!([1, [2]]), json!([[1], 2])),
            (json!({"ab": "c"}), json!({"a": "bc"})),
            (json!(null), json!({})),
            (json!(["a", "b"]), json!(["ab"])),
        ] {
            assert!(!same(a.clone(), b.clone()), "{a} {b}");
        }
        assert_ne!(InputDigest::of(None), InputDigest::of(Some(&json!(null))));
    }
}

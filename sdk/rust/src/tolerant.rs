//! Reading JSON of a program that changes without asking: a field of the wrong type costs that field, never the frame.
//!
//! Use with serde: `#[serde(default, deserialize_with = "tolerant::lossy")]`. Tests: below.

use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A field that falls back to its default when it is `null` or of another type.
pub fn lossy<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).unwrap_or_default())
}

/// A list whose elements are read one by one: a bad one costs only itself; something that is no list is empty.
pub fn lossy_list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Ok(match Value::deserialize(deserializer)? {
        Value::Array(values) => values.into_iter().filter_map(|value| serde_json::from_value(value).ok()).collect(),
        _ => Vec::new(),
    })
}

/// A text as a JSON object, in a type that knows a part of it; nothing when it is none.
pub fn object<T: DeserializeOwned>(text: &str) -> Option<T> {
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    serde_json::from_value(Value::Object(object)).ok()
}

/// JSON kept exactly as it came, for what is passed on and not understood here.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Raw(pub Box<RawValue>);

impl Raw {
    /// The text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Parsed into a type that knows a part of it; its default when it does not fit.
    pub fn lossy<T: DeserializeOwned + Default>(&self) -> T {
        // By way of a value: types are read from values elsewhere, too, and their code exists once.
        serde_json::from_str(self.0.get()).and_then(serde_json::from_value::<T>).unwrap_or_default()
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

/// A text in an object, when it is one.
pub fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

/// A number in an object, when it is one.
pub fn number(object: &Map<String, Value>, key: &str) -> Option<f64> {
    object.get(key)?.as_f64()
}

/// A flag in an object, when it is one.
pub fn flag(object: &Map<String, Value>, key: &str) -> Option<bool> {
    object.get(key)?.as_bool()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct Step {
        name: String,
        #[serde(deserialize_with = "lossy")]
        count: Option<u32>,
    }

    #[derive(Debug, Deserialize)]
    struct Frame {
        #[serde(default, deserialize_with = "lossy")]
        step: Step,
        #[serde(default, deserialize_with = "lossy_list")]
        steps: Vec<Step>,
        input: Option<Raw>,
    }

    fn read(text: &str) -> Frame {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_wrong_type_costs_only_its_field() {
        assert_eq!(read(r#"{"step":{"name":"a","count":"many"}}"#).step, Step { name: "a".into(), count: None });
        assert_eq!(read(r#"{"step":7}"#).step, Step::default());
        assert_eq!(read(r#"{"step":null,"new":1}"#).step, Step::default());
    }

    #[test]
    fn a_bad_element_costs_only_itself() {
        let names: Vec<_> = read(r#"{"steps":[{"name":"a"},3,{"name":[]},{"name":"b"}]}"#)
            .steps
            .into_iter()
            .map(|step| step.name)
            .collect();
        assert_eq!(names, ["a", "b"]);
        assert!(read(r#"{"steps":{"no":"list"}}"#).steps.is_empty());
    }

    #[test]
    fn what_is_no_object_is_nothing() {
        assert_eq!(object::<Step>(r#" {"name":"a","new":1}"#), Some(Step { name: "a".into(), count: None }));
        for other in ["", "7", "[]", r#"["a",1]"#, "null", r#"{"name":"a"} x"#, "{"] {
            assert_eq!(object::<Step>(other), None, "{other}");
        }
    }

    #[test]
    fn raw_json_keeps_its_text() {
        let input = read(r#"{"input":{"b": 1.0,"a":"é"}}"#).input.unwrap();
        assert_eq!(input.text(), r#"{"b": 1.0,"a":"é"}"#);
        assert_eq!(input.lossy::<Step>(), Step::default());
    }
}

//! A plugin's options and the values an operator sets for them: the part of JSON Schema that a manifest may use, checked whole.
//!
//! **Every keyword a schema uses is applied, or the manifest is refused: no value passes because a rule was not understood.**
//! What a keyword would need beyond this (references, patterns, alternatives) is left out on purpose: a form can be drawn from
//! what is here. It changes no value and fills in no default. Tests: `tests.rs` beside this file.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

/// Keywords that say something to a person and bound nothing.
const TOLD: &[&str] =
    &["title", "description", "default", "examples", "deprecated", "format", "$schema", "$comment", "readOnly"];

/// Keywords that bound a value; [`misfit`] applies each.
const APPLIED: &[&str] = &[
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "required",
    "additionalProperties",
];

const TYPES: &[&str] = &["string", "boolean", "integer", "number", "array", "object", "null"];

/// Why a schema of options can't be used: where, and what it should be.
pub fn check_schema(schema: &Map<String, Value>, at: &str) -> Result<(), (String, String)> {
    for (keyword, value) in schema {
        let key = format!("{at}.{keyword}");
        let wrong = |expected: &str| Err((key.clone(), expected.to_owned()));
        match keyword.as_str() {
            "type" if !value.as_str().is_some_and(|name| TYPES.contains(&name)) => {
                return wrong("one of string, boolean, integer, number, array, object, null");
            }
            "enum" | "required" if value.as_array().is_none_or(Vec::is_empty) => {
                return wrong("a list that is not empty");
            }
            "required" if !value.as_array().is_some_and(|list| list.iter().all(Value::is_string)) => {
                return wrong("a list of names");
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" if !value.is_number() => {
                return wrong("a number");
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" if !value.is_u64() => return wrong("a whole number"),
            "uniqueItems" if !value.is_boolean() => return wrong("true or false"),
            "items" => match value {
                Value::Object(inner) => check_schema(inner, &key)?,
                _ => return wrong("a schema"),
            },
            "additionalProperties" => match value {
                Value::Object(inner) => check_schema(inner, &key)?,
                Value::Bool(_) => {}
                _ => return wrong("true, false or a schema"),
            },
            "properties" => {
                let Value::Object(properties) = value else { return wrong("a table of schemas") };
                for (name, inner) in properties {
                    match inner {
                        Value::Object(inner) => check_schema(inner, &format!("{key}.{name}"))?,
                        _ => return Err((format!("{key}.{name}"), "a schema".into())),
                    }
                }
            }
            known if APPLIED.contains(&known) || TOLD.contains(&known) => {}
            _ => {
                let known = APPLIED.join(", ");
                return wrong(&format!("a keyword that the host checks: {known}"));
            }
        }
    }
    Ok(())
}

/// A value that does not fit: where in the option, and what was expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The place inside the value, `servers[2].port`; the option's own name when it is the value itself.
    pub at: String,
    /// What was expected.
    pub wanted: String,
    /// What is there.
    pub got: String,
}

/// What is wrong with a value, in a schema that [`check_schema`] has let through.
pub fn misfit(schema: &Value, value: &Value, at: &str) -> Option<Misfit> {
    let wrong = |wanted: String| Some(Misfit { at: at.to_owned(), wanted, got: shown(value) });
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.iter().any(|choice| same(choice, value))
    {
        let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
        return wrong(format!("one of {}", choices.join(", ")));
    }
    if let Some(only) = schema.get("const").filter(|only| !same(only, value)) {
        return wrong(format!("{only}"));
    }
    if let Some(kind) = schema.get("type").and_then(Value::as_str)
        && !is_of(kind, value)
    {
        return wrong(format!("a value of type {kind}"));
    }
    match value {
        Value::Number(number) => bounds(schema, number.as_f64().unwrap_or(f64::NAN)).and_then(wrong),
        Value::String(text) => {
            size(schema, ["minLength", "maxLength"], text.chars().count(), "characters").and_then(wrong)
        }
        Value::Array(items) => match size(schema, ["minItems", "maxItems"], items.len(), "entries") {
            Some(wanted) => wrong(wanted),
            None if twice(schema, items) => wrong("a list without the same entry twice".into()),
            None => {
                let inner = schema.get("items")?;
                items.iter().enumerate().find_map(|(n, item)| misfit(inner, item, &format!("{at}[{n}]")))
            }
        },
        Value::Object(fields) => in_object(schema, fields, at),
        _ => None,
    }
}

/// What is wrong with the fields of an object; also with an operator's options as a whole, which are one.
pub fn in_object(schema: &Value, fields: &Map<String, Value>, at: &str) -> Option<Misfit> {
    let inside = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, value) in fields {
        let place = inside(name);
        let found = match (properties.and_then(|all| all.get(name)), schema.get("additionalProperties")) {
            (Some(inner), _) => misfit(inner, value, &place),
            (None, Some(Value::Bool(false))) => {
                let known: Vec<&str> = properties.into_iter().flat_map(|all| all.keys().map(String::as_str)).collect();
                let wanted = format!("one of {}", if known.is_empty() { "none".into() } else { known.join(", ") });
                Some(Misfit { at: place, wanted, got: format!("the name {name:?}") })
            }
            (None, Some(inner @ Value::Object(_))) => misfit(inner, value, &place),
            (None, _) => None,
        };
        if found.is_some() {
            return found;
        }
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let missing = required.into_iter().find(|name| !fields.contains_key(*name))?;
    let kind = properties.and_then(|all| all.get(missing)?.get("type")?.as_str()).unwrap_or("any");
    Some(Misfit { at: inside(missing), wanted: format!("a value of type {kind}"), got: "nothing".into() })
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        // 3.0 is an integer in JSON Schema.
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

/// Equal as JSON Schema means it: 1 is 1.0.
fn same(one: &Value, other: &Value) -> bool {
    one == other || one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| one == other)
}

fn bounds(schema: &Value, number: f64) -> Option<String> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let rules = [
        (bound("minimum").filter(|least| number < *least), "at least"),
        (bound("maximum").filter(|most| number > *most), "at most"),
        (bound("exclusiveMinimum").filter(|least| number <= *least), "more than"),
        (bound("exclusiveMaximum").filter(|most| number >= *most), "less than"),
    ];
    rules.into_iter().find_map(|(broken, words)| Some(format!("{words} {}", broken?)))
}

fn size(schema: &Value, names: [&str; 2], size: usize, of: &str) -> Option<String> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
    match (bound(names[0]), bound(names[1])) {
        (Some(least), _) if (size as u64) < least => Some(format!("at least {least} {of}")),
        (_, Some(most)) if size as u64 > most => Some(format!("at most {most} {of}")),
        _ => None,
    }
}

fn twice(schema: &Value, items: &[Value]) -> bool {
    let unique = schema.get("uniqueItems").and_then(Value::as_bool).unwrap_or(false);
    unique && items.iter().enumerate().any(|(n, item)| items[..n].iter().any(|before| same(before, item)))
}

fn shown(value: &Value) -> String {
    crate::scrub::error(&value.to_string(), 120)
}

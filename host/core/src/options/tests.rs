use super::*;
use serde_json::json;

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["region"],
        "properties": {
            "region": { "enum": ["eu", "us"], "description": "Where." },
            "turns": { "type": "integer", "minimum": 1, "maximum": 9 },
            "share": { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 },
            "name": { "type": "string", "minLength": 2, "maxLength": 4 },
            "tags": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 2, "uniqueItems": true },
            "servers": { "type": "array", "items": {
                "type": "object", "required": ["port"], "properties": { "port": { "type": "integer" } },
                "additionalProperties": { "type": "boolean" },
            } },
            "one": { "const": 1 },
            "free": {},
        },
    })
}

/// What is wrong with these options, as one line.
#[track_caller]
fn wrong(options: Value) -> String {
    let schema = schema();
    assert_eq!(check_schema(schema.as_object().unwrap(), "options"), Ok(()));
    let mut all = options.as_object().unwrap().clone();
    if !all.contains_key("no-region") {
        all.entry("region").or_insert(json!("eu"));
    }
    all.remove("no-region");
    in_object(&schema, &all, "")
        .map_or_else(String::new, |found| format!("{}: {}, not {}", found.at, found.wanted, found.got))
}

#[test]
fn what_fits_passes() {
    for options in [
        json!({}),
        json!({ "turns": 1, "share": 0.5, "name": "äöüß", "tags": ["a", "b"], "one": 1.0, "free": [null] }),
        json!({ "turns": 9.0, "servers": [{ "port": 1, "tls": true }] }),
    ] {
        assert_eq!(wrong(options), "");
    }
}

#[test]
fn what_does_not_fit_is_named_with_its_place() {
    for (options, words) in [
        (json!({ "region": "mars" }), r#"region: one of "eu", "us", not "mars""#),
        (json!({ "no-region": 1 }), "region: a value of type any, not nothing"),
        (json!({ "turns": "3" }), r#"turns: a value of type integer, not "3""#),
        (json!({ "turns": 2.5 }), "turns: a value of type integer, not 2.5"),
        (json!({ "turns": 0 }), "turns: at least 1, not 0"),
        (json!({ "turns": 10 }), "turns: at most 9, not 10"),
        (json!({ "share": 0 }), "share: more than 0, not 0"),
        (json!({ "share": 1 }), "share: less than 1, not 1"),
        (json!({ "name": "a" }), r#"name: at least 2 characters, not "a""#),
        (json!({ "name": "abcde" }), r#"name: at most 4 characters, not "abcde""#),
        (json!({ "tags": [] }), "tags: at least 1 entries, not []"),
        (json!({ "tags": ["a", "a"] }), r#"tags: a list without the same entry twice, not ["a","a"]"#),
        (json!({ "tags": ["a", 1] }), "tags[1]: a value of type string, not 1"),
        (
            json!({ "servers": [{ "port": 1 }, { "port": "x" }] }),
            r#"servers[1].port: a value of type integer, not "x""#,
        ),
        (json!({ "servers": [{}] }), "servers[0].port: a value of type integer, not nothing"),
        (json!({ "servers": [{ "port": 1, "tls": 1 }] }), "servers[0].tls: a value of type boolean, not 1"),
        (json!({ "one": 2 }), "one: 1, not 2"),
        (json!({ "key": "sk-12345678abcdef" }), "key: one of"),
    ] {
        let found = wrong(options);
        assert!(found.contains(words), "{found} has no {words}");
        assert!(!found.contains("sk-1234"), "a secret is not repeated: {found}");
    }
}

#[test]
fn a_schema_that_would_not_be_applied_is_refused() {
    for (schema, at) in [
        (json!({ "pattern": "^a" }), "options.pattern"),
        (json!({ "properties": { "a": { "anyOf": [] } } }), "options.properties.a.anyOf"),
        (json!({ "properties": { "a": { "type": ["string", "null"] } } }), "options.properties.a.type"),
        (json!({ "items": { "$ref": "#" } }), "options.items.$ref"),
        (json!({ "minimum": "1" }), "options.minimum"),
        (json!({ "enum": [] }), "options.enum"),
        (json!({ "required": [1] }), "options.required"),
        (json!({ "additionalProperties": 1 }), "options.additionalProperties"),
        (json!({ "properties": { "a": true } }), "options.properties.a"),
    ] {
        let (key, expected) = check_schema(schema.as_object().unwrap(), "options").unwrap_err();
        assert_eq!(key, at);
        assert!(!expected.is_empty());
    }
}

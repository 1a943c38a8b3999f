//! Calls and answers of JSON-RPC, by their ids, for the dialects of those who speak it: our host numbers its calls otherwise than
//! the recorded client did. Ids are kept as JSON, so that `1` and `"1"` are two.

use serde_json::Value;

/// The id, as JSON, of a call that nobody made.
pub const NO_CALL: &str = "\"nobody's\"";

/// True when an answer is to a call of the recorded client's that our host did not make.
pub fn is_nobodys(answer: &Value) -> bool {
    serde_json::from_str::<Value>(NO_CALL).is_ok_and(|nobodys| answer["id"] == nobodys)
}

/// The id of the call that a line makes.
pub fn call(line: &str) -> Option<String> {
    let value = parse(line)?;
    value.get("method")?;
    Some(value.get("id")?.to_string())
}

/// The call that a line answers.
pub fn answered(line: &str) -> Option<String> {
    let value = parse(line)?;
    let answers = value.get("method").is_none() && (value.get("result").is_some() || value.get("error").is_some());
    Some(value.get("id").filter(|_| answers)?.to_string())
}

/// True when the one line answers the call that the other makes.
pub fn answers(asked: &str, said: &str) -> bool {
    call(asked).is_some_and(|id| answered(said).as_ref() == Some(&id))
}

/// The answer, to another call.
pub fn readdressed(line: &str, call: &str) -> String {
    match (parse(line), serde_json::from_str::<Value>(call)) {
        (Some(mut value), Ok(id)) => {
            value["id"] = id;
            value.to_string()
        }
        _ => line.to_owned(),
    }
}

fn parse(line: &str) -> Option<Value> {
    serde_json::from_str(line).ok().filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_goes_to_another_call_and_ids_of_two_types_are_two() {
        let (asked, said) = (r#"{"id":3,"method":"turn/start"}"#, r#"{"id":3,"result":{"id":3}}"#);
        assert!(answers(asked, said) && !answers(asked, r#"{"id":"3","result":{}}"#));
        assert!(!answers(r#"{"id":3,"result":{}}"#, said) && !answers(asked, r#"{"id":3,"method":"ask"}"#));
        assert_eq!(readdressed(said, "\"seven\""), r#"{"id":"seven","result":{"id":3}}"#);
        assert_eq!(answered(r#"{"error":{"code":1},"id":0}"#), Some("0".into()));
    }
}

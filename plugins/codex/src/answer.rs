//! What is written back to a call of the program's. **Nothing but a choice of a person or a rule is ever consent: what is closed
//! without an answer is a refusal.**

use jackfield_sdk::prelude::*;
use serde_json::{Map, Value, json};

/// How a call is answered.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// By one of these decisions.
    Decision(Vec<Decision>),
    /// By what is granted of these permissions.
    Permissions(Value),
    /// By answers to questions.
    Questions,
    /// By the result of a tool of the host's.
    HostTool,
    /// By a form, filled in.
    Form,
    /// By a yes or no to an MCP server.
    Action,
}

/// A decision as the program takes it.
#[derive(Debug, Clone)]
pub(crate) struct Decision {
    id: String,
    value: Value,
}

impl Decision {
    pub(crate) fn word(word: &str) -> Decision {
        Decision { id: word.to_owned(), value: word.into() }
    }

    /// A decision that changes rules along with it: an object of one member.
    pub(crate) fn amendment(value: &Value) -> Option<Decision> {
        let id = value.as_object()?.keys().next()?.clone();
        Some(Decision { id, value: value.clone() })
    }

    /// As an option. What is not known is not offered as less than it may be.
    pub(crate) fn offer(&self) -> Offer {
        let (label, verdict) = match self.id.as_str() {
            "accept" => ("Allow".to_owned(), Verdict::AllowOnce),
            "acceptForSession" => ("Allow, and for this session".to_owned(), Verdict::AllowSession),
            "acceptWithExecpolicyAmendment" => {
                let words = self.value["acceptWithExecpolicyAmendment"]["execpolicy_amendment"].as_array();
                let words: Vec<&str> = words.into_iter().flatten().filter_map(Value::as_str).collect();
                (format!("Allow, and from now on what begins: {}", words.join(" ")), Verdict::AllowAlways)
            }
            "applyNetworkPolicyAmendment" => {
                let amendment = &self.value["applyNetworkPolicyAmendment"]["network_policy_amendment"];
                let (host, action) = (amendment["host"].as_str().unwrap_or("?"), amendment["action"].as_str());
                match action {
                    Some("deny") => (format!("Reject, and from now on the host {host}"), Verdict::RejectAlways),
                    _ => (format!("Allow, and from now on the host {host}"), Verdict::AllowAlways),
                }
            }
            "decline" => ("Reject".to_owned(), Verdict::RejectOnce),
            "cancel" => ("Reject and stop".to_owned(), Verdict::Abort),
            other => (other.to_owned(), Verdict::Unknown),
        };
        Offer::new(&self.id, label, verdict)
    }
}

impl Shape {
    /// What is written for a reply, or why it does not fit.
    pub(crate) fn answer(&self, reply: &Reply) -> Result<Value, Fault> {
        let chosen = match reply {
            Reply::Chosen(chosen) => Some(chosen.option_id.as_str()),
            _ => None,
        };
        if let Reply::Chosen(Chosen { input: Some(_), .. }) = reply {
            return Err(Fault::unsupported(
                "Codex runs a call as it asked, or not at all: its input can't be changed.",
            ));
        }
        match (self, reply) {
            (Self::Decision(all), Reply::Chosen(_)) => {
                let decision = all.iter().find(|one| Some(one.id.as_str()) == chosen).ok_or_else(no_option)?;
                Ok(json!({"decision": decision.value}))
            }
            (Self::Decision(_), Reply::Dismissed) => Ok(json!({"decision": "decline"})),
            (Self::Permissions(asked), Reply::Chosen(_)) => match chosen {
                Some(scope @ ("turn" | "session")) => Ok(json!({"permissions": asked, "scope": scope})),
                Some("none") => Ok(json!({"permissions": {}, "scope": "turn"})),
                _ => Err(no_option()),
            },
            (Self::Permissions(_), Reply::Dismissed) => Ok(json!({"permissions": {}, "scope": "turn"})),
            (Self::Questions, Reply::Filled(filled)) => {
                let answers = filled.iter().map(|one| (one.question.clone(), json!({"answers": one.values})));
                Ok(json!({"answers": answers.collect::<Map<_, _>>()}))
            }
            (Self::Questions, Reply::Dismissed) => Ok(json!({"answers": {}})),
            (Self::HostTool, Reply::Output(output)) => Ok(json!({
                "success": !output.failed,
                "contentItems": output.content.iter().map(given).collect::<Vec<_>>(),
            })),
            (Self::HostTool, Reply::Dismissed) => {
                let item = json!({"type": "inputText", "text": "There is no result: nobody answered the call."});
                Ok(json!({"success": false, "contentItems": [item]}))
            }
            (Self::Form, Reply::Filled(filled)) => {
                let content = filled.iter().map(|one| (one.question.clone(), value(&one.values)));
                Ok(json!({"action": "accept", "content": content.collect::<Map<_, _>>()}))
            }
            (Self::Action, Reply::Chosen(_)) => match chosen {
                Some("accept") => Ok(json!({"action": "accept", "content": {}})),
                Some(word @ ("decline" | "cancel")) => Ok(json!({"action": word, "content": null})),
                _ => Err(no_option()),
            },
            (Self::Form | Self::Action, Reply::Dismissed) => Ok(json!({"action": "cancel", "content": null})),
            _ => Err(Fault::new(
                FaultKind::Invalid,
                "This request is answered otherwise: see its options and questions.",
            )),
        }
    }
}

fn no_option() -> Fault {
    Fault::new(FaultKind::Invalid, "There is no such option.")
}

/// Values of a question with a schema are JSON.
fn value(values: &[String]) -> Value {
    let parsed = |text: &String| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()));
    match values {
        [one] => parsed(one),
        many => many.iter().map(parsed).collect(),
    }
}

/// What a tool of the host's gave, as the model's service takes it.
fn given(part: &Content) -> Value {
    match part {
        Content::Text(text) => json!({"type": "inputText", "text": text}),
        Content::Media(Media { mime, base64: Some(data), .. }) if mime.starts_with("image/") => {
            json!({"type": "inputImage", "imageUrl": format!("data:{mime};base64,{data}")})
        }
        Content::Media(media) => {
            json!({"type": "inputText", "text": media.uri.as_deref().or(media.name.as_deref()).unwrap_or("a file")})
        }
        Content::Diff(diff) => json!({"type": "inputText", "text": diff.patch.as_deref().unwrap_or(&diff.path)}),
        Content::Other(other) => json!({"type": "inputText", "text": other.json}),
    }
}

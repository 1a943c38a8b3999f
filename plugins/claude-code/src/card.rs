//! A request as a person sees it: what it is about, why it is asked, what may be chosen.
//!
//! The program's suggestions come as a bundle; **here each is an option of its own**, and `request` sends back the one that was picked.

use jackfield_sdk::prelude::*;
use jackfield_sdk::tolerant::text;
use serde_json::{Map, Value};

use crate::tool;
use crate::wire_session::Ask;

/// The request as the contract shows it. `told` is the input that the call itself had: a plan's approval leaves it out.
pub(crate) fn request(id: &str, name: &str, input: &Value, told: Option<&Value>, ask: &Ask) -> Request {
    let mut reject = vec![
        Offer::new("reject", "Reject", Verdict::RejectOnce),
        Offer::new("abort", "Reject and stop", Verdict::Abort),
    ];
    let request = match name {
        "AskUserQuestion" => {
            return Request {
                item: ask.tool_use_id.clone(),
                questions: questions(input),
                ..Request::new(id, Subject::Questions)
            };
        }
        "ExitPlanMode" => {
            let plan = [Some(input), told].into_iter().flatten().find_map(|input| input["plan"].as_str());
            Request {
                options: vec![Offer::new("allow", "Accept the plan", Verdict::AllowOnce)],
                ..Request::new(id, Subject::Plan(plan.unwrap_or_default().to_owned()))
            }
        }
        _ => {
            let suggested =
                ask.permission_suggestions.iter().enumerate().map(|(index, suggestion)| offer(index, suggestion));
            let allow = Offer::new("allow", "Allow", Verdict::AllowOnce);
            Request {
                options: std::iter::once(allow).chain(suggested).collect(),
                ..Request::new(id, Subject::Approval(tool::describe(name, input)))
            }
        }
    };
    let mut options = request.options;
    options.append(&mut reject);
    let blocked = ask.blocked_path.as_ref().map(|path| format!("It touches {path}."));
    let reason = ask.decision_reason.clone().or(blocked).or_else(|| ask.description.clone());
    Request { item: ask.tool_use_id.clone(), reason, options, ..request }
}

/// One suggestion of the program as an option. Where it is kept decides how long it holds; what is not known holds for ever.
fn offer(index: usize, suggestion: &Map<String, Value>) -> Offer {
    let verdict = match text(suggestion, "destination") {
        Some("session") => Verdict::AllowSession,
        _ => Verdict::AllowAlways,
    };
    let list = |key: &str| suggestion.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let what = match text(suggestion, "type") {
        Some("addRules") => {
            let rules = list("rules");
            let rules = rules.iter().filter_map(Value::as_object).map(|rule| {
                let tool = text(rule, "toolName").unwrap_or("?");
                text(rule, "ruleContent").map_or(tool.to_owned(), |content| format!("{tool}({content})"))
            });
            rules.collect::<Vec<_>>().join(", ")
        }
        Some("addDirectories") => {
            let folders = list("directories");
            format!("work in {}", folders.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        Some("setMode") => format!("mode {}", text(suggestion, "mode").unwrap_or("?")),
        other => other.unwrap_or("a change of rules").to_owned(),
    };
    let label = match verdict {
        Verdict::AllowSession => format!("Allow, and for this session: {what}"),
        _ => format!("Allow, and from now on: {what}"),
    };
    Offer::new(format!("suggestion-{index}"), label, verdict)
}

fn questions(input: &Value) -> Vec<Question> {
    let questions = input["questions"].as_array().cloned().unwrap_or_default();
    let question = |(index, value): (usize, &Value)| {
        let choices = value["options"].as_array().cloned().unwrap_or_default();
        let choice = |option: &Value| {
            let label = option["label"].as_str()?;
            let description = option["description"].as_str().map(str::to_owned);
            Some(Choice { description, ..Choice::new(label, label) })
        };
        Question {
            header: value["header"].as_str().map(str::to_owned),
            multiple: value["multiSelect"].as_bool().unwrap_or(false),
            ..Question::new(
                format!("question-{index}"),
                value["question"].as_str().unwrap_or_default(),
                choices.iter().filter_map(choice).collect(),
            )
        }
    };
    questions.iter().enumerate().map(question).collect()
}

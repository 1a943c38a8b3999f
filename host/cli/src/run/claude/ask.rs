//! What waits for an answer, as the envelope's control requests. A question and a plan are asked as the use of the tool that
//! asks them, as front ends of this format know it.

use super::call::Calls;
use super::frame::{Ask, Frame};
use super::say;
use jackfield_core::contract::{Question, Tool};
use jackfield_core::event::{Request, RequestSubject, Resolution};
use jackfield_core::id::RequestId;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::{BTreeSet, HashMap};

/// The requests that are open.
#[derive(Default)]
pub(super) struct Asks {
    open: BTreeSet<RequestId>,
}

#[derive(Serialize)]
struct Questions<'a> {
    questions: Vec<Asked<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Asked<'a> {
    question: &'a str,
    header: &'a str,
    options: Vec<Offered<'a>>,
    multi_select: bool,
}

#[derive(Serialize)]
struct Offered<'a> {
    label: &'a str,
    description: &'a str,
}

impl Asks {
    pub fn opened(&mut self, request: &Request, calls: &Calls) -> Frame {
        self.open.insert(request.id.clone());
        let call = request.item.as_ref().and_then(|item| calls.get(item));
        let of_call = |name: &str, input: Box<RawValue>| {
            call.map_or_else(|| (name.to_owned(), input), |call| (call.name.clone(), call.input.clone()))
        };
        let is_person = !matches!(request.subject, RequestSubject::Approval { .. });
        let (tool_name, input) = match &request.subject {
            // What is asked counts, not what the call began with: it may have been changed on the way.
            RequestSubject::Approval { tool } | RequestSubject::HostTool { tool } => of_tool(tool),
            RequestSubject::Plan { text } => of_call(say::PLAN_TOOL, say::raw_of(&HashMap::from([("plan", text)]))),
            RequestSubject::Questions => {
                let questions = request.questions.iter().map(asked).collect();
                of_call(say::QUESTION_TOOL, say::raw_of(&Questions { questions }))
            }
            RequestSubject::Login { login } => ("Login".into(), say::raw_of(login)),
            RequestSubject::Unknown { name, json } => (name.clone(), say::raw(Some(json))),
        };
        let title = match &request.subject {
            RequestSubject::Approval { tool } => tool.title.clone(),
            _ => None,
        };
        Frame::ControlRequest {
            request_id: request.id.to_string(),
            request: Ask::CanUseTool {
                tool_name,
                input,
                tool_use_id: call.map_or_else(|| request.id.to_string(), |call| call.id.clone()),
                title,
                decision_reason: request.reason.clone(),
                requires_user_interaction: is_person,
            },
        }
    }

    /// The end of a request that this side did not answer is told as its withdrawal.
    pub fn resolved(&mut self, request: &RequestId, resolution: &Resolution) -> Option<Frame> {
        let was_open = self.open.remove(request);
        let answered = matches!(resolution, Resolution::Answered { .. });
        (was_open && !answered).then(|| Frame::ControlCancelRequest { request_id: request.to_string() })
    }
}

fn of_tool(tool: &Tool) -> (String, Box<RawValue>) {
    (say::tool_name(tool), say::raw(tool.input.as_deref()))
}

fn asked(question: &Question) -> Asked<'_> {
    let options = question
        .choices
        .iter()
        .map(|choice| Offered { label: &choice.label, description: choice.description.as_deref().unwrap_or_default() });
    Asked {
        question: &question.text,
        header: question.header.as_deref().unwrap_or_default(),
        options: options.collect(),
        multi_select: question.multiple,
    }
}

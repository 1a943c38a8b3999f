//! A call of the program's as a person sees it: what it is about, why it is asked, what may be chosen.
//!
//! Option ids are the program's own decisions. It offers some (`availableDecisions`) and takes the others of its protocol, too; a
//! refusal is always among them.

use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::answer::{Decision, Shape};
use crate::item;
use crate::wire::{Ask, Question as Asked};

/// The request, and how it is answered; nothing for a call that is not known.
pub(crate) fn request(id: &str, method: &str, ask: &Ask) -> Option<(Request, Shape)> {
    let (request, shape) = match method {
        "item/commandExecution/requestApproval" => decided(id, command(ask), decisions(&ask.available_decisions)),
        "item/fileChange/requestApproval" => decided(id, patch(ask), decisions(&[])),
        "item/permissions/requestApproval" => permissions(id, ask),
        "item/tool/requestUserInput" => {
            let questions = ask.questions.iter().map(question).collect();
            (Request { questions, ..Request::new(id, Subject::Questions) }, Shape::Questions)
        }
        "item/tool/call" => {
            let tool = Tool::new(ToolKind::Unknown)
                .with_name(ask.tool.as_deref().unwrap_or("?"))
                .with_input(ask.arguments.to_string());
            (Request::new(id, Subject::HostTool(tool)), Shape::HostTool)
        }
        "mcpServer/elicitation/request" => elicitation(id, ask),
        _ => return None,
    };
    let item = ask.item_id.clone().or_else(|| ask.call_id.clone());
    let reason = request.reason.clone().or_else(|| ask.reason.clone());
    Some((Request { item, reason, ..request }, shape))
}

fn decided(id: &str, tool: Tool, decisions: Vec<Decision>) -> (Request, Shape) {
    let options = decisions.iter().map(Decision::offer).collect();
    (Request { options, ..Request::new(id, Subject::Approval(tool)) }, Shape::Decision(decisions))
}

fn command(ask: &Ask) -> Tool {
    let input = ask.command.as_ref().map(|command| json!({"command": command, "cwd": ask.cwd}).to_string());
    Tool {
        title: item::command_line(ask.command.as_deref(), &ask.command_actions),
        input,
        extra: ask.cwd.iter().map(|cwd| ("cwd".to_owned(), cwd.clone())).collect(),
        ..Tool::new(ToolKind::Execute).with_name("exec_command")
    }
}

/// The change itself was told with its item.
fn patch(ask: &Ask) -> Tool {
    let root = ask.grant_root.iter().map(|path| Location { path: path.clone(), line: None });
    Tool { locations: root.collect(), ..Tool::new(ToolKind::Edit).with_name("apply_patch") }
}

/// The offered decisions, and those that the program takes without offering them.
fn decisions(offered: &[Value]) -> Vec<Decision> {
    let mut all = vec![Decision::word("accept"), Decision::word("acceptForSession")];
    all.extend(offered.iter().filter(|one| one.is_object()).filter_map(Decision::amendment));
    all.extend([Decision::word("decline"), Decision::word("cancel")]);
    all
}

fn permissions(id: &str, ask: &Ask) -> (Request, Shape) {
    let tool = Tool::new(ToolKind::SwitchMode).with_name("request_permissions").with_input(ask.permissions.to_string());
    let options = vec![
        Offer::new("turn", "Allow for this turn", Verdict::AllowOnce),
        Offer::new("session", "Allow for this session", Verdict::AllowSession),
        Offer::new("none", "Reject", Verdict::RejectOnce),
    ];
    let request = Request { options, ..Request::new(id, Subject::Approval(tool)) };
    (request, Shape::Permissions(ask.permissions.clone()))
}

fn question(asked: &Asked) -> Question {
    let choices = asked
        .options
        .iter()
        .map(|option| Choice { description: option.description.clone(), ..Choice::new(&option.label, &option.label) });
    Question {
        header: asked.header.clone(),
        free_text: asked.is_other || asked.options.is_empty(),
        secret: asked.is_secret,
        ..Question::new(&asked.id, &asked.question, choices.collect())
    }
}

/// What an MCP server wants of a person: a form, a page to open, or a mere yes.
fn elicitation(id: &str, ask: &Ask) -> (Request, Shape) {
    let message = ask.message.clone().unwrap_or_default();
    let who = ask.server_name.as_deref().unwrap_or("an MCP server");
    let reason = Some(format!("{who}: {message}"));
    let form = &ask.requested_schema.properties;
    if !form.is_empty() {
        let field = |(name, schema): (&String, &Value)| Question {
            header: schema["title"].as_str().map(str::to_owned),
            schema: Some(schema.to_string()),
            ..Question::new(name, schema["description"].as_str().unwrap_or(name), enumerated(schema))
        };
        let questions = form.iter().map(field).collect();
        return (Request { reason, questions, ..Request::new(id, Subject::Questions) }, Shape::Form);
    }
    let options = vec![
        Offer::new("accept", "Accept", Verdict::AllowOnce),
        Offer::new("decline", "Decline", Verdict::RejectOnce),
        Offer::new("cancel", "Cancel", Verdict::RejectOnce),
    ];
    let subject = match &ask.url {
        Some(url) => Subject::Login(Login { url: Some(url.clone()), code: None, text: message }),
        None => Subject::Approval(Tool {
            server: ask.server_name.clone(),
            title: Some(message),
            ..Tool::new(ToolKind::Ask)
        }),
    };
    (Request { reason, options, ..Request::new(id, subject) }, Shape::Action)
}

fn enumerated(schema: &Value) -> Vec<Choice> {
    let words = schema["enum"].as_array().into_iter().flatten();
    words.map(|word| Choice::new(word.to_string(), word.as_str().map_or(word.to_string(), str::to_owned))).collect()
}

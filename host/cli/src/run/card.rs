//! What a person is shown of a request, at the terminal. Everything in it came from a plugin or a provider, so it is made plain.

use crate::output::{headline, plain};
use jackfield_core::contract::{Content, Offer, Question, Tool, ToolKind};
use jackfield_core::event::{Request, RequestSubject, Ruled};

/// Lines of a tool's input that are shown.
const INPUT_LINES: usize = 12;

/// The whole card: what is asked, why, with what, and what can be answered.
pub fn card(request: &Request) -> String {
    let mut card = format!("\n? {}\n", plain(&headline_of(request)));
    if let RequestSubject::Approval { tool } = &request.subject {
        card += &details(tool);
    }
    if let Some(reason) = &request.reason {
        card += &format!("  because: {}\n", plain(reason));
    }
    if let Some(Ruled::Person { because }) = &request.ruled {
        card += &format!("  your rules: {}\n", plain(because));
    }
    if let Some(raw) = &request.raw {
        card += &format!("  the provider's own words: {}\n", headline(raw, 300));
    }
    card + &match request.questions.first() {
        Some(question) => ask(question),
        None => choices(&request.options),
    }
}

/// What is asked, in one text.
pub fn headline_of(request: &Request) -> String {
    match &request.subject {
        RequestSubject::Approval { tool } => format!(
            "{} wants to {}: {}",
            tool.name.as_deref().unwrap_or("a tool"),
            verb(tool.kind),
            tool.title.as_deref().or(tool.input.as_deref()).unwrap_or("(no details)")
        ),
        RequestSubject::Plan { text } => format!("a plan is proposed:\n{text}"),
        RequestSubject::Questions => match request.questions.first() {
            Some(question) => question.header.clone().unwrap_or_else(|| "a question".into()),
            None => "a question".into(),
        },
        RequestSubject::Login { login } => {
            let code = login.code.as_ref().map(|code| format!(" The code is {code}."));
            let url = login.url.as_ref().map(|url| format!(" {url}"));
            format!("a login is needed: {}{}{}", login.text, code.unwrap_or_default(), url.unwrap_or_default())
        }
        RequestSubject::HostTool { tool } => {
            format!("a tool of ours is called: {}", tool.name.as_deref().unwrap_or_default())
        }
        RequestSubject::Unknown { name, json } => format!("something that this version does not know ({name}): {json}"),
    }
}

fn verb(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Execute => "run",
        ToolKind::Edit => "change",
        ToolKind::Read => "read",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Fetch => "fetch",
        _ => "do",
    }
}

/// What the tool was given, where the title does not say it all: nobody should allow a text that they have not seen.
fn details(tool: &Tool) -> String {
    let diffs = tool.content.iter().filter_map(|part| match part {
        Content::Diff(diff) => diff.patch.clone().or_else(|| diff.after.clone()),
        _ => None,
    });
    let input = tool.input.as_deref().and_then(|input| serde_json::from_str::<serde_json::Value>(input).ok());
    let fields = input.as_ref().and_then(serde_json::Value::as_object).into_iter().flatten();
    let told = |text: &str| tool.title.as_deref().is_some_and(|title| title.contains(text.trim()));
    let fields = fields.filter_map(|(name, value)| match value {
        serde_json::Value::String(text) if told(text) => None,
        serde_json::Value::String(text) => Some(format!("{name}: {text}")),
        other => Some(format!("{name}: {other}")),
    });
    let text = fields.chain(diffs).collect::<Vec<_>>().join("\n");
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: String =
        lines.iter().take(INPUT_LINES).map(|line| format!("  │ {}\n", headline(line, 200))).collect();
    if lines.len() > INPUT_LINES {
        shown += &format!("  │ … and {} more lines\n", lines.len() - INPUT_LINES);
    }
    shown
}

/// What may be picked.
pub fn choices(options: &[Offer]) -> String {
    if options.is_empty() {
        return "  Enter closes this: ".into();
    }
    let list = options.iter().enumerate().map(|(n, offer)| format!("  [{}] {}\n", n + 1, plain(&offer.label)));
    list.collect::<String>() + "  y, n or a number; Enter refuses: "
}

/// A question, with the answers to pick from.
pub fn ask(question: &Question) -> String {
    let mut text = format!("  {}\n", plain(&question.text));
    for (n, choice) in question.choices.iter().enumerate() {
        let about = choice.description.as_deref().map(|about| format!(" ({})", plain(about))).unwrap_or_default();
        text += &format!("  [{}] {}{about}\n", n + 1, plain(&choice.label));
    }
    text + match (question.multiple, question.free_text) {
        (true, _) => "  numbers, with commas; Enter closes the question: ",
        (false, true) => "  a number or your own words; Enter closes the question: ",
        (false, false) => "  a number; Enter closes the question: ",
    }
}

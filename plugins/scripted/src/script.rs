//! From the words of a prompt to a script: what is said and done, and how long each beat waits for the one before.
//!
//! Pure: the same words in the same turn give the same script.

use std::collections::VecDeque;

use jackfield_sdk::prelude::*;

/// The words that choose, and what they show.
pub const WORDS: [(&str, &str); 12] = [
    ("help", "this list"),
    ("reasoning", "thinks aloud before it answers"),
    ("plan", "keeps a list of three steps and works it off"),
    ("tool", "wants to run a command and asks first"),
    ("question", "asks you to pick a colour"),
    ("subagent", "hands a task to a helper and shows the helper's work"),
    ("background", "begins a task that goes on until it is stopped"),
    ("servers", "names the MCP servers that you gave"),
    ("long", "answers in two hundred pieces"),
    ("slow", "goes on until you interrupt, and takes its time to hear you"),
    ("error", "fails as an overloaded service would"),
    ("echo", "says your words again, as any other prompt does"),
];

/// One thing that happens.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// An event in the turn.
    Tell(EventBody),
    /// An event inside a tool item.
    TellInside(String, EventBody),
    /// A request; the script waits for its answer.
    Ask(Box<Ask>),
    /// Text that never ends by itself.
    Forever { item: String, count: u32 },
    /// The turn's end.
    End(Status, Option<Fault>),
}

/// A request, and what the script does about its answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// May this command run? Its item and what it would print.
    Command { item: String, command: String },
    /// A question, and the item of the answer to it.
    Colour { item: String },
}

/// An act and the milliseconds before it.
pub type Beat = (f64, Act);

/// Milliseconds between two pieces of text.
const PACE_MS: f64 = 15.0;
/// Milliseconds between two steps of work.
const STEP_MS: f64 = 40.0;

/// A script in the making.
struct Pen {
    turn: u32,
    items: u32,
    beats: VecDeque<Beat>,
}

/// Whether this word chooses.
pub fn chooses(prompt: &str, word: &str) -> bool {
    words(prompt).contains(&word)
}

/// Writes the script of a turn; `asks` is whether the tool asks for approval, `told` what else there is to say.
pub fn write(prompt: &str, turn: u32, asks: bool, told: &str) -> VecDeque<Beat> {
    let mut pen = Pen { turn, items: 0, beats: VecDeque::new() };
    let chosen: Vec<&str> = words(prompt);
    for word in &chosen {
        match *word {
            "help" => pen.help(),
            "reasoning" => pen.reasoning(),
            "plan" => pen.plan(),
            "tool" => pen.tool(asks),
            "question" => pen.question(),
            "subagent" => pen.subagent(),
            "long" => pen.long(),
            "slow" => pen.slow(),
            "background" => pen.say("A task goes on behind this turn."),
            "servers" if told.is_empty() => pen.say("There are no MCP servers."),
            "servers" => {}
            "error" => return pen.end(Status::Failed, Some(overloaded())),
            _ => pen.echo(prompt),
        }
    }
    if chosen.is_empty() {
        pen.echo(prompt);
    }
    if !told.is_empty() {
        pen.say(told);
    }
    pen.end(Status::Completed, None)
}

/// The choosing words of a prompt, in order.
fn words(prompt: &str) -> Vec<&'static str> {
    let spoken = prompt.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    spoken.filter_map(|word| WORDS.iter().map(|(known, _)| *known).find(|known| *known == word)).collect()
}

fn overloaded() -> Fault {
    Fault::new(FaultKind::Overloaded, "The demonstration plays an overloaded service.")
        .with_code("529")
        .with_retry(Some(1000.0))
}

/// The beats after a command was allowed: it prints, and ends well.
pub fn allowed(item: &str, command: &str) -> Vec<Beat> {
    let output = command.strip_prefix("echo ").unwrap_or(command).trim_matches('"').to_owned() + "\n";
    let done = Tool { exit_code: Some(0), ..command_tool(command).with_content(vec![output.clone().into()]) };
    vec![
        (0.0, Act::Tell(EventBody::Items(vec![Item::tool(Some(item.into()), Status::Running, command_tool(command))]))),
        (STEP_MS, delta(item, TextKind::ToolOutput, &output)),
        (STEP_MS, Act::Tell(EventBody::Items(vec![Item::tool(Some(item.into()), Status::Completed, done)]))),
    ]
}

/// The beats after a command was refused.
pub fn refused(item: &str, note: Option<&str>) -> Vec<Beat> {
    let mut tool = command_tool("");
    tool.title = None;
    tool.input = None;
    tool.content = note.map(|note| vec![note.into()]).unwrap_or_default();
    vec![(0.0, Act::Tell(EventBody::Items(vec![Item::tool(Some(item.into()), Status::Declined, tool)])))]
}

/// The beats that say a text, piece by piece.
pub fn say(item: &str, text: &str) -> Vec<Beat> {
    let pieces = pieces(text);
    let mut beats: Vec<_> = pieces.iter().map(|piece| (PACE_MS, delta(item, TextKind::Assistant, piece))).collect();
    beats.push((0.0, Act::Tell(EventBody::Items(vec![Item::assistant(Some(item.into()), text)]))));
    beats
}

/// The tool that only pretends.
pub fn command_tool(command: &str) -> Tool {
    let input = format!("{{\"command\":{}}}", quoted(command));
    Tool::new(ToolKind::Execute).with_name("command").with_title(command).with_input(input)
}

fn quoted(text: &str) -> String {
    let escaped: String =
        text.chars().flat_map(|c| if matches!(c, '"' | '\\') { vec!['\\', c] } else { vec![c] }).collect();
    format!("\"{escaped}\"")
}

fn delta(item: &str, kind: TextKind, text: &str) -> Act {
    Act::Tell(EventBody::Delta(Delta { id: Some(item.into()), kind, whole: false, text: text.into() }))
}

/// A text in pieces of two words.
fn pieces(text: &str) -> Vec<String> {
    let words: Vec<_> = text.split_inclusive(' ').collect();
    words.chunks(2).map(<[&str]>::concat).collect()
}

impl Pen {
    fn id(&mut self) -> String {
        self.items += 1;
        format!("{}-{}", self.turn, self.items)
    }

    fn beat(&mut self, ms: f64, act: Act) {
        self.beats.push_back((ms, act));
    }

    fn say(&mut self, text: &str) {
        let item = self.id();
        self.beats.extend(say(&item, text));
    }

    fn item(&mut self, ms: f64, item: Item) {
        self.beat(ms, Act::Tell(EventBody::Items(vec![item])));
    }

    fn help(&mut self) {
        let lines: Vec<_> = WORDS.iter().map(|(word, what)| format!("- `{word}`: {what}")).collect();
        self.say(&format!(
            "I am a demonstration. Words in your prompt choose what I show, in their order:\n\n{}",
            lines.join("\n")
        ));
    }

    fn echo(&mut self, prompt: &str) {
        let text = format!("I am a demonstration, no model: I can only say it again. You said: {prompt}");
        self.say(&text);
    }

    fn reasoning(&mut self) {
        let item = self.id();
        let text = "The person wants to see a thought. A thought is shown apart from the answer.";
        for piece in pieces(text) {
            self.beat(PACE_MS, delta(&item, TextKind::Reasoning, &piece));
        }
        self.item(0.0, Item::reasoning(Some(item), text));
        self.say("I thought about it.");
    }

    fn plan(&mut self) {
        let steps = ["Look around", "Do the work", "Check the result"];
        for done in 0..=steps.len() {
            let status = |at: usize| match at.cmp(&done) {
                std::cmp::Ordering::Less => Status::Completed,
                std::cmp::Ordering::Equal => Status::Running,
                std::cmp::Ordering::Greater => Status::Pending,
            };
            let steps = steps.iter().enumerate().map(|(at, step)| PlanStep::new(*step, status(at))).collect();
            self.beat(STEP_MS, Act::Tell(EventBody::Plan(Plan { id: None, explanation: None, steps })));
        }
        self.say("The plan is done.");
    }

    fn tool(&mut self, asks: bool) {
        let (item, command) = (self.id(), "echo \"hello from the demonstration\"");
        self.item(STEP_MS, Item::tool(Some(item.clone()), Status::Pending, command_tool(command)));
        if asks {
            self.beat(STEP_MS, Act::Ask(Box::new(Ask::Command { item, command: command.into() })));
        } else {
            self.beats.extend(allowed(&item, command));
        }
        self.say("That was the tool.");
    }

    fn question(&mut self) {
        let item = self.id();
        self.beat(STEP_MS, Act::Ask(Box::new(Ask::Colour { item })));
    }

    fn subagent(&mut self) {
        let (outer, task) = (self.id(), format!("helper-{}-{}", self.turn, self.items));
        let tool = Tool::new(ToolKind::Delegate).with_name("helper").with_title("Count to three");
        let entry = Task {
            title: Some("Count to three".into()),
            item: Some(outer.clone()),
            ..Task::new(&task, TaskKind::Subagent, Status::Running)
        };
        self.item(STEP_MS, Item::tool(Some(outer.clone()), Status::Running, tool.clone()));
        self.beat(0.0, Act::Tell(EventBody::Tasks(vec![entry.clone()])));
        let (inner, read) = (self.id(), self.id());
        for piece in ["One, ", "two, ", "three."] {
            let body = EventBody::Delta(Delta {
                id: Some(inner.clone()),
                kind: TextKind::Assistant,
                whole: false,
                text: piece.into(),
            });
            self.beat(PACE_MS, Act::TellInside(outer.clone(), body));
        }
        let said = Item::assistant(Some(inner), "One, two, three.");
        let look = Item::tool(
            Some(read),
            Status::Completed,
            Tool::new(ToolKind::Think).with_name("count").with_title("Count again"),
        );
        self.beat(STEP_MS, Act::TellInside(outer.clone(), EventBody::Items(vec![said, look])));
        let entry = Task { status: Status::Completed, summary: Some("Counted to three.".into()), ..entry };
        self.beat(STEP_MS, Act::Tell(EventBody::Tasks(vec![entry])));
        self.item(0.0, Item::tool(Some(outer), Status::Completed, tool.with_content(vec!["Counted to three.".into()])));
        self.say("The helper is done.");
    }

    fn long(&mut self) {
        let item = self.id();
        let text: String = (1..=200).map(|number| format!("piece {number} ")).collect();
        let beats = say(&item, text.trim_end());
        self.beats.extend(beats.into_iter().map(|(ms, act)| (ms.min(5.0), act)));
    }

    fn slow(&mut self) {
        let item = self.id();
        self.beat(STEP_MS, Act::Forever { item, count: 0 });
    }

    fn end(mut self, status: Status, fault: Option<Fault>) -> VecDeque<Beat> {
        self.beat(PACE_MS, Act::End(status, fault));
        self.beats
    }
}

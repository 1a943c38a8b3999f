//! One line of a table: what the plugin says by it. `-` stands for no id; `\n` in a text is a new line.
//!
//! | line | what is said |
//! | --- | --- |
//! | `done WORD …`, `fail KIND TEXT` | the answer to the row's command |
//! | `done folders PATH:N …`, `done threads ID … [folder=F] [next=P] [bare=yes]` | what is stored; bare: without cursors |
//! | `start [nobody] [reason=R]`, `end STATUS [nobody] [reason=R] [fault=TEXT] [background]` | a turn of the newest message, or of nobody |
//! | `say KIND ID TEXT`, `whole KIND ID TEXT` | a piece of text; all of it so far |
//! | `assistant ID STATUS TEXT`, `reasoning …`, `plan …` | a message |
//! | `tool ID STATUS KIND NAME INPUT => OUTPUT` | a tool; `=> !TEXT` gives a patch; of kind `mcp` the first word of INPUT is the tool and NAME its server |
//! | `task ID STATUS [item=I] [thread=T] [background]`, `roster ID …` | tasks |
//! | `ask ID ITEM KIND TEXT`, `question ID`, `call ID TOOL INPUT`, `asked ID STATUS` | requests |
//! | `broken TEXT` | the end of the session, by a fault of the plugin's |
//! | `thread ID [parent=P] [cursor=C] [replaces=R]`, `todo STATUS TEXT`, `note TEXT`, `settings [NAME=VALUE …]` | the rest |
//!
//! `@thread=T`, `@turn=U`, `@parent=I`, `@replayed` before a line say where it happens.

use jackfield_sdk::prelude::*;

/// Says one line, here if it does not say where; `op` is the row's command, `sent` the one that sent the newest message.
pub fn say(cx: &mut Cx, line: &str, here: Scope, op: u32, sent: Option<u32>) {
    let mut scope = here;
    let mut rest = line;
    while let Some((place, tail)) = rest.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        match place.split_once('=') {
            Some(("thread", id)) => scope.thread = Some(id.into()),
            Some(("turn", id)) => scope.turn = Some(id.into()),
            Some(("parent", id)) => scope.parent = Some(id.into()),
            _ => scope.replayed = true,
        }
        rest = tail.trim_start();
    }
    let words = Words(rest.split(' ').collect());
    match words.at(0) {
        "done" => cx.done(op, value(&words)),
        "broken" => cx.end_session(Fault::new(FaultKind::Internal, words.tail(1))),
        "fail" => cx.fail(op, Fault::new(fault_kind(words.at(1)), words.tail(2))),
        _ => match body(&words, sent) {
            Some(body) if scope == Scope::root() => cx.event(body),
            Some(body) => cx.event_in(Some(scope), body),
            None => cx.diagnostic(Level::Error, "table", format!("nobody knows the line `{line}`")),
        },
    }
}

struct Words<'a>(Vec<&'a str>);

impl Words<'_> {
    fn at(&self, at: usize) -> &str {
        self.0.get(at).copied().unwrap_or_default()
    }

    fn id(&self, at: usize) -> Option<String> {
        Some(self.at(at)).filter(|id| *id != "-" && !id.is_empty()).map(str::to_owned)
    }

    fn tail(&self, from: usize) -> String {
        self.0.get(from..).unwrap_or_default().join(" ").replace("\\n", "\n")
    }

    fn named(&self, name: &str) -> Option<String> {
        self.0.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned)
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains(&word)
    }
}

fn value(words: &Words<'_>) -> OpValue {
    let delivered = |how| OpValue::Delivered(Delivery { how, turn: words.id(2) });
    match words.at(1) {
        "opened-turn" => delivered(Delivered::OpenedTurn),
        "joined-turn" => delivered(Delivered::JoinedTurn),
        "queued" => delivered(Delivered::Queued),
        "stale" => delivered(Delivered::Stale),
        "taken" => delivered(Delivered::Unknown),
        "now" => OpValue::Applied(Applies::Now),
        "next-turn" => OpValue::Applied(Applies::NextTurn),
        "after-restart" => OpValue::Applied(Applies::AfterRestart),
        "thread" => OpValue::Thread(thread(words, 2)),
        "text" => OpValue::Text(words.tail(2)),
        "page" => OpValue::Page(words.id(2)),
        "interrupted" => OpValue::Interrupted(vec![]),
        "settings" => OpValue::Settings(settings(words)),
        "folders" => OpValue::Folders(words.0[2..].iter().map(|one| folder(one)).collect()),
        "threads" => {
            let ids = words.0[2..].iter().filter(|word| !word.contains('='));
            OpValue::Threads(ThreadList {
                threads: ids.map(|id| stored(words, id)).collect(),
                next: words.named("next"),
            })
        }
        "task" => OpValue::Task(Task::new(words.at(2), TaskKind::Subagent, status(words.at(3)))),
        _ => OpValue::Accepted,
    }
}

fn body(words: &Words<'_>, sent: Option<u32>) -> Option<EventBody> {
    let op = sent.filter(|_| !words.has("nobody"));
    Some(match words.at(0) {
        "start" => EventBody::TurnStarted(TurnStart { op, reason: words.named("reason") }),
        "end" => EventBody::TurnEnded(TurnEnd {
            reason: words.named("reason"),
            fault: words.named("fault").map(|text| Fault::new(FaultKind::Overloaded, text)),
            background: words.has("background"),
            ..TurnEnd::new(op, status(words.at(1)))
        }),
        "say" | "whole" => EventBody::Delta(Delta {
            id: words.id(2),
            kind: text_kind(words.at(1))?,
            whole: words.at(0) == "whole",
            text: words.tail(3),
        }),
        "assistant" => item(words, ItemBody::Assistant(vec![Content::Text(words.tail(3))])),
        "reasoning" => item(words, ItemBody::Reasoning(vec![Content::Text(words.tail(3))])),
        "plan" => item(words, ItemBody::ProposedPlan(words.tail(3))),
        "tool" => item(words, ItemBody::Tool(tool(words, 3)?)),
        "task" => EventBody::Tasks(vec![Task {
            item: words.named("item"),
            thread: words.named("thread"),
            background: words.has("background"),
            ..Task::new(words.at(1), TaskKind::Subagent, status(words.at(2)))
        }]),
        "roster" => EventBody::Roster(words.0[1..].iter().map(|id| (*id).to_owned()).collect()),
        "ask" => EventBody::RequestsOpened(vec![Request {
            item: words.id(2),
            options: vec![Offer::new("yes", "Yes", Verdict::AllowOnce), Offer::new("no", "No", Verdict::RejectOnce)],
            ..Request::new(words.at(1), Subject::Approval(tool(words, 3)?))
        }]),
        "question" => EventBody::RequestsOpened(vec![Request {
            questions: vec![Question::new(
                "q",
                "Which?",
                ["a", "b"].map(|one| Choice::new(one, one.to_uppercase())).to_vec(),
            )],
            ..Request::new(words.at(1), Subject::Questions)
        }]),
        "call" => {
            let tool = Tool { input: Some(words.tail(3)), ..Tool::new(ToolKind::Unknown).with_name(words.at(2)) };
            EventBody::RequestsOpened(vec![Request::new(words.at(1), Subject::HostTool(tool))])
        }
        "asked" => EventBody::RequestsClosed(vec![RequestEnd { id: words.at(1).into(), status: status(words.at(2)) }]),
        "thread" => EventBody::Threads(vec![thread(words, 1)]),
        "todo" => EventBody::Plan(Plan {
            id: None,
            explanation: None,
            steps: vec![PlanStep::new(words.tail(2), status(words.at(1)))],
        }),
        "note" => EventBody::Note(Note::new(Level::Info, "said", words.tail(1))),
        "settings" => EventBody::Settings(settings(words)),
        _ => return None,
    })
}

fn item(words: &Words<'_>, body: ItemBody) -> EventBody {
    EventBody::Items(vec![Item::new(words.id(1), status(words.at(2)), body)])
}

/// A tool: its kind, its name, its input, after `=>` what it gave.
fn tool(words: &Words<'_>, from: usize) -> Option<Tool> {
    let text = words.tail(from + 1);
    let (call, gave) = text.split_once("=>").unwrap_or((&text, ""));
    let (name, input) = call.trim().split_once(' ').unwrap_or((call.trim(), ""));
    let mut tool = Tool::new(tool_kind(words.at(from))?).with_name(name);
    if words.at(from) == "mcp" {
        tool = Tool { server: Some(name.into()), ..tool.with_name(input.trim()) };
        return Some(tool);
    }
    tool.input = Some(input).filter(|input| !input.is_empty()).map(str::to_owned);
    tool.content = match (gave.trim(), gave.trim().strip_prefix('!')) {
        ("", _) => vec![],
        (_, Some(patch)) => vec![Content::Diff(FileDiff {
            path: "a".into(),
            moved_from: None,
            before: None,
            after: None,
            patch: Some(patch.into()),
        })],
        (gave, None) => vec![gave.into()],
    };
    Some(tool)
}

fn thread(words: &Words<'_>, at: usize) -> Thread {
    Thread {
        cursor: words.named("cursor").or_else(|| Some(format!("cursor-{}", words.at(at)))),
        parent: words.named("parent"),
        replaces: words.named("replaces"),
        ..Thread::new(words.at(at), ThreadState::Idle)
    }
}

/// `NAME=VALUE` for each setting; the model, when none is named.
fn settings(words: &Words<'_>) -> Vec<Setting> {
    let told = words.0.iter().filter_map(|word| word.split_once('='));
    let told: Vec<_> = told.map(|(name, value)| Setting::new(name, name, vec![]).with_value(value)).collect();
    if told.is_empty() {
        vec![Setting::new("model", "Model", vec![Choice::new("small", "Small"), Choice::new("large", "Large")])]
    } else {
        told
    }
}

/// `PATH:THREADS`.
fn folder(word: &str) -> Folder {
    let (path, threads) = word.split_once(':').unwrap_or((word, "1"));
    Folder { path: path.into(), threads: threads.parse().unwrap_or(1), modified_ms: None }
}

fn stored(words: &Words<'_>, id: &str) -> Thread {
    Thread {
        cursor: Some(format!("cursor-{id}")).filter(|_| !words.has("bare=yes")),
        preview: Some(format!("First words of {id}")),
        folder: words.named("folder"),
        ..Thread::new(id, ThreadState::Stored)
    }
}

fn status(word: &str) -> Status {
    match word {
        "pending" => Status::Pending,
        "running" => Status::Running,
        "waiting" => Status::Waiting,
        "completed" => Status::Completed,
        "failed" => Status::Failed,
        "declined" => Status::Declined,
        "interrupted" => Status::Interrupted,
        "cancelled" => Status::Cancelled,
        "retracted" => Status::Retracted,
        _ => Status::Unknown,
    }
}

fn text_kind(word: &str) -> Option<TextKind> {
    Some(match word {
        "assistant" => TextKind::Assistant,
        "reasoning" => TextKind::Reasoning,
        "plan" => TextKind::Plan,
        "tool-input" => TextKind::ToolInput,
        "tool-output" => TextKind::ToolOutput,
        _ => return None,
    })
}

fn tool_kind(word: &str) -> Option<ToolKind> {
    Some(match word {
        "read" => ToolKind::Read,
        "edit" => ToolKind::Edit,
        "execute" => ToolKind::Execute,
        "delegate" => ToolKind::Delegate,
        "fetch" => ToolKind::Fetch,
        "mcp" => ToolKind::Unknown,
        _ => return None,
    })
}

fn fault_kind(word: &str) -> FaultKind {
    match word {
        "unsupported" => FaultKind::Unsupported,
        "invalid" => FaultKind::Invalid,
        "not-found" => FaultKind::NotFound,
        "conflict" => FaultKind::Conflict,
        _ => FaultKind::Internal,
    }
}

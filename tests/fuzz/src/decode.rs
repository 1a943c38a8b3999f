//! What a hostile plugin says, drawn from bytes. The same file is compiled against the host's types and, in `guest.rs`, against
//! the SDK's: both follow from `wit/`.

use super::bytes::Bytes;
use super::types::*;

const STATUS: [Status; 10] = [
    Status::Running,
    Status::Completed,
    Status::Pending,
    Status::Waiting,
    Status::Failed,
    Status::Declined,
    Status::Interrupted,
    Status::Cancelled,
    Status::Retracted,
    Status::Unknown,
];

/// Numbers of commands: the first few are really used.
pub fn op(b: &mut Bytes) -> u32 {
    b.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 0, u32::MAX])
}

fn op_or_none(b: &mut Bytes) -> Option<u32> {
    if b.below(2) == 0 { None } else { Some(op(b)) }
}

fn pairs(b: &mut Bytes) -> Pairs {
    if b.once_in(8) { b.list(3, |b| (b.id(), b.text())) } else { vec![] }
}

fn other(b: &mut Bytes) -> Other {
    Other { name: b.id(), json: b.text() }
}

fn status(b: &mut Bytes) -> Status {
    b.pick(&STATUS)
}

/// Why something failed.
pub fn fault(b: &mut Bytes) -> Fault {
    let kind = b.pick(&[
        FaultKind::Unknown,
        FaultKind::Conflict,
        FaultKind::Unsupported,
        FaultKind::NotFound,
        FaultKind::Auth,
        FaultKind::Timeout,
        FaultKind::Cancelled,
        FaultKind::Protocol,
    ]);
    Fault {
        kind,
        message: b.text(),
        code: b.text_or_none(),
        retryable: b.below(2) == 0,
        retry_after_ms: b.number_or_none(),
        extra: pairs(b),
    }
}

fn fault_or_none(b: &mut Bytes) -> Option<Fault> {
    if b.once_in(3) { Some(fault(b)) } else { None }
}

fn diff(b: &mut Bytes) -> FileDiff {
    FileDiff {
        path: b.text(),
        moved_from: b.text_or_none(),
        before: b.text_or_none(),
        after: b.text_or_none(),
        patch: b.text_or_none(),
    }
}

fn content(b: &mut Bytes) -> Content {
    match b.below(6) {
        0..=2 => Content::Text(b.text()),
        3 => Content::Media(Media {
            mime: b.text(),
            name: b.text_or_none(),
            uri: b.text_or_none(),
            base64: b.text_or_none(),
        }),
        4 => Content::Diff(diff(b)),
        _ => Content::Other(other(b)),
    }
}

fn tool(b: &mut Bytes) -> Tool {
    Tool {
        kind: b.pick(&[ToolKind::Execute, ToolKind::Read, ToolKind::Edit, ToolKind::Delegate, ToolKind::Unknown]),
        name: b.text_or_none(),
        server: b.text_or_none(),
        title: b.text_or_none(),
        input: b.text_or_none(),
        locations: b.list(2, |b| Location { path: b.text(), line: None }),
        content: b.list(2, content),
        exit_code: b.pick(&[None, Some(0), Some(1), Some(i32::MIN)]),
        extra: pairs(b),
    }
}

fn item(b: &mut Bytes) -> Item {
    let body = match b.below(8) {
        0 | 1 => ItemBody::Assistant(b.list(2, content)),
        2 => ItemBody::Reasoning(b.list(2, content)),
        3 => ItemBody::ProposedPlan(b.text()),
        4 | 5 => ItemBody::Tool(tool(b)),
        6 => ItemBody::User(UserMessage { op: op_or_none(b), typed: b.below(2) == 0, content: b.list(2, content) }),
        _ => ItemBody::Other(other(b)),
    };
    Item { id: b.id_or_none(), status: status(b), body, mark: b.text_or_none(), extra: pairs(b) }
}

/// A thread of the provider.
pub fn thread(b: &mut Bytes) -> Thread {
    Thread {
        id: b.id(),
        cursor: b.text_or_none(),
        parent: if b.once_in(4) { Some(b.id()) } else { None },
        replaces: if b.once_in(6) { Some(b.id()) } else { None },
        state: b.pick(&[ThreadState::Idle, ThreadState::Active, ThreadState::Closed, ThreadState::Broken]),
        title: b.text_or_none(),
        preview: b.text_or_none(),
        folder: b.text_or_none(),
        modified_ms: b.number_or_none(),
        extra: pairs(b),
    }
}

fn task(b: &mut Bytes) -> Task {
    Task {
        id: b.id(),
        kind: b.pick(&[TaskKind::Subagent, TaskKind::Shell, TaskKind::Unknown]),
        status: status(b),
        title: b.text_or_none(),
        item: b.id_or_none(),
        thread: b.id_or_none(),
        background: b.below(2) == 0,
        summary: b.text_or_none(),
        extra: pairs(b),
    }
}

fn choice(b: &mut Bytes) -> Choice {
    Choice { value: b.id(), label: b.text(), description: b.text_or_none(), extra: pairs(b) }
}

fn setting(b: &mut Bytes) -> Setting {
    let name = b.pick(&["model", "mode", "effort", ""]).to_owned();
    Setting { name, label: b.text(), value: b.text_or_none(), choices: b.list(3, choice), extra: pairs(b) }
}

fn request(b: &mut Bytes) -> Request {
    let verdict = [
        Verdict::AllowOnce,
        Verdict::RejectOnce,
        Verdict::AllowSession,
        Verdict::AllowAlways,
        Verdict::RejectAlways,
        Verdict::Abort,
        Verdict::Neutral,
        Verdict::Unknown,
    ];
    let subject = match b.below(7) {
        0..=2 => Subject::Approval(tool(b)),
        3 => Subject::Plan(b.text()),
        4 => Subject::Questions,
        5 => Subject::Login(Login { url: b.text_or_none(), code: b.text_or_none(), text: b.text() }),
        _ => {
            if b.below(2) == 0 {
                Subject::HostTool(tool(b))
            } else {
                Subject::Other(other(b))
            }
        }
    };
    Request {
        id: b.id(),
        item: b.id_or_none(),
        subject,
        reason: b.text_or_none(),
        options: b.list(4, |b| Offer { id: b.id(), label: b.text(), verdict: b.pick(&verdict) }),
        questions: b.list(2, |b| Question {
            id: b.id(),
            header: b.text_or_none(),
            text: b.text(),
            choices: b.list(3, choice),
            multiple: b.below(2) == 0,
            free_text: b.below(2) == 0,
            secret: b.below(2) == 0,
            schema: b.text_or_none(),
        }),
        raw: b.text_or_none(),
        expires_ms: b.number_or_none(),
        extra: pairs(b),
    }
}

/// A word to the author.
pub fn note(b: &mut Bytes) -> Note {
    let level = b.pick(&[Level::Info, Level::Debug, Level::Warning, Level::Error]);
    Note { level, code: b.id(), text: b.text(), fault: fault_or_none(b) }
}

fn body(b: &mut Bytes) -> EventBody {
    let kinds = [
        TextKind::Assistant,
        TextKind::Reasoning,
        TextKind::ReasoningSummary,
        TextKind::Plan,
        TextKind::ToolInput,
        TextKind::ToolOutput,
    ];
    match b.below(32) {
        0..=4 => {
            EventBody::Delta(Delta { id: b.id_or_none(), kind: b.pick(&kinds), whole: b.once_in(4), text: b.text() })
        }
        5..=9 => EventBody::Items(b.list(3, item)),
        10 | 11 => EventBody::TurnStarted(TurnStart { op: op_or_none(b), reason: b.text_or_none() }),
        12 | 13 => EventBody::TurnEnded(TurnEnd {
            op: op_or_none(b),
            status: status(b),
            reason: b.text_or_none(),
            fault: fault_or_none(b),
            mark: b.text_or_none(),
            background: b.once_in(3),
            extra: pairs(b),
        }),
        14 => EventBody::Threads(b.list(2, thread)),
        15 => EventBody::Plan(Plan {
            id: b.id_or_none(),
            explanation: b.text_or_none(),
            steps: b.list(3, |b| PlanStep { text: b.text(), status: status(b), priority: b.text_or_none() }),
        }),
        16 | 17 => EventBody::Tasks(b.list(2, task)),
        18 => EventBody::Roster(b.list(2, Bytes::id)),
        19..=21 => EventBody::RequestsOpened(b.list(2, request)),
        22 => EventBody::RequestsClosed(b.list(2, |b| RequestEnd { id: b.id(), status: status(b) })),
        23 => EventBody::Usage(Usage {
            span: b.pick(&[UsageSpan::Turn, UsageSpan::Call, UsageSpan::Thread, UsageSpan::Session]),
            counts: b.list(3, |b| (b.id(), b.number())),
        }),
        24 => EventBody::Context(ContextChange {
            what: b.pick(&[
                ContextEffect::Compacted,
                ContextEffect::Compacting,
                ContextEffect::CompactFailed,
                ContextEffect::Cleared,
                ContextEffect::Rewound,
                ContextEffect::Lost,
            ]),
            turn: b.id_or_none(),
            tokens_before: b.number_or_none(),
            tokens_after: b.number_or_none(),
            automatic: b.below(2) == 0,
            summary: b.text_or_none(),
        }),
        25 => EventBody::Changes(b.list(2, diff)),
        26 => EventBody::Settings(b.list(2, setting)),
        27 => EventBody::SlashCommands(b.list(2, |b| SlashCommand {
            name: b.text(),
            description: b.text(),
            hint: b.text_or_none(),
            extra: pairs(b),
        })),
        28 => EventBody::McpServers(b.list(2, |b| McpState {
            name: b.text(),
            status: status(b),
            tools: b.list(2, Bytes::text),
            message: b.text_or_none(),
        })),
        29 => EventBody::Account(Account {
            logged_in: b.pick(&[None, Some(true), Some(false)]),
            label: b.text_or_none(),
            plan: b.text_or_none(),
            limits: b.list(2, |b| RateLimit {
                name: b.text(),
                used_percent: b.number_or_none(),
                resets_at_ms: b.number_or_none(),
                reached: b.below(2) == 0,
            }),
            extra: pairs(b),
        }),
        30 => match b.below(3) {
            0 => EventBody::Queue(b.list(3, op)),
            1 => EventBody::Retrying(Retry {
                attempt: op(b),
                max_attempts: op_or_none(b),
                delay_ms: b.number_or_none(),
                fault: fault(b),
            }),
            _ => EventBody::Note(note(b)),
        },
        _ => EventBody::Other(other(b)),
    }
}

/// Something that is said to have happened.
pub fn event(b: &mut Bytes) -> Event {
    let scope = if b.below(3) == 0 {
        None
    } else {
        let some = |b: &mut Bytes, many| if b.once_in(many) { Some(b.id()) } else { None };
        Some(Scope { thread: some(b, 4), turn: some(b, 3), parent: some(b, 3), replayed: b.once_in(10) })
    };
    Event { scope, body: body(b) }
}

/// What is said to have come of a command.
pub fn value(b: &mut Bytes) -> OpValue {
    match b.below(9) {
        0 => OpValue::Accepted,
        1 => OpValue::Thread(thread(b)),
        2 | 3 => {
            let how = b.pick(&[
                Delivered::OpenedTurn,
                Delivered::JoinedTurn,
                Delivered::Queued,
                Delivered::Stale,
                Delivered::Unknown,
            ]);
            OpValue::Delivered(Delivery { how, turn: b.id_or_none() })
        }
        4 => OpValue::Interrupted(b.list(2, op)),
        5 => OpValue::Applied(b.pick(&[Applies::Now, Applies::NextTurn, Applies::AfterRestart, Applies::InNewThread])),
        6 => OpValue::Text(b.text()),
        7 => OpValue::Page(b.text_or_none()),
        _ => OpValue::Other(other(b)),
    }
}

/// What is said of a frame.
pub fn disposition(b: &mut Bytes) -> Disposition {
    match b.below(6) {
        0 => Disposition::Silent(b.id()),
        1 => Disposition::Held,
        2 => Disposition::Duplicate,
        3 => Disposition::Noise,
        4 => Disposition::Unknown(b.id()),
        _ => Disposition::Other(other(b)),
    }
}

/// What it claims to be able to do.
pub fn capabilities(b: &mut Bytes) -> CapabilitySet {
    let names = [
        "turns.supports-interrupt",
        "turns.supports-active-steering",
        "turns.emits-turn-started",
        "identity.native-item-ids",
        "identity.native-turn-ids",
        "turns.terminal-status-quality",
        "nothing.we-know",
    ];
    let capabilities = b.list(5, |b| Capability {
        name: b.pick(&names).to_owned(),
        value: match b.below(4) {
            0 => CapabilityValue::Flag(b.below(2) == 0),
            1 => CapabilityValue::Word(b.pick(&["strong", "weak", "none", "?"]).to_owned()),
            2 => CapabilityValue::Count(op(b)),
            _ => CapabilityValue::Other(other(b)),
        },
    });
    CapabilitySet { revision: op(b), provider_version: b.text_or_none(), capabilities }
}

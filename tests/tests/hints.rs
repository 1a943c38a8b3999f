//! A hint never disagrees with what happens, for the whole policy table, through the real host: what is *available* is done by the
//! provider; at a *fallback* the announced strategy runs; what is *unavailable* or *blocked* is refused with the same reason, and the
//! provider hears nothing of it.
//!
//! For each operation, every set of the flags that its row reads is looked at, under three policies (open, closed, blocked), and
//! for each decision that comes of them the operation is carried out. The plugin is `scripted` on one table that can do
//! everything; only what it declares differs.

use jackfield_core::capability::{Capabilities, FLAGS, Flag};
use jackfield_core::hints::{Hint, HintState};
use jackfield_core::policy::{Intent, PolicyConfig, Strategy, decide};
use jackfield_runtime::session::{NOT_BUILT, as_built};
use jackfield_tests::block_on;
use jackfield_tests::flags::case::Case;
use jackfield_tests::flags::play::House;
use std::path::Path;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

const TABLE: &str = "
on send-run
  done opened-turn
  start
  end completed
on send-run work
  done opened-turn
  start
  task k running background
  end completed background
on send-run said
  done opened-turn
  start
  assistant a completed first
  assistant b completed second
  end completed
on send-run deep
  done opened-turn
  start
  tool d running delegate Agent go
  task k running item=d thread=child
  thread child parent=T
  @thread=child assistant m completed deep
  task k completed item=d
  tool d completed delegate Agent go
  end completed
on send-run hold
  done opened-turn
  start
  after 150
  end completed
on send-run later +enqueue
  done queued
  after 300
  start
  end completed
on steer-run
  done joined-turn
on interrupt
  done interrupted
  end interrupted
on set-selection
  done now
on list-settings
  done settings
on fork-thread
  done thread F
on rollback-thread
  done thread T
on read-thread
  done page -
on summarize
  done text short
on compact-thread
  done accepted
on clear-thread
  done thread T
on set-mcp-servers
  done now
on stop-task
  done accepted
on wait-task
  done task k completed
";

/// What a person can do, and how it is seen.
struct Operation {
    intent: Intent,
    before: &'static str,
    does: &'static str,
    /// How what was not refused is waited for.
    after: &'static str,
    /// The beginning of the command that the provider gets, where it does it itself.
    command: &'static str,
}

const ONE: &str = "send one\nuntil run.ended";
const TWO: &str = "send one\nuntil run.ended\nsend two\nuntil run.ended";
const SAID: &str = "send said\nuntil run.ended\nsend two\nuntil run.ended";
const DEEP: &str = "send deep\nuntil run.ended";
const HOLD: &str = "send hold\nuntil turn.started";
const WORK: &str = "send work\nuntil run.ended";
const THEN: &str = "send three\nuntil run.ended";

const fn operation(
    intent: Intent,
    before: &'static str,
    does: &'static str,
    after: &'static str,
    command: &'static str,
) -> Operation {
    Operation { intent, before, does, after, command }
}

const OPERATIONS: &[Operation] = &[
    operation(Intent::Interrupt, HOLD, "interrupt", "until run.ended", "interrupt"),
    operation(Intent::InterruptTurnOnly, HOLD, "interrupt turn", "until run.ended", "interrupt keep-background"),
    operation(Intent::Steer, HOLD, "auto later", "until run.ended\nuntil run.ended", "steer-run later"),
    operation(Intent::QueueMessage, HOLD, "send later", "until run.ended\nuntil run.ended", "send-run later +enqueue"),
    operation(Intent::SwitchModel, ONE, "select model=large", THEN, "set-selection model=large"),
    operation(Intent::SwitchMode, ONE, "select mode=plan", THEN, "set-selection mode=plan"),
    operation(Intent::ListSettings, ONE, "settings", "", "list-settings"),
    operation(Intent::ForkAtTip, ONE, "fork", "", "fork-thread 0"),
    operation(Intent::ForkAtTurn, TWO, "fork 1", "", "fork-thread 1"),
    operation(Intent::ForkAtItem, SAID, "fork item a", "", "fork-thread 1 item=a"),
    operation(Intent::ForkSubagent, DEEP, "fork task", "", "fork-thread 0 of child"),
    operation(Intent::Rollback, TWO, "rollback 1", "", "rollback-thread 1"),
    operation(Intent::ReadThread, ONE, "read", "", "read-thread"),
    operation(Intent::Summarize, ONE, "summarize", "", "summarize"),
    operation(Intent::Compact, ONE, "compact names", "", "compact-thread names"),
    operation(Intent::Clear, ONE, "clear", "", "clear-thread"),
    operation(Intent::Attach, ONE, "attach look", "until run.ended", "send-run look +image/png"),
    operation(
        Intent::ExpertPrompt,
        ONE,
        "expert reviewer look",
        "until run.ended",
        "send-run You are asked as reviewer",
    ),
    operation(Intent::SetMcpServers, ONE, "mcp mail", "", "set-mcp-servers mail"),
    operation(Intent::SelectMcpTools, ONE, "mcp mail send", "", "set-mcp-servers mail without send"),
    operation(Intent::StopTask, WORK, "stop", "", "stop-task k"),
    operation(Intent::WaitForTask, WORK, "wait-for", "", "wait-task k"),
];

/// Hints of what is seen rather than asked of the provider: panels, words, questions, threads that the host opens by a cursor, and
/// requests that are asked again. What each changes is in `tests/flags`.
const SEEN: &[Intent] = &[
    Intent::Resume,
    Intent::AnswerRequest,
    Intent::AnswerAfterRestart,
    Intent::OpenSubagent,
    Intent::ApproveCommand,
    Intent::ApproveFileRead,
    Intent::ApproveFileChange,
    Intent::ApprovePatch,
    Intent::ApproveInSubagents,
    Intent::EnforceModes,
    Intent::ShowProgress,
    Intent::ShowTodo,
    Intent::ProposePlan,
    Intent::AskQuestions,
    Intent::ShowSubagents,
    Intent::StreamText,
    Intent::StreamReasoning,
    Intent::StreamToolOutput,
    Intent::StreamPlan,
    Intent::ShowToolOutput,
];

#[test]
fn each_hint_is_of_an_operation_or_of_what_is_seen() {
    for intent in Intent::ALL.iter().filter(|intent| intent.is_for_users()) {
        let done = OPERATIONS.iter().filter(|one| one.intent == *intent).count();
        let places = done + usize::from(SEEN.contains(intent)) + usize::from(NOT_BUILT.contains(intent));
        assert_eq!(places, 1, "{intent:?}");
    }
}

fn closed() -> PolicyConfig {
    PolicyConfig {
        stop_session_on_interrupt: false,
        interrupt_restart: false,
        host_queue: false,
        restart_on_switch: false,
        local_summaries: false,
        synthetic_user_context: false,
        run_without_approvals: false,
        ..PolicyConfig::default()
    }
}

fn blocked() -> PolicyConfig {
    let rules = OPERATIONS.iter().map(|one| (one.intent.name().to_owned(), "no-such-thing-here".to_owned()));
    PolicyConfig { blocked: rules.collect(), ..PolicyConfig::default() }
}

/// Flags that the row of an intent reads: alone, or when another one is missing.
fn read_by(intent: Intent, policy: &PolicyConfig) -> Vec<&'static Flag> {
    let changes = |base: &Capabilities, flag: &Flag| {
        let mut without = base.clone();
        flag.weaken(&mut without);
        decide(&intent, base, policy) != decide(&intent, &without, policy)
    };
    let strongest = Capabilities::strongest();
    let direct: Vec<&Flag> = FLAGS.iter().filter(|flag| changes(&strongest, flag)).collect();
    let mut none = strongest.clone();
    direct.iter().for_each(|flag| flag.weaken(&mut none));
    let weakened: Vec<Capabilities> = direct
        .iter()
        .map(|flag| {
            let mut one = strongest.clone();
            flag.weaken(&mut one);
            one
        })
        .chain([none])
        .collect();
    let more = FLAGS.iter().filter(|flag| weakened.iter().any(|base| changes(base, flag)));
    let mut all: Vec<&Flag> = direct.clone();
    all.extend(more.filter(|flag| !direct.iter().any(|known| known.name() == flag.name())));
    all
}

/// One set of capabilities for each decision that any of them leads to.
fn sets(intent: Intent, policy: &PolicyConfig) -> Vec<Capabilities> {
    let flags = read_by(intent, policy);
    assert!(flags.len() <= 10, "{intent:?} reads {} flags", flags.len());
    let (mut seen, mut sets) = (Vec::new(), Vec::new());
    for bits in 0..1u32 << flags.len() {
        let mut set = Capabilities::strongest();
        flags.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0).for_each(|(_, flag)| flag.weaken(&mut set));
        // What counts is what is left when flags that disagree were settled.
        let set = jackfield_core::capability::Staged::new(set.to_set(1, None)).effective().capabilities;
        let decision = decide(&intent, &set, policy);
        if !seen.contains(&decision) {
            seen.push(decision);
            sets.push(set);
        }
    }
    sets
}

#[test]
fn what_is_hinted_is_what_happens() {
    let wrong: Vec<String> = block_on(async {
        let mut wrong = Vec::new();
        let (mut played, mut strategies) = ([0; 4], std::collections::BTreeSet::new());
        for (name, policy) in [("open", PolicyConfig::default()), ("closed", closed()), ("blocked", blocked())] {
            let house = House::open(policy.clone(), Path::new(PROGRAM)).await.unwrap();
            let policy = as_built(policy);
            for operation in OPERATIONS {
                for (number, set) in sets(operation.intent, &policy).iter().enumerate() {
                    let version = format!("{}-{number}", operation.intent.name());
                    match holds(&house, operation, set, &version).await {
                        Ok(state) => {
                            played[kind(&state)] += 1;
                            if let HintState::Fallback { strategy, .. } = state {
                                strategies.insert(strategy.code());
                            }
                        }
                        Err(problem) => wrong.push(format!("{name} {version}: {problem}")),
                    }
                }
            }
        }
        println!(
            "available {}, fallback {} ({strategies:?}), unavailable {}, blocked {}",
            played[0], played[1], played[2], played[3]
        );
        assert!(wrong.len() > 5 || played.iter().all(|count| *count > 0), "{played:?}");
        wrong
    });
    assert!(wrong.is_empty(), "{} do not hold:\n{}", wrong.len(), wrong.join("\n\n"));
}

fn kind(state: &HintState) -> usize {
    match state {
        HintState::Available => 0,
        HintState::Fallback { .. } => 1,
        HintState::Unavailable { .. } => 2,
        HintState::BlockedByPolicy { .. } => 3,
    }
}

/// Plays the operation; the hint that there was, or where it disagreed with what happened.
async fn holds(house: &House, operation: &Operation, set: &Capabilities, version: &str) -> Result<HintState, String> {
    let refused_ends =
        |state: &HintState| matches!(state, HintState::Unavailable { .. } | HintState::BlockedByPolicy { .. });
    let steps = |after: &str| format!("{}\nmark\n{}\n{after}", operation.before, operation.does);
    // First only as far as the hint, to know how to wait.
    let (_, hints) =
        play(house, operation, set, &format!("{}\nmark", operation.before), &format!("{version}-hint")).await?;
    let state = state_of(&hints, operation.intent)?;
    let after = match (refused_ends(&state), operation.before) {
        (false, _) => operation.after,
        (true, before) if before == HOLD => "until run.ended",
        (true, _) => "wait 20",
    };
    let (lines, hints) = play(house, operation, set, &steps(after), version).await?;
    if state_of(&hints, operation.intent)? != state {
        return Err("the hint changed between two plays".into());
    }
    let at = lines.iter().position(|line| line == "mark").unwrap_or_default();
    let after = &lines[at..];
    match judge(operation, &state, after) {
        None => Ok(state),
        Some(problem) => Err(format!("{problem}; the hint was {state:?}; what happened:\n{}", after.join("\n"))),
    }
}

async fn play(
    house: &House,
    operation: &Operation,
    set: &Capabilities,
    steps: &str,
    version: &str,
) -> Result<(Vec<String>, Vec<Hint>), String> {
    let case = Case::played("", operation.intent.name(), TABLE, steps);
    house.play_hinted(&case, set, version).await.map_err(|error| format!("{error:#}"))
}

fn state_of(hints: &[Hint], intent: Intent) -> Result<HintState, String> {
    let hint = hints.iter().find(|hint| hint.operation == intent.name());
    hint.map(|hint| hint.state.clone()).ok_or_else(|| "there is no hint".to_owned())
}

fn judge(operation: &Operation, state: &HintState, seen: &[String]) -> Option<String> {
    let told = |beginning: &str| {
        let is_it = |line: &&String| {
            let text = line.strip_prefix("note code=told level=info text=");
            text.is_some_and(|text| text.trim_start_matches('"').starts_with(beginning))
        };
        seen.iter().filter(is_it).count()
    };
    let has = |words: &[&str]| seen.iter().any(|line| words.iter().all(|word| line.contains(word)));
    let refusal = seen.iter().find(|line| line.starts_with("refused "));
    let announced = has(&["policy.decided", &format!("intent={}", operation.intent.name())]);
    let refused_with = |reason: &str| match refusal {
        None => Some("it was not refused".to_owned()),
        Some(line) if !line.contains(reason) => Some(format!("it was refused otherwise: {line}")),
        Some(_) if told(operation.command) > 0 || told(verb(operation.command)) > 0 => {
            Some("the provider heard of it".to_owned())
        }
        Some(_) => None,
    };
    match state {
        HintState::Available => match (refusal, told(operation.command), announced) {
            (None, 1, false) => None,
            (refusal, times, announced) => {
                Some(format!("refused: {refusal:?}, told {times} times, something else announced: {announced}"))
            }
        },
        HintState::Fallback { strategy, because, .. } => {
            let said = has(&["policy.decided", because, &format!("strategy={}", strategy.code())]);
            match (refusal, said && announced, ran(*strategy, operation, &told, &has)) {
                (None, true, true) => None,
                (refusal, said, ran) => Some(format!("refused: {refusal:?}, announced: {said}, ran: {ran}")),
            }
        }
        HintState::Unavailable { reason } => refused_with(reason),
        HintState::BlockedByPolicy { rule } => refused_with(&format!("blocked by the rule {rule}")),
    }
}

/// A command's first word, where no other operation has it.
fn verb(command: &str) -> &str {
    let verb = command.split(' ').next().unwrap_or_default();
    if verb == "send-run" { command } else { verb }
}

/// What is seen when a strategy is carried out.
fn ran(strategy: Strategy, operation: &Operation, told: &dyn Fn(&str) -> usize, has: &dyn Fn(&[&str]) -> bool) -> bool {
    match strategy {
        Strategy::InterruptEverything => told("interrupt") == 1 && told("interrupt keep-background") == 0,
        Strategy::ForkAtTurn => told("fork-thread 1") == 1 && told("fork-thread 1 item") == 0,
        Strategy::StopSession => has(&["session.ended"]) && told("interrupt") == 0,
        Strategy::SteerAndStopTools => told("steer-run later") == 1,
        Strategy::InterruptAndRestart => {
            told("interrupt") == 1
                && has(&["attempt.started", "reason=steering_restart"])
                && told("send-run later") == 1
        }
        Strategy::HostQueue => {
            told("send-run later") == 1 && told("send-run later +enqueue") == 0 && told("steer-run") == 0
        }
        Strategy::ProviderQueue => told("send-run later +enqueue") == 1 && told("steer-run") == 0,
        Strategy::RestartAndResume => told("set-selection") == 0 && told("open-thread resume cursor-T") == 1,
        Strategy::OwnRecord | Strategy::LocalSummary => told(operation.command) == 0,
        Strategy::RollbackAndReread => told("rollback-thread 1") == 1 && told("read-thread") == 1,
        Strategy::RollbackUnseen => told("rollback-thread 1") == 1 && told("read-thread") == 0,
        _ => false,
    }
}

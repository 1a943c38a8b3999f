//! Every recorded conversation of each provider's programs, played twice through the whole house and judged.
//!
//! The rules are in `tests/src/player/judge.rs`; that they can fail is shown here, on plays that were spoilt. A recording
//! that does not hold yet is in `tests/recordings/known.json`, with the rule and the reason: nothing is passed over in silence.

use jackfield_core::contract::{FrameData, Usage, UsageSpan};
use jackfield_core::event::{EventBody, ItemBody};
use jackfield_core::limits::Limits;
use jackfield_runtime::framing::{Framing, Piece, Splitter};
use jackfield_tests::block_on;
use jackfield_tests::player::again::{again, first_difference};
use jackfield_tests::player::house::House;
use jackfield_tests::player::judge::judge;
use jackfield_tests::player::lists::Lists;
use jackfield_tests::player::manner::{Manner, OTHERS};
use jackfield_tests::player::recording::{Dir, Recording, files, folder};
use jackfield_tests::player::report::{self, Report};
use jackfield_tests::player::seen::{Play, Problem};
use jackfield_tests::player::{dialect, ids};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Providers, and folders with recordings of theirs.
const VERSIONS: &[(&str, &str)] = &[
    ("claude-code", "claude-code-2.1.332"),
    ("claude-code", "claude-code-2.1.197"),
    ("codex", "codex-0.171.0"),
    ("codex", "codex-0.120.0"),
    ("copilot", "copilot"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("claude-agent-acp", "claude-agent-acp"),
    ("pi", "pi-0.73.1"),
];

const PLAY: &str = env!("CARGO_BIN_EXE_play");

/// Recording (`folder/name`) to why it does not hold yet.
type Known = BTreeMap<String, String>;

#[test]
fn claude_code_2_1_332() {
    all_hold("claude-code", "claude-code-2.1.332", 56);
}

#[test]
fn claude_code_2_1_197() {
    all_hold("claude-code", "claude-code-2.1.197", 65);
}

#[test]
fn copilot() {
    all_hold("copilot", "copilot", 31);
}

#[test]
fn gemini() {
    all_hold("gemini", "gemini", 31);
}

#[test]
fn opencode() {
    all_hold("opencode", "opencode", 32);
}

#[test]
fn claude_agent_acp() {
    all_hold("claude-agent-acp", "claude-agent-acp", 32);
}

#[test]
fn opencode_serve() {
    all_hold("opencode-server", "opencode-serve", 10);
}

#[test]
fn pi_0_73_1() {
    all_hold("pi", "pi-0.73.1", 15);
}

#[test]
fn aider_0_86_2() {
    all_hold("plain", "aider-0.86.2", 4);
}

#[test]
fn codex_0_171_0() {
    all_hold("codex", "codex-0.171.0", 53);
}

#[test]
fn codex_0_120_0() {
    all_hold("codex", "codex-0.120.0", 14);
}

/// Those that the plugin's own tests have beside these: messages with ids, steering, thoughts.
#[test]
fn claude_code_of_the_plugin() {
    let there = |path: &PathBuf| folder("claude-code-2.1.332").join(path.file_name().unwrap_or_default()).exists();
    let mut files = files(&xtask::root().join("plugins/claude-code/recordings"));
    files.retain(|path| !there(path));
    all_of("claude-code", "recordings", files, 5);
}

fn all_hold(provider: &str, name: &str, at_least: usize) {
    all_of(provider, name, files(&folder(name)), at_least);
}

/// The chosen ones once more: byte by byte, with other line ends, with noise between, and lines told twice.
#[test]
fn the_chosen_look_the_same_in_every_manner() {
    let chosen = [
        ("claude-code", 15),
        ("codex", 5),
        ("copilot", 2),
        ("gemini", 1),
        ("opencode", 2),
        ("claude-agent-acp", 2),
        ("pi", 3),
    ];
    for (provider, least) in chosen {
        let folders = VERSIONS.iter().filter(|(of, _)| *of == provider);
        let chosen: Vec<PathBuf> =
            folders.flat_map(|(_, name)| files(&folder(name))).filter(|file| by_hand(file)).collect();
        assert!(chosen.len() >= least, "{} recordings of {provider} have projections written by hand", chosen.len());
        look_the_same(provider, chosen);
    }
}

fn look_the_same(provider: &str, chosen: Vec<PathBuf>) {
    let wrong = block_on(async {
        let dialect = dialect(provider).expect("the dialect");
        let house = Arc::new(House::open(dialect, Path::new(PLAY)).await?);
        let lists = Arc::new(Lists::of(provider)?);
        let room = Arc::new(Semaphore::new(4));
        let mut plays = Vec::new();
        for file in chosen {
            for manner in OTHERS {
                let (house, lists, room, file) = (house.clone(), lists.clone(), room.clone(), file.clone());
                plays.push(tokio::spawn(async move {
                    let _room = room.acquire().await;
                    let problems = again(&house, &lists, &file, *manner, &expected(&file).unwrap_or_default()).await;
                    (format!("{} {manner:?}", file.display()), problems)
                }));
            }
        }
        let mut wrong = Vec::new();
        for play in plays {
            let (name, problems) = play.await?;
            wrong.extend(problems?.into_iter().map(|problem| format!("{name}: {problem}")));
        }
        anyhow::Ok(wrong)
    })
    .expect("they play");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every line of the chosen ones, split at every byte, is the same frame: nothing behind the splitter sees how bytes came.
/// It keeps nothing from one line to the next but that line's bytes, so a line and the one after it are enough.
#[test]
fn a_split_at_any_byte_is_invisible() {
    let limit = Limits::default().frame_bytes as usize;
    for file in VERSIONS.iter().flat_map(|(_, name)| files(&folder(name))).filter(|file| by_hand(file)) {
        let recording = Recording::read(&file).expect("a recording");
        for row in recording.rows.iter().filter(|row| row.dir == Dir::Out) {
            let bytes = format!("{}\n{{\"next\":1}}\n", row.line).into_bytes();
            let next = Piece::Frame(FrameData::Text("{\"next\":1}".into()));
            let wanted = [Piece::Frame(FrameData::Text(row.line.clone())), next];
            let mut single = Splitter::new(Framing::Ndjson, limit);
            let pieces: Vec<Piece> = bytes.chunks(1).flat_map(|byte| single.feed(byte)).collect();
            assert_eq!(pieces, wanted, "{} line {}, byte by byte", file.display(), row.at);
            for at in 0..=row.line.len() + 1 {
                let mut splitter = Splitter::new(Framing::Ndjson, limit);
                let mut pieces = splitter.feed(&bytes[..at]);
                pieces.extend(splitter.feed(&bytes[at..]));
                assert_eq!(pieces, wanted, "{} line {}, split at byte {at}", file.display(), row.at);
            }
        }
    }
}

/// What a person must see of a recording: the file beside it, without its remarks.
fn expected(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file.with_extension("txt")).ok()?;
    Some(text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect())
}

/// True when its picture was written from the frames, by a person.
fn by_hand(file: &Path) -> bool {
    std::fs::read_to_string(file.with_extension("txt")).is_ok_and(|text| text.starts_with("# By hand."))
}

/// The picture is the one beside the recording; with `UPDATE=1` it becomes it, unless a person wrote that.
fn pictured(file: &Path, report: &mut Report) {
    if std::env::var_os("UPDATE").is_some() && !by_hand(file) {
        std::fs::write(file.with_extension("txt"), &report.picture).expect("the picture");
    }
    let problem = match expected(file) {
        None => "there is no picture of it; UPDATE=1 writes one, and a person reads it".into(),
        Some(wanted) if wanted != report.picture => first_difference(&wanted, &report.picture),
        Some(_) => return,
    };
    report.problems.push(Problem::new("picture", problem));
}

fn all_of(provider: &str, folder: &str, files: Vec<PathBuf>, at_least: usize) {
    let known: Known = serde_json::from_str(include_str!("../recordings/known.json")).expect("known.json");
    assert!(files.len() >= at_least, "{folder} has {} recordings; {at_least} were there", files.len());
    let mut reports = block_on(report::all(provider, files.clone(), Path::new(PLAY), 4)).expect("the house opens");
    let has_pictures = |file: &Path| file.starts_with(xtask::root().join("tests/recordings"));
    let ours = files.iter().zip(&mut reports).filter(|(file, _)| has_pictures(file));
    ours.for_each(|(file, report)| pictured(file, report));
    let unexpected = |report: &&Report| report.passes() == known.contains_key(&report.name);
    let wrong: Vec<String> = reports.iter().filter(unexpected).map(Report::line).collect();
    assert!(wrong.is_empty(), "not as known.json says:\n{}", wrong.join("\n"));
    for name in known.keys().filter(|name| name.starts_with(folder)) {
        assert!(reports.iter().any(|report| report.name == *name), "known.json names {name}, which is not there");
    }
}

/// Breaks a play.
type Spoil = fn(&mut Play);

/// Each rule fails on a play in which it was broken.
#[test]
fn a_spoilt_play_does_not_pass() {
    let spoil: &[(&str, Spoil)] = &[
        ("terminal", |play| drop_event(play, |body| matches!(body, EventBody::RunEnded { .. }))),
        ("closing", |play| drop_event(play, |body| matches!(body, EventBody::TurnEnded { .. }))),
        ("closing", |play| drop_event(play, |body| matches!(body, EventBody::RequestResolved { .. }))),
        ("ids", |play| {
            let started = position(play, |body| matches!(body, EventBody::ItemStarted { .. }));
            let again = play.conversations[0].events[started].clone();
            play.conversations[0].events.insert(started, again);
        }),
        ("conservation", |play| play.conversations[0].sittings[0].frames[4].fate.clear()),
        ("conservation", |play| _ = play.conversations[0].sittings[0].frames.pop()),
        ("conservation", |play| {
            let frames = &mut play.conversations[0].sittings[0].frames;
            let text = frames.iter_mut().find(|frame| frame.raw.contains("text_delta")).expect("a delta");
            text.fate = "silent stream_event/content_block_delta".into();
        }),
        ("silent", |play| play.conversations[0].sittings[0].frames[3].fate = "silent new/kind".into()),
        ("unknown", |play| play.conversations[0].sittings[0].frames[3].fate = "unknown new/kind".into()),
        ("client-line", |play| _ = play.conversations[0].sittings[0].heard.pop()),
        ("host-line", |play| {
            let heard = r#"{"type":"user","message":{"role":"user","content":"nobody said this"}}"#;
            play.conversations[0].sittings[0].heard.push((heard.into(), None));
        }),
        ("text", |play| {
            for event in &mut play.conversations[0].events {
                if let EventBody::ItemEnded { item } = &mut event.draft.body
                    && let ItemBody::AssistantMessage { text, .. } = &mut item.body
                {
                    text.push('!');
                }
            }
        }),
        ("text", |play| drop_event(play, |body| matches!(body, EventBody::RequestOpened { .. }))),
        ("snapshot", |play| {
            let events = &mut play.conversations[0].events;
            let mut event = events.last().expect("an event").clone();
            event.seq += 1;
            // Not every number can be written down and read back.
            let usage = Usage { span: UsageSpan::Turn, counts: vec![("output".into(), f64::NAN)] };
            event.draft.body = EventBody::UsageUpdated { usage };
            events.push(event);
        }),
        ("store", |play| {
            play.conversations[0].live.last_mut().expect("an event").at_ms += 1;
        }),
    ];
    let dialect = dialect("claude-code").expect("the dialect");
    let lists = Lists::of("claude-code").expect("the lists");
    let file = folder("claude-code-2.1.332").join("tool_approval_allow.jsonl");
    let play = || {
        block_on(async {
            let house = Arc::new(House::open(dialect, Path::new(PLAY)).await?);
            house.play(&file, &Recording::read(&file)?, Manner::Plain).await
        })
        .expect("it plays")
    };
    let whole = play();
    assert_eq!(judge(&whole, dialect, &lists), []);
    for (index, (rule, spoil)) in spoil.iter().enumerate() {
        let mut spoilt = copy(&whole);
        spoil(&mut spoilt);
        let rules: Vec<&str> = judge(&spoilt, dialect, &lists).iter().map(|problem| problem.rule).collect();
        assert!(rules.contains(rule), "spoilt in way {index}: {rule} must fail, not {rules:?}");
    }
    let mut other = copy(&whole);
    drop_event(&mut other, |body| matches!(body, EventBody::ItemStarted { .. }));
    assert!(ids::same(&whole.conversations[0].events, &other.conversations[0].events).is_some());
}

fn position(play: &Play, wanted: fn(&EventBody) -> bool) -> usize {
    play.conversations[0].events.iter().position(|event| wanted(&event.draft.body)).expect("such an event")
}

fn drop_event(play: &mut Play, wanted: fn(&EventBody) -> bool) {
    let at = position(play, wanted);
    play.conversations[0].events.remove(at);
}

fn copy(play: &Play) -> Play {
    Play { conversations: play.conversations.clone(), latest: play.latest, problems: play.problems.clone() }
}

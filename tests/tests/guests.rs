//! The contract is not Rust's: one made-up agent (`sdk/example`), and a plugin for it in Rust and in JavaScript.
//!
//! Each is built by pinned tools, loaded through the real sandbox with nothing but `diag` beneath it, and **says the same, output for
//! output**; a conversation through the whole house gives the same picture. Expectations: `tests/guests/`, renewed by UPDATE=1.

use anyhow::{Context, Result, ensure};
use jackfield_core::contract::*;
use jackfield_core::event::SessionEvent;
use jackfield_core::limits::Limits;
use jackfield_sandbox::{CallError, Engine, Generation, Session};
use jackfield_tests::block_on;
use jackfield_tests::door::Door;
use jackfield_tests::guest;
use jackfield_tests::live::Live;
use jackfield_tests::player::picture::picture;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use xtask::guests::{LANGUAGES, Language};

const JACKFIELD: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

/// A plugin for Murmur.
struct Built {
    name: &'static str,
    bytes: Vec<u8>,
    generation: Generation,
}

#[test]
fn each_language_says_the_same_output_for_output() {
    for built in all() {
        assert_eq!(built.generation.lane().as_str(), "strict", "{}", built.name);
        assert_eq!(built.generation.descriptor(), all()[0].generation.descriptor(), "{}", built.name);
        let said = block_on(converse(built)).unwrap_or_else(|error| panic!("{}: {error:#}", built.name));
        same("outputs.txt", built.name, &said);
    }
}

#[test]
fn each_language_gives_the_same_picture_through_the_house() {
    let played = all().iter();
    std::thread::scope(|scope| {
        let plays: Vec<_> = played.map(|built| (built.name, scope.spawn(|| in_the_house(built)))).collect();
        plays.into_iter().for_each(|(name, play)| same("picture.txt", name, &play.join().expect("a play")));
    });
}

/// Who throws says why: a trap has no text.
#[test]
fn what_a_script_throws_ends_its_session_with_a_fault_and_not_with_a_trap() {
    for built in all().iter().filter(|built| built.name != "rust") {
        let broken = async {
            let mut session = built.generation.session().await?;
            feed(&mut session, 0, vec![command(1, None, start())]).await?;
            feed(&mut session, 1, vec![frame(r#"{"t":"did","id":"t1"}"#)]).await
        };
        match block_on(broken) {
            Err(CallError::Fault { fault, .. }) => {
                assert_eq!(fault.kind, FaultKind::Internal, "{}", built.name);
                assert!(fault.message.contains("Error: "), "{}: {}", built.name, fault.message);
            }
            other => panic!("{}: {other:?}", built.name),
        }
    }
}

#[test]
fn a_component_with_a_system_beneath_it_is_refused_by_name() {
    if languages().is_empty() {
        return;
    }
    xtask::guests::ensure(&xtask::root(), Language::JavaScript).expect("the tool");
    let scratch = tempfile::tempdir().expect("a folder");
    let out = scratch.path().join("system.wasm");
    xtask::guests::build(&xtask::root(), Language::JavaScript, true, &out).expect("it builds");
    let bytes = std::fs::read(&out).expect("a component");
    let packed = jackfield_pack::pack(&bytes, &manifest(), scratch.path()).expect_err("the packer refuses it");
    assert_eq!(packed.code(), "forbidden-imports");
    let json = jackfield_core::manifest::Manifest::from_toml(&manifest()).expect("a manifest").to_json();
    let refused = jackfield_sandbox::inspect(&jackfield_pack::embed_manifest(bytes, &json)).expect_err("it is refused");
    assert_eq!(refused.code(), "forbidden-imports");
    for word in ["wasi:cli/", "wasi:clocks/", "--stub-wasi"] {
        assert!(refused.to_string().contains(word) && packed.to_string().contains(word), "{word}: {refused}\n{packed}");
    }
}

/// The plugins, built once. Without the registries (`--no-real`) only Rust's, and that is said.
fn all() -> &'static [Built] {
    static ALL: OnceLock<Result<Vec<Built>, String>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let engine = Engine::new(Arc::new(Limits::default())).expect("an engine");
        let others = languages();
        std::thread::scope(|scope| {
            let others: Vec<_> = others.iter().map(|one| scope.spawn(|| script(&engine, *one))).collect();
            let mut all = vec![rust(&engine)];
            all.extend(others.into_iter().map(|one| one.join().expect("a builder")));
            all.into_iter().collect::<Result<_>>().map_err(|error| format!("{error:#}"))
        })
    });
    all.as_ref().unwrap_or_else(|error| panic!("{error}"))
}

/// The languages besides Rust; `GUEST=js` plays only that one, for who is at work on it.
fn languages() -> Vec<Language> {
    if std::env::var_os("JACKFIELD_SKIP_REAL").is_some_and(|value| value == "1") {
        eprintln!("NOT CHECKED in JavaScript: JACKFIELD_SKIP_REAL=1");
        return Vec::new();
    }
    let word = std::env::var("GUEST").unwrap_or_default();
    LANGUAGES.iter().copied().filter(|language| language.folder().contains(&word)).collect()
}

fn rust(engine: &Engine) -> Result<Built> {
    let source = std::fs::read_to_string(xtask::root().join("sdk/example/rust/lib.rs"))?;
    let begun = Instant::now();
    let bytes = guest::build("murmur", &source, &manifest())?;
    load(engine, "rust", bytes, begun)
}

fn script(engine: &Engine, language: Language) -> Result<Built> {
    let root = xtask::root();
    xtask::guests::ensure(&root, language)?;
    let scratch = tempfile::tempdir()?;
    let out = scratch.path().join("plugin.wasm");
    let begun = Instant::now();
    xtask::guests::build(&root, language, false, &out)?;
    let bytes = jackfield_pack::pack(&std::fs::read(&out)?, &manifest(), scratch.path())?;
    load(engine, language.folder(), bytes, begun)
}

fn load(engine: &Engine, name: &'static str, bytes: Vec<u8>, begun: Instant) -> Result<Built> {
    let built = begun.elapsed();
    let generation = engine.load(&bytes)?;
    let loaded = begun.elapsed() - built;
    eprintln!("{name}: {} bytes, built in {built:.1?}, checked and compiled in {loaded:.1?}", bytes.len());
    Ok(Built { name, bytes, generation })
}

fn manifest() -> String {
    std::fs::read_to_string(xtask::root().join("sdk/example/plugin.toml")).expect("a manifest")
}

/// A conversation as the host would lead it: each batch, and what came of it.
async fn converse(built: &Built) -> Result<String> {
    let mut session = built.generation.session().await?;
    let message = |op, text: &str| command(op, Some("main"), CommandBody::SendRun(message(text)));
    let stop = CommandBody::Interrupt(Interrupt { turn: None, keep_background: false });
    let chosen = Reply::Chosen(Chosen { option_id: "yes".into(), note: None, input: None });
    let answer = |reply| CommandBody::Respond(Answer { request: "q1".into(), reply });
    let batches = vec![
        vec![command(1, None, start())],
        vec![done(1, Ok(EffectValue::Opened))],
        vec![frame("murmur clears its throat"), frame("17"), frame(r#"{"t":"ready","version":"1.0"}"#)],
        vec![command(2, None, open(Some("gone")))],
        vec![command(3, None, open(None))],
        vec![message(4, "Use a töol")],
        vec![done(2, Ok(EffectValue::Written))],
        vec![message(5, "Too soon")],
        vec![
            frame(r#"{"t":"said","text":"Murmur, "}"#),
            frame(r#"{"t":"tool","id":"t1","name":"run","input":{"command":"echo \"hush\" ünï","n":1}}"#),
            frame(r#"{"t":"may","id":"q1","tool":"t1","name":"run","input":{"command":"echo hush"}}"#),
            Input::Frame(Frame { channel: 1, pipe: Pipe::Error, data: FrameData::Bytes(vec![0xff, 0x41]) }),
            Input::Frame(Frame { channel: 1, pipe: Pipe::Main, data: FrameData::Bytes(vec![0xff]) }),
        ],
        vec![command(6, Some("main"), answer(chosen))],
        vec![done(3, Ok(EffectValue::Written))],
        vec![frame(r#"{"t":"did","id":"t1","ok":false,"out":"no"}"#), frame(r#"{"t":"hum","for":2}"#)],
        vec![command(7, Some("main"), stop.clone())],
        vec![done(4, Err(denied()))],
        vec![command(8, Some("main"), stop.clone())],
        vec![done(5, Ok(EffectValue::Written))],
        vec![frame(r#"{"t":"end","how":"stopped"}"#)],
        vec![command(9, Some("main"), stop)],
        vec![message(10, "Again")],
        vec![done(6, Err(denied()))],
        vec![command(11, Some("main"), answer(Reply::Dismissed))],
        vec![Input::Timer(99), Input::Other(Other { name: "acme.new".into(), json: "null".into() })],
        vec![command(12, None, CommandBody::Other(Other { name: "acme.dance".into(), json: "null".into() }))],
        vec![command(13, Some("main"), CommandBody::ClearThread)],
        vec![Input::Close],
    ];
    let mut said = String::new();
    for (seq, batch) in batches.into_iter().enumerate() {
        said += &format!("# {seq}\n");
        for mut caused in feed(&mut session, seq as u32, batch).await? {
            in_order(&mut caused.output);
            said += &format!("{} {}\n", caused.cause, serde_json::to_string(&caused.output)?);
        }
    }
    let log = session.take_log();
    ensure!(log.is_empty(), "it said to the log: {log:?}");
    Ok(said)
}

/// What is written is JSON: the order of its members is the language's, and says nothing.
fn in_order(output: &mut Output) {
    if let Output::Effect(Effect { body: EffectBody::Write(write), .. }) = output
        && let FrameData::Text(text) = &mut write.data
    {
        *text = serde_json::from_str::<Value>(text).expect("one JSON value").to_string();
    }
}

async fn feed(session: &mut Session, seq: u32, batch: Vec<Input>) -> Result<Vec<Caused>, CallError> {
    session.handle(Tick { now_ms: 1.0e12 + f64::from(seq), seq }, batch).await
}

fn command(op: u32, thread: Option<&str>, body: CommandBody) -> Input {
    Input::Command(Command { op, thread: thread.map(Into::into), body })
}

fn start() -> CommandBody {
    CommandBody::Start(StartSession {
        role: Role::Live,
        folder: "/w".into(),
        options: String::new(),
        epoch: 0,
        seed: "0".repeat(32),
        selection: vec![],
        extra: vec![],
    })
}

fn open(cursor: Option<&str>) -> CommandBody {
    let cursor = cursor.map(Into::into);
    CommandBody::OpenThread(OpenThread { cursor, selection: vec![], context: vec![], folder: None, extra: vec![] })
}

fn message(text: &str) -> Message {
    Message {
        content: vec![Content::Text(text.into()), Content::Text("second part".into())],
        turn: None,
        context: vec![],
        selection: vec![],
        uuid: "00000000-0000-4000-8000-000000000000".into(),
        enqueue: false,
        extra: vec![],
    }
}

fn frame(line: &str) -> Input {
    Input::Frame(Frame { channel: 1, pipe: Pipe::Main, data: FrameData::Text(line.into()) })
}

fn done(id: u32, outcome: Result<EffectValue, Fault>) -> Input {
    Input::EffectDone(EffectResult { id, outcome })
}

fn denied() -> Fault {
    let message = "No grant.".to_owned();
    Fault {
        kind: FaultKind::Denied,
        message,
        code: Some("x".into()),
        retryable: false,
        retry_after_ms: None,
        extra: vec![],
    }
}

/// The made-up agent itself, started by the host, asked by a script.
fn in_the_house(built: &Built) -> String {
    let door = Door::new(JACKFIELD);
    let agent = std::fs::read_to_string(xtask::root().join("sdk/example/murmur.sh")).expect("the agent");
    let exe = format!("murmur={}", door.script("murmur", &agent).display());
    let plugin = door.data().join("murmur.wasm");
    std::fs::write(&plugin, &built.bytes).expect("a plugin");
    let plugin = plugin.display().to_string();
    door.run(&["grant", "add", &plugin, "--exe", &exe]).expect(0, &["granted", "me/murmur"]);
    let mut live = Live::start(door, &["--plugin", &plugin, "--exe", &exe]);
    live.message("hello").until_type("run.ended");
    for option in [true, false] {
        let request = live.message("use a tool").until_type("request.opened")["request"].clone();
        let offers = request["options"].as_array().expect("options").iter();
        let wanted = if option { "allow_once" } else { "reject_once" };
        let picked = offers.clone().find(|offer| offer["verdict"] == wanted).expect("such an option");
        live.say(json!({ "type": "answer", "request": request["id"], "option": picked["id"] })).until_type("run.ended");
    }
    live.message("something odd").until_type("run.ended");
    live.message("wait").until_type("item.delta");
    live.say(json!({ "type": "interrupt" })).until_type("run.ended");
    live.message("die").until_type("run.ended");
    live.end_of_input();
    let ended = live.ended().well_formed();
    let events: Vec<SessionEvent> = ended.events().into_iter().filter_map(session_event).collect();
    picture(&events)
}

fn session_event(line: Value) -> Option<SessionEvent> {
    line["seq"].is_u64().then(|| serde_json::from_value(line).expect("a session event"))
}

/// Holds what was said against the expectation, which Rust's plugin alone may renew.
#[track_caller]
fn same(file: &str, name: &str, said: &str) {
    let path = xtask::root().join("tests/guests").join(file);
    if name == "rust" && std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, said).expect("an expectation");
    }
    let expected = std::fs::read_to_string(&path).with_context(|| path.display().to_string()).expect("an expectation");
    let lines = || expected.lines().zip(said.lines()).find(|(wanted, found)| wanted != found);
    assert!(expected == said, "{name} says other things than {file}: {:#?}\nwhole:\n{said}", lines());
}

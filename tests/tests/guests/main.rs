//! The contract is not Rust's: one made-up agent (`sdk/example`), and a plugin for it in Rust, in JavaScript and in Python.
//!
//! Each is built by pinned tools (`built.rs`), loaded through the real sandbox with nothing but `diag` beneath it, and **says the
//! same, output for output** (`conversation.rs`); a conversation through the whole house gives the same picture. Expectations:
//! `tests/guests/`, renewed by UPDATE=1.

mod built;
mod conversation;
mod costs;

use anyhow::{Context, Result, ensure};
use built::{Built, all, languages, manifest};
use conversation::{command, converse, feed, frame, start};
use jackfield_core::contract::*;
use jackfield_core::event::SessionEvent;
use jackfield_sandbox::CallError;
use jackfield_tests::block_on;
use jackfield_tests::door::Door;
use jackfield_tests::live::Live;
use jackfield_tests::player::picture::picture;
use serde_json::{Value, json};
use xtask::guests::Language;

const JACKFIELD: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

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

/// Wrong values, forgotten answers and late imports, as an author would meet them, on this machine's own Python.
#[test]
fn the_python_sdk_tells_its_author_what_is_wrong() -> Result<()> {
    if !languages().contains(&Language::Python) {
        return Ok(());
    }
    let root = xtask::root();
    let tool = xtask::guests::ensure(&root, Language::Python)?;
    let bindings = tempfile::tempdir()?;
    let mut made = std::process::Command::new(&tool);
    made.args(["--quiet", "--world", "provider", "--wit-path"])
        .arg(root.join("wit"))
        .arg("bindings")
        .arg(bindings.path());
    let made = made.output()?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let sdk = root.join("sdk/python");
    let path = std::env::join_paths([bindings.path(), &sdk])?;
    let mut tests = std::process::Command::new(tool.with_file_name("python"));
    tests.args(["-B", "-m", "unittest", "tests/test_sdk.py"]).env("PYTHONPATH", path).current_dir(sdk);
    let tests = tests.output()?;
    let said = String::from_utf8_lossy(&tests.stderr);
    ensure!(tests.status.success() && said.contains("\nOK"), "{said}");
    Ok(())
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

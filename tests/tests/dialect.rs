//! An agent of a third party: with a manifest alone, and with a small override in code; the ACP plugin is copied by neither. What they
//! are made of is in `tests/dialect`.

use jackfield_tests::door::{Door, Ended};
use jackfield_tests::guest;
use std::path::PathBuf;

fn source(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).expect("what the third party wrote")
}

fn folder() -> PathBuf {
    xtask::root().join("tests/dialect")
}

/// Grants the plugin its agent and runs a prompt.
fn run(plugin: &[u8], allow: &str) -> Ended {
    let door = Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"));
    let file = door.data().with_file_name("grumble.wasm");
    std::fs::write(&file, plugin).expect("the plugin");
    let (plugin, program) = (file.display().to_string(), door.script("grumble", &source("agent.sh")));
    let program = format!("grumble={}", program.display());
    door.run(&["grant", "add", &plugin, "--exe", &program]).expect(0, &["granted", "--acp"]);
    door.run(&["run", "--json", "--plugin", &plugin, "--exe", &program, "--approve", "deny", "--allow", allow, "Tea."])
}

/// The call's kind, and how it ended.
fn call(ended: &Ended) -> (String, String) {
    let ended = ended.of_type("item.ended");
    let call = ended.iter().find(|event| event["item"]["kind"] == "tool").expect("a call");
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    (word(&call["item"]["tool"]["kind"]), word(&call["item"]["status"]))
}

#[test]
fn a_manifest_alone_makes_a_provider_of_an_agent() {
    let module = std::fs::read(guest::module("acp")).expect("the module that the bundled plugins are packed of");
    let plugin = jackfield_pack::pack(&module, &source("plugin.toml"), &folder()).expect("it packs");
    let ended = run(&plugin, "run make tea").expect(1, &["Too much work"]).well_formed();
    assert_eq!(ended.said(), "Fine.");
    assert_eq!(
        call(&ended),
        ("execute".into(), "completed".into()),
        "the kind is renamed, and the rule reads the agent's own"
    );
    assert!(ended.stdout.contains("_grumble/mood"), "what the data does not say is kept as unknown");
    assert_eq!(ended.of_type("run.ended")[0]["fault"]["kind"], "unknown");
    let refused = run(&plugin, "run make coffee").expect(1, &[]);
    assert_eq!(call(&refused).1, "declined", "the guard is the manifest's, too");
}

#[test]
fn a_few_lines_of_code_say_what_the_manifest_can_not() {
    let code = source("plugin.rs");
    assert!(code.lines().count() < 60, "a small override");
    let plugin = guest::build_on("acp", "grumble", &code, &source("plugin.toml")).expect("it builds");
    let ended = run(&plugin, "run make tea").expect(1, &["Too much work", "It is sulky."]).well_formed();
    assert!(!ended.stdout.contains("unknown:_grumble/mood"), "it is understood");
    let fault = &ended.of_type("run.ended")[0]["fault"];
    assert_eq!((&fault["kind"], &fault["retryable"]), (&"rate_limit".into(), &true.into()));
    assert_eq!(call(&ended), ("execute".into(), "completed".into()));
}

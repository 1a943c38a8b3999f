//! The operator's rules: each file of `tests/rules/` is a case, played through the whole house. `tests/rules/README.md` tells how.
//! What the rules say of every spelling is tested beside them, in `host/core/src/rules`.

use anyhow::{Context, Result, ensure};
use jackfield_tests::block_on;
use jackfield_tests::door::{Door, text};
use jackfield_tests::faults::{Case, House};
use std::path::{Path, PathBuf};

#[test]
fn each_rule_answers_what_it_says() {
    let chosen = std::env::var("CASE").unwrap_or_default();
    let files: Vec<PathBuf> = files().into_iter().filter(|file| file.to_string_lossy().contains(&chosen)).collect();
    assert!(!files.is_empty());
    let wrong: Vec<String> = block_on(async {
        let house = House::build(Path::new(env!("CARGO_BIN_EXE_play"))).await.unwrap();
        let mut wrong = Vec::new();
        for file in files {
            let done = check(&house, &file).await.with_context(|| file.display().to_string());
            wrong.extend(done.err().map(|error| format!("{error:#}")));
        }
        wrong
    });
    assert!(wrong.is_empty(), "{} cases do not hold:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

async fn check(house: &House, file: &Path) -> Result<()> {
    let case = Case::read(file)?;
    let seen = house.play(&case).await?;
    if std::env::var_os("UPDATE").is_some() {
        return case.rewrite(&seen);
    }
    ensure!(seen == case.expected, "seen:\n{seen}\nexpected:\n{}", case.expected);
    Ok(())
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|kind| kind == "case")).collect();
    files.sort();
    files
}

fn door() -> Door {
    Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"))
}

/// Shakes hands and asks for one command, which stands in `command` of its folder; what it is answered is what it says.
const ASKS: &str = r#"read first
id=$(printf '%s' "$first" | sed 's/.*"request_id":"\([^"]*\)".*/\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"
while read -r line; do
  case "$line" in *'"type":"user"'*) ;; *) continue ;; esac
  printf '%s\n' '{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111","model":"m","tools":[]}'
  printf '{"type":"control_request","request_id":"ask-1","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t1","input":{"command":"%s"}}}\n' "$(cat command)"
  while read -r answer; do case "$answer" in *ask-1*) break ;; esac; done
  case "$answer" in *'"allow"'*) word=ran ;; *) word=refused ;; esac
  printf '{"type":"assistant","session_id":"11111111-1111-4111-8111-111111111111","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"%s"}]}}\n' "$word"
  printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"x","session_id":"11111111-1111-4111-8111-111111111111"}'
done"#;

#[track_caller]
fn asked(command: &str, config: &str, more: &[&str], word: &str, by: &str) {
    let door = door();
    door.config(config);
    std::fs::write(door.work().join("command"), command).unwrap();
    let exe = format!("claude={}", text(&door.script("asks", ASKS)));
    let mut args = vec!["run", "--json", "--provider", "claude-code", "--exe", &exe];
    args.extend(more);
    args.push("go");
    let ended = door.run(&args).expect(0, &[word]).well_formed();
    assert_eq!(ended.of_type("request.resolved")[0]["resolution"]["by"], by, "{command} {more:?}");
    assert_eq!(ended.said().trim(), word, "{command} {more:?}");
    let records = door.audit();
    let answer = records.iter().find(|record| record["kind"] == "answer").unwrap();
    assert_eq!(answer["rule"], by, "{answer}");
}

#[test]
fn rules_come_from_the_file_and_from_flags_and_deny_beats_allow() {
    let allowed = "rule allow cargo test *";
    asked("cargo test", "[rules]\nallow = ['cargo test *']\n", &[], "ran", allowed);
    asked("cargo test", "", &["--allow", "cargo test *", "--approve", "deny"], "ran", allowed);
    asked("cargo test; ls", "", &["--allow", "cargo test *"], "refused", "no-terminal");
    let denied = "rule deny rm -rf";
    asked(
        "cd x && rm -fr y",
        "[rules]\ndeny = ['rm -rf']\n",
        &["--allow", "rm *", "--approve", "allow"],
        "refused",
        denied,
    );
    asked("rm -r -f y", "", &["--deny", "rm -rf", "--approve", "allow"], "refused", denied);
    asked("ls", "", &["--deny", "rm -rf", "--approve", "allow"], "ran", "rule --approve allow");
    // What could be it is not allowed by a word that was given for everything.
    asked("$X -rf y", "", &["--deny", "rm -rf", "--approve", "allow"], "refused", "no-terminal");
}

#[test]
fn a_wrong_rule_is_named_before_anything_starts() {
    let door = door();
    door.run(&["run", "--allow", "sudo ls", "hello"]).expect(2, &["sudo ls", "runs other commands"]);
    door.run(&["run", "--deny", "read", "hello"]).expect(2, &["the rule 'read'", "where"]);
    door.config("[rules]\nallow = ['find *']\n[instances.a]\nprovider = 'scripted'\ndeny = ['a && b']\n");
    door.run(&["config", "check"]).expect(2, &["line 2", "find", "line 5", "no single command"]);
    door.run(&["run", "hello"]).expect(2, &["find"]);
}

#[test]
fn rules_that_a_provider_can_not_be_held_to_are_said_at_its_start() {
    let door = door();
    let ended = door
        .run(&["run", "--json", "--deny", "rm -rf", "--allow", "read in this workspace", "help"])
        .expect(0, &[])
        .well_formed();
    let said = ended.of_type("policy.decided");
    for rule in ["deny rm -rf", "allow read in this workspace"] {
        assert!(
            said.iter().any(|event| event["decision"]["because"].as_str().is_some_and(|text| text.contains(rule))),
            "{rule}: {said:?}"
        );
    }
}

//! The examples of `host/cli/examples` run as they are, with the demonstration as the provider.

use jackfield_tests::door::{Door, finish};
use std::process::{Command, Stdio};

/// Runs an example where `jackfield` is in PATH.
#[track_caller]
fn example(interpreter: &str, name: &str) -> jackfield_tests::door::Ended {
    let door = Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"));
    let bin = door.data().with_file_name("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_jackfield-under-test"), bin.join("jackfield")).unwrap();
    let usual = door.command(&[]);
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(interpreter);
    command
        .arg(xtask::root().join("host/cli/examples").join(name))
        .env_clear()
        .envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .env("PATH", format!("{}:{path}", bin.display()))
        .current_dir(door.work())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap_or_else(|error| panic!("{interpreter} is needed to run {name}: {error}"));
    finish(child, b"")
}

#[test]
fn a_conversation_in_python() {
    let ended = example("python3", "conversation.py").expect(
        0,
        &[
            "asked: approval",
            "asked: questions",
            "You chose Red.",
            "steered",
            "run: interrupted",
            "run: completed",
            "I can only say it again",
        ],
    );
    assert!(ended.stdout.ends_with("closed: closed\n"), "{}", ended.stdout);
    assert!(!ended.stderr.contains("rejected"), "{}", ended.stderr);
}

#[test]
fn a_conversation_in_the_shell() {
    let ended = example("sh", "conversation.sh").expect(0, &["asked: approval", "asked: questions", "steered"]);
    assert!(ended.stdout.ends_with("closed\n"), "{}", ended.stdout);
    assert!(!ended.stderr.contains("rejected"), "{}", ended.stderr);
}

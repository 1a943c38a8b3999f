//! Agents of the Agent Client Protocol that no dialect was written for: scripts in `tests/agents`, met as an operator meets them.

use jackfield_tests::door::{Door, Ended};

/// Runs a prompt on an agent.
fn run(agent: &str, approve: &str) -> Ended {
    run_with(agent, approve, &[])
}

fn run_with(agent: &str, approve: &str, more: &[&str]) -> Ended {
    let door = Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"));
    let body = std::fs::read_to_string(xtask::root().join("tests/agents").join(agent)).expect("the agent");
    let program = door.script("agent", &body).display().to_string();
    let arguments = ["--exe", &program, "--exe-arg=--stdio", "--exe-arg", "two words"];
    let usual = ["run", "--provider", "acp", "--json", "--approve", approve];
    door.run(&[&usual[..], &arguments[..], more, &["Paint it."]].concat())
}

fn tools(ended: &Ended) -> Vec<(String, String)> {
    let ended = ended.of_type("item.ended");
    let tools = ended.iter().filter(|event| event["item"]["kind"] == "tool");
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    tools.map(|event| (word(&event["item"]["tool"]["title"]), word(&event["item"]["status"]))).collect()
}

#[test]
fn one_that_was_never_seen_works_with_its_path_and_arguments() {
    let ended = run("odd.sh", "allow").expect(0, &["completed"]).well_formed();
    assert_eq!(ended.said(), "It was allowed.");
    let asked = &ended.of_type("request.opened")[0]["request"];
    let offered: Vec<_> =
        asked["options"].as_array().expect("options").iter().map(|offer| offer["verdict"].clone()).collect();
    assert_eq!(offered, ["reject_always", "allow_once", "reject_once"]);
    assert_eq!(tools(&ended), [(String::new(), "completed".into()), ("paint it black".into(), "completed".into())]);
    // What nobody knows is kept and said.
    for kind in ["_odd/heartbeat", "session/update/odd_update"] {
        assert!(ended.stdout.contains(kind), "{kind} is not told");
    }
}

#[test]
fn what_is_refused_does_not_happen_and_the_turn_goes_on() {
    let ended = run("odd.sh", "deny").expect(0, &["completed"]).well_formed();
    assert_eq!(ended.said(), "It was refused.");
    assert_eq!(tools(&ended)[1].1, "declined");
}

#[test]
fn one_that_speaks_before_it_is_asked_is_understood() {
    let ended = run_with("hasty.sh", "deny", &["--mode", "angry"]).expect(0, &["completed"]).well_formed();
    assert!(ended.said().contains("Done in a hurry."), "{}", ended.said());
    let own = ended.of_type("turn.started").len();
    assert_eq!(own, 2, "what it said before it was asked has a turn of its own");
    assert_eq!(tools(&ended), [("read it".into(), "completed".into())], "told four times, it is one call");
    assert!(ended.of_type("plan.updated").len() == 1, "who keeps a list shows it");
}

#[test]
fn one_that_spells_its_words_and_counts_as_we_do_is_understood() {
    let ended = run("slow_talker.sh", "allow").expect(1, &["as often as one turn may"]).well_formed();
    assert_eq!(tools(&ended).iter().map(|(_, status)| status.as_str()).collect::<Vec<_>>(), ["completed"; 3]);
    let refused = run("slow_talker.sh", "deny").expect(1, &["max_turn_requests"]).well_formed();
    assert_eq!(tools(&refused).iter().map(|(_, status)| status.as_str()).collect::<Vec<_>>(), ["declined"; 3]);
}

#[test]
fn a_later_version_of_the_protocol_is_refused_with_a_clear_word() {
    run("from_the_future.sh", "deny").expect(4, &["speaks version 2", "this plugin speaks version 1"]);
}

#[test]
fn a_login_that_is_missing_says_what_to_do() {
    run("logged_out.sh", "deny").expect(4, &["Authentication required. ", "Company login (sso: run odd login)"]);
}

/// What is said of calls that the agent does not ask about.
fn unasked(ended: &Ended) -> Vec<serde_json::Value> {
    let decided = ended.of_type("policy.decided").into_iter().map(|event| event["intent"].clone());
    decided.filter(|intent| intent.as_str().is_some_and(|intent| intent.starts_with("approve-"))).collect()
}

#[test]
fn a_call_that_is_announced_and_then_asked_about_is_not_called_unasked() {
    for (approve, status) in [("allow", "completed"), ("deny", "declined")] {
        let ended = run("announcer.sh", approve).expect(0, &["completed"]).well_formed();
        assert_eq!(tools(&ended)[0].1, status);
        assert!(unasked(&ended).is_empty(), "{:?}", unasked(&ended));
    }
    let ended = run_with("announcer.sh", "allow", &["--exe-arg=--asks-once"]).expect(0, &["completed"]).well_formed();
    assert_eq!(unasked(&ended), ["approve-command"], "the second call worked without a question");
}

#[test]
fn one_that_stops_at_a_refusal_says_so_and_a_raw_output_shows_its_words() {
    let ended = run_with("announcer.sh", "deny", &["--exe-arg=--stops"]);
    let ended = ended.expect(1, &["stopped at what was refused"]).well_formed();
    assert_eq!(tools(&ended)[0].1, "declined");
    let ended = run_with("announcer.sh", "allow", &["--exe-arg=--stops"]).expect(0, &["completed"]).well_formed();
    let told = ended
        .of_type("item.ended")
        .iter()
        .map(|event| event["item"]["tool"]["content"].to_string())
        .collect::<String>();
    assert!(told.contains(r#""hi-from-42\n""#) && !told.contains("aggregated_output"), "{told}");
}

#[test]
fn one_that_is_not_there_is_named_and_nothing_else_is_refused() {
    for (provider, program) in [("acp", "agent"), ("codex", "codex"), ("claude-code", "claude"), ("pi", "pi")] {
        let door = Door::new(env!("CARGO_BIN_EXE_jackfield-under-test"));
        let ended = door.run(&["run", "--provider", provider, "--exe", "/nowhere/agent", "hello"]);
        let ended = ended.expect(4, &["/nowhere/agent: No such file", &format!("--exe {program}=PATH")]);
        assert!(!ended.stderr.contains("close_stdin"), "{provider}: {}", ended.stderr);
    }
}

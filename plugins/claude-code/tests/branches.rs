//! Going back and copies: what the program is started with, what the cursor says at each step, and that nothing else comes back.

#[path = "support/live.rs"]
mod live;

use jackfield_plugin_claude_code::ClaudeCode;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::Harness;
use live::{answers, event, frame, init, opened, ready, result, turn};
use serde_json::json;

const MARK: &str = "00000000-0000-4000-8000-0000000000aa";

fn point(mark: Option<&str>, turns_after: u32) -> Point {
    Point { turn: None, item: None, mark: mark.map(str::to_owned), turns_after }
}

fn thread(outputs: &[Output]) -> &Thread {
    let thread = outputs.iter().find_map(|output| match output {
        Output::Done(OpResult { outcome: Ok(OpValue::Thread(thread)), .. }) => Some(thread),
        _ => None,
    });
    thread.unwrap_or_else(|| panic!("no thread in {outputs:?}"))
}

/// The holes of the last start, without the settings.
fn started(harness: &Harness<ClaudeCode>) -> Vec<String> {
    let holes = harness.spawned.last().unwrap().2.iter();
    holes.filter(|(name, _)| name != "model" && name != "mode").map(|(name, value)| format!("{name}={value}")).collect()
}

fn cursor_told(outputs: &[Output]) -> Option<String> {
    match event(outputs, |body| matches!(body, EventBody::Threads(_))) {
        Some(EventBody::Threads(threads)) => threads[0].cursor.clone(),
        _ => None,
    }
}

#[test]
fn every_turn_ends_with_a_mark_whatever_came_last() {
    let mut harness = ready();
    let mark = |outputs: &[Output]| match event(outputs, |body| matches!(body, EventBody::TurnEnded(_))) {
        Some(EventBody::TurnEnded(end)) => end.mark.clone(),
        _ => None,
    };
    assert_eq!(mark(&turn(&mut harness, "m1")).as_deref(), Some("m1"));
    // An interrupted turn ends with the program's marker in the person's name.
    harness.say("two");
    frame(&mut harness, init());
    frame(&mut harness, json!({"type": "user", "uuid": "m2", "message": {"content": "[Request interrupted by user]"}}));
    assert_eq!(mark(&frame(&mut harness, result())).as_deref(), Some("m2"));
    // Nothing was said in this one, and a subagent's words are in no conversation that can be resumed.
    harness.say("three");
    frame(&mut harness, init());
    let inside =
        json!({"type": "assistant", "uuid": "s", "parent_tool_use_id": "t", "message": {"id": "a", "content": []}});
    frame(&mut harness, inside);
    assert_eq!(mark(&frame(&mut harness, result())).as_deref(), Some("m2"));
}

#[test]
fn a_copy_is_pinned_to_its_last_message_and_opens_under_its_own_id() {
    let mut harness = ready();
    turn(&mut harness, "m1");
    let outputs = harness.command(CommandBody::ForkThread(point(None, 0)));
    let copy = thread(&outputs).clone();
    let original = harness.spawned[0].2.last().unwrap().1.clone();
    assert_eq!(copy.parent.as_deref(), Some(original.as_str()));
    assert_eq!(copy.state, ThreadState::Stored);
    let cursor = copy.cursor.unwrap();
    assert_eq!(cursor, format!("{original}@m1>{}", copy.id));
    assert_eq!(harness.spawned.len(), 1, "the original goes on, nothing was started");

    // Later turns of the original change nothing of it.
    turn(&mut harness, "m2");
    let mut harness = opened(Some(&cursor));
    assert_eq!(started(&harness), [format!("resume={original}"), "at=m1".into(), format!("copy={}", copy.id)]);
    // Until the program surely has it on disk, its cursor is the same; then it is a thread like any other.
    harness.say("one");
    frame(&mut harness, init());
    assert_eq!(cursor_told(&harness.advance(10_000.0)), None);
    assert_eq!(cursor_told(&frame(&mut harness, result())), Some(copy.id.clone()));
    // A copy of the copy, at a turn that it had before.
    let outputs = harness.command(CommandBody::ForkThread(point(Some("m1"), 1)));
    assert!(thread(&outputs).cursor.as_ref().unwrap().starts_with(&format!("{}@m1>", copy.id)));
}

#[test]
fn a_copy_of_a_copy_that_has_said_nothing_is_made_from_the_original() {
    let mut harness = opened(Some("s@m1>n"));
    let outputs = harness.command(CommandBody::ForkThread(point(None, 0)));
    let copy = thread(&outputs);
    assert_eq!(copy.cursor.as_ref().unwrap(), &format!("s@m1>{}", copy.id));
    let outputs = harness.command(CommandBody::RollbackThread(point(Some("m0"), 1)));
    assert_eq!(answers(&outputs), [] as [&str; 0]);
    harness.closed(harness.spawned.last().unwrap().0, Some(0), "");
    assert_eq!(started(&harness), ["resume=s", "at=m0", "copy=n"]);
}

#[test]
fn a_copy_that_was_made_before_its_host_died_is_resumed() {
    let mut harness = Harness::<ClaudeCode>::new();
    harness.start("{}");
    harness.open(Some("s@m1>n"), &[]);
    let channel = harness.spawned.last().unwrap().0;
    let outputs = harness.closed(channel, Some(1), "Error: Session ID n is already in use.");
    assert_eq!(answers(&outputs), [] as [&str; 0]);
    assert_eq!(started(&harness), ["resume=n"]);
}

#[test]
fn going_back_starts_the_program_again_and_the_cursor_stays_cut_until_more_is_on_disk() {
    let mut harness = ready();
    turn(&mut harness, "m1");
    turn(&mut harness, "m2");
    let original = harness.spawned[0].2.last().unwrap().1.clone();
    let rollback = harness.next_op();
    let outputs = harness.command(CommandBody::RollbackThread(point(Some("m1"), 1)));
    assert_eq!(answers(&outputs), [] as [&str; 0]);
    assert!(matches!(&outputs[0], Output::Effect(Effect { body: EffectBody::CloseStdin(_), .. })), "{outputs:?}");
    assert_eq!(answers(&harness.say("too early")), [format!("{} Conflict", rollback + 1)]);

    let outputs = harness.closed(harness.spawned.last().unwrap().0, Some(0), "");
    assert!(event(&outputs, |_| true).is_none(), "its end is no news: {outputs:?}");
    assert_eq!(started(&harness), [format!("resume={original}"), "at=m1".into()]);
    let outputs = live::shake_hands(&mut harness);
    let cut = format!("{original}@m1");
    assert_eq!(thread(&outputs).id, original);
    assert_eq!(thread(&outputs).cursor.as_deref(), Some(cut.as_str()));
    let context = event(&outputs, |body| matches!(body, EventBody::Context(_)));
    assert!(
        matches!(context, Some(EventBody::Context(change)) if change.what == ContextEffect::Rewound),
        "{outputs:?}"
    );

    // A copy made now ends there, too.
    let outputs = harness.command(CommandBody::ForkThread(point(None, 0)));
    assert!(thread(&outputs).cursor.as_ref().unwrap().starts_with(&format!("{cut}>")));
    // The first turn after it is a branch of its own, which a plain resume finds.
    harness.say("another way");
    frame(&mut harness, init());
    assert_eq!(cursor_told(&harness.advance(10_000.0)), None, "time alone does not make it sure");
    assert_eq!(cursor_told(&frame(&mut harness, result())), Some(original));
}

#[test]
fn a_copy_ends_inside_a_turn_at_a_message_that_has_a_point() {
    let mut harness = ready();
    harness.say("one");
    frame(&mut harness, init());
    let call = json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}});
    frame(&mut harness, json!({"type": "assistant", "uuid": "u1", "message": {"id": "a", "content": [call]}}));
    let given = json!([{"type": "tool_result", "tool_use_id": "t", "content": "a.txt"}]);
    let outputs = frame(&mut harness, json!({"type": "user", "uuid": "u2", "message": {"content": given}}));
    let Some(EventBody::Items(items)) = event(&outputs, |body| matches!(body, EventBody::Items(_))) else {
        panic!("{outputs:?}")
    };
    assert_eq!(items[0].mark.as_deref(), Some("u2"), "a result is a point, too");
    frame(&mut harness, result());
    let inside = |item: &str, mark: Option<&str>| Point { item: Some(item.into()), ..point(mark, 0) };
    let outputs = harness.command(CommandBody::ForkThread(inside("t", Some("u2"))));
    assert!(thread(&outputs).cursor.as_ref().unwrap().contains("@u2>"), "{outputs:?}");
    // One without a point is not taken for the end.
    assert_eq!(answers(&harness.command(CommandBody::ForkThread(inside("t", None)))), ["5 Invalid"]);
}

#[test]
fn going_back_is_refused_while_something_runs_and_without_a_point() {
    let mut harness = ready();
    assert_eq!(answers(&harness.command(CommandBody::RollbackThread(point(None, 0)))), ["3 Invalid"]);
    assert_eq!(answers(&harness.command(CommandBody::ForkThread(point(None, 2)))), ["4 Invalid"]);
    harness.say("one");
    frame(&mut harness, init());
    assert_eq!(answers(&harness.command(CommandBody::RollbackThread(point(Some(MARK), 1)))), ["6 Conflict"]);
    let task = json!({"type": "system", "subtype": "task_started", "task_id": "b", "is_backgrounded": true});
    frame(&mut harness, task);
    frame(&mut harness, result());
    assert_eq!(answers(&harness.command(CommandBody::RollbackThread(point(Some(MARK), 1)))), ["7 Conflict"]);
    let mut empty = Harness::<ClaudeCode>::new();
    empty.start("{}");
    assert_eq!(answers(&empty.command(CommandBody::ForkThread(point(Some(MARK), 0)))), ["2 NotFound"]);
}

/// A conversation that is to go back to a point that it does not have; the program says so in its last frame.
fn going_nowhere() -> (Harness<ClaudeCode>, String) {
    let mut harness = ready();
    turn(&mut harness, "m1");
    let original = harness.spawned[0].2.last().unwrap().1.clone();
    harness.command(CommandBody::RollbackThread(point(Some(MARK), 1)));
    harness.closed(harness.spawned.last().unwrap().0, Some(0), "");
    (harness, original)
}

const NO_SUCH: &str = "No message found with message.uuid of: 00000000-0000-4000-8000-0000000000aa";

#[test]
fn a_point_that_is_not_in_the_conversation_is_not_found_and_the_conversation_goes_on_as_it_was() {
    let told = json!({"type": "result", "subtype": "error_during_execution", "is_error": true, "errors": [NO_SUCH]});
    for in_a_frame in [true, false] {
        let (mut harness, original) = going_nowhere();
        if in_a_frame {
            let outputs = frame(&mut harness, told.clone());
            assert_eq!(answers(&outputs), [] as [&str; 0]);
        }
        harness.closed(harness.spawned.last().unwrap().0, Some(1), NO_SUCH);
        assert_eq!(started(&harness), [format!("resume={original}")]);
        let outputs = live::shake_hands(&mut harness);
        assert_eq!(answers(&outputs), ["4 NotFound"], "{in_a_frame}");
        assert!(event(&outputs, |body| matches!(body, EventBody::Context(_))).is_none());
        assert_eq!(answers(&harness.say("go on")), ["5 OpenedTurn"]);
    }
}

#[test]
fn a_conversation_that_can_not_return_either_is_closed_and_keeps_its_cursor() {
    let (mut harness, original) = going_nowhere();
    harness.closed(harness.spawned.last().unwrap().0, Some(1), NO_SUCH);
    let outputs = harness.closed(harness.spawned.last().unwrap().0, Some(1), "Killed");
    assert_eq!(answers(&outputs), ["4 Network"]);
    assert_eq!(cursor_told(&outputs), Some(original));
    assert_eq!(harness.spawned.len(), 3, "it is not tried for ever");
}

#[test]
fn a_mode_that_the_manifest_does_not_offer_is_not_asked_for_at_the_next_start() {
    let mut harness = ready();
    turn(&mut harness, "m1");
    harness.say("go on");
    let mut begins = init();
    begins["permissionMode"] = json!("bypassPermissions");
    frame(&mut harness, begins);
    frame(&mut harness, result());
    harness.command(CommandBody::RollbackThread(point(Some("m1"), 1)));
    harness.closed(harness.spawned.last().unwrap().0, Some(0), "");
    assert!(harness.spawned.last().unwrap().2.iter().all(|(name, _)| name != "mode"));
}

//! What the demonstration shows, word by word, as a compact text. Time is the harness's.

use jackfield_plugin_scripted::Scripted;
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::{Harness, word};

/// One line for each output that a person would notice; runs of deltas of one item become one line.
fn project(outputs: &[Output]) -> String {
    let mut lines: Vec<String> = vec![];
    for output in outputs {
        let line = match output {
            Output::Done(OpResult { outcome: Ok(value), .. }) => format!("ok {}", word(value)),
            Output::Done(OpResult { outcome: Err(fault), .. }) => {
                format!("fault {}: {}", word(&fault.kind), fault.message)
            }
            Output::Event(event) => match (&event.body, &event.scope) {
                (EventBody::Delta(delta), scope) => {
                    let inside = scope
                        .as_ref()
                        .and_then(|scope| scope.parent.clone())
                        .map(|parent| format!("({parent}) "))
                        .unwrap_or_default();
                    let head = format!("{inside}{} {}: ", word(&delta.kind), delta.id.clone().unwrap());
                    if let Some(last) = lines.last_mut()
                        && last.starts_with(&head)
                    {
                        last.push_str(&delta.text);
                        continue;
                    }
                    head + &delta.text
                }
                (EventBody::Items(items), _) => items.iter().map(item).collect::<Vec<_>>().join("; "),
                (EventBody::TurnStarted(_), scope) => {
                    format!("turn {} started", scope.as_ref().unwrap().turn.as_ref().unwrap())
                }
                (EventBody::TurnEnded(end), _) => {
                    let fault = end.fault.as_ref().map(|fault| format!(" {}", word(&fault.kind))).unwrap_or_default();
                    format!("turn ended {}{fault}", word(&end.status))
                }
                (EventBody::Plan(plan), _) => {
                    format!("plan {}", plan.steps.iter().map(|step| word(&step.status)).collect::<Vec<_>>().join(" "))
                }
                (EventBody::RequestsOpened(requests), _) => {
                    format!("asks {} {:?}", requests[0].id, offers(&requests[0]))
                }
                (EventBody::RequestsClosed(ends), _) => format!("closed {} {}", ends[0].id, word(&ends[0].status)),
                (EventBody::Tasks(tasks), _) => format!("task {} {}", tasks[0].id, word(&tasks[0].status)),
                (EventBody::Note(note), _) => format!("note {}", note.code),
                _ => continue,
            },
            _ => continue,
        };
        lines.push(line);
    }
    lines.join("\n").trim_end().to_owned()
}

fn item(item: &Item) -> String {
    let what = match &item.body {
        ItemBody::Assistant(_) => "assistant".to_owned(),
        ItemBody::Reasoning(_) => "reasoning".to_owned(),
        ItemBody::Tool(tool) => format!("tool {}", tool.title.clone().unwrap_or_default()),
        other => format!("{other:?}"),
    };
    format!("{what} {} {}", item.id.clone().unwrap(), word(&item.status))
}

fn offers(request: &Request) -> Vec<&str> {
    let offers = request.options.iter().map(|offer| offer.id.as_str());
    offers
        .chain(
            request.questions.iter().flat_map(|question| question.choices.iter().map(|choice| choice.value.as_str())),
        )
        .collect()
}

fn opened() -> Harness<Scripted> {
    let mut harness = Harness::new();
    harness.start("{}");
    harness.open(None, &[]);
    harness
}

/// Says a prompt and plays until nothing moves any more.
fn play(harness: &mut Harness<Scripted>, prompt: &str) -> Vec<Output> {
    let mut outputs = harness.say(prompt);
    outputs.extend(harness.run_timers(5_000));
    outputs
}

#[track_caller]
fn check(prompt: &str, expected: &str) {
    let shown = project(&play(&mut opened(), prompt));
    assert_eq!(shown, expected, "\n{shown}");
}

#[test]
fn any_prompt_is_echoed() {
    check(
        "good morning",
        "ok Delivered\nturn turn-1 started\n\
         Assistant 1-1: I am a demonstration, no model: I can only say it again. You said: good morning\n\
         assistant 1-1 Completed\nturn ended Completed",
    );
}

#[test]
fn help_lists_every_word() {
    let shown = project(&play(&mut opened(), "Help!"));
    for word in ["reasoning", "plan", "tool", "question", "subagent", "long", "slow", "error"] {
        assert!(shown.contains(&format!("- `{word}`")), "{word} is not in {shown}");
    }
}

#[test]
fn words_combine_in_their_order() {
    check(
        "reasoning, then a plan and an error",
        "ok Delivered\nturn turn-1 started\n\
         Reasoning 1-1: The person wants to see a thought. A thought is shown apart from the answer.\nreasoning 1-1 Completed\n\
         Assistant 1-2: I thought about it.\nassistant 1-2 Completed\n\
         plan Running Pending Pending\nplan Completed Running Pending\nplan Completed Completed Running\nplan Completed Completed Completed\n\
         Assistant 1-3: The plan is done.\nassistant 1-3 Completed\n\
         turn ended Failed Overloaded",
    );
}

#[test]
fn a_subagent_works_inside_its_tool() {
    check(
        "subagent",
        "ok Delivered\nturn turn-1 started\ntool Count to three 1-1 Running\ntask helper-1-1 Running\n\
         (1-1) Assistant 1-2: One, two, three.\nassistant 1-2 Completed; tool Count again 1-3 Completed\n\
         task helper-1-1 Completed\ntool Count to three 1-1 Completed\n\
         Assistant 1-4: The helper is done.\nassistant 1-4 Completed\nturn ended Completed",
    );
}

const ASKING: &str = "ok Delivered\nturn turn-1 started\ntool echo \"hello from the demonstration\" 1-1 Pending\n\
     tool echo \"hello from the demonstration\" 1-1 Waiting\nasks turn-1/ask-1 [\"allow\", \"allow-session\", \"reject\"]";

#[test]
fn a_tool_asks_and_runs_when_allowed() {
    let mut harness = opened();
    assert_eq!(project(&play(&mut harness, "tool")), ASKING);
    let mut outputs = harness.choose("turn-1/ask-1", "allow");
    outputs.extend(harness.run_timers(100));
    assert_eq!(
        project(&outputs),
        "ok Accepted\ntool echo \"hello from the demonstration\" 1-1 Running\nToolOutput 1-1: hello from the demonstration\n\n\
         tool echo \"hello from the demonstration\" 1-1 Completed\n\
         Assistant 1-2: That was the tool.\nassistant 1-2 Completed\nturn ended Completed"
    );
    assert!(project(&play(&mut harness, "tool")).contains("asks turn-2/ask-1"), "once is once");
}

#[test]
fn allowed_for_the_session_it_asks_no_more() {
    let mut harness = opened();
    play(&mut harness, "tool");
    harness.choose("turn-1/ask-1", "allow-session");
    harness.run_timers(100);
    let shown = project(&play(&mut harness, "tool"));
    assert!(!shown.contains("asks") && shown.contains("2-1 Completed"), "{shown}");
}

#[test]
fn a_refused_tool_is_declined_and_a_dismissed_one_too() {
    for reply in
        [Reply::Chosen(Chosen { option_id: "reject".into(), note: Some("no".into()), input: None }), Reply::Dismissed]
    {
        let mut harness = opened();
        play(&mut harness, "tool");
        let mut outputs = harness.command(CommandBody::Respond(Answer { request: "turn-1/ask-1".into(), reply }));
        outputs.extend(harness.run_timers(100));
        let shown = project(&outputs);
        assert!(shown.contains("tool  1-1 Declined") && shown.ends_with("turn ended Completed"), "{shown}");
        assert!(!shown.contains("ToolOutput"), "{shown}");
    }
}

#[test]
fn a_wrong_answer_leaves_the_request_open() {
    let mut harness = opened();
    play(&mut harness, "tool");
    assert!(project(&harness.choose("turn-1/ask-1", "yes")).starts_with("fault Invalid"));
    assert!(project(&harness.choose("turn-1/ask-9", "allow")).starts_with("fault NotFound"));
    assert_eq!(project(&harness.choose("turn-1/ask-1", "allow")), "ok Accepted");
}

#[test]
fn the_edited_command_is_the_one_that_runs() {
    let mut harness = opened();
    play(&mut harness, "tool");
    let reply = Reply::Chosen(Chosen {
        option_id: "allow".into(),
        note: None,
        input: Some(r#"{"command":"echo edited"}"#.into()),
    });
    harness.command(CommandBody::Respond(Answer { request: "turn-1/ask-1".into(), reply }));
    assert!(project(&harness.run_timers(100)).contains("ToolOutput 1-1: edited"));
}

#[test]
fn a_question_takes_its_answer() {
    let mut harness = opened();
    assert!(project(&play(&mut harness, "question")).ends_with("asks turn-1/ask-1 [\"Red\", \"Green\", \"Blue\"]"));
    let reply = Reply::Filled(vec![Filled { question: "colour".into(), values: vec!["Blue".into()] }]);
    harness.command(CommandBody::Respond(Answer { request: "turn-1/ask-1".into(), reply }));
    assert!(project(&harness.run_timers(100)).starts_with("Assistant 1-1: You chose Blue."));
}

#[test]
fn a_slow_turn_hears_an_interrupt_late_and_streams_until_then() {
    let mut harness = opened();
    harness.say("slow");
    assert!(!harness.advance(10_000.0).is_empty());
    assert_eq!(project(&harness.interrupt()), "");
    assert!(project(&harness.advance(299.0)).starts_with("Assistant 1-1: "));
    assert_eq!(project(&harness.advance(2.0)), "ok Interrupted\nturn ended Interrupted");
    assert_eq!(harness.run_timers(10), [], "nothing follows the end");
    assert!(project(&harness.interrupt()).starts_with("fault Conflict"));
}

#[test]
fn an_interrupt_withdraws_what_was_asked() {
    let mut harness = opened();
    play(&mut harness, "tool");
    assert_eq!(
        project(&harness.interrupt()),
        "ok Interrupted\nclosed turn-1/ask-1 Cancelled\ntool echo \"hello from the demonstration\" 1-1 Interrupted\nturn ended Interrupted"
    );
    assert!(project(&harness.choose("turn-1/ask-1", "allow")).starts_with("fault NotFound"));
    assert!(project(&play(&mut harness, "hi")).contains("turn turn-2 started"), "the thread goes on");
}

#[test]
fn an_interrupt_leaves_what_goes_on_behind_the_turn() {
    let mut harness = opened();
    harness.say("background slow");
    let interrupt = Interrupt { turn: None, keep_background: true };
    let mut outputs = harness.command(CommandBody::Interrupt(interrupt));
    outputs.extend(harness.advance(1_000.0));
    let said = project(&outputs);
    assert!(said.contains("turn"), "{said}");
    assert!(!said.contains("task"), "the task goes on: {said}");
    let stopped = project(&harness.command(CommandBody::StopTask("watcher-1".into())));
    assert!(stopped.contains("task"), "{stopped}");
}

#[test]
fn one_turn_at_a_time() {
    let mut harness = opened();
    harness.say("slow");
    assert!(project(&harness.say("more")).starts_with("fault Conflict"));
}

#[test]
fn a_cursor_resumes_after_its_turns_and_a_foreign_one_does_not() {
    let mut harness = opened();
    let cursor = play(&mut harness, "one").into_iter().rev().find_map(|output| match output {
        Output::Event(Event { body: EventBody::Threads(threads), .. }) => threads[0].cursor.clone(),
        _ => None,
    });
    let mut next = Harness::<Scripted>::new();
    next.start("{}");
    let outputs = next.open(cursor.as_deref(), &[]);
    assert!(
        matches!(&outputs[0], Output::Done(OpResult { outcome: Ok(OpValue::Thread(thread)), .. }) if thread.cursor == cursor)
    );
    assert!(project(&play(&mut next, "two")).contains("turn turn-2 started"));
    assert!(project(&Harness::<Scripted>::new().open(Some("elsewhere/1"), &[])).starts_with("fault NotFound"));
}

#[test]
fn mode_and_model_are_chosen_among_what_is_offered() {
    let mut harness = opened();
    let set = |name: &str, value: &str| CommandBody::SetSelection(vec![(name.into(), value.into())]);
    assert!(project(&harness.command(set("model", "gpt"))).starts_with("fault Invalid"));
    assert!(project(&harness.command(set("colour", "red"))).starts_with("fault Invalid"));
    let outputs = harness.command(set("mode", "auto"));
    assert!(
        matches!(&outputs[1], Output::Event(Event { body: EventBody::Settings(settings), .. }) if settings[1].value.as_deref() == Some("auto"))
    );
    assert!(!project(&play(&mut harness, "tool")).contains("asks"));
}

#[test]
fn the_same_conversation_twice_is_the_same() {
    let all = || {
        let mut harness = opened();
        let mut outputs = play(&mut harness, "reasoning plan subagent long");
        outputs.extend(play(&mut harness, "tool"));
        outputs.extend(harness.choose("turn-2/ask-1", "allow"));
        outputs.extend(harness.run_timers(100));
        outputs
    };
    assert_eq!(all(), all());
}

#[test]
fn what_it_cannot_do_is_unsupported() {
    for body in [
        CommandBody::Authenticate("key".into()),
        CommandBody::Summarize(jackfield_sdk::prelude::Summarize { instructions: String::new(), max_chars: 9 }),
    ] {
        assert!(project(&opened().command(body)).starts_with("fault Unsupported"));
    }
}

#[test]
fn it_says_that_it_is_a_demonstration() {
    assert_eq!(Scripted::describe().label, "Scripted demonstration");
    let mut harness = Harness::<Scripted>::new();
    harness.start("{}");
    assert!(project(&harness.open(None, &[])).contains("note demonstration"));
}

#[test]
fn a_message_into_the_open_turn_has_one_of_the_fates_that_messages_have() {
    let steer = |words: &str| {
        let mut harness = opened();
        harness.say("tool");
        let mut seen = harness.command(CommandBody::SteerRun(Message::of_text(words)));
        seen.extend(harness.run_timers(100));
        seen.extend(harness.choose("turn-1/ask-1", "reject"));
        seen.extend(harness.run_timers(5_000));
        let how = seen.iter().find_map(|output| match output {
            Output::Done(OpResult { outcome: Ok(OpValue::Delivered(delivery)), .. }) => Some(word(&delivery.how)),
            _ => None,
        });
        (how.unwrap(), project(&seen).contains("turn turn-2 started"))
    };
    assert_eq!(steer("hurry"), ("JoinedTurn".into(), false));
    assert_eq!(steer("behind me"), ("Queued".into(), true));
    assert_eq!(steer("late"), ("Stale".into(), false));
    assert_eq!(steer("untold behind"), ("Unknown".into(), true));
    let shown = project(&opened().command(CommandBody::SteerRun(Message::of_text("too late"))));
    assert_eq!(shown, "fault Conflict: The turn has ended.");
}

//! What must hold of a run's lines: for every run, and for one turn of a case.

use super::case::Turn;
use super::process::tail;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::time::{SystemTime, UNIX_EPOCH};

/// Keeps the id of the thread, when a line names it.
pub(super) fn thread_of(lines: &[Value], thread: &mut String) {
    if let Some(id) = lines.iter().find_map(|line| line["thread"].as_str()) {
        id.clone_into(thread);
    }
}

/// All text that was streamed.
pub(super) fn streamed(lines: &[Value]) -> String {
    of(lines, "item.delta").filter_map(|line| line["text"].as_str()).collect()
}

/// True once the thread has a cursor.
pub(super) fn resumable(lines: &[Value]) -> bool {
    of(lines, "thread.updated").any(|line| line["resumable"] == true)
}

/// Where a run's time went, for a person: until the plugin was at work, until the CLI had its message, to the end.
pub(super) fn times(lines: &[Value], started: SystemTime) -> String {
    let began = started.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let at = |kind: &str| {
        let line = of(lines, kind).find_map(|line| line["at_ms"].as_u64());
        line.map_or("-".to_owned(), |at| u128::from(at).saturating_sub(began).to_string())
    };
    let (plugin, turn, run) = (at("session.started"), at("turn.started"), at("run.ended"));
    let end = started.elapsed().map_or(0, |since| since.as_millis());
    format!("times in ms: plugin {plugin}, turn {turn}, its end {run}, the program's {end}")
}

/// A run that was killed midway: its lines are whole as far as they go.
pub(super) fn killed(lines: &[Value]) -> Result<()> {
    ensure!(lines.first().is_some_and(|line| line["type"] == "stream.opened"), "the first line is not stream.opened");
    ensure!(of(lines, "run.ended").next().is_none(), "the run had ended before it was killed");
    ensure!(lines.iter().all(Value::is_object), "a line is no JSON object");
    Ok(())
}

/// A run that came to its end.
pub(super) fn whole(lines: &[Value], turn: &Turn, exit: Option<i32>) -> Result<()> {
    frame(lines)?;
    told(lines, turn)?;
    ensure!(exit == Some(turn.exit), "the exit code is {exit:?}, not {}", turn.exit);
    Ok(())
}

/// Several messages to one run of the program, which came to its end: each as a run of its own.
pub(super) fn conversation(lines: &[Value], turns: &[Turn], exit: Option<i32>) -> Result<()> {
    frame(lines)?;
    if let Some(line) = of(lines, "input.rejected").next() {
        bail!("a line was not taken: {line}");
    }
    let starts: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| line["type"] == "run.created").map(|(at, _)| at).collect();
    ensure!(starts.len() == turns.len(), "{} runs for {} messages", starts.len(), turns.len());
    for (number, turn) in turns.iter().enumerate() {
        // What comes before the first message is of the first, what comes late of the one before.
        let from = if number == 0 { 0 } else { starts[number] };
        let to = starts.get(number + 1).copied().unwrap_or(lines.len());
        let part = &lines[from..to];
        told(part, turn).with_context(|| format!("turn {} ({}): {}", number + 1, turn.prompt, tail(part)))?;
    }
    let last = turns.last().map(|turn| turn.exit);
    ensure!(exit == last, "the exit code is {exit:?}, not {last:?}");
    Ok(())
}

/// A run that came to its end, as its events tell.
pub(super) fn told(lines: &[Value], turn: &Turn) -> Result<()> {
    closed(lines)?;
    let (joined, ended): (Vec<&Value>, Vec<&Value>) = of(lines, "run.ended").partition(|line| has_joined(line));
    ensure!(ended.len() == turn.runs, "{} run.ended", ended.len());
    ensure!(joined.len() == turn.joined, "{} messages joined the turn, not {}", joined.len(), turn.joined);
    ensure!(joined.iter().all(|line| line["joined"] == ended[0]["run"]), "a message joined another run: {joined:?}");
    for end in &ended {
        ensure!(end["status"] == turn.status, "the run ended {}", end["status"]);
        ledger(&end["ledger"])?;
    }
    let lost = of(lines, "context.changed").any(|line| line["change"]["what"] == "lost");
    ensure!(lost == turn.lost, "context lost: {lost}, not {}", turn.lost);
    let said = texts(lines);
    for text in turn.says {
        ensure!(said.contains(text), "the assistant did not say `{text}` but: {said}");
    }
    let mut tools: Vec<(&str, &str)> =
        finished(lines, "tool").map(|item| (name(item), word(&item["status"]))).collect();
    let mut wanted = turn.tools.to_vec();
    // Those that run side by side end in the order they like.
    tools.sort_unstable();
    wanted.sort_unstable();
    ensure!(tools == wanted, "tools: {tools:?}, not {wanted:?}");
    let answers: Vec<bool> = of(lines, "request.resolved").filter_map(|line| answered(&line["resolution"])).collect();
    ensure!(answers == turn.answers, "answers: {answers:?}, not {:?}", turn.answers);
    let fault = ended[0]["fault"]["message"].as_str().unwrap_or_default().to_lowercase();
    ensure!(fault.is_empty() == turn.fault.is_empty(), "the fault is `{fault}`");
    for text in turn.fault {
        ensure!(fault.contains(text), "the fault does not name `{text}`: {fault}");
    }
    ensure!((turn.lines)(lines), "the lines do not hold what they should");
    Ok(())
}

/// The stream has a beginning and an end, and rising numbers between.
fn frame(lines: &[Value]) -> Result<()> {
    let first = lines.first().unwrap_or(&Value::Null);
    ensure!(first["type"] == "stream.opened" && first["schema_version"] == 1, "the first line is {first}");
    let last = lines.last().unwrap_or(&Value::Null);
    ensure!(last["type"] == "stream.closed", "the last line is {last}");
    let numbers: Vec<u64> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
    ensure!(!numbers.is_empty() && numbers.is_sorted_by(|a, b| a < b), "seq does not rise: {numbers:?}");
    Ok(())
}

/// What began has ended, before the run did; what a task in the background and the provider's own turns began has ended
/// at all. What was asked has been settled.
fn closed(lines: &[Value]) -> Result<()> {
    let is_end = |line: &Value| line["type"] == "run.ended" && !has_joined(line);
    // Its own run's end; of what is in no run, the next one.
    let end_of = |at: usize| {
        let ends = || lines.iter().enumerate().filter(|(_, line)| is_end(line)).map(|(end, _)| end);
        let own = ends().find(|end| lines[*end]["run"] == lines[at]["run"]);
        own.or_else(|| ends().find(|end| *end > at)).or_else(|| ends().next()).unwrap_or(lines.len())
    };
    let joined = |run: &Value| of(lines, "run.ended").any(|line| has_joined(line) && line["run"] == *run);
    let background = |item: &Value| {
        of(lines, "task.updated").any(|line| line["task"]["background"] == true && line["task"]["item"] == *item)
    };
    let own = |turn: &Value| of(lines, "turn.started").any(|line| line["turn"] == *turn && line["run"].is_null());
    for (at, started) in lines.iter().enumerate().filter(|(_, line)| line["type"] == "item.started") {
        let id = &started["item"]["id"];
        let end = lines.iter().position(|line| line["type"] == "item.ended" && line["item"]["id"] == *id);
        // That a message has joined may be known only by what did not follow.
        let outlives = own(&started["turn"]) || background(&started["parent"]) || joined(&started["run"]);
        let bound = if outlives { lines.len() } else { end_of(at) };
        ensure!(end.is_some_and(|end| end < bound), "the item {id} was not closed before the run ended");
    }
    for started in of(lines, "turn.started") {
        let ends = of(lines, "turn.ended").filter(|line| line["turn"] == started["turn"]).count();
        ensure!(ends == 1, "the turn {} ended {ends} times", started["turn"]);
    }
    for opened in of(lines, "request.opened") {
        let id = &opened["request"]["id"];
        let settled = of(lines, "request.resolved").filter(|line| line["request"] == *id).count();
        ensure!(settled == 1, "the request {id} was settled {settled} times");
    }
    Ok(())
}

/// The end of a message that joined the turn of another.
fn has_joined(line: &Value) -> bool {
    line["reason"] == "joined"
}

/// Every frame has exactly one disposition: what came in is the sum of what became of it.
fn ledger(ledger: &Value) -> Result<()> {
    let frames = ledger["frames_in"].as_u64().unwrap_or(0);
    ensure!(frames > 0, "no frame came in: {ledger}");
    let rest: u64 =
        ledger.as_object().into_iter().flatten().filter(|(key, _)| *key != "frames_in").map(|(_, n)| sum(n)).sum();
    ensure!(frames == rest, "{frames} frames came in and {rest} were accounted for: {ledger}");
    // The version is pinned: its plugin knows all that it says.
    for lost in ["unaccounted", "unknown"] {
        ensure!(ledger[lost].as_u64().unwrap_or(0) == 0, "{lost} frames: {ledger}");
    }
    Ok(())
}

fn sum(value: &Value) -> u64 {
    match value {
        Value::Object(map) => map.values().map(sum).sum(),
        other => other.as_u64().unwrap_or(0),
    }
}

/// The lines of this type.
pub(super) fn of<'a>(lines: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    lines.iter().filter(move |line| line["type"] == kind)
}

/// What ended in it; what a provider tells again of what was before is none of it.
fn finished<'a>(lines: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    of(lines, "item.ended")
        .filter(|line| line["origin"]["replayed"] != true)
        .map(|line| &line["item"])
        .filter(move |item| item["kind"] == kind)
}

fn texts(lines: &[Value]) -> String {
    finished(lines, "assistant_message").filter_map(|item| item["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Whether an answer gave what was asked for; none where nobody answered. What was filled in allows nothing and refuses nothing, and gives it.
fn answered(resolution: &Value) -> Option<bool> {
    let filled = resolution["outcome"] == "answered" && resolution["option"].is_null();
    resolution["allowed"].as_bool().or(filled.then_some(true))
}

fn name(item: &Value) -> &str {
    word(&item["tool"]["name"])
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::case::TURN;
    use super::*;
    use serde_json::json;

    const TOUCHED: Turn = Turn { says: &["made it"], tools: &[("Bash", "completed")], answers: &[true], ..TURN };

    /// A run as it should be: a tool that was allowed, and a word about it.
    fn good() -> Vec<Value> {
        let tool =
            |status: &str| json!({ "id": "itm_1", "status": status, "kind": "tool", "tool": { "name": "Bash" } });
        let said = json!({ "id": "itm_2", "status": "completed", "kind": "assistant_message", "text": "I made it." });
        vec![
            json!({ "type": "stream.opened", "schema_version": 1 }),
            json!({ "type": "item.started", "seq": 1, "thread": "thr_1", "item": tool("running") }),
            json!({ "type": "request.opened", "seq": 2, "request": { "id": "req_1" } }),
            json!({ "type": "request.resolved", "seq": 3, "request": "req_1", "resolution": { "outcome": "answered", "allowed": true } }),
            json!({ "type": "item.ended", "seq": 4, "item": tool("completed") }),
            json!({ "type": "item.started", "seq": 5, "item": said }),
            json!({ "type": "item.ended", "seq": 6, "item": said }),
            json!({ "type": "run.ended", "seq": 7, "status": "completed", "ledger": { "frames_in": 3, "translated": 2, "silent": 1 } }),
            json!({ "type": "stream.closed" }),
        ]
    }

    fn verdict(change: impl FnOnce(&mut Vec<Value>)) -> Result<()> {
        let mut lines = good();
        change(&mut lines);
        whole(&lines, &TOUCHED, Some(0))
    }

    #[test]
    fn a_good_run_passes() {
        verdict(|_| {}).unwrap();
    }

    /// Each fault that the judge is there for, and the word by which it names it.
    #[test]
    fn each_fault_is_named() {
        type Change = fn(&mut Vec<Value>);
        let faults: &[(&str, Change)] = &[
            ("the first line", |lines| drop(lines.remove(0))),
            ("the last line", |lines| drop(lines.pop())),
            ("seq does not rise", |lines| lines[4]["seq"] = json!(3)),
            ("was not closed", |lines| drop(lines.remove(4))),
            ("was not closed", |lines| {
                lines.swap(6, 7);
                (lines[6]["seq"], lines[7]["seq"]) = (json!(6), json!(7));
            }),
            ("was settled 0 times", |lines| drop(lines.remove(3))),
            ("0 run.ended", |lines| drop(lines.remove(7))),
            ("1 messages joined the turn", |lines| {
                lines.insert(7, json!({ "type": "run.ended", "seq": 7, "run": "run_2", "reason": "joined" }));
                lines[8]["seq"] = json!(8);
            }),
            ("the run ended", |lines| lines[7]["status"] = json!("failed")),
            ("were accounted for", |lines| lines[7]["ledger"]["silent"] = json!(0)),
            ("unknown frames", |lines| lines[7]["ledger"] = json!({ "frames_in": 2, "translated": 1, "unknown": 1 })),
            ("no frame came in", |lines| lines[7]["ledger"] = json!({})),
            ("did not say", |lines| lines[6]["item"]["text"] = json!("no")),
            ("tools:", |lines| lines[4]["item"]["status"] = json!("failed")),
            ("answers:", |lines| lines[3]["resolution"]["allowed"] = json!(false)),
            ("the fault is", |lines| lines[7]["fault"] = json!({ "message": "boom" })),
        ];
        for (word, change) in faults {
            let error = verdict(change).expect_err(word).to_string();
            assert!(error.contains(word), "`{word}` was found as: {error}");
        }
        assert!(whole(&good(), &TOUCHED, Some(1)).unwrap_err().to_string().contains("exit code"));
    }

    #[test]
    fn a_conversation_is_judged_message_by_message() {
        let begun = json!({ "type": "run.created" });
        let (mut lines, mut second) = (good(), good());
        second.drain(..1);
        second
            .iter_mut()
            .filter(|line| line["seq"].is_u64())
            .for_each(|line| line["seq"] = json!(line["seq"].as_u64().map(|n| n + 10)));
        lines.truncate(lines.len() - 1);
        lines.insert(1, begun.clone());
        lines.push(begun);
        let at = lines.len();
        lines.extend(second);
        let verdict = |change: fn(&mut Vec<Value>, usize), turns: &[Turn]| {
            let mut lines = lines.clone();
            change(&mut lines, at);
            conversation(&lines, turns, Some(0)).map_err(|error| format!("{error:#}"))
        };
        let both = [TOUCHED, TOUCHED];
        verdict(|_, _| {}, &both).unwrap();
        assert!(verdict(|_, _| {}, &[TOUCHED]).unwrap_err().contains("2 runs for 1 messages"));
        let spoilt = verdict(|lines, at| lines[at + 3]["item"]["status"] = json!("failed"), &both).unwrap_err();
        assert!(spoilt.contains("turn 2") && spoilt.contains("tools:"), "{spoilt}");
        let refused = verdict(|lines, at| lines.insert(at, json!({ "type": "input.rejected" })), &both).unwrap_err();
        assert!(refused.contains("was not taken"), "{refused}");
    }

    #[test]
    fn a_killed_run_is_whole_as_far_as_it_goes() {
        killed(&good()[..4]).unwrap();
        killed(&good()).unwrap_err();
        killed(&[json!("cut {")]).unwrap_err();
    }
}

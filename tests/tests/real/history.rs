//! A conversation that a provider has kept by itself, on the way that a person takes: `history sessions` lists it, `history show` tells it, and
//! `run --resume` goes on with it by the id that was shown. It was held in the same home by the real program, and the host that lists it
//! has never seen it: all that it knows are the program's own files.

use super::acp::{a_minute_passes, its_history_is_gone};
use super::conversation::AFTER_ALL;
use super::{CASE, JACKFIELD, remembers};
use anyhow::{Context, Result, ensure};
use jackfield_tests::real::{Case, Desk, TURN, Turn};
use serde_json::Value;

/// A tool that is allowed, with words before and after it.
const TOUCHED: Turn =
    Turn { args: &["--approve", "allow"], answers: &[true], says: &["The tool has had its turn."], ..TURN };

const CLAUDE: Turn = Turn { prompt: "Make it <<script:touch>>", tools: &[("Bash", "completed")], ..TOUCHED };

#[test]
fn claude_code_2_1_332() {
    CASE.at_desk("claude-code", JACKFIELD, |desk| goes_on(desk, &CLAUDE, "hi-from-bash"));
}

#[test]
fn claude_code_2_1_197() {
    CASE.at_desk("claude-code-2.1.197", JACKFIELD, |desk| goes_on(desk, &CLAUDE, "hi-from-bash"));
}

const CODEX: Case = Case { provider: "codex", exe: "codex", ..CASE };
const CODEX_TOUCHED: Turn =
    Turn { prompt: "Make it <<script:shell-touch>>", tools: &[("exec_command", "completed")], ..TOUCHED };

#[test]
fn codex_0_171_0() {
    CODEX.at_desk("codex", JACKFIELD, |desk| goes_on(desk, &CODEX_TOUCHED, "hi-from-42"));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn codex_0_120_0() {
    CODEX.at_desk("codex-0.120.0", JACKFIELD, |desk| goes_on(desk, &CODEX_TOUCHED, "hi-from-42"));
}

#[test]
fn copilot() {
    let touched = Turn { prompt: "Make it <<script:copilot-touch>>", tools: &[("", "completed")], ..TOUCHED };
    let case = Case { provider: "copilot", exe: "copilot", ..CASE };
    case.at_desk("copilot", JACKFIELD, |desk| goes_on(desk, &touched, "hi-from-42"));
}

/// Loaded in the minute in which it was begun, its conversation is lost (`acp.rs`); one that is not there any more is not begun afresh.
#[test]
fn gemini() {
    let touched = Turn { prompt: "Make it <<script:gemini-touch>>", tools: &[("", "completed")], ..TOUCHED };
    let case = Case { provider: "gemini", exe: "gemini", ..CASE };
    case.at_desk("gemini", JACKFIELD, |desk| {
        desk.elsewhere().run(&touched, &[])?;
        a_minute_passes(desk.stage)?;
        let id = listed(desk)?;
        resumed(desk, &id, &touched, "hi-from-42")?;
        its_history_is_gone(desk.stage)?;
        let words = desk.of_provider(&["history", "show"], &[&id]);
        let (_, told) = desk.types(&words.iter().map(String::as_str).collect::<Vec<_>>(), 1)?;
        ensure!(told.contains("not among those that are listed"), "{told}");
        let run = desk.of_provider(&["run", "--provider"], &["--resume", &id, AFTER_ALL.prompt]);
        let (_, told) = desk.types(&run.iter().map(String::as_str).collect::<Vec<_>>(), 2)?;
        ensure!(told.contains("lists no stored conversation"), "{told}");
        Ok(())
    });
}

#[cfg(target_arch = "x86_64")]
#[test]
fn opencode() {
    let touched = Turn { prompt: "Make it <<script:opencode-touch>>", tools: &[("", "completed")], ..TOUCHED };
    let case = Case { provider: "opencode", exe: "opencode", ..CASE };
    case.at_desk("opencode", JACKFIELD, |desk| goes_on(desk, &touched, "hi-from-42"));
}

/// The whole way.
fn goes_on(desk: &Desk<'_>, held: &Turn, printed: &str) -> Result<()> {
    desk.elsewhere().run(held, &[])?;
    let id = listed(desk)?;
    resumed(desk, &id, held, printed)
}

/// It is told as it was, gone on with, and told with what was said since, as one conversation.
fn resumed(desk: &Desk<'_>, id: &str, held: &Turn, printed: &str) -> Result<()> {
    let mut said = vec![("user_message", held.prompt), ("tool", printed), ("assistant_message", held.says[0])];
    shown(desk, id, &said)?;
    let lines = desk.run(&AFTER_ALL, &["--resume", id])?;
    let folder = lines.iter().find(|line| line["type"] == "thread.created").map(|line| line["folder"].as_str());
    ensure!(folder == Some(desk.stage.folder.to_str()), "it goes on in {folder:?}, which is not where it was had");
    let seen = desk.stage.mock.conversation();
    for text in [held.prompt, printed, held.says[0]] {
        ensure!(remembers(&seen, text), "the model is not told `{text}`, which was said before");
    }
    ensure!(listed(desk)? == id, "it is another conversation now");
    said.extend([("user_message", AFTER_ALL.prompt), ("assistant_message", AFTER_ALL.says[0])]);
    shown(desk, id, &said)
}

/// The only conversation that is listed: for a script, for a person, and in its folder.
fn listed(desk: &Desk<'_>) -> Result<String> {
    let lines = desk.history("sessions", &[])?;
    let [one, end] = &lines[..] else { anyhow::bail!("not one conversation: {lines:?}") };
    ensure!(one["type"] == "history.session" && one["resumable"] == true, "{one}");
    ensure!(one["folder"].as_str() == desk.stage.folder.to_str(), "it is listed in another folder: {one}");
    ensure!(!one["title"].is_null() || !one["preview"].is_null(), "nothing says what it is about: {one}");
    ensure!(end["type"] == "history.end" && end["next"].is_null(), "{end}");
    let id = one["id"].as_str().context("its id")?;
    let words = desk.of_provider(&["history", "sessions"], &["--folder", "."]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (stdout, _) = desk.types(&words, 0)?;
    ensure!(stdout.split_whitespace().next() == Some(id), "a person is shown another id than `{id}`: {stdout}");
    let folders = desk.history("folders", &[])?;
    ensure!(folders[0]["path"].as_str() == desk.stage.folder.to_str(), "its folder is not among {folders:?}");
    Ok(id.to_owned())
}

/// What was said in it, each in this order and once, all of it told as said before.
fn shown(desk: &Desk<'_>, id: &str, said: &[(&str, &str)]) -> Result<()> {
    let lines = desk.history("show", &[id])?;
    let told = |line: &&Value| line["type"] != "history.end";
    if let Some(line) = lines.iter().filter(told).find(|line| line["origin"]["replayed"] != true) {
        anyhow::bail!("this is not told as said before: {line}");
    }
    let items: Vec<&Value> =
        lines.iter().filter(|line| line["type"] == "item.ended").map(|line| &line["item"]).collect();
    let mut from = 0;
    for (kind, text) in said {
        let is_it = |item: &&Value| item["kind"] == *kind && item.to_string().contains(text);
        let found: Vec<usize> = items.iter().enumerate().filter(|(_, item)| is_it(item)).map(|(at, _)| at).collect();
        ensure!(
            found.len() == 1 && found[0] >= from,
            "`{text}` is told at {found:?}, not once after {from}: {items:#?}"
        );
        ensure!(items[found[0]]["status"] == "completed", "{}", items[found[0]]);
        from = found[0];
    }
    Ok(())
}

//! What agents kept on disk, told again: real files (`tests/history/`), beside what the agents said while they wrote them, and files that no
//! agent should write.

mod support;

use std::path::{Path, PathBuf};

use jackfield_plugin_acp::{Acp, ByData};
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::past::{self, difference, folders, page, seen, threads, transcript};
use jackfield_sdk::testing::recording::{self, expect};
use jackfield_sdk::testing::{Disk, Files, Harness, cut, project, with_data};
use rusqlite::types::ValueRef;
use serde_json::Value;
use support::{data, play, play_in};

type Agent = Harness<Acp<ByData>>;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/history")
}

/// A session for questions to this agent's files.
fn query<T>(agent: &str, files: Files, then: impl FnOnce(&mut Agent) -> T) -> T {
    with_data(&data(agent), || then(&mut past::query(files)))
}

fn copilot() -> Files {
    Disk::new("sessions", folder().join("copilot")).files()
}

fn gemini() -> Files {
    Disk::new("tmp", folder().join("gemini")).files()
}

/// The database of a recorded conversation, and whatever else is said to it.
fn opencode(name: &str, more: &str) -> Files {
    let sql = std::fs::read_to_string(folder().join("opencode").join(name).join("opencode.sql")).unwrap();
    let database = rusqlite::Connection::open_in_memory().unwrap();
    database.execute_batch(&(sql + more)).unwrap();
    Files::of(move |body| {
        let EffectBody::QuerySqlite(query) = body else { return None };
        assert_eq!((query.file.root.as_str(), query.file.path.as_str()), ("data", "opencode.db"));
        let mut statement = database.prepare(&query.sql).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map(rusqlite::params_from_iter(&query.params), |row| {
            let value = |at| match row.get_ref(at).unwrap() {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => number.into(),
                ValueRef::Real(number) => number.into(),
                ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into(),
            };
            Ok(Value::Array((0..columns).map(value).collect()).to_string())
        });
        Some(Ok(EffectValue::Rows(rows.unwrap().map(Result::unwrap).collect())))
    })
}

/// Live words come in pieces; those that follow one another are one message, and have no id that history could have.
fn said(outputs: &[Output]) -> Vec<String> {
    let mut whole: Vec<Output> = vec![];
    let mut open: Option<(TextKind, String)> = None;
    let close = |whole: &mut Vec<Output>, open: Option<(TextKind, String)>| {
        let Some((kind, text)) = open else { return };
        let item = if kind == TextKind::Assistant { Item::assistant(None, text) } else { Item::reasoning(None, text) };
        whole.push(Output::Event(Event { scope: None, body: EventBody::Items(vec![item]) }));
    };
    for output in outputs {
        match output {
            Output::Event(Event { body: EventBody::Delta(delta), .. })
                if matches!(delta.kind, TextKind::Assistant | TextKind::Reasoning) =>
            {
                match &mut open {
                    Some((kind, text)) if *kind == delta.kind => text.push_str(&delta.text),
                    _ => close(&mut whole, open.replace((delta.kind, delta.text.clone()))),
                }
            }
            Output::Event(Event { body: EventBody::Items(_) | EventBody::TurnEnded(_), .. }) => {
                close(&mut whole, open.take());
                whole.push(output.clone());
            }
            _ => {}
        }
    }
    close(&mut whole, open.take());
    let lines =
        seen(&whole).into_iter().map(|line| match line.strip_prefix("() ").and_then(|rest| rest.split_once(' ')) {
            Some((kind @ ("assistant" | "reasoning"), rest)) => format!("{kind} {}", rest.split_once(' ').unwrap().1),
            _ => line,
        });
    lines.filter(|line| !line.ends_with(" []") || line.starts_with("()")).collect()
}

fn live(case: &Path) -> Vec<String> {
    said(&play_in("opencode", case, "live").outputs)
}

fn cases() -> Vec<String> {
    recording::cases(&folder().join("opencode"), 7)
}

/// The oldest conversation of the database: the one that was recorded; others are copies of it.
fn first(agent: &mut Agent) -> String {
    threads(agent, None).last().unwrap().id.clone()
}

/// Live, a command's input has its folder, too; and only the host knows that a person refused a call.
const DIFFERENT: [&str; 3] = ["load_after_restart", "parallel_tools", "tool_permission_reject"];

#[test]
fn opencode_history_and_the_live_conversation_show_the_same() {
    let mut different = vec![];
    let shown = cases().into_iter().filter_map(|name| {
        let (live, history) = query("opencode", opencode(&name, ""), |agent| {
            let id = first(agent);
            (live(&folder().join("opencode").join(&name)), said(&transcript(agent, &id, 1_000)))
        });
        let differs = live != history;
        different.extend(differs.then(|| name.clone()));
        differs.then(|| (format!("opencode/{name}/difference"), difference(&live, &history)))
    });
    expect(&folder(), shown.collect::<Vec<_>>());
    assert_eq!(different, DIFFERENT);
}

#[test]
fn gemini_history_and_the_live_conversation_show_the_same() {
    let (live, history) = query("gemini", gemini(), |agent| {
        let id = first(agent);
        (said(&play("gemini", "tool_permission_allow").outputs), said(&transcript(agent, &id, 1_000)))
    });
    expect(&folder(), [("gemini-difference".to_owned(), difference(&live, &history))]);
    assert_eq!(live.len(), history.len());
}

#[test]
fn history_reads_as_expected() {
    let told = |agent: &mut Agent| {
        let id = first(agent);
        project(&transcript(agent, &id, 1_000))
    };
    let mut shown = vec![
        ("copilot-history".to_owned(), query("copilot", copilot(), told)),
        ("gemini-history".to_owned(), query("gemini", gemini(), told)),
    ];
    shown.extend(
        cases().iter().map(|name| (format!("opencode/{name}/history"), query("opencode", opencode(name, ""), told))),
    );
    expect(&folder(), shown);
}

#[test]
fn pages_of_any_size_give_the_same() {
    let check = |agent: &mut Agent| {
        let id = first(agent);
        let told = transcript(agent, &id, 1_000);
        for output in &told {
            let Output::Event(Event { scope, .. }) = output else { continue };
            // Else nobody who asked for it hears it.
            assert_eq!(scope.as_ref().and_then(|scope| scope.thread.as_deref()), Some(&*id));
        }
        let whole = seen(&told);
        for limit in [1, 2, 3] {
            assert_eq!(seen(&transcript(agent, &id, limit)), whole, "pages of {limit}");
        }
    };
    query("copilot", copilot(), check);
    query("gemini", gemini(), check);
    for name in cases() {
        query("opencode", opencode(&name, ""), check);
    }
}

#[test]
fn threads_and_folders_are_listed_and_nothing_is_started() {
    let list = |agent: &mut Agent| {
        let all = threads(agent, Some("/workspace/project"));
        assert!(threads(agent, Some("/elsewhere")).is_empty());
        let folders = folders(agent);
        assert_eq!((folders.len(), folders[0].path.as_str()), (1, "/workspace/project"));
        for thread in &all {
            assert_eq!((thread.cursor.as_ref(), thread.state), (Some(&thread.id), ThreadState::Stored));
        }
        all.into_iter()
            .map(|thread| (thread.id, thread.title.or(thread.preview).unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    let named = |id: &str, title: &str| (id.to_owned(), title.to_owned());
    assert_eq!(
        query("copilot", copilot(), list),
        [named("3a16e7fe-13c4-4292-9076-3d04781b7d8a", "One <<script:hello>>")]
    );
    // The other file is one that nobody spoke in.
    assert_eq!(query("gemini", gemini(), list), [named("52a052ba-2996-443a-9758-a2569c18110a", "Go <<script:bash>>")]);
    let sessions = query("opencode", opencode("load_after_restart", ""), list);
    assert_eq!(
        sessions.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>(),
        ["Mock title (fork #1)", "Mock title"]
    );
}

#[test]
fn what_was_undone_in_opencode_is_not_told_and_a_list_has_pages() {
    query("opencode", opencode("load_after_restart", ""), |agent| {
        let list = |page| CommandBody::ListThreads(ListThreads { folder: None, page, limit: 1 });
        let mut ids = vec![];
        let mut next = None;
        loop {
            let outputs = agent.command(list(next));
            let Some(Output::Done(OpResult { outcome: Ok(OpValue::Threads(threads)), .. })) = outputs.last() else {
                panic!()
            };
            ids.extend(threads.threads.iter().map(|thread| thread.id.clone()));
            next = threads.next.clone();
            if next.is_none() {
                break;
            }
        }
        assert_eq!(ids.len(), 2);
    });
    let undone = "UPDATE session SET revert = '{\"messageID\":\"msg_231332dac001d3XfHljZfl6um9\"}';";
    query("opencode", opencode("load_after_restart", undone), |agent| {
        let told = said(&transcript(agent, "ses_dceccfbb0ffe3wQtE2bAo2WpiF", 100)).join(" ");
        assert!(told.contains("The command ran.") && !told.contains("Third answer"), "{told}");
        let unknown =
            agent.command(CommandBody::ReadThread(ReadThread { cursor: Some("ses_no".into()), page: None, limit: 5 }));
        assert!(
            matches!(unknown.last(), Some(Output::Done(OpResult { outcome: Err(fault), .. })) if fault.kind == FaultKind::NotFound)
        );
    });
}

/// One file of this agent's with these rows.
fn written(agent: &'static str, rows: &'static [&'static str]) -> Files {
    let bytes = (rows.join("\n") + "\n").into_bytes();
    Files::of(move |body| {
        Some(match body {
            EffectBody::ReadFile(read) if !read.file.path.ends_with("jsonl") => {
                Err(Fault::new(FaultKind::NotFound, "none"))
            }
            EffectBody::ReadFile(read) => Ok(EffectValue::Bytes(cut(&bytes, read))),
            EffectBody::ListFolder(path) => {
                let name = match (agent, path.path.split('/').filter(|part| !part.is_empty()).count()) {
                    ("copilot", 1) => "events.jsonl",
                    ("gemini", 2) => "session-2026-11-30T18-33-11111111.jsonl",
                    _ => "x",
                };
                let folder = name == "x";
                Ok(EffectValue::Entries(vec![Entry { name: name.into(), folder, size: 1.0, modified_ms: 1.0 }]))
            }
            _ => return None,
        })
    })
}

#[test]
fn rows_of_any_shape_cost_only_themselves() {
    const COPILOT: &[&str] = &[
        r#"{"type":"session.start","data":7}"#,
        r#"{"type":"user.message","data":{"content":"hello"}}"#,
        "nothing",
        r#"{"type":"of.tomorrow","data":{}}"#,
        r#"{"type":"assistant.message","data":{"content":["no text"],"toolRequests":[3,{"toolCallId":"a","name":"bash"},{"toolCallId":"b"}]}}"#,
        r#"{"type":"permission.completed","data":{"toolCallId":"a","result":{"kind":"denied-interactively-by-user"}}}"#,
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"a","success":false,"error":{"message":"refused"}}}"#,
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"nobody's","success":true}}"#,
    ];
    query("copilot", written("copilot", COPILOT), |agent| {
        let id = first(agent);
        let (outputs, next) = page(agent, &id, None, 10);
        let told = seen(&outputs).join("\n");
        assert!(next.is_none() && told.contains("Execute a Declined") && told.contains("b Unknown"), "{told}");
        assert!(
            outputs
                .iter()
                .any(|output| matches!(output, Output::Diagnostic(note) if note.code == "history-unreadable"))
        );
    });
    const GEMINI: &[&str] = &[
        r#"{"sessionId":"11111111-0000-4000-8000-000000000000"}"#,
        r#"{"id":"1","type":"user","content":[{"text":"one"}]}"#,
        r#"{"id":"2","type":"gemini","content":"first, unfinished"}"#,
        r#"{"id":"2","type":"gemini","content":"first"}"#,
        r#"{"id":"3","type":"user","content":"dropped"}"#,
        r#"{"id":"4","type":"gemini","content":"dropped","toolCalls":"none"}"#,
        r#"{"$rewindTo":"3"}"#,
        r#"{"id":"5","type":"of-tomorrow","content":"?"}"#,
        r#"{"id":"6","type":"gemini","content":"second"}"#,
    ];
    query("gemini", written("gemini", GEMINI), |agent| {
        // What is written again is told once, wherever a page begins.
        for limit in [10, 3, 2, 1] {
            let told = said(&transcript(agent, "11111111-0000-4000-8000-000000000000", limit)).join(" ");
            assert_eq!(told, r#"assistant [Text("first")] assistant [Text("second")]"#, "pages of {limit}");
        }
    });
}

/// More of them than one query asks for: what stands before them is told all the same.
#[test]
fn rows_of_a_database_that_cannot_be_read_end_nothing() {
    const SESSION: &str = "ses_dceccfbb0ffe3wQtE2bAo2WpiF";
    let whole = query("opencode", opencode("load_after_restart", ""), |agent| seen(&transcript(agent, SESSION, 100)));
    let bad = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO part \
        SELECT 'prt_zz' || i, (SELECT max(id) FROM message WHERE session_id = '{SESSION}'), '{SESSION}', 0, 0, 'no JSON' FROM n;"
    );
    query("opencode", opencode("load_after_restart", &bad), |agent| {
        let outputs = transcript(agent, SESSION, 100);
        assert_eq!(seen(&outputs), whole);
        let said = outputs.iter().find_map(|output| match output {
            Output::Diagnostic(note) => Some((note.code.as_str(), note.text.as_str())),
            _ => None,
        });
        assert_eq!(said, Some(("history-unreadable", &*format!("50 rows of the session `{SESSION}` cannot be read"))));
    });
}

/// Each time that a conversation is taken up, the real one begins a file beside its own, with nothing but the setting.
#[test]
fn a_conversation_of_gemini_that_was_taken_up_is_told_from_its_own_file() {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("gemini-taken-up");
    let chats = place.join("project/chats");
    std::fs::create_dir_all(&chats).unwrap();
    let whole =
        std::fs::read_to_string(folder().join("gemini/project/chats/session-2026-11-30T18-33-52a052ba.jsonl")).unwrap();
    let setting: String = whole.lines().take(2).map(|row| format!("{row}\n")).collect();
    std::fs::write(chats.join("session-2026-11-30T18-33-52a052ba.jsonl"), whole).unwrap();
    std::fs::write(chats.join("session-2026-11-30T18-40-52a052ba.jsonl"), setting).unwrap();
    const ID: &str = "52a052ba-2996-443a-9758-a2569c18110a";
    let disk = || {
        let disk = Disk::new("tmp", place.clone());
        disk.changed("project/chats/session-2026-11-30T18-40-52a052ba.jsonl", 2.0).files()
    };
    let (taken_up, before) = (disk(), gemini());
    // It is listed by that file, too: the setting alone is no conversation.
    let listed = |agent: &mut Agent| {
        let (list, folders) = (threads(agent, None), folders(agent));
        let list = list.into_iter().filter(|thread| thread.id == ID).map(|thread| (thread.title, thread.preview));
        (list.collect::<Vec<_>>(), folders.iter().map(|folder| folder.threads).sum::<u32>())
    };
    let (list, count) = query("gemini", disk(), listed);
    assert_eq!((list.len(), count), (1, 1));
    assert_eq!(list, query("gemini", gemini(), listed).0);
    let told = |agent: &mut Agent| seen(&transcript(agent, ID, 1_000));
    let shown = query("gemini", taken_up, told);
    assert!(!shown.is_empty());
    assert_eq!(shown, query("gemini", before, told));
}

#[test]
fn an_agent_whose_files_are_not_known_is_asked_itself() {
    with_data(&data("claude-agent-acp"), || {
        let mut harness = Agent::new();
        harness.start_query("/workspace/project", Files::default());
        assert_eq!(harness.spawned.len(), 1);
    });
}

//! Providers' own files, as real programs wrote them, read through the whole: plugin, sandbox, grants, files, normalizer.
//!
//! What each row means is tried beside each plugin; here it is that a page is told whole, that pages join to the transcript, and that
//! nothing but those files was touched.

use jackfield_core::event::{EventBody, ItemBody, SessionEvent, is_terminal};
use jackfield_core::limits::Limits;
use jackfield_core::policy::PolicyConfig;
use jackfield_runtime::host::Plugin;
use jackfield_runtime::instance::Instance;
use jackfield_runtime::query::Query;
use jackfield_tests::bench::Bench;
use jackfield_tests::packed::bundled;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

const PROGRAM: &str = env!("CARGO_BIN_EXE_jackfield-under-test");

/// A provider, the variable that says where its files are, and a folder of such files.
const KEPT: &[(&str, &str, &[&str])] = &[
    (
        "claude-code",
        "CLAUDE_CONFIG_DIR",
        &[
            "plugins/claude-code/tests/history/2.1.332_subagent",
            "plugins/claude-code/tests/history/2.1.332_parallel_tools",
        ],
    ),
    ("codex", "CODEX_HOME", &["plugins/codex/tests/rollout/0.171.0_parallel_tools"]),
];

/// The provider's files, and who reads them.
struct Archive<'a> {
    bench: &'a Bench,
    plugin: &'a Plugin,
    instance: Instance,
}

impl Archive<'_> {
    async fn query(&self, page: Option<&str>) -> Query {
        let asked = self.bench.host.query(self.plugin, self.instance.clone(), self.bench.work(), "all", page).await;
        asked.expect("a session")
    }

    /// All pages of a conversation of at most so many items each, oldest first; how many there were.
    async fn read(&self, id: &str, cursor: &str, limit: u32) -> (Vec<Arc<SessionEvent>>, usize) {
        let (mut all, mut page, mut pages) = (Vec::new(), None::<String>, 0);
        loop {
            let mut query = self.query(page.as_deref()).await;
            let read = query.read(Some(id), cursor, page, limit).await.expect("a page");
            query.close().await;
            assert!(read.notes.is_empty(), "{:?}", read.notes);
            assert!(read.events.iter().all(|event| event.draft.origin.replayed));
            all.splice(0..0, read.events);
            pages += 1;
            page = read.next;
            if page.is_none() {
                return (all, pages);
            }
            assert!(pages < 100, "it has no end");
        }
    }
}

/// What ended, in its order: by the provider's id, or by its kind; for a tool whether it has both a call and its end.
fn items(events: &[Arc<SessionEvent>]) -> Vec<(String, bool)> {
    let ended = events.iter().filter_map(|event| match &event.draft.body {
        EventBody::ItemEnded { item } => {
            let whole = match &item.body {
                ItemBody::Tool { tool, .. } => tool.name.is_some() && is_terminal(item.status),
                _ => true,
            };
            let kind = serde_json::to_value(&item.body).expect("data")["kind"].as_str().unwrap_or_default().to_owned();
            Some((format!("{kind} {}", item.native_id.clone().unwrap_or_default()), whole))
        }
        _ => None,
    });
    ended.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_real_programs_left_is_read_whole_and_in_pieces() {
    let bench = Bench::with(PROGRAM, Limits::default(), PolicyConfig::default()).await;
    for (provider, variable, folders) in KEPT {
        let plugin = bench.host.add_plugin(bundled(provider), true).await.expect("it loads");
        for folder in *folders {
            let place: PathBuf = xtask::root().join(folder);
            let instance =
                Instance { env: vec![((*variable).to_owned(), place.display().to_string())], ..Instance::default() };
            let archive = Archive { bench: &bench, plugin: &plugin, instance };
            let mut query = archive.query(None).await;
            let (listed, threads) = (query.folders().await, query.threads(None, None, 50).await);
            query.close().await;
            assert!(listed.notes.is_empty() && threads.notes.is_empty(), "{:?} {:?}", listed.notes, threads.notes);
            assert_eq!(listed.found.len(), 1, "{folder}: {:?}", listed.found);
            let thread = threads.found.first().unwrap_or_else(|| panic!("{folder} has no conversation"));
            let cursor = thread.cursor.as_deref().expect("a way to go on");
            assert_eq!(thread.folder.as_deref(), Some(listed.found[0].path.as_str()));
            let (whole, _) = archive.read(&thread.id, cursor, 1_000).await;
            let all = items(&whole);
            assert!(all.iter().any(|(kind, _)| kind.starts_with("tool")), "{folder}: {all:?}");
            assert!(all.iter().any(|(kind, _)| kind.starts_with("user_message")), "{folder}: {all:?}");
            assert!(all.iter().all(|(_, whole)| *whole), "{folder}: {all:?}");
            for limit in [1, 3] {
                let (joined, pages) = archive.read(&thread.id, cursor, limit).await;
                assert_eq!(items(&joined), all, "{folder}, at most {limit}");
                assert!(pages > 1 || limit > 1, "{folder}, at most {limit}");
            }
        }
    }
    let audit = std::fs::read_to_string(bench.work().join("data/audit.jsonl")).expect("the audit file");
    let records: Vec<Value> = audit.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let kinds = |kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    assert!(kinds("read_file") > 0 && kinds("list_folder") > 0);
    assert_eq!((kinds("spawn"), kinds("write")), (0, 0), "nothing was begun for it");
    assert!(records.iter().all(|record| record["verdict"] != "refused"));
}

//! What is told of a provider's files, whatever the host gives of them: pages, borders, and files that are not as they should be.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use jackfield_sdk::past::{Archive, Back, Facts, Found, Place, Questions, Row, Rows, Side, Told};
use jackfield_sdk::prelude::*;
use jackfield_sdk::testing::{Files, Harness, cut, word};
use serde_json::Value;

/// Rows are `{"say": "…"}`, `{"call": id}`, `{"result": id}` and `{"part": message}`, of which several are one message. A result may have
/// `"agent": name`: what happened inside of its call stands in a file of its own.
#[derive(Clone)]
struct Plain;

#[derive(Default)]
struct Book {
    part: Option<String>,
    begun: bool,
}

impl Archive for Plain {
    type Rows = Book;

    fn places(&self, _: Option<&str>) -> Vec<Place> {
        vec![Place::new("root", "*/talk-*.jsonl")]
    }

    fn thread(&self, path: &str) -> Option<String> {
        Some(path.rsplit('/').next()?.strip_prefix("talk-")?.strip_suffix(".jsonl")?.to_owned())
    }

    fn group<'a>(&self, path: &'a str) -> Option<&'a str> {
        Some(path.split_once('/')?.0)
    }

    fn learn(&self, facts: &mut Facts, row: &str, side: Side) {
        facts.listed = true;
        let Ok(row) = serde_json::from_str::<Value>(row) else { return };
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        if side == Side::Head {
            facts.folder = facts.folder.take().or(text("folder"));
            facts.begins_with(&text("say").unwrap_or_default());
        }
        facts.title = facts.title.take().or(text("title").filter(|_| side == Side::Tail));
    }

    fn inside(&self, at: &Found, name: &str) -> Option<FilePath> {
        Some(FilePath { root: at.root.clone(), path: format!("{}/{name}.rows", self.group(&at.path)?) })
    }

    fn rows(&self, _: &str, _: Option<&str>) -> Book {
        Book::default()
    }
}

impl Rows for Book {
    fn back(&mut self, row: &Row<'_>) -> Back {
        let Ok(read) = serde_json::from_str::<Value>(row.text) else { return Back::unreadable() };
        if ["say", "call", "result", "part"].iter().all(|name| !read[name].is_string()) {
            return Back::skip();
        }
        let text = |name: &str| read[name].as_str().map(str::to_owned);
        let joined = text("part").is_some() && self.part == text("part");
        self.part = text("part");
        let (waits_for, settles) = (text("result").into_iter().collect(), text("call").into_iter().collect());
        Back { waits_for, settles, joined, ..Back::keep(1) }
    }

    fn begin(&mut self, _: bool) {
        self.begun = true;
    }

    fn tell(&mut self, row: &str, told: &mut Told) {
        assert!(self.begun, "telling begins before the first row");
        let row: Value = serde_json::from_str(row).unwrap();
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        let tool = |status, id| Item::tool(Some(id), status, Tool::new(ToolKind::Execute));
        if let (Some(call), Some(agent)) = (text("result"), text("agent")) {
            told.inside(&call, &agent);
        }
        let item = match (text("call"), text("result"), text("say").or(text("part"))) {
            (Some(id), ..) => tool(Status::Running, id),
            (_, Some(id), _) => tool(Status::Completed, id),
            (.., Some(text)) => Item::assistant(None, text),
            _ => return told.unreadable(),
        };
        told.item(Scope::root(), item);
    }
}

#[derive(Debug, Default)]
struct Reader(Questions);

impl Provider for Reader {
    fn describe() -> Descriptor {
        Descriptor::new("reader", "Reader")
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        match command.body {
            CommandBody::ListFolders => self.0.folders(cx, command.op, Plain),
            CommandBody::ListThreads(list) => self.0.threads(cx, command.op, Plain, list),
            CommandBody::ReadThread(read) => self.0.transcript(cx, command.op, Plain, command.thread, read),
            _ => {}
        }
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        assert_eq!(self.0.effect_done(cx, result), None);
    }
}

/// One conversation, and how the host gives it.
#[derive(Clone)]
struct Host {
    bytes: Rc<RefCell<Vec<u8>>>,
    /// At most so many bytes at once.
    piece: usize,
}

impl Host {
    fn new(text: &str) -> Self {
        Host { bytes: Rc::new(RefCell::new(text.as_bytes().to_vec())), piece: usize::MAX }
    }

    /// A session in which this happens before each read.
    fn reader(&self, also: impl Fn() + 'static) -> Harness<Reader> {
        let host = self.clone();
        one_file(move |read| {
            also();
            let mut part = cut(&host.bytes.borrow(), read);
            part.data.truncate(host.piece);
            Ok(part)
        })
    }
}

fn range(read: &ReadFile, size: usize) -> (usize, usize) {
    let whole = size as f64;
    let from = if read.offset < 0.0 { (whole + read.offset).max(0.0) } else { read.offset.min(whole) } as usize;
    (from, size.min(from + read.length as usize))
}

fn one_file(read: impl Fn(&ReadFile) -> Result<FilePart, Fault> + 'static) -> Harness<Reader> {
    with(move |body| match body {
        EffectBody::ReadFile(asked) => read(asked).map(EffectValue::Bytes),
        EffectBody::ListFolder(path) if path.path.is_empty() => Ok(EffectValue::Entries(vec![entry("a", true)])),
        EffectBody::ListFolder(_) => Ok(EffectValue::Entries(vec![entry("talk-1.jsonl", false)])),
        _ => unreachable!("{body:?}"),
    })
}

fn with(answer: impl Fn(&EffectBody) -> Result<EffectValue, Fault> + 'static) -> Harness<Reader> {
    let mut harness = Harness::new();
    harness.start_query("/work", Files::of(move |body| Some(answer(body))));
    harness
}

fn entry(name: &str, folder: bool) -> Entry {
    Entry { name: name.into(), folder, size: 0.0, modified_ms: 0.0 }
}

fn page(harness: &mut Harness<Reader>, page: Option<String>, limit: u32) -> Vec<Output> {
    harness.command(CommandBody::ReadThread(ReadThread { cursor: Some("1".into()), page, limit }))
}

fn items(outputs: &[Output]) -> Vec<String> {
    let mut shown = vec![];
    for output in outputs {
        let Output::Event(Event { scope: Some(scope), body: EventBody::Items(items) }) = output else { continue };
        assert!(scope.replayed && scope.thread.as_deref() == Some("1"));
        shown.extend(items.iter().map(|item| match &item.body {
            ItemBody::Assistant(parts) => match &parts[0] {
                Content::Text(text) => text.clone(),
                other => panic!("{other:?}"),
            },
            _ => format!("{} {}", item.id.as_deref().unwrap(), word(&item.status)),
        }));
    }
    shown
}

fn next(outputs: &[Output]) -> Result<Option<String>, Fault> {
    let done = outputs.iter().find_map(|output| match output {
        Output::Done(OpResult { outcome: Ok(OpValue::Page(next)), .. }) => Some(Ok(next.clone())),
        Output::Done(OpResult { outcome: Err(fault), .. }) => Some(Err(fault.clone())),
        _ => None,
    });
    done.expect("an answer")
}

fn notes(outputs: &[Output]) -> Vec<String> {
    let note = |output: &Output| if let Output::Diagnostic(note) = output { Some(note.code.clone()) } else { None };
    outputs.iter().filter_map(note).collect()
}

/// All pages, newest first.
fn pages(harness: &mut Harness<Reader>, limit: u32) -> Vec<Vec<String>> {
    let (mut pages, mut token) = (vec![], None);
    loop {
        let outputs = page(harness, token, limit);
        pages.push(items(&outputs));
        token = next(&outputs).unwrap();
        if token.is_none() {
            return pages;
        }
        assert!(pages.len() < 1_000, "pages without an end");
    }
}

fn pages_of(text: &str, limit: u32) -> Vec<Vec<String>> {
    pages(&mut Host::new(text).reader(|| {}), limit)
}

/// Calls that were made at once, messages of several rows, rows that say nothing, characters of several bytes, an unreadable row.
fn conversation() -> String {
    let mut rows = vec![r#"{"folder":"/work"}"#.to_owned()];
    for turn in 0..12 {
        rows.push(format!(r#"{{"say":"wörds {turn} 🦀"}}"#));
        rows.push(format!(r#"{{"part":"m{turn}"}}"#));
        rows.push(r#"{"about":"nothing"}"#.into());
        rows.push(format!(r#"{{"part":"m{turn}"}}"#));
        rows.extend([format!(r#"{{"call":"a{turn}"}}"#), format!(r#"{{"call":"b{turn}"}}"#)]);
        rows.extend([format!(r#"{{"result":"b{turn}"}}"#), format!(r#"{{"result":"a{turn}"}}"#)]);
    }
    rows.push("\0\0\0".into());
    rows.push(r#"{"title":"Twelve"}"#.into());
    rows.join("\n") + "\n"
}

#[test]
fn pages_hold_all_once_in_order_and_part_nothing_that_belongs_together() {
    let whole = pages_of(&conversation(), 1_000);
    assert_eq!((whole.len(), whole[0].len()), (1, 12 * 5));
    assert_eq!(whole[0][..5], ["wörds 0 🦀", "m0", "m0", "a0 Completed", "b0 Completed"]);
    for limit in 1..=14 {
        let pages = pages_of(&conversation(), limit);
        let joined: Vec<String> = pages.iter().rev().flatten().cloned().collect();
        // A call that was parted from its result would stand there twice, once without an end.
        assert_eq!(joined, whole[0], "limit {limit}");
        for page in &pages {
            assert!(page.len() <= (limit as usize).max(2), "limit {limit}: {page:?}");
            assert_eq!(page.iter().filter(|item| item.starts_with('m')).count() % 2, 0, "limit {limit}: {page:?}");
        }
    }
}

#[test]
fn pieces_of_any_size_give_the_same() {
    let whole = pages_of(&conversation(), 7);
    for piece in [1, 2, 3, 7, 64, 1_000] {
        let host = Host { piece, ..Host::new(&conversation()) };
        assert_eq!(pages(&mut host.reader(|| {}), 7), whole, "pieces of {piece}");
    }
}

#[test]
fn of_a_huge_file_the_end_is_read_and_no_more() {
    const ROW: usize = 1_021;
    const ROWS: usize = 205_400;
    const SIZE: usize = ROW * ROWS;
    // 200 MiB that nobody wrote: row N says N, in rows of one length that no piece's border fits.
    fn row(number: usize) -> String {
        let head = format!("{{\"say\":\"{number:09} ");
        let text = "é".repeat((ROW - head.len() - 3) / 2);
        let room = " ".repeat((ROW - head.len() - 3) % 2);
        format!("{head}{text}{room}\"}}\n")
    }
    let read = Rc::new(Cell::new(0));
    let counted = read.clone();
    let mut harness = one_file(move |asked| {
        let (from, to) = range(asked, SIZE);
        counted.set(counted.get() + to - from);
        let first = from / ROW;
        let text: String = (first..to.div_ceil(ROW)).map(row).collect();
        Ok(FilePart { data: text.as_bytes()[from - first * ROW..to - first * ROW].to_vec(), size: SIZE as f64 })
    });
    let mut token = None;
    for number in 0..20 {
        let outputs = page(&mut harness, token, 50);
        let (items, newest) = (items(&outputs), ROWS - 1 - number * 50);
        assert_eq!((items.len(), notes(&outputs).len()), (50, 0));
        assert!(items[49].starts_with(&format!("{newest:09} é")), "{}", items[49]);
        assert!(items[0].starts_with(&format!("{:09} é", newest - 49)), "{}", items[0]);
        token = next(&outputs).unwrap();
    }
    assert!(read.get() <= 20 * 256 * 1024, "{} bytes for 20 pages of 50 KB", read.get());
    let before = read.get();
    harness.command(CommandBody::ListThreads(ListThreads { folder: None, page: None, limit: 10 }));
    assert!(read.get() - before <= 256 * 1024, "a list reads both ends");
}

#[test]
fn a_last_line_that_is_being_written_is_no_row_and_no_fault() {
    let whole = conversation();
    for less in 1..60 {
        let text = &whole[..whole.floor_char_boundary(whole.len() - less)];
        let outputs = page(&mut Host::new(text).reader(|| {}), None, 3);
        assert!(next(&outputs).unwrap().is_some() && notes(&outputs).len() <= 1, "{less} bytes less");
    }
    assert_eq!(pages_of("{\"say\":\"a\"}\n{\"say\":\"no line end\"}", 9), [["a", "no line end"]]);
    let outputs = page(&mut Host::new("{\"say\":\"a\"}\n{\"say\":\"to").reader(|| {}), None, 9);
    assert_eq!((items(&outputs), notes(&outputs)), (vec!["a".into()], vec![]));
    for empty in ["", "\n", "\n\r\n\n"] {
        assert_eq!(pages_of(empty, 9), [[""; 0]], "{empty:?}");
    }
}

#[test]
fn a_file_may_grow_while_it_is_read_and_between_its_pages() {
    let host = Host { piece: 100, ..Host::new(&conversation()) };
    let bytes = host.bytes.clone();
    let grows = move || bytes.borrow_mut().extend(b"{\"about\":\"news\"}\n");
    assert_eq!(pages(&mut host.reader(grows), 7), pages_of(&conversation(), 7));
}

#[test]
fn a_file_that_shrank_is_read_again_and_a_page_of_it_is_a_conflict() {
    let host = Host { piece: 100, ..Host::new(&conversation()) };
    let (bytes, reads) = (host.bytes.clone(), Cell::new(0));
    let mut harness = host.reader(move || {
        reads.set(reads.get() + 1);
        if reads.get() == 3 {
            *bytes.borrow_mut() = b"{\"say\":\"written anew\"}\n".to_vec();
        }
    });
    let outputs = page(&mut harness, None, 1_000);
    assert_eq!((items(&outputs), next(&outputs)), (vec!["written anew".into()], Ok(None)));

    let host = Host::new(&conversation());
    let mut harness = host.reader(|| {});
    let token = next(&page(&mut harness, None, 3)).unwrap();
    host.bytes.borrow_mut().truncate(200);
    let outputs = page(&mut harness, token.clone(), 3);
    assert_eq!((next(&outputs).unwrap_err().kind, items(&outputs).len()), (FaultKind::Conflict, 0));
    // Another file under its name: the page would begin in the middle of a line.
    *host.bytes.borrow_mut() = "x".repeat(100_000).into_bytes();
    assert_eq!(next(&page(&mut harness, token, 3)).unwrap_err().kind, FaultKind::Conflict);
}

#[test]
fn a_row_that_is_too_long_is_passed_over_and_said() {
    let long = format!("{{\"say\":\"{}\"}}", "x".repeat(9 * 1024 * 1024));
    let host = Host::new(&format!("{{\"say\":\"a\"}}\n{long}\n{{\"say\":\"b\"}}\n"));
    let outputs = page(&mut host.reader(|| {}), None, 9);
    assert_eq!((items(&outputs), notes(&outputs)), (vec!["a".into(), "b".into()], vec!["history-long-row".into()]));
    // One that is long and can be held is told whole.
    let wide = format!("{{\"say\":\"{}\"}}\n", "y".repeat(3 * 1024 * 1024));
    assert_eq!(pages_of(&wide, 9)[0][0].len(), 3 * 1024 * 1024);
}

#[test]
fn a_result_without_a_call_does_not_hold_up_the_page_for_ever() {
    let rows: String = (0..500).map(|number| format!("{{\"say\":\"{number}\"}}\n")).collect();
    let host = Host::new(&format!("{rows}{{\"result\":\"nobody's\"}}\n"));
    let outputs = page(&mut host.reader(|| {}), None, 10);
    let told = items(&outputs);
    assert_eq!(notes(&outputs), ["history-parted"]);
    assert!(told.len() <= 81 && told.last().unwrap() == "nobody's Completed", "{}", told.len());
    assert!(next(&outputs).unwrap().is_some());
}

#[test]
fn rows_that_cannot_be_read_are_said_inside_of_a_call_too() {
    const TALK: &str = "{\"call\":\"a\"}\n{\"result\":\"a\",\"agent\":\"helper\"}\n";
    const HELPER: &str = "{\"say\":\"inner\"}\n\0\0\n{\"half\n{\"say\":\"last\"}\n";
    let mut harness =
        one_file(|read| Ok(cut(if read.file.path == "a/helper.rows" { HELPER } else { TALK }.as_bytes(), read)));
    let outputs = page(&mut harness, None, 9);
    assert_eq!(items(&outputs), ["a Completed", "inner", "last"]);
    let said: Vec<&str> = outputs
        .iter()
        .filter_map(|output| if let Output::Diagnostic(note) = output { Some(note.text.as_str()) } else { None })
        .collect();
    assert_eq!(said, ["2 rows of the thread `1`, inside of the call `a`, cannot be read"]);
}

#[test]
fn what_has_no_end_ends_with_the_history() {
    assert_eq!(pages_of("{\"call\":\"a\"}\n", 5), [["a Unknown"]]);
}

#[test]
fn a_transcript_that_fails_is_a_fault_and_tells_nothing() {
    let outputs = page(&mut with(|_| Err(Fault::new(FaultKind::Denied, "not granted"))), None, 5);
    assert_eq!(next(&outputs).unwrap_err().kind, FaultKind::NotFound, "{outputs:?}");
    assert_eq!(notes(&outputs), ["history-unlisted"]);
    let outputs = page(&mut one_file(|_| Err(Fault::new(FaultKind::Denied, "not yours"))), None, 5);
    assert_eq!((next(&outputs).unwrap_err().kind, items(&outputs).len()), (FaultKind::Denied, 0));
    let mut harness = Host::new(&conversation()).reader(|| {});
    for bad in ["", "7", "x:1:a", "7:900:a/talk-1.jsonl", "7:1:ä/talk"] {
        assert_eq!(next(&page(&mut harness, Some(bad.into()), 5)).unwrap_err().kind, FaultKind::Invalid, "{bad}");
    }
    let gone = next(&page(&mut harness, Some("7:9:../secret".into()), 5)).unwrap_err();
    assert_eq!(gone.kind, FaultKind::NotFound, "a page leads to no file that is not a transcript");
}

/// Files with their times and contents; a folder that can't be listed, a file that can't be read.
const FILES: &[(&str, f64, &str)] = &[
    (
        "a/talk-1.jsonl",
        10.0,
        "{\"folder\":\"/a\"}\n{\"say\":\"first\"}\n{\"title\":\"old\"}\n{\"title\":\"One\"}\n{\"tit",
    ),
    ("a/talk-2.jsonl", 30.0, "{\"folder\":\"/a\"}\n"),
    ("a/notes.txt", 99.0, ""),
    ("b/talk-3.jsonl", 20.0, "{\"folder\":\"/b\"}\n"),
    ("b/talk-4.jsonl", 20.0, "unreadable"),
    ("c/talk-5.jsonl", 5.0, "no json\n"),
    ("locked/talk-6.jsonl", 50.0, ""),
];

fn listing() -> Harness<Reader> {
    with(|body| match body {
        EffectBody::ListFolder(path) if path.path.is_empty() => {
            let names = ["a", "b", "c", "locked"].map(|name| entry(name, true));
            Ok(EffectValue::Entries(names.into()))
        }
        EffectBody::ListFolder(path) if path.path == "locked" => Err(Fault::new(FaultKind::Denied, "locked")),
        EffectBody::ListFolder(folder) => {
            let inside = FILES.iter().filter_map(|(path, time, text)| {
                let name = path.strip_prefix(&folder.path)?.strip_prefix('/')?;
                Some(Entry { size: text.len() as f64, modified_ms: *time, ..entry(name, false) })
            });
            Ok(EffectValue::Entries(inside.collect()))
        }
        EffectBody::ReadFile(read) => match FILES.iter().find(|(path, ..)| *path == read.file.path) {
            None | Some((.., "unreadable")) => Err(Fault::new(FaultKind::Denied, "not yours")),
            Some((.., text)) => Ok(EffectValue::Bytes(FilePart { data: (*text).into(), size: text.len() as f64 })),
        },
        _ => unreachable!("{body:?}"),
    })
}

fn threads(
    harness: &mut Harness<Reader>,
    folder: Option<&str>,
    page: Option<String>,
    limit: u32,
) -> (ThreadList, Vec<String>) {
    let list = ListThreads { folder: folder.map(str::to_owned), page, limit };
    let outputs = harness.command(CommandBody::ListThreads(list));
    let list = outputs.iter().find_map(|output| match output {
        Output::Done(OpResult { outcome: Ok(OpValue::Threads(list)), .. }) => Some(list.clone()),
        _ => None,
    });
    (list.expect("a list never fails"), notes(&outputs))
}

fn ids(list: &ThreadList) -> Vec<&str> {
    list.threads.iter().map(|thread| thread.id.as_str()).collect()
}

#[test]
fn threads_are_listed_newest_first_with_what_their_ends_tell() {
    let mut harness = listing();
    let (list, said) = threads(&mut harness, None, None, 100);
    assert_eq!((ids(&list), &list.next), (vec!["2", "3", "1", "5"], &None));
    assert_eq!(said, ["history-unlisted", "history-unread"]);
    let one = &list.threads[2];
    let told = [&one.title, &one.preview, &one.folder, &one.cursor].map(|told| told.as_deref().unwrap());
    assert_eq!(told, ["One", "first", "/a", "1"]);
    assert_eq!((one.modified_ms, one.state), (Some(10.0), ThreadState::Stored));
    assert_eq!(ids(&threads(&mut harness, Some("/a"), None, 100).0), ["2", "1"]);
    let (mut token, mut all) = (None, vec![]);
    loop {
        let (list, _) = threads(&mut harness, None, token, 1);
        all.extend(ids(&list).into_iter().map(str::to_owned));
        token = list.next;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(all, ["2", "3", "1", "5"]);
    assert_eq!(threads(&mut harness, None, Some("nonsense".into()), 5).1.last().unwrap(), "history-page");
}

#[test]
fn folders_are_listed_newest_first_with_their_counts() {
    let outputs = listing().command(CommandBody::ListFolders);
    let folders = outputs.iter().find_map(|output| match output {
        Output::Done(OpResult { outcome: Ok(OpValue::Folders(folders)), .. }) => Some(folders.clone()),
        _ => None,
    });
    let shown = |folder: Folder| (folder.path, folder.threads, folder.modified_ms);
    let shown: Vec<_> = folders.unwrap().into_iter().map(shown).collect();
    assert_eq!(shown, [("/a".to_owned(), 2, Some(30.0)), ("/b".to_owned(), 2, Some(20.0))]);
}

#[test]
fn a_provider_that_was_never_used_has_nothing_and_nothing_is_wrong() {
    for (kind, said) in [(FaultKind::NotFound, vec![]), (FaultKind::Denied, vec!["history-unlisted"])] {
        let (list, told) = threads(&mut with(move |_| Err(Fault::new(kind, "no"))), None, None, 5);
        assert_eq!((list.threads.len(), told), (0, said.into_iter().map(str::to_owned).collect()));
    }
}

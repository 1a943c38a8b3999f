//! Plugins that misbehave, each beside a neighbour that streams meanwhile on the same thread: the error is typed and names
//! its limit, the session is dead, and the neighbour's outputs are those it gives alone.

mod guest;

use guest::{Guest, frame, tick};
use jackfield_core::contract::{Caused, Fault, FaultKind, Level};
use jackfield_core::limits::Limits;
use jackfield_sandbox::{CallError, Engine, Generation, Session};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limits that make a test short.
fn limits() -> Limits {
    Limits { call_cpu_ms: 200, call_outputs: 1_000, diag_lines: 4, ..Limits::default() }
}

fn load(engine: &Engine, guest: &Guest) -> Generation {
    engine.load(&guest.build()).unwrap()
}

fn engine() -> Engine {
    Engine::new(Arc::new(limits())).unwrap()
}

/// Streams frames through a session, a few in a batch, giving way after each.
async fn stream(generation: &Generation, calls: u32) -> (Vec<Caused>, Duration) {
    let mut session = generation.session().await.unwrap();
    let (mut all, mut longest) = (Vec::new(), Duration::ZERO);
    for seq in 0..calls {
        let begin = Instant::now();
        let batch = (0..1 + seq % 3).map(|i| frame(&format!("{seq} {i}"))).collect();
        all.extend(session.handle(tick(seq), batch).await.unwrap());
        tokio::time::sleep(Duration::from_millis(1)).await;
        longest = longest.max(begin.elapsed());
    }
    (all, longest)
}

/// Runs a hostile plugin beside a good one on one thread, and gives the hostile one's session and error.
async fn beside(hostile: &Guest) -> (Session, CallError) {
    let engine = engine();
    let good = load(&engine, &Guest::good("neighbour"));
    let (alone, _) = stream(&good, 60).await;
    let mut session = load(&engine, hostile).session().await.unwrap();
    let attack = async {
        let error = session.handle(tick(0), vec![frame("x")]).await.unwrap_err();
        (session, error)
    };
    let ((session, error), (together, _)) = tokio::join!(attack, stream(&good, 60));
    assert_eq!(together, alone, "the neighbour noticed");
    (session, error)
}

/// A hostile plugin must reach this limit.
async fn reaches(limit: &str, hostile: Guest) {
    let (mut session, error) = beside(&hostile).await;
    let CallError::Limit { limit: reached, plugin, .. } = &error else { panic!("{limit}: {error:?}") };
    assert_eq!((*reached, plugin.as_str()), (limit, format!("acme/{}", hostile.name).as_str()));
    assert_eq!(error.code(), "plugin-limit");
    dead(&mut session).await;
}

async fn dead(session: &mut Session) {
    assert!(session.is_dead());
    let error = session.handle(tick(1), vec![]).await.unwrap_err();
    assert_eq!(error.code(), "session-dead", "{error}");
}

#[tokio::test]
async fn an_endless_loop_is_ended_and_starves_nobody() {
    let engine = Engine::new(Arc::new(Limits { call_cpu_ms: 2_000, ..limits() })).unwrap();
    let good = load(&engine, &Guest::good("neighbour"));
    let mut spinner = load(&engine, &Guest::doing("spinner", "(loop (br 0))")).session().await.unwrap();
    let begin = Instant::now();
    let attack = async { (spinner.handle(tick(0), vec![frame("x")]).await.unwrap_err(), begin.elapsed()) };
    let ((error, took), (outputs, longest)) = tokio::join!(attack, stream(&good, 10));
    assert!(matches!(&error, CallError::Limit { limit: "call_cpu_ms", .. }), "{error:?}");
    assert_eq!(outputs.len(), 19);
    assert!(took >= Duration::from_millis(1_500), "ended after {took:?} of 2 s");
    // Ten calls cost the neighbour at most a slice each: far from the spinner's whole time.
    assert!(longest < Duration::from_millis(1_500), "the neighbour waited {longest:?}");
}

#[tokio::test]
async fn a_spinner_in_the_constructor_is_ended() {
    let engine = engine();
    let mut guest = Guest::good("stuck");
    guest.items = "(func $spin (loop (br 0))) (start $spin)".to_owned();
    let error = engine.load(&guest.build()).err().unwrap();
    assert!(error.to_string().contains("call_cpu_ms"), "{error}");
}

#[tokio::test]
async fn bombs_reach_their_limits() {
    let memory = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 64)) (i32.const -1)))) unreachable";
    reaches("guest_memory_bytes", Guest::doing("memory-bomb", memory)).await;
    let mut stack = Guest::doing("stack-bomb", "(drop (call $deep (i64.const 1)))");
    stack.items = "(func $deep (param i64) (result i64) (i64.add (call $deep (i64.add (local.get 0) (i64.const 1))) (local.get 0)))".to_owned();
    reaches("guest_stack_bytes", stack).await;
    let bytes = "(drop (memory.grow (i32.const 2000))) (return (call $return (i32.const 65536) (i32.const 400000)))";
    reaches("call_output_bytes", Guest::doing("byte-bomb", bytes)).await;
    let outputs = "(drop (memory.grow (i32.const 100))) (return (call $return (i32.const 65536) (i32.const 1001)))";
    reaches("call_outputs", Guest::doing("output-bomb", outputs)).await;
    let mut table = Guest::doing(
        "table-bomb",
        "(loop (br_if 0 (i32.ne (table.grow $t (ref.null func) (i32.const 10000)) (i32.const -1)))) unreachable",
    );
    table.items = "(table $t 1 funcref)".to_owned();
    reaches("guest_table_elements", table).await;
}

#[tokio::test]
async fn memory_that_is_too_large_from_the_start_is_refused() {
    let mut guest = Guest::good("fat");
    guest.pages = 4096;
    let error = engine().load(&guest.build()).err().unwrap();
    assert!(error.to_string().contains("guest_memory_bytes"), "{error}");
}

#[tokio::test]
async fn a_list_that_is_not_there_is_a_crash() {
    let list = "(return (call $return (i32.const 65536) (i32.const 0x7fffff)))";
    let (mut session, error) = beside(&Guest::doing("liar", list)).await;
    assert!(matches!(error.code(), "plugin-trapped" | "plugin-limit"), "{error}");
    dead(&mut session).await;
}

#[tokio::test]
async fn a_panic_brings_its_message() {
    let panic = "(call $log (i32.const 3) (i32.const 3072) (i32.const 19)) unreachable";
    let (mut session, error) = beside(&Guest::doing("panicker", panic)).await;
    assert_eq!(error, CallError::Trap { plugin: "acme/panicker".to_owned(), message: "at the disco".to_owned() });
    assert_eq!(session.take_log(), [(Level::Error, "panic: at the disco".to_owned())]);
    dead(&mut session).await;
}

#[tokio::test]
async fn a_crash_without_words_says_what_the_machine_says() {
    let (mut session, error) = beside(&Guest::doing("crasher", "unreachable")).await;
    assert_eq!(error.code(), "plugin-trapped");
    assert!(error.to_string().contains("unreachable") && error.to_string().contains("acme/crasher"), "{error}");
    dead(&mut session).await;
}

#[tokio::test]
async fn a_log_flood_is_bounded() {
    let flood = "(local.set $in (i32.const 100)) (loop (call $log (i32.const 1) (i32.const 3072) (i32.const 19))
        (br_if 0 (local.tee $in (i32.sub (local.get $in) (i32.const 1)))))";
    let mut session = load(&engine(), &Guest::doing("talker", flood)).session().await.unwrap();
    assert_eq!(session.handle(tick(0), vec![frame("x")]).await.unwrap().len(), 1);
    let log = session.take_log();
    assert_eq!(log.len(), 5);
    assert!(log[4].1.contains("96 more lines"), "{log:?}");
    assert!(session.take_log().is_empty());
}

#[tokio::test]
async fn a_cause_that_is_no_input_is_a_fault() {
    let (mut session, error) =
        beside(&Guest::doing("causeless", "(return (call $answer (i32.const 0) (i32.const 1) (i32.const 7)))")).await;
    let CallError::Fault { fault: Fault { kind, code, .. }, .. } = &error else { panic!("{error:?}") };
    assert_eq!((*kind, code.as_deref()), (FaultKind::Protocol, Some("cause-out-of-range")));
    dead(&mut session).await;
}

#[tokio::test]
async fn a_fault_of_the_plugin_ends_its_session() {
    let give_up = "(i32.store8 (i32.const 512) (i32.const 1)) (return (i32.const 512))";
    let (mut session, error) = beside(&Guest::doing("quitter", give_up)).await;
    assert!(matches!(&error, CallError::Fault { fault, .. } if fault.kind == FaultKind::Unsupported), "{error:?}");
    dead(&mut session).await;
}

#[tokio::test]
async fn a_batch_that_is_too_large_is_refused_and_the_session_lives() {
    let mut session = load(&engine(), &Guest::good("calm")).session().await.unwrap();
    let text = "x".repeat(16 * 1024 * 1024 + 1);
    let error = session.handle(tick(0), vec![frame(&text)]).await.unwrap_err();
    assert!(matches!(&error, CallError::Limit { limit: "frame_bytes", .. }), "{error:?}");
    let half = "x".repeat(11 * 1024 * 1024);
    let error = session.handle(tick(0), vec![frame(&half), frame(&half)]).await.unwrap_err();
    assert!(matches!(&error, CallError::Limit { limit: "batch_bytes", .. }), "{error:?}");
    assert_eq!(session.handle(tick(0), vec![frame(&text[1..])]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_call_that_is_dropped_midway_leaves_the_session_dead() {
    let mut session = load(&engine(), &Guest::doing("slow", "(loop (br 0))")).session().await.unwrap();
    let call = session.handle(tick(0), vec![frame("x")]);
    assert!(tokio::time::timeout(Duration::from_millis(30), call).await.is_err());
    dead(&mut session).await;
}

#[tokio::test]
async fn the_same_inputs_give_the_same_outputs() {
    let good = load(&engine(), &Guest::good("twice"));
    assert_eq!(stream(&good, 30).await.0, stream(&good, 30).await.0);
}

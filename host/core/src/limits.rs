//! The one table of limits, timeouts and debounces. Nothing in the house is unbounded, and no bound is written elsewhere: only
//! sizes of buffers and pages are where they serve.
//!
//! **Every field carries its unit in its name and its reason in its doc; `Limits::check` says how they must fit each other.**

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

macro_rules! limits {
    ($( $(#[doc = $doc:literal])+ $name:ident = $value:expr; )+) => {
        /// All numbers, with the defaults of an open install.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct Limits { $( $(#[doc = $doc])+ pub $name: u64, )+ }

        impl Default for Limits {
            fn default() -> Self { Limits { $( $name: $value, )+ } }
        }

        impl Limits {
            /// Name, value and reason of each limit, for `doctor` and the documentation.
            pub fn table(&self) -> Vec<(&'static str, u64, &'static str)> {
                vec![ $( (stringify!($name), self.$name, concat!($($doc),+).trim_ascii()), )+ ]
            }
        }
    };
}

limits! {
    /// A plugin file. The largest language runtime seen in a component is 18 MB.
    plugin_bytes = 64 * MIB;
    /// What compiled plugins may hold on disk: a few hundred of them; the one used longest ago goes first.
    compiled_bytes = 1024 * MIB;
    /// The manifest in a plugin file. A person reads it whole.
    manifest_bytes = 256 * KIB;
    /// One message from a channel. A real client put 1.3 MB in one line; a picture twice in one line comes to more.
    frame_bytes = 16 * MIB;
    /// What one batch of inputs may hold, so that a burst cannot fill the guest.
    batch_bytes = 20 * MIB;
    /// Frames in one batch: beyond 64 nothing is gained.
    batch_frames = 64;
    /// Linear memory of one session. A frame is in it up to four times (text, parsed, item, output).
    guest_memory_bytes = 160 * MIB;
    /// Tables of one session, in elements.
    guest_table_elements = 100_000;
    /// Core instances of one session, and as many tables and memories: a component has a handful, an interpreter with its libraries forty.
    guest_instances = 64;
    /// Stack of a plugin. Deep JSON needs some; ours is on a 2 MiB thread.
    guest_stack_bytes = MIB;
    /// CPU time of one call, in milliseconds. A frame of 16 MiB takes about 100 ms, one of 15 MiB about a second in a plugin in Python.
    call_cpu_ms = 2_000;
    /// How long one call runs before others on its thread get their turn, in milliseconds.
    call_slice_ms = 10;
    /// Outputs of one call.
    call_outputs = 10_000;
    /// Bytes the host lifts out of the guest in one call: a frame's text in two outputs, and room.
    call_output_bytes = 48 * MIB;
    /// Calls of `diag.log` in one call of the plugin, each cut at 4 KiB.
    diag_lines = 64;
    /// One line of `diag.log`.
    diag_line_bytes = 4 * KIB;
    /// Messages that wait to be written to one channel.
    write_queue_messages = 1_024;
    /// Bytes that wait to be written to one channel; a prompt of 10 MiB must fit.
    write_queue_bytes = 32 * MIB;
    /// Frames read from a session's channels and not yet handed to the plugin. A full queue stops the reader, never the reading of stderr.
    read_queue_frames = 4_096;
    /// Bytes read from a channel and not yet handed to the plugin.
    read_queue_bytes = 32 * MIB;
    /// One piece of stderr.
    stderr_frame_bytes = 8 * KIB;
    /// What is kept of stderr for the report of a channel's end.
    stderr_tail_bytes = 4 * KIB;
    /// Pieces of stderr that wait while the reader of a session is slow; older ones are dropped and counted. The program must never block on stderr.
    stderr_queue_frames = 64;
    /// Exchanges with HTTP servers that one session has open: a stream, and what is asked beside it.
    session_exchanges = 16;
    /// The body of one HTTP request: as much as a channel takes, a prompt with its pictures.
    http_request_bytes = 32 * MIB;
    /// The head of an HTTP answer. Servers send less than 1 KiB.
    http_head_bytes = 32 * KIB;
    /// Headers of an HTTP answer, in number.
    http_headers = 64;
    /// The body of an HTTP answer that does not stream. A transcript of hundreds of messages fits; a session has at most `session_exchanges` of them.
    http_body_bytes = 8 * MIB;
    /// Processes of one session.
    session_processes = 8;
    /// Timers of one session.
    session_timers = 64;
    /// A timer's shortest time, in milliseconds: one that is set again and again must not keep a processor busy.
    timer_min_ms = 10;
    /// A timer's longest time, in milliseconds: a day. No session waits longer for itself.
    timer_max_ms = 86_400_000;
    /// Wishes of one session that may be refused. Each is an audit record; a plugin that goes on asking is broken.
    session_refusals = 1_000;
    /// How often in a row a promise must be found broken by mere silence before its flag counts for less: once, the machine may have been slow.
    silences_to_demote = 3;
    /// Events that wait for one subscriber before it gets a `gap`.
    subscriber_events = 8_192;
    /// Raw frames kept for `show the frame behind this event`, in bytes per session.
    raw_ring_bytes = 4 * MIB;
    /// A journal in memory; beyond it the file holds the rest.
    journal_memory_bytes = 8 * MIB;
    /// A journal in all; beyond it the session restarts on its cursors at the next quiet point.
    journal_bytes = 256 * MIB;
    /// A plugin that breaks a second time within so many milliseconds is not mended again: its session ends.
    trap_window_ms = 60_000;
    /// How long a new instance of a plugin that broke may take to be given the session's journal, in milliseconds; the session ends else.
    replay_ms = 20_000;
    /// Text of one item kept in memory and stored: as much as one frame can tell.
    item_text_bytes = 16 * MIB;
    /// Raw data kept of a thing that nobody understood.
    unknown_raw_bytes = 4 * KIB;
    /// Diagnostics kept per session.
    diagnostics_kept = 256;
    /// Warnings of one kind shown before they are only counted.
    warnings_per_kind = 1;
    /// A message a person sends.
    prompt_bytes = 12 * MIB;
    /// One line of a script's input. A message with its JSON escapes must fit.
    input_line_bytes = 24 * MIB;
    /// One text that came from a plugin or a provider and is shown as a label, title or error.
    label_bytes = 4 * KIB;
    /// The title of a thread, where it is made of the first words said in it: one line of a list.
    title_bytes = 120;
    /// Open requests of one session.
    open_requests = 256;
    /// Tools of the host's own that one thread may give its provider: each is in the model's context.
    host_tools = 128;
    /// How long the client has to give the result of a tool of its own, in milliseconds; then the provider is told that none came.
    host_tool_ms = 600_000;
    /// Tasks that ended and requests that were resolved, remembered per session so that a late word about one finds it.
    ended_kept = 256;
    /// Open items of one turn, and open tasks of one thread.
    open_items = 4_096;
    /// Updates held because the reply that names their thread has not come.
    held_updates = 1_024;
    /// Summary of a conversation handed to another provider, in characters, where the provider recommends nothing else.
    handoff_chars = 32_000;
    /// Queued messages of one thread.
    queued_runs = 64;
    /// Words of clients that wait for one session. A client waits when it is full; a person writes no faster.
    session_inbox = 64;
    /// Threads that one session serves. They lose their live session together: more of them are not at one program's mercy.
    session_threads = 32;
    /// One read of a file. Whoever wants more of it reads again.
    file_read_bytes = MIB;
    /// Entries of one folder that are listed. A busy provider keeps some thousands of conversations in one.
    folder_entries = 20_000;
    /// Wishes of one session about files that wait for their turn; they are carried out one after another.
    file_queue = 4_096;
    /// What one wish about a file may take, in milliseconds. A local disk needs a few; a network's may hang.
    file_ms = 10_000;
    /// Rows of one query of a SQLite file.
    query_rows = 10_000;
    /// Bytes of the rows of one query, and of any single value in them.
    query_bytes = 8 * MIB;
    /// Steps of SQLite's machine in one query: about two seconds of a processor. A query without an end stops there.
    query_steps = 100_000_000;
    /// A SQLite file that must be copied before it can be read, because its program left it in the middle of its log.
    query_copy_bytes = 512 * MIB;
    /// Items of one page of a stored conversation, and conversations of one page of a list. Each is held until its page is whole.
    history_items = 1_000;
    /// Threads that the retention deletes at one start: the rest at the next, so that no start is slow.
    retention_threads = 100;

    /// How long a program may take to tell its version, or whether somebody is logged in, in milliseconds. One that needs longer hangs.
    version_ms = 20_000;
    /// From spawn to the answer of the provider's handshake, in milliseconds. The slowest real one took 7 s on a loaded machine.
    handshake_ms = 60_000;
    /// From a command to its `done` where the provider must say something, in milliseconds.
    command_ms = 30_000;
    /// From a question about stored conversations to its answer, in milliseconds. Thousands of files are looked into for a list.
    history_ms = 120_000;
    /// From the start of a session that asks for models and settings to their list, in milliseconds. Some providers ask their service for them.
    settings_ms = 45_000;
    /// How long a list of models and settings is given out again without asking, in milliseconds: an hour. They change with releases.
    settings_fresh_ms = 3_600_000;
    /// From the word that a login is missing to the login, in milliseconds: a person reads a page, finds a phone, types a code.
    login_ms = 600_000;
    /// Silence in an open turn with nothing pending before `stalled` is said, in milliseconds. It ends nothing.
    silence_ms = 60_000;
    /// Silence after the words of an answer, with nothing else open, before its turn is taken for over, in milliseconds, where the policy infers an end at all. Real providers retry in silence for more than a minute.
    silent_end_ms = 600_000;
    /// From an interrupt to its acknowledgement, in milliseconds.
    interrupt_ack_ms = 5_000;
    /// From an acknowledged interrupt to the turn's end, in milliseconds.
    interrupt_end_ms = 10_000;
    /// How long a provider that was resumed has to ask again what it asked before a restart; then that has expired, in milliseconds.
    asked_again_ms = 10_000;
    /// From the start of a program that is a server to its taking a connection, in milliseconds. A real one took 6 s on a loaded machine.
    http_server_start_ms = 30_000;
    /// Between two attempts to reach a server that is starting, in milliseconds: short beside what a start takes.
    http_retry_ms = 25;
    /// From a connection to an HTTP server to the head of its answer, in milliseconds. Some answer when the model has.
    http_answer_ms = 120_000;
    /// Silence within the body of an HTTP answer that does not stream, in milliseconds.
    http_body_ms = 30_000;
    /// From the end of a process's stdin to SIGTERM, in milliseconds. One real client needs 5 s.
    stdin_close_ms = 6_000;
    /// From SIGTERM to SIGKILL, in milliseconds.
    terminate_ms = 2_000;
    /// For updates that follow a turn's end and still belong to it, in milliseconds.
    drain_ms = 250;
    /// From the end of a turn to the first word of another one for a message that was put into it and of which the provider does not tell what became, in milliseconds. Silence then means that it had joined. The slowest real one took 80 ms.
    steer_settle_ms = 2_000;
    /// How long a client waits for background work after its last run has ended, in milliseconds, before it leaves. Such work may well take minutes.
    roster_wait_ms = 600_000;
    /// How long the store may be busy with another process, in milliseconds.
    store_busy_ms = 5_000;
    /// Text deltas are gathered this long before they are stored, in milliseconds.
    store_flush_ms = 200;
    /// Bytes of events that wait for the store's thread; beyond it those who append wait.
    store_queue_bytes = 32 * MIB;
    /// Text of one stored row that was merged from deltas. A page of events is read in rows.
    store_merge_bytes = 64 * KIB;
    /// Sequence numbers reserved in the store at once; those unused after a crash are announced as a gap.
    seq_reserve = 4_096;
    /// From the start of a program's supervisor to its word that the program runs, in milliseconds. Seconds on a loaded machine.
    spawn_ms = 10_000;
    /// After a program's end: how long processes it left behind may still write before they are killed, and how long its pipes may be silent before they count as drained, in milliseconds. A crash must be known at once.
    leftover_ms = 100;
    /// From SIGKILL to the end of every process of a tree, in milliseconds. More only for one that hangs in the kernel.
    kill_ms = 2_000;
    /// After the end of background work: how long the provider may take to begin a turn about it, in milliseconds. A real one took 115 ms.
    roster_settle_ms = 1_000;
    /// Graceful end of a session, in milliseconds, before everything is killed.
    close_ms = 10_000;
}

impl Limits {
    /// How the numbers must fit each other; the names of those that do not.
    pub fn check(&self) -> Result<(), String> {
        let rules = [
            (self.frame_bytes <= self.batch_bytes, "frame_bytes must fit batch_bytes"),
            (self.frame_bytes * 2 <= self.call_output_bytes, "a frame's text, told twice, must fit call_output_bytes"),
            (
                self.batch_bytes * 4 <= self.guest_memory_bytes,
                "batch_bytes, four times over, must fit guest_memory_bytes",
            ),
            (self.call_output_bytes <= self.guest_memory_bytes, "call_output_bytes must fit guest_memory_bytes"),
            (self.frame_bytes <= self.read_queue_bytes, "frame_bytes must fit read_queue_bytes"),
            (
                self.prompt_bytes < self.frame_bytes,
                "prompt_bytes must be less than frame_bytes: the provider may echo it",
            ),
            (
                self.prompt_bytes * 2 <= self.write_queue_bytes,
                "a prompt with its JSON escapes must fit write_queue_bytes",
            ),
            (
                self.prompt_bytes * 2 <= self.input_line_bytes,
                "a prompt with its JSON escapes must fit input_line_bytes",
            ),
            (self.file_read_bytes <= self.batch_bytes, "file_read_bytes must fit batch_bytes"),
            (self.query_bytes <= self.batch_bytes, "query_bytes must fit batch_bytes"),
            (self.silence_ms <= self.silent_end_ms, "silence_ms must fit silent_end_ms"),
            (self.roster_settle_ms <= self.roster_wait_ms, "roster_settle_ms must fit roster_wait_ms"),
            (self.call_slice_ms < self.call_cpu_ms, "call_slice_ms must be less than call_cpu_ms"),
            (
                self.stdin_close_ms + self.terminate_ms < self.close_ms,
                "stdin_close_ms and terminate_ms must be over before close_ms",
            ),
            (self.timer_min_ms < self.timer_max_ms, "timer_min_ms must be less than timer_max_ms"),
            (self.journal_memory_bytes <= self.journal_bytes, "journal_memory_bytes must fit journal_bytes"),
            (self.http_body_bytes <= self.batch_bytes, "http_body_bytes must fit batch_bytes"),
            (self.http_head_bytes >= 8 * KIB, "http_head_bytes must be 8 KiB at least: the HTTP library takes no less"),
            (
                self.prompt_bytes * 2 <= self.http_request_bytes,
                "a prompt with its JSON escapes must fit http_request_bytes",
            ),
            (self.stderr_tail_bytes <= self.stderr_frame_bytes * 64, "stderr_tail_bytes must fit 64 pieces"),
        ];
        let wrong: Vec<_> = rules.iter().filter(|(ok, _)| !ok).map(|(_, rule)| *rule).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_fit_each_other() {
        assert_eq!(Limits::default().check(), Ok(()));
    }

    #[test]
    fn a_misfit_is_named() {
        let limits = Limits { guest_memory_bytes: 1, ..Limits::default() };
        assert!(limits.check().unwrap_err().contains("guest_memory_bytes"));
    }

    #[test]
    fn every_limit_names_its_reason() {
        assert!(Limits::default().table().iter().all(|(_, value, reason)| *value > 0 && reason.len() > 10));
    }
}

//! Stored conversations, as the agent lists them.

use jackfield_sdk::moment;
use jackfield_sdk::prelude::*;
use serde_json::{Value, json};

use crate::answer::Call;
use crate::dialect::AcpDialect;
use crate::session::{Acp, Phase};
use crate::wire::{SessionList, read};

impl<D: AcpDialect> Acp<D> {
    /// The command `list-threads`.
    pub(crate) fn list(&mut self, cx: &mut Cx, op: u32, list: ListThreads) {
        if self.phase != Phase::Ready {
            return cx.fail(op, Fault::new(FaultKind::Conflict, "The agent has not started. Try again then."));
        }
        if !self.agent.lists {
            return cx.fail(op, Fault::unsupported(format!("{} does not list its conversations.", self.data.label)));
        }
        let mut params = json!({});
        if let Some(folder) = list.folder {
            params["cwd"] = folder.into();
        }
        if let Some(page) = list.page {
            params["cursor"] = page.into();
        }
        cx.hold(op);
        self.ask(cx, "session/list", params, Call::List { op, limit: list.limit });
    }

    pub(crate) fn listed(&mut self, cx: &mut Cx, op: u32, limit: u32, outcome: Result<Value, Fault>) {
        let list: SessionList = match outcome {
            Ok(reply) => read(reply),
            Err(fault) => return cx.fail(op, self.with_login(fault)),
        };
        let resumes = self.agent.resumes();
        let threads = list.sessions.into_iter().filter(|listed| !listed.session_id.is_empty()).map(|listed| Thread {
            cursor: Some(listed.session_id.clone()).filter(|_| resumes),
            title: listed.title,
            folder: listed.cwd,
            modified_ms: listed.updated_at.as_deref().and_then(milliseconds),
            ..Thread::new(&listed.session_id, ThreadState::Stored)
        });
        let mut threads: Vec<Thread> = threads.collect();
        let time = |thread: &Thread| thread.modified_ms.unwrap_or(0.0);
        threads.sort_by(|one, other| time(other).total_cmp(&time(one)));
        // The agent's pages may be longer than was asked for; what is cut off here would be lost with its page.
        if list.next_cursor.is_none() {
            threads.truncate(limit as usize);
        }
        cx.done(op, OpValue::Threads(ThreadList { threads, next: list.next_cursor }));
    }
}

/// A moment as ISO 8601 in UTC (`2026-11-30T18:17:25.396Z`), in milliseconds since 1970; `None` for another form.
fn milliseconds(text: &str) -> Option<f64> {
    moment::milliseconds(text).filter(|_| text.ends_with('Z') && text.contains('T'))
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn moments_are_read_to_the_millisecond() {
        assert_eq!(milliseconds("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(milliseconds("2026-11-30T18:17:25.396Z"), Some(1_796_062_645_396.0));
        assert_eq!(milliseconds("2024-02-29T12:00:00.000Z"), Some(1_709_208_000_000.0));
        for other in ["yesterday", "2026-11-30", "2026-11-30T18:17:25+01:00", ""] {
            assert_eq!(milliseconds(other), None, "{other}");
        }
    }
}

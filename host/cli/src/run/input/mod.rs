//! `run --json --input json`: a script on stdin, one JSON object per line.
//!
//! - `line`: what may be written, and what it asks for;
//! - `read`: bytes → lines → orders, bounded; a bad line costs itself only.
//!
//! What is asked for is carried out by `hands` beside this folder. **Each line gets exactly one word, `input.accepted` or
//! `input.rejected`.** The end of stdin is no order: what was taken on is finished, and what is asked from then on is refused.
//! Tests: `tests/tests/input.rs`.

mod line;
mod read;

pub use line::{Line, Order};
pub use read::{Tag, Wrong};

use read::Raw;
use tokio::sync::mpsc;

/// Lines behind the end of a stream that are answered: a script that floods us then is not served without end.
const LEFT_OVER: usize = 1_000;

/// A script's lines, as they come.
pub struct Script {
    lines: mpsc::Receiver<Raw>,
    limit: u64,
    taken: u64,
}

impl Script {
    /// Reads stdin; a line has at most so many bytes.
    pub fn stdin(limit: u64) -> Script {
        Script { lines: read::stdin(limit), limit, taken: 0 }
    }

    /// The next line; `None` at the end of stdin.
    pub async fn next(&mut self) -> Option<(Tag, Result<Order, Wrong>)> {
        let raw = self.lines.recv().await?;
        Some(self.understood(raw))
    }

    /// The lines that were read and not looked at yet.
    pub async fn left_over(&mut self) -> Vec<Tag> {
        let mut tags = Vec::new();
        while let Ok(raw) = self.lines.try_recv() {
            tags.push(self.understood(raw).0);
            if tags.len() == LEFT_OVER {
                break;
            }
            // The reader may hold another one in its hand.
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        tags
    }

    fn understood(&mut self, raw: Raw) -> (Tag, Result<Order, Wrong>) {
        self.taken += 1;
        let (id, order) = read::understand(raw, self.limit);
        (Tag { line: self.taken, id }, order)
    }
}

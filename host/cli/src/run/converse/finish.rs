//! The end of a stream: the session is closed or killed, what is under way is waited for or let go, and the rest is shown.

use super::Talk;
use super::lines::next_line;
use crate::exit::Failure;
use jackfield_runtime::store::StoreError;
use std::pin::Pin;

type Ending<'a> = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send + 'a>>;

impl Talk<'_> {
    /// Ends the session, in order or at once, and shows what that still says.
    pub(super) async fn finish(&mut self) -> Result<(), Failure> {
        let thread = self.thread;
        let mut ending: Ending<'_> = if self.kill { Box::pin(thread.kill()) } else { Box::pin(thread.close()) };
        loop {
            tokio::select! {
                ended = &mut ending => break ended?,
                // What is under way goes on: it may hold what the end waits for.
                done = self.hands.next() => self.done(done)?,
                line = next_line(&mut self.script) => match line {
                    Some((tag, _)) => self.too_late(tag),
                    None => self.script = None,
                },
                _ = self.signals.next(), if !self.kill => {
                    self.kill = true;
                    self.stopping = true;
                    ending = Box::pin(thread.kill());
                }
            }
        }
        drop(ending);
        for tag in self.hands.let_go() {
            self.reject(tag, "closing", "the stream ended before this was answered; it may have counted");
        }
        if let Some(mut script) = self.script.take() {
            for tag in script.left_over().await {
                self.too_late(tag);
            }
        }
        self.events_so_far().await
    }
}

//! A script's lines: each is begun, or refused, and has its word.

use super::Talk;
use crate::run::hands::{Refused, Taken};
use crate::run::input::{Order, Script, Tag, Wrong};
use crate::run::stream::StreamLine;
use std::time::Instant;

impl Talk<'_> {
    pub(super) fn line(&mut self, line: Option<(Tag, Result<Order, Wrong>)>) {
        let Some((tag, order)) = line else {
            self.script = None;
            self.asked_at = Instant::now();
            return;
        };
        match order {
            Err(wrong) => self.reject(tag, wrong.code(), &wrong.to_string()),
            Ok(_) if self.closing || self.stopping => self.too_late(tag),
            Ok(order) => {
                self.closing |= order == Order::Close;
                self.hands.line(tag, order);
            }
        }
    }

    pub(super) fn line_done(&mut self, tag: Tag, outcome: Result<Taken, Refused>) {
        match outcome {
            Ok(taken) => {
                self.asked_at = Instant::now();
                if let Some(request) = taken.request {
                    self.approver.forget(&request);
                }
                let Taken { run, queue, thread, applies, .. } = taken;
                self.word(StreamLine::Accepted { line: tag.line, id: tag.id, run, queue, thread, applies });
            }
            Err(error) => self.reject(tag, error.code(), &error.to_string()),
        }
    }

    pub(super) fn too_late(&mut self, tag: Tag) {
        self.reject(tag, "closing", "the stream is being closed; begin another with --resume THREAD");
    }

    pub(super) fn reject(&mut self, tag: Tag, code: &str, message: &str) {
        self.word(StreamLine::Rejected { line: tag.line, id: tag.id, code: code.into(), message: message.into() });
    }

    fn word(&mut self, line: StreamLine) {
        let shown = self.view.word(&line);
        self.heard(shown);
    }
}

/// The script's next line; never comes where there is no script.
pub(super) async fn next_line(script: &mut Option<Script>) -> Option<(Tag, Result<Order, Wrong>)> {
    match script {
        Some(script) => script.next().await,
        None => std::future::pending().await,
    }
}

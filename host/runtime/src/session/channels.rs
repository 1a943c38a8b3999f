//! What comes from a session's programs: frames, noise, ends. Gathered into batches while it comes, drained when the session
//! ends.

use super::ask::Ask;
use super::outlet::{Ended, fault};
use super::seats::next_ask;
use super::task::{Phase, Task};
use crate::process::ChannelEvent;
use jackfield_core::contract::{ChannelExit, EffectValue, FaultKind, Frame, FrameData, HttpResponse, Input, Pipe};
use jackfield_core::event::SessionEnd;
use jackfield_core::normalizer::{Disposed, SessionEnded};
use tokio::time::Instant;

impl Task {
    /// Takes what a channel brings, and all that waits behind it, up to a batch.
    pub(super) async fn take_channel(&mut self, first: ChannelEvent) {
        let limits = self.shared.limits.clone();
        // What waits in the channel's queue is only given room again when the batch is through.
        let mut room = Vec::new();
        let (mut inputs, mut frames, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut next = Some(first);
        while let Some(mut event) = next.take() {
            self.outlet.secrets().hide(&mut event);
            match event {
                ChannelEvent::Frame { channel, pipe, data, held } => {
                    self.frames += 1;
                    bytes += size_of(&data);
                    self.heard(&data);
                    self.normalizer.frame_in(self.frames);
                    self.ring.push(self.frames, bytes_of(&data));
                    if pipe == Pipe::Main {
                        self.watch.spoke();
                        self.outlet.observe(channel, &data);
                    }
                    inputs.push(Input::Frame(Frame { channel, pipe, data }));
                    room.push(held);
                    frames.push(Some(self.frames));
                }
                ChannelEvent::Closed { channel, exit } => {
                    self.channel_closed(channel, exit, inputs, frames).await;
                    return;
                }
                // What was said before the rest is told before it, however the bytes fell.
                ChannelEvent::Noise { channel, text } => {
                    self.batch_from_channels(inputs, frames).await;
                    self.heard_text(&text);
                    self.host_disposes(text.as_bytes(), Disposed::Noise);
                    let said = format!("channel {channel} said something that is not its protocol's: {text}");
                    return self.diagnose("noise", &said).await;
                }
                ChannelEvent::TooLarge { channel, bytes } => {
                    self.batch_from_channels(inputs, frames).await;
                    self.host_disposes(b"", Disposed::TooLarge);
                    let said = format!(
                        "channel {channel} sent a message of {bytes} bytes; the limit frame_bytes is {}. It was left out, the session goes on",
                        limits.frame_bytes
                    );
                    self.diagnose("frame-too-large", &said).await;
                    return self.decided("frame_too_large", self.frames, "frame_bytes");
                }
                ChannelEvent::StderrDropped { channel, bytes } => {
                    self.batch_from_channels(inputs, frames).await;
                    let said = format!(
                        "channel {channel} wrote more to stderr than could be taken; {bytes} bytes were left out"
                    );
                    return self.diagnose("stderr-dropped", &said).await;
                }
            }
            let full = inputs.len() as u64 >= limits.batch_frames || bytes + limits.frame_bytes > limits.batch_bytes;
            if !full {
                next = self.channel_events.try_recv().ok();
            }
        }
        self.batch_from_channels(inputs, frames).await;
    }

    /// What became of our writes goes before what was said to them.
    async fn batch_from_channels(&mut self, mut inputs: Vec<Input>, mut frames: Vec<Option<u64>>) {
        if inputs.is_empty() {
            return;
        }
        self.outlet.settle();
        let mut results = Vec::new();
        while let Ok(mut result) = self.results.try_recv() {
            self.outlet.secrets().hide_result(&mut result);
            // What a server answered says nothing of what came beside it, and may be large.
            match result.outcome {
                Ok(EffectValue::Response(HttpResponse { body: Some(_), .. })) => self.feed(Input::EffectDone(result)),
                _ => results.push(Input::EffectDone(result)),
            }
        }
        frames.splice(0..0, vec![None; results.len()]);
        inputs.splice(0..0, results);
        self.batch(inputs, frames).await;
    }

    /// A channel's end goes to the plugin with the frames before it. If nobody asked for that end, the session has lost its provider.
    async fn channel_closed(
        &mut self,
        channel: u32,
        exit: ChannelExit,
        mut inputs: Vec<Input>,
        mut frames: Vec<Option<u64>>,
    ) {
        inputs.push(Input::ChannelClosed(exit.clone()));
        frames.push(None);
        self.outlet.settle();
        let ended = self.outlet.closed(channel);
        if ended != Ended::Exchange {
            self.keep_exit(channel, exit.clone());
        }
        self.batch_from_channels(inputs, frames).await;
        if ended == Ended::ByItself
            && self.phase != Phase::Closing
            && !self.outlet.has_channels()
            && self.ending.is_none()
        {
            let end = if self.phase == Phase::Starting { SessionEnd::StartFailed } else { SessionEnd::ProviderExited };
            self.ending = Some(self.exited(end, &exit));
        }
    }

    /// How a program ended is recorded, and kept to explain the session's end by.
    fn keep_exit(&mut self, channel: u32, exit: ChannelExit) {
        let facts = serde_json::json!({ "channel": channel, "code": exit.code, "signal": exit.signal });
        self.note("exit", "process-ended", facts);
        self.last_exit = Some(exit);
    }

    fn exited(&self, end: SessionEnd, exit: &ChannelExit) -> SessionEnded {
        let how = match (exit.code, exit.signal) {
            (Some(code), _) => format!("exited with code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        };
        // Half of what an error may hold: it is cut from its end, and the last words say most.
        let message = match last_lines(exit.stderr_tail.trim(), self.shared.limits.label_bytes / 2) {
            "" => format!("the provider's program {how}"),
            words => format!("the provider's program {how}; its last words: {words}"),
        };
        SessionEnded {
            end,
            fault: exit.fault.clone().or_else(|| Some(fault(FaultKind::Network, message))),
            exit_code: exit.code,
            signal: exit.signal,
            stderr_tail: exit.stderr_tail.clone(),
        }
    }

    fn host_disposes(&mut self, raw: &[u8], disposed: Disposed) {
        self.frames += 1;
        self.ring.push(self.frames, raw);
        self.normalizer.frame_in(self.frames);
        self.ring.disposed(self.frames, &disposed);
        self.normalizer.dispose(self.frames, disposed);
    }

    /// A write that broke says less than the last words of the program that broke it.
    pub(super) fn explain_by_exit(&self, ended: &mut SessionEnded) {
        let Some(exit) = &self.last_exit else { return };
        let broken =
            ended.fault.as_ref().is_some_and(|fault| matches!(fault.kind, FaultKind::Network | FaultKind::Protocol));
        let by_itself = exit.code.is_some_and(|code| code != 0) || !exit.stderr_tail.trim().is_empty();
        if broken && by_itself && matches!(ended.end, SessionEnd::StartFailed | SessionEnd::ProviderExited) {
            ended.fault = self.exited(ended.end, exit).fault;
        }
    }

    /// Waits until every channel is gone. The plugin hears no more: what still comes is fenced and counted. Of what is
    /// asked, only `kill` is heard: it cuts the waiting short.
    pub(super) async fn drain_channels(&mut self) {
        let deadline = Instant::now() + self.watch.close;
        while self.outlet.has_channels() {
            let event = tokio::select! {
                (at, ask) = next_ask(&mut self.seats, &mut self.last_heard) => {
                    match ask {
                        Some(Ask::Kill(done)) => {
                            self.outlet.kill_all();
                            let _ = done.send(Ok(()));
                        }
                        Some(ask) => self.seats[at].unheard.push(ask),
                        None => {}
                    }
                    continue;
                }
                event = tokio::time::timeout_at(deadline, self.channel_events.recv()) => event,
            };
            let event = event.map(|event| {
                event.map(|mut event| {
                    self.outlet.secrets().hide(&mut event);
                    event
                })
            });
            match event {
                Ok(Some(ChannelEvent::Closed { channel, exit })) => {
                    if self.outlet.closed(channel) != Ended::Exchange {
                        self.keep_exit(channel, exit);
                    }
                }
                Ok(Some(ChannelEvent::Frame { data, .. })) => self.host_disposes(bytes_of(&data), Disposed::Fenced),
                Ok(Some(_)) => self.host_disposes(b"", Disposed::Noise),
                Ok(None) => break,
                Err(_) => {
                    self.outlet.kill_all();
                    break;
                }
            }
        }
    }
}

fn bytes_of(data: &FrameData) -> &[u8] {
    match data {
        FrameData::Text(text) => text.as_bytes(),
        FrameData::Named((_, data)) => data.as_bytes(),
        FrameData::Bytes(bytes) => bytes,
        FrameData::Other(other) => other.json.as_bytes(),
    }
}

pub(super) fn size_of(data: &FrameData) -> u64 {
    bytes_of(data).len() as u64
}

/// The last lines of a text that fit in so many bytes; of a longer line, its end.
fn last_lines(text: &str, max_bytes: u64) -> &str {
    let from = text.len().saturating_sub(max_bytes as usize);
    let Some(cut) = (from..=text.len()).find(|at| text.is_char_boundary(*at)).filter(|cut| *cut > 0) else {
        return text;
    };
    text[cut..].split_once('\n').map_or(&text[cut..], |(_, lines)| lines)
}

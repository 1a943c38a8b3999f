//! The plugin's state, and the way in for what the host sends. One session is one program after another, and a conversation that no
//! program remembers.

use jackfield_sdk::prelude::*;

use crate::options::{self, Options};
use crate::run::Run;
use crate::{capabilities, send};

/// The plugin.
#[derive(Debug, Default)]
pub struct PlainText {
    pub(crate) options: Options,
    pub(crate) model: Option<String>,
    /// The thread was opened.
    pub(crate) opened: bool,
    /// How many messages were sent: none knows of those before it.
    pub(crate) said: u32,
    /// The program that is at work.
    pub(crate) run: Option<Run>,
}

/// The provider has no threads: the only one of a session.
const THREAD: &str = "only-thread";

impl Provider for PlainText {
    fn describe() -> Descriptor {
        Descriptor::new("plain", "Plain text (aider)")
            .with_declared(capabilities::declared())
            .with_settings(options::settings(None))
    }

    fn command(&mut self, cx: &mut Cx, command: Command) {
        let op = command.op;
        match &command.body {
            CommandBody::Start(start) => self.start(cx, op, start),
            CommandBody::OpenThread(open) => self.open(cx, op, open),
            CommandBody::SendRun(message) => self.send(cx, op, message),
            CommandBody::Interrupt(_) => self.interrupt(cx, op),
            CommandBody::SetSelection(choices) => match self.choose(choices) {
                Ok(()) => cx.done(op, OpValue::Applied(Applies::NextTurn)),
                Err(fault) => cx.fail(op, fault),
            },
            CommandBody::CloseThread => {
                self.leave(cx);
                self.opened = false;
                cx.done(op, OpValue::Accepted);
            }
            _ => {}
        }
    }

    fn frame(&mut self, cx: &mut Cx, frame: Frame) {
        match (&mut self.run, frame.pipe) {
            // Kept by the host, and told with an end that is none.
            (_, Pipe::Error) => cx.silent("stderr"),
            (Some(run), Pipe::Main) if run.channel == frame.channel => run.prints(cx, &frame.data),
            _ => cx.noise(),
        }
    }

    fn timer(&mut self, cx: &mut Cx, timer: u32) {
        if let Some(run) = &mut self.run {
            run.patience_ends(cx, timer);
        }
    }

    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        let Some(run) = &mut self.run else { return };
        if result.id == run.channel {
            match result.outcome {
                Ok(_) => run.begins(cx),
                Err(fault) => {
                    if let Some(run) = self.run.take() {
                        run.never_began(cx, fault);
                    }
                }
            }
        } else {
            run.signalled(cx, result);
        }
    }

    fn channel_closed(&mut self, cx: &mut Cx, exit: ChannelExit) {
        if let Some(run) = self.run.take_if(|run| run.channel == exit.channel) {
            run.ends(cx, &exit);
        }
    }

    fn close(&mut self, cx: &mut Cx) {
        self.leave(cx);
    }
}

impl PlainText {
    fn start(&mut self, cx: &mut Cx, op: u32, start: &StartSession) {
        match cx.options() {
            Ok(options) => self.options = options,
            Err(fault) => return cx.fail(op, fault),
        }
        match self.choose(&start.selection) {
            Ok(()) => cx.done(op, OpValue::Accepted),
            Err(fault) => cx.fail(op, fault),
        }
    }

    fn open(&mut self, cx: &mut Cx, op: u32, open: &OpenThread) {
        let fault = if open.cursor.is_some() {
            Some(Fault::new(FaultKind::NotFound, "No program of this kind keeps a conversation that could be resumed."))
        } else if self.opened {
            Some(Fault::new(FaultKind::Conflict, "This session has its thread; open another session."))
        } else if cx.is_elsewhere(open) || !open.context.is_empty() {
            Some(Fault::unsupported("Neither another folder nor context before the first message is taken."))
        } else {
            self.choose(&open.selection).err()
        };
        match fault {
            Some(fault) => cx.fail(op, fault),
            None => {
                self.opened = true;
                cx.done(op, OpValue::Thread(Thread::new(THREAD, ThreadState::Idle)));
                if self.model.is_some() {
                    cx.event(EventBody::Settings(options::settings(self.model.clone())));
                }
            }
        }
    }

    /// Takes over choices; all or none.
    pub(crate) fn choose(&mut self, choices: &Pairs) -> Result<(), Fault> {
        for (name, value) in choices {
            self.options.check(name, value)?;
        }
        if let Some((_, value)) = choices.last() {
            self.model = Some(value.clone());
        }
        Ok(())
    }

    /// Ends the program that is at work.
    fn leave(&mut self, cx: &mut Cx) {
        if let Some(run) = &self.run {
            cx.signal(run.channel, SignalKind::Terminate);
        }
    }

    fn send(&mut self, cx: &mut Cx, op: u32, message: &Message) {
        if !self.opened {
            return cx.fail(op, Fault::new(FaultKind::NotFound, "No thread is open."));
        }
        if self.run.is_some() {
            return cx
                .fail(op, Fault::new(FaultKind::Conflict, "A program is at work. Wait for its end, or interrupt it."));
        }
        let text = match send::text_of(message).and_then(|text| self.choose(&message.selection).map(|()| text)) {
            Ok(text) => text,
            Err(fault) => return cx.fail(op, fault),
        };
        self.said += 1;
        self.run =
            Some(Run::start(cx, op, self.options.profile(), send::holes(text, self.model.clone()), self.said > 1));
    }

    fn interrupt(&mut self, cx: &mut Cx, op: u32) {
        match &mut self.run {
            Some(run) => run.interrupt(cx, op),
            None => cx.fail(op, Fault::new(FaultKind::Conflict, "No program is at work.")),
        }
    }
}

//! Turns a batch of inputs into calls of a [`Provider`], one by one and in order.
//!
//! **Every command is answered exactly once**: one that the provider forgets is answered `unsupported`, one it still holds at the
//! session's end is answered `cancelled`. Shared by the component's glue and the native test harness. Tests: below.

use crate::prelude::*;

/// A provider and its context.
#[derive(Debug, Default)]
pub struct Driver<P> {
    provider: P,
    cx: Cx,
}

impl<P: Provider> Driver<P> {
    /// Takes a batch and gives all that follows from it.
    pub fn handle(&mut self, at: Tick, inputs: Vec<Input>) -> Result<Vec<Caused>, Fault> {
        self.cx.tick = at;
        for (index, input) in inputs.into_iter().enumerate() {
            self.cx.cause = u32::try_from(index).unwrap_or(u32::MAX);
            self.one(input);
            if let Some(fault) = self.cx.failed.take() {
                self.cx.out.clear();
                return Err(fault);
            }
        }
        Ok(std::mem::take(&mut self.cx.out))
    }

    /// The provider, for tests that look inside.
    pub fn provider(&self) -> &P {
        &self.provider
    }

    fn one(&mut self, input: Input) {
        let Driver { provider, cx } = self;
        match input {
            Input::Frame(frame) => provider.frame(cx, frame),
            Input::Command(command) => {
                let (op, name) = (command.op, command.body.name().to_owned());
                cx.opened(&command);
                provider.command(cx, command);
                cx.settle(op, &name);
            }
            Input::EffectDone(result) => provider.effect_done(cx, result),
            Input::Timer(timer) => provider.timer(cx, timer),
            Input::ChannelClosed(exit) => provider.channel_closed(cx, exit),
            Input::Close => {
                provider.close(cx);
                cx.fail_held(&Fault::new(FaultKind::Cancelled, "The session was closed."));
            }
            Input::Other(other) => {
                cx.diagnostic(Level::Info, "unknown-input", format!("the host sent `{}`, which is new", other.name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Harness;

    /// Knows `interrupt` (answered twice), `close-thread` (held for ever) and `send-run` (ends the session).
    #[derive(Default)]
    struct Small;

    impl Provider for Small {
        fn describe() -> Descriptor {
            Descriptor::new("small", "Small")
        }

        fn command(&mut self, cx: &mut Cx, command: Command) {
            match command.body {
                CommandBody::Interrupt(_) => {
                    cx.done(command.op, OpValue::Interrupted(vec![]));
                    cx.done(command.op, OpValue::Accepted);
                }
                CommandBody::CloseThread => cx.hold(command.op),
                CommandBody::SendRun(_) => cx.end_session(Fault::new(FaultKind::Internal, "over")),
                _ => {}
            }
        }
    }

    #[test]
    fn a_forgotten_command_is_unsupported_and_names_itself() {
        let outputs = Harness::<Small>::new().command(CommandBody::ListFolders);
        let [Output::Done(OpResult { outcome: Err(fault), .. })] = outputs.as_slice() else { panic!("{outputs:?}") };
        assert_eq!(fault.kind, FaultKind::Unsupported);
        assert!(fault.message.contains("list-folders"), "{fault:?}");
    }

    #[test]
    fn the_second_answer_is_dropped_and_said() {
        let outputs =
            Harness::<Small>::new().command(CommandBody::Interrupt(Interrupt { turn: None, keep_background: false }));
        assert!(matches!(
            outputs.as_slice(),
            [Output::Done(OpResult { outcome: Ok(OpValue::Interrupted(_)), .. }), Output::Diagnostic(_)]
        ));
    }

    #[test]
    fn a_held_command_is_cancelled_at_the_end() {
        let mut harness = Harness::<Small>::new();
        assert_eq!(harness.command(CommandBody::CloseThread), []);
        let outputs = harness.close();
        assert!(
            matches!(outputs.as_slice(), [Output::Done(OpResult { op: 1, outcome: Err(fault) })] if fault.kind == FaultKind::Cancelled)
        );
    }

    #[test]
    fn the_default_frame_is_noise_and_a_closed_channel_answers_what_is_held() {
        let mut harness = Harness::<Small>::new();
        harness.command(CommandBody::CloseThread);
        assert_eq!(harness.frame(1, "hello"), [Output::Disposition(Disposition::Noise)]);
        let outputs = harness.closed(1, Some(1), "it broke");
        assert!(
            matches!(outputs.as_slice(), [Output::Done(OpResult { outcome: Err(fault), .. })] if fault.message.contains("it broke"))
        );
    }

    #[test]
    fn a_fault_of_the_session_takes_the_outputs_of_its_batch_along() {
        let fault = Harness::<Small>::new().try_command(CommandBody::SendRun(Message::of_text("x"))).unwrap_err();
        assert_eq!(fault.message, "over");
    }
}

//! The one trait an author implements.

use crate::prelude::*;

/// A plugin: one value of it is one session. Methods are called for one input at a time, in order; what they have to say goes into `cx`.
///
/// A call never waits. Ask for an effect, return, and go on when its answer arrives as another input.
///
/// A call that panics, goes over a limit or gives a fault of kind `internal` ends no session: the host replays the journal to another
/// instance and gives it the batch once more, input by input; a frame that still breaks it is left out, a command is answered with the
/// error's code (`plugin-trapped`, `plugin-limit`, `plugin-fault`). A second time within `trap_window_ms` ends the session, and so does a
/// fault of any other kind at once.
pub trait Provider: Default + 'static {
    /// Who the plugin is and what it declares. Called without a session, any number of times; always the same answer.
    fn describe() -> Descriptor;

    /// The host asks for something. Answer with [`Cx::done`] or [`Cx::fail`], or keep the command with [`Cx::hold`] and answer in a
    /// later call. A command that is neither answered nor held when this returns is answered `unsupported`, so a `match` needs only
    /// the commands that the provider knows.
    fn command(&mut self, cx: &mut Cx, command: Command);

    /// A message from a channel. Say what it means, or what became of it: [`Cx::silent`], [`Cx::unknown`], [`Cx::noise`] …
    fn frame(&mut self, cx: &mut Cx, frame: Frame) {
        let _ = frame;
        cx.noise();
    }

    /// A timer fired; its number is what [`Cx::timer`] gave.
    fn timer(&mut self, cx: &mut Cx, timer: u32) {
        let _ = (cx, timer);
    }

    /// The answer to an effect. The default says nothing when it went well and ends the session when it did not: nothing is lost silently.
    fn effect_done(&mut self, cx: &mut Cx, result: EffectResult) {
        if let Err(fault) = result.outcome {
            cx.end_session(fault);
        }
    }

    /// A channel ended; no frame of it follows. The default answers all held commands with a fault that carries the last of its stderr.
    fn channel_closed(&mut self, cx: &mut Cx, exit: ChannelExit) {
        cx.fail_held(&Fault::channel_closed(&exit));
    }

    /// The session ends now. Effects asked for here are still carried out; held commands are answered `cancelled` after it.
    fn close(&mut self, cx: &mut Cx) {
        let _ = cx;
    }
}

"""The class that an author extends: one object is one session. Methods are called for one input at a time, in order."""

from . import contract as c
from .lines import read_object
from .records import record


class Plugin:
    @staticmethod
    def describe():
        """Who the plugin is and what it declares; always the same answer."""
        raise NotImplementedError("a plugin has a static describe()")

    def command(self, cx, command):
        """The host asks for something. Answer with `cx.done` or `cx.fail`, or `cx.hold` it and answer in a later call."""

    def frame(self, cx, frame):
        """A message from a channel; the usual one is a line of JSON."""
        if frame.pipe == c.Pipe.ERROR:
            return cx.silent("stderr")
        line = read_object(frame.data.value) if isinstance(frame.data, c.FrameData_Text) else None
        return cx.noise() if line is None else self.line(cx, line)

    def line(self, cx, line):
        """An object that stood on a line of stdout."""
        cx.noise()

    def timer(self, cx, timer):
        """A timer fired."""

    def effect_done(self, cx, result):
        """The answer to an effect. The usual one ends the session when it failed: nothing is lost silently."""
        if isinstance(result.outcome, c.Err):
            raise result.outcome

    def channel_closed(self, cx, exit):
        """A channel ended; no frame of it follows."""
        cx.fail_held(_closed(exit))

    def close(self, cx):
        """The session ends now. Effects asked for here are still carried out."""


def _closed(exit):
    """Why a channel ended, for the commands that waited on it."""
    if exit.fault is not None:
        return exit.fault
    how = "ended"
    if exit.signal is not None:
        how = f"was ended by signal {exit.signal}"
    elif exit.code is not None:
        how = f"ended with exit code {exit.code}"
    tail = exit.stderr_tail.strip()
    words = f"Its last words: {tail}" if tail else "It said nothing on stderr."
    return record(c.Fault, kind=c.FaultKind.NETWORK, message=f"The provider's program {how}. {words}", retryable=True)

"""Where a plugin's outputs go. It numbers effects, remembers which commands are open, and ties outputs to inputs."""

import json

from . import contract as c
from .lines import to_json
from .records import check, record


class Cx:
    """The context of one session. A method that asks the host for something returns the number of that wish."""

    def __init__(self):
        self.at = c.Tick(0.0, 0)
        self.cause = 0
        self.out = []
        self.session = None
        self._next = 1
        # Open commands, and whether the plugin said that it answers later.
        self._open = {}

    @property
    def now_ms(self):
        """Milliseconds since 1970, as the host counts them."""
        return self.at.now_ms

    @property
    def options(self):
        """The instance's options."""
        return json.loads(self.session.options.strip() or "{}") if self.session else {}

    def event(self, body, scope=None):
        """Something happened at the provider: an `EventBody_…`."""
        self._push(c.Output_Event(c.Event(scope, body)))

    def item(self, scope=None, **given):
        """What is known of an item now; tell it as often as you like. The rest are the fields of `Item`."""
        self.event(c.EventBody_Items([record(c.Item, **given)]), scope)

    def delta(self, id, kind, text, scope=None):
        """A piece of a text, of the item `id` or (`None`) of the one that is open."""
        self.event(c.EventBody_Delta(c.Delta(id, kind, False, text)), scope)

    def negotiated(self, capabilities):
        """What this session really can, once the program has said so."""
        self._push(c.Output_Negotiated(capabilities))

    def done(self, op, value):
        """The command was carried out; the value is an `OpValue_…`."""
        self.answer(op, c.Ok(value))

    def fail(self, op, kind, message, **more):
        """The command was not carried out; the rest are the fields of `Fault`."""
        self.answer(op, c.Err(record(c.Fault, kind=kind, message=message, **more)))

    def answer(self, op, outcome):
        """Answers a command with `Ok` or `Err`. A second answer is dropped, and that is said."""
        if self._open.pop(op, None) is None:
            self.diagnostic(c.Level.ERROR, "answered-twice", f"command {op} is not open; its answer was dropped")
        else:
            self._push(c.Output_Done(c.OpResult(op, outcome)))

    def hold(self, op):
        """The command will be answered in a later call."""
        if op in self._open:
            self._open[op] = True

    def is_open(self, op):
        return op in self._open

    def fail_held(self, fault):
        """Answers all open commands with this fault."""
        for op in list(self._open):
            self.answer(op, c.Err(fault))

    def spawn(self, profile, holes=()):
        """Starts a program of the manifest; the number is also the channel of its frames."""
        return self.effect(c.EffectBody_Spawn(c.Spawn(profile, list(holes))))

    def write(self, channel, text):
        return self.effect(c.EffectBody_Write(c.Write(channel, c.FrameData_Text(text))))

    def write_json(self, channel, value):
        return self.write(channel, to_json(value))

    def close_stdin(self, channel):
        return self.effect(c.EffectBody_CloseStdin(channel))

    def signal(self, channel, kind):
        return self.effect(c.EffectBody_Signal(c.SignalSend(channel, kind)))

    def timer(self, ms):
        return self.effect(c.EffectBody_Timer(ms))

    def cancel(self, effect):
        return self.effect(c.EffectBody_Cancel(effect))

    def effect(self, body):
        """Asks for an effect: an `EffectBody_…`."""
        id, self._next = self._next, self._next + 1
        self._push(c.Output_Effect(c.Effect(id, body)))
        return id

    def silent(self, kind):
        """The frame was understood, and is of no interest."""
        self._push(c.Output_Disposition(c.Disposition_Silent(kind)))

    def unknown(self, kind):
        """The frame is of a kind that this plugin does not know."""
        self._push(c.Output_Disposition(c.Disposition_Unknown(kind)))

    def noise(self):
        """The frame is none of the protocol's: a banner, a log line."""
        self._push(c.Output_Disposition(c.Disposition_Noise()))

    def duplicate(self):
        self._push(c.Output_Disposition(c.Disposition_Duplicate()))

    def held(self):
        """What the frame says is told in a later call."""
        self._push(c.Output_Disposition(c.Disposition_Held()))

    def diagnostic(self, level, code, text):
        self._push(c.Output_Diagnostic(c.Note(level, code, text, None)))

    def opened(self, command):
        """For the driver: a command has come."""
        self._open[command.op] = False
        if isinstance(command.body, c.CommandBody_Start):
            self.session = command.body.value

    def settle(self, command):
        """For the driver: a command that was neither answered nor held."""
        if self._open.get(command.op) is False:
            name = _name(command.body)
            self.fail(command.op, c.FaultKind.UNSUPPORTED, f"This provider cannot do `{name}`.")

    def _push(self, output):
        check(output, c.Output)
        self.out.append(c.Caused(self.cause, output))


def _name(body):
    """`CommandBody_SendRun` is `send-run`."""
    if isinstance(body, c.CommandBody_Other):
        return body.value.name
    words = type(body).__name__.removeprefix("CommandBody_")
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in words).lstrip("-")

"""Turns a batch of inputs into calls of a plugin, one by one and in order; what it exports is what the component does."""

from traceback import walk_tb

from . import contract as c
from . import world
from .cx import Cx
from .records import check, record

# How many places of a call chain are told: the host cuts what it logs.
_PLACES = 30

_provider = None


def plugin(provider):
    """What a plugin's module ends with: `Adapter = plugin(MyPlugin)`. A component has one."""
    global _provider
    _provider = provider
    return Adapter


class Adapter:
    """What the component's functions are taken from."""

    def describe(self):
        world.seal()
        try:
            descriptor = _provider.describe()
            check(descriptor, c.Descriptor)
        except BaseException as error:
            # It has no answer that could hold a fault: this is what the host says of the trap that follows.
            world.log(c.Level.ERROR, f"panic: {_words(error)}, {_places(error)}")
            raise
        return descriptor


class Session:
    """The component's resource."""

    def __init__(self):
        self._plugin = None
        self._cx = Cx()

    def handle(self, at, inputs):
        return _said(lambda: self._handle(at, inputs))

    def _handle(self, at, inputs):
        cx = self._cx
        cx.at, cx.out = at, []
        # Here and not before: a constructor has no answer that could hold a fault.
        if self._plugin is None:
            self._plugin = _provider()
        for index, one in enumerate(inputs):
            cx.cause = index
            self._one(one)
        return cx.out

    def _one(self, given):
        cx, plugin = self._cx, self._plugin
        match given:
            case c.Input_Frame(frame):
                plugin.frame(cx, frame)
            case c.Input_Command(command):
                cx.opened(command)
                plugin.command(cx, command)
                cx.settle(command)
            case c.Input_EffectDone(result):
                plugin.effect_done(cx, result)
            case c.Input_Timer(timer):
                plugin.timer(cx, timer)
            case c.Input_ChannelClosed(exit):
                plugin.channel_closed(cx, exit)
            case c.Input_Close():
                plugin.close(cx)
                cx.fail_held(record(c.Fault, kind=c.FaultKind.CANCELLED, message="The session was closed."))
            case c.Input_Other(other):
                cx.diagnostic(c.Level.INFO, "unknown-input", f"the host sent `{other.name}`, which is new")


def _said(work):
    """A fault that is raised is the contract's; anything else is a bug, and its words would be lost in a trap."""
    world.seal()
    try:
        return _checked(work)
    except c.Err:
        raise
    except BaseException as error:
        words = _words(error)
        world.log(c.Level.ERROR, f"{words}, {_places(error)}")
        raise c.Err(record(c.Fault, kind=c.FaultKind.INTERNAL, message=words)) from None


def _checked(work):
    try:
        return work()
    except c.Err as error:
        check(error.value, c.Fault)
        raise


def _words(error):
    return f"{type(error).__name__}: {error}"


def _places(error):
    """Where it happened, and who called that."""
    found = [(frame.f_code, line) for frame, line in walk_tb(error.__traceback__)][-_PLACES:]
    return " in ".join(f"{code.co_filename.rsplit('/', 1)[-1]}:{line} ({code.co_name})" for code, line in reversed(found))

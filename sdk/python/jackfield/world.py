"""What there is at run time: nothing but the host's log. What Python would look for in files is an error that can be read.

At build time there are files, and the modules that are loaded then are in the component. Later each look at a system is a trap.
"""

import importlib.machinery
import io
import linecache
import sys

from wit_world.imports import diag

from .contract import Level

_sealed = False


def log(level, text):
    """A line to the host's log."""
    diag.log(level, text)


def seal():
    """From now on there is nothing. Does so in a component, and once."""
    global _sealed
    if _sealed or sys.platform != "wasi":
        return
    _sealed = True
    sys.stdout = sys.stderr = _Printed()
    sys.meta_path[:] = [importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, _Late]
    # Sources are not shown in a traceback, since they are in files.
    linecache.checkcache = lambda filename=None: None
    linecache.updatecache = lambda filename, module_globals=None: []


class _Printed(io.TextIOBase):
    """What is printed goes to the host's log, line by line."""

    def __init__(self):
        self._begun = ""

    def writable(self):
        return True

    def write(self, text):
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            log(Level.DEBUG, line)
        return len(text)


class _Late:
    """Finds no module, and says why."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        raise ModuleNotFoundError(
            f"{name} was not imported when the component was built, and there are no files at run time: import it at the top of a module",
            name=name,
        )

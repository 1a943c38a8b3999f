"""What authors of Jackfield plugins in Python import: the class to extend, what it speaks through, and a maker of records.

A plugin is a state machine: it has no clock, no randomness and no environment, and the same inputs give the same outputs, because the
host replays them. **Every command is answered exactly once**: one that is forgotten is answered `unsupported`, one that is still held
at the session's end `cancelled`. An exception is written to the host's log and becomes a fault, never a trap: one the
host gets over; a second one soon after it ends the session.

The contract's types are in `jackfield.contract`; `record` makes one of them and fills in what was left out.
"""

from .cx import Cx
from .driver import plugin
from .lines import read_object, to_json
from .provider import Plugin
from .records import flags, record, text

__all__ = ["Cx", "Plugin", "flags", "plugin", "read_object", "record", "text", "to_json"]

"""Reading and writing a channel that carries one JSON object per line.

A line that is no JSON object is noise (a banner, a log line, a bare number), never an error: real programs print them. What is JSON is
what the Rust SDK takes for it, so that a plugin says the same in each language.
"""

import json
import math
import re

# Nested deeper is noise: a parser that calls itself would fill the stack, and that ends a session.
_DEEPEST = 127
# A text that has no end goes to the line's: looked for anew behind each of its marks, it would take the square of its length.
_TEXT_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
# Where a text may hold half a character: JSON can say it, and no text of the contract can.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def read_object(line):
    """The JSON object on a line, or `None`."""
    if _is_deep(line):
        return None
    try:
        value = json.loads(line, parse_constant=_refuse, parse_float=_finite, parse_int=_whole)
        if _HALF.search(line):
            to_json(value).encode()
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def to_json(value):
    """The value on one line, with its characters as they are."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _refuse(word):
    """What Python reads and is no JSON: `NaN`, a number that is too large."""
    raise ValueError(f"{word} is no JSON")


def _finite(word):
    """Of a number that is too large Python makes an infinity, and writes what is no JSON."""
    number = float(word)
    return number if math.isfinite(number) else _refuse(word)


def _whole(word):
    if len(word) > 308:
        _finite(word)
    return int(word)


def _is_deep(line):
    if line.count("[") + line.count("{") <= _DEEPEST:
        return False
    depth = 0
    for found in _TEXT_OR_BRACKET.finditer(line):
        mark = found[0]
        if mark in ("[", "{"):
            depth += 1
        elif mark in ("]", "}"):
            depth -= 1
        if depth > _DEEPEST:
            return True
    return False

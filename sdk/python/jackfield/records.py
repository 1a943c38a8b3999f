"""Records of the contract: made with what was left out, and held against their types before they leave.

The bindings take any value for any field and trap when they find a wrong one; a trap has no text, so the words are said here.
"""

import typing
from dataclasses import fields, is_dataclass
from functools import cache

from .contract import Capability, CapabilitySet, CapabilityValue_Flag, CapabilityValue_Word, Content_Text


def record(kind, /, **given):
    """A record of this class, with what was left out: absent, an empty list, or false.

    A name that it does not have, and a field that is missing and can't be left out, are a TypeError that names them.
    """
    absent = _absent(kind)
    for name in given:
        if name not in absent:
            raise TypeError(f"{kind.__name__} has no field {name}; it has {', '.join(absent)}")
    whole = {}
    for name, default in absent.items():
        if name in given:
            whole[name] = given[name]
        elif default:
            whole[name] = default()
        else:
            raise TypeError(f"{kind.__name__} needs its field {name}")
    return kind(**whole)


def flags(names, words=()):
    """A set of capabilities: these flags set, and these words, each a pair of name and word."""
    found = [Capability(name, CapabilityValue_Flag(True)) for name in names]
    found += [Capability(name, CapabilityValue_Word(word)) for name, word in words]
    return record(CapabilitySet, revision=0, capabilities=found)


def text(content):
    """The text of a message's content, pictures and files left out."""
    return "\n\n".join(part.value for part in content if isinstance(part, Content_Text))


def check(value, of):
    """Raises a TypeError that names record and field, unless the value is of this type with all that is in it."""
    try:
        _checker(of)(value)
    except (_Wrong, TypeError) as wrong:
        # Raised anew: the places between here and the field say nothing to an author.
        raise TypeError(f"a value {wrong}" if isinstance(wrong, _Wrong) else str(wrong)) from None


class _Wrong(Exception):
    """What is wrong with a value, for the record that holds it."""

    def __init__(self, value, wanted):
        super().__init__(f"is {value!r:.80}, and should be {wanted}")


@cache
def _absent(kind):
    """What makes each field's value when it is left out; `None` for those that can't be."""
    return {field.name: _default(field.type) for field in fields(kind)}


def _default(of):
    if of is bool:
        return bool
    if typing.get_origin(of) is list:
        return list
    return _nothing if type(None) in typing.get_args(of) else None


def _nothing():
    return None


@cache
def _checker(of):
    """What holds a value against this type. What a type consists of is looked up once."""
    origin, inner = typing.get_origin(of), typing.get_args(of)
    if origin is list:
        return _each(inner[0])
    if origin is tuple:
        return _in_order(inner)
    if origin is typing.Union:
        return _one_of(inner)
    if is_dataclass(origin or of):
        return _whole(origin or of, inner)
    return _text if of is str else _plain(of)


def _text(value):
    if not isinstance(value, str):
        raise _Wrong(value, "str")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _Wrong(value, "whole characters") from None


def _plain(kind):
    kinds = (int, float) if kind is float else (kind,)

    def plain(value):
        # Python takes True for a number.
        if not isinstance(value, kinds) or (isinstance(value, bool) and kind is not bool):
            raise _Wrong(value, _name(kind))
        if kind is int and not -(2**31) <= value < 2**32:
            raise _Wrong(value, "a number of 32 bits")

    return plain


def _each(inner):
    one = _checker(inner)

    def each(value):
        if not isinstance(value, list):
            raise _Wrong(value, "a list")
        for part in value:
            one(part)

    return each


def _in_order(inner):
    each = [_checker(of) for of in inner]

    def in_order(value):
        if not isinstance(value, tuple) or len(value) != len(each):
            raise _Wrong(value, f"a tuple of {len(each)}")
        for part, one in zip(value, each):
            one(part)

    return in_order


def _one_of(inner):
    """An option, or the cases of a variant."""
    cases = {typing.get_origin(of) or of: _checker(of) for of in inner}
    option = next((_checker(of) for of in inner if len(inner) == 2 and type(None) in inner and of is not type(None)), None)

    def one_of(value):
        one = cases.get(type(value), option)
        if one is None:
            raise _Wrong(value, " or ".join(_name(of) for of in inner))
        one(value)

    return one_of


def _whole(kind, inner):
    # The two halves of a result say what is in them behind their name.
    parts = [(field.name, _checker(inner[0] if inner else field.type)) for field in fields(kind)]

    def whole(value):
        if not isinstance(value, kind):
            raise _Wrong(value, _name(kind))
        for name, one in parts:
            try:
                one(getattr(value, name))
            except _Wrong as wrong:
                raise TypeError(f"{kind.__name__}.{name} {wrong}") from None

    return whole


def _name(of):
    return getattr(typing.get_origin(of) or of, "__name__", str(of))

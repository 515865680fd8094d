"""Tokenizes a `.gitignore` pattern, byte by byte as git does."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

_PLAIN: Final = re.compile(rb"[^*?\[\\]*")
_SLASH, _STAR, _ANY, _OPEN, _CLOSE, _BACKSLASH, _DASH = b"/*?[]\\-"


class Mark(Enum):
    """A token that is neither a byte nor a set of bytes."""

    SLASH = "/"
    STAR = "*"
    DEEP = "any number of names"
    DEEP_SOME = "one name or more"
    JOINT = "`**` before a slash that follows plain text"
    JOINT_SOME = "the same at the end, or before an escaped slash"


Token = int | frozenset[int] | Mark

_ALL: Final = frozenset(range(1, 256)) - {_SLASH}

_SPECIAL: Final[dict[int, Token]] = {_SLASH: Mark.SLASH, _ANY: _ALL}


def _bytes(text: str) -> frozenset[int]:
    return frozenset(text.encode())


_PRINTED: Final = frozenset(range(0x20, 0x7F))
_LOWER: Final = _bytes("abcdefghijklmnopqrstuvwxyz")
_UPPER: Final = _bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS: Final = _LOWER | _UPPER
_DIGITS: Final = _bytes("0123456789")
_CLASSES: Final = {
    b"alnum": _LETTERS | _DIGITS,
    b"alpha": _LETTERS,
    b"blank": _bytes(" \t"),
    b"cntrl": frozenset(range(0x20)) | {0x7F},
    b"digit": _DIGITS,
    b"graph": _PRINTED - _bytes(" "),
    b"lower": _LOWER,
    b"print": _PRINTED,
    b"punct": _PRINTED - _LETTERS - _DIGITS - _bytes(" "),
    b"space": _bytes(" \t\r\n"),
    b"upper": _UPPER,
    b"xdigit": _DIGITS | _bytes("abcdefABCDEF"),
}


def tokenize(pattern: bytes) -> list[Token] | None:
    """The pattern's tokens, or None if git can't match it with anything."""
    plain = _PLAIN.match(pattern)
    joint = plain.end() if plain else 0
    found: list[Token] = []
    at = 0
    while at < len(pattern):
        byte = pattern[at]
        if byte == _OPEN:
            bracket = _bracket(pattern, at)
            if bracket is None:
                return None
            members, at = bracket
            found.append(members)
            continue
        if byte == _STAR:
            end = len(pattern) - len(pattern[at:].lstrip(b"*"))
            found.append(_stars(pattern, at, end, joint))
            at = end
            continue
        if byte == _BACKSLASH:
            at += 1
            if at == len(pattern):
                return None
            byte = pattern[at]
            found.append(Mark.SLASH if byte == _SLASH else byte)
        else:
            found.append(_SPECIAL.get(byte, byte))
        at += 1
    return found


def _stars(pattern: bytes, at: int, end: int, joint: int) -> Mark:
    """The mark for a run of stars: `**` is special between slashes and after plain text."""
    rest = pattern[end:]
    if end - at == 1 or not (not rest or rest.startswith((b"/", b"\\/"))):
        return Mark.STAR
    before_slash = rest.startswith(b"/")
    if at == 0 or pattern[at - 1] == _SLASH:
        return Mark.DEEP if before_slash else Mark.DEEP_SOME
    if at == joint:
        return Mark.JOINT if before_slash else Mark.JOINT_SOME
    return Mark.STAR


def _bracket(pattern: bytes, at: int) -> tuple[frozenset[int], int] | None:
    """The bytes in the bracket expression at this position, and its end."""
    at += 1
    negated = pattern[at : at + 1] in {b"!", b"^"}
    at += negated
    first, members, before = at, set[int](), 0
    while at < len(pattern) and (pattern[at] != _CLOSE or at == first):
        byte = pattern[at]
        following = pattern[at + 1 : at + 2]
        if byte == _DASH and before and following not in {b"", b"]"}:
            at += 2 if following == b"\\" else 1
            if at == len(pattern):
                return None
            members.update(range(before, pattern[at] + 1))
            before = 0
        elif byte == _OPEN and following == b":" and (end := pattern.find(b"]", at)) != at + 2:
            if end < 0:
                return None
            if pattern[end - 1] != ord(":"):
                members.add(byte)
                before = byte
            elif (named := _CLASSES.get(pattern[at + 2 : end - 1])) is None:
                return None
            else:
                members |= named
                at, before = end, 0
        else:
            at += byte == _BACKSLASH
            if at == len(pattern):
                return None
            before = pattern[at]
            members.add(before)
        at += 1
    if at >= len(pattern):
        return None
    return (_ALL - members if negated else _ALL & members), at + 1

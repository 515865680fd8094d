"""Parses a `.gitignore` pattern into sequences of parts, each matching one name of a path.

It is tokenized byte by byte, as git does. `**` between slashes matches any number of names. Where
it follows plain text, as in `a**/b`, git treats it so as well, so that one pattern may give several
sequences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache
from itertools import groupby
from typing import Final

from index_format.tuples import NamedTuple

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


_Token = int | frozenset[int] | Mark

_ALL: Final = frozenset(range(1, 256)) - {_SLASH}

_SPECIAL: Final[dict[int, _Token]] = {_SLASH: Mark.SLASH, _ANY: _ALL}


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


def _tokenize(pattern: bytes) -> list[_Token] | None:
    """The pattern's tokens, or None if git can't match it with anything."""
    plain = _PLAIN.match(pattern)
    joint = plain.end() if plain else 0
    found: list[_Token] = []
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


# patterns that pathspec reads as git does, and whose expressions can't backtrack for long
_SIMPLE: Final = re.compile(rb"[A-Za-z0-9_.*-]*")
_SIMPLE_STARS: Final = 2
_ALL_BYTES: Final = frozenset(range(256))
_JOINTS: Final = frozenset({Mark.JOINT, Mark.JOINT_SOME})


class Kind(Enum):
    """The way in which a part is compared with a name."""

    EXACT = "="
    BEGINNING = "x*"
    ENDING = "*x"
    EXPRESSION = "?"


class Part(NamedTuple):
    """Matches one name: the text itself, a prefix, a suffix, or an expression of these tokens.

    With an expression, `text` is a literal that every match contains. It is compiled when a name
    has that: most rules of a file are never compared further.
    """

    kind: Kind
    text: str
    tokens: tuple[_Token, ...] = ()

    def matches(self, name: str) -> bool:
        """True if the name matches."""
        if self.kind is Kind.EXPRESSION:
            return (
                self.text in name and _expression(self.tokens).fullmatch(name.encode()) is not None
            )
        if self.kind is Kind.EXACT:
            return name == self.text
        if self.kind is Kind.BEGINNING:
            return name.startswith(self.text)
        return name.endswith(self.text)


# None matches any number of names, zero included
Parts = tuple[Part | None, ...]
_ANYTHING: Final = Part(Kind.BEGINNING, "")


def name_part(pattern: bytes) -> Part | None:
    """Parses a pattern without a slash, which matches at any depth; None if it can't match."""
    found = _tokenize(pattern)
    return None if found is None else _part(tuple(found))


def part_sequences(pattern: bytes) -> list[Parts]:
    """All sequences of a pattern with slashes; empty if git can't match it."""
    found = _tokenize(pattern)
    if found is None:
        return []
    return list(dict.fromkeys(_sequence(choice) for choice in _expand_joints(found)))


def _expand_joints(found: list[_Token]) -> Iterator[list[_Token]]:
    """Alternatives for `**` after plain text: a star, a star and folders, or nothing."""
    joint = next((n for n, token in enumerate(found) if token in _JOINTS), None)
    if joint is None:
        yield found
        return
    start, rest = found[:joint], found[joint + 1 :]
    if not rest:
        yield [*start, Mark.STAR]
        yield [*start, Mark.STAR, Mark.SLASH, Mark.DEEP_SOME]
        return
    yield [*start, Mark.STAR, Mark.SLASH, Mark.DEEP, *rest]
    if found[joint] is Mark.JOINT:
        while rest[:2] == [Mark.SLASH, Mark.DEEP]:
            rest = rest[2:]
        yield [*start, *rest[1:]]


def _sequence(found: Iterable[_Token]) -> Parts:
    parts: list[Part | None] = []
    for name in _names(found):
        deep = name in ([Mark.DEEP], [Mark.DEEP_SOME])
        if deep and parts[-1:] != [None]:
            parts.append(None)
        if name == [Mark.DEEP_SOME]:
            parts.append(_ANYTHING)
        elif not deep:
            parts.append(_part(tuple(name)))
    return tuple(parts)


def _names(found: Iterable[_Token]) -> Iterator[list[_Token]]:
    name: list[_Token] = []
    for token in found:
        if token is Mark.SLASH:
            yield name
            name = []
        else:
            name.append(token)
    yield name


@lru_cache(maxsize=4096)
def _part(name: tuple[_Token, ...]) -> Part:
    text = max((_text(run) for run in _plain_runs(name)), key=len, default="")
    stars = sum(isinstance(token, Mark) for token in name)
    if stars <= 1 and len(name) == stars + len(text.encode()):
        if not stars:
            return Part(Kind.EXACT, text)
        return Part(Kind.ENDING if isinstance(name[0], Mark) else Kind.BEGINNING, text)
    return Part(Kind.EXPRESSION, text, name)


def _plain_runs(name: Iterable[_Token]) -> Iterator[bytes]:
    for plain, run in groupby(name, lambda token: isinstance(token, int)):
        if plain:
            yield bytes(token for token in run if isinstance(token, int))


def _text(run: bytes) -> str:
    """The bytes as text; empty where they cut a character in two."""
    try:
        return run.decode()
    except UnicodeDecodeError:
        return ""


@lru_cache(maxsize=4096)
def _expression(name: tuple[_Token, ...]) -> re.Pattern[bytes]:
    written = b"".join(_as_pattern(token) for token in name)
    simple = _SIMPLE.fullmatch(written) and written.count(b"*") <= _SIMPLE_STARS
    return _by_pathspec(written.decode()) if simple else _by_bytes(name)


def _by_pathspec(pattern: str) -> re.Pattern[bytes]:
    from pathspec.patterns.gitignore.spec import (  # noqa: PLC0415 most rules do without
        GitIgnoreSpecPattern,
    )

    made, _ = GitIgnoreSpecPattern.pattern_to_regex(pattern)
    return re.compile((made or "").encode(), re.DOTALL)


def _by_bytes(name: tuple[_Token, ...]) -> re.Pattern[bytes]:
    """An expression with atomic groups for the stars, so that no name makes it backtrack."""
    first, *others = _runs(name)
    last = others.pop() if others else None
    middle = b"".join(b"(?>.*?%s)" % run for run in others)
    end = b"" if last is None else b".*" + last
    return re.compile(first + middle + end, re.DOTALL)


def _runs(name: Iterable[_Token]) -> Iterator[bytes]:
    """Expressions for the text between the stars."""
    run = b""
    for token in name:
        if isinstance(token, Mark):
            yield run
            run = b""
        else:
            run += _one_byte(token)
    yield run


def _one_byte(token: int | frozenset[int]) -> bytes:
    if isinstance(token, int):
        return b"\\x%02x" % token
    others = _ALL_BYTES - token  # the shorter list is the faster to compile
    mark, listed = (b"^", others) if len(others) < len(token) else (b"", token)
    return b"[%s%s]" % (mark, _escape_bytes(listed)) if token else b"(?!)"


def _escape_bytes(members: frozenset[int]) -> bytes:
    return b"".join(b"\\x%02x" % byte for byte in sorted(members))


def _as_pattern(token: _Token) -> bytes:
    """The token as pattern text, `?` where it is not simple."""
    if isinstance(token, Mark):
        return b"*"
    return b"?" if isinstance(token, frozenset) or token == _STAR else bytes([token])

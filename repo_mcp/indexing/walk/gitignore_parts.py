"""Parses a `.gitignore` pattern into sequences of parts, each matching one name of a path.

`**` between slashes matches any number of names. Where it follows plain text, as in `a**/b`, git
treats it so as well, so that one pattern may give several sequences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache
from itertools import groupby
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.indexing.walk.gitignore_tokens import Mark, Token, tokenize

# patterns that pathspec reads as git does, and whose expressions can't backtrack for long
_SIMPLE: Final = re.compile(rb"[A-Za-z0-9_.*-]*")
_SIMPLE_STARS: Final = 2
_STAR: Final = ord("*")
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
    tokens: tuple[Token, ...] = ()

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
    found = tokenize(pattern)
    return None if found is None else _part(tuple(found))


def part_sequences(pattern: bytes) -> list[Parts]:
    """All sequences of a pattern with slashes; empty if git can't match it."""
    found = tokenize(pattern)
    if found is None:
        return []
    return list(dict.fromkeys(_sequence(choice) for choice in _expand_joints(found)))


def _expand_joints(found: list[Token]) -> Iterator[list[Token]]:
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


def _sequence(found: Iterable[Token]) -> Parts:
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


def _names(found: Iterable[Token]) -> Iterator[list[Token]]:
    name: list[Token] = []
    for token in found:
        if token is Mark.SLASH:
            yield name
            name = []
        else:
            name.append(token)
    yield name


@lru_cache(maxsize=4096)
def _part(name: tuple[Token, ...]) -> Part:
    text = max((_text(run) for run in _plain_runs(name)), key=len, default="")
    stars = sum(isinstance(token, Mark) for token in name)
    if stars <= 1 and len(name) == stars + len(text.encode()):
        if not stars:
            return Part(Kind.EXACT, text)
        return Part(Kind.ENDING if isinstance(name[0], Mark) else Kind.BEGINNING, text)
    return Part(Kind.EXPRESSION, text, name)


def _plain_runs(name: Iterable[Token]) -> Iterator[bytes]:
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
def _expression(name: tuple[Token, ...]) -> re.Pattern[bytes]:
    written = b"".join(_as_pattern(token) for token in name)
    simple = _SIMPLE.fullmatch(written) and written.count(b"*") <= _SIMPLE_STARS
    return _by_pathspec(written.decode()) if simple else _by_bytes(name)


def _by_pathspec(pattern: str) -> re.Pattern[bytes]:
    from pathspec.patterns.gitignore.spec import (  # noqa: PLC0415 most rules do without
        GitIgnoreSpecPattern,
    )

    made, _ = GitIgnoreSpecPattern.pattern_to_regex(pattern)
    return re.compile((made or "").encode(), re.DOTALL)


def _by_bytes(name: tuple[Token, ...]) -> re.Pattern[bytes]:
    """An expression with atomic groups for the stars, so that no name makes it backtrack."""
    first, *others = _runs(name)
    last = others.pop() if others else None
    middle = b"".join(b"(?>.*?%s)" % run for run in others)
    end = b"" if last is None else b".*" + last
    return re.compile(first + middle + end, re.DOTALL)


def _runs(name: Iterable[Token]) -> Iterator[bytes]:
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


def _as_pattern(token: Token) -> bytes:
    """The token as pattern text, `?` where it is not simple."""
    if isinstance(token, Mark):
        return b"*"
    return b"?" if isinstance(token, frozenset) or token == _STAR else bytes([token])

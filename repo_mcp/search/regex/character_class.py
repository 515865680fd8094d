"""Parses character classes and escapes of a regular expression."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.search.regex.tree import (
    ASCII_WORD,
    SPACES,
    CharClass,
    Range,
    Ranges,
    complement,
    merged,
    without_line_feed,
)

NEW_LINE: Final = r"to match line ends write \n or (?s) in the expression"
_CODE: Final = re.compile(
    r"\\(?:x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})"
    r"|U\{([0-9A-Fa-f]{1,8})\}|U([0-9A-Fa-f]{8}))"
)
_PROPERTY: Final = re.compile(r"\\([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))")
_POSIX: Final = re.compile(r"\[:(\^?)([a-z]+):\]")
_CONTROLS: Final = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "n": "\n"}
_SURROGATES: Final = range(0xD800, 0xE000)
_SETS: Final = ("&&", "--", "~~")
_DIGITS: Final[Ranges] = ((0x30, 0x39),)
_UPPER: Final[Ranges] = ((0x41, 0x5A),)
_LOWER: Final[Ranges] = ((0x61, 0x7A),)
_NAMED: Final[dict[str, Ranges]] = {
    "alnum": (*_DIGITS, *_UPPER, *_LOWER),
    "alpha": (*_UPPER, *_LOWER),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": _DIGITS,
    "graph": ((0x21, 0x7E),),
    "lower": _LOWER,
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": _UPPER,
    "word": ASCII_WORD,
    "xdigit": (*_DIGITS, (0x41, 0x46), (0x61, 0x66)),
}
_ESCAPED: Final = {
    "d": CharClass(properties=("Nd",)),
    "D": CharClass(properties=("^Nd",)),
    "s": CharClass(ranges=merged(without_line_feed(SPACES))),
    "S": CharClass(ranges=complement(SPACES)),
    "w": CharClass(word=True),
    "W": CharClass(other=True),
}


_WITH_FEEDS: Final = {
    **{name: replace(known, feeds=True) for name, known in _ESCAPED.items()},
    "s": CharClass(ranges=merged(SPACES), feeds=True),
}


def escaped_class(
    pattern: str, at: int, *, folded: bool, feeds: bool = False
) -> tuple[CharClass, int] | None:
    """The class that an escape stands for and its end offset; None if it is no class.

    With `feeds` it may hold line feeds.
    """
    known = _ESCAPED.get(pattern[at + 1 : at + 2])
    if known is not None:
        return (_WITH_FEEDS if feeds else _ESCAPED)[pattern[at + 1]], at + 2
    found = _PROPERTY.match(pattern, at)
    if not found:
        return None
    name = found[3] or found[4]
    all_but = (found[1] == "P") != bool(found[2])
    return CharClass(properties=("^" * all_but + name,), folded=folded, feeds=feeds), found.end()


def escaped_character(pattern: str, at: int) -> tuple[str, int]:
    """The character that an escape stands for and its end offset."""
    code = _CODE.match(pattern, at)
    if code:
        value = int(next(filter(None, code.groups())), 16)
        if value > 0x10FFFF or value in _SURROGATES:
            _refuse(at, "no character has this code")
        return chr(value), code.end()
    name = pattern[at + 1 : at + 2]
    if not name:
        _refuse(at, "nothing follows the backslash: write \\\\ for the character")
    if name in _CONTROLS:
        return _CONTROLS[name], at + 2
    if name.isalnum():
        _refuse(at, "unknown escape")
    return name, at + 2


class Bracketed(NamedTuple):
    """A bracketed class, its end offset, and whether a line feed is written in it."""

    node: CharClass
    end: int
    has_feed: bool


def read_class(pattern: str, at: int, *, folded: bool, feeds: bool = False) -> Bracketed:
    """The bracketed class at an offset; with `feeds` it may hold line feeds."""
    return _Brackets(pattern, at, feeds=feeds).read(folded=folded)


class _Brackets:
    """Parses a bracketed class from left to right."""

    def __init__(self, pattern: str, at: int, *, feeds: bool) -> None:
        self._feeds = feeds
        self._pattern = pattern
        self._begin = self._at = at
        self._ranges: list[Range] = []
        self._properties: list[str] = []
        self._word = self._other = self._has_feed = False

    def read(self, *, folded: bool) -> Bracketed:
        self._at += 1
        negated = self._skip("^")
        if self._next() == "]":
            self._add_range()
        while not self._skip("]"):
            if not self._next():
                _refuse(self._begin, "no ] closes this [: write \\[ for the character")
            self._member()
        ranges = merged(self._ranges if self._feeds else without_line_feed(self._ranges))
        known = ranges or self._properties or self._word or self._other
        if not (negated or known or self._has_feed):
            _refuse(self._begin, NEW_LINE)
        names = tuple(dict.fromkeys(self._properties))
        found = CharClass(
            ranges, names, self._word, self._other, negated, folded, feeds=self._feeds
        )
        return Bracketed(found, self._at, self._has_feed)

    def _member(self) -> None:
        pattern, at = self._pattern, self._at
        if pattern.startswith(_SETS, at):
            _refuse(at, "set operations are not supported: write a backslash before characters")
        named = _POSIX.match(pattern, at)
        if named:
            known = _NAMED.get(named[2])
            if known is None:
                _refuse(at, "no character class has this name")
            self._ranges += complement(known) if named[1] else known
            self._at = named.end()
            return
        escaped = None
        if self._next() == "\\":
            escaped = escaped_class(pattern, at, folded=False, feeds=self._feeds)
        if escaped is None:
            self._add_range()
            return
        found, self._at = escaped
        self._ranges += found.ranges
        self._properties += found.properties
        self._word |= found.word
        self._other |= found.other

    def _add_range(self) -> None:
        """Parses a character, or two with a hyphen between them."""
        begin = self._at
        low = high = self._character()
        pattern = self._pattern
        if pattern.startswith("-", self._at) and not pattern.startswith(("-]", "--"), self._at):
            self._at += 1
            if self._next() == "\\" and escaped_class(pattern, self._at, folded=False):
                _refuse(begin, "a range must end with a character: write \\- for the hyphen")
            high = self._character()
        if ord(high) < ord(low):
            _refuse(begin, "the range ends before it begins")
        self._ranges.append((ord(low), ord(high)))

    def _character(self) -> str:
        here = self._next()
        if here == "\\":
            character, self._at = escaped_character(self._pattern, self._at)
            self._has_feed |= character == "\n"
            return character
        if here == "[":
            _refuse(self._at, "classes can't be nested: write \\[ for the character")
        if not here:
            _refuse(self._begin, "no ] closes this [: write \\[ for the character")
        self._at += 1
        self._has_feed |= here == "\n"
        return here

    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _skip(self, character: str) -> bool:
        found = self._next() == character
        self._at += found
        return found


def _refuse(at: int, reason: str) -> NoReturn:
    raise Problem("argument_invalid", f"expression, character {at + 1}: {reason}")

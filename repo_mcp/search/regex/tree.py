"""The syntax tree of a regular expression, and operations on code point ranges."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import chain
from typing import Final

from index_format.records import Record

LAST_CODE_POINT: Final = 0x10FFFF

Range = tuple[int, int]
Ranges = tuple[Range, ...]

SPACES: Final[Ranges] = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
)
ASCII_WORD: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
# word characters outside the categories below: joiners, letters in circles and squares
OTHER_WORD: Final[Ranges] = (
    (0x200C, 0x200D),
    (0x24B6, 0x24E9),
    (0x1F130, 0x1F149),
    (0x1F150, 0x1F169),
    (0x1F170, 0x1F189),
)
WORD_CATEGORIES: Final = ("L", "M", "Nd", "Nl", "Pc")


class Char(Record):
    """A character; folded, also those that differ from it in case only."""

    value: str
    folded: bool = False


class CharClass(Record):
    r"""One character of a class; a line feed only if `feeds` allows it.

    `properties` are RE2's names, with "^" for a negated one; `word` and `other` say that `\w` and
    `\W` are members.
    """

    ranges: Ranges = ()
    properties: tuple[str, ...] = ()
    word: bool = False
    other: bool = False
    negated: bool = False
    folded: bool = False
    feeds: bool = False


class Assertion(Enum):
    """A zero-width assertion."""

    LINE_START = "^"
    LINE_END = "$"
    BOUNDARY = r"\b"
    INSIDE = r"\B"


class Concatenation(Record):
    """A sequence; an empty one matches the empty text."""

    items: tuple[Node, ...]


class Alternation(Record):
    """Alternatives, of which the first that leads to a match is taken."""

    items: tuple[Node, ...]


class Repeat(Record):
    """A repetition between two counts, as often as possible, or as rarely if lazy."""

    item: Node
    low: int
    high: int | None
    lazy: bool = False


Node = Char | CharClass | Assertion | Concatenation | Alternation | Repeat

ANY: Final = CharClass(negated=True)
ANYTHING: Final = CharClass(negated=True, feeds=True)


def literal(text: str, *, folded: bool) -> Concatenation:
    """The tree of a literal, which may contain line feeds."""
    return Concatenation(tuple(Char(character, folded) for character in text))


def merged(ranges: Iterable[Range]) -> Ranges:
    """The same code points in as few ranges as possible, ascending."""
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def complement(ranges: Ranges) -> Ranges:
    """All other code points."""
    found: list[Range] = []
    begin = 0
    for low, high in merged(ranges):
        if begin < low:
            found.append((begin, low - 1))
        begin = high + 1
    if begin <= LAST_CODE_POINT:
        found.append((begin, LAST_CODE_POINT))
    return tuple(found)


def without_line_feed(ranges: Iterable[Range]) -> list[Range]:
    """The ranges without the line feed."""
    found: list[Range] = []
    for low, high in ranges:
        if low <= 0x0A <= high:
            found += [(low, 0x09)] * (low < 0x0A) + [(0x0B, high)] * (high > 0x0A)
        else:
            found.append((low, high))
    return found


def is_subset(part: Iterable[Range], whole: Ranges) -> bool:
    """True if `whole`, whose ranges don't touch, contains all code points of `part`."""
    return all(any(low <= a and b <= high for low, high in whole) for a, b in part)


def is_word(character: str) -> bool:
    r"""True if `\w` matches a character."""
    category = unicodedata.category(character)
    code = ord(character)
    return category.startswith(WORD_CATEGORIES) or is_subset([(code, code)], OTHER_WORD)


def begins_with_word(node: Node) -> bool:
    r"""True if each match certainly begins with a character of `\w`."""
    return _edge_is_word(node, 1) and not may_be_empty(node)


def ends_with_word(node: Node) -> bool:
    r"""True if each match certainly ends with a character of `\w`."""
    return _edge_is_word(node, -1) and not may_be_empty(node)


def _edge_is_word(node: Node, step: int) -> bool:
    """True if each match begins or ends with a word character, or is empty."""
    match node:
        case Char(value):
            return is_word(value)
        case CharClass():
            known = is_subset(node.ranges, ASCII_WORD) and {*node.properties} <= {*WORD_CATEGORIES}
            return known and not node.negated and not node.other
        case Concatenation(items):
            return all(_edge_is_word(item, step) for item in _first_not_empty(items[::step]))
        case Alternation(items):
            return all(_edge_is_word(item, step) for item in items)
        case Repeat(item):
            return _edge_is_word(item, step)
    return True  # an assertion has no character


def _first_not_empty(items: Iterable[Node]) -> Iterator[Node]:
    """Items up to the first that can't be empty."""
    for item in items:
        yield item
        if not may_be_empty(item):
            return


def nodes_of(node: Node) -> Iterator[Node]:
    """A node and all nodes in it."""
    yield node
    match node:
        case Concatenation(items) | Alternation(items):
            yield from chain.from_iterable(map(nodes_of, items))
        case Repeat(item):
            yield from nodes_of(item)


def may_be_empty(node: Node) -> bool:
    """True if a node may match the empty text."""
    match node:
        case Char() | CharClass():
            return False
        case Assertion():
            return True
        case Concatenation(items):
            return all(may_be_empty(item) for item in items)
        case Alternation(items):
            return any(may_be_empty(item) for item in items)
        case Repeat(item, low):
            return low == 0 or may_be_empty(item)


def most_line_feeds(node: Node) -> int | None:
    """The most line feeds that a match of a node has; None if there may be any number."""
    most: int | None = 0
    match node:
        case Char(value):
            most = int(value == "\n")
        case CharClass():
            most = int(_may_be_line_feed(node))
        case Concatenation(items) | Alternation(items):
            counts = [most_line_feeds(item) for item in items]
            known = [count for count in counts if count is not None]
            most = sum(known) if isinstance(node, Concatenation) else max(known, default=0)
            most = most if len(known) == len(counts) else None
        case Repeat(item, _, high):
            inner = most_line_feeds(item)
            if inner != 0:
                most = None if inner is None or high is None else inner * high
    return most


def _may_be_line_feed(node: CharClass) -> bool:
    listed = any(low <= ord("\n") <= high for low, high in node.ranges)
    if node.negated:
        return node.feeds and not listed
    return node.feeds and (listed or bool(node.properties) or node.other)

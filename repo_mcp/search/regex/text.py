r"""Writes an expression in RE2's syntax, so that each match lies within one line if it shall.

No class contains a line feed unless it may, and `\w`, `\d` and `\s` are those of Unicode. For ASCII
text there is a separate expression, a hundred times smaller.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from itertools import groupby
from typing import Final

from index_format.records import replace
from repo_mcp.errors import Problem
from repo_mcp.search.regex.tree import (
    ASCII_WORD,
    OTHER_WORD,
    WORD_CATEGORIES,
    Alternation,
    Assertion,
    Char,
    CharClass,
    Concatenation,
    Node,
    Range,
    Ranges,
    Repeat,
    begins_with_word,
    complement,
    ends_with_word,
    merged,
)


class Dialect(Enum):
    """The kind of text that an expression is compiled for."""

    ASCII = 0
    UNICODE = 1


# non-ASCII characters that differ from an ASCII letter in case only
_FOLDED_TO_ASCII: Final = {0x17F: "s", 0x212A: "k"}
_LINE_FEED: Final = r"\n"
# Unicode properties of a line feed
_WITH_LINE_FEED: Final = frozenset({"Any", "C", "Cc", "Common"})


def write_expression(body: Node, dialect: Dialect, *, left: bool, right: bool) -> tuple[str, int]:
    """The expression in RE2's syntax, and the number of the group that is the match.

    With `left` or `right`, no word character is next to the match on that side. RE2's boundaries
    are ASCII only, so elsewhere the neighbouring character is part of the expression.
    """
    ascii_ = dialect is Dialect.ASCII
    plain_left = left and ascii_ and begins_with_word(body)
    plain_right = right and ascii_ and ends_with_word(body)
    text = write_node(body, dialect)
    text = rf"\b(?:{text})" if plain_left else text
    text = rf"(?:{text})\b" if plain_right else text
    if (left and not plain_left) or (right and not plain_right):
        other = f"[^{_words(dialect)}{_LINE_FEED}]"
        before = f"(?:^|{other})" if left and not plain_left else ""
        after = f"(?:{other}|$)" if right and not plain_right else ""
        return f"(?m){before}({text}){after}", 1
    return f"(?m){text}", 0


def write_node(node: Node, dialect: Dialect) -> str:
    """A node in RE2's syntax."""
    match node:
        case Char():
            return _char(node, dialect)
        case CharClass():
            return _class(node, dialect)
        case Assertion():
            return f"(?:{node.value})"
        case Concatenation(items):
            return "".join(_run(run, dialect) for run in _runs(items))
        case Alternation(items):
            return "(?:" + "|".join(write_node(item, dialect) for item in items) + ")"
        case Repeat(item, low, high, lazy):
            return f"(?:{write_node(item, dialect)}){_counts(low, high)}{'?' * lazy}"


def _counts(low: int, high: int | None) -> str:
    known = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
    if known:
        return known
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"


def _runs(items: Iterable[Node]) -> Iterator[list[Node]]:
    """Groups adjacent folded characters; every other node is a group of its own."""
    for folded, run in groupby(items, lambda item: isinstance(item, Char) and item.folded):
        if folded:
            yield [*run]
        else:
            yield from ([item] for item in run)


def _run(run: list[Node], dialect: Dialect) -> str:
    if len(run) == 1:
        return write_node(run[0], dialect)
    plain = (_plain(item.value, dialect, folded=True) for item in run if isinstance(item, Char))
    return f"(?i:{''.join(plain)})"


def _char(node: Char, dialect: Dialect) -> str:
    text = _plain(node.value, dialect, folded=node.folded)
    return f"(?i:{text})" if node.folded else text


def _plain(character: str, dialect: Dialect, *, folded: bool) -> str:
    code = ord(character)
    if dialect is Dialect.ASCII and code > 0x7F:
        known = _FOLDED_TO_ASCII.get(code) if folded else None
        return known or _set([], negated=False, dialect=dialect)
    return _escaped(code)


def _escaped(code: int) -> str:
    character = chr(code)
    return character if character.isascii() and character.isalnum() else rf"\x{{{code:x}}}"


def _class(node: CharClass, dialect: Dialect) -> str:
    if node.negated and node.other:
        text = _words_except(node, dialect)
    elif node.negated:
        text = _set(_members(node, dialect), negated=True, dialect=dialect, feeds=node.feeds)
    else:
        text = _positive(node, dialect)
    return f"(?i:{text})" if node.folded else text


def _positive(node: CharClass, dialect: Dialect) -> str:
    """A class; members that may contain a line feed are written as separate negated brackets."""
    apart = [name for name in node.properties if _may_hold_line_feed(name)]
    others = [_property(name, inverted=True) for name in apart] + [_words(dialect)] * node.other
    members = _members(replace(node, properties=_without(node.properties, apart)), dialect)
    sets = [_set([other], negated=True, dialect=dialect, feeds=node.feeds) for other in others]
    if members or not sets:
        sets.insert(0, _set(members, negated=False, dialect=dialect))
    return sets[0] if len(sets) == 1 else f"(?:{'|'.join(sets)})"


def _may_hold_line_feed(name: str) -> bool:
    return name.startswith("^") or name in _WITH_LINE_FEED


def _without(names: Iterable[str], left_out: list[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in left_out)


def _property(name: str, *, inverted: bool = False) -> str:
    all_but = name.startswith("^") != inverted
    return rf"\{'P' if all_but else 'p'}{{{name.removeprefix('^')}}}"


def _members(node: CharClass, dialect: Dialect) -> list[str]:
    ranges = [_range(item) for item in _representable(node.ranges, dialect, folded=node.folded)]
    return ranges + [*map(_property, node.properties)] + [_words(dialect)] * node.word


def _set(members: list[str], *, negated: bool, dialect: Dialect, feeds: bool = False) -> str:
    if negated and feeds and not members:
        return r"(?s:.)"
    if negated:
        return f"[^{''.join(members)}{'' if feeds else _LINE_FEED}]"
    if not members:  # matches nothing
        return r"[^\x00-\xff]" if dialect is Dialect.ASCII else r"[^\x00-\x{10ffff}]"
    return f"[{''.join(members)}]"


def _representable(ranges: Ranges, dialect: Dialect, *, folded: bool) -> Ranges:
    """The ranges that can occur in text of the dialect."""
    if dialect is Dialect.UNICODE:
        return ranges
    kept = [(low, min(high, 0x7F)) for low, high in ranges if low <= 0x7F]
    if folded:
        kept += [
            (ord(letter), ord(letter))
            for code, letter in _FOLDED_TO_ASCII.items()
            if any(low <= code <= high for low, high in ranges)
        ]
    return merged(kept)


def _range(item: Range) -> str:
    low, high = item
    return _escaped(low) if low == high else f"{_escaped(low)}-{_escaped(high)}"


def _words(dialect: Dialect) -> str:
    r"""The members of `\w`, to be written in brackets."""
    ranges = ASCII_WORD if dialect is Dialect.ASCII else OTHER_WORD
    names = () if dialect is Dialect.ASCII else WORD_CATEGORIES
    return "".join(rf"\p{{{name}}}" for name in names) + "".join(map(_range, ranges))


def _words_except(node: CharClass, dialect: Dialect) -> str:
    r"""`[^\W...]`: word characters without the other members."""
    if node.word:
        return _set([], negated=False, dialect=dialect)
    cased = any(chr(code).lower() != chr(code).upper() for code in _codes(node.ranges))
    if node.properties or (node.folded and cased):
        raise Problem(
            "argument_invalid", r"expression: [^\W...] can't be combined with these members"
        )
    words = ASCII_WORD if dialect is Dialect.ASCII else all_words()
    left_out = merged([*complement(words), *node.ranges])
    return _set([_range(item) for item in complement(left_out)], negated=False, dialect=dialect)


def _codes(ranges: Ranges) -> Iterator[int]:
    for low, high in ranges:
        yield from range(low, min(high, sys.maxunicode) + 1)


@cache
def all_words() -> Ranges:
    r"""All code points of `\w`, by Python's Unicode table."""
    codes = range(sys.maxunicode + 1)
    known = [code for code in codes if unicodedata.category(chr(code)).startswith(WORD_CATEGORIES)]
    return merged([*OTHER_WORD, *zip(known, known, strict=True)])

"""Decides which marks of a query are meant as syntax; in doubt they are words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from repo_mcp.search.query.marks import Mark, words
from repo_mcp.search.query.tree import Filter, Phrase, Prefix, Word


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DEEPEST: Final = 16
# what stands in code and in no question
_CODE: Final = re.compile(
    r"[;{}]|(?:^|\s)(?:[-+*/|&^%]?=|==|!=|<=|>=|:=|=>|->|<-|&&|\|\||<<|>>|\?|<|>)(?=\s|$)"
)
_SQL: Final = _set("""
    BETWEEN DISTINCT EXISTS FROM HAVING IN IS JOIN LIKE NULL SELECT UNION VALUES WHERE
""")
_CAPITALS: Final = re.compile(r"\b[A-Z]+\b")
_COMMAND: Final = re.compile(r"--\w.*|-\w{1,2}|-[\w-]+=.*|\./.*|\$.*|[.|<>&]+")
# where one of these stands, a NOT between words stresses what is said
_PROSE: Final = _set("""
    am are be can could did do does had has have how if is it may might must shall should that this
    to was we were what when where which who why will would you
""")
_SIGNED: Final = re.compile(r"[\w.:-]*[^\W\d_][\w.:-]*")
_SHORTEST_EXCLUDED: Final = 3
_SHORTEST_SIGNED: Final = 2


def meant(found: Sequence[Mark]) -> list[Mark]:
    """The marks of a query with those that mean nothing turned into words."""
    if _CODE.search(" ".join(mark.shown for mark in found if not isinstance(mark.leaf, Phrase))):
        return _code(found)
    kept = _paired(found)
    if _is_stressed(kept):
        kept = [mark.as_plain() if _is_operator(mark) else mark for mark in kept]
    kept = _infixes(_negations(_signs(_prefixes(kept))))
    used = any(_is_operator(mark) or (mark.kind == "open" and mark.shown != "(") for mark in kept)
    return kept if used else [mark for mark in kept if mark.kind not in ("open", "close")]


def _code(found: Sequence[Mark]) -> list[Mark]:
    """Of code nothing is syntax but filters behind it."""
    last = len(found)
    while last and isinstance(found[last - 1].leaf, Filter):
        last -= 1
    return [*(mark.as_plain() for mark in found[:last]), *found[last:]]


def _is_operator(mark: Mark) -> bool:
    return mark.kind in ("AND", "OR", "NOT")


def _pairs(found: Sequence[Mark]) -> dict[int, int]:
    """Where the bracket that opens at a place closes; what is nested too deeply is left out."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for at, mark in enumerate(found):
        if mark.kind == "open":
            opened.append(at)
        elif mark.kind == "close" and opened:
            begin = opened.pop()
            if len(opened) < _DEEPEST:
                pairs[begin] = at
    return pairs


def _paired(found: Sequence[Mark]) -> list[Mark]:
    """Brackets stay where they are two and hold something to search for; the rest is dropped."""
    pairs = {
        begin: end
        for begin, end in _pairs(found).items()
        if any(mark.kind == "operand" for mark in found[begin:end])
    }
    kept = {*pairs, *pairs.values()}
    return [
        mark if at in kept or mark.kind not in ("open", "close") else mark.as_plain()
        for at, mark in enumerate(found)
        if at in kept or mark.shown not in ("(", ")")
    ]


def _is_stressed(found: Sequence[Mark]) -> bool:
    """Whether capitals mean something else: a shout, or a statement of SQL."""
    said = [mark.shown for mark in found if not _is_operator(mark) and mark.kind != "close"]
    capitals = {word for text in said for word in _CAPITALS.findall(text)}
    small = {text.lower() for text in said}
    if capitals & _SQL or {"select", "from"} <= small:
        return True
    operands = [mark for mark in found if mark.kind == "operand"]
    return not any(_is_quiet(mark) for mark in operands)


def _is_quiet(mark: Mark) -> bool:
    """Not a bare word of nothing but capitals; brackets have no voice."""
    said = words(mark.shown)
    return not mark.bare or not all(word.isalpha() and word.isupper() for word in said)


def _prefixes(found: Sequence[Mark]) -> list[Mark]:
    """A word with a star behind it ends what stress began with a star before it."""
    if not any(mark.shown.startswith("*") for mark in found):
        return list(found)
    return [mark.as_plain() if isinstance(mark.leaf, Prefix) else mark for mark in found]


def _signs(found: Sequence[Mark]) -> list[Mark]:
    command = any(_COMMAND.fullmatch(mark.shown) for mark in found)
    kept: list[Mark] = []
    for mark in found:
        twice = mark.sign == "-" and bool(kept) and kept[-1].kind == "NOT"
        signed = _is_signed(mark, first=not kept, command=command) and not twice
        kept.append(mark if signed else replace(mark, sign=""))
    return kept


def _is_signed(mark: Mark, *, first: bool, command: bool) -> bool:
    """Whether the sign before a mark says that it is wanted, or not wanted."""
    if mark.kind == "open":
        return mark.field is not None or not (command or first)
    if not mark.bare or not isinstance(mark.leaf, Word):
        return not (command and isinstance(mark.leaf, Prefix))
    text = mark.leaf.text
    if mark.sign == "-" and (first or command or len(text) < _SHORTEST_EXCLUDED):
        return False
    return _SIGNED.fullmatch(text) is not None and len(text) >= _SHORTEST_SIGNED


def _negations(found: Sequence[Mark]) -> list[Mark]:
    prose = any(mark.shown.lower() in _PROSE for mark in found)
    return [
        mark.as_plain() if mark.kind == "NOT" and not _negates(found, at, prose=prose) else mark
        for at, mark in enumerate(found)
    ]


def _negates(found: Sequence[Mark], at: int, *, prose: bool) -> bool:
    if at + 1 == len(found) or found[at + 1].kind not in ("operand", "open"):
        return False
    after_operator = at > 0 and _is_operator(found[at - 1])
    return after_operator or (_is_quiet(found[at + 1]) and not prose)


def _infixes(found: Sequence[Mark]) -> list[Mark]:
    """An AND or OR stays between two operands."""
    kept: list[Mark] = []
    for at, mark in enumerate(found):
        if mark.kind not in ("AND", "OR"):
            kept.append(mark)
            continue
        before, after = kept[-1:], found[at + 1 : at + 2]
        between = before and after and _are_joined(before[0], after[0])
        kept.append(mark if between else mark.as_plain())
    return kept


def _are_joined(before: Mark, after: Mark) -> bool:
    if before.kind not in ("operand", "close") or after.kind not in ("operand", "open", "NOT"):
        return False
    return _is_quiet(before) or _is_quiet(after)

"""Cuts a query into what may be syntax and what is plainly words; nothing is decided yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from repo_mcp.errors import Problem
from repo_mcp.search.query.tree import Filter, FilterKind, Leaf, Phrase, Prefix, Word
from repo_mcp.stored import BODY, DOC, NAME, PATH, SYMBOL
from repo_mcp.text.globs import Glob
from repo_mcp.text.words import MAX_WORD

Kind = Literal["plain", "operand", "AND", "OR", "NOT", "open", "close"]

_FIELDS: Final = {
    "symbol": SYMBOL,
    "doc": DOC,
    "body": BODY,
    "content": BODY,
    "path": PATH,
    "name": NAME,
    "file": NAME,
    "filename": NAME,
}
_FILTERS: Final[dict[str, FilterKind]] = {
    "ext": "ext",
    "extension": "ext",
    "lang": "lang",
    "language": "lang",
}
_PLACES: Final = frozenset({PATH, NAME})

_NAMES: Final = "|".join(sorted([*_FIELDS, *_FILTERS], key=len, reverse=True))
_HEAD: Final = re.compile(
    rf'(?P<sign>-(?=[\w"(])|\+(?=[\w"]))?(?:(?P<field>{_NAMES}):(?=[^\s:=)]))?'
)
_RUN: Final = re.compile(r"\S+")
_QUOTED: Final = re.compile(r'"([^"]+)"(?=[\s)]|$)')
_PREFIX: Final = re.compile(r"(\w*[^\W\d_]\w*)\*")
_WORD: Final = re.compile(r"\w*[^\W_]\w*")
_SIMPLE: Final = re.compile(r"\w+")
_VALUE: Final = re.compile(r"[\w~@$.*]")
_PATH: Final = re.compile(r"/?[\w.*?\[~@$+#-]")
_KINDS: Final = re.compile(r"\.?[\w+#-][\w.+#,-]*")
_SHORTEST_PREFIX: Final = 2
# `char* name` is a pointer, not words that begin with char
_POINTED_TO: Final = frozenset(
    ["auto", "bool", "char", "const", "double", "float", "int", "long", "short", "void"]
)


@dataclass(frozen=True, slots=True)
class Mark:
    """One piece of a query: what it would mean as syntax, and how it was written."""

    kind: Kind
    shown: str
    leaf: Leaf | None = None
    sign: str = ""
    field: str | None = None
    # a word that ranks and, unless an operator says otherwise, demands nothing
    bare: bool = False

    def as_plain(self) -> Mark:
        """The same as nothing but words."""
        return Mark("plain", self.shown)


def words(text: str) -> list[str]:
    """The words of a text that an index can hold."""
    return [word for word in _WORD.findall(text) if len(word) <= MAX_WORD]


def marks(text: str) -> list[Mark]:
    """The pieces of a query in order; brackets and operators may be anywhere."""
    return list(_cut(text))


def _cut(text: str) -> Iterator[Mark]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        for mark, end in _marks_at(text, at):
            yield mark
            at = end


def _marks_at(text: str, at: int) -> Iterator[tuple[Mark, int]]:
    """What begins here: one mark, or a word and the brackets that it closes."""
    sign, field, begin = _head(text, at)
    if text[begin] == "(" and sign != "+" and field not in _FILTERS:
        shown = text[at : begin + 1]
        yield Mark("open", shown, None, sign, _FIELDS.get(field or "")), begin + 1
        return
    quoted = _QUOTED.match(text, begin)
    if quoted is not None:
        yield _quoted(quoted[1], text[at : quoted.end()], sign, field), quoted.end()
        return
    run = _run(text, begin)
    if not run:  # it is nothing but closing brackets
        yield Mark("close", ")"), begin + 1
        return
    shown = text[at:begin] + run
    yield _unquoted(run, shown, sign, field), at + len(shown)


def _head(text: str, at: int) -> tuple[str, str | None, int]:
    """The sign and the field that something begins with, and where it goes on."""
    head = _HEAD.match(text, at)
    return (head["sign"] or "", head["field"], head.end()) if head else ("", None, at)


def _run(text: str, at: int) -> str:
    """What stands before the next blank, without brackets that it closes and does not open."""
    found = _RUN.match(text, at)
    run = found[0] if found else ""
    surplus = run.count(")") - run.count("(")
    bare = run.rstrip(")")
    return run[: max(len(bare), len(run) - max(surplus, 0))]


def _quoted(inner: str, shown: str, sign: str, field: str | None) -> Mark:
    held = words(inner)
    if field in _FILTERS or (field is not None and _FIELDS[field] in _PLACES):
        return _placed(inner, shown, sign, field)
    if not held:
        return Mark("plain", shown)
    named = _FIELDS.get(field or "")
    if len(held) > 1:
        return Mark("operand", shown, Phrase(inner.strip(), named), sign)
    return Mark("operand", shown, Word(named, inner.strip()), sign, bare=named is None)


def _unquoted(run: str, shown: str, sign: str, field: str | None) -> Mark:
    if not sign and field is None and run in ("AND", "OR", "NOT"):
        return Mark(run, shown)  # type: ignore[arg-type]
    if field in _FILTERS or (field is not None and _FIELDS[field] in _PLACES):
        return _placed(run.rstrip(",;"), shown, sign, field)
    named = _FIELDS.get(field or "")
    prefix = _PREFIX.fullmatch(run)
    if prefix and len(prefix[1]) >= _SHORTEST_PREFIX and prefix[1] not in _POINTED_TO:
        return Mark("operand", shown, Prefix(named, prefix[1]), sign)
    if not words(run) or (named is not None and not _VALUE.match(run)):
        return Mark("plain", shown)
    return Mark("operand", shown, Word(named, run), sign, bare=named is None)


def _placed(value: str, shown: str, sign: str, field: str | None) -> Mark:
    """A path, an extension or a language."""
    kind = _FILTERS.get(field or "")
    if kind is not None:
        fits = _KINDS.fullmatch(value) is not None
        return Mark("operand", shown, Filter(kind, value), sign) if fits else Mark("plain", shown)
    if _SIMPLE.fullmatch(value) and words(value):
        return Mark("operand", shown, Word(_FIELDS[field or ""], value), sign)
    if not _PATH.match(value) or not _is_glob(value):
        return Mark("plain", shown)
    return Mark("operand", shown, Filter("path", value), sign)


def _is_glob(value: str) -> bool:
    try:
        Glob(f"**/{value.strip('/')}/**")
    except Problem:
        return False
    return True

"""Tokenizes a query: possible operators, operands and brackets, and plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from index_format.analysis.words import MAX_WORD
from index_format.records import Record
from repo_mcp.errors import Problem
from repo_mcp.question.syntax.tree import Filter, FilterKind, Leaf, Phrase, Prefix, Word
from repo_mcp.stored import BODY, DOC, NAME, PATH, SYMBOL
from repo_mcp.text.globs import compile_glob

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
    "owner": "owner",
    "package": "package",
}
_PATH_FIELDS: Final = frozenset({PATH, NAME})

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
# a handle, a team, an address, or a name in quotes
_OWNER: Final = re.compile(r"[@\w][^\"\\=;{}()<>\[\]]*")
# a name, a folder or a label of a build file
_PACKAGE: Final = re.compile(r"[@\w./:][^\s\"\\=;{}()<>\[\],]*")
_KINDS: Final = re.compile(r"\.?[\w+#-][\w.+#,-]*")
_SHORTEST_PREFIX: Final = 2
# `char* name` is a pointer declaration, not a prefix
_POINTED_TO: Final = frozenset(
    ["auto", "bool", "char", "const", "double", "float", "int", "long", "short", "void"]
)


class Token(Record):
    """A token of a query: what it means as syntax, and its text as written."""

    kind: Kind
    raw: str
    leaf: Leaf | None = None
    sign: str = ""
    field: str | None = None
    # a word that only ranks: it is no condition unless it is an operand of an operator
    bare: bool = False

    def as_plain(self) -> Token:
        """The token as plain words."""
        return Token("plain", self.raw)


def indexable_words(text: str) -> list[str]:
    """The words of a text that are short enough to index."""
    return [word for word in _WORD.findall(text) if len(word) <= MAX_WORD]


def tokenize(text: str) -> list[Token]:
    """The tokens of a query in order; brackets and operators may be anywhere."""
    return list(_cut(text))


def _cut(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        for token, end in _tokens_at(text, at):
            yield token
            at = end


def _tokens_at(text: str, at: int) -> Iterator[tuple[Token, int]]:
    """The tokens at an offset: one, or a word and the brackets that close after it."""
    sign, field, begin = _head(text, at)
    if text[begin] == "(" and sign != "+" and field not in _FILTERS:
        raw = text[at : begin + 1]
        yield Token("open", raw, None, sign, _FIELDS.get(field or "")), begin + 1
        return
    quoted = _QUOTED.match(text, begin)
    if quoted is not None:
        yield _quoted(quoted[1], text[at : quoted.end()], sign, field), quoted.end()
        return
    run = _run(text, begin)
    if not run:  # only closing brackets follow
        yield Token("close", ")"), begin + 1
        return
    raw = text[at:begin] + run
    yield _unquoted(run, raw, sign, field), at + len(raw)


def _head(text: str, at: int) -> tuple[str, str | None, int]:
    """The sign and field at an offset, and the offset after them."""
    head = _HEAD.match(text, at)
    return (head["sign"] or "", head["field"], head.end()) if head else ("", None, at)


def _run(text: str, at: int) -> str:
    """The text up to the next blank, without unmatched closing brackets at its end."""
    found = _RUN.match(text, at)
    run = found[0] if found else ""
    surplus = run.count(")") - run.count("(")
    bare = run.rstrip(")")
    return run[: max(len(bare), len(run) - max(surplus, 0))]


def _quoted(inner: str, raw: str, sign: str, field: str | None) -> Token:
    held = indexable_words(inner)
    if field in _FILTERS or (field is not None and _FIELDS[field] in _PATH_FIELDS):
        return _path_operand(inner, raw, sign, field)
    if not held:
        return Token("plain", raw)
    named = _FIELDS.get(field or "")
    if len(held) > 1:
        return Token("operand", raw, Phrase(inner.strip(), named), sign)
    return Token("operand", raw, Word(named, inner.strip()), sign, bare=named is None)


def _unquoted(run: str, raw: str, sign: str, field: str | None) -> Token:
    if not sign and field is None and run in ("AND", "OR", "NOT"):
        return Token(run, raw)  # type: ignore[arg-type]
    if field in _FILTERS or (field is not None and _FIELDS[field] in _PATH_FIELDS):
        return _path_operand(run.rstrip(",;"), raw, sign, field)
    named = _FIELDS.get(field or "")
    prefix = _PREFIX.fullmatch(run)
    if prefix and len(prefix[1]) >= _SHORTEST_PREFIX and prefix[1] not in _POINTED_TO:
        return Token("operand", raw, Prefix(named, prefix[1]), sign)
    if not indexable_words(run) or (named is not None and not _VALUE.match(run)):
        return Token("plain", raw)
    return Token("operand", raw, Word(named, run), sign, bare=named is None)


def _path_operand(value: str, raw: str, sign: str, field: str | None) -> Token:
    """The token of a path, an extension, a language, an owner or a package."""
    kind = _FILTERS.get(field or "")
    if kind is not None:
        form = {"owner": _OWNER, "package": _PACKAGE}.get(kind, _KINDS)
        fits = form.fullmatch(value) is not None
        return Token("operand", raw, Filter(kind, value), sign) if fits else Token("plain", raw)
    if _SIMPLE.fullmatch(value) and indexable_words(value):
        return Token("operand", raw, Word(_FIELDS[field or ""], value), sign)
    if not _PATH.match(value) or ":" in value or not _is_glob(value):  # a place: `file:line`
        return Token("plain", raw)
    return Token("operand", raw, Filter("path", value), sign)


def _is_glob(value: str) -> bool:
    try:
        compile_glob(f"**/{value.strip('/')}/**")
    except Problem:
        return False
    return True

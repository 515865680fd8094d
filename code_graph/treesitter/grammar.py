"""Loads a grammar and its query when the first file of the language is read."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from code_graph.treesitter.language_rules import Rules
from code_graph.treesitter.sheet import Sheet
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Language, Query

# groups of patterns by the names of their anchor captures
_GROUPS: Final = {
    **{name: name for name in ("import", "comment", "attribute", "access", "unit", "extends")},
    **{name: name for name in ("def", "flow", "wrap", "skip", "object", "use")},
}
_CAPTURE: Final = re.compile(r"@([\w.]+)")
_COMMENT: Final = re.compile(r"(?m);.*$")


class Grammar(NamedTuple):
    """A language's parser and its compiled query."""

    language: Language
    query: Query
    # for each pattern its group, its anchor capture, and the capture's suffix
    anchors: tuple[tuple[str, str, str], ...]


@cache
def load_grammar(package: str, function: str, text: str) -> Grammar | None:
    """The grammar with its query, or None if its package is not installed."""
    try:
        from tree_sitter import Language, Query  # noqa: PLC0415 not before the first file

        module = importlib.import_module(package)
    except ImportError:
        return None
    language = Language(getattr(module, function)())
    query = Query(language, text)
    return Grammar(language, query, tuple(_anchors(query, text)))


def _anchors(query: Query, text: str) -> Iterator[tuple[str, str, str]]:
    """The anchor of each pattern, from the names of its captures."""
    data = text.encode()
    for number in range(query.pattern_count):
        bounds = query.start_byte_for_pattern(number), query.end_byte_for_pattern(number)
        pattern = _COMMENT.sub("", data[slice(*bounds)].decode())
        names = _CAPTURE.findall(pattern)
        anchors = [
            (_GROUPS[name.partition(".")[0]], name, name.partition(".")[2])
            for name in names
            if _is_anchor(name)
        ]
        if len(anchors) != 1:
            raise ValueError(f"a pattern must have one anchor capture, not {names}: {pattern}")
        yield anchors[0]


def _is_anchor(name: str) -> bool:
    return name in _GROUPS or name.startswith(("def.", "flow.", "wrap."))


def grammar_of(rules: Rules) -> Grammar | None:
    """The grammar of a language."""
    return load_grammar(rules.package, rules.grammar, _query_of(rules.sheet))


@cache
def _query_of(sheet: Sheet) -> str:
    """The text of a sheet's query, which is put together once."""
    return sheet.query()

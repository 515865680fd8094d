"""Declarations of Swift with one name and one list of parameters that are different ones.

Functions may differ in what they give, in being static, and in the conditions of their extension;
bodies under `#if` that differ in none of these are one.
"""

from __future__ import annotations

from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Role
from code_graph.facts import Declaration
from code_graph.identity import chain_of
from code_graph.languages.swift.rules.labels import says_async

_STATIC: Final = frozenset({"static", "class"})
_FUNCTIONS: Final = frozenset({"function", "method", "constructor", "subscript"})
_TYPES: Final = frozenset({"class", "struct", "enum", "actor", "protocol", "extension", "type"})


def declarations_apart(file: SourceFile) -> list[int]:
    """For each declaration a number; those of one name with different numbers are different."""
    seen: dict[tuple[object, ...], list[tuple[object, ...]]] = {}
    found: list[int] = []
    for number, item in enumerate(file.declarations):
        if item.kind in _TYPES:
            found.append(0)
            continue
        key = (*chain_of(file.declarations, number), item.kind, item.parameters)
        rows = seen.setdefault(key, [])
        mark = (*_mark(file, item), *_written(file, number))
        if mark not in rows:
            rows.append(mark)
        found.append(-rows.index(mark))
    return found


def _written(file: SourceFile, number: int) -> list[str]:
    """The parameters of a long list, of which the declaration has no whole text."""
    rows = file.clauses.get(number, ())
    return [clause.name for clause in rows if clause.role == Role.PARAMETER]


def _mark(file: SourceFile, item: Declaration) -> tuple[object, ...]:
    holder = file.declarations[item.parent] if item.parent >= 0 else None
    is_block = holder is not None and holder.kind == "extension"
    conditions = holder.signature.partition(" where ")[2] if holder and is_block else ""
    own = (item.returns, says_async(item), item.signature.partition(" where ")[2])
    if holder is not None and holder.kind == "protocol":
        conditions = "asked for"
    is_static = not _STATIC.isdisjoint(item.modifiers)
    return is_static, conditions, own if item.kind in _FUNCTIONS else ()

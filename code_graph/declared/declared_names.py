"""The names that files declare for all files of a language, whatever they are in."""

from __future__ import annotations

from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Op, Role
from code_graph.identity import chain_of

_MOST_STEPS: Final = 30


def shared_declarations(file: SourceFile) -> dict[str, object]:
    """A description of each declaration, by its last name."""
    found: dict[str, list[object]] = {}
    for number, item in enumerate(file.declarations):
        answer = (
            chain_of(file.declarations, number),
            item.kind,
            item.access,
            sorted(item.modifiers),
            item.parameters,
        )
        for name in {item.name, item.name.rpartition("::")[2]}:
            found.setdefault(name, []).append(answer)
    for clause in file.code.clauses:
        if clause.role == Role.RECEIVER and clause.value != NONE:
            name = last_of(file, clause.value)
            found.setdefault(name, []).append(("extends", written(file, clause.value)))
    return {name: sorted(map(repr, rows)) for name, rows in found.items()}


def last_of(file: SourceFile, number: int) -> str:
    """The last name of a type without its arguments."""
    for _ in range(_MOST_STEPS):
        item = file.expressions[number]
        if item.op in {Op.NAME, Op.MEMBER}:
            return item.name
        if item.of == NONE or item.op == Op.FUNCTION:
            break
        number = item.of
    return ""


def written(file: SourceFile, number: int) -> str:
    """The names of a chain of members, joined by dots; empty for others."""
    names: list[str] = []
    for _ in range(_MOST_STEPS):
        item = file.expressions[number]
        if item.op in {Op.NAME, Op.MEMBER}:
            names.append(item.name)
        if item.op not in {Op.APPLY, Op.MEMBER} or item.of == NONE:
            return ".".join(reversed(names))
        number = item.of
    return ""

"""Tells which parameter of a function an argument is for, by its name or its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.expressions import Binding, BindingKind

# names of arguments that stand for several
SPREAD: Final = frozenset({"*", "**"})


def parameters_for(rows: Sequence[Binding], names: Sequence[str]) -> list[Binding | None]:
    """The parameters for arguments of these names, or none; None where there is no parameter."""
    places = [row for row in rows if row.kind == BindingKind.PARAMETER]
    rest = next((row for row in rows if row.kind == BindingKind.VARIADIC), None)
    keywords = next((row for row in rows if row.kind == BindingKind.KEYWORDS), None)
    by_name = {row.name: row for row in rows}
    found: list[Binding | None] = []
    at = 0
    for name in names:
        if name and name not in SPREAD:
            found.append(by_name.get(name, keywords))
        else:
            found.append(places[at] if at < len(places) else rest)
            at += 1
    return found

"""Finds uses whose target is not known, and that have the name of what a change took away.

Nothing says that they mean it, so they are told where nothing else has the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from code_graph.model import Confidence, EdgeType, UnresolvedUse
from code_graph.query.names import symbols_named
from repo_mcp.changes.changed_symbols import names_gone
from repo_mcp.changes.model import MAY_BREAK, BreakingPlace
from repo_mcp.changes.two_sides import TwoSides
from repo_mcp.history import DeclaredChange

_GONE: Final = "it is gone, and nothing else has the name"


def nameless_uses(
    sides: TwoSides, changes: Iterable[DeclaredChange], paths: Iterable[str]
) -> Iterator[BreakingPlace]:
    """The places in these files of the new side that name what is removed or renamed."""
    gone: dict[str, DeclaredChange] = {}
    for name, change in names_gone(changes):
        if name not in gone and not symbols_named(sides.new, name, 1)[0]:
            gone[name] = change
    for path in dict.fromkeys(paths) if gone else ():
        for use in sides.uses_in(path).unanswered:
            gone_one = gone.get(use.name)
            if gone_one is not None:
                used = gone_one.old_name or gone_one.name, gone_one.old_path
                yield place_by_name(sides, path, use, _GONE, used)


def place_by_name(
    sides: TwoSides, path: str, use: UnresolvedUse, why: str, used: tuple[str, str]
) -> BreakingPlace:
    """The place of a use without a target; `used` is a declaration's name and its file."""
    return BreakingPlace(
        path,
        use.line,
        use.column,
        sides.symbol_around(path, use.line),
        MAY_BREAK,
        why,
        *used,
        EdgeType(use.type).name.lower(),
        Confidence.POSSIBLE.name.lower(),
        sides.shown_line(path, use.line),
    )

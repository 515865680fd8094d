"""The symbols of the graph that a change is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from code_graph import language_named
from code_graph.facts import last_part
from code_graph.query.model import VALUES, Symbol
from code_graph.query.names import innermost
from code_graph.query.snapshot import GraphSnapshot
from code_graph.word_places import code_alone
from repo_mcp.changes.model import BreakingPlace
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.changes.two_sides import TwoSides, symbol_at
from repo_mcp.history import DeclaredChange

# objects with members: a function in one of these is made by the member
COSMETIC: Final = "cosmetic"
_OBJECTS: Final = VALUES - {"property"}


def changed_symbols(
    two: TwoSides, changes: Sequence[DeclaredChange], whole: GraphSnapshot | None = None
) -> Iterator[int]:
    """The symbols whose code has changed, and files whose other code has.

    Those of a file that was not linked in time are found in the `whole` graph of the checkout.
    """
    for change in changes:
        symbol = None
        if change.kind == COSMETIC:
            continue
        if change.behind is not None:
            symbol = symbol_at(two.new, change.path, change.behind)
        elif change.before is not None and two.old is not None:
            symbol = symbol_at(two.old, change.old_path, change.before)
        if symbol is None and whole is not None:
            symbol = _in_checkout(whole, change)
        if symbol is not None:
            yield symbol.id
    told = {path for change in changes for path in (change.path, change.old_path)}
    for path in two.by_new.keys() - told:
        for symbol, _ in two.new.outline(path)[:1]:
            if not _says_the_same(two.by_new[path], symbol.language):
                yield symbol.id


def _in_checkout(whole: GraphSnapshot, change: DeclaredChange) -> Symbol | None:
    """The symbol of a changed declaration as the checkout has it: there, or of this name alone."""
    for path, wanted in ((change.path, change.behind), (change.old_path, change.before)):
        if wanted is None:
            continue
        if found := symbol_at(whole, path, wanted):
            return found
        rows = whole.outline(path)
        named = [symbol for symbol, row in rows if row is not None and row.name == wanted.name]
        if len(named) == 1 and named[0].id:
            return named[0]
    return None


def _says_the_same(file: ComparedFile, language: str) -> bool:
    """True for a file with other comments alone."""
    known = language_named(language)
    old, new = (
        None if data is None else code_alone(data.decode("utf-8", "replace"), known)
        for data in (file.old, file.new)
    )
    return old == new


def run_as_before(change: DeclaredChange) -> bool:
    """True for a change by which nothing runs another way: it is new, gone, renamed, or prose."""
    return change.kind in {"added", "removed", "renamed", "moved", COSMETIC}


def enclosing_functions(two: TwoSides, changes: Sequence[DeclaredChange]) -> Iterator[int]:
    """The functions around changed ones, which make them."""
    for change in changes:
        declared = change.behind
        if declared is not None and declared.scope_kind == "function":
            for symbol, around in two.new.outline(change.path):
                if around is None or around is declared or symbol.node_type in _OBJECTS:
                    continue
                if symbol.start_line < declared.start_line <= symbol.end_line:
                    yield symbol.id


def symbols_of_files(two: TwoSides, paths: Iterable[str]) -> Iterator[int]:
    """All symbols of files of which it is not known what has changed in them."""
    for path in sorted(paths):
        yield from (symbol.id for symbol, _ in two.new.outline(path))


def symbols_around(two: TwoSides, places: Iterable[BreakingPlace]) -> Iterator[int]:
    """The symbols around places."""
    for place in places:
        symbol = innermost(two.new, place.path, place.line)
        if symbol is not None:
            yield symbol.id


def names_gone(changes: Iterable[DeclaredChange]) -> Iterator[tuple[str, DeclaredChange]]:
    """The names of code outside of functions that is removed, or has another name now."""
    for change in changes:
        declared = change.before
        if declared is None or change.kind not in {"removed", "renamed"}:
            continue
        name = last_part(declared.name)  # a step of a workflow may be named by an expression
        if name and declared.scope_kind != "function" and declared.kind != "section":
            yield name, change


def names_called_otherwise(changes: Iterable[DeclaredChange]) -> Iterator[str]:
    """The names of functions with other parameters than before."""
    for change in changes:
        one, other = change.before, change.behind
        if change.kind != "signature" or one is None or other is None:
            continue
        if one.parameters != other.parameters and one.scope_kind != "function":
            yield last_part(other.name)

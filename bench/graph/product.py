"""The product's own graph of a folder, in the form that truth is compared in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from bench.graph.edges import REFERENCES, VARIANT, At, Edge, Where
from code_graph.facts import Declaration, Facts
from code_graph.model import (
    CONFIDENCE_OF,
    FILE,
    Confidence,
    EdgeType,
    LinkedFile,
    Strategy,
)

# links every file below a folder: what linking gives, and the facts by path
Link = Callable[[Path], tuple[Iterable[LinkedFile], Mapping[str, Facts]]]
# languages whose compilers see one of several bodies
_CONDITIONAL = frozenset({"c", "cpp"})
EdgesOf = Callable[[Path], list[Edge]]


def edges_of(link: Link) -> EdgesOf:
    """The command that exports the edges of a folder with this linker."""

    def product_edges(root: Path) -> list[Edge]:
        linked, facts = link(root)
        return sorted(exported(list(linked), facts))

    return product_edges


def exported(linked: Iterable[LinkedFile], facts: Mapping[str, Facts]) -> Iterator[Edge]:
    """Edges between declarations of the project; those to what is outside are not compared.

    What names the type that it belongs to, as a receiver of Go does, refers to it.
    """
    files = list(linked)
    wheres = dict(_symbols(files, facts))
    yield from _variants(files, facts, wheres)
    for file in files:
        own = {symbol.declaration: wheres[symbol.id] for symbol in file.symbols}
        for edge in file.edges:
            target = wheres.get(edge.target)
            if target is None:
                continue
            strategy = Strategy(edge.strategy)
            yield Edge(
                REFERENCES
                if edge.type == EdgeType.BELONGS_TO
                else EdgeType(edge.type).name.lower(),
                own[edge.source],
                target,
                At(file.path, edge.line, edge.column),
                Confidence(CONFIDENCE_OF[strategy]).name.lower(),
                strategy.name.lower(),
            )


def _variants(
    files: Iterable[LinkedFile], facts: Mapping[str, Facts], wheres: Mapping[int, Where]
) -> Iterator[Edge]:
    """The other declarations of a symbol, of which an oracle may see one alone.

    Those are bodies under conditions of one file, and declarations of what another file defines.
    """
    for file in files:
        declarations = facts[file.path].declarations
        for symbol in file.symbols if file.language in _CONDITIONAL else ():
            where = _where(file.path, symbol.declaration, declarations)
            whole = wheres[symbol.id]
            if where != whole and (where.path != whole.path or where.name == whole.name):
                yield Edge(VARIANT, where, whole, At(*where[:2], 0))


def loaded(name: str) -> EdgesOf:
    """The exporter of a linker that is named as MODULE:FUNCTION."""
    module, _, function = name.partition(":")
    return edges_of(getattr(import_module(module), function))


def _symbols(
    files: Iterable[LinkedFile], facts: Mapping[str, Facts]
) -> Iterator[tuple[int, Where]]:
    """Each symbol's declaration; the primary one comes last where there are several."""
    for is_primary in (False, True):
        for file in files:
            declarations = facts[file.path].declarations
            for symbol in file.symbols:
                if symbol.is_primary == is_primary:
                    yield symbol.id, _where(file.path, symbol.declaration, declarations)


def _where(path: str, number: int, declarations: Sequence[Declaration]) -> Where:
    if number == FILE:
        return Where(path, 0, "")
    declaration = declarations[number]
    return Where(path, declaration.name_line, declaration.name)

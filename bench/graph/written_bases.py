"""Counts the bases that classes name in the text, and those that the graph has.

    python -m bench.graph.written_bases ROOT LANGUAGE [LANGUAGE ...] [--show N]

ROOT is a checkout. The files of the first language are judged; those of the others are there to be
derived from. A base is one of the repository if a type of its name is declared there, and found if
an edge leads from its place. `--show` prints those that are not, with what the graph says instead.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.graph.folder import FolderTree
from code_graph import GraphLinker
from code_graph.expressions import NONE, Code, Expression, Op, Role
from code_graph.model import EdgeType

_BASE = frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS})
_TYPES = frozenset({"class", "interface", "trait", "enum", "struct", "object", "type", "record"})


class WrittenBase(NamedTuple):
    """A base as it is written, and what the graph says of it: found, external, unresolved, none."""

    path: str
    line: int
    name: str
    state: str


def written_bases(tree: FolderTree, language: str) -> Iterator[WrittenBase]:
    """The bases of the repository that files of a language name."""
    facts = {path: tree.facts(path) for path in tree.paths()}
    declared = {
        one.name
        for found in facts.values()
        if found is not None
        for one in found.declarations
        if one.kind in _TYPES
    }
    linker = GraphLinker(tree)
    for path, found in facts.items():
        linked = linker.link(path)
        if found is None or linked.language != language:
            continue
        states: dict[tuple[int, int], str] = {}
        for state, uses in (
            ("unresolved", linked.unresolved),
            ("external", linked.external),
            ("found", linked.edges),
        ):
            states |= {(use.line, use.column): state for use in uses if use.type in _BASE}
        for base in _bases(tree.code(path)):
            if base.name in declared:
                at = states.get((base.line, base.column), "none")
                yield WrittenBase(path, base.line, base.name, at)


def _bases(code: Code | None) -> Iterator[Expression]:
    """The names of bases, without type arguments."""
    for clause in () if code is None else code.clauses:
        if code is not None and clause.role in {Role.BASE, Role.IMPLEMENTS}:
            base = code.expressions[clause.value]
            while base.op == Op.APPLY and base.of != NONE:
                base = code.expressions[base.of]
            yield base


def main() -> None:
    """Parse the arguments and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("language", nargs="+")
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    every = [*written_bases(FolderTree(given.root, given.language), given.language[0])]
    print(len(every), dict(Counter(base.state for base in every)))
    for base in [base for base in every if base.state != "found"][: given.show]:
        print(f"{base.path}:{base.line}: {base.name}: {base.state}")


if __name__ == "__main__":
    main()

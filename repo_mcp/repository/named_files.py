"""Finds the files that a question about names is about, while no graph tells them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from code_graph.facts import last_part
from repo_mcp.budget import Budget
from repo_mcp.repository.name_lookup import declared_symbols, owner_in
from repo_mcp.repository.open_index import OpenIndex
from repo_mcp.repository.word_lines import NamedLines
from repo_mcp.search import RankedEngine

_MOST_HITS: Final = 50
_SECONDS: Final = 1.0


class NamedFiles:
    """Finds the files that questions to one repository are about."""

    def __init__(self, ranked: RankedEngine, lines: NamedLines) -> None:
        self._ranked = ranked
        self._lines = lines

    def find(self, names: Sequence[str], index: OpenIndex, budget: Budget) -> list[str]:
        """The files that declare names, then all with them, the best ranked ones first."""
        found = (path for name in names for path in self._files_of(name, index, budget))
        return list(dict.fromkeys(found))

    def _files_of(self, name: str, index: OpenIndex, budget: Budget) -> Iterator[str]:
        snapshot, limit = index.snapshot, budget.within(_SECONDS)
        declared = [] if snapshot is None else declared_symbols(snapshot, name)
        yield from (item.path for item in declared)
        # a place means the symbol there
        whole = declared[0].name if declared else name.strip()
        word = last_part(whole)
        if not word:
            return
        paths = self._lines.of(index, word).paths()
        owner = owner_in(whole)
        if owner:  # of a common name, files that have its owner's, too
            around = frozenset(self._lines.of(index, owner).paths())
            both = [path for path in paths if path in around]
            yield from sorted(both, key=lambda path: PurePosixPath(path).stem != owner)
        if snapshot is not None:
            hits = self._ranked.search_code(snapshot, word, _MOST_HITS, limit).hits
            having = frozenset(paths)
            yield from (hit.path for hit in hits if hit.path in having or not having)
        yield from paths

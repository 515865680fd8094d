"""Finds the files that a question about names is about, while no graph tells them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.facts import last_part
from repo_mcp.budget import Budget
from repo_mcp.repository.name_lookup import declared_symbols
from repo_mcp.repository.open_index import OpenIndex
from repo_mcp.repository.pending_files import scan_pending
from repo_mcp.repository.repository import Repository
from repo_mcp.repository.word_lines import lines_with_word
from repo_mcp.search import ExactEngine, RankedEngine

if TYPE_CHECKING:  # few servers have a cluster
    from repo_mcp.search import OpenDistributed

_MOST_HITS: Final = 50
_SECONDS: Final = 1.0
# steps of reading files that are not indexed take parts of this
_SCAN_SECONDS: Final = 0.6


class NamedFiles:
    """Finds the files that questions to one repository are about."""

    def __init__(
        self,
        repository: Repository,
        ranked: RankedEngine,
        distributed: OpenDistributed | None = None,
    ) -> None:
        self._repository = repository
        self._ranked = ranked
        self._exact = ExactEngine(repository.sandbox, distributed)

    def find(self, names: Sequence[str], index: OpenIndex, budget: Budget) -> list[str]:
        """The files that declare names, then those of a ranked search, then all with them."""
        found = (path for name in names for path in self._files_of(name, index, budget))
        return list(dict.fromkeys(found))

    def _files_of(self, name: str, index: OpenIndex, budget: Budget) -> Iterator[str]:
        snapshot, limit = index.snapshot, budget.within(_SECONDS)
        declared = [] if snapshot is None else declared_symbols(snapshot, name)
        yield from (item.path for item in declared)
        # a place means the symbol there
        word = last_part(declared[0].name if declared else name.strip())
        if not word:
            return
        if not index.complete:
            given = self._repository, word, None, snapshot, budget
            yield from (path for path, _ in scan_pending(*given, _SCAN_SECONDS).ranked[:_MOST_HITS])
        if snapshot is None:
            return
        hits = self._ranked.search_code(snapshot, word, _MOST_HITS, limit).hits
        yield from (hit.path for hit in hits)
        yield from (line.path for line in lines_with_word(self._exact, snapshot, limit, word).lines)

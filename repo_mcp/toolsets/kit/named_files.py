"""Finds the files that a question about names is about, while no graph tells them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.facts import last_part
from repo_mcp.budget import Budget
from repo_mcp.repository import OpenIndex, declared_symbols, lines_with_word
from repo_mcp.search import ExactEngine
from repo_mcp.toolsets.kit.pending_files import scan_pending
from repo_mcp.toolsets.kit.services import ToolServices

_MOST_HITS: Final = 50
_SECONDS: Final = 1.0
# steps of reading files that are not indexed take parts of this
_SCAN_SECONDS: Final = 0.6


def files_about(
    services: ToolServices, names: Sequence[str], budget: Budget, index: OpenIndex
) -> list[str]:
    """The files that declare names, then those that a ranked search finds, then all with them."""
    found = (path for name in names for path in _files_of(services, name, budget, index))
    return list(dict.fromkeys(found))


def _files_of(services: ToolServices, name: str, budget: Budget, index: OpenIndex) -> Iterator[str]:
    snapshot, limit = index.snapshot, budget.within(_SECONDS)
    declared = [] if snapshot is None else declared_symbols(snapshot, name)
    yield from (item.path for item in declared)
    # a place means the symbol there
    word = last_part(declared[0].name if declared else name.strip())
    if not word:
        return
    if not index.complete:
        pending = scan_pending(services.repository, word, None, snapshot, budget, _SCAN_SECONDS)
        yield from (path for path, _ in pending.ranked[:_MOST_HITS])
    if snapshot is None:
        return
    hits = services.engine.search_code(snapshot, word, _MOST_HITS, limit).hits
    yield from (hit.path for hit in hits)
    engine = ExactEngine(services.repository.sandbox, services.distributed)
    yield from (line.path for line in lines_with_word(engine, snapshot, limit, word).lines)

"""Opens what is on the disk of a repository's indexes, as it is: nothing is built or compared."""

from __future__ import annotations

import time
from pathlib import Path

from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress
from index_format import Index, IndexFormatError, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Clock
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.repository import SourceFiles
from repo_mcp.services import Services, services
from repo_mcp.settings import Options, data_dir_of
from repo_mcp.stored import GRAPH_INDEX


class StoredIndex(NamedTuple):
    """The last generations of a repository's indexes, and its files as they are now."""

    parts: Services
    text: Snapshot
    # None where no link has ended yet
    graph: GraphSnapshot | None
    files: SourceFiles


def open_stored(options: Options, clock: Clock = time.monotonic) -> StoredIndex | None:
    """The indexes that these settings name; None where there is none of the words."""
    if not options.mounts and not Path(data_dir_of(options)).is_dir():
        return None
    parts = services(options, clock)
    text = parts.manager.snapshot()
    if text is None:
        return None
    graph = _stored_graph(parts.manager)
    return StoredIndex(parts, text, graph, SourceFiles(parts.sandbox, text))


def _stored_graph(manager: IndexManager) -> GraphSnapshot | None:
    """The graph of the last link that has ended; one of an edit ago serves as well."""
    try:
        store = manager.recipe.store(GRAPH_INDEX, create=False)
        snapshot = Index(store, GRAPH_SCHEMA).snapshot()
    except IndexFormatError:
        return None
    return GraphSnapshot(snapshot) if GraphProgress.of(snapshot).complete else None

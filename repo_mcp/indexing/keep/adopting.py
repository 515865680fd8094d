"""Indexes that begin as those of another folder: their segments are on the disk once."""

from __future__ import annotations

from typing import Final

from code_graph.store.schema import GraphProgress
from index_format import Index, IndexFormatError, Snapshot, adopt_manifest, link_segments
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.changes import known_stats
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.walk.memory import WalkMemory
from repo_mcp.indexing.walk.memory_file import DamagedBlocksError
from repo_mcp.stored import CODE_INDEX, GRAPH_INDEX, STORED_KINDS, TEXT_INDEX

_LOCK_SECONDS: Final = 10.0


def remembered_files(manager: IndexManager, text: Snapshot, index_dir: str = "") -> WalkMemory:
    """When an index has read which files, as of one generation; that of another folder, if given.

    What is remembered belongs to the caller alone.
    """
    signature = manager.text.signature
    try:
        memory = WalkMemory.load(index_dir or manager.index_dir, signature)
        return known_stats(text, memory)
    except DamagedBlocksError:
        return known_stats(text, WalkMemory(signature))


def adopt_indexes(
    source: Recipe, target: Recipe, text: Snapshot, *, with_code: bool, settings: str = ""
) -> Snapshot:
    """Have the generations of another folder here; the caller holds the locks of its stores.

    Returns that of the text, which is stored with other `settings`, if they are given.
    """
    number = 0
    linked = with_code and _is_complete(source)
    for kind in STORED_KINDS if linked else (TEXT_INDEX,):
        from_store, store = source.store(kind), target.store(kind)
        manifest = (
            text.manifest
            if kind is TEXT_INDEX
            else Index(from_store, kind.schema).snapshot().manifest
        )
        with store.lock(_LOCK_SECONDS):
            link_segments(from_store, store, manifest.segments)
            stored = manifest.settings
            if kind is GRAPH_INDEX:
                progress = GraphProgress.parse(stored)
                stored = progress._replace(text=number if progress.is_of(text) else 0).to_settings()
            elif kind is TEXT_INDEX:
                stored = settings or stored
            adopted = adopt_manifest(store, manifest, stored)
        number = adopted.generation if kind is TEXT_INDEX else number
    return Index(target.store(TEXT_INDEX), TEXT_INDEX.schema).snapshot()


def _is_complete(source: Recipe) -> bool:
    """True if there is a graph of all files."""
    try:
        Index(source.store(CODE_INDEX, create=False), CODE_INDEX.schema).snapshot()
        graph = Index(source.store(GRAPH_INDEX, create=False), GRAPH_INDEX.schema).snapshot()
    except IndexFormatError:
        return False
    return GraphProgress.of(graph).complete

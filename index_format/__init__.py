"""An embedded search index of immutable segments, readable without locks.

    index = Index(FileStore("folder"), Schema((Field("body"),)))
    with index.writer() as writer:
        words = writer.vocabulary.tokens(["immutable", "segments"])
        writer.add(Document("a.txt", [Chunk(1, 1, {"body": words})]))
        writer.commit()
    index.compact(full=True)
    hits = top_chunks(index.snapshot(), [WeightedTerm("body", b"segments")], 10)

This is the door: what `__all__` lists is public and described in docs/index_format.md, everything
else may change without notice. Two modules beside it are doors of their own: `native` (compiled
code) and `lean_whoosh` (to be imported before Whoosh).

Documents are files cut into chunks; a chunk has words in the fields of the schema, and how text
becomes words is the caller's choice. A snapshot keeps its files open until it is garbage.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
    ForeignIndexError,
    IndexBusyError,
    IndexFormatError,
    IndexMissingError,
    InvalidInputError,
    ReadOnlyStoreError,
    StoreError,
    StoreWriteError,
    UnsupportedVersionError,
)
from index_format.generation.compaction import Limits
from index_format.generation.index import DiskUse, Index
from index_format.generation.merge_task import MergeTask, merge_segments
from index_format.generation.snapshot import ChunkRecord, LiveSegment, Snapshot, chunks_of_files
from index_format.generation.writer import IndexWriter, build_segment
from index_format.layout import FORMAT_VERSION, LOCK_NAME
from index_format.model import Chunk, Document, Field, Schema, Tokens, Vocabulary
from index_format.segment.entry import SegmentEntry
from index_format.segment.reader import SegmentReader
from index_format.store.contract import Store
from index_format.store.file_store import FileStore, set_aside
from index_format.store.memory_store import MemoryStore

if TYPE_CHECKING:
    from index_format.health.check import Finding, Severity, check
    from index_format.health.dump import dump
    from index_format.health.repair import RepairReport, repair
    from index_format.query.containing_terms import list_containing_terms
    from index_format.query.edit_distance import select_near
    from index_format.query.live_terms import LiveTerms
    from index_format.query.prefix_terms import (
        frequent_prefix_terms,
        list_prefix_chunks,
        list_prefix_postings,
        list_prefix_terms,
    )
    from index_format.query.scoring import Hit, best_chunks, open_terms, top_chunks
    from index_format.query.summing import SCORE_DIGITS, DecodedTerm, best_sums, frequencies_in
    from index_format.query.term_scores import ChunkFilter, TermScores, WeightedTerm
    from index_format.query.term_search import (
        Edge,
        TermColumns,
        TermLines,
        TermSearch,
        TermText,
    )
    from index_format.query.term_view import chunks_with_all, decode_chunks
    from index_format.whoosh_bridge.reader import SnapshotReader, searcher

# names that need Whoosh, or that few processes need, are imported on first use
_LATE = {
    "Edge": "query.term_search",
    "TermColumns": "query.term_search",
    "TermLines": "query.term_search",
    "TermSearch": "query.term_search",
    "TermText": "query.term_search",
    "ChunkFilter": "query.term_scores",
    "Finding": "health.check",
    "Hit": "query.scoring",
    "LiveTerms": "query.live_terms",
    "RepairReport": "health.repair",
    "Severity": "health.check",
    "SnapshotReader": "whoosh_bridge.reader",
    "TermScores": "query.term_scores",
    "WeightedTerm": "query.term_scores",
    "best_chunks": "query.scoring",
    "SCORE_DIGITS": "query.summing",
    "DecodedTerm": "query.summing",
    "best_sums": "query.summing",
    "frequencies_in": "query.summing",
    "check": "health.check",
    "chunks_with_all": "query.term_view",
    "decode_chunks": "query.term_view",
    "dump": "health.dump",
    "frequent_prefix_terms": "query.prefix_terms",
    "list_containing_terms": "query.containing_terms",
    "list_prefix_chunks": "query.prefix_terms",
    "list_prefix_postings": "query.prefix_terms",
    "list_prefix_terms": "query.prefix_terms",
    "open_terms": "query.scoring",
    "repair": "health.repair",
    "searcher": "whoosh_bridge.reader",
    "select_near": "query.edit_distance",
    "top_chunks": "query.scoring",
}

__all__ = [
    "FORMAT_VERSION",
    "LOCK_NAME",
    "SCORE_DIGITS",
    "Chunk",
    "ChunkFilter",
    "ChunkRecord",
    "CorruptIndexError",
    "DecodedTerm",
    "DiskUse",
    "Document",
    "Edge",
    "Field",
    "FileMissingError",
    "FileStore",
    "Finding",
    "ForeignIndexError",
    "Hit",
    "Index",
    "IndexBusyError",
    "IndexFormatError",
    "IndexMissingError",
    "IndexWriter",
    "InvalidInputError",
    "Limits",
    "LiveSegment",
    "LiveTerms",
    "MemoryStore",
    "MergeTask",
    "ReadOnlyStoreError",
    "RepairReport",
    "Schema",
    "SegmentEntry",
    "SegmentReader",
    "Severity",
    "Snapshot",
    "SnapshotReader",
    "Store",
    "StoreError",
    "StoreWriteError",
    "TermColumns",
    "TermLines",
    "TermScores",
    "TermSearch",
    "TermText",
    "Tokens",
    "UnsupportedVersionError",
    "Vocabulary",
    "WeightedTerm",
    "best_chunks",
    "best_sums",
    "build_segment",
    "check",
    "chunks_of_files",
    "chunks_with_all",
    "decode_chunks",
    "dump",
    "frequencies_in",
    "frequent_prefix_terms",
    "list_containing_terms",
    "list_prefix_chunks",
    "list_prefix_postings",
    "list_prefix_terms",
    "merge_segments",
    "open_terms",
    "repair",
    "searcher",
    "select_near",
    "set_aside",
    "top_chunks",
]


def __getattr__(name: str) -> object:
    """Import a late name."""
    module = _LATE.get(name)
    if module is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"index_format.{module}"), name)

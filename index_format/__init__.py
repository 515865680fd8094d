"""An embedded search index of immutable segments, readable without locks.

    index = Index(FileStore("folder"), Schema((Field("body"),)))
    with index.writer() as writer:
        words = writer.vocabulary.tokens(["immutable", "segments"])
        writer.add(Document("a.txt", [Chunk(1, 1, {"body": words})]))
        writer.commit()
    index.compact(full=True)
    hits = top_chunks(index.snapshot(), [WeightedTerm("body", b"segments")], 10)

`check(store)` of `index_format.health.check` reads and verifies all of it, `repair` of
`index_format.health.repair` heals it, `dump` of `index_format.health.dump` shows it, and
`SnapshotReader` of `index_format.whoosh_bridge.reader` is a Whoosh reader over a snapshot.

Documents are files cut into chunks; a chunk has words in the fields of the schema, and what a word
is the caller decides. A snapshot holds its files open until nothing refers to it any more. Names
that are not listed in `__all__` may change without notice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from index_format.errors import (
    CorruptIndexError,
    FileMissingError,
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
from index_format.generation.index import Index
from index_format.generation.merge_task import MergeTask, merge_segments
from index_format.generation.snapshot import ChunkRecord, Snapshot
from index_format.generation.writer import IndexWriter, build_segment
from index_format.model import Chunk, Document, Field, Schema, Tokens, Vocabulary
from index_format.segment.entry import SegmentEntry
from index_format.store.contract import Store
from index_format.store.file_store import FileStore
from index_format.store.memory_store import MemoryStore

if TYPE_CHECKING:
    from index_format.query.scoring import Hit, best_chunks, open_terms, top_chunks
    from index_format.query.term_scores import TermScores, WeightedTerm
    from index_format.whoosh_bridge.reader import SnapshotReader

# what pulls in Whoosh or is rarely needed is imported when it is first asked for
_LATE = {
    "Hit": "query.scoring",
    "TermScores": "query.term_scores",
    "WeightedTerm": "query.term_scores",
    "best_chunks": "query.scoring",
    "open_terms": "query.scoring",
    "top_chunks": "query.scoring",
    "SnapshotReader": "whoosh_bridge.reader",
}

__all__ = [
    "Chunk",
    "ChunkRecord",
    "CorruptIndexError",
    "Document",
    "Field",
    "FileMissingError",
    "FileStore",
    "Hit",
    "Index",
    "IndexBusyError",
    "IndexFormatError",
    "IndexMissingError",
    "IndexWriter",
    "InvalidInputError",
    "Limits",
    "MemoryStore",
    "MergeTask",
    "ReadOnlyStoreError",
    "Schema",
    "SegmentEntry",
    "Snapshot",
    "SnapshotReader",
    "Store",
    "StoreError",
    "StoreWriteError",
    "TermScores",
    "Tokens",
    "UnsupportedVersionError",
    "Vocabulary",
    "WeightedTerm",
    "best_chunks",
    "build_segment",
    "merge_segments",
    "open_terms",
    "top_chunks",
]


def __getattr__(name: str) -> object:
    """Import a late name."""
    module = _LATE.get(name)
    if module is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"index_format.{module}"), name)

"""An embedded search index of immutable segments, readable without locks.

    index = Index(FileStore("folder"), Schema((Field("body"),)))
    with index.writer() as writer:
        words = writer.vocabulary.tokens(["immutable", "segments"])
        writer.add(Document("a.txt", [Chunk(1, 1, {"body": words})]))
        writer.commit()
    index.compact(full=True)
    hits = top_chunks(index.snapshot(), [WeightedTerm("body", b"segments")], 10)

`check(store)` of `index_format.check` reads and verifies all of it, `repair` of
`index_format.repair` heals it, `dump` of `index_format.dump` shows it, and `SnapshotReader` of
`index_format.whoosh_reader` is a Whoosh reader over a snapshot.

Documents are files cut into chunks; a chunk has words in the fields of the schema, and what a word
is the caller decides. A snapshot holds its files open until nothing refers to it any more. Names
that are not listed in `__all__` may change without notice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from index_format.compaction import Limits
from index_format.entries import SegmentEntry
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
from index_format.file_store import FileStore
from index_format.index import Index
from index_format.index_writer import IndexWriter, build_segment
from index_format.memory_store import MemoryStore
from index_format.merge_task import MergeTask, merge_segments
from index_format.model import Chunk, Document, Field, Schema, Tokens, Vocabulary
from index_format.snapshot import ChunkRecord, Snapshot
from index_format.store import Store

if TYPE_CHECKING:
    from index_format.scoring import Hit, best_chunks, open_terms, top_chunks
    from index_format.term_scores import TermScores, WeightedTerm
    from index_format.whoosh_reader import SnapshotReader

# what pulls in Whoosh or is rarely needed is imported when it is first asked for
_LATE = {
    "Hit": "scoring",
    "TermScores": "term_scores",
    "WeightedTerm": "term_scores",
    "best_chunks": "scoring",
    "open_terms": "scoring",
    "top_chunks": "scoring",
    "SnapshotReader": "whoosh_reader",
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

"""An embedded search index of immutable segments, readable without locks.

    index = Index(FileStore("folder"), Schema((Field("body"),)))
    with index.writer() as writer:
        words = writer.vocabulary.tokens(["immutable", "segments"])
        writer.add(Document("a.txt", [Chunk(1, 1, {"body": words})]))
        writer.commit()
    index.compact(full=True)
    hits = top_chunks(index.snapshot(), [WeightedTerm("body", b"segments")], 10)

This is the door: what `__all__` lists is public and described in docs/index_format.md, everything
else may change without notice. Modules beside it are doors of their own: `native` (compiled code),
`lean_whoosh` and `lean_numpy` (to be imported before Whoosh and numpy), `records` and `tuples`
(classes of values that are made fast). Importing the door imports nothing.

Documents are files cut into chunks; a chunk has words in the fields of the schema, and how text
becomes words is the caller's choice. A snapshot keeps its files open until it is garbage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:
    from index_format.codec.bits import ranges
    from index_format.errors import (
        CorruptIndexError,
        FileMissingError,
        ForeignIndexError,
        IndexBusyError,
        IndexFormatError,
        IndexMissingError,
        InvalidInputError,
        ReadOnlyStoreError,
        SegmentLostError,
        StoreError,
        StoreWriteError,
        UnsupportedVersionError,
    )
    from index_format.generation.index import DiskUse, Index
    from index_format.generation.manifest import Manifest
    from index_format.generation.merge_task import MergeTask, merge_segments
    from index_format.generation.origin import open_recorded
    from index_format.generation.portable import (
        adopt_manifest,
        copy_borrowed,
        export_manifest,
        holds_segment,
        import_manifest,
        link_segments,
        list_borrowed,
        list_segment_paths,
        read_segment,
        receive_segment,
        settle_copies,
        share_segments,
    )
    from index_format.generation.shard import (
        Answers,
        Asker,
        BySegment,
        DistributedSnapshot,
        Limit,
        ShardSnapshot,
        Statistics,
        open_checked,
        open_shard,
    )
    from index_format.generation.snapshot import (
        ChunkRecord,
        LiveSegment,
        Shard,
        Snapshot,
        SnapshotQuery,
        chunks_of_files,
    )
    from index_format.generation.union import Mount, unite
    from index_format.generation.writer import IndexWriter, build_segment
    from index_format.health.check import Finding, Severity, check
    from index_format.health.dump import dump
    from index_format.health.repair import RepairReport, repair
    from index_format.layout import FORMAT_VERSION, LOCK_NAME, MAX_WORD, UNREAD
    from index_format.model import (
        Chunk,
        ChunkTokens,
        Document,
        Field,
        Limits,
        Schema,
        Tokens,
        Vocabulary,
    )
    from index_format.query import Edge
    from index_format.query.edit_distance import select_near
    from index_format.query.live_terms import LiveTerms
    from index_format.query.scoring import Hit, best_chunks, open_terms, top_chunks
    from index_format.query.summing import (
        LENGTHS_OF_CODES,
        SCORE_DIGITS,
        best_sums,
        count_in_chunks,
    )
    from index_format.query.term_lists import (
        PrefixTerms,
        chunks_of_segment,
        frequent_prefix_terms,
        list_containing_terms,
        list_prefix_chunks,
        list_prefix_postings,
        list_prefix_terms,
        list_segment_postings,
    )
    from index_format.query.term_scores import (
        ChunkFilter,
        TermCounts,
        TermKey,
        TermScores,
        WeightedTerm,
        open_in_shard,
        prefetch_counts,
    )
    from index_format.query.term_search import (
        TermColumns,
        TermLines,
        TermSearch,
        TermText,
    )
    from index_format.query.term_view import ChunksWithAll, chunks_with_all, decode_chunks
    from index_format.segment.entry import SegmentEntry
    from index_format.segment.mounted import FolderTerms
    from index_format.segment.reader import SegmentReader
    from index_format.store.contract import ReadHandle, Store
    from index_format.store.file_store import FileStore, set_aside
    from index_format.store.memory_store import MemoryStore
    from index_format.store.shared_store import SegmentSource, SharedStore
    from index_format.whoosh_bridge.reader import SnapshotReader, searcher

# imported on first use: no process needs all of them
_LATE: Final = {
    "codec.bits": "ranges",
    "errors": (
        "CorruptIndexError FileMissingError ForeignIndexError IndexBusyError IndexFormatError "
        "IndexMissingError InvalidInputError ReadOnlyStoreError SegmentLostError StoreError "
        "StoreWriteError UnsupportedVersionError"
    ),
    "generation.index": "DiskUse Index",
    "generation.manifest": "Manifest",
    "generation.merge_task": "MergeTask merge_segments",
    "generation.origin": "open_recorded",
    "generation.portable": (
        "adopt_manifest copy_borrowed export_manifest holds_segment import_manifest "
        "link_segments list_borrowed list_segment_paths read_segment receive_segment "
        "settle_copies share_segments"
    ),
    "generation.shard": (
        "Answers Asker BySegment DistributedSnapshot Limit ShardSnapshot Statistics "
        "open_checked open_shard"
    ),
    "generation.snapshot": "ChunkRecord LiveSegment Shard Snapshot SnapshotQuery chunks_of_files",
    "generation.union": "Mount unite",
    "generation.writer": "IndexWriter build_segment",
    "health.check": "Finding Severity check",
    "health.dump": "dump",
    "health.repair": "RepairReport repair",
    "layout": "FORMAT_VERSION LOCK_NAME MAX_WORD UNREAD",
    "model": "Chunk ChunkTokens Document Field Limits Schema Tokens Vocabulary",
    "query": "Edge",
    "query.edit_distance": "select_near",
    "query.live_terms": "LiveTerms",
    "query.scoring": "Hit best_chunks open_terms top_chunks",
    "query.summing": "LENGTHS_OF_CODES SCORE_DIGITS best_sums count_in_chunks",
    "query.term_lists": (
        "PrefixTerms chunks_of_segment frequent_prefix_terms list_containing_terms "
        "list_prefix_chunks list_prefix_postings list_prefix_terms list_segment_postings"
    ),
    "query.term_scores": (
        "ChunkFilter TermCounts TermKey TermScores WeightedTerm open_in_shard prefetch_counts"
    ),
    "query.term_search": "TermColumns TermLines TermSearch TermText",
    "query.term_view": "ChunksWithAll chunks_with_all decode_chunks",
    "segment.entry": "SegmentEntry",
    "segment.mounted": "FolderTerms",
    "segment.reader": "SegmentReader",
    "store.contract": "ReadHandle Store",
    "store.file_store": "FileStore set_aside",
    "store.memory_store": "MemoryStore",
    "store.shared_store": "SegmentSource SharedStore",
    "whoosh_bridge.reader": "SnapshotReader searcher",
}

__all__ = [name for names in _LATE.values() for name in names.split()]

__getattr__ = import_on_first_use(__name__, _LATE)

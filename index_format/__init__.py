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
(classes of values that are made fast), `annotations` (names of `typing`, which is not loaded).
Importing the door imports nothing.

Documents are files cut into chunks; a chunk has words in the fields of the schema, and how text
becomes words is the caller's choice. A snapshot keeps its files open until it is garbage.
"""

from __future__ import annotations

from index_format.annotations import TYPE_CHECKING, Final
from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # with their own names, which exports them to checkers
    from index_format.codec.bits import ranges as ranges
    from index_format.errors import (
        CorruptIndexError as CorruptIndexError,
        FileMissingError as FileMissingError,
        ForeignIndexError as ForeignIndexError,
        IndexBusyError as IndexBusyError,
        IndexFormatError as IndexFormatError,
        IndexMissingError as IndexMissingError,
        InvalidInputError as InvalidInputError,
        ReadOnlyStoreError as ReadOnlyStoreError,
        SegmentLostError as SegmentLostError,
        StoreError as StoreError,
        StoreWriteError as StoreWriteError,
        UnsupportedVersionError as UnsupportedVersionError,
    )
    from index_format.generation.index import DiskUse as DiskUse, Index as Index
    from index_format.generation.manifest import Manifest as Manifest
    from index_format.generation.merge_task import (
        MergeTask as MergeTask,
        merge_segments as merge_segments,
    )
    from index_format.generation.origin import open_recorded as open_recorded
    from index_format.generation.portable import (
        adopt_manifest as adopt_manifest,
        copy_borrowed as copy_borrowed,
        export_manifest as export_manifest,
        holds_segment as holds_segment,
        import_manifest as import_manifest,
        link_segments as link_segments,
        list_borrowed as list_borrowed,
        list_segment_paths as list_segment_paths,
        read_segment as read_segment,
        receive_segment as receive_segment,
        settle_copies as settle_copies,
        share_segments as share_segments,
    )
    from index_format.generation.shard import (
        Answers as Answers,
        Asker as Asker,
        BySegment as BySegment,
        DistributedSnapshot as DistributedSnapshot,
        Limit as Limit,
        ShardSnapshot as ShardSnapshot,
        Statistics as Statistics,
        open_checked as open_checked,
        open_shard as open_shard,
    )
    from index_format.generation.snapshot import (
        ChunkRecord as ChunkRecord,
        LiveSegment as LiveSegment,
        Shard as Shard,
        Snapshot as Snapshot,
        SnapshotQuery as SnapshotQuery,
        chunks_of_files as chunks_of_files,
    )
    from index_format.generation.union import Mount as Mount, unite as unite
    from index_format.generation.writer import (
        IndexWriter as IndexWriter,
        build_segment as build_segment,
    )
    from index_format.health.check import Finding as Finding, Severity as Severity, check as check
    from index_format.health.dump import dump as dump
    from index_format.health.repair import RepairReport as RepairReport, repair as repair
    from index_format.layout import (
        FORMAT_VERSION as FORMAT_VERSION,
        LOCK_NAME as LOCK_NAME,
        MAX_WORD as MAX_WORD,
        UNREAD as UNREAD,
    )
    from index_format.model import (
        Chunk as Chunk,
        ChunkTokens as ChunkTokens,
        Document as Document,
        Field as Field,
        Limits as Limits,
        Schema as Schema,
        Tokens as Tokens,
        Vocabulary as Vocabulary,
    )
    from index_format.query import Edge as Edge
    from index_format.query.edit_distance import select_near as select_near
    from index_format.query.live_terms import LiveTerms as LiveTerms
    from index_format.query.scoring import (
        Hit as Hit,
        best_chunks as best_chunks,
        open_terms as open_terms,
        top_chunks as top_chunks,
    )
    from index_format.query.summing import (
        LENGTHS_OF_CODES as LENGTHS_OF_CODES,
        SCORE_DIGITS as SCORE_DIGITS,
        best_sums as best_sums,
        count_in_chunks as count_in_chunks,
    )
    from index_format.query.term_lists import (
        PrefixTerms as PrefixTerms,
        chunks_of_segment as chunks_of_segment,
        frequent_prefix_terms as frequent_prefix_terms,
        list_containing_terms as list_containing_terms,
        list_prefix_chunks as list_prefix_chunks,
        list_prefix_postings as list_prefix_postings,
        list_prefix_terms as list_prefix_terms,
        list_segment_postings as list_segment_postings,
    )
    from index_format.query.term_scores import (
        ChunkFilter as ChunkFilter,
        TermCounts as TermCounts,
        TermKey as TermKey,
        TermScores as TermScores,
        WeightedTerm as WeightedTerm,
        open_in_shard as open_in_shard,
        prefetch_counts as prefetch_counts,
    )
    from index_format.query.term_search import (
        TermColumns as TermColumns,
        TermLines as TermLines,
        TermSearch as TermSearch,
        TermText as TermText,
    )
    from index_format.query.term_view import (
        ChunksWithAll as ChunksWithAll,
        chunks_with_all as chunks_with_all,
        decode_chunks as decode_chunks,
    )
    from index_format.segment.entry import SegmentEntry as SegmentEntry
    from index_format.segment.mounted import FolderTerms as FolderTerms
    from index_format.segment.reader import SegmentReader as SegmentReader
    from index_format.store.contract import ReadHandle as ReadHandle, Store as Store
    from index_format.store.file_store import FileStore as FileStore, set_aside as set_aside
    from index_format.store.memory_store import MemoryStore as MemoryStore
    from index_format.store.shared_store import (
        SegmentSource as SegmentSource,
        SharedStore as SharedStore,
    )
    from index_format.whoosh_bridge.reader import (
        SnapshotReader as SnapshotReader,
        searcher as searcher,
    )

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

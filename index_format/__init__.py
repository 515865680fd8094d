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
(classes of values that are made fast). Importing the door imports nothing but errors.

Documents are files cut into chunks; a chunk has words in the fields of the schema, and how text
becomes words is the caller's choice. A snapshot keeps its files open until it is garbage.
"""

from __future__ import annotations

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
    SegmentLostError,
    StoreError,
    StoreWriteError,
    UnsupportedVersionError,
)
from index_format.late_import import import_on_first_use

if TYPE_CHECKING:
    from index_format.codec.bits import ranges
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
_LATE = {
    "Asker": "generation.shard",
    "BySegment": "generation.shard",
    "Chunk": "model",
    "ChunkTokens": "model",
    "ChunkFilter": "query.term_scores",
    "ChunkRecord": "generation.snapshot",
    "DiskUse": "generation.index",
    "Document": "model",
    "Edge": "query",
    "FORMAT_VERSION": "layout",
    "Field": "model",
    "FileStore": "store.file_store",
    "Finding": "health.check",
    "FolderTerms": "segment.mounted",
    "Hit": "query.scoring",
    "Index": "generation.index",
    "IndexWriter": "generation.writer",
    "LENGTHS_OF_CODES": "query.summing",
    "LOCK_NAME": "layout",
    "MAX_WORD": "layout",
    "Limit": "generation.shard",
    "Limits": "model",
    "LiveSegment": "generation.snapshot",
    "LiveTerms": "query.live_terms",
    "Manifest": "generation.manifest",
    "MemoryStore": "store.memory_store",
    "MergeTask": "generation.merge_task",
    "Mount": "generation.union",
    "SnapshotQuery": "generation.snapshot",
    "ReadHandle": "store.contract",
    "RepairReport": "health.repair",
    "SCORE_DIGITS": "query.summing",
    "Schema": "model",
    "SegmentEntry": "segment.entry",
    "SegmentReader": "segment.reader",
    "SegmentSource": "store.shared_store",
    "Severity": "health.check",
    "Shard": "generation.snapshot",
    "Answers": "generation.shard",
    "ShardSnapshot": "generation.shard",
    "SharedStore": "store.shared_store",
    "Snapshot": "generation.snapshot",
    "SnapshotReader": "whoosh_bridge.reader",
    "DistributedSnapshot": "generation.shard",
    "Statistics": "generation.shard",
    "Store": "store.contract",
    "TermColumns": "query.term_search",
    "TermCounts": "query.term_scores",
    "TermKey": "query.term_scores",
    "TermLines": "query.term_search",
    "TermScores": "query.term_scores",
    "TermSearch": "query.term_search",
    "TermText": "query.term_search",
    "Tokens": "model",
    "UNREAD": "layout",
    "Vocabulary": "model",
    "WeightedTerm": "query.term_scores",
    "adopt_manifest": "generation.portable",
    "best_chunks": "query.scoring",
    "best_sums": "query.summing",
    "count_in_chunks": "query.summing",
    "build_segment": "generation.writer",
    "check": "health.check",
    "chunks_of_files": "generation.snapshot",
    "ChunksWithAll": "query.term_view",
    "PrefixTerms": "query.term_lists",
    "chunks_of_segment": "query.term_lists",
    "chunks_with_all": "query.term_view",
    "copy_borrowed": "generation.portable",
    "prefetch_counts": "query.term_scores",
    "decode_chunks": "query.term_view",
    "dump": "health.dump",
    "export_manifest": "generation.portable",
    "frequent_prefix_terms": "query.term_lists",
    "holds_segment": "generation.portable",
    "import_manifest": "generation.portable",
    "link_segments": "generation.portable",
    "list_borrowed": "generation.portable",
    "list_containing_terms": "query.term_lists",
    "list_prefix_chunks": "query.term_lists",
    "list_prefix_postings": "query.term_lists",
    "list_prefix_terms": "query.term_lists",
    "list_segment_paths": "generation.portable",
    "list_segment_postings": "query.term_lists",
    "merge_segments": "generation.merge_task",
    "open_checked": "generation.shard",
    "open_in_shard": "query.term_scores",
    "open_recorded": "generation.origin",
    "open_shard": "generation.shard",
    "open_terms": "query.scoring",
    "ranges": "codec.bits",
    "read_segment": "generation.portable",
    "receive_segment": "generation.portable",
    "repair": "health.repair",
    "searcher": "whoosh_bridge.reader",
    "select_near": "query.edit_distance",
    "set_aside": "store.file_store",
    "settle_copies": "generation.portable",
    "share_segments": "generation.portable",
    "top_chunks": "query.scoring",
    "unite": "generation.union",
}

__all__ = [
    "FORMAT_VERSION",
    "LENGTHS_OF_CODES",
    "LOCK_NAME",
    "MAX_WORD",
    "SCORE_DIGITS",
    "UNREAD",
    "Answers",
    "Asker",
    "BySegment",
    "Chunk",
    "ChunkFilter",
    "ChunkRecord",
    "ChunkTokens",
    "ChunksWithAll",
    "CorruptIndexError",
    "DiskUse",
    "DistributedSnapshot",
    "Document",
    "Edge",
    "Field",
    "FileMissingError",
    "FileStore",
    "Finding",
    "FolderTerms",
    "ForeignIndexError",
    "Hit",
    "Index",
    "IndexBusyError",
    "IndexFormatError",
    "IndexMissingError",
    "IndexWriter",
    "InvalidInputError",
    "Limit",
    "Limits",
    "LiveSegment",
    "LiveTerms",
    "Manifest",
    "MemoryStore",
    "MergeTask",
    "Mount",
    "PrefixTerms",
    "ReadHandle",
    "ReadOnlyStoreError",
    "RepairReport",
    "Schema",
    "SegmentEntry",
    "SegmentLostError",
    "SegmentReader",
    "SegmentSource",
    "Severity",
    "Shard",
    "ShardSnapshot",
    "SharedStore",
    "Snapshot",
    "SnapshotQuery",
    "SnapshotReader",
    "Statistics",
    "Store",
    "StoreError",
    "StoreWriteError",
    "TermColumns",
    "TermCounts",
    "TermKey",
    "TermLines",
    "TermScores",
    "TermSearch",
    "TermText",
    "Tokens",
    "UnsupportedVersionError",
    "Vocabulary",
    "WeightedTerm",
    "adopt_manifest",
    "best_chunks",
    "best_sums",
    "build_segment",
    "check",
    "chunks_of_files",
    "chunks_of_segment",
    "chunks_with_all",
    "copy_borrowed",
    "count_in_chunks",
    "decode_chunks",
    "dump",
    "export_manifest",
    "frequent_prefix_terms",
    "holds_segment",
    "import_manifest",
    "link_segments",
    "list_borrowed",
    "list_containing_terms",
    "list_prefix_chunks",
    "list_prefix_postings",
    "list_prefix_terms",
    "list_segment_paths",
    "list_segment_postings",
    "merge_segments",
    "open_checked",
    "open_in_shard",
    "open_recorded",
    "open_shard",
    "open_terms",
    "prefetch_counts",
    "ranges",
    "read_segment",
    "receive_segment",
    "repair",
    "searcher",
    "select_near",
    "set_aside",
    "settle_copies",
    "share_segments",
    "top_chunks",
    "unite",
]


__getattr__ = import_on_first_use(__name__, _LATE)

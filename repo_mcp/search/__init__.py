"""Search in one snapshot: ranked, exact, and in files that are not indexed yet.

Other rooms import from here only. Names are imported on first use, so that a process loads only the
searches that it makes. Searches read a `Snapshot` and the current files; nothing here depends on
how the index is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:
    from repo_mcp.search.dictionary.synonyms import synonyms
    from repo_mcp.search.dictionary.word_forms import other_forms, stem, stems
    from repo_mcp.search.dictionary.words import Dictionaries
    from repo_mcp.search.distributed import SHARD_MISSING, OpenDistributed, SegmentsMissingError
    from repo_mcp.search.exact.candidates import Required, chunks_with_needles
    from repo_mcp.search.exact.engine import ExactEngine
    from repo_mcp.search.exact.pattern import MAX_LITERAL, LineMatcher, build_matcher
    from repo_mcp.search.exact.query import (
        FILE,
        LIMIT_REACHED,
        LINE,
        ExactAnswer,
        ExactQuery,
        FileCount,
        Scope,
        is_small,
    )
    from repo_mcp.search.exact.raw_lines import RawLine, RawPattern, RawText
    from repo_mcp.search.exact.raw_pattern import NotExactError, PatternSyntax, parse_patterns
    from repo_mcp.search.facets import TOP, FacetCounter
    from repo_mcp.search.filter.file_kinds import (
        RANK_OF_TESTS,
        facet_filters,
        has_values,
        kind_of,
        path_filters,
        reading_rank,
    )
    from repo_mcp.search.filter.file_masks import FileAxis
    from repo_mcp.search.filter.package_globs import with_packages
    from repo_mcp.search.filter.path_filter import PathText
    from repo_mcp.search.filter.path_kinds import language_endings, language_names
    from repo_mcp.search.line_matches import LineMatch, Span
    from repo_mcp.search.passage.showing import import_lines, shown_lines
    from repo_mcp.search.passage.term_matcher import TermMatcher
    from repo_mcp.search.ranked.encoded_functions import EncodedFunctions
    from repo_mcp.search.ranked.engine import RankedEngine, SearchOptions
    from repo_mcp.search.ranked.meaning import MEASURED_BEST
    from repo_mcp.search.ranked.past import PastChanges, PastVotes, weigh_words
    from repo_mcp.search.ranked.path_signals import path_signals
    from repo_mcp.search.ranked.ranked_chunks import ChunkRanker
    from repo_mcp.search.ranked.term_lookup import Corpus, look_up
    from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS
    from repo_mcp.search.regex.parser import BLANKS, CLASSES
    from repo_mcp.search.similar.engine import (
        NearestDeclarations,
        SimilarDeclaration,
        SimilarEngine,
    )
    from repo_mcp.search.similar.likeness import Likeness
    from repo_mcp.search.structure.engine import StructureEngine
    from repo_mcp.search.suggest.near_paths import near_paths
    from repo_mcp.search.suggest.near_words import NearWords
    from repo_mcp.search.suggest.suggestions import suggest_queries
    from repo_mcp.search.unindexed import merge_scanned, scan_unindexed, show_scanned

_LATE: Final = {
    "dictionary.synonyms": "synonyms",
    "dictionary.word_forms": "other_forms stem stems",
    "dictionary.words": "Dictionaries",
    "distributed": "SHARD_MISSING OpenDistributed SegmentsMissingError",
    "exact.candidates": "Required chunks_with_needles",
    "exact.engine": "ExactEngine",
    "exact.pattern": "MAX_LITERAL LineMatcher build_matcher",
    "exact.query": "FILE LIMIT_REACHED LINE ExactAnswer ExactQuery FileCount Scope is_small",
    "exact.raw_lines": "RawLine RawPattern RawText",
    "exact.raw_pattern": "NotExactError PatternSyntax parse_patterns",
    "facets": "TOP FacetCounter",
    "filter.file_kinds": "RANK_OF_TESTS facet_filters has_values kind_of path_filters reading_rank",
    "filter.file_masks": "FileAxis",
    "filter.package_globs": "with_packages",
    "filter.path_filter": "PathText",
    "filter.path_kinds": "language_endings language_names",
    "line_matches": "LineMatch Span",
    "passage.showing": "import_lines shown_lines",
    "passage.term_matcher": "TermMatcher",
    "ranked.encoded_functions": "EncodedFunctions",
    "ranked.engine": "RankedEngine SearchOptions",
    "ranked.meaning": "MEASURED_BEST",
    "ranked.past": "PastChanges PastVotes weigh_words",
    "ranked.path_signals": "path_signals",
    "ranked.ranked_chunks": "ChunkRanker",
    "ranked.term_lookup": "Corpus look_up",
    "ranked.weights": "DEFAULT_WEIGHTS",
    "regex.parser": "BLANKS CLASSES",
    "similar.engine": "NearestDeclarations SimilarDeclaration SimilarEngine",
    "similar.likeness": "Likeness",
    "structure.engine": "StructureEngine",
    "suggest.near_paths": "near_paths",
    "suggest.near_words": "NearWords",
    "suggest.suggestions": "suggest_queries",
    "unindexed": "merge_scanned scan_unindexed show_scanned",
}

__getattr__ = import_on_first_use(__name__, _LATE)

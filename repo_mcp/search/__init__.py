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
    from repo_mcp.search.filter.path_filter import PathText
    from repo_mcp.search.filter.path_kinds import language_endings, language_names
    from repo_mcp.search.line_matches import LineMatch, Span
    from repo_mcp.search.passage.showing import import_lines, shown_lines
    from repo_mcp.search.passage.term_matcher import TermMatcher
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
    "RawPattern": "exact.raw_lines",
    "RawText": "exact.raw_lines",
    "RawLine": "exact.raw_lines",
    "NotExactError": "exact.raw_pattern",
    "PatternSyntax": "exact.raw_pattern",
    "parse_patterns": "exact.raw_pattern",
    "ChunkRanker": "ranked.ranked_chunks",
    "Corpus": "ranked.term_lookup",
    "DEFAULT_WEIGHTS": "ranked.weights",
    "Dictionaries": "dictionary.words",
    "LineMatcher": "exact.pattern",
    "Required": "exact.candidates",
    "chunks_with_needles": "exact.candidates",
    "ExactAnswer": "exact.query",
    "ExactEngine": "exact.engine",
    "ExactQuery": "exact.query",
    "FILE": "exact.query",
    "FacetCounter": "facets",
    "FileAxis": "filter.file_masks",
    "FileCount": "exact.query",
    "LIMIT_REACHED": "exact.query",
    "LINE": "exact.query",
    "LineMatch": "line_matches",
    "Likeness": "similar.likeness",
    "MAX_LITERAL": "exact.pattern",
    "BLANKS": "regex.parser",
    "CLASSES": "regex.parser",
    "PastChanges": "ranked.past",
    "PastVotes": "ranked.past",
    "PathText": "filter.path_filter",
    "RankedEngine": "ranked.engine",
    "SHARD_MISSING": "distributed",
    "Scope": "exact.query",
    "SegmentsMissingError": "distributed",
    "NearWords": "suggest.near_words",
    "NearestDeclarations": "similar.engine",
    "SimilarDeclaration": "similar.engine",
    "SimilarEngine": "similar.engine",
    "Span": "line_matches",
    "OpenDistributed": "distributed",
    "StructureEngine": "structure.engine",
    "TOP": "facets",
    "TermMatcher": "passage.term_matcher",
    "SearchOptions": "ranked.engine",
    "build_matcher": "exact.pattern",
    "RANK_OF_TESTS": "filter.file_kinds",
    "facet_filters": "filter.file_kinds",
    "has_values": "filter.file_kinds",
    "kind_of": "filter.file_kinds",
    "path_filters": "filter.file_kinds",
    "reading_rank": "filter.file_kinds",
    "MEASURED_BEST": "ranked.meaning",
    "is_small": "exact.query",
    "language_endings": "filter.path_kinds",
    "language_names": "filter.path_kinds",
    "near_paths": "suggest.near_paths",
    "other_forms": "dictionary.word_forms",
    "look_up": "ranked.term_lookup",
    "path_signals": "ranked.path_signals",
    "merge_scanned": "unindexed",
    "scan_unindexed": "unindexed",
    "show_scanned": "unindexed",
    "import_lines": "passage.showing",
    "shown_lines": "passage.showing",
    "stem": "dictionary.word_forms",
    "stems": "dictionary.word_forms",
    "suggest_queries": "suggest.suggestions",
    "synonyms": "dictionary.synonyms",
    "weigh_words": "ranked.past",
}

__all__ = [
    "BLANKS",
    "CLASSES",
    "DEFAULT_WEIGHTS",
    "FILE",
    "LIMIT_REACHED",
    "LINE",
    "MAX_LITERAL",
    "MEASURED_BEST",
    "RANK_OF_TESTS",
    "SHARD_MISSING",
    "TOP",
    "ChunkRanker",
    "Corpus",
    "Dictionaries",
    "ExactAnswer",
    "ExactEngine",
    "ExactQuery",
    "FacetCounter",
    "FileAxis",
    "FileCount",
    "Likeness",
    "LineMatch",
    "LineMatcher",
    "NearWords",
    "NearestDeclarations",
    "NotExactError",
    "OpenDistributed",
    "PastChanges",
    "PastVotes",
    "PathText",
    "PatternSyntax",
    "RankedEngine",
    "RawLine",
    "RawPattern",
    "RawText",
    "Required",
    "Scope",
    "SearchOptions",
    "SegmentsMissingError",
    "SimilarDeclaration",
    "SimilarEngine",
    "Span",
    "StructureEngine",
    "TermMatcher",
    "build_matcher",
    "chunks_with_needles",
    "facet_filters",
    "has_values",
    "import_lines",
    "is_small",
    "kind_of",
    "language_endings",
    "language_names",
    "look_up",
    "merge_scanned",
    "near_paths",
    "other_forms",
    "parse_patterns",
    "path_filters",
    "path_signals",
    "reading_rank",
    "scan_unindexed",
    "show_scanned",
    "shown_lines",
    "stem",
    "stems",
    "suggest_queries",
    "synonyms",
    "weigh_words",
]

__getattr__ = import_on_first_use(__name__, _LATE)

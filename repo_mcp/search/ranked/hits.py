"""Shown passages as hits, with how likely each is what was asked for, and warnings beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import FUNCTION, LINE
from repo_mcp.model import AnswerWarning, ScoreReason, SearchHit
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.passage.relevance import RelevanceFeatures, leads, percent
from repo_mcp.search.passage.showing import signature_of
from repo_mcp.search.ranked.current_passages import CurrentPassage
from repo_mcp.search.ranked.names import HEAD
from repo_mcp.search.ranked.ranked_chunks import RankedChunk
from repo_mcp.search.ranked.term_lookup import QueryStatistics
from repo_mcp.text.plurals import counted

if TYPE_CHECKING:
    from repo_mcp.search.filter.conditions import ChunkSelection

SCORE_DIGITS: Final = 4
# equal files that a warning names
_MOST_COPIES: Final = 3
# where a passage is all, and the number of its declaration is not known
_NO_LINES: Final = (0, 0, "")
_UNKNOWN: Final = -1
NOT_ALL_READ: Final = (
    "only the best passages with the phrase's words were searched for it: mode literal searches all"
)


class ShownPassage(NamedTuple):
    """A passage, its rounded score, the share of the query it covers, and the reasons."""

    ranked: RankedChunk
    score: float
    found: CurrentPassage
    covered: float
    reasons: tuple[ScoreReason, ...]


def build_hits(
    shown: Sequence[ShownPassage],
    statistics: QueryStatistics,
    files: CurrentFiles,
    level: str = "",
) -> tuple[SearchHit, ...]:
    """The hits, best first."""
    parts = frozenset(part for word in statistics.missing for part in word.parts)
    terms = statistics.query.terms
    best = max((item.score for item in shown), default=0.0)
    ahead = leads([(item.ranked.path, item.score) for item in shown])
    hits = []
    for item, lead in zip(shown, ahead, strict=True):
        passage, matched, stale = item.found
        strength = item.score / statistics.ceiling
        hits.append(
            SearchHit(
                item.ranked.path,
                passage.start,
                passage.end,
                item.score,
                tuple([term for term in terms if term in matched]),
                passage.snippet,
                stale,
                passage.symbol,
                item.reasons,
                bool(matched) and matched <= parts,
                percent(RelevanceFeatures(strength, item.covered, lead, item.score == best)),
                *_declaration(item.ranked, item.found, files, level),
            )
        )
    return tuple(hits)


def _declaration(
    ranked: RankedChunk, found: CurrentPassage, files: CurrentFiles, level: str
) -> tuple[int, int, str, int]:
    """The lines of a passage's declaration and its signature, where that is more; its number."""
    passage, file = found.passage, files.get(ranked.path)
    if found.stale or not passage.symbol or file is None or level == LINE:
        return *_NO_LINES, _UNKNOWN
    places = files.declarations_between(ranked.path, ranked.chunk, passage.start, passage.end)
    place = next((item for item in reversed(places) if item.qualified == passage.symbol), None)
    number = _UNKNOWN if place is None else place.number
    if level == FUNCTION:
        head = file.rows.between(ranked.first, min(ranked.first + HEAD, passage.start) - 1)
        return ranked.first, ranked.last, signature_of(head), number
    if place is None or passage.start <= place.start_line <= place.end_line <= passage.end:
        return *_NO_LINES, number
    first, last = min(passage.start, place.start_line), max(passage.end, place.end_line)
    if passage.start <= place.start_line:
        return first, last, "", number
    head = file.rows.between(first, min(first + HEAD, passage.start) - 1)
    return first, last, signature_of(head), number


def warn(
    hits: Sequence[SearchHit],
    statistics: QueryStatistics,
    selection: ChunkSelection | None,
    dropped: Counter[str],
    copies: dict[str, str],
    *,
    has_left_out: bool,
) -> Iterator[AnswerWarning]:
    """Warnings of names in place of words, and of what was left out."""
    if statistics.respelt and hits:
        words = ", ".join(map(repr, statistics.respelt))
        names = ", ".join(map(repr, statistics.respelt.values()))
        text = f"no match for {words} as written: these hits are for {names}"
        yield AnswerWarning("respelt", text)
    if has_left_out:
        yield AnswerWarning("phrase", NOT_ALL_READ)
    stale = len({hit.path for hit in hits if hit.stale})
    if stale:
        text = (
            f"{counted(stale, 'file')} changed since the index was made (marked stale;"
            " shown as they are now, scored as they were)"
        )
        yield AnswerWarning("stale", text, advice="refresh")
    if copies:
        pairs = [f"{copy} equals {shown}" for copy, shown in copies.items()]
        named = ", ".join(pairs[:_MOST_COPIES])
        text = f"{counted(len(pairs), 'equal file')} left out: {named}"
        yield AnswerWarning("copies", text)
    missing = dropped["gone"] + dropped["changed"]
    if missing:
        text = f"{counted(missing, 'result')} left out: the file is gone or no longer matches"
        yield AnswerWarning("gone", text)
    if selection is not None and selection.ignored_prefixes:
        short = ", ".join(f"{item.text}*" for item in selection.ignored_prefixes)
        text = f"prefix too short to narrow the search, ignored: {short}"
        yield AnswerWarning("prefix", text)

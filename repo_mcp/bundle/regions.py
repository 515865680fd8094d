"""Bundles that are places alone: the ranked passages of a search, whole, within a budget of lines.

A client that reads lines itself wants paths and ranges in few characters. Passages in the order of
a search have more of the lines that a change touches than excerpts do (decision 0044).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph import Languages
from code_graph.paths.path_kinds import asks_for_kept, is_kept_by_programs
from index_format import Snapshot
from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.bundle.choose.budget import fit_bundle
from repo_mcp.bundle.choose.shown_lines import text_of
from repo_mcp.bundle.find.declarations import TYPES
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.query import check_limits
from repo_mcp.bundle.find.searches import Ranker, WholeQuery, search_run
from repo_mcp.bundle.model import (
    Audit,
    Bundle,
    BundleRequest,
    Excerpt,
    Line,
    SearchKind,
)
from repo_mcp.bundle.reasons import Notice, NoticeCode, Reason, ReasonCode
from repo_mcp.bundle.weights import SizeWeights
from repo_mcp.model import SearchHit
from repo_mcp.question.keywords import content_words
from repo_mcp.question.parse import parse_prompt
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.cutting import cut, stretches
from repo_mcp.text.doubts import doubt

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.snapshot import GraphSnapshot

NAME: Final = "regions"
MOST_CHARACTERS: Final = 600
# of these for a doubt, and for what stands around an answer
_DOUBT: Final = 200
_AROUND: Final = 60


class RegionBundler:
    """Gives the places of the best passages; the same tree and prompt give the same ones."""

    def __init__(self, sandbox: Sandbox, languages: Languages, ranker: Ranker) -> None:
        """Passages are those of a search."""
        self._sandbox = sandbox
        self._languages = languages
        self._ranker = ranker

    def build(
        self,
        snapshot: Snapshot,
        request: BundleRequest,
        budget: Budget,
        graph: GraphSnapshot | None = None,  # noqa: ARG002 as other bundlers
    ) -> Bundle:
        """The bundle for a request from one snapshot.

        A prompt without a word is a `Problem`.
        """
        check_limits(request)
        prompt = parse_prompt(request.prompt)
        answer = self._ranker.find_for(snapshot, prompt, budget)
        told = ""
        if not answer.confident:
            told = cut(doubt(answer.terms, answer.nowhere, "these places"), _DOUBT)
        files = Files(snapshot, self._sandbox, self._languages, budget)
        hits: Sequence[SearchHit] = answer.hits
        if not asks_for_kept(frozenset(content_words(prompt.prose))):
            hits = sorted(hits, key=lambda hit: is_kept_by_programs(hit.path))
        excerpts = _excerpts(hits, files, request, MOST_CHARACTERS - _AROUND - len(told))
        query = WholeQuery.of(prompt).text
        runs = (search_run(SearchKind.PROMPT, query, len(answer.hits)),)
        audit = Audit(NAME, snapshot.generation, complete=True, searches=runs)
        notices = () if excerpts else (Notice(NoticeCode.EMPTY),)
        return fit_bundle(request, prompt.fingerprint, excerpts, audit, notices, doubt=told)


def _excerpts(
    hits: Sequence[SearchHit], files: Files, request: BundleRequest, room: int
) -> list[Excerpt]:
    """The lines of the hits that are not there yet, while lines, files and characters last."""
    found: list[Excerpt] = []
    shown: dict[str, set[int]] = {}
    left = request.max_total_lines
    for excerpt in _whole(hits, files):
        known = shown.get(excerpt.path, set())
        lines = [line for line in excerpt.lines if line.number not in known][:left]
        if not lines or (not known and len(shown) == request.max_files):
            continue
        numbers = known | {line.number for line in lines}
        after = {**shown, excerpt.path: numbers}
        if sum(len(place) + 1 for place in map(_place, after, after.values())) > room:
            break
        shown, left = after, left - len(lines)
        found.append(replace(excerpt, lines=tuple(lines)))
        if not left:
            break
    paths = [*shown]
    return sorted(found, key=lambda item: paths.index(item.path))


def _whole(hits: Sequence[SearchHit], files: Files) -> Iterator[Excerpt]:
    """The passages, each with all of its declaration."""
    for hit in hits:
        source = files.source(hit.path)
        if source is not None:
            numbers = [at for at in _numbers(hit, files) if at <= source.rows.count]
            lines = tuple(Line(number, text_of(source, number)) for number in numbers)
            reason = Reason(ReasonCode.MATCHES, names=hit.matched_terms)
            language = files.languages.language_of(hit.path)
            yield Excerpt(
                *(hit.path, lines, hit.symbol, "match", (reason,), hit.score),
                *(source.fingerprint, source.stale, language),
            )


def _numbers(hit: SearchHit, files: Files) -> Sequence[int]:
    """The lines of a declaration; of a long class the members that match."""
    first, last = hit.whole
    whole = range(first, last + 1)
    if len(whole) <= SizeWeights.LONGEST_TYPE:
        return whole
    declared = files.declarations(hit.path)
    holding = [item for item in declared if (item.start_line, item.end_line) == (first, last)]
    if not any(item.kind in TYPES for item in holding):
        return whole
    begin, end = hit.start_line, hit.end_line
    for item in declared:
        is_member = first < item.start_line and item.end_line <= last and item.kind not in TYPES
        if is_member and item.start_line <= hit.end_line and item.end_line >= hit.start_line:
            begin, end = min(begin, item.start_line), max(end, item.end_line)
    return range(begin, end + 1)


def _place(path: str, numbers: set[int]) -> str:
    ranges = (f"{first}-{last}" for first, last in stretches(sorted(numbers)))
    return f"{path}:{','.join(ranges)}"

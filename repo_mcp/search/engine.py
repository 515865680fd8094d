"""Answers a question from one snapshot, and shows only what the files hold now.

Ranked are chunks; shown are the best lines of the file as it is at this moment, read through the
sandbox. A file that changed since it was indexed is marked, one that is gone left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from whoosh.scoring import BM25F

from index_format import Snapshot, WeightedTerm, top_chunks
from repo_mcp.analysis.question import question
from repo_mcp.analysis.words import TermFinder
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.globs import Glob
from repo_mcp.model import SearchAnswer, SearchHit
from repo_mcp.sandbox import Sandbox
from repo_mcp.search.excerpts import best_lines, snippet
from repo_mcp.text import decode, fingerprint, lines

_FIELDS: Final = (("body", 1.0), ("path", 0.7))
# chunks are of one size but for short files, so length says less than it does of documents
_MODEL: Final = BM25F(B=0.5, K1=1.6, path_B=0.0)
_MAX_QUERY: Final = 2000
_MAX_TERMS: Final = 64
# chunks fetched per hit wanted: neighbours are merged and some files may be gone
_SPARE: Final = 4
_SCORE_DIGITS: Final = 4


@dataclass(slots=True)
class _Candidate:
    """Chunks of a file that touch each other."""

    path: str
    first: int
    last: int
    score: float


@dataclass(frozen=True, slots=True)
class _Query:
    boosts: Mapping[str, float]
    weights: Mapping[str, float]
    finder: TermFinder


class Engine:
    """Searches snapshots of one repository."""

    def __init__(self, sandbox: Sandbox) -> None:
        """Read files through this sandbox."""
        self._sandbox = sandbox

    def search(
        self, snapshot: Snapshot, text: str, top_k: int, file_glob: str | None, budget: Budget
    ) -> SearchAnswer:
        """The best stretches of lines for a question, best first."""
        query = _query(snapshot, text)
        allowed = None if file_glob is None else _allowed(snapshot, Glob(file_glob), budget)
        hits: list[SearchHit] = []
        dropped: Counter[str] = Counter()
        for candidate in _candidates(snapshot, query.boosts, top_k, allowed):
            budget.check()
            hit = self._shown(snapshot, candidate, query)
            if isinstance(hit, SearchHit):
                hits.append(hit)
            else:
                dropped[hit] += 1
            if len(hits) == top_k:
                break
        return SearchAnswer(tuple(hits), tuple(query.boosts), tuple(_warnings(hits, dropped)))

    def _shown(self, snapshot: Snapshot, candidate: _Candidate, query: _Query) -> SearchHit | str:
        """The hit as the file is now, or why there is none."""
        try:
            content = self._sandbox.read(candidate.path, follow=False)
        except Problem:
            return "gone"
        text = decode(content.data)
        if text is None:
            return "gone"
        rows = lines(text.content)
        known = snapshot.file(candidate.path)
        stale = known is None or known.fingerprint != fingerprint(content.data)
        first, last = (1, len(rows)) if stale else (candidate.first, candidate.last)
        found = best_lines(rows, first, last, query.finder, query.weights)
        matched = found.terms | query.finder.found_in(candidate.path)
        if not matched or not rows:
            return "changed"
        return SearchHit(
            candidate.path,
            found.start,
            found.end,
            round(candidate.score, _SCORE_DIGITS),
            tuple(term for term in query.boosts if term in matched),
            snippet(rows, found.start, found.end),
            stale,
        )


def _query(snapshot: Snapshot, text: str) -> _Query:
    if len(text) > _MAX_QUERY:
        raise Problem("argument_invalid", f"query has at most {_MAX_QUERY} characters")
    boosts = dict(list(question(text).items())[:_MAX_TERMS])
    if not boosts:
        raise Problem("argument_invalid", "query has no word to search for")
    weights = {term: boost * _weight(snapshot, term) for term, boost in boosts.items()}
    return _Query(boosts, weights, TermFinder(boosts))


def _weight(snapshot: Snapshot, term: str) -> float:
    """How telling a term is for the choice of lines: the rarer, the more."""
    count, _ = snapshot.counts(snapshot.postings(0, term.encode("utf-8", "surrogatepass")))
    return math.log1p(snapshot.chunk_count / (count + 1))


def _allowed(snapshot: Snapshot, glob: Glob, budget: Budget) -> npt.NDArray[np.bool_]:
    mask = np.zeros(snapshot.chunk_span, dtype=np.bool_)
    for number, path in enumerate(snapshot.paths()):
        if not number & 1023:
            budget.check()
        record = snapshot.file(path) if glob.matches(path) else None
        if record is not None:
            mask[record.first_chunk : record.last_chunk] = True
    return mask


def _candidates(
    snapshot: Snapshot,
    boosts: Mapping[str, float],
    top_k: int,
    allowed: npt.NDArray[np.bool_] | None,
) -> Iterator[_Candidate]:
    """Merged chunks, best first; more are fetched when those at hand are used up."""
    weighted = [
        WeightedTerm(field, term.encode("utf-8", "surrogatepass"), boost * weight)
        for term, boost in boosts.items()
        for field, weight in _FIELDS
    ]
    given: set[str] = set()
    limit = top_k * _SPARE
    while True:
        hits = top_chunks(snapshot, weighted, limit, allowed=allowed, weighting=_MODEL)
        complete = len(hits) < limit
        merged = _merged(snapshot, [(hit.chunk, hit.score) for hit in hits])
        for candidate in merged:
            place = f"{candidate.path}\0{candidate.score!r}"
            if place not in given:
                given.add(place)
                yield candidate
        if complete:
            return
        limit *= _SPARE


def _merged(snapshot: Snapshot, hits: Sequence[tuple[int, float]]) -> list[_Candidate]:
    """Chunks in order of score; one that touches a better one of its file widens that one."""
    order: list[_Candidate] = []
    by_path: dict[str, list[_Candidate]] = {}
    for chunk, score in hits:
        record = snapshot.chunk(chunk)
        first, last = record.start_line, record.end_line
        for other in by_path.setdefault(record.path, []):
            if first <= other.last and other.first <= last:
                other.first, other.last = min(first, other.first), max(last, other.last)
                break
        else:
            candidate = _Candidate(record.path, first, last, score)
            by_path[record.path].append(candidate)
            order.append(candidate)
    return order


def _warnings(hits: Sequence[SearchHit], dropped: Counter[str]) -> Iterator[str]:
    stale = sorted({hit.path for hit in hits if hit.stale})
    if stale:
        yield (
            f"{len(stale)} file(s) changed since they were indexed (marked stale; shown as they are"
            " now, scored as they were): call repo.refresh_index"
        )
    if dropped:
        yield f"{dropped.total()} result(s) left out: the file is gone or holds the words no more"

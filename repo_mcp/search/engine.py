"""Answers a question from one snapshot, and shows only what the files hold now.

Ranked are chunks; shown are the lines of the file that matter as it is at this moment, read through
the sandbox. A file that changed since it was indexed is marked, one that is gone left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.globs import Glob
from repo_mcp.languages.facts import Place
from repo_mcp.languages.facts_wire import DamagedFactsError, decode_places
from repo_mcp.model import SearchAnswer, SearchHit
from repo_mcp.sandbox import Sandbox
from repo_mcp.search.passages import Telling, narrowed
from repo_mcp.search.ranking import Ranked, Ranking
from repo_mcp.search.wanted import Wanted, wanted
from repo_mcp.search.weights import DEFAULT, Weights
from repo_mcp.text import Rows, fingerprint

_SCORE_DIGITS: Final = 4


class Engine:
    """Searches snapshots of one repository."""

    def __init__(self, sandbox: Sandbox, weights: Weights = DEFAULT) -> None:
        """Read files through this sandbox."""
        self._sandbox = sandbox
        self._weights = weights

    def search(
        self, snapshot: Snapshot, text: str, top_k: int, file_glob: str | None, budget: Budget
    ) -> SearchAnswer:
        """The best stretches of lines for a question, best first."""
        question = wanted(text)
        allowed = None if file_glob is None else _allowed(snapshot, Glob(file_glob), budget)
        ranking = Ranking(snapshot, question, self._weights)
        telling = Telling.of(ranking.worth())
        hits: list[SearchHit] = []
        dropped: Counter[str] = Counter()
        for ranked in _apart(ranking.best(top_k, allowed)):
            budget.check()
            hit = self._shown(snapshot, ranked, question, telling)
            if isinstance(hit, SearchHit):
                hits.append(hit)
            else:
                dropped[hit] += 1
            if len(hits) == top_k:
                break
        return SearchAnswer(tuple(hits), question.terms, tuple(_warnings(hits, dropped)))

    def _shown(
        self, snapshot: Snapshot, ranked: Ranked, question: Wanted, telling: Telling
    ) -> SearchHit | str:
        """The hit as the file is now, or why there is none."""
        try:
            content = self._sandbox.read(ranked.path, follow=False)
        except Problem:
            return "gone"
        rows = Rows(content.data)
        if not rows.is_text:
            return "gone"
        if not rows.count:
            return "changed"
        known = snapshot.file(ranked.path)
        stale = known is None or known.fingerprint != fingerprint(content.data)
        if stale:
            first, last, places = 1, rows.count, list[Place]()
        else:
            first, last = ranked.first, ranked.last
            places = _places(snapshot, ranked)
        found = narrowed(rows, first, last, telling, places)
        matched = found.terms | telling.finder.found_in(ranked.path)
        if not matched:
            return "changed"
        return SearchHit(
            ranked.path,
            found.start,
            found.end,
            round(ranked.score, _SCORE_DIGITS),
            tuple(term for term in question.terms if term in matched),
            found.snippet,
            stale,
            found.symbol,
        )


def _places(snapshot: Snapshot, ranked: Ranked) -> list[Place]:
    """What is declared in the chunk and around it; nothing where that is not known."""
    data = snapshot.attachment(ranked.path, "facts")
    try:
        return decode_places(data, ranked.first, ranked.last) if data else []
    except DamagedFactsError:
        return []


def _apart(ranked: Iterable[Ranked]) -> Iterator[Ranked]:
    """Without those whose lines overlap with those of a better one of the same file."""
    taken: dict[str, list[tuple[int, int]]] = {}
    for item in ranked:
        others = taken.setdefault(item.path, [])
        touching = [span for span in others if span[0] <= item.last and item.first <= span[1]]
        for span in touching:
            others.remove(span)
        first, last = zip((item.first, item.last), *touching, strict=True)
        others.append((min(first), max(last)))
        if not touching:
            yield item


def _allowed(snapshot: Snapshot, glob: Glob, budget: Budget) -> npt.NDArray[np.bool_]:
    mask = np.zeros(snapshot.chunk_span, dtype=np.bool_)
    for number, path in enumerate(snapshot.paths()):
        if not number & 1023:
            budget.check()
        record = snapshot.file(path) if glob.matches(path) else None
        if record is not None:
            mask[record.first_chunk : record.last_chunk] = True
    return mask


def _warnings(hits: Sequence[SearchHit], dropped: Counter[str]) -> Iterator[str]:
    stale = sorted({hit.path for hit in hits if hit.stale})
    if stale:
        yield (
            f"{len(stale)} file(s) changed since they were indexed (marked stale; shown as they are"
            " now, scored as they were): call repo.refresh_index"
        )
    if dropped:
        yield f"{dropped.total()} result(s) left out: the file is gone or holds the words no more"

"""Finds words in files that are not indexed yet, for as long as there is time.

It is what a repository without an index is searched with: files whose path speaks of the question
first, then all others, each read once; better hits have more of the question's terms.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import SearchHit
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.ranked.passages import narrowed
from repo_mcp.search.ranked.query_terms import MAX_TERMS, check_length
from repo_mcp.search.ranked.term_matcher import TermMatcher
from repo_mcp.text.files import Rows, decode
from repo_mcp.text.question import weigh_terms
from repo_mcp.text.words import folded

_SCORE_DIGITS: Final = 4
# how long lines to show are looked for in files that were read in time
_SHOW_SECONDS: Final = 0.5


class ScanResult(NamedTuple):
    """Hits, how many files were read, and whether these were all."""

    hits: tuple[SearchHit, ...]
    files: int
    complete: bool


class _ScanQuery(NamedTuple):
    """A question: its terms as they are looked for, and what each is worth."""

    weights: dict[str, float]
    telling: TermMatcher
    needles: list[tuple[str, bytes, float]]

    @classmethod
    def of(cls, text: str) -> _ScanQuery:
        check_length(text)
        weights = dict(list(weigh_terms(text).items())[:MAX_TERMS])
        if not weights:
            raise Problem(
                "argument_invalid", "query has no word to search for: mode literal finds signs"
            )
        needles = [
            (folded(term), term.encode("utf-8", "surrogatepass"), weight)
            for term, weight in weights.items()
        ]
        return cls(weights, TermMatcher(weights), needles)

    def worth(self, terms: Collection[str]) -> float:
        """In an order of its own, so that equal terms give equal sums."""
        return sum(weight for term, weight in self.weights.items() if term in terms)


def scan_unindexed(
    sandbox: Sandbox, paths: Iterable[str], text: str, top_k: int, budget: Budget
) -> ScanResult:
    """The best files for a question among these, as far as time allows."""
    wanted = _ScanQuery.of(text)
    promising = _promising(sorted(paths), wanted)
    found: list[tuple[float, str]] = []
    count = 0
    for path in promising:
        budget.check()
        if budget.spent:
            break
        count += 1
        bound = _bound(sandbox, path, wanted)
        if bound:
            found.append((-bound, path))
    found.sort()
    hits, shown = _best(sandbox, found, wanted, top_k, budget.within(_SHOW_SECONDS))
    return ScanResult(hits, count, count == len(promising) and shown)


def _promising(paths: list[str], wanted: _ScanQuery) -> list[str]:
    """Files whose path speaks of the question first, else in order; it has to be quick."""
    speaking: list[tuple[float, str]] = []
    others: list[str] = []
    for path in paths:
        named = _named(path, wanted)
        if named:
            speaking.append((-named, path))
        else:
            others.append(path)
    return [path for _, path in sorted(speaking)] + others


def _named(path: str, wanted: _ScanQuery) -> float:
    name = folded(path)
    return sum([weight for term, _, weight in wanted.needles if term in name])


def _bound(sandbox: Sandbox, path: str, wanted: _ScanQuery) -> float:
    """A bound from above, cheaply: a term is looked for anywhere, even inside other words."""
    try:
        data = sandbox.read(path, follow=False).data
    except Problem:
        return 0.0
    named = _named(path, wanted)
    if data.isascii():
        small = data.lower()
        held = sum(weight for _, needle, weight in wanted.needles if needle in small)
    else:
        text = decode(data)
        if text is None:
            return 0.0
        written = folded(text.content)
        held = sum(weight for term, _, weight in wanted.needles if term in written)
    return round(held + named, _SCORE_DIGITS)


def _best(
    sandbox: Sandbox, found: list[tuple[float, str]], wanted: _ScanQuery, top_k: int, budget: Budget
) -> tuple[tuple[SearchHit, ...], bool]:
    """The hits, best first, and whether there was time to look at all that could be one."""
    kept: list[tuple[float, str, SearchHit]] = []
    for tried, (bound, path) in enumerate(found):
        budget.check()
        if len(kept) >= top_k and kept[top_k - 1][:2] < (bound, path):
            break
        if tried and budget.spent:
            return _hits(kept, top_k), False
        hit = _hit(sandbox, path, wanted)
        if hit is not None:
            insort(kept, (-hit.score, path, hit), key=lambda item: item[:2])
    return _hits(kept, top_k), True


def _hits(kept: list[tuple[float, str, SearchHit]], top_k: int) -> tuple[SearchHit, ...]:
    return tuple(hit for _, _, hit in kept[:top_k])


def _hit(sandbox: Sandbox, path: str, wanted: _ScanQuery) -> SearchHit | None:
    try:
        rows = Rows(sandbox.read(path, follow=False).data)
    except Problem:
        return None
    if not rows.count:
        return None
    best = narrowed(rows, 1, rows.count, wanted.telling)
    named = wanted.telling.finder.found_in(path)
    matched = best.terms | named
    if not matched:
        return None
    terms = tuple(term for term in wanted.weights if term in matched)
    score = round(wanted.worth(best.terms) + wanted.worth(named), _SCORE_DIGITS)
    return SearchHit(path, best.start, best.end, score, terms, best.snippet, stale=False)

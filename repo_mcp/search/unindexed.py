"""Searches files that are not indexed yet, within a time budget.

This answers queries until the index is built. Files whose path matches the query are read first,
then all others, each once; hits rank by the weights of the terms that they match.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterable
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import SearchHit
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.passage.narrowing import narrow_to_passage
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.query.query import parse_query
from repo_mcp.search.ranked.query_terms import MAX_TERMS, check_length
from repo_mcp.text.files import Rows, decode
from repo_mcp.text.question import weigh_terms
from repo_mcp.text.words import folded

_SCORE_DIGITS: Final = 4
# time for narrowing the files that were scanned to passages
_SHOW_SECONDS: Final = 0.5


class ScanResult(NamedTuple):
    """Hits, the number of files read, and whether no file was left out."""

    hits: tuple[SearchHit, ...]
    files: int
    complete: bool


class _ScanQuery(NamedTuple):
    """A query: its terms with their weights, and the forms that are searched for."""

    weights: dict[str, float]
    matcher: TermMatcher
    needles: list[tuple[str, bytes, float]]

    @classmethod
    def parse(cls, text: str) -> _ScanQuery:
        check_length(text)
        weights = dict(list(weigh_terms(text).items())[:MAX_TERMS])
        if not weights:
            raise Problem(
                "argument_invalid", "query has no word to search for: use mode literal for symbols"
            )
        needles = [
            (folded(term), term.encode("utf-8", "surrogatepass"), weight)
            for term, weight in weights.items()
        ]
        return cls(weights, TermMatcher(weights), needles)

    def weight_of(self, terms: Collection[str]) -> float:
        """The sum of the terms' weights, in a fixed order so that equal sets give equal sums."""
        return sum(weight for term, weight in self.weights.items() if term in terms)


def scan_unindexed(
    sandbox: Sandbox, paths: Iterable[str], text: str, top_k: int, budget: Budget
) -> ScanResult:
    """The best hits for a query in these files, within the time budget.

    Conditions need the index: a query that has some finds nothing here.
    """
    question = parse_query(text)
    if question.condition is not None or question.filters:
        return ScanResult((), 0, complete=False)
    query = _ScanQuery.parse(text)
    budget.check()  # a cancelled search stops also where there is no file to read
    ordered = _order_paths(sorted(paths), query)
    found: list[tuple[float, str]] = []
    count = 0
    for path in ordered:
        budget.check()
        if budget.spent:
            break
        count += 1
        bound = _upper_bound(sandbox, path, query)
        if bound:
            found.append((-bound, path))
    found.sort()
    hits, shown = _best_hits(sandbox, found, query, top_k, budget.within(_SHOW_SECONDS))
    return ScanResult(hits, count, count == len(ordered) and shown)


def _order_paths(paths: list[str], query: _ScanQuery) -> list[str]:
    """Files whose path matches the query first, the others in order; runs over every path."""
    matching: list[tuple[float, str]] = []
    others: list[str] = []
    for path in paths:
        named = _path_weight(path, query)
        if named:
            matching.append((-named, path))
        else:
            others.append(path)
    return [path for _, path in sorted(matching)] + others


def _path_weight(path: str, query: _ScanQuery) -> float:
    name = folded(path)
    return sum([weight for term, _, weight in query.needles if term in name])


def _upper_bound(sandbox: Sandbox, path: str, query: _ScanQuery) -> float:
    """A cheap upper bound of a file's score: a term counts anywhere, even inside other words."""
    try:
        data = sandbox.read(path, follow=False).data
    except Problem:
        return 0.0
    named = _path_weight(path, query)
    if data.isascii():
        small = data.lower()
        held = sum(weight for _, needle, weight in query.needles if needle in small)
    else:
        text = decode(data)
        if text is None:
            return 0.0
        written = folded(text.content)
        held = sum(weight for term, _, weight in query.needles if term in written)
    return round(held + named, _SCORE_DIGITS)


def _best_hits(
    sandbox: Sandbox, found: list[tuple[float, str]], query: _ScanQuery, top_k: int, budget: Budget
) -> tuple[tuple[SearchHit, ...], bool]:
    """The hits, best first, and whether time sufficed for every file that could rank."""
    kept: list[tuple[float, str, SearchHit]] = []
    for tried, (bound, path) in enumerate(found):
        budget.check()
        if len(kept) >= top_k and kept[top_k - 1][:2] < (bound, path):
            break
        if tried and budget.spent:
            return _top_hits(kept, top_k), False
        hit = _hit(sandbox, path, query)
        if hit is not None:
            insort(kept, (-hit.score, path, hit), key=lambda item: item[:2])
    return _top_hits(kept, top_k), True


def _top_hits(kept: list[tuple[float, str, SearchHit]], top_k: int) -> tuple[SearchHit, ...]:
    return tuple(hit for _, _, hit in kept[:top_k])


def _hit(sandbox: Sandbox, path: str, query: _ScanQuery) -> SearchHit | None:
    try:
        rows = Rows(sandbox.read(path, follow=False).data)
    except Problem:
        return None
    if not rows.count:
        return None
    best = narrow_to_passage(rows, 1, rows.count, query.matcher)
    named = query.matcher.finder.found_in(path)
    matched = best.terms | named
    if not matched:
        return None
    terms = tuple(term for term in query.weights if term in matched)
    score = round(query.weight_of(best.terms) + query.weight_of(named), _SCORE_DIGITS)
    return SearchHit(path, best.start, best.end, score, terms, best.snippet, stale=False)

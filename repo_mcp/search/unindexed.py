"""Searches files that are not indexed yet, within a time budget.

This answers queries until the index is built. Files whose path matches the query are read first,
then code before all others, each file once. Files are ranked by BM25 over all that were read, and
by the weights of ranked search for paths; the best can be indexed first, or shown as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log1p
from typing import Final

from code_graph.paths.path_kinds import path_kinds
from index_format.analysis.words import folded
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import SearchHit
from repo_mcp.question.query import MAX_TERMS, has_parts, parse_request
from repo_mcp.question.syntax.query import parse_query
from repo_mcp.question.terms import weigh_terms
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search.passage.narrowing import narrow_to_passage
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked.term_lookup import NO_CORPUS, Corpus
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS
from repo_mcp.text.files import Rows, decode

_SCORE_DIGITS: Final = 4
# time for narrowing the files that were scanned to passages
_SHOW_SECONDS: Final = 0.5
# saturation of a word's number of places in a file, and its length normalisation
_K1: Final = 1.2
_B: Final = 0.75


class ScannedFiles(NamedTuple):
    """Files that hold words of a query, best first with their scores."""

    ranked: Sequence[tuple[str, float]]
    corpus: Corpus


class _ScanQuery(NamedTuple):
    """A query: its terms with their weights, the forms searched for, and the kinds asked for."""

    weights: dict[str, float]
    matcher: TermMatcher
    needles: list[tuple[str, bytes]]
    kinds: Collection[str]

    @classmethod
    def parse(cls, text: str) -> _ScanQuery:
        query = parse_request(text)
        if has_parts(text):
            weights = {word.term: word.weight for word in query.words}
        else:
            weights = dict(list(weigh_terms(text).items())[:MAX_TERMS])
        needles = [(folded(term), term.encode("utf-8", "surrogatepass")) for term in weights]
        return cls(weights, TermMatcher(weights), needles, query.kinds)

    def path_factor(self, path: str) -> float:
        """The factor of a path's kind, unless the query asks for that kind."""
        factor = 1.0
        for kind in path_kinds(path):
            if kind not in self.kinds:
                factor *= DEFAULT_WEIGHTS.of_kind(kind)
        return factor

    def named(self, path: str) -> float:
        """The weight of the terms in a path."""
        name = folded(path)
        rows = zip(self.needles, self.weights.values(), strict=True)
        return sum(weight for (term, _), weight in rows if term in name)


class _ScanPath(NamedTuple):
    """A path with the weight of the terms in it, and the factor of its kind."""

    path: str
    named: float
    factor: float


class _FileCounts(NamedTuple):
    """The number of places of each term in a file, by its number, and its length."""

    of: _ScanPath
    places: Mapping[int, int]
    size: int


def scan_unindexed(
    sandbox: Sandbox, paths: Iterable[str], text: str, budget: Budget
) -> ScannedFiles:
    """Rank these files by a query's words, as many as can be read within the budget.

    Conditions need the index: they are not looked at here.
    """
    parsed = parse_query(text)
    if parsed.excluded and not parsed.plain:
        return ScannedFiles((), NO_CORPUS)
    query = _ScanQuery.parse(parsed.plain)
    budget.check()  # a cancelled search stops also where there is no file to read
    ordered = _order_paths(paths, query)
    found: list[_FileCounts] = []
    files = size = 0
    for item in ordered:
        budget.check()
        if budget.spent:
            break
        files += 1
        counts = _count(sandbox, item, query)
        if counts is not None:
            size += counts.size
            found.append(counts)
    holders = Counter(number for counts in found for number in counts.places)
    terms = list(query.weights)
    corpus = Corpus(files, {terms[number]: count for number, count in holders.items()})
    ranked = _rank(found, query, corpus, size / (len(found) or 1))
    return ScannedFiles(ranked, corpus)


def show_scanned(
    sandbox: Sandbox, ranked: Iterable[tuple[str, float]], text: str, top_k: int, budget: Budget
) -> tuple[SearchHit, ...]:
    """The best passage of each of the best files that hold a word of the query.

    There is none for a query with conditions.
    """
    parsed = parse_query(text)
    if parsed.condition is not None or parsed.filters:
        return ()
    query, limit = _ScanQuery.parse(text), budget.within(_SHOW_SECONDS)
    hits: list[SearchHit] = []
    for path, score in ranked:
        budget.check()
        if len(hits) == top_k or (hits and limit.spent):
            break
        hit = _hit(sandbox, path, score, query)
        if hit is not None:
            hits.append(hit)
    return tuple(hits)


def merge_scanned(
    indexed: Iterable[SearchHit], scanned: Iterable[SearchHit]
) -> tuple[SearchHit, ...]:
    """Indexed and scanned hits by number of matched terms: their scores are not comparable."""
    return tuple(sorted([*indexed, *scanned], key=lambda hit: -len(hit.matched_terms)))


def _order_paths(paths: Iterable[str], query: _ScanQuery) -> list[_ScanPath]:
    """Files whose path matches the query first, then by kind, then in order."""
    found = (_ScanPath(path, query.named(path), query.path_factor(path)) for path in paths)
    return sorted(found, key=lambda item: (-item.named, -item.factor, item.path))


def _count(sandbox: Sandbox, item: _ScanPath, query: _ScanQuery) -> _FileCounts | None:
    """The places of each term, anywhere, even inside other words; None if there is none."""
    try:
        data = sandbox.read(item.path, follow=False).data
    except Problem:
        return None
    if data.isascii():
        small = data.lower()
        counts = [small.count(needle) for _, needle in query.needles]
    else:
        text = decode(data)
        if text is None:
            return None
        written = folded(text.content)
        counts = [written.count(term) for term, _ in query.needles]
    places = {number: count for number, count in enumerate(counts) if count}
    return _FileCounts(item, places, len(data)) if places or item.named else None


def _rank(
    found: Sequence[_FileCounts], query: _ScanQuery, corpus: Corpus, average: float
) -> list[tuple[str, float]]:
    terms = list(query.weights)
    worth = [
        query.weights[term] * _idf(corpus.files, corpus.holders.get(term, 0)) for term in terms
    ]
    all_weights = sum(query.weights.values())
    ranked = []
    for item in found:
        length = _K1 * (1 - _B + _B * item.size / (average or 1))
        score = sum(worth[number] * n / (n + length) for number, n in item.places.items())
        path, named, factor = item.of.path, item.of.named / all_weights, item.of.factor
        score = (score + named) * (1 + named)
        ranked.append((path, round(score * factor, _SCORE_DIGITS)))
    return sorted(ranked, key=lambda row: (-row[1], row[0]))


def _idf(files: int, holders: int) -> float:
    return log1p((files - holders + 0.5) / (holders + 0.5))


def _hit(sandbox: Sandbox, path: str, score: float, query: _ScanQuery) -> SearchHit | None:
    try:
        rows = Rows(sandbox.read(path, follow=False).data)
    except Problem:
        return None
    if not rows.count:
        return None
    best = narrow_to_passage(rows, 1, rows.count, query.matcher)
    matched = best.terms | query.matcher.finder.found_in(path)
    if not matched:
        return None
    terms = tuple(term for term in query.weights if term in matched)
    return SearchHit(path, best.start, best.end, score, terms, best.snippet, stale=False)

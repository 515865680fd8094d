"""Finds words in files that are not indexed yet, for as long as there is time.

It is what a repository without an index is searched with: files whose path speaks of the question
first, then all others, each read once; better hits have more of the question's terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from repo_mcp.analysis.question import question
from repo_mcp.analysis.words import TermFinder
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import SearchHit
from repo_mcp.sandbox import Sandbox
from repo_mcp.search.excerpts import best_lines, snippet
from repo_mcp.text import decode, lines

_SCORE_DIGITS: Final = 4
_MAX_TERMS: Final = 64
# files of which the best lines are looked for, per hit wanted
_SPARE: Final = 3


class Scanned(NamedTuple):
    """Hits, how many files were read, and whether these were all."""

    hits: tuple[SearchHit, ...]
    files: int
    complete: bool


def scan(sandbox: Sandbox, paths: Iterable[str], text: str, top_k: int, budget: Budget) -> Scanned:
    """The best files for a question among these, as far as time allows."""
    weights = dict(list(question(text).items())[:_MAX_TERMS])
    finder = TermFinder(weights)
    needles = [(term.encode("utf-8", "surrogatepass"), weight) for term, weight in weights.items()]
    promising = _promising(list(paths), finder)
    found: list[tuple[float, str]] = []
    count = 0
    for path in promising:
        budget.check()
        if budget.spent:
            break
        count += 1
        score = _score(sandbox, path, needles)
        if score:
            found.append((-score, path))
    found.sort()
    hits: list[SearchHit] = []
    for worth, path in found[: top_k * _SPARE]:
        hit = _hit(sandbox, path, -worth, finder, weights)
        if hit is not None:
            hits.append(hit)
    return Scanned(tuple(hits[:top_k]), count, count == len(promising))


def _promising(paths: list[str], finder: TermFinder) -> list[str]:
    """Files whose path has most of the question's terms first, else in order."""
    return sorted(paths, key=lambda path: (-len(finder.found_in(path)), path))


def _score(sandbox: Sandbox, path: str, needles: list[tuple[bytes, float]]) -> float:
    """A bound from above, cheaply: a term is looked for as bytes, even inside other words."""
    try:
        data = sandbox.read(path, follow=False).data.lower()
    except Problem:
        return 0.0
    name = path.lower().encode("utf-8", "surrogatepass")
    return sum(weight * ((term in data) + (term in name)) for term, weight in needles)


def _hit(
    sandbox: Sandbox, path: str, score: float, finder: TermFinder, weights: dict[str, float]
) -> SearchHit | None:
    try:
        text = decode(sandbox.read(path, follow=False).data)
    except Problem:
        return None
    rows = lines(text.content) if text is not None else []
    if not rows:
        return None
    best = best_lines(rows, 1, len(rows), finder, weights)
    matched = best.terms | finder.found_in(path)
    if not matched:
        return None
    terms = tuple(term for term in weights if term in matched)
    shown = snippet(rows, best.start, best.end)
    rounded = round(score, _SCORE_DIGITS)
    return SearchHit(path, best.start, best.end, rounded, terms, shown, stale=False)

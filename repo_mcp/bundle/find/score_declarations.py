"""Scores each declaration of the most promising files.

A ranked search returns a few passages of a file. Further declarations of the best files may match,
and the best one may match only in its name or in the comment above it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph.facts import DeclarationSpan
from index_format.analysis.words import terms_of_word
from index_format.tuples import NamedTuple
from repo_mcp.bundle.find.candidates import Candidate, Evidence, LineHit, unit_around
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.score_files import FileScore, dominant_file, sum_worths
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import CandidateWeights
from repo_mcp.bundle.weights import DeclarationWeights as Weights
from repo_mcp.prompt.word_forms import other_number
from repo_mcp.search import TermMatcher, path_signals
from repo_mcp.text.comments import DECORATOR, is_comment

# a prompt with such a word is about a message: words in string literals count more
_MESSAGE_WORDS: Final = frozenset(
    {"error", "errors", "message", "messages", "warning", "prints", "says"}
)
_QUOTES: Final = re.compile(r'"([^"\n]{4,200})"|\'([^\'\n]{4,200})\'')


def score_declarations(
    files: Files,
    candidates: Sequence[Candidate],
    matcher: TermMatcher,
    scores: Sequence[FileScore] = (),
) -> list[LineHit]:
    """The declarations of the best files that match the prompt, best first in each file.

    `scores` are the scores of whole files; a dominant file is included.
    """
    if not matcher.weights:
        return []
    ranked = promising_files(candidates, dict(scores))
    # if only one file is promising, its declarations count more
    alone = Weights.ONLY_FILE if len(ranked) == 1 else 1.0
    shares = {path: share * alone for path, share in ranked}
    for path, share in ranked:
        for other in files.siblings(path):
            shares.setdefault(other, Weights.SIBLING * share * alone)
    if path := dominant_file(scores):
        shares.setdefault(path, Weights.DOMINANT_FILE)
    return [
        hit for path, share in shares.items() for hit in score_file(files, path, matcher, share)
    ]


def distinct_terms(terms: Iterable[str]) -> tuple[str, ...]:
    """The first few terms, without both singular and plural of one."""
    distinct: dict[str, None] = {}
    for term in terms:
        if other_number(term) not in distinct:
            distinct[term] = None
    return tuple(distinct)


def promising_files(
    candidates: Sequence[Candidate], shares: Mapping[str, float] | None = None
) -> list[tuple[str, float]]:
    """The few files with the best candidates, and the worth of each relative to the best.

    `shares` has each file's whole-file score, relative to the best one's.
    """
    sums = sum_worths(candidates)
    if shares is not None:
        least = Weights.FEW_WORDS
        for path in sums:
            sums[path] *= least + (1 - least) * shares.get(path, 0.0)
    ranked = sorted(sums, key=lambda path: (-sums[path], path))[: Weights.FILES]
    best = sums[ranked[0]] if ranked else 0.0
    return [
        (path, sums[path] / best) for path in ranked if sums[path] >= Weights.PROMISING * best > 0
    ]


class _Match(NamedTuple):
    """A declaration, its score, and its terms in lines and name."""

    place: DeclarationSpan
    score: float
    terms: set[str]


def score_file(files: Files, path: str, matcher: TermMatcher, share: float) -> Iterator[LineHit]:
    """The declarations of one file that match the prompt, best first."""
    source = files.source(path)
    if source is None or source.stale:
        return
    rows = source.rows.between(1, min(source.rows.count, Weights.MOST_LINES))
    units = list(split_units(files.places(path, 1, len(rows)), len(rows)))
    matches = [match for match in _matches(path, rows, units, matcher) if match.score > 0]
    matches.sort(key=lambda match: (-match.score, match.place.start_line))
    evidence = Evidence(SearchKind.DECLARATION, path)
    for rank, (place, score, terms) in enumerate(matches[: Weights.TOP]):
        worth = Weights.WORTH * share * (score / matches[0].score) / (1 + Weights.DECAY * rank)
        names = distinct_terms(term for term in reversed(list(matcher.weights)) if term in terms)
        reason = Reason(ReasonCode.MATCHES, names=names)
        span = place.start_line, place.end_line
        yield LineHit(path, *span, evidence, worth, reason, place.qualified, tuple(sorted(terms)))


def _matches(
    path: str, rows: Sequence[str], units: Sequence[DeclarationSpan], matcher: TermMatcher
) -> Iterator[_Match]:
    terms = [_terms(rows, place, matcher) for place in units]
    # words of the path distinguish no declarations
    about = path_signals(path).name | path_signals(path).folders
    weights = _weights(matcher, about, [in_text | in_name for in_text, in_name in terms])
    name_weights = _weights(matcher, about, [in_name for _, in_name in terms])
    is_about_message = not _MESSAGE_WORDS.isdisjoint(matcher.weights)
    for place, (in_text, in_name) in zip(units, terms, strict=True):
        score = _sum(weights, in_text)
        if is_about_message and score > 0:
            score += Weights.QUOTED * _sum(weights, _quoted_terms(rows, place, matcher))
        if in_name:
            share = _name_share(place.name, in_name)
            score += Weights.NAME * _sum(name_weights, in_name) * share
        score /= 1 + (place.end_line - place.start_line) / Weights.LONG
        yield _Match(place, score, in_text | in_name)


def _weights(
    matcher: TermMatcher, about: frozenset[str], terms: Sequence[set[str]]
) -> dict[str, float]:
    """The weight of each term within a file: more if fewer declarations have it."""
    counts = Counter(term for each in terms for term in each)
    return {
        term: math.sqrt(weight)
        * math.log(1 + len(terms) / (1 + counts[term]))
        * (Weights.IN_PATH if _is_form_of(term, about) else 1.0)
        for term, weight in matcher.weights.items()
    }


def _is_form_of(term: str, words: frozenset[str]) -> bool:
    """True if a term is one of these words, or a form of one: `killer` of `kill`."""
    return term in words or any(
        min(len(term), len(word)) >= Weights.STEM
        and (term.startswith(word) or word.startswith(term))
        for word in words
    )


def _name_share(name: str, terms: set[str]) -> float:
    """The share of a name's words that the prompt has."""
    words = set(terms_of_word(name))
    parts = words - {name.lower()} or words
    return max(Weights.LEAST_SHARE, len(terms & parts) / max(1, len(parts)))


def _quoted_terms(rows: Sequence[str], place: DeclarationSpan, matcher: TermMatcher) -> set[str]:
    text = "\n".join(rows[place.start_line - 1 : place.end_line])
    return matcher.finder.found_in("\n".join(map("".join, _QUOTES.findall(text))))


def _sum(weights: Mapping[str, float], terms: set[str]) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)


def split_units(places: Sequence[DeclarationSpan], count: int) -> Iterator[DeclarationSpan]:
    """The declarations that are scored: of long ones with parts, only the parts."""
    ordered = sorted(places, key=lambda place: (place.start_line, -place.end_line))
    numbers = {place: at for at, place in enumerate(places)}
    # declarations that may hold the next one: a comparison with all would take quadratic time
    around: list[DeclarationSpan] = []
    for at, place in enumerate(ordered):
        if place not in around:  # with it come those of the same lines
            around = [item for item in around if item.end_line >= place.start_line]
            around += _of_same_lines(ordered, at)
        has_parts = at + 1 < len(ordered) and ordered[at + 1].start_line <= place.end_line
        is_long = place.end_line - place.start_line >= CandidateWeights.WHOLE
        holding = sorted(around, key=numbers.__getitem__)
        is_unit = unit_around(holding, place.start_line, place.end_line) is place
        if is_unit and place.end_line <= count and not (has_parts and is_long):
            yield place


def _of_same_lines(ordered: Sequence[DeclarationSpan], at: int) -> Sequence[DeclarationSpan]:
    first, last, end = ordered[at].start_line, ordered[at].end_line, at + 1
    while end < len(ordered) and (ordered[end].start_line, ordered[end].end_line) == (first, last):
        end += 1
    return ordered[at:end]


def _terms(
    rows: Sequence[str], place: DeclarationSpan, matcher: TermMatcher
) -> tuple[set[str], set[str]]:
    """The terms in a declaration and the comment above it, and those in its name."""
    begin = place.start_line - 1
    least = max(0, begin - Weights.ABOVE)
    while begin > least and is_comment(rows[begin - 1], also=(DECORATOR,)):
        begin -= 1
    text = "\n".join(rows[begin : place.end_line])
    return matcher.finder.found_in(text), matcher.finder.found_in(place.name)

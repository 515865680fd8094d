"""The declarations of the most promising files, each weighed by itself.

A ranked search shows a few passages of a file. In a file that is plainly meant, more of it may
answer, and what answers best may say so in its name or in the comment above it alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.hits import Candidate, Evidence, Hit, unit
from repo_mcp.bundle.find.whole_files import Whole, meant
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.prompt.keywords import other_number
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import CandidateWeights, DeclarationWeights
from repo_mcp.languages.facts.model import Place
from repo_mcp.search.ranked.path_signs import path_signs
from repo_mcp.search.ranked.term_matcher import TermMatcher
from repo_mcp.text.words import terms_of_word

# a prompt with such a word asks for what a program says: what it has in quotes counts once more
_SPEAKING: Final = frozenset(
    {"error", "errors", "message", "messages", "warning", "prints", "says"}
)
_QUOTES: Final = re.compile(r'"([^"\n]{4,200})"|\'([^\'\n]{4,200})\'')
_COMMENTS: Final = ("//", "/*", "*", "#", "--", ";", "%", "@")


def within(
    files: Files, candidates: Sequence[Candidate], telling: TermMatcher, whole: Sequence[Whole] = ()
) -> list[Hit]:
    """What of the files with the best candidates speaks of the prompt, the best of each first.

    `whole` are the files that have most of the words: one of them that has the most by far is
    looked into, too.
    """
    if not telling.weights:
        return []
    ordered = promising(candidates, dict(whole))
    # one file that stands out is plainly meant: more of it is worth showing
    plain = DeclarationWeights.ALONE if len(ordered) == 1 else 1.0
    found = [hit for path, share in ordered for hit in of_file(files, path, telling, share * plain)]
    named = {path for path, _ in ordered}
    for path, share in ordered:
        for other in files.siblings(path):
            if other not in named:
                named.add(other)
                found += of_file(files, other, telling, DeclarationWeights.SIBLING * share * plain)
    if (path := meant(whole)) and path not in named:
        found += of_file(files, path, telling, DeclarationWeights.BROUGHT)
    return found


def spoken(terms: Iterable[str]) -> tuple[str, ...]:
    """Words as they are told: few of them, and of singular and plural one."""
    told: dict[str, None] = {}
    for term in terms:
        if other_number(term) not in told:
            told[term] = None
    return tuple(told)[: DeclarationWeights.MOST_TERMS]


def promising(
    candidates: Sequence[Candidate], shares: Mapping[str, float] | None = None
) -> list[tuple[str, float]]:
    """The files with the best candidates, and what each is worth beside the best.

    `shares` says what part of the words each file has, beside the one that has most.
    """
    worths: dict[str, list[float]] = {}
    for item in candidates:
        worths.setdefault(item.path, []).append(item.worth)
    sums = {
        path: sum(sorted(every, reverse=True)[: DeclarationWeights.SUMMED])
        for path, every in worths.items()
    }
    if shares is not None:
        sums = {
            path: worth
            * (
                DeclarationWeights.FEW_WORDS
                + (1 - DeclarationWeights.FEW_WORDS) * shares.get(path, 0.0)
            )
            for path, worth in sums.items()
        }
    ordered = sorted(sums, key=lambda path: (-sums[path], path))[: DeclarationWeights.FILES]
    best = sums[ordered[0]] if ordered else 0.0
    return [
        (path, sums[path] / best)
        for path in ordered
        if sums[path] >= DeclarationWeights.PROMISING * best > 0
    ]


def of_file(files: Files, path: str, telling: TermMatcher, share: float) -> Iterator[Hit]:
    """What of one file speaks of the prompt, the best first; nothing where no declaration does."""
    source = files.source(path)
    if source is None or source.stale:
        return
    rows = source.rows.between(1, min(source.rows.count, DeclarationWeights.MOST_LINES))
    units = list(apart(files.places(path, 1, len(rows)), len(rows)))
    held = [_words(rows, place, telling) for place in units]
    # what all of the file is about tells nothing of its parts
    about = path_signs(path).name | path_signs(path).folders
    weights = _weights(telling, about, [text | name for text, name in held])
    in_names = _weights(telling, about, [name for _, name in held])
    speaks = not _SPEAKING.isdisjoint(telling.weights)
    scored: list[tuple[float, int, Place, set[str]]] = []
    for place, (text, name) in zip(units, held, strict=True):
        score = _sum(weights, text)
        if speaks and score > 0:
            score += DeclarationWeights.QUOTED * _sum(weights, _quoted(rows, place, telling))
        if name:
            score += DeclarationWeights.NAME * _sum(in_names, name) * _share(place.name, name)
        score /= 1 + (place.end_line - place.start_line) / DeclarationWeights.LONG
        scored.append((-score, place.start_line, place, text | name))
    scored.sort(key=lambda item: item[:2])
    best = -scored[0][0] if scored else 0.0
    for rank, (score, _, place, terms) in enumerate(scored[: DeclarationWeights.TOP]):
        if -score > 0:
            worth = (
                DeclarationWeights.WORTH
                * share
                * (-score / best)
                / (1 + DeclarationWeights.DECAY * rank)
            )
            said = spoken(term for term in reversed(list(telling.weights)) if term in terms)
            reason = Reason(ReasonCode.MATCHES_IN_FILE, names=said)
            span = place.start_line, place.end_line
            yield Hit(
                path, *span, Evidence(SearchKind.DECLARATION, path), worth, reason, place.qualified
            )


def _weights(
    telling: TermMatcher, about: frozenset[str], held: Sequence[set[str]]
) -> dict[str, float]:
    """What each word tells of a part of a file: the fewer parts have it, the more."""
    common = Counter(term for terms in held for term in terms)
    return {
        term: math.sqrt(weight)
        * math.log(1 + len(held) / (1 + common[term]))
        * (DeclarationWeights.ABOUT if _is_of(term, about) else 1.0)
        for term, weight in telling.weights.items()
    }


def _is_of(term: str, about: frozenset[str]) -> bool:
    """Whether a word is one of these, or a form of one: `killer` beside `kill`."""
    return term in about or any(
        min(len(term), len(word)) >= DeclarationWeights.STEM
        and (term.startswith(word) or word.startswith(term))
        for word in about
    )


def _share(name: str, found: set[str]) -> float:
    """What part of a name's words was asked for."""
    words = set(terms_of_word(name))
    parts = words - {name.lower()} or words
    return max(DeclarationWeights.LEAST_SHARE, len(found & parts) / max(1, len(parts)))


def _quoted(rows: Sequence[str], place: Place, telling: TermMatcher) -> set[str]:
    """The words of the prompt in what a declaration has in quotes."""
    text = "\n".join(rows[place.start_line - 1 : place.end_line])
    return telling.finder.found_in("\n".join(map("".join, _QUOTES.findall(text))))


def _sum(weights: Mapping[str, float], terms: set[str]) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)


def apart(places: Sequence[Place], count: int) -> Iterator[Place]:
    """Declarations that are weighed by themselves: not those whose parts are."""
    ordered = sorted(places, key=lambda place: (place.start_line, -place.end_line))
    for at, place in enumerate(ordered):
        holds = at + 1 < len(ordered) and ordered[at + 1].start_line <= place.end_line
        length = place.end_line - place.start_line
        whole = unit(places, place.start_line, place.end_line) is place
        if whole and place.end_line <= count and not (holds and length >= CandidateWeights.WHOLE):
            yield place


def _words(rows: Sequence[str], place: Place, telling: TermMatcher) -> tuple[set[str], set[str]]:
    """The words of the prompt in a declaration with the comment above it, and in its name."""
    begin = place.start_line - 1
    while begin > 0 and place.start_line - 1 - begin < DeclarationWeights.ABOVE:
        if not rows[begin - 1].lstrip().startswith(_COMMENTS):
            break
        begin -= 1
    text = "\n".join(rows[begin : place.end_line])
    return telling.finder.found_in(text), telling.finder.found_in(place.name)

"""The declarations of the most promising files, each weighed by itself.

A ranked search shows a few passages of a file. In a file that is plainly meant, more of it may
answer, and what answers best may say so in its name or in the comment above it alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from repo_mcp.bundle.files import Files
from repo_mcp.bundle.hits import WHOLE, Candidate, Hit, unit
from repo_mcp.languages.facts import Place
from repo_mcp.search.path_signs import path_signs
from repo_mcp.search.telling import Telling

# files that are looked at, and what share of the best one's worth the others need
_FILES: Final = 3
_PROMISING: Final = 0.3
# the best candidates of a file say what it is worth
_SUMMED: Final = 3
_WORTH: Final = 1.6
_ALONE: Final = 1.5
# what a word of the path counts in the file
_ABOUT: Final = 0.3
_DECAY: Final = 0.12
_TOP: Final = 12
_MOST_LINES: Final = 20_000
# a declaration of so many more lines counts half as much
_LONG: Final = 300
# what a word in the name counts, beside one in the lines
_NAME: Final = 1.5
_ABOVE: Final = 12
_COMMENTS: Final = ("//", "/*", "*", "#", "--", ";", "%", "@")


def within(files: Files, candidates: Sequence[Candidate], telling: Telling) -> list[Hit]:
    """What of the files with the best candidates speaks of the prompt, the best of each first."""
    if not telling.weights:
        return []
    ordered = promising(candidates)
    # one file that stands out is plainly meant: more of it is worth showing
    plain = _ALONE if len(ordered) == 1 else 1.0
    return [hit for path, share in ordered for hit in of_file(files, path, telling, share * plain)]


def promising(candidates: Sequence[Candidate]) -> list[tuple[str, float]]:
    """The files with the best candidates, and what each is worth beside the best."""
    worths: dict[str, list[float]] = {}
    for item in candidates:
        worths.setdefault(item.path, []).append(item.worth)
    sums = {path: sum(sorted(every, reverse=True)[:_SUMMED]) for path, every in worths.items()}
    ordered = sorted(sums, key=lambda path: (-sums[path], path))[:_FILES]
    best = sums[ordered[0]] if ordered else 0.0
    return [(path, sums[path] / best) for path in ordered if sums[path] >= _PROMISING * best > 0]


def of_file(files: Files, path: str, telling: Telling, share: float) -> Iterator[Hit]:
    """What of one file speaks of the prompt, the best first; nothing where no declaration does."""
    source = files.source(path)
    if source is None or source.stale:
        return
    rows = source.rows.between(1, min(source.rows.count, _MOST_LINES))
    units = list(apart(files.places(path, 1, len(rows)), len(rows)))
    held = [_words(rows, place, telling) for place in units]
    common = Counter(term for text, name in held for term in text | name)
    # what all of the file is about tells nothing of its parts
    about = path_signs(path).name | path_signs(path).folders
    weights = {
        term: weight
        * math.log(1 + len(units) / (1 + common[term]))
        * (_ABOUT if term in about else 1.0)
        for term, weight in telling.weights.items()
    }
    scored: list[tuple[float, int, Place, set[str]]] = []
    for place, (text, name) in zip(units, held, strict=True):
        score = _sum(weights, text) + _NAME * _sum(weights, name)
        score /= 1 + (place.end_line - place.start_line) / _LONG
        scored.append((-score, place.start_line, place, text | name))
    scored.sort(key=lambda item: item[:2])
    best = -scored[0][0] if scored else 0.0
    for rank, (score, _, place, terms) in enumerate(scored[:_TOP]):
        if -score > 0:
            worth = _WORTH * share * (-score / best) / (1 + _DECAY * rank)
            said = ", ".join(term for term in telling.weights if term in terms)
            reason = f"speaks of {said}, in a file that does"
            span = place.start_line, place.end_line
            yield Hit(path, *span, f"within:{path}", worth, reason, place.qualified)


def _sum(weights: Mapping[str, float], terms: set[str]) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)


def apart(places: Sequence[Place], count: int) -> Iterator[Place]:
    """Declarations that are weighed by themselves: not those whose parts are."""
    ordered = sorted(places, key=lambda place: (place.start_line, -place.end_line))
    for at, place in enumerate(ordered):
        holds = at + 1 < len(ordered) and ordered[at + 1].start_line <= place.end_line
        length = place.end_line - place.start_line
        whole = unit(places, place.start_line, place.end_line) is place
        if whole and place.end_line <= count and not (holds and length >= WHOLE):
            yield place


def _words(rows: Sequence[str], place: Place, telling: Telling) -> tuple[set[str], set[str]]:
    """The words of the prompt in a declaration with the comment above it, and in its name."""
    begin = place.start_line - 1
    while begin > 0 and place.start_line - 1 - begin < _ABOVE:
        if not rows[begin - 1].lstrip().startswith(_COMMENTS):
            break
        begin -= 1
    text = "\n".join(rows[begin : place.end_line])
    return telling.finder.found_in(text), telling.finder.found_in(place.name)

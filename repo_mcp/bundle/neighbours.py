"""What calls, or is called by, the declarations that answer best, in the same file."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

from repo_mcp.bundle.files import Files
from repo_mcp.bundle.hits import Candidate, Hit
from repo_mcp.bundle.within import apart, promising
from repo_mcp.languages.facts import Place

# what of a declaration's worth one has that alone calls it, or is called by it
_SHARE: Final = 0.35
_MOST: Final = 6.0
_TOP: Final = 12
_MOST_LINES: Final = 20_000
# a declaration that a line is in begins in so many lines before it
_FAR: Final = 2_000
_ROLES: Final = frozenset({"call", "base", "decorator", "read", "type"})

Ties = dict[int, set[int]]


def neighbours(files: Files, candidates: Sequence[Candidate]) -> list[Hit]:
    """Declarations that are tied to good candidates of the best files."""
    found: list[Hit] = []
    for path, _ in promising(candidates):
        places = files.places(path, 1, _MOST_LINES)
        units = sorted(apart(places, _MOST_LINES), key=lambda place: place.start_line)
        calls = _calls(files, path, units)
        worths = {
            number: worth
            for number, place in enumerate(units)
            if (worth := _worth(candidates, path, place)) > 0
        }
        found += _of_file(path, units, calls, worths)
    return found


def _worth(candidates: Sequence[Candidate], path: str, place: Place) -> float:
    """What is known of a declaration: what counts for it, or for lines in it."""
    return min(
        _MOST,
        max(
            (
                item.worth
                for item in candidates
                if item.path == path
                and place.start_line <= item.first
                and item.last <= place.end_line
            ),
            default=0.0,
        ),
    )


def _calls(files: Files, path: str, units: Sequence[Place]) -> Ties:
    """By number of a declaration, those that it uses: names that one declaration alone has."""
    numbers: dict[str, list[int]] = {}
    for number, place in enumerate(units):
        numbers.setdefault(place.name, []).append(number)
    starts = [place.start_line for place in units]
    calls: Ties = {}
    for item in files.references(path):
        targets = numbers.get(item.name, ())
        if len(targets) != 1 or item.role not in _ROLES:
            continue
        user = _around(units, starts, item.line)
        if user is not None and user != targets[0]:
            calls.setdefault(user, set()).add(targets[0])
    return calls


def _around(units: Sequence[Place], starts: Sequence[int], line: int) -> int | None:
    """The last declaration that begins before a line and ends after it."""
    at = bisect_right(starts, line) - 1
    while at >= 0 and starts[at] > line - _FAR:
        if units[at].end_line >= line:
            return at
        at -= 1
    return None


def _of_file(
    path: str, units: Sequence[Place], calls: Ties, worths: Mapping[int, float]
) -> list[Hit]:
    callers: Ties = {}
    for user, used in calls.items():
        for one in used:
            callers.setdefault(one, set()).add(user)
    gained: dict[int, list[tuple[float, str]]] = {}
    for number, worth in worths.items():
        name = units[number].qualified
        for ties, said in ((calls, "called by"), (callers, "calls")):
            others = ties.get(number, set())
            for other in sorted(others):
                share = _SHARE * worth / math.sqrt(len(others))
                gained.setdefault(other, []).append((share, f"{said} {name}"))
    hits: list[Hit] = []
    for number, shares in gained.items():
        place = units[number]
        reason = max(shares, key=lambda item: (item[0], item[1]))[1]
        worth = sum(share for share, _ in shares)
        span = place.start_line, place.end_line
        hits.append(Hit(path, *span, f"near:{path}", worth, reason, place.qualified))
    hits.sort(key=lambda hit: (-hit.worth, hit.first))
    return hits[:_TOP]

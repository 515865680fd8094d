"""Ranked passages as clients get them, as many as fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from repo_mcp.answers.lines import NumberedLines
from repo_mcp.answers.repository import PassageHit
from repo_mcp.model import SearchHit
from repo_mcp.search import shown_lines
from repo_mcp.text.cutting import numbered_line
from repo_mcp.toolsets.kit.answers import size

if TYPE_CHECKING:  # searches without a graph load none of it
    from repo_mcp.ask import Rider

# words of a query that an answer lists: a report has more
MOST_TERMS: Final = 20
_SHORTEST: Final = 40
_MORE: Final = " …"
_SCORE_DIGITS: Final = 2
# by how many bytes a list of hits is larger than they are
_BRACKETS: Final = 2
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def fit_hits(
    hits: list[SearchHit],
    room: int,
    commits: Mapping[str, str] = _NONE,
    riders: Sequence[Rider | None] = (),
) -> list[PassageHit]:
    """As many of the best hits as fit; the first one is cut if needed.

    The first hit of each file has the commit that raised it.
    """
    left = {**commits}
    every = [as_result(hit, rank, left.pop(hit.path, ""), riders) for rank, hit in enumerate(hits)]
    # measured in one go first: mostly all of them fit
    if size(every) - _BRACKETS <= room:
        return every
    fitting: list[PassageHit] = []
    for shown in every:
        taken = size(shown)
        if not fitting and taken > room:
            shorten(shown, room)
            taken = size(shown)
        room -= taken
        if room < 0 and fitting:
            break
        fitting.append(shown)
    return fitting


def as_result(
    hit: SearchHit, rank: int, commit: str = "", riders: Sequence[Rider | None] = ()
) -> PassageHit:
    """A hit with its telling lines, and the rider of its rank."""
    first, last = hit.shown
    rider = riders[rank] if riders else None
    known = {} if rider is None else rider._asdict()
    return PassageHit(
        path=hit.path,
        start_line=first,
        end_line=last,
        symbol=hit.symbol,
        score=round(hit.score, _SCORE_DIGITS),
        matched_terms=list(hit.matched_terms[:MOST_TERMS]),
        snippet=NumberedLines(shown_lines(hit, rank)),
        stale=hit.stale,
        parts_only=hit.parts_only,
        commit=commit,
        **known,
    )


def shorten(shown: PassageHit, room: int) -> None:
    """Cut lines and marks at the end, then characters of the last line left."""
    kept = list(shown.snippet.lines)
    while (len(kept) > 1 or kept[-1].before_gap) and size(shown) > room:
        last = kept.pop()
        if last.before_gap:
            kept.append(last._replace(before_gap=False))
        elif last.after_gap:
            kept[-1] = kept[-1]._replace(before_gap=True)
        shown.snippet = NumberedLines(kept)
    first, head = kept[0], len(numbered_line(kept[0].number, ""))
    length = head + len(first.text)
    while length > _SHORTEST and size(shown) > room:
        length = length * 3 // 4
        text = kept[0].text[: length - head] + _MORE
        shown.snippet = NumberedLines([first._replace(text=text)])

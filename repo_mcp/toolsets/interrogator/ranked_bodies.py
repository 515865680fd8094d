"""Ranked passages with the whole declarations that they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from repo_mcp.answers.lines import NumberedLines
from repo_mcp.answers.repository import PassageHit
from repo_mcp.errors import Problem
from repo_mcp.model import SearchHit
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.search import shown_lines
from repo_mcp.text.files import Rows
from repo_mcp.toolsets.interrogator.body_page import MOST_LINES, HitBody, body_lines
from repo_mcp.toolsets.interrogator.ranked_hits import as_result, shorten
from repo_mcp.toolsets.kit.answers import size

if TYPE_CHECKING:  # searches without a graph load none of it
    from repo_mcp.ask import Rider

# of a page, the part that may name declarations it does not show
_PART_NAMED: Final = 1 / 3


class BodyHits:
    """Hits with their declarations, each once, as many of the best as fit.

    `passed` hits are shown or in a declaration that is; `left` names those of the others.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        hits: Sequence[SearchHit],
        room: int,
        commits: Mapping[str, str],
        riders: Sequence[Rider | None],
    ) -> None:
        self.hits: list[PassageHit] = []
        self.passed = 0
        self._sandbox = sandbox
        self._spans: set[tuple[str, tuple[int, int]]] = set()
        self._commits = {**commits}
        self._riders = riders
        names = [_label(hit) for hit in hits]
        kept = min(int(room * _PART_NAMED), sum(map(size, names)))
        if not self._fill(hits, room):
            self.hits, self.passed, self._spans, self._commits = [], 0, set(), {**commits}
            self._fill(hits, room - kept)
        self.left = [*dict.fromkeys(names[self.passed :])]
        while self.left and sum(map(size, self.left)) > kept:
            self.left.pop()

    def _fill(self, hits: Sequence[SearchHit], room: int) -> bool:
        """Add hits until the room is used up; True if all are there."""
        for rank, hit in enumerate(hits):
            span = hit.path, hit.whole
            if span not in self._spans:
                shown = self._shown(hit, rank, room)
                if size(shown) > room and self.hits:
                    return False
                if size(shown) > room:
                    shorten(shown, room)
                self._spans.add(span)
                self._commits.pop(hit.path, None)
                self.hits.append(shown)
                room -= size(shown)
            self.passed += 1
        return True

    def _shown(self, hit: SearchHit, rank: int, room: int) -> PassageHit:
        """A hit with its declaration; the first one in part, if it does not fit."""
        shown = as_result(hit, rank, self._commits.get(hit.path, ""), self._riders)
        telling = [line.number for line in shown_lines(hit, rank)]
        try:
            rows = Rows(self._sandbox.read(hit.path, follow=False).data)
        except Problem:
            return shown
        first, last = hit.whole
        if hit.stale or not rows.is_text or last > rows.count:
            return shown  # the lines of the declaration may be others now
        body, most = HitBody(first, last, hit.symbol, telling), MOST_LINES
        while True:
            lines = body_lines(body, rows, telling, most)
            lines[0] = lines[0]._replace(heading=None)  # the line of the hit names it
            shown.snippet, shown.start_line, shown.end_line = NumberedLines(lines), first, last
            if size(shown) <= room or self.hits or most == 1:
                return shown
            most //= 2


def _label(hit: SearchHit) -> str:
    """The place and the name of the declaration of a hit."""
    first, last = hit.whole
    return f"{hit.path}:{first}-{last}{f' {hit.symbol}' if hit.symbol else ''}"

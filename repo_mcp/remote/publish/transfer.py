"""Reports how much of some segments has come from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from index_format import SegmentEntry
from repo_mcp.budget import Budget
from repo_mcp.model import Progress


class Transfer:
    """Segments on their way; each byte counts once, however often it passes."""

    def __init__(
        self,
        phase: str,
        wanted: Iterable[SegmentEntry],
        budget: Budget,
        on_progress: Callable[[Progress], None],
    ) -> None:
        """Nothing has come yet."""
        self._phase = phase
        self._budget = budget
        self._on_progress = on_progress
        self._started = budget.clock()
        self._lengths = {entry.name: entry.length for entry in wanted}
        self._all_size = sum(self._lengths.values())
        self._sizes = dict.fromkeys(self._lengths, 0)

    def count(self, entry: SegmentEntry, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces of a segment, counted; ends cancelled work."""
        done = 0
        for piece in pieces:
            self._budget.check()
            done += len(piece)
            self._sizes[entry.name] = max(done, self._sizes[entry.name])
            size, seconds = sum(self._sizes.values()), self._budget.clock() - self._started
            whole = sum(self._sizes[name] == length for name, length in self._lengths.items())
            count = len(self._lengths)
            self._on_progress(Progress(self._phase, whole, count, size, self._all_size, seconds))
            yield piece

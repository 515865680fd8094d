"""Requests to the thread that keeps an index fresh: walks, files that were edited, links.

Whoever changes one of these holds the lock of that thread, and wakes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from repo_mcp.budget import Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.model import RefreshResult

# the time between walks is at least this many times the last walk's duration
_WALK_SHARE: Final = 10.0
# above this many changed files, a walk is faster
_MOST_PATHS: Final = 256
# of several servers one indexes what is edited: another one that has come too late so often in a
# row lets reports gather for so long
_LATE_RUNS: Final = 3
_FOLLOW_SECONDS: Final = 2.0


class WalkRequests:
    """Walks that are asked for, each by a ticket, and how the last one went."""

    def __init__(self) -> None:
        """None was asked for."""
        self.requested = self.finished = 0
        # the last request for which a run has compared all files
        self.compared = 0
        self.force = False
        self.ended_at = self.seconds = 0.0
        # whether the last walk ended early: changes that were reported to it may be lost
        self.has_failed = False
        # results of the runs during each waiting call, by its ticket
        self.results: dict[int, list[RefreshResult]] = {}

    @property
    def is_open(self) -> bool:
        """True if a walk was requested that has not ended."""
        return self.requested > self.finished

    def is_older(self, now: float, least: float) -> bool:
        """True if another walk is no waste: after this time, and longer if walks are long."""
        return now - self.ended_at > max(least, self.seconds * _WALK_SHARE)

    def request(self, *, force: bool = False) -> int:
        """Ask for one; its ticket."""
        self.force = self.force or force
        self.requested += 1
        return self.requested

    def take_later(self) -> bool:
        """True if a walk was requested since the running one compared all files; once."""
        is_later = self.requested > self.compared
        self.compared = self.requested
        return is_later

    def end(self, ticket: int, started: float, now: float, *, has_failed: bool) -> None:
        """Keep how the walk with this ticket went."""
        self.ended_at, self.seconds, self.has_failed = now, now - started, has_failed
        # requests made during a failed run would fail in the same way
        self.finished = self.requested if has_failed else ticket


class ReportedEdits:
    """Files that are reported as edited, and how long more of them may gather.

    Of several servers one indexes what is edited; one that comes late lets reports gather.
    """

    def __init__(self, clock: Clock) -> None:
        """None was reported."""
        self._clock = clock
        self.paths: set[str] = set()
        # since when there are any, and how often in a row another process had indexed them
        self._reported_at = 0.0
        self.late_runs = 0
        # calls that wait for what was reported
        self.waiting = 0

    def add(self, paths: Iterable[str]) -> bool:
        """Keep these files; False if they are so many that a walk is faster."""
        if not self.paths:
            self._reported_at = self._clock()
        self.paths.update(paths)
        are_few = len(self.paths) <= _MOST_PATHS
        if not are_few:
            self.paths.clear()
        return are_few

    def take(self) -> set[str]:
        """All files, which are forgotten here."""
        paths, self.paths = self.paths, set()
        return paths

    @property
    def are_due(self) -> bool:
        """True if there are any, and no more may gather."""
        return bool(self.paths) and (self.waiting > 0 or self.seconds_left <= 0)

    @property
    def seconds_left(self) -> float:
        """The time for which reports of edits gather."""
        return self._reported_at + _FOLLOW_SECONDS - self._clock() if self.are_followed else 0.0

    @property
    def are_followed(self) -> bool:
        """True if another process indexes what is edited."""
        return self.late_runs >= _LATE_RUNS

    def note_others(self, last: RefreshResult, reported: int, *, overtaken: bool) -> None:
        """Follow another process that indexes what is reported, until it does so no more.

        The last one of the reports that gathered may come before that process has seen it.
        """
        done = last.added + last.updated + last.removed
        is_late = done * 2 <= reported if self.are_followed else not done
        self.late_runs = self.late_runs + 1 if is_late and overtaken else 0


class GraphRequests:
    """Requests to link the graph, and the reason that the last link failed."""

    def __init__(self, manager: Indexes, links: float) -> None:
        """The graph of up to `links` files follows unasked."""
        self._manager = manager
        self._links = links
        self.is_due = links == math.inf
        # once more, after what it follows now
        self.is_due_again = False
        self.failure: Problem | None = None
        # the generation in which files that linking found changed were last refreshed
        self._followed = -1

    def follows_unasked(self) -> bool:
        """True if the graph follows a refresh, though perhaps nobody has asked it."""
        if self._links in {0, math.inf}:
            return bool(self._links)
        text = self._manager.snapshot()
        return text is not None and 0 < text.file_count <= self._links

    def follow_refresh(self) -> None:
        """Follow what a refresh has changed."""
        self.is_due |= self.follows_unasked()

    def request_again(self) -> None:
        """Follow the text once more, after what is followed now."""
        self.is_due_again = self.follows_unasked()
        self.is_due |= self.is_due_again

    def has_been_asked(self) -> bool:
        """True if the graph was asked before; from now on it follows each refresh."""
        has_been, self._links = self._links == math.inf, math.inf
        return has_been

    def end(self, problem: Problem | None) -> None:
        """Keep how a link went to its end."""
        self.is_due = self.is_due_again
        self.failure = problem if problem and problem.code != "cancelled" else None

    def is_first_of_generation(self) -> bool:
        """True once in each generation of the text."""
        generation = self._manager.state().generation
        before, self._followed = self._followed, generation
        return generation != before

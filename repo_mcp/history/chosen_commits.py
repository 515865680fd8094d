"""Chooses the commits that a question asks for: by days, author and place in the history."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import numpy as np

from index_format.analysis.words import terms_of_words
from repo_mcp.errors import Problem
from repo_mcp.git import CommitWalk
from repo_mcp.history.commit_index import CommitIndex, Mask
from repo_mcp.history.file_history import FileCommit
from repo_mcp.history.model import CommitFilter
from repo_mcp.history.repository_history import RepositoryHistory
from repo_mcp.history.root_question import RootQuestion

# no zone is further from UTC
_DAY: Final = int(timedelta(days=1).total_seconds())


class ChosenDays:
    """Tells commits of the days that are asked for."""

    def __init__(self, history: RepositoryHistory, wanted: CommitFilter) -> None:
        """Keep the arguments; the bounds are those of days of UTC."""
        self._history = history
        self._since, self._until = wanted.since, wanted.until

    def __call__(self, identity: bytes, date: int) -> bool:
        """True if a commit with this date is; it is read where its zone may decide that."""
        if any(bound and abs(date - bound) <= _DAY for bound in (self._since, self._until)):
            commit = self._history.commit(identity)
            date = date if commit is None else commit.committer.local_time
        return date >= self._since and (not self._until or date < self._until)


def allowed_commits(history: RepositoryHistory, index: CommitIndex, wanted: CommitFilter) -> Mask:
    """By place in the index, whether a commit is one that is asked for."""
    since, until = (wanted.since - _DAY) * bool(wanted.since), wanted.until
    wide = wanted._replace(since=max(since, 0), until=until + _DAY if until else 0)
    found = index.allowed(wide)
    is_chosen, dates = ChosenDays(history, wanted), index.table.dates
    for bound in filter(None, (wanted.since, until)):
        for place in np.flatnonzero(found & (np.abs(dates - bound) <= _DAY)).tolist():
            found[place] = is_chosen(index.table.identity(place), int(dates[place]))
    return found


class ChosenCommits:
    """Is asked of one commit after another, the newest first; by the index, if there is one."""

    def __init__(self, root: RootQuestion, wanted: CommitFilter) -> None:
        """Find the commits that are newer than the one from which on is asked, if there is one."""
        self._question = root
        self._wanted = wanted
        self._is_behind = root.asked.after is None
        index, rev = root.opened.commits, root.asked.rev
        self._days = ChosenDays(root.history, wanted)
        self._allowed = None if index is None else allowed_commits(root.history, index, wanted)
        first = root.history.find(rev) if rev and root.asked.declared is not None else b""
        place = index.table.place(first) if index is not None and first else 0
        newer = self._newer_than(first) if index is None and first else frozenset()
        if place is None or newer is None:
            raise Problem("argument_invalid", f"{rev} is none of the commits before HEAD")
        self._place, self._newer = place, newer

    def __call__(self, item: FileCommit) -> bool:
        """True if it is, and is behind the last commit of the page before."""
        return self._comes_behind(item) and self._is_chosen(item)

    def _comes_behind(self, item: FileCommit) -> bool:
        after = self._question.asked.after
        if self._is_behind or after is None:
            return True
        if item.identity.hex() == after[0]:
            self._is_behind = True
            return False
        self._is_behind = item.date < after[1]
        return self._is_behind

    def _is_chosen(self, item: FileCommit) -> bool:
        if self._allowed is not None:
            return item.place >= self._place and bool(self._allowed[item.place])
        wanted = self._wanted
        if item.identity in self._newer or not self._days(item.identity, item.date):
            return False
        commit = self._question.history.commit(item.identity) if wanted.author else None
        names = "" if commit is None else f"{commit.author.name} {commit.author.email}"
        return {*terms_of_words(names)}.issuperset(terms_of_words(wanted.author))

    def _newer_than(self, first: bytes) -> frozenset[bytes] | None:
        """The commits that come before one; None where it is not before HEAD."""
        history = self._question.history
        newer: set[bytes] = set()
        for identity, _, _ in CommitWalk(history.objects).newest_first([history.find("HEAD")]):
            self._question.budget.check()
            if identity == first:
                return frozenset(newer)
            newer.add(identity)
        return None

"""Tells which commits of a file are asked for: by date and author, and from one on."""

from __future__ import annotations

from index_format.analysis.words import terms_of_words
from repo_mcp.errors import Problem
from repo_mcp.git import CommitWalk
from repo_mcp.history.file_history import FileCommit
from repo_mcp.history.model import CommitFilter
from repo_mcp.history.root_question import RootQuestion


class ChosenCommits:
    """Is asked of one commit after another, the newest first; by the index, if there is one."""

    def __init__(self, root: RootQuestion, wanted: CommitFilter) -> None:
        """Find the commits that are newer than the one from which on is asked, if there is one."""
        self._root = root
        self._wanted = wanted
        self._is_behind = root.asked.after is None
        index, rev = root.opened.commits, root.asked.rev
        self._allowed = None if index is None else index.allowed(wanted)
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
        after = self._root.asked.after
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
        is_before = not wanted.until or item.date < wanted.until
        if item.identity in self._newer or item.date < wanted.since or not is_before:
            return False
        commit = self._root.history.commit(item.identity) if wanted.author else None
        names = "" if commit is None else f"{commit.author.name} {commit.author.email}"
        return {*terms_of_words(names)}.issuperset(terms_of_words(wanted.author))

    def _newer_than(self, first: bytes) -> frozenset[bytes] | None:
        """The commits that come before one; None where it is not before HEAD."""
        history = self._root.history
        newer: set[bytes] = set()
        for identity, _, _ in CommitWalk(history.objects).newest_first([history.find("HEAD")]):
            self._root.budget.check()
            if identity == first:
                return frozenset(newer)
            newer.add(identity)
        return None

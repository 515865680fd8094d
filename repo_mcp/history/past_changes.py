"""The past changes of all roots, as ranked search asks for them: without ever waiting.

A thread makes the votes of an index of commits ready, once for each of its generations; until then
searches do without them, or with those of the generation before.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from index_format import CorruptIndexError
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history.commit_index import CommitIndex
from repo_mcp.history.file_votes import CountedVotes, FileVotes
from repo_mcp.history.repository_history import RepositoryHistory
from repo_mcp.question.query import parse_words
from repo_mcp.safety.redaction import SUSPECT, looks_secret
from repo_mcp.search import weigh_words

if TYPE_CHECKING:
    from repo_mcp.indexing.keep.manager import IndexManager

_DIGITS: Final = 10
# characters of a commit's subject that are shown
_SUBJECT: Final = 72


class ReadyVotes(NamedTuple):
    """The votes of a generation, and how far they can be trusted."""

    generation: int
    votes: FileVotes | None
    trust: float = 0.0


class RootVotes:
    """The votes of the commits of one root."""

    def __init__(self, manager: IndexManager, history: RepositoryHistory) -> None:
        """Read nothing yet."""
        self._manager = manager
        self._history = history
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._ready: ReadyVotes | None = None
        self._closed = False

    def use(self, ready: ReadyVotes | None) -> None:
        """Have these votes instead of those that would be made ready."""
        self._ready = ready

    def current(self) -> ReadyVotes | None:
        """The votes, if they are ready; else they are made ready in the background."""
        ready = self._ready
        try:
            there = self._manager.history.snapshot()
        except (Problem, CorruptIndexError):
            return None
        if there is None:
            return None
        if ready is None or ready.generation != there.generation:
            self._start()
        return ready if ready is not None and ready.trust else None

    def keep_up(self, budget: Budget) -> None:
        """Make the votes of the current generation ready, unless they are."""
        snapshot, ready = self._manager.history.snapshot(), self._ready
        if snapshot is not None and (ready is None or ready.generation != snapshot.generation):
            self._ready = read_votes(CommitIndex(snapshot), self._history, budget)

    def commit_at(self, votes: CountedVotes, ready: ReadyVotes, path: str) -> str:
        """The hash and the subject of the commit that gave a file most votes; empty if unknown."""
        place = votes.most_of(path)
        if place is None or ready.votes is None:
            return ""
        identity = ready.votes.identity(place)
        try:
            with self._history.reading():
                found = self._history.commit(identity)
        except Problem:
            return ""
        if found is None:
            return ""
        subject = SUSPECT if looks_secret(found.subject) else found.subject[:_SUBJECT]
        return f"{identity.hex()[:_DIGITS]} {subject}"

    def wait(self) -> None:
        """Wait for the thread that makes votes ready."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def close(self) -> None:
        """Stop making votes ready."""
        self._closed = True
        self.wait()

    def _start(self) -> None:
        with self._lock:
            if self._closed or (self._thread is not None and self._thread.is_alive()):
                return
            self._thread = threading.Thread(target=self._prepare, name="votes", daemon=True)
            self._thread.start()

    def _prepare(self) -> None:
        try:
            self.keep_up(Budget(cancelled=lambda: self._closed))
        except (Problem, CorruptIndexError):  # the next question about the history says so
            return


class RootsPast:
    """The past changes of all roots, for searches in them."""

    def __init__(self, roots: Mapping[str, RootVotes]) -> None:
        """Read nothing yet; keys are what the paths of a root begin with."""
        self._roots = roots

    def votes(self, words: Mapping[str, float], worth: Mapping[str, float]) -> RootsVotes | None:
        """The votes for files; None where no commits are indexed, or none is about the words."""
        found: list[_VotesOfRoot] = []
        for prefix, root in self._roots.items():
            inside = {
                path.removeprefix(prefix): factor
                for path, factor in worth.items()
                if path.startswith(prefix)
            }
            ready = root.current() if inside else None
            if ready is None or ready.votes is None:
                continue
            ballot = ready.votes.ballot(words)
            if ballot is None:
                continue
            names = ready.votes.changed.names
            counted = CountedVotes.count(names, ballot, inside, ready.trust)
            if counted is not None:
                found.append(_VotesOfRoot(prefix, root, ready, counted))
        return RootsVotes(found) if found else None


class _VotesOfRoot(NamedTuple):
    """The votes of one root, whose paths begin with `prefix`."""

    prefix: str
    root: RootVotes
    ready: ReadyVotes
    votes: CountedVotes


class RootsVotes:
    """The votes of all roots for the files of one query."""

    def __init__(self, found: list[_VotesOfRoot]) -> None:
        """Put the prefixes of the roots before their paths."""
        self._found = found
        self.shares = {
            f"{item.prefix}{path}": share
            for item in found
            for path, share in item.votes.shares.items()
        }

    def commit_of(self, path: str) -> str:
        """The commit that gave a file most of its votes, with its subject; empty if unknown."""
        for item in self._found:
            if path.startswith(item.prefix):
                inner = path.removeprefix(item.prefix)
                return item.root.commit_at(item.votes, item.ready, inner)
        return ""


def read_votes(
    index: CommitIndex, history: RepositoryHistory, budget: Budget, *, keep_all: bool = False
) -> ReadyVotes:
    """The votes of an index, trusted as far as its last commits show.

    Those that are not trusted are dropped, unless all are to be kept.
    """
    votes = FileVotes(index, budget.check)
    asked: list[tuple[int, Mapping[str, float]]] = []
    for place in votes.to_ask():
        budget.check()
        with history.reading():
            commit = history.commit(index.table.identity(place))
        if commit is not None and (words := _words(commit.subject)):
            asked.append((place, words))
    trust = votes.trust(asked, budget.check)
    return ReadyVotes(index.snapshot.generation, votes if trust or keep_all else None, trust)


def _words(subject: str) -> Mapping[str, float]:
    try:
        return weigh_words(parse_words(subject))
    except Problem:  # no word in it, or far too many
        return {}

"""The votes of past commits about the same thing for candidate files.

The past finds nothing: it is evidence for what words have found. A name, a quoted text and a query
of few words are left to words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from repo_mcp.question.query import FEWEST_WORDS, Query
from repo_mcp.question.terms import PART, WHOLE
from repo_mcp.question.word_lists import STOP
from repo_mcp.search.ranked.file_passages import PathWeights
from repo_mcp.search.ranked.passage_table import PassageTable

# shorter queries may be names that are asked for in words
_FEWEST_WORDS: Final = 4
# files with this share of the votes are shown with the commit that gave most of it, and how many
_WORTH_NAMING: Final = 0.5
_MOST_NAMED: Final = 3


class PastVotes(Protocol):
    """The votes of commits for files."""

    @property
    def shares(self) -> Mapping[str, float]:
        """By path, the votes that a file has, as a share of those that the first one has."""

    def commit_of(self, path: str) -> str:
        """The commit that gave a file most of its votes, with its subject; empty if unknown."""


class PastChanges(Protocol):
    """The commits of the past, asked which files they changed."""

    def votes(self, words: Mapping[str, float], worth: Mapping[str, float]) -> PastVotes | None:
        """The votes of the commits with these weighted words; None where no commit is known.

        They are for the files of `worth`, which says how much each of their votes is worth.
        """


def is_about_change(query: Query) -> bool:
    """True for a query that may describe a task: some words, and no question, name or import."""
    if query.is_asked:
        return False
    is_name = query.written_name is not None or query.is_import
    told = sum(word.term not in STOP for word in query.words)
    fewest = FEWEST_WORDS if query.is_change else _FEWEST_WORDS
    return told >= fewest and not is_name


class QueryPast:
    """The past of one query."""

    def __init__(self, changes: PastChanges, query: Query) -> None:
        """Ask nothing yet."""
        self._changes = changes
        self._query = query
        self._votes: PastVotes | None = None

    def shares(self, table: PassageTable, paths: PathWeights) -> Mapping[str, float] | None:
        """By path, the votes of a file as a share of the most; None where no commit is known."""
        worth = {path: paths.prior_of(path) for path in table.files_of_rows()}
        self._votes = self._changes.votes(weigh_words(self._query), worth)
        return None if self._votes is None else self._votes.shares

    def commits_of(self, paths: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """The files that the past has raised most, and the commit that has raised each."""
        votes = self._votes
        if votes is None:
            return ()
        share = {path: votes.shares.get(path, 0.0) for path in dict.fromkeys(paths)}
        most = sorted(share, key=lambda path: -share[path])[:_MOST_NAMED]
        named = ((path, votes.commit_of(path)) for path in most if share[path] >= _WORTH_NAMING)
        return tuple((path, commit) for path, commit in named if commit)


def weigh_words(query: Query) -> dict[str, float]:
    """The words of a query, and parts of its identifiers, with their weights."""
    found: dict[str, float] = {}
    for word in query.words:
        if word.term not in STOP:
            found[word.term] = found.get(word.term, 0.0) + word.weight
        for part in word.parts:
            if part not in STOP:
                found[part] = found.get(part, 0.0) + PART * word.weight / WHOLE
    return found

"""Ranks the files that a running build has not indexed yet, by the words of a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.repository.open_index import OpenIndex
from repo_mcp.repository.repository import Repository
from repo_mcp.search import Corpus, scan_unindexed
from repo_mcp.text.globs import compile_globs

# times of the steps, as parts of the given one
_LISTING: Final = 0.5
_READING: Final = 2.0


class PendingFiles(NamedTuple):
    """Files that were not indexed, best first with their scores, and the text that says so."""

    ranked: Sequence[tuple[str, float]]
    corpus: Corpus
    text: str

    def left_out(self, index: OpenIndex) -> Iterator[tuple[str, float]]:
        """The paths that are not in this index."""
        snapshot = index.snapshot
        return (row for row in self.ranked if snapshot is None or snapshot.find(row[0]) is None)


def scan_pending(
    repository: Repository,
    query: str,
    glob: str | None,
    snapshot: Snapshot | None,
    budget: Budget,
    seconds: float,
) -> PendingFiles:
    """Rank the files that are not in a snapshot, as many as there is time for.

    The steps take parts of so many `seconds`.
    """
    listing = budget.within(_LISTING * seconds)
    pattern = None if glob is None else compile_globs(glob)
    paths: list[str] = []
    listed = True
    folder = "" if pattern is None else pattern.folder
    for path in repository.unindexed_files(snapshot, budget, folder):
        if listing.spent:
            listed = False
            break
        if pattern is None or pattern.matches(path):
            paths.append(path)
    limit = budget.within(_READING * seconds)
    ranked, corpus = scan_unindexed(repository.sandbox, paths, query, limit)
    others = f"{corpus.files} of {len(paths)}{'' if listed else ' or more'} others"
    if not (paths or listed):
        others = "no others"
    known = 0 if snapshot is None else snapshot.file_count
    return PendingFiles(ranked, corpus, f": {known} indexed files and {others} were searched")

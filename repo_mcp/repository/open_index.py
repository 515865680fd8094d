"""The index and the graph as opened for one query, and how long it waits for a better index."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING, Final

from index_format import Snapshot
from index_format.records import Record, replace
from index_format.tuples import NamedTuple
from repo_mcp.console import visible
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning, Progress, Settings
from repo_mcp.stored import IndexProgress

if TYPE_CHECKING:  # most servers have no graph
    from code_graph.query.snapshot import GraphSnapshot
    from code_graph.scip.report import ScipChanges


class IndexGap(Enum):
    """A part that an index is missing."""

    # some files are not indexed yet
    FILES = "files"
    # some files are not indexed, and the build failed
    BUILD = "build"
    # all words are indexed, but not the declarations of some files
    DECLARATIONS = "declarations"


# the code of a warning that not all tracked files are checked out
SPARSE: Final = "sparse"


class OpenIndex(Record):
    """One generation of the index, if there is one.

    `compared`: files and index have been compared in this process. `failure`: why the last refresh
    failed. `build_failed`: a build that this query waited for failed. `updated`: files were
    reindexed for this query. `warnings`: "rebuilt" or "not_updated", if that happened meanwhile.
    """

    snapshot: Snapshot | None
    compared: bool
    failure: Problem | None = None
    build_failed: bool = False
    updated: bool = False
    warnings: tuple[AnswerWarning, ...] = ()

    @property
    def generation(self) -> int:
        """The generation's number; 0 if there is no index."""
        return 0 if self.snapshot is None else self.snapshot.generation

    @property
    def complete(self) -> bool:
        """True if the words of all files are indexed."""
        return self.snapshot is not None and IndexProgress.of(self.snapshot).complete

    @property
    def has_all_files(self) -> bool:
        """True if every tracked file is checked out, as far as is known."""
        return all(warning.code != SPARSE for warning in self.warnings)

    @property
    def is_current(self) -> bool:
        """True if it is complete, was compared with the files, and no refresh failed since."""
        return self.complete and self.compared and self.failure is None

    @property
    def gap(self) -> IndexGap | None:
        """The gap of the index, or None."""
        if self.snapshot is None or not self.complete:
            return IndexGap.BUILD if self.build_failed else IndexGap.FILES
        return None if IndexProgress.of(self.snapshot).deep else IndexGap.DECLARATIONS


class OnDemandFiles(NamedTuple):
    """The number of files that were linked for a question, of those that it is about."""

    linked: int
    asked: int
    # whether those are all files with the names
    has_all: bool = True

    @property
    def is_whole(self) -> bool:
        """True if all files with the names were linked."""
        return self.has_all and self.linked >= self.asked


class OpenGraph(Record):
    """One generation of the graph, if there is one.

    `follows`: it is complete and of the current index. `compared`: files and index were compared
    for the query. `linked`: how far the running link is, or None. `imported`: how much of imported
    indexes counts, if there are any. `notice` says why the graph before was removed, if it was.
    `on_demand`: the graph has nothing but these files, as that of all is not complete.
    """

    graph: GraphSnapshot | None
    follows: bool
    linked: Progress | None
    compared: bool = True
    imported: ScipChanges | None = None
    notice: AnswerWarning | None = None
    on_demand: OnDemandFiles | None = None

    @property
    def current(self) -> bool:
        """True if all files are linked, from their current text."""
        return self.follows and self.compared

    @property
    def is_whole(self) -> bool:
        """True if the graph is of all files, from their current text; edges of some may lack."""
        return self.current and self.on_demand is None and self.graph is not None


class WaitPolicy(Record):
    """The seconds that a query waits for the index; None means not at all."""

    # until there is an index
    first: float
    # until a partial index is complete
    complete: float | None
    # until a complete index was compared with the files, unless it has more than `compared_files`:
    # hits are compared with their files in any case
    compared: float | None
    compared_files: float = math.inf
    # for reindexing stale files among the hits
    update: float = math.inf
    # for another process's write lock before such an update; None: as long as the manager waits
    lock: float | None = None
    # until a first graph is linked, where that is expected by then
    linked: float = 0.0
    # for rebuilding a damaged index; None: the rest of the budget
    rebuild: float | None = None
    # true if a query without an index is an error
    needs_index: bool = False
    # of these waits, how long without an estimate of what is waited for
    unsure: float = 1.0
    # for linking the files of a question where the graph of all is not there
    on_demand: float = 2.0

    def seconds(self, index: OpenIndex) -> float | None:
        """The seconds to wait, or None if the index is good enough."""
        if index.snapshot is None:
            return self.first
        if not index.complete:
            return self.complete
        waits = not index.compared and index.snapshot.file_count <= self.compared_files
        return self.compared if waits else None


# a command waits until there is an index, and for nothing else
COMMAND_WAIT: Final = WaitPolicy(
    first=math.inf, complete=None, compared=None, lock=0.5, needs_index=True, on_demand=10.0
)
# retrieval reads the files themselves while the index is not current
RETRIEVAL_WAIT: Final = WaitPolicy(first=0.5, complete=0.5, compared=0.5)
_COMPARING_SECONDS: Final = 0.25
_COMPARED_FILES: Final = 10_000
_UPDATE_SECONDS: Final = 0.5


# a ranked search of files that are not indexed takes so many times the setting: as long it waits
# for all words, where they are expected by then
_SCANNING: Final = 3.0
# a build tells so soon how long it takes
_ESTIMATED: Final = 3.0


def ranked_wait_policy(wait: WaitPolicy) -> WaitPolicy:
    """The wait policy of a ranked search."""
    if not wait.complete:
        return wait
    most = _SCANNING * wait.complete
    return replace(wait, first=max(most, wait.first), complete=most, unsure=_ESTIMATED)


def tool_wait_policy(settings: Settings) -> WaitPolicy:
    """The wait policy of a tool call."""
    first = settings.first_answer_seconds
    return WaitPolicy(
        first=first,
        complete=first,
        compared=min(first, _COMPARING_SECONDS),
        compared_files=_COMPARED_FILES,
        update=_UPDATE_SECONDS,
        rebuild=settings.refresh_seconds,
        linked=min(settings.linked_answer_seconds, settings.refresh_seconds),
    )


def behind_name(name: str, behind: str, near: str = "") -> str:
    """That no symbol has a name so far, and what is behind."""
    told = f"no symbol so far is called {near or visible(name.strip())}; " if name.strip() else ""
    return f"{told}{behind}"

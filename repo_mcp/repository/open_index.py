"""The index as one question finds it, and how long a question waits for a better one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final

from index_format import Snapshot
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning, Settings
from repo_mcp.stored import IndexProgress


class Lacking(Enum):
    """What an index does not hold."""

    # not all files are in it yet
    FILES = "files"
    # not all files are in it, and indexing them failed
    BUILD = "build"
    # all words are in it, but not what some files declare
    DECLARATIONS = "declarations"


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """One generation of the index, if there is one.

    `compared` says whether files and index were compared in this process, `failure` why the last
    refresh failed, `unbuilt` whether one that was waited for did, and `updated` whether files were
    indexed anew for this question. `warnings` say what happened to it while the question was
    answered: "rebuilt" or "not_updated".
    """

    snapshot: Snapshot | None
    compared: bool
    failure: Problem | None = None
    unbuilt: bool = False
    updated: bool = False
    warnings: tuple[AnswerWarning, ...] = ()

    @property
    def generation(self) -> int:
        """Its number, 0 for none."""
        return 0 if self.snapshot is None else self.snapshot.generation

    @property
    def complete(self) -> bool:
        """Whether the words of all files are in it."""
        return self.snapshot is not None and IndexProgress.of(self.snapshot).complete

    @property
    def knows_all(self) -> bool:
        """Whether it is complete, was compared with the files, and nothing failed since."""
        return self.complete and self.compared and self.failure is None

    @property
    def lacking(self) -> Lacking | None:
        """What it does not hold."""
        if self.snapshot is None or not self.complete:
            return Lacking.BUILD if self.unbuilt else Lacking.FILES
        return None if IndexProgress.of(self.snapshot).deep else Lacking.DECLARATIONS


@dataclass(frozen=True, slots=True)
class Patience:
    """How many seconds a question waits for the index; None: it takes the index as it is."""

    # until there is an index at all
    first: float
    # until an index holds all files
    complete: float | None
    # until a complete index was compared with the files; one of more files is not waited for,
    # because hits are compared with their files anyhow
    compared: float | None
    compared_files: float = math.inf
    # for indexing again the files that an answer shows to have changed
    update: float = math.inf
    # of these for the lock that another process may hold; None: as long as the manager waits
    lock: float | None = None
    # for a rebuild of a damaged index; None: what is left of the budget
    rebuild: float | None = None
    # whether there is no answer without an index
    needs_index: bool = False

    def seconds(self, index: OpenIndex) -> float | None:
        """How long to wait, None where the index is good enough."""
        if index.snapshot is None:
            return self.first
        if not index.complete:
            return self.complete
        waits = not index.compared and index.snapshot.file_count <= self.compared_files
        return self.compared if waits else None


# a person waits for the index, and then for nothing else
COMMAND: Final = Patience(first=math.inf, complete=None, compared=None, lock=0.5, needs_index=True)
# the files are read without the index while it does not know all of them
RETRIEVAL: Final = Patience(first=0.5, complete=0.5, compared=0.5)
_COMPARING_SECONDS: Final = 0.25
_COMPARED_FILES: Final = 10_000
_UPDATE_SECONDS: Final = 0.5


def tool_patience(settings: Settings) -> Patience:
    """What a call of a tool waits, whose client waits for it."""
    first = settings.first_answer_seconds
    return Patience(
        first=first,
        complete=first,
        compared=min(first, _COMPARING_SECONDS),
        compared_files=_COMPARED_FILES,
        update=_UPDATE_SECONDS,
        rebuild=settings.refresh_seconds,
    )

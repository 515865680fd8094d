"""One index of a root on the disk: opens, merges, checks, repairs and removes it.

A repository may contain a data folder with a forged index of its files, and a `git pull` may bring
one later. The library records what was published here (`index_format/generation/origin.py`); an
index that it does not vouch for is removed and made again, and the next answer says so.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final

import index_format
from code_graph.store.schema import GRAPH_SCHEMA, PROJECT_EXPORTS_PATH, GraphProgress
from index_format import (
    CorruptIndexError,
    ForeignIndexError,
    Index,
    IndexBusyError,
    IndexFormatError,
    IndexMissingError,
    InvalidInputError,
    SegmentLostError,
    Snapshot,
    StoreError,
    UnsupportedVersionError,
)
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.model import AnswerWarning
from repo_mcp.stored import ALL_KINDS, GRAPH_INDEX, TEXT_INDEX, StoredKind

if TYPE_CHECKING:
    from index_format import Finding
    from repo_mcp.processes.pool import JobRunner

LOCK_WAIT: Final = 10.0
# a reader that finds a segment gone has to read the newer manifest; a delay makes that rare
GRACE: Final = 5.0
# superseded files take at most this share of the index, however many were published meanwhile
SPARE: Final = 0.25
_MOST_CHARACTERS: Final = 200
UNUSABLE: Final = (CorruptIndexError, UnsupportedVersionError)


class IndexFault(StrEnum):
    """Why an index can't be used, as its notice says it."""

    DAMAGED = "was damaged"
    FOREIGN = "in the data folder was not made here"
    LOST = "had files, which may have been shared with other checkouts, that are gone"
    OTHER_VERSION = "was made by another version of this program"
    OTHER_SETTINGS = ""  # nothing to be told of: the user has chosen them


class IndexSummary(NamedTuple):
    """An index that is made from another one, as it is on the disk.

    `problem` says why it can't be opened. `is_current`: complete, and of the current text; None
    for an index that does not say what it is of.
    """

    kind: StoredKind
    snapshot: Snapshot | None
    files: int = 0
    is_current: bool | None = False
    problem: str = ""


class LinkedGraph(NamedTuple):
    """A generation of the graph, if there is one; `current`: complete and of the current text.

    `notice` says why the one before was removed.
    """

    snapshot: Snapshot | None
    current: bool
    notice: AnswerWarning | None = None


# makes what does the jobs of a recipe elsewhere
JobEngine = Callable[[Recipe], "JobRunner"]


class IndexKeeper:
    """One index of a folder; the caller serialises all that changes it."""

    # of segments that others held and removed
    lost: ClassVar = IndexFault.DAMAGED

    def __init__(self, recipe: Recipe, kind: StoredKind, clock: Clock = time.monotonic) -> None:
        """Keep the arguments; reads nothing, and makes no folder before the first write."""
        self.kind = kind
        self.recipe = recipe
        self.store = recipe.store(kind, clock)
        # a run changes its settings: they are stored with each generation that it publishes
        self.index = Index(self.store, kind.schema)
        # the last opened generation, whose segments the next one shares
        self.latest: Snapshot | None = None
        self._notices: deque[AnswerWarning] = deque(maxlen=1)

    @property
    def is_there(self) -> bool:
        """True if it has files on the disk."""
        return bool(self.store.names())

    @property
    def notice(self) -> AnswerWarning | None:
        """Why an index was removed, until an answer has said so."""
        with suppress(IndexError):
            return self._notices[0]
        return None

    def take_notice(self) -> AnswerWarning | None:
        """The notice, once."""
        with suppress(IndexError):
            return self._notices.popleft()
        return None

    def note(self, fault: IndexFault) -> None:
        """Have the next answer say why the index is made again."""
        if fault:
            self._notices.append(self.notice_of(fault))

    def notice_of(self, fault: IndexFault) -> AnswerWarning:
        """The notice for a fault of this index."""
        text = f"the {self.kind.title} {fault} and has been {self.kind.remaking}"
        return AnswerWarning("rebuilt", text)

    def signature_of(self, found: Snapshot) -> str:
        """The signature that a generation was made with."""
        return found.manifest.settings

    def open(self, signature: str) -> Snapshot | None:
        """The current generation, or None if there is none with this signature."""
        try:
            found = self.index.snapshot(self.latest)
        except (IndexMissingError, *UNUSABLE):
            return None
        # one that does not fit is remembered as well: each question would read it again
        self.latest = found
        return found if self.fits(found, signature) else None

    def fits(self, found: Snapshot, signature: str) -> bool:
        """True if a generation has the schema of this version and this signature."""
        return found.schema == self.kind.schema and self.signature_of(found) == signature

    def drop_unusable(self, signature: str | None = None) -> None:
        """Remove an index that is damaged, was not made here, or has another version or schema.

        With a signature also one with another: what only other settings allow must not stay.
        """
        if self._fault(signature) is None:
            return
        with self.store.lock(LOCK_WAIT):
            fault = self._fault(signature)
            if fault is not None:  # no other process has replaced it meanwhile
                self._remove(fault)

    def drop(self, fault: IndexFault = IndexFault.DAMAGED) -> None:
        """Remove the index; the next run makes it again."""
        with self.store.lock(LOCK_WAIT):
            self._remove(fault)

    def empty(self) -> None:
        """Remove its files, whoever may use them."""
        for name in self.store.names():
            self.store.remove(name)

    def merge(
        self,
        pool: JobRunner,
        budget: Budget,
        *,
        full: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Merge segments where that pays, until `stop`; returns the number of merges.

        Those of a revision stay: they are files of the checkout's index, too, and merged ones would
        be on the disk once more.
        """
        if self.recipe.commit and not full:
            return 0
        from repo_mcp.indexing.workers.merging import compact  # noqa: PLC0415 searches don't merge

        try:
            return compact(self.index, pool, budget, full=full, stop=stop, previous=self.latest)
        except IndexMissingError:
            return 0

    def is_free(self, seconds: float) -> bool:
        """True if no process holds its lock after this time, by the system's clock."""
        try:
            with self.store.lock(seconds):
                return True
        except (OSError, IndexFormatError) as error:  # a refresh meets others and reports them
            return not isinstance(error, IndexBusyError)

    def collect_garbage(self, grace: float, spare: float, wait: float = LOCK_WAIT) -> None:
        """Remove files that no generation in use needs."""
        # the process that is writing collects after that
        with suppress(IndexBusyError, IndexMissingError):
            self.index.collect_garbage(
                grace_seconds=grace, spare=spare, wait_seconds=wait, previous=self.latest
            )

    def check(self) -> Iterator[Finding]:
        """Read every byte and verify it; files of others than the text index have their folder."""
        for finding in index_format.check(self.store):
            yield replace(finding, file=self.label(finding.file))

    def repair(self) -> Sequence[str]:
        """Remove the index if readers fail or would answer wrongly; returns no file to index."""
        if any(finding.severity == index_format.Severity.ERROR for finding in self.check()):
            self.drop()
        return ()

    def label(self, name: str) -> str:
        """The name of a file as it stands in lists of the files of all indexes."""
        return name if self.kind is TEXT_INDEX else f"{self.kind.folder}/{name}"

    def dump(self, name: str, section: str | None, limit: int) -> Iterator[str]:
        """The content of an index file as text."""
        try:
            yield from index_format.dump(self.store, name, section, limit)
        except InvalidInputError as error:
            raise Problem("argument_invalid", str(error)) from error

    def _fault(self, signature: str | None) -> IndexFault | None:
        """Why the index can't be used, or None if it can or there is none."""
        try:
            found = self.index.snapshot(self.latest)
            if found.schema != self.kind.schema:
                return IndexFault.OTHER_VERSION
            fits = signature is None or self.signature_of(found) == signature
        except IndexMissingError:
            return None
        except SegmentLostError:
            return self.lost
        except CorruptIndexError as error:
            is_foreign = isinstance(error, ForeignIndexError)
            return IndexFault.FOREIGN if is_foreign else IndexFault.DAMAGED
        except (UnsupportedVersionError, InvalidInputError):
            return IndexFault.OTHER_VERSION
        return None if fits else IndexFault.OTHER_SETTINGS

    def _remove(self, fault: IndexFault) -> None:
        self.latest = None
        self.empty()
        self.note(fault)


class StoredIndexes:
    """All indexes of a folder, each behind the one that it is made from.

    Those of several `roots` are checked and counted with them.
    """

    def __init__(
        self, recipe: Recipe, roots: Mapping[str, StoredIndexes] = MappingProxyType({})
    ) -> None:
        """Reads nothing."""
        self.keepers = [IndexKeeper(recipe, kind) for kind in ALL_KINDS]
        self._roots = roots

    @property
    def derived(self) -> list[IndexKeeper]:
        """Indexes on the disk that are made from another one."""
        return [
            keeper for keeper in self.keepers if keeper.kind is not TEXT_INDEX and keeper.is_there
        ]

    def check(self) -> Iterator[Finding]:
        """Read and verify all."""
        for name, indexes in self._roots.items():
            for finding in indexes.check():
                yield replace(finding, file=f"{name}: {finding.file}")
        for keeper in self.keepers:
            yield from keeper.check()

    def disk_use(self) -> index_format.DiskUse:
        """The room that all take; reads no segment."""
        with raise_problems():
            uses = [keeper.index.disk_use() for keeper in self.keepers]
        uses += [indexes.disk_use() for indexes in self._roots.values()]
        return index_format.DiskUse(*map(sum, zip(*uses, strict=True)))

    def merge_derived(self, pool: JobRunner, budget: Budget) -> int:
        """Merge derived indexes in full, and free what they no longer need."""
        steps = 0
        for keeper in self.derived:
            with suppress(InvalidInputError, *UNUSABLE):  # made again by those who refresh it
                steps += keeper.merge(pool, budget, full=True)
                keeper.collect_garbage(0.0, math.inf)
        return steps

    def summarise(self, text: Snapshot | None) -> list[IndexSummary]:
        """The derived indexes, opened and not read."""
        with raise_problems():
            return [*self._summarise(text)]

    def _summarise(self, text: Snapshot | None) -> Iterator[IndexSummary]:
        for keeper in self.derived:
            try:
                found = keeper.index.snapshot()
            except IndexMissingError:
                continue
            except IndexFormatError as error:
                yield IndexSummary(keeper.kind, None, problem=str(error))
                continue
            is_current: bool | None = None
            if keeper.kind is GRAPH_INDEX:
                progress = GraphProgress.of(found)
                is_current = progress.complete and text is not None and progress.is_of(text)
            files = found.file_count - (found.find(PROJECT_EXPORTS_PATH) is not None)
            yield IndexSummary(keeper.kind, found, files, is_current)

    def dump(self, label: str | None, section: str | None, limit: int) -> Iterator[str]:
        """The content of an index file as text; without a label, those of all index files."""
        with raise_problems():
            if label is None:
                for keeper in self.keepers:
                    yield from map(keeper.label, sorted(keeper.store.names()))
                return
            folder, _, name = label.rpartition("/")
            named = [keeper for keeper in self.keepers if keeper.kind.folder == folder]
            if named:
                yield from named[0].dump(name, section, limit)
            else:
                yield from self.keepers[0].dump(label, section, limit)


def has_unfinished_graph(recipe: Recipe) -> bool:
    """True if a first build of the graph was begun, and goes on from a tree that it records."""
    try:
        found = IndexKeeper(recipe, GRAPH_INDEX).index.snapshot()
    except (IndexMissingError, OSError, *UNUSABLE):
        return False
    return found.schema == GRAPH_SCHEMA and bool(GraphProgress.of(found).tree)


@contextmanager
def raise_problems() -> Iterator[None]:
    """Turn errors of the disk and the index into a `Problem`."""
    try:
        yield
    except (OSError, IndexFormatError) as error:
        raise _problem_of(error) from error


def _problem_of(error: Exception) -> Problem:
    """The problem for an error of the disk or an index; names no file of the repository."""
    if isinstance(error, IndexBusyError):
        return Problem("index_busy")
    reason = type(error).__name__
    if isinstance(error, OSError):
        reason = error.strerror or reason
    elif isinstance(error, StoreError):  # its message names index files only
        reason = str(error)
    return Problem("index_unavailable", reason[:_MOST_CHARACTERS])

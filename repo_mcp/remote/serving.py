"""Roots that are served from where they were published: which publication, and its index.

`Replica` follows a label, and opens the door to the publication that it names. A newer one is taken
over in the background, whole, before any call is answered from it. What can't be taken over, or
asked for, leaves the one before and is told in answers.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from functools import partial
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from index_format import Index, IndexFormatError, link_segments
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp import side_files
from repo_mcp.budget import Budget, Clock
from repo_mcp.console import log_call
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe, reads_in_place
from repo_mcp.indexing.keep.adopting import adopt_indexes, remembered_files
from repo_mcp.indexing.keep.fixed_index import FixedIndex
from repo_mcp.indexing.keep.index_folder import IndexFolder
from repo_mcp.indexing.keep.index_source import ProgressCallback
from repo_mcp.indexing.keep.listener import NOBODY, RunListener
from repo_mcp.indexing.keep.manager import IndexManager, RefreshOptions
from repo_mcp.indexing.keep.unused_indexes import USED, mark_used
from repo_mcp.model import AnswerWarning, RefreshResult, Settings
from repo_mcp.remote.publish import (
    LocalIndex,
    Publication,
    PublishedDoor,
    PublishedNames,
    Puller,
    PullReport,
    digest,
    open_published,
    read_label,
    same_always,
    shared_reader,
)
from repo_mcp.remote.published import RemoteIndex, pull_with, recipe_of
from repo_mcp.safety.sandbox import Door, RootState, Sandbox
from repo_mcp.stored import STORED_KINDS, TEXT_INDEX, IndexProgress

if TYPE_CHECKING:  # searches start no process
    from repo_mcp.processes.pool import ProcessStock

# in the data folder of an address: a folder for each publication, below the beginnings of its name
FOLDER: Final = "published"
_SPLIT: Final = 2
# a label is asked for no more often: a small request, and who publishes waits no longer than this
FOLLOWING_SECONDS: Final = 10.0
_SHOWN: Final = 12
_MOST_BYTES: Final = 1 << 12
# this one is among those whose segments are linked
_LINKED_FROM: Final = 3
_LOCK_SECONDS: Final = 10.0
# what may end without a change of what is published
_PASSING: Final = frozenset({"store_unavailable", "publication_missing"})


class PublishedSource(RemoteIndex):
    """The indexes of one publication, as an `IndexSource`."""

    def __init__(
        self, settings: Settings, publication: Publication, folders: Sequence[str] = ()
    ) -> None:
        """Keep the arguments; asks nobody yet.

        `folders` are data folders of other publications: what they have is not fetched again.
        """
        super().__init__(settings)
        self._given = settings
        self._publication = publication
        self._folders = folders
        self._differs = False

    def differing_parts(self, manager: IndexManager) -> list[str]:
        """The parts of the settings here that are not those of the publication."""
        return self._publication.differing_parts(recipe_of(self._given, manager))

    def bring(self, manager: IndexManager, budget: Budget, on_progress: ProgressCallback) -> None:
        """Take over the publication; does nothing for one that was made with other settings."""
        if self._differs:
            return

        def take(puller: Puller, local: LocalIndex) -> PullReport:
            self._link_segments(manager, local)
            return puller.take(local, self._publication)

        given, url = self._given, self._given.index_from
        try:
            pull_with(given, manager, url, take, budget, on_progress, at_once=True)
        except Problem as problem:
            if problem.code != "publication_differs":
                raise
            self._differs = True
            if not given.entries:  # parts have indexes of their own
                log_call(f"the index is built here, from published texts: {problem.reason}")

    def share(self, manager: IndexManager, budget: Budget) -> None:
        """Lend nothing: the index is there for all."""

    def _link_segments(self, manager: IndexManager, local: LocalIndex) -> None:
        """Have segments here that other folders have, as the same files, where they are copied."""
        publication = self._publication
        if reads_in_place(self._given) or publication.signature != local.signature:
            return
        for source in _recipes_in(self._folders, self._given, manager.text.signature):
            for kind in STORED_KINDS:
                manifest = publication.manifests.get(kind.folder)
                entries = () if manifest is None else manifest.segments
                # what can't be linked is fetched
                with suppress(IndexFormatError), ExitStack() as held:
                    other, own = source.store(kind, create=False), local.store(kind)
                    held.enter_context(other.lock(_LOCK_SECONDS))
                    held.enter_context(own.lock(_LOCK_SECONDS))
                    there = set(other.names()).difference(own.names())
                    link_segments(other, own, [entry for entry in entries if entry.name in there])


class PublishedIndex(FixedIndex):
    """The index of a publication: that which is published, or one that is built from its texts.

    The latter where it was made with other settings, or a part of it is served.
    """

    def __init__(
        self,
        settings: Settings,
        sandbox: Sandbox,
        publication: Publication,
        clock: Clock = time.monotonic,
        stock: ProcessStock | None = None,
    ) -> None:
        """Keep the arguments; `settings` have the folder of this index."""
        self._folders = _folders_beside(settings.data_dir)
        self._published = PublishedSource(settings, publication, self._folders)
        super().__init__(settings, sandbox, clock, self._published, stock)

    @property
    def differing_parts(self) -> Sequence[str]:
        """The parts of the settings here that are not those of the publication."""
        return self._published.differing_parts(self)

    def take_over(self, budget: Budget, on_progress: ProgressCallback = lambda _: None) -> bool:
        """Have the published index here, unless there is one; whether there is one then."""
        if self.snapshot() is None:
            self._published.bring(self, budget, on_progress)
        return self.snapshot() is not None

    def make(
        self, budget: Budget, listener: RunListener = NOBODY, **options: Unpack[RefreshOptions]
    ) -> RefreshResult:
        """Take over the published index; else index all texts."""
        if not options.get("force") and self.take_over(
            budget, partial(self.writer.report, listener)
        ):
            listener.on_first_index()
            if self.is_whole:
                return self.unchanged()
        elif not options.get("force"):
            self._begin_as_another(budget)
        return super().make(budget, listener, **options)

    def _begin_as_another(self, budget: Budget) -> None:
        """Begin as the index of the publication that was served last, if one was built like this.

        It is stored as one that lacks files, until the run that follows has compared them all.
        """
        signature = self.text.signature
        for source in _recipes_in(self._folders, self._settings, signature):
            with suppress(IndexFormatError, Problem), ExitStack() as held:
                for kind in STORED_KINDS:
                    held.enter_context(source.store(kind, create=False).lock(_LOCK_SECONDS))
                here = held.enter_context(self.replacing(budget))
                text = Index(source.store(), TEXT_INDEX.schema).snapshot()
                if IndexProgress.of(text) != IndexProgress(signature):
                    continue
                memory = remembered_files(self, text, source.index_dir)
                settings = IndexProgress(signature, complete=False).to_settings()
                memory.assign(adopt_indexes(source, here, text, with_code=True, settings=settings))
                memory.save(self.index_dir)
                return


def _recipes_in(folders: Sequence[str], settings: Settings, signature: str) -> Iterator[Recipe]:
    """The recipes of indexes with this signature in other data folders, which are there."""
    for folder in folders:
        index_dir = IndexFolder(folder, signature).path
        yield Recipe.of(replace(settings, data_dir=folder), index_dir).near()


def publication_folder(settings: Settings, identity: str) -> str:
    """The folder of the index of a publication of the address that settings name."""
    data = settings.data_dir
    if settings.publication:  # they are those of another one
        data = data.removesuffix(_below(settings.publication))
    return f"{data}{_below(identity)}"


def _below(identity: str) -> str:
    return f"/{FOLDER}/{identity[:_SPLIT]}/{identity[_SPLIT:]}".replace("/", os.sep)


def _folders_beside(folder: str) -> list[str]:
    """The folders of the publications that were served last, those of the address alone."""
    used = Path(folder).parents[1].glob(f"*/*/{USED}")
    newest = nlargest(_LINKED_FROM, used, key=lambda path: path.stat().st_mtime)
    return [str(path.parent) for path in newest if str(path.parent) != folder]


def open_publication(
    settings: Settings, identity: str, state: Callable[[], RootState] = same_always
) -> PublishedDoor:
    """The door to a publication of the address that settings name; raises a `Problem`."""
    folder = publication_folder(settings, identity)
    recipe = Recipe.of(settings)
    mark_used(folder, str(Path(folder).parents[1]), settings.index_cache_bytes)
    blocks = recipe.blocks, recipe.blocks_bytes
    return open_published(settings.index_from, identity, folder, blocks, settings.root, state)


class PublishedRoot(NamedTuple):
    """A publication that is open: its settings, the way to its texts, and its index."""

    settings: Settings
    sandbox: Sandbox
    manager: PublishedIndex


def open_published_index(
    given: Settings,
    door: Door,
    clock: Clock = time.monotonic,
    stock: ProcessStock | None = None,
) -> PublishedRoot:
    """Open the index of the publication behind a door; `given` are the settings of its root."""
    if not isinstance(door, PublishedDoor):
        raise Problem("internal")
    publication = door.publication
    settings = replace(
        given,
        publication=publication.identity,
        commit=publication.commit,
        data_dir=publication_folder(given, publication.identity),
    )
    sandbox = Recipe.of(settings).sandbox(door)
    manager = PublishedIndex(settings, sandbox, publication, clock, stock)
    return PublishedRoot(settings, sandbox, manager)


class _Behind(NamedTuple):
    """Why the newest publication is not served, and since when that is known."""

    # the commit that the label names, or else the publication; empty where it can't be asked
    named: str
    reason: str
    since: float


# takes over what a door leads to before it is served in place of a publication
Prepare = Callable[[PublishedDoor, Publication], None]


class Replica:
    """The publication that a label names, as far as it can be taken over; thread-safe."""

    def __init__(
        self,
        settings: Settings,
        label: str,
        clock: Clock = time.monotonic,
        *,
        prepare: Prepare = lambda *_: None,
        start: Callable[[Callable[[], None]], None] | None = None,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        """Keep the arguments; asks for nothing yet.

        `prepare` may raise a `Problem`: then the publication before is served on. `start` runs a
        look at the label, in a thread by default.
        """
        self._settings = settings
        self._label = label
        self._clock = clock
        self._prepare = prepare
        self._start = start or _start_thread
        self._wall_clock = wall_clock
        self._guard = threading.Lock()
        self._record = _Record(settings.data_dir, label)
        self._served: Publication | None = None
        self._since = 0.0
        self._behind: _Behind | None = None
        self._looked = 0.0
        self._is_looking = False

    def open_door(self) -> PublishedDoor:
        """The door to the publication that is served; raises a `Problem` if there is none."""
        with self._guard:
            if self._served is None:
                return self._open_first()
            identity = self._served.identity
        return self._open(identity)

    def warnings(self) -> list[AnswerWarning]:
        """A warning that the label may name another publication than is served, if so."""
        behind = self._behind
        if behind is None:
            return []
        since, label = _time_text(behind.since), self._label
        if behind.named:
            which = f"{label} names {behind.named[:_SHOWN]} since {since} or before, which"
            text = f"{self._served_text}: {which} is not taken over: {behind.reason}"
        else:
            text = f"{self._served_text}; what {label} names is unknown since {since}"
            text = f"{text}: {behind.reason}"
        return [AnswerWarning("replica_behind", text)]

    @property
    def text(self) -> str:
        """The commit that is served, since when, and the one that the label names."""
        behind = self.warnings()
        return behind[0].text if behind else f"{self._served_text}, as {self._label} names it"

    @property
    def _served_text(self) -> str:
        return f"commit {_name_of(self._served)[:_SHOWN]} is served since {_time_text(self._since)}"

    def look(self) -> None:
        """Take over the publication that the label names, if that is another one."""
        named = ""
        try:
            identity, before = self._named(), self._served
            if before is not None and identity != before.identity:
                named = identity
                door = open_publication(self._settings, identity)
                named = _name_of(door.publication)
                self._prepare(door, before)
                with self._guard:
                    self._serve(door.publication)
            self._behind = None
        except Problem as problem:
            known = self._behind
            is_same = known is not None and known.named == named
            since = known.since if known is not None and is_same else self._wall_clock()
            self._behind = _Behind(named, problem.reason, since)

    def _named(self) -> str:
        note = read_label(
            shared_reader(self._settings.index_from),
            self._label,
            self._settings.index_trust,
            lambda _: self._record.number,
        )
        self._record.number = max(self._record.number, note.number)
        return note.publication

    def _open_first(self) -> PublishedDoor:
        """Serve what the label names, or what was served last where that can't be had."""
        self._looked = self._clock()
        try:
            door = self._open(self._named())
        except Problem as problem:
            before = self._record.publication
            if problem.code not in _PASSING or not before:
                raise
            door = self._open(before)
            self._behind = _Behind("", problem.reason, self._wall_clock())
        self._serve(door.publication)
        return door

    def _open(self, identity: str) -> PublishedDoor:
        return open_publication(self._settings, identity, partial(self._state_of, identity))

    def _serve(self, publication: Publication) -> None:
        self._served = publication
        self._since = self._wall_clock()
        self._record.keep(publication.identity)

    def _state_of(self, identity: str) -> RootState:
        """The state of a door; looks at the label at most every few seconds, without waiting."""
        now = self._clock()
        with self._guard:
            is_due = now - self._looked >= FOLLOWING_SECONDS and not self._is_looking
            if is_due:
                self._is_looking, self._looked = True, now
        if is_due:
            self._start(self._look_once)
        served = self._served
        is_served = served is None or served.identity == identity
        return RootState.SAME if is_served else RootState.REPLACED

    def _look_once(self) -> None:
        try:
            self.look()
        finally:
            self._is_looking = False


def _name_of(publication: Publication | None) -> str:
    """The commit of a publication, or else its own name."""
    return "" if publication is None else publication.commit or publication.identity


class _Record:
    """The publication that was served of a label, and the label's number, in the data folder."""

    def __init__(self, folder: str, label: str) -> None:
        self._folder = folder
        self._name = f"label-{label}.json"
        self.number = 0
        self.publication = ""
        with suppress(OSError, ValueError, TypeError, KeyError):
            found: Any = json.loads(side_files.get(folder, self._name, _MOST_BYTES))
            self.publication, self.number = str(found["publication"]), int(found["number"])

    def keep(self, publication: str) -> None:
        """Remember this one, if the disk lets us."""
        self.publication = publication
        record = {"publication": publication, "number": self.number}
        with suppress(OSError):
            side_files.make_folders(self._folder)
            side_files.put(self._folder, self._name, json.dumps(record).encode())


def _start_thread(work: Callable[[], None]) -> None:
    threading.Thread(target=work, name="replica", daemon=True).start()


def _time_text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def find_publication(settings: Settings, manager: IndexManager, name: str) -> str:
    """The publication of a label or commit, which a `Problem` lists where there is none so named.

    With `branches`, what labels name alone is there that one of their globs fits.
    """
    store = shared_reader(settings.index_from)
    signature = digest(sorted(recipe_of(settings, manager).items()))
    found = PublishedNames(store, signature, settings.index_trust, settings.branches)
    return found.find(name)

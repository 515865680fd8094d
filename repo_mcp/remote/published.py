"""Publishes the indexes of a repository, brings published ones here, and audits what came."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

from index_format import FORMAT_VERSION, SharedStore
from index_format.blake2 import blake2b
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp import git, side_files
from repo_mcp.budget import Budget
from repo_mcp.console import log_call
from repo_mcp.errors import Problem
from repo_mcp.git import has_worktrees
from repo_mcp.indexing.build.recipe import Recipe, copies_later, reads_in_place
from repo_mcp.indexing.keep.index_folder import IndexFolder, keep_copies, keeps_copies
from repo_mcp.indexing.keep.index_source import ProgressCallback
from repo_mcp.indexing.keep.keeper import raise_problems
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.text_index import signature_of, signature_parts
from repo_mcp.model import Progress, Settings
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.settings import usual_data_folder
from repo_mcp.stored import FIELDS, STORED_KINDS

if TYPE_CHECKING:  # most repositories have no address of a store
    from repo_mcp.indexing.keep.segment_audit import SegmentVerdict
    from repo_mcp.remote.publish import (
        IndexExport,
        LocalIndex,
        PublishReport,
        Puller,
        PullReport,
        SegmentCopier,
        SharedCache,
    )

DEFAULT_LABEL: Final = "main"
# of `index_share`
_ALWAYS: Final = "always"
# in the folder of the index: numbers of signed labels
_LABELS: Final = "labels.json"
_MOST_LABELS: Final = 100
_MAX_LABELS_BYTES: Final = 1 << 16
# attempts to publish texts of a checkout that is being edited, and what tells that it is
_TEXT_ROUNDS: Final = 3
_EDITED: Final = frozenset({"index_behind", "not_found", "file_changing"})


class PublishOptions(NamedTuple):
    """Options of publishing; what is older than `keep_seconds` and not reached is removed."""

    label: str = DEFAULT_LABEL
    pin: bool = False
    # the file of a private key
    sign_key: str = ""
    keep_seconds: float | None = None
    # the texts of the files, too, for servers without a checkout
    texts: bool = False


def publish_index(
    settings: Settings,
    manager: IndexManager,
    url: str,
    budget: Budget,
    options: PublishOptions = PublishOptions(),  # noqa: B008 it can't be changed
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> PublishReport:
    """Publish complete generations; other writers go on meanwhile."""
    from repo_mcp.remote.publish import (  # noqa: PLC0415 see above
        Publisher,
        Signer,
        collect,
        open_store,
        read_key,
    )

    signer = Signer(read_key(options.sign_key)) if options.sign_key else None
    store = open_store(url, write=True)
    local = _local_index(settings, manager, Recipe.of(settings, manager.index_dir))
    publisher = Publisher(store, budget, on_progress, signer=signer)
    export_index = _export_with_texts if options.texts else _export_complete
    exported = export_index(local, manager, budget)
    report = publisher.publish(exported, options.label, pin=options.pin)
    if options.keep_seconds is None:
        return report
    return report._replace(removed=len(collect(store, options.keep_seconds, budget)))


def _export_complete(local: LocalIndex, manager: IndexManager, budget: Budget) -> IndexExport:
    """The index, brought up to date where other writers have left files to be indexed."""
    from repo_mcp.remote.publish import export  # noqa: PLC0415 see above

    while True:
        try:
            return export(local)
        except Problem as problem:
            if problem.code != "index_behind":
                raise
        budget.check()
        manager.refresh(budget, wait_for_writer=True)


def _export_with_texts(local: LocalIndex, manager: IndexManager, budget: Budget) -> IndexExport:
    """The index, with the texts of the files that it has been made from."""
    from repo_mcp.remote.publish import read_texts  # noqa: PLC0415 see above

    for rounds_left in reversed(range(_TEXT_ROUNDS)):
        exported = _export_complete(local, manager, budget)
        try:
            return exported.with_texts(read_texts(manager, budget, is_last=not rounds_left))
        except Problem as problem:
            if problem.code not in _EDITED or not rounds_left:
                raise
        manager.refresh(budget, wait_for_writer=True)
    raise Problem("index_behind")


def pull_index(
    settings: Settings,
    manager: IndexManager,
    url: str,
    label: str,
    budget: Budget,
    on_progress: Callable[[Progress], None] = lambda _: None,
    *,
    at_once: bool = False,
) -> PullReport:
    """Take over the publication that is nearest to this checkout.

    `at_once` leaves it where it is for now, if the settings let it be copied later.
    """

    def pull(puller: Puller, local: LocalIndex) -> PullReport:
        return puller.pull(local, label)

    return pull_with(settings, manager, url, pull, budget, on_progress, at_once=at_once)


def pull_with(
    settings: Settings,
    manager: IndexManager,
    url: str,
    pull: Callable[[Puller, LocalIndex], PullReport],
    budget: Budget,
    on_progress: Callable[[Progress], None],
    *,
    at_once: bool,
) -> PullReport:
    """Take over a publication, which `pull` chooses."""
    from repo_mcp.remote.publish import Puller, open_reader  # noqa: PLC0415 see above

    store = open_reader(url)
    with manager.replacing(budget) as whole:
        leaves = not whole.copies or (at_once and not keeps_copies(whole.index_dir))
        recipe = whole if leaves else whole.near()
        local = _local_index(settings, manager, recipe)
        seen = _LabelMemory(recipe.index_dir, url)
        local = local._replace(
            trust=settings.index_trust, last_number=seen.number, remember=seen.remember
        )
        in_place = url == recipe.in_place
        report = pull(Puller(store, budget, on_progress, in_place=in_place), local)
    if copies_later(settings) and not in_place:
        with suppress(Problem):  # it costs the next reader some time
            _copier(settings, manager).settle()
    return report


def create_key(path: str) -> str:
    """Write a new private key for signatures; returns the public one."""
    from repo_mcp.remote.publish import make_key  # noqa: PLC0415 see above

    return make_key(path)


class _LabelMemory:
    """The numbers of signed labels that were pulled from an address, in the data folder.

    Whoever writes to the store could otherwise let a label name what it named before.
    """

    def __init__(self, index_dir: str, url: str) -> None:
        self._index_dir = index_dir
        self._url = url

    def number(self, label: str) -> int:
        """The number of the newest note of a label; 0 if none was pulled."""
        return self._read().get(self._key(label), 0)

    def remember(self, label: str, number: int) -> None:
        """Keep the number of a note that was pulled."""
        rows = list((self._read() | {self._key(label): number}).items())[-_MOST_LABELS:]
        with suppress(OSError):
            side_files.put_tagged(self._index_dir, _LABELS, json.dumps(dict(rows)).encode())

    def _key(self, label: str) -> str:
        return blake2b(f"{self._url}\0{label}".encode(), digest_size=16).hexdigest()

    def _read(self) -> dict[str, int]:
        with suppress(OSError, ValueError):
            found: dict[str, int] = json.loads(
                side_files.get_tagged(self._index_dir, _LABELS, _MAX_LABELS_BYTES)
            )
            return found
        return {}


def remote_index(settings: Settings) -> RemoteIndex | None:
    """The indexes elsewhere, if the settings have an address or a folder that checkouts share."""
    return RemoteIndex(settings) if settings.index_from or settings.index_cache else None


class RemoteIndex:
    """Indexes of other checkouts and at the address in the settings, as an `IndexSource`."""

    def __init__(self, settings: Settings) -> None:
        """Look whether the index may be lent; asks nobody yet."""
        self._settings = settings
        self._is_shared = bool(
            settings.index_cache and not reads_in_place(settings) and _lends(settings)
        )

    @property
    def copies(self) -> bool:
        """True if a published index is copied while it is read where it is."""
        return copies_later(self._settings)

    def bring(self, manager: IndexManager, budget: Budget, on_progress: ProgressCallback) -> None:
        """Bring a first index: from another checkout, or from the address.

        When the address fails, a line on standard error says why, and the index is built here.
        """
        settings, url = self._settings, self._settings.index_from
        if adopt_index(settings, manager, budget, on_progress) or not url:
            return
        try:
            pull_index(settings, manager, url, DEFAULT_LABEL, budget, on_progress, at_once=True)
        except Problem as problem:
            if problem.code == "cancelled":
                raise
            log_call(f"nothing is pulled, and the index is built here: {problem.reason}")

    def copy(
        self, manager: IndexManager, budget: Budget, on_progress: ProgressCallback
    ) -> tuple[int, int]:
        """Copy a published index that is read where it is."""
        if not self.copies or not _has_remote_segments(
            Recipe.of(self._settings, manager.index_dir)
        ):
            return 0, 0
        try:
            with raise_problems():
                report = _copier(self._settings, manager, on_progress).copy(budget)
        except Problem as problem:
            if problem.code != "publication_invalid":
                raise
            log_call(f"the index is built here: {problem.reason}")
            keep_copies(manager.index_dir)
            manager.rebuild(budget)
            return 0, 0
        return report.copied, report.left

    def share(self, manager: IndexManager, budget: Budget) -> None:
        """Lend an index to other checkouts of this machine once it is complete, if it may be."""
        if not self._is_shared:
            return
        settings = self._settings
        folder = _shared_cache(settings, budget)
        # a failure now is repeated another time, or not at all
        with suppress(Problem), raise_problems():
            recipe = Recipe.of(settings, manager.index_dir)
            if recipe.copies and _has_remote_segments(recipe):
                return
            local = _shared_local_index(settings, manager, recipe.near())
            folder.share(local, keep_copies=keeps_copies(recipe.index_dir))


def _has_remote_segments(recipe: Recipe) -> bool:
    """True if an index is read where it is published, or was a moment ago."""
    stores = (recipe.store(kind) for kind in STORED_KINDS)
    return any(
        isinstance(store, SharedStore) and (store.borrowed() or store.copied()) for store in stores
    )


def _copier(
    settings: Settings,
    manager: IndexManager,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> SegmentCopier:
    import shutil  # noqa: PLC0415 a search loads this module, and copies nothing

    from repo_mcp.remote.publish import BlockCache, SegmentCopier  # noqa: PLC0415 see above

    recipe = Recipe.of(settings, manager.index_dir)
    return SegmentCopier(
        cache(recipe.store),
        BlockCache(recipe.blocks, recipe.blocks_bytes),
        lambda: shutil.disk_usage(recipe.index_dir).free,
        on_progress,
    )


def adopt_index(
    settings: Settings,
    manager: IndexManager,
    budget: Budget,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> PullReport | None:
    """Read the index of another checkout of this machine in place, if one is near; else None."""
    lends = _lends(settings)
    if (
        not settings.index_cache
        or reads_in_place(settings)
        or not (lends or os.path.isdir(settings.index_cache))
    ):
        return None
    cache = _shared_cache(settings, budget, on_progress)
    try:
        with manager.replacing(budget) as recipe:
            local = _shared_local_index(settings, manager, recipe.near())
            # their pulled files need not be signed by the keys of this one
            usable = lends and not settings.index_trust
            siblings = _siblings(settings, manager) if usable else ()
            return cache.adopt(local, siblings, keeps_copies=keeps_copies(recipe.index_dir))
    except Problem as problem:
        if problem.code == "cancelled":
            raise
        return None


def _shared_cache(
    settings: Settings, budget: Budget, on_progress: Callable[[Progress], None] = lambda _: None
) -> SharedCache:
    from repo_mcp.remote.publish import PRIVATE, FolderObjects, SharedCache  # noqa: PLC0415 see above

    objects = FolderObjects(settings.index_cache, PRIVATE)
    return SharedCache(objects, settings.index_cache_bytes, budget, on_progress)


def _lends(settings: Settings) -> bool:
    return settings.index_share == _ALWAYS or has_worktrees(settings.root)


def _shared_local_index(settings: Settings, manager: IndexManager, recipe: Recipe) -> LocalIndex:
    """The index as other checkouts of this machine see it: those with other keys see none."""
    local = _local_index(settings, manager, recipe)
    trust = sorted(settings.index_trust)
    return local._replace(recipe={**local.recipe, **({"index_trust": str(trust)} if trust else {})})


def _siblings(settings: Settings, manager: IndexManager) -> Iterator[LocalIndex]:
    """The indexes of other worktrees, in their usual data folders; they are only read."""
    signature = signature_of(settings, manager.languages)
    for root in git.GitHistory(settings.root).worktrees():
        data = usual_data_folder(root)
        folder = IndexFolder(data, signature).path
        if _is_lent(folder, manager.index_dir):
            theirs = replace(settings, root=root, data_dir=data, real_root="")
            yield _shared_local_index(theirs, manager, Recipe.of(theirs, folder).near())


def _is_lent(folder: str, own: str) -> bool:
    """True if a worktree has an index in this folder, behind no link and of the owner of `own`."""
    with suppress(OSError):
        found = os.lstat(folder)
        is_there = stat.S_ISDIR(found.st_mode) and os.path.realpath(folder) == folder
        return is_there and found.st_uid == os.stat(own).st_uid
    return False


def audit_segments(
    settings: Settings,
    manager: IndexManager,
    sandbox: Sandbox,
    count: int,
    seed: int,
    budget: Budget,
) -> Iterator[SegmentVerdict]:
    """Rebuild so many segments from the files, chosen by the seed, and compare their names."""
    from repo_mcp.indexing.keep.segment_audit import SegmentAudit  # noqa: PLC0415 rarely used

    if manager.snapshot() is None:
        raise Problem("index_missing")
    return SegmentAudit(settings, sandbox, manager.index_dir).run(count, seed, budget)


def recipe_of(settings: Settings, manager: IndexManager) -> Mapping[str, str]:
    """A digest of each part of settings and format that decides what an index holds."""
    from repo_mcp.remote.publish import digest  # noqa: PLC0415 see above

    parts = {
        "version of the format": [FORMAT_VERSION, *FIELDS],
        **signature_parts(settings, manager.languages),
    }
    return {name: digest(part) for name, part in parts.items()}


def _local_index(settings: Settings, manager: IndexManager, recipe: Recipe) -> LocalIndex:
    import shutil  # noqa: PLC0415 a search loads this module, and publishes nothing

    from repo_mcp.remote.publish import LocalIndex  # noqa: PLC0415 see above

    history = git.GitHistory(recipe.root)
    denylist = Denylist(settings.deny_globs, settings.entries)
    return LocalIndex(
        cache(recipe.store),
        signature_of(settings, manager.languages),
        recipe_of(settings, manager),
        history.head(),
        history.ancestors,
        lambda path: bool(denylist.rule(path)),
        is_here=history.has,
        relatives=history.relatives,
        room=shutil.disk_usage(recipe.index_dir).free,
    )

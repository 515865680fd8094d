"""Checks the repository: folder, settings, data folder, index, watching."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import index_format
from repo_mcp.cli.doctor.finding import DoctorFinding, fail, ok, warn
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from repo_mcp.stored import INDEX_FOLDER, TEXT_INDEX, StoredKind
from repo_mcp.text.plurals import counted

if TYPE_CHECKING:
    from index_format import Snapshot, Store

_LOW_SPACE: Final = 1 << 30
_WATCHES: Final = Path("/proc/sys/fs/inotify/max_user_watches")
_INDEX: Final = "run `repo-mcp index`"
_REPAIR: Final = "run `repo-mcp check --repair`"


def checks(given: Options) -> Iterator[DoctorFinding]:
    """All findings about the repository."""
    try:
        parts = services(given)
    except Problem as problem:
        yield fail("repository", f"{given.repo_root}: {problem.reason}", problem.hint)
        return
    yield _root(given, parts)
    for note in parts.settings.notes:
        yield warn("settings", note, "correct it; `repo-mcp config` shows the effective settings")
    yield _data_folder(Path(parts.settings.data_dir))
    yield from _index(parts)
    yield from _derived(parts)
    yield from _imported(parts)
    yield from _watching(parts)
    yield from _encoder(parts)


def _encoder(parts: Services) -> Iterator[DoctorFinding]:
    """The encoder of functions, and why it can't be used."""
    chosen = parts.settings.function_encoder
    if not chosen:
        yield ok("function encoder", "none: words and the built-in vectors find functions")
        return
    from repo_mcp.vectors.function_encoder import open_function_encoder  # noqa: PLC0415 few have one

    try:
        yield ok("function encoder", f"{open_function_encoder(chosen).name}, {chosen}")
    except Problem as problem:
        yield fail("function encoder", problem.reason, problem.hint)


def _imported(parts: Services) -> Iterator[DoctorFinding]:
    """Problems that keep imported indexes from being used."""
    if not parts.manager.has_scip:
        return
    from code_graph.scip.report import describe_limits  # noqa: PLC0415 few import indexes

    found = parts.manager.imported()
    if found is None:
        return  # nothing has been linked yet
    limits = [*describe_limits(found)]
    for line in limits:
        yield warn("imported index", line, "`repo-mcp scip status` shows what is in use")
    if not limits:
        yield ok("imported index", f"{found.documents} documents are in use")


def _root(given: Options, parts: Services) -> DoctorFinding:
    sources = [item.source for item in given.assignments if item.name == "repo_root"]
    why = sources[-1] if sources else "found from the current folder"
    if given.mounts:
        listed = ", ".join(f"{root.name}={root.path}" for root in given.mounts)
        return ok("repository", f"{counted(len(given.mounts), 'root')}: {listed}")
    return ok("repository", f"{parts.settings.shown_root} ({why})")


def _data_folder(folder: Path) -> DoctorFinding:
    """Check write permission and free space, without writing."""
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(nearest, os.W_OK | os.X_OK):
        todo = "give write permission, or use another folder with --data-dir"
        return fail("data folder", f"{folder} can't be written to", todo)
    free = shutil.disk_usage(nearest).free
    if free < _LOW_SPACE:
        todo = "free some space, or use another folder with --data-dir"
        return warn("data folder", f"{folder}: {free >> 20} MB are free", todo)
    state = "" if folder.exists() else ", created with the index"
    return ok("data folder", f"{folder}{state}: {free >> 30} GB are free")


def _index(parts: Services) -> Iterator[DoctorFinding]:
    """The state of the index, and whether its files have the expected length."""
    try:
        state = parts.manager.state()
        snapshot = parts.manager.snapshot()
    except Problem as problem:
        yield fail("index", problem.reason, "run `repo-mcp check`")
        return
    folder = Path(parts.manager.index_dir) / INDEX_FOLDER
    if snapshot is None:
        yield _without_index(folder)
        return
    text = f"{state.status}, {state.files} files, generation {state.generation}, last refresh"
    line = f"{text} {state.last_refresh or 'never'}"
    short = sum(
        _damaged_files(part, TEXT_INDEX, found)
        for part in parts.manager.parts.values()
        if (found := part.snapshot()) is not None
    )
    if short:
        yield fail("index", f"{counted(short, 'damaged file')}", _REPAIR)
    elif state.status == "partial" or state.shallow:
        yield warn("index", f"{line}; incomplete", _INDEX)
    else:
        yield ok("index", f"{line} (`repo-mcp check` reads all of it)")


def _without_index(folder: Path) -> DoctorFinding:
    """The reason that there is no usable index."""
    from repo_mcp.stored import SCHEMA  # noqa: PLC0415 as above

    wait = "the first search has to wait for it"
    try:
        if not folder.is_dir():
            return warn("index", f"none: {wait}", _INDEX)
        index_format.Index(index_format.FileStore(folder, create=False), SCHEMA).snapshot()
    except index_format.IndexMissingError:
        return warn("index", f"none: {wait}", _INDEX)
    except index_format.UnsupportedVersionError as error:
        return warn("index", f"made by another version ({error}): {wait}", _INDEX)
    except index_format.SegmentLostError:  # they may be shared with other checkouts
        pass
    except index_format.IndexFormatError as error:
        return fail("index", f"damaged: {error}", _REPAIR)
    return warn("index", f"made for other settings, or in another place: {wait}", _INDEX)


def _derived(parts: Services) -> Iterator[DoctorFinding]:
    """The indexes made from it: whether they can be opened, and have files of the right length."""
    try:
        indexes = parts.manager.stored.summarise(parts.manager.snapshot())
    except Problem as problem:
        yield fail("index", problem.reason, "run `repo-mcp check`")
        return
    for index in indexes:
        title, snapshot = index.kind.title, index.snapshot
        if snapshot is None:
            yield fail(title, f"damaged: {index.problem}", _REPAIR)
            continue
        short = _damaged_files(parts.manager, index.kind, snapshot)
        line = f"{index.files} files, generation {snapshot.generation}"
        if short:
            yield fail(title, f"{counted(short, 'damaged file')}", _REPAIR)
        elif index.is_current is None:
            yield ok(title, line)
        elif index.is_current:
            yield ok(title, f"ready, {line}")
        else:
            yield ok(title, f"{line}; it follows {index.kind.source} when its tools are served")


def _damaged_files(manager: Indexes, kind: StoredKind, snapshot: Snapshot) -> int:
    store = manager.recipe_of_workers.store(kind, create=False)
    entries = snapshot.manifest.segments
    return sum(_length(store, entry.name) != entry.length for entry in entries)


def _length(store: Store, name: str) -> int:
    try:
        with closing(store.open(name)) as handle:
            return handle.size
    except index_format.IndexFormatError:
        return -1


def _watching(parts: Services) -> Iterator[DoctorFinding]:
    """True if the system's watch limit is enough for all folders."""
    if not parts.settings.watch:
        yield ok("watching", "turned off: changed files are found by walking the folders")
        return
    if sys.platform != "linux":
        return
    try:
        most = int(_WATCHES.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return
    snapshot = parts.manager.snapshot()
    folders = len({path.rpartition("/")[0] for path in snapshot.paths()}) if snapshot else 0
    if most < folders * 2:
        yield warn(
            "watching",
            f"the system limit is {most} folders for all programs, {folders} are indexed here:"
            " changed files may be found only by walking the folders",
            "raise the limit: `sudo sysctl fs.inotify.max_user_watches=1048576`",
        )
    else:
        here = f"{folders} folders are indexed, " if folders else ""
        yield ok("watching", f"{here}the system's limit is {most}")

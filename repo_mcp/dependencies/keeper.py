"""Opens installed packages as roots beside those of a project.

The index of a package is in a folder that a fingerprint of its content names, below the user's
cache: all projects with the same package have it in common. It is made once, and no walk looks for
changes later.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

import xxhash

from code_graph.language import LanguageChoice
from code_graph.language_table import DOCUMENTATION
from code_graph.projects.model import ProjectKind
from index_format.records import replace
from repo_mcp.budget import Clock
from repo_mcp.dependencies.catalog import Packages
from repo_mcp.dependencies.package import InstalledPackage
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.fixed_index import FixedIndex
from repo_mcp.indexing.keep.unused_indexes import mark_used
from repo_mcp.indexing.walk.walk import FOREIGN_FOLDERS
from repo_mcp.model import AnswerWarning, RequestLimits, Settings
from repo_mcp.processes.pool import ProcessStock
from repo_mcp.repository import OpenedRoot
from repo_mcp.safety.sandbox import Door, Sandbox
from repo_mcp.settings.workspace_roots import WorkspaceRoot
from repo_mcp.workspace.keeper import OpenedRoots, WorkspaceKeeper

# the folder of a package's index: a name that people can read, and the hash of its content
_FOLDER: Final = "{ecosystem}/{name}-{version}-{digest}"
_UNSAFE: Final = re.compile(r"[^\w.+@-]+")
_LONGEST_NAME: Final = 80
# assemblies of frameworks have some megabytes of documentation
_MOST_DOCUMENTATION: Final = 32 << 20
# a library of one file is larger than what people write in a repository; packages of others have
# files that a program has put together
_MOST_SOURCE: Final = 4 << 20
_AS_WRITTEN: Final = frozenset({ProjectKind.MAVEN, ProjectKind.GO, ProjectKind.CARGO})
# the form of a fingerprint, and which files it is made of
_FINGERPRINT_VERSION: Final = 1


class PackageKeeper(WorkspaceKeeper):
    """The packages of a project, and the roots of the project itself; thread-safe."""

    def __init__(
        self,
        packages: Packages,
        project: Mapping[str, WorkspaceRoot],
        open_project: Callable[[str], OpenedRoot],
        settings: Settings,
        folder: str,
        clock: Clock = time.monotonic,
        stock: ProcessStock | None = None,
    ) -> None:
        """Open nothing yet.

        `open_project` gives a root of the project, which its own keeper closes. `settings` are the
        user's alone; the indexes of packages are below `folder`.
        """
        self.packages = packages
        self._project = project
        self._open_project = open_project
        self._settings = settings
        self._folder = folder
        self._clock = clock
        self._stock = stock
        roots = [
            WorkspaceRoot(mount, package.folder, package.folder)
            for mount, package in packages.by_mount.items()
        ]
        super().__init__(roots, self._open_package)
        self.roots |= project

    def open(self, names: Collection[str]) -> OpenedRoots:
        """The folders that are at these roots now; raises a `Problem` if there is none."""
        opened: dict[str, OpenedRoot] = {}
        faults: dict[str, Problem] = {}
        for name in names:
            if name in self._project:
                try:
                    opened[name] = self._open_project(name)
                except Problem as problem:
                    faults[name] = problem.with_traceback(None)
        mounts = [name for name in names if name not in self._project]
        if not mounts:
            return OpenedRoots(opened, faults)
        found = super().open(mounts)
        return OpenedRoots({**opened, **found.opened}, {**faults, **found.faults})

    def take_warnings(self, names: Collection[str]) -> Iterator[AnswerWarning]:
        """Warnings of packages that were replaced."""
        return super().take_warnings([name for name in names if name not in self._project])

    def indexed(self) -> Sequence[str]:
        """The packages of which some version of the same name has an index, as folders tell."""
        there: dict[str, set[str]] = {}
        found = []
        for mount, package in self.packages.by_mount.items():
            above, _, name = self.data_folder(package, "").rpartition(os.sep)
            if above not in there:
                there[above] = {item.rpartition("-")[0] for item in _names_in(above)}
            if name.removesuffix("-") in there[above]:
                found.append(mount)
        return found

    def _open_package(self, root: WorkspaceRoot, door: Door) -> OpenedRoot:
        package = self.packages.by_mount[root.name]
        settings = package_settings(self._settings, package)
        sandbox = Recipe.of(settings).sandbox(door)
        data = self.data_folder(package, _fingerprint_of(package, sandbox))
        settings = replace(settings, data_dir=data)
        manager = FixedIndex(settings, sandbox, self._clock, stock=self._stock)
        mark_used(data, self._folder, settings.index_cache_bytes)
        refresh = BackgroundRefresh(manager, None, self._clock)
        return OpenedRoot(settings, sandbox, manager, refresh)

    def data_folder(self, package: InstalledPackage, digest: str) -> str:
        """The folder of a package's index."""
        readable = {
            name: _UNSAFE.sub("+", value)[:_LONGEST_NAME]
            for name, value in zip(package.__match_args__, package, strict=True)
            if isinstance(value, str)
        }
        return os.path.join(self._folder, *_FOLDER.format(**readable, digest=digest).split("/"))


def package_settings(given: Settings, package: InstalledPackage) -> Settings:
    """The settings of a package's index: the user's, without any of the project's own."""
    if package.ecosystem == ProjectKind.DOTNET:  # it has documentation in the place of code
        documented = LanguageChoice(extensions=((".xml", DOCUMENTATION),))
        limits = replace(given.limits, max_file_bytes=_MOST_DOCUMENTATION)
        given = replace(given, languages=documented, limits=limits)
    elif package.ecosystem in _AS_WRITTEN:
        given = replace(given, limits=limits_of_sources(given.limits))
    return replace(
        given,
        root=package.folder,
        real_root=package.folder,
        entries=package.entries,
        include_extensions=(),
        exclude_globs=(),
        allow_hardlinks=True,
        watch=False,
        scip=(),
        embedding_model=None,
        ranks_by_meaning=False,
        function_encoder="",
        index_from="",
        index_cache="",
        notes=(),
    )


def limits_of_sources(given: RequestLimits) -> RequestLimits:
    """The limits with which sources of packages are read."""
    return replace(given, max_file_bytes=max(given.max_file_bytes, _MOST_SOURCE))


def _names_in(folder: str) -> Sequence[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return ()


def _fingerprint_of(package: InstalledPackage, sandbox: Sandbox) -> str:
    """The hash of name, version, and the paths and sizes of all files.

    Contents are not read: a package manager that changes a file changes the version, and an edit
    by hand nearly always the size.
    """
    found = xxhash.xxh3_128()
    head = (str(_FINGERPRINT_VERSION), package.ecosystem, package.name, package.version)
    for part in (*head, *(f"{path}\t{size}" for path, size in _sizes_in(sandbox, ""))):
        found.update(part.encode("utf-8", "surrogatepass") + b"\0")
    return found.hexdigest()


def _sizes_in(sandbox: Sandbox, folder: str) -> Iterator[tuple[str, int]]:
    try:
        listed = sandbox.list_folder(folder)
    except Problem:
        return
    for entry in listed.entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        if entry.kind == "folder":
            if entry.name not in FOREIGN_FOLDERS and not sandbox.is_denied(path, folder=True):
                yield from _sizes_in(sandbox, path)
        elif entry.key is not None and not sandbox.is_denied(path):
            yield path, entry.key.size

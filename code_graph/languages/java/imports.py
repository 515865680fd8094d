"""Resolution of qualified names of Java and Kotlin to files, by the folders of packages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from code_graph.projects.catalog import Projects
from code_graph.projects.model import MISSING, ImportOutcome, ProjectKind, Resolution
from code_graph.projects.tree import (
    Probe,
    Table,
    ancestors,
    below,
    parent,
    shared_depth,
)

_FILES: Final = (".java", ".kt", ".groovy", ".scala")
_KINDS: Final = (ProjectKind.GRADLE, ProjectKind.MAVEN)
_MAX_PARTS: Final = 40
# where package folders begin if no manifest says it
_LANGUAGE_FOLDERS: Final = frozenset({"java", "kotlin", "groovy", "scala"})
_SOURCE_FOLDERS: Final = frozenset({"src", "source", "sources", "test", "tests"})
_DOMAINS: Final = frozenset(
    {"androidx", "com", "de", "dev", "edu", "gov", "io", "jakarta", "java", "javax", "kotlin"}
    | {"kotlinx", "net", "org", "scala"}
)


class JvmTypes:
    """Files and packages by qualified name; `tables` are what answers depend on beside paths."""

    def __init__(self, projects: Projects) -> None:
        self._roots = {
            root: None
            for project in projects.all
            if project.kind in _KINDS
            for root in project.source_roots
        }
        folders: dict[str, list[str]] = {}
        types: dict[str, list[str]] = {}
        packages: dict[str, str] = {}
        homes: dict[str, str] = {}
        for folder, names in projects.tree.folders_with_files():
            stems = [name.rpartition(".")[0] for name in names if name.endswith(_FILES)]
            if not stems:
                continue
            package = self._package(folder)
            folders.setdefault(package, []).append(folder)
            packages[folder] = package
            project = projects.of_kind(below(folder, "_"), _KINDS)
            homes[folder] = project.id if project is not None else ""
            for name in names:
                if name.endswith(_FILES):
                    qualified = below(package.replace(".", "/"), name.rpartition(".")[0])
                    types.setdefault(qualified.replace("/", "."), []).append(below(folder, name))
        self._folders = Table("jvm-package", {key: tuple(sorted(v)) for key, v in folders.items()})
        self._types = Table("jvm-type", {key: tuple(sorted(v)) for key, v in types.items()})
        references = {one.id: one.references for one in projects.all if one.kind in _KINDS}
        self._references = Table("jvm-project", references)
        # the package and the project of each folder with sources
        self._packages = Table("jvm-name", packages)
        self._homes = Table("jvm-home", homes)
        self.tables: tuple[Table[Any], ...] = (
            self._folders,
            self._types,
            self._references,
            self._packages,
            self._homes,
        )

    def _package(self, folder: str) -> str:
        """The package that files of a folder are in, by the source root around it."""
        for one in ancestors(folder):
            if one in self._roots:
                return folder[len(one) :].strip("/").replace("/", ".")
        steps = folder.split("/") if folder else []
        for at in range(len(steps) - 1, -1, -1):
            if steps[at] in _LANGUAGE_FOLDERS and (at + 1 == len(steps) or at > 0):
                return ".".join(steps[at + 1 :])
        start = next((at for at, step in enumerate(steps) if step in _DOMAINS), None)
        if start is None:
            known = [at + 1 for at, step in enumerate(steps) if step in _SOURCE_FOLDERS]
            start = known[-1] if known else 0
        return ".".join(steps[start:])

    def package_of(self, path: str, probe: Probe) -> str:
        """The package that the folder of a file stands for."""
        return probe.value(self._packages, parent(path)) or ""

    def folders_of(self, package: str, probe: Probe) -> Sequence[str]:
        """The folders with files of a package, sorted."""
        return probe.value(self._folders, package) or ()

    def find(self, name: str, from_path: str, probe: Probe) -> Resolution:
        """The file of the type that a qualified name begins with, and the rest of the name.

        A folder with a rest is that of the package which something of no file of its own is in.
        """
        parts = name.split(".", _MAX_PARTS)
        if len(parts) > _MAX_PARTS or "" in parts:
            return MISSING
        for count in range(len(parts), 0, -1):
            files = probe.value(self._types, ".".join(parts[:count]))
            if files:
                rest = ".".join(parts[count:])
                return Resolution(
                    ImportOutcome.FILE, self._best(files, from_path, probe), rest=rest
                )
        folders = probe.value(self._folders, name)
        if folders:
            return Resolution(ImportOutcome.FOLDER, self._best(folders, from_path, probe))
        return self._member(parts, from_path, probe)

    def _member(self, parts: Sequence[str], from_path: str, probe: Probe) -> Resolution:
        """The package of a name that has no file of its own, such as a function of Kotlin."""
        for count in range(len(parts) - 1, max(len(parts) - 3, 0), -1):
            folders = probe.value(self._folders, ".".join(parts[:count]))
            if folders:
                rest = ".".join(parts[count:])
                return Resolution(
                    ImportOutcome.FOLDER, self._best(folders, from_path, probe), rest=rest
                )
        return Resolution(ImportOutcome.EXTERNAL, package=".".join(parts[:-1]))

    def _best(self, paths: Sequence[str], from_path: str, probe: Probe) -> str:
        """The best of several files: in the same project, in its dependencies, or nearest."""
        if len(paths) == 1:
            return paths[0]
        own = probe.value(self._homes, parent(from_path)) or ""
        used = probe.value(self._references, own) or () if own else ()

        def rank(path: str) -> tuple[int, int, str]:
            home = probe.value(self._homes, path if path in self._packages.values else parent(path))
            place = 0 if own and home == own else 1 if home in used else 2
            return place, -shared_depth(path, from_path), path

        return min(paths, key=rank)

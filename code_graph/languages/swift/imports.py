"""Resolution of Swift modules to folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from code_graph.projects.catalog import Projects
from code_graph.projects.model import MISSING, ImportOutcome, ProjectKind, Resolution
from code_graph.projects.tree import (
    PathTree,
    Probe,
    Table,
    ancestors,
    below,
    parent,
    shared_depth,
)

_SOURCES: Final = ("Sources", "Source", "Tests")


class SwiftModules:
    """Targets of a tree by module name; `tables` are what answers depend on beside paths."""

    def __init__(self, projects: Projects) -> None:
        found: dict[str, set[str]] = {}
        by_root: dict[str, str] = {}
        for project in projects.all:
            for target in project.targets if project.kind is ProjectKind.SWIFT else ():
                name = _module_name(target.name)
                found.setdefault(name, set()).add(target.root)
                by_root.setdefault(target.root, name)
        swift = {
            folder: tuple(files)
            for folder, names in projects.tree.folders_with_files()
            if (files := [below(folder, name) for name in names if name.endswith(".swift")])
        }
        for root in sorted(_app_targets(projects.tree, swift)):
            name = _module_name(root.rpartition("/")[2])
            if not any(one in by_root for one in ancestors(root)):
                found.setdefault(name, set()).add(root)
                by_root[root] = name
        self._names = Table("swift-module", {name: tuple(sorted(v)) for name, v in found.items()})
        self._roots = Table("swift-target", by_root)
        self._files = Table("swift-files", _by_target(by_root, swift))
        self.tables: tuple[Table[Any], ...] = (self._names, self._roots, self._files)

    def module_of(self, path: str, probe: Probe) -> str:
        """The module that a file is compiled into; by its folder if no manifest says it."""
        folder = parent(path)
        for one in ancestors(folder):
            name = probe.value(self._roots, one)
            if name is not None:
                return name
        steps = folder.split("/") if folder else []
        for at in range(len(steps) - 1):
            if steps[at] in _SOURCES:
                return _module_name(steps[at + 1])
        return _module_name(steps[0]) if steps else ""

    def files_of(self, folder: str, probe: Probe) -> Sequence[str]:
        """The files of the target of this folder, sorted."""
        return probe.value(self._files, folder) or ()

    def find(self, module: str, from_path: str, probe: Probe) -> Resolution:
        """The folder of a module; of several that nearest to the importing file."""
        name = module.partition(".")[0]
        if not name:
            return MISSING
        roots = probe.value(self._names, name)
        if not roots:
            return Resolution(ImportOutcome.EXTERNAL, package=name)
        nearest = max(roots, key=lambda root: shared_depth(root, from_path))
        return Resolution(ImportOutcome.FOLDER, nearest, rest=module[len(name) + 1 :])


def _app_targets(tree: PathTree, swift: Iterable[str]) -> Iterator[str]:
    """Folders with sources beside a project of Xcode: each is usually a target of its name."""
    holders = {parent(folder) for folder in tree.folders if folder.endswith(".xcodeproj")}
    for folder in swift if holders else ():
        for one in ancestors(folder):
            if one and parent(one) in holders:
                yield one


def _module_name(target: str) -> str:
    """A target's name as imports write it."""
    plain = "".join(mark if mark.isalnum() or mark == "_" else "_" for mark in target)
    return f"_{plain}" if plain[:1].isdigit() else plain


def _by_target(
    roots: dict[str, str], files: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """The files below the root of each target, those of targets in it left out."""
    found: dict[str, list[str]] = {}
    for folder, paths in files.items():
        root = next((one for one in ancestors(folder) if one in roots), None)
        if root is not None:
            found.setdefault(root, []).extend(paths)
    return {root: tuple(sorted(paths)) for root, paths in found.items()}

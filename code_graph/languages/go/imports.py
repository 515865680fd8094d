"""Resolution of Go import paths to folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from code_graph.paths.installed import INSTALLED, is_package
from code_graph.projects.catalog import Projects
from code_graph.projects.model import MISSING, ImportOutcome, ProjectKind, Resolution
from code_graph.projects.tree import Probe, Table, ancestors, below, join, parent

_MAX_PARTS: Final = 60


class GoPackages:
    """Modules of a tree by their paths; answers depend on paths and on `tables`."""

    def __init__(self, projects: Projects) -> None:
        manifests = [one for one in projects.manifests if one.kind is ProjectKind.GO]
        modules: dict[str, tuple[str, ...]] = {}
        for manifest in manifests:
            if manifest.is_project:
                modules[manifest.name] = (*modules.get(manifest.name, ()), manifest.folder)
        folders = [folder for folder, _ in projects.tree.folders_with_files()]
        installed = _installed(folders)
        for mount, module in installed.items():
            known = modules.get(module, ())
            if mount not in known:
                modules[module] = (*known, mount)
        self._versions = projects.versions
        # the module, or else the workspace, that files of a folder belong to
        self._modules = Table("go-module", modules)
        self._replaced = Table(
            "go-replace", {one.folder: dict(one.replaced) for one in manifests if one.replaced}
        )
        self._roots = Table(
            "go-root",
            {**installed, **{one.folder: one.name for one in manifests if one.is_project}},
        )
        self._files = Table(
            "go-files",
            {
                folder: files
                for folder, names in projects.tree.folders_with_files()
                if (files := tuple(name for name in names if name.endswith(".go")))
            },
        )
        self.tables: tuple[Table[Any], ...] = (
            self._modules,
            self._replaced,
            self._roots,
            self._files,
        )

    def package_of(self, path: str, probe: Probe) -> str:
        """The import path of a file's package; its folder if that is in no module."""
        folder = parent(path)
        for one in ancestors(folder):
            module = probe.value(self._roots, one)
            if module is not None:
                return below(module, folder[len(one) :].strip("/"))
        return folder

    def files_of(self, folder: str, probe: Probe) -> Sequence[str]:
        """The paths of the Go files of a package, sorted, its tests among them."""
        return [below(folder, name) for name in probe.value(self._files, folder) or ()]

    def find(self, import_path: str, from_path: str, probe: Probe) -> Resolution:
        """The folder of an imported package."""
        steps = import_path.split("/", _MAX_PARTS)
        if not import_path or len(steps) > _MAX_PARTS or "" in steps:
            return MISSING
        folder = parent(from_path)
        if steps[0] in (".", ".."):
            where = join(folder, import_path)
            return self._package(where, probe) if where is not None else MISSING
        found = self._in_replaced(import_path, folder, probe)
        found = found or self._in_modules(steps, folder, probe)
        return found or self._vendored(import_path, folder, probe)

    def _in_replaced(self, import_path: str, folder: str, probe: Probe) -> Resolution | None:
        """The package in the folder that a manifest puts in the place of its module.

        A folder that is not here says nothing: the module may be a root of its own.
        """
        for one in ancestors(folder):
            replaced = probe.value(self._replaced, one) or {}
            for module in sorted(replaced, key=len, reverse=True):
                if import_path == module or import_path.startswith(f"{module}/"):
                    target = replaced[module]
                    found = self._package(below(target, import_path[len(module) :][1:]), probe)
                    if found is not MISSING or probe.value(self._roots, target) is not None:
                        return found
        return None

    def _in_modules(self, steps: Sequence[str], folder: str, probe: Probe) -> Resolution | None:
        """The package in the module whose path is the longest beginning of the import path."""
        for count in range(len(steps), 0, -1):
            roots = probe.value(self._modules, "/".join(steps[:count]))
            if roots is None:
                continue
            chosen = self._versions.choose(ProjectKind.GO, roots, folder, probe) or roots[:1]
            found = [
                self._package("/".join(filter(None, (root, *steps[count:]))), probe)
                for root in chosen
            ]
            there = [one for one in found if one.path] or found
            return there[0]._replace(others=tuple(one.path for one in there[1:]))
        return None

    def _vendored(self, import_path: str, folder: str, probe: Probe) -> Resolution:
        if "." in import_path.partition("/")[0]:
            for one in ancestors(folder):
                is_root = not one or probe.value(self._roots, one) is not None
                where = below(below(one, "vendor"), import_path)
                if is_root and self._package(where, probe).path:
                    return Resolution(ImportOutcome.FOLDER, where)
        return Resolution(ImportOutcome.EXTERNAL, package=import_path)

    def _package(self, folder: str, probe: Probe) -> Resolution:
        folder = folder.rstrip("/")
        files = probe.value(self._files, folder)
        return Resolution(ImportOutcome.FOLDER, folder) if files else MISSING


def _installed(folders: Iterable[str]) -> Mapping[str, str]:
    """The modules in folders of installed packages, by the names that manifests ask for them.

    Old modules have no manifest, and that of a replacement has another name.
    """
    mounts = dict.fromkeys(folder.partition("/")[0] for folder in folders if is_package(folder))
    return {
        mount: mount.removeprefix(INSTALLED).partition("@")[0].replace("+", "/") for mount in mounts
    }

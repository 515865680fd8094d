"""Resolution of `mod` items and paths of Rust to files, by crates and the layout of modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from code_graph.projects.catalog import Projects
from code_graph.projects.manifests.cargo import FIRST_EDITION
from code_graph.projects.model import (
    MISSING,
    ImportOutcome,
    ProjectKind,
    ProjectManifest,
    Resolution,
)
from code_graph.projects.tree import Probe, Table, ancestors, below, join, parent
from index_format.tuples import NamedTuple

_MAX_PARTS: Final = 40
_MAIN_STEMS: Final = frozenset({"lib", "main", "mod"})


class _Crate(NamedTuple):
    """A package of Cargo as its files see it."""

    name: str
    library: str
    # names of crates and the packages that they are renamed from
    aliases: tuple[tuple[str, str], ...]
    # of the edition of 2015
    is_first: bool


class RustModules:
    """Crates and modules of a tree; `tables` are what answers depend on beside paths."""

    def __init__(self, projects: Projects) -> None:
        crates = [one for one in projects.all if one.kind is ProjectKind.CARGO]
        manifests = {one.path: one for one in projects.manifests}
        libraries: dict[str, tuple[str, ...]] = {}
        self._versions = projects.versions
        packages: dict[str, _Crate] = {}
        mains: dict[str, str] = {}
        for project in sorted(crates, key=lambda one: (one.root.count("/"), one.root)):
            library = next((one for one in project.targets if one.kind == "library"), None)
            manifest = manifests.get(project.manifest)
            aliases = tuple(sorted(_aliases(manifest).items()))
            path = library.path if library is not None else ""
            is_first = manifest is not None and manifest.details == FIRST_EDITION
            packages[project.root] = _Crate(project.name, path, aliases, is_first)
            if library is not None:
                names = (one.replace("-", "_") for one in (library.name, project.name))
                for name in dict.fromkeys(names):
                    libraries[name] = (*libraries.get(name, ()), path)
            mains.update((target.path, target.name) for target in project.targets if target.path)
        self._libraries = Table("rust-library", libraries)
        self._packages = Table("rust-package", packages)
        # main files of crates: their `mod` items mean files beside them
        self._mains = Table("rust-main", mains)
        self.tables: tuple[Table[Any], ...] = (self._libraries, self._packages, self._mains)

    def module_file(
        self,
        name: str,
        from_path: str,
        probe: Probe,
        *,
        inline: Sequence[str] = (),
        path_attribute: str = "",
    ) -> Resolution:
        """The file of `mod name;`, which may stand in inline modules or have a `path` attribute."""
        folder = self._inner_folder(from_path, probe)
        if path_attribute:
            # relative to the file, or to the folder of the inline modules around it
            start = "/".join(filter(None, (folder, *inline))) if inline else parent(from_path)
            where = join(start, path_attribute.replace("\\", "/"))
            found = where is not None and probe.file(where)
            return Resolution(ImportOutcome.FILE, where) if found and where is not None else MISSING
        base = "/".join(filter(None, (folder, *inline, name)))
        for option in (f"{base}.rs", f"{base}/mod.rs"):
            if probe.file(option):
                return Resolution(ImportOutcome.FILE, option)
        return MISSING

    def _inner_folder(self, path: str, probe: Probe) -> str:
        """The folder of the files of modules that a file declares."""
        folder, stem = parent(path), path.rpartition("/")[2].removesuffix(".rs")
        if stem in _MAIN_STEMS or probe.value(self._mains, path) is not None:
            return folder
        return below(folder, stem)

    def module_of(self, path: str, probe: Probe) -> str:
        """The path of a file's module in its crate, e.g. `serde::de::value`."""
        if path.rpartition("/")[2] == "main.rs":
            return "main"
        main, name = self._main_of(path, probe)
        if path == main:
            return name
        inner = path[len(parent(main)) :].strip("/").removesuffix(".rs").removesuffix("/mod")
        return "::".join([name, *inner.split("/")])

    def _main_of(self, path: str, probe: Probe) -> tuple[str, str]:
        """The main file of the crate around a file and the crate's name, by where the files are."""
        name = probe.value(self._mains, path)
        if name is not None:
            return path, name.replace("-", "_")
        for folder in ancestors(parent(path)):
            for stem in ("lib.rs", "main.rs"):
                name = probe.value(self._mains, below(folder, stem))
                if name is not None:
                    return below(folder, stem), name.replace("-", "_")
            crate = probe.value(self._packages, folder)
            if crate is not None:
                return crate.library or below(folder, "src/lib.rs"), crate.name.replace("-", "_")
        return below(parent(path), "lib.rs"), "crate"

    def find(self, path: str, from_path: str, probe: Probe) -> Resolution:
        """The file of the innermost module of its own file on a path, and the rest of the path.

        The path may begin with `crate`, `self`, `super` or the name of a crate. Inline modules,
        `path` attributes and re-exports are known to the caller alone: they are part of the rest.
        """
        steps = path.removeprefix("::").split("::", _MAX_PARTS)
        if len(steps) > _MAX_PARTS or "" in steps:
            return MISSING
        start, rest = self._start(steps, from_path, probe)
        if start is None:
            return Resolution(ImportOutcome.EXTERNAL, package=steps[0])
        if not start or not probe.file(start):
            return MISSING
        at = start
        while rest:
            found = self.module_file(rest[0], at, probe)
            if found.outcome is not ImportOutcome.FILE:
                break
            at, rest = found.path, rest[1:]
        others = self._libraries_of(steps[0], from_path, probe)[1:] if len(steps) == 1 else ()
        return Resolution(ImportOutcome.FILE, at, rest="::".join(rest), others=tuple(others))

    def _start(
        self, steps: Sequence[str], from_path: str, probe: Probe
    ) -> tuple[str | None, Sequence[str]]:
        """The file that a path starts from, and the steps from there; None for another crate."""
        if steps[0] == "crate":
            return self._main_of(from_path, probe)[0], steps[1:]
        if steps[0] == "self":
            return from_path, steps[1:]
        if steps[0] == "super":
            at = from_path
            while steps and steps[0] == "super":
                at, steps = self._outer(at, probe), steps[1:]
            return at, steps
        libraries = self._libraries_of(steps[0], from_path, probe)
        if libraries:
            return libraries[0], steps[1:]
        if self.module_file(steps[0], from_path, probe).outcome is ImportOutcome.FILE:
            return from_path, steps
        main = self._main_of(from_path, probe)[0] if self._is_first(from_path, probe) else ""
        is_module = self.module_file(steps[0], main, probe).outcome is ImportOutcome.FILE
        return main if main and is_module else None, steps

    def _is_first(self, path: str, probe: Probe) -> bool:
        """True in a crate of the first edition, whose imports begin at the root of the crate."""
        crates = (probe.value(self._packages, folder) for folder in ancestors(parent(path)))
        return any(crate is not None and crate.is_first for crate in crates)

    def _outer(self, path: str, probe: Probe) -> str:
        """The file of the module around a file's module; empty for the crate's main file."""
        if not path or probe.value(self._mains, path) is not None:
            return ""
        folder, stem = parent(path), path.rpartition("/")[2].removesuffix(".rs")
        if stem == "mod":
            folder = parent(folder)
        for name in ("mod.rs", "lib.rs", "main.rs"):
            if probe.file(below(folder, name)):
                return below(folder, name)
        return f"{folder}.rs" if probe.file(f"{folder}.rs") else ""

    def _libraries_of(self, name: str, from_path: str, probe: Probe) -> Sequence[str]:
        """The main file of the library that a crate is called by in a file.

        Of several versions they are all of which nothing tells the right one.
        """
        for folder in ancestors(parent(from_path)):
            crate = probe.value(self._packages, folder)
            if crate is not None:
                name = dict(crate.aliases).get(name, name)
                break
        mains = probe.value(self._libraries, name.replace("-", "_")) or ()
        folder = parent(from_path)
        return self._versions.choose(ProjectKind.CARGO, mains, folder, probe) or mains[:1]


def _aliases(manifest: ProjectManifest | None) -> dict[str, str]:
    return dict(manifest.aliases) if manifest is not None else {}

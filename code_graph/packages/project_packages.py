"""The packages that manifests of projects make, and the packages that they declare to need."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from code_graph.packages.model import TreePackage
from code_graph.projects.catalog import Projects
from code_graph.projects.manifests.values import (
    folder_name,
    json_table,
    table_of,
    text_of,
    texts_of,
)
from code_graph.projects.model import ManifestError, Note, Project, ProjectKind, ProjectManifest
from code_graph.projects.tree import ancestors, below, shared_depth
from index_format.records import replace

_RUN: Final = re.compile(r"[-_.]+")
_WORD: Final = re.compile(r"[-_](\w)")
_NX: Final = "nx"
_NX_SETTINGS: Final = "nx.json"
_NX_PROJECT: Final = "project.json"


def project_packages(projects: Projects, notes: list[Note]) -> list[TreePackage]:
    """The packages of all projects, with those of Nx; what can't be read is added to the notes."""
    needs = _Needs(projects)
    packages = [needs.package(project) for project in projects.all if project.manifest]
    return [*_with_nx(projects, packages, notes)]


class _Needs:
    """Finds the projects that manifests name as their dependencies."""

    def __init__(self, projects: Projects) -> None:
        self._by_name: dict[tuple[ProjectKind, str], list[Project]] = defaultdict(list)
        self._by_place: dict[tuple[ProjectKind, str], Project] = {}
        for project in projects.all:
            self._by_name[project.kind, _plain(project.kind, project.name)].append(project)
            self._by_place[project.kind, _place(project.kind, project)] = project
        self._manifests: dict[tuple[ProjectKind, str], list[ProjectManifest]] = defaultdict(list)
        # the folder of each project of a build of Gradle by the names that it has in the build
        self._builds: dict[str, Mapping[str, str]] = {}
        for manifest in projects.manifests:
            place = manifest.path if manifest.kind is ProjectKind.DOTNET else manifest.folder
            self._manifests[manifest.kind, place].append(manifest)
            if manifest.kind is ProjectKind.GRADLE and manifest.aliases:
                named = {":": manifest.folder}
                for folder, name in manifest.aliases.items():
                    named[name] = named[_accessor(name)] = folder
                for folder in (manifest.folder, *manifest.aliases):
                    self._builds.setdefault(folder, named)
        # what the script of a build declares for projects inside
        self._configured: dict[str, list[str]] = defaultdict(list)
        for manifest in projects.manifests:
            for name, needs in manifest.configured.items():
                inside = self._folder(manifest.folder, name)
                if inside is not None:
                    self._configured[inside] += needs

    def package(self, project: Project) -> TreePackage:
        """A project as a package."""
        requires: dict[str, None] = {}
        outside: dict[str, None] = {}
        written = self._manifests[project.kind, _place(project.kind, project)]
        required = [(name, manifest.replaced) for manifest in written for name in manifest.requires]
        if project.kind is ProjectKind.GRADLE:
            required += [(name, {}) for name in self._configured[project.root]]
        for name, replaced in required:
            needed = self._needed(project, replaced, name)
            if needed is None:
                outside[name] = None
            elif needed.id != project.id:
                requires[needed.id] = None
        return TreePackage(
            project.id,
            project.kind.value,
            project.root,
            project.manifest,
            names=(project.name,) if project.name != project.id else (),
            short_names=tuple(_short_names(project.name)),
            requires=(*requires,),
            outside=(*outside,),
            targets=tuple(dict.fromkeys(target.name for target in project.targets)),
        )

    def _needed(self, user: Project, replaced: Mapping[str, str], name: str) -> Project | None:
        """The project that a dependency is; of several of one name the nearest."""
        kind = user.kind
        if kind is ProjectKind.DOTNET:
            return self._by_place.get((kind, name))
        if kind is ProjectKind.GRADLE:
            folder = self._folder(user.root, name)
            return None if folder is None else self._by_place.get((kind, folder))
        if name in replaced:
            return self._by_place.get((kind, replaced[name]))
        named = self._by_name.get((kind, _plain(kind, name)), ())
        return max(named, key=lambda project: shared_depth(project.root, user.root), default=None)

    def _folder(self, user: str, name: str) -> str | None:
        """The folder of a project of Gradle by its name in the build that a folder is of.

        A name that no settings list, as where a script computes these, is that of its usual folder.
        """
        known = self._builds.get(user, {}).get(name)
        if known is not None or not name.startswith(":"):
            return known
        usual = (below(at, name.strip(":").replace(":", "/")) for at in ancestors(user))
        return next((at for at in usual if (ProjectKind.GRADLE, at) in self._by_place), None)


def _place(kind: ProjectKind, project: Project) -> str:
    return project.manifest if kind is ProjectKind.DOTNET else project.root


def _plain(kind: ProjectKind, name: str) -> str:
    """A name as those of its kind are compared."""
    return _RUN.sub("-", name).lower() if kind is ProjectKind.PYTHON else name


def _accessor(name: str) -> str:
    """The name of a project of Gradle as its accessor: `:core:data-test` is `core.dataTest`."""
    parts = (_WORD.sub(lambda match: match[1].upper(), part) for part in name.split(":") if part)
    return ".".join(("projects", *parts))


def _short_names(name: str) -> Iterator[str]:
    """The ends of a name: `web` of `@shop/web`; `core:data`, with `:` or without, and `data`."""
    _, slash, end = name.rpartition("/")
    if slash:
        yield end
    _, colon, inner = name.partition(":")
    if colon:
        yield from (f":{inner}", inner, inner.rpartition(":")[2])


def _with_nx(
    projects: Projects, packages: Iterable[TreePackage], notes: list[Note]
) -> Iterator[TreePackage]:
    """The packages with names, targets and edges of project.json; folders with it alone, too."""
    folders = [*projects.tree.folders_with_files()]
    settings = {folder for folder, names in folders if _NX_SETTINGS in names}
    found = {package.id: package for package in packages}
    by_folder = {package.folder: package.id for package in reversed([*found.values()])}
    written: dict[str, tuple[str, ...]] = {}
    for folder, names in sorted(folders) if settings else ():
        if _NX_PROJECT not in names or settings.isdisjoint(ancestors(folder)):
            continue
        path = below(folder, _NX_PROJECT)
        table = _table(path, projects.read, notes)
        name = text_of(table.get("name")) or folder_name(folder)
        known = found.get(by_folder.get(folder, ""))
        if known is None:
            known = TreePackage(
                name if name not in found else f"{name}@{folder}", _NX, folder, path
            )
        by_folder[folder] = known.id
        targets = dict.fromkeys((*known.targets, *texts_of([*table_of(table, "targets")])))
        found[known.id] = replace(known, names=(*known.names, name), targets=(*targets,))
        written[known.id] = texts_of(table.get("implicitDependencies"))
    named = {name: one.id for one in found.values() for name in (one.id, *one.names)}
    for package in found.values():
        # `!` takes one back that the code implies
        needs = [name for name in written.get(package.id, ()) if not name.startswith("!")]
        ids = [named[name] for name in needs if named.get(name, package.id) != package.id]
        outside = [name for name in needs if name not in named]
        yield replace(
            package,
            requires=(*dict.fromkeys((*package.requires, *ids)),),
            outside=(*package.outside, *outside),
        )


def _table(path: str, read: Callable[[str], str | None], notes: list[Note]) -> Mapping[str, object]:
    text = read(path)
    try:
        return json_table(text or "", comments=True)
    except ManifestError as error:
        notes.append(Note(path, str(error)))
        return {}

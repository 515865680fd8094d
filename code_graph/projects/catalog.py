"""The projects of a repository by the manifests of each folder, and their ids."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.language_table import LANGUAGES
from code_graph.paths.globs import Glob, GlobError
from code_graph.projects.locks import Versions
from code_graph.projects.manifests.npm import TsConfig
from code_graph.projects.manifests.swift import usual_roots
from code_graph.projects.manifests.values import folder_name
from code_graph.projects.model import Note, Project, ProjectKind, ProjectManifest, Target
from code_graph.projects.source import Read, read_manifests
from code_graph.projects.tree import PathTree, Probe, Table, ancestors, below, parent
from index_format.records import replace

ROOT_ID: Final = "."
_KINDS_OF_EXTENSIONS: Final[Mapping[str, tuple[ProjectKind, ...]]] = {
    ending: tuple(map(ProjectKind, language.projects))
    for language in LANGUAGES
    if language.projects
    for ending in (language.extensions + " " + language.project_extensions).split()
}
_ORDER: Final = {kind: at for at, kind in enumerate(ProjectKind)}
_MAX_GLOBS: Final = 200
_CARGO_FOLDERS: Final = (
    ("src/bin", "executable"),
    ("examples", "example"),
    ("tests", "test"),
    ("benches", "bench"),
)


class Projects:
    """All projects of one tree; use `read_projects`."""

    def __init__(
        self,
        tree: PathTree,
        manifests: Sequence[ProjectManifest],
        configs: Mapping[str, TsConfig],
        notes: Sequence[Note],
        read: Read,
    ) -> None:
        self.tree = tree
        # the text of a manifest, or None if it must not be read
        self.read = read
        self.manifests = tuple(manifests)
        self.configs = configs
        self.notes = tuple(notes)
        self.all: tuple[Project, ...] = tuple(_build(tree, self.manifests))
        self._by_id = {project.id: project for project in self.all}
        by_root: dict[str, list[Project]] = {}
        for project in self.all:
            by_root.setdefault(project.root, []).append(project)
        includes = _includes(self.manifests, self.all)
        # of each project what decides whose a file is: its kind and its id
        self._by_root: Table[tuple[tuple[str, str], ...]] = Table(
            "project-root",
            {
                root: tuple((one.kind.value, one.id) for one in found)
                for root, found in by_root.items()
            },
        )
        self._includes = Table("project-include", {at: one.id for at, one in includes.items()})
        self.versions = Versions(tree, self.all, self.manifests, read)
        self.tables: tuple[Table[Any], ...] = (
            self._by_root,
            self._includes,
            *self.versions.tables,
        )

    def get(self, project_id: str) -> Project | None:
        """The project of this id."""
        return self._by_id.get(project_id)

    @property
    def manifest_paths(self) -> set[str]:
        """The paths of all manifests and configurations that were read."""
        return {*(manifest.path for manifest in self.manifests), *self.configs}

    def project_of(self, path: str, probe: Probe | None = None) -> Project:
        """The innermost project around a file; of several in a folder that of its language."""
        probe = probe or Probe(self.tree)
        kinds = _KINDS_OF_EXTENSIONS.get(path[path.rfind(".") :], ())
        if ProjectKind.DOTNET in kinds and (found := self._dotnet_project(path, probe)):
            return found
        for folder in ancestors(parent(path)):
            if chosen := _preferred(probe.value(self._by_root, folder) or (), kinds):
                return self._by_id[chosen]
        return self.all[0]  # the root's; never reached, as the root is an ancestor of all

    def _dotnet_project(self, path: str, probe: Probe) -> Project | None:
        """The innermost project of .NET around a file, or that includes it."""
        folders = list(ancestors(parent(path)))
        for folder in folders:
            for kind, name in probe.value(self._by_root, folder) or ():
                if kind == ProjectKind.DOTNET:
                    return self._by_id[name]
        places = (probe.value(self._includes, place) for place in (path, *folders))
        return next((self._by_id[name] for name in places if name is not None), None)


def read_projects(paths: Collection[str], read: Read) -> Projects:
    """The projects of a tree; `read` gives the text of a manifest, or None if it must not."""
    tree = PathTree(paths)
    found = read_manifests(tree, read)
    return Projects(tree, found.manifests, found.configs, found.notes, read)


def _preferred(projects: Sequence[tuple[str, str]], kinds: Sequence[ProjectKind]) -> str:
    """The id of a folder's project of one of these kinds, else of its first project."""
    ids = [name for kind, name in projects if kind in kinds]
    return next(iter((*ids, *(name for _, name in projects))), "")


def _build(tree: PathTree, manifests: Sequence[ProjectManifest]) -> list[Project]:
    """Projects in the order of their roots, with ids and workspaces."""
    projects = [_merge(tree, group) for group in _groups(manifests) if group]
    projects = [*projects, *_included(tree, manifests, projects)]
    projects.sort(key=lambda one: (one.root, _ORDER[one.kind], one.manifest))
    if not projects or projects[0].root:
        projects.insert(0, Project(ROOT_ID, ProjectKind.FOLDER, ROOT_ID, ""))
    workspaces = _workspaces(manifests, projects)
    named = _with_ids(_named_by_build(manifests, projects))
    return [replace(one, workspace=workspaces.get(_place(one), "")) for one in named]


def _groups(manifests: Iterable[ProjectManifest]) -> Iterator[list[ProjectManifest]]:
    """The manifests that make one project each: those of one kind in one folder."""
    groups: dict[tuple[str, ...], list[ProjectManifest]] = {}
    for manifest in manifests:
        key: tuple[str, ...] = (manifest.folder, manifest.kind.value)
        if manifest.kind is ProjectKind.DOTNET:
            key = (manifest.path,)
        groups.setdefault(key, []).append(manifest)
    for group in groups.values():
        if any(manifest.is_project for manifest in group):
            yield sorted(group, key=lambda manifest: (not manifest.is_project, manifest.path))


def _merge(tree: PathTree, group: Sequence[ProjectManifest]) -> Project:
    # a name that is not made of the folder's counts first; pyproject.toml before setup.*
    plain = folder_name(group[0].folder)
    first = next((one for one in group if one.is_project and one.name != plain), group[0])
    roots = (root for one in group for root in one.source_roots)
    return Project(
        "",
        first.kind,
        first.name,
        first.folder,
        first.path,
        source_roots(tree, first.kind, first.folder, roots),
        targets(tree, first),
        version=next((one.version for one in group if one.version), ""),
    )


def _included(
    tree: PathTree, manifests: Iterable[ProjectManifest], projects: Iterable[Project]
) -> Iterator[Project]:
    """Subprojects of Gradle without a build script of the usual name."""
    there = {one.root for one in projects if one.kind is ProjectKind.GRADLE}
    for manifest in manifests:
        for folder, name in manifest.aliases.items() if _is_build(manifest) else ():
            if folder not in there and folder in tree.folders:
                there.add(folder)
                yield Project("", manifest.kind, name, folder, manifest.path)


def _is_build(manifest: ProjectManifest) -> bool:
    return manifest.kind is ProjectKind.GRADLE and bool(manifest.aliases)


def _named_by_build(
    manifests: Iterable[ProjectManifest], projects: Iterable[Project]
) -> Iterator[Project]:
    """Subprojects of Gradle get the name that their build gives them, the others keep theirs."""
    names: dict[str, str] = {}
    for manifest in manifests:
        if _is_build(manifest):
            for folder, name in manifest.aliases.items():
                names.setdefault(folder, f"{manifest.name}{name}")
    for project in projects:
        if project.kind is ProjectKind.GRADLE and project.root in names:
            yield replace(project, name=names[project.root])
        else:
            yield project


def _with_ids(projects: Iterable[Project]) -> list[Project]:
    """Ids: the name, for those nearest to the root; other projects of the name add their folder."""
    listed = list(projects)
    nearest = sorted(listed, key=lambda one: (_depth(one.root), one.root, _ORDER[one.kind]))
    ids: set[str] = set()
    given: dict[tuple[str, str], str] = {}
    for project in nearest:
        place = project.root or ROOT_ID
        plain = project.name or place
        options = (plain, f"{plain}@{place}", f"{plain}@{project.manifest}")
        chosen = next((text for text in options if text not in ids), "")
        count = 2
        while not chosen or chosen in ids:
            chosen, count = f"{options[-1]}#{count}", count + 1
        ids.add(chosen)
        given[_key(project)] = chosen
    return [replace(project, id=given[_key(project)]) for project in listed]


def _key(project: Project) -> tuple[str, str]:
    return project.root, f"{project.kind.value}:{project.manifest}"


def _depth(root: str) -> int:
    return root.count("/") + 1 if root else 0


def _place(project: Project) -> str:
    return project.manifest if project.kind is ProjectKind.DOTNET else _folder_key(project)


def _folder_key(project: Project) -> str:
    return f"{project.kind.value}:{project.root}"


def _workspaces(
    manifests: Iterable[ProjectManifest], projects: Iterable[Project]
) -> dict[str, str]:
    """The manifest that lists each project: the innermost that does."""
    roots: dict[ProjectKind, list[str]] = {}
    for project in projects:
        roots.setdefault(project.kind, []).append(project.root)
    for listed in roots.values():
        listed.sort()
    owners: dict[str, str] = {}
    for manifest in sorted(manifests, key=lambda one: (-_depth(one.folder), one.path)):
        for member in _members(manifest, roots.get(manifest.kind, [])):
            is_file = manifest.kind is ProjectKind.DOTNET
            owners.setdefault(
                member if is_file else f"{manifest.kind.value}:{member}", manifest.path
            )
    return owners


def _members(manifest: ProjectManifest, roots: Sequence[str]) -> Iterator[str]:
    """Paths that a manifest lists, with its globs resolved over the roots of projects."""
    globs = 0
    for pattern in manifest.members:
        if "*" not in pattern and "?" not in pattern and "{" not in pattern:
            yield pattern.removesuffix("/pom.xml")
            continue
        globs += 1
        if globs <= _MAX_GLOBS:
            yield from _matching(pattern, roots)


def _matching(pattern: str, roots: Sequence[str]) -> Iterator[str]:
    fixed = pattern[: pattern.index("*")] if "*" in pattern else ""
    fixed = fixed.rpartition("/")[0]
    start = bisect_left(roots, f"{fixed}/") if fixed else 0
    try:
        glob = Glob(pattern)
    except GlobError:
        return
    for root in roots[start:]:
        if fixed and not root.startswith(f"{fixed}/"):
            return
        if glob.matches(root) and ("/" in pattern or "/" not in root):
            yield root


def _includes(
    manifests: Iterable[ProjectManifest], projects: Iterable[Project]
) -> dict[str, Project]:
    """Files and folders that a project compiles from elsewhere."""
    owners = {project.manifest: project for project in projects}
    found: dict[str, Project] = {}
    for manifest in manifests:
        for path in manifest.includes:
            if manifest.path in owners:
                found.setdefault(path, owners[manifest.path])
    return found


def source_roots(
    tree: PathTree, kind: ProjectKind, folder: str, written: Iterable[str]
) -> tuple[str, ...]:
    """The folders in the tree that imports start from: those written, and the usual ones."""
    roots = [root for root in written if root in tree.folders]
    if kind is ProjectKind.PYTHON and not roots:
        src = below(folder, "src")
        # a package that is itself called src is imported by that name
        is_root = src in tree.folders and below(src, "__init__.py") not in tree.files
        roots.append(src if is_root else folder)
    return tuple(dict.fromkeys(roots))


def targets(tree: PathTree, manifest: ProjectManifest) -> tuple[Target, ...]:
    """The targets of a project: the written ones, and the ones that its files imply."""
    if manifest.kind is ProjectKind.SWIFT:
        return tuple(_swift_targets(tree, manifest))
    if manifest.kind is ProjectKind.CARGO:
        return tuple(_cargo_targets(tree, manifest))
    return manifest.targets


def _swift_targets(tree: PathTree, manifest: ProjectManifest) -> Iterator[Target]:
    for target in manifest.targets:
        if target.root:
            yield target
            continue
        usual = (root for root in usual_roots(manifest.folder, target) if root in tree.folders)
        root = next(usual, None)
        if root is not None:
            yield target._replace(root=root)


def _cargo_targets(tree: PathTree, manifest: ProjectManifest) -> Iterator[Target]:
    """Each main file of a crate once; what the manifest says of a file counts first."""
    seen: set[str] = set()
    for target in (*manifest.targets, *_usual_cargo(tree, manifest)):
        path = target.path
        if not path and target.kind == "library":
            path = below(target.root, "lib.rs")
        if path in tree.files and path not in seen:
            seen.add(path)
            yield target._replace(path=path)


def _usual_cargo(tree: PathTree, manifest: ProjectManifest) -> Iterator[Target]:
    src = below(manifest.folder, "src")
    if not any(target.kind == "library" for target in manifest.targets):
        yield Target(manifest.name, "library", src, f"{src}/lib.rs")
    yield Target(manifest.name, "executable", src, f"{src}/main.rs")
    yield Target("build", "build", manifest.folder, below(manifest.folder, "build.rs"))
    for name, kind in _CARGO_FOLDERS:
        folder = below(manifest.folder, name)
        for file in tree.names_in(folder):
            if file.endswith(".rs"):
                yield Target(file.removesuffix(".rs"), kind, folder, f"{folder}/{file}")
        for inner in tree.folders_in(folder):
            yield Target(inner, kind, f"{folder}/{inner}", f"{folder}/{inner}/main.rs")

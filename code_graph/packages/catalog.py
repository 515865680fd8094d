"""All packages of a tree: found by name, by file, and by what depends on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from code_graph.packages.model import TreePackage, may_use
from code_graph.packages.project_packages import project_packages
from code_graph.packages.targets import read_targets
from code_graph.projects.catalog import read_projects
from code_graph.projects.model import Note
from code_graph.projects.tree import is_within
from index_format.tuples import NamedTuple

_LABEL: Final = "//"
_BELOW: Final = "/..."
# names that a misspelt one is compared with
_MOST_COMPARED: Final = 20_000
_ALL_OF: Final = (":all", ":*", ":all-targets")


class PackageScope(NamedTuple):
    """The packages that a name means, and the folder whose files belong to it besides."""

    name: str
    packages: Sequence[TreePackage]
    folder: str | None = None


class ScopePlaces(NamedTuple):
    """Files, folders, and folders of other packages in these."""

    files: Sequence[str]
    folders: Sequence[str]
    inner: Sequence[str]


class TreePackages:
    """The packages of one tree."""

    def __init__(self, paths: Collection[str], read: Callable[[str], str | None]) -> None:
        """Read all manifests; `read` gives the text of a file, or None if it must not."""
        notes: list[Note] = []
        self._projects = read_projects(paths, read)
        projects = project_packages(self._projects, notes)
        targets = read_targets(self._projects.tree, read, notes)
        self.notes: Sequence[Note] = (*self._projects.notes, *notes)
        self.all: Mapping[str, TreePackage] = {
            package.id: package for package in (*projects, *targets.packages)
        }
        self._groups = targets.groups
        self._by_file: dict[str, list[str]] = defaultdict(list)
        for target in targets.packages:
            for path in (*(target.files or ()), target.manifest):
                self._by_file[path].append(target.id)

    def of_file(self, path: str) -> Iterator[TreePackage]:
        """The innermost project around a file, and the targets that have it."""
        targets = [self.all[name] for name in self._by_file.get(path, ())]
        project = self.all.get(self._projects.project_of(path).id)
        # a project around the targets of a file has what these leave
        if project is not None and all(
            is_within(project.folder, target.folder) for target in targets
        ):
            yield project
        yield from targets

    @cached_property
    def dependents(self) -> Mapping[str, Sequence[str]]:
        """The packages that declare to depend on each."""
        users: dict[str, list[str]] = defaultdict(list)
        for package in self.all.values():
            for needed in package.requires:
                users[needed].append(package.id)
        return users

    def depending_on(self, names: Iterable[str]) -> dict[str, int]:
        """All packages that depend on some, and on how many steps; nearest first, with these."""
        return _reached(names, self.dependents)

    def needed_by(self, names: Iterable[str]) -> dict[str, int]:
        """All packages that some depend on, and on how many steps; nearest first, with these."""
        return _reached(names, {name: package.requires for name, package in self.all.items()})

    def may_use(self, used: TreePackage, user: TreePackage) -> bool:
        """True if the rules of a package let another use it."""
        return may_use(used, user.folder, self._groups)

    def scope(self, name: str) -> PackageScope | None:
        """The packages of a name, a folder or a label; None if there are none.

        A folder, or a label that ends with `...`, means all below.
        """
        text = name.strip()
        if text.startswith(_LABEL) and text not in self.all:
            return self._of_label(text)
        folder = text.removeprefix("./").strip("/")
        named = self._named.get(text, ())
        is_folder = folder in self._projects.tree.folders and folder != ""
        if is_folder and all(package.folder == folder for package in named):
            below = {package.id: package for package in (*named, *self._below(folder))}
            if below:
                return PackageScope(text, [*below.values()], folder)
        named = named or self._short.get(text, ()) or self._short.get(text.lower(), ())
        return PackageScope(text, named) if named else None

    def near(self, name: str) -> list[str]:
        """Names of packages that are spelled nearly like a name, the nearest first."""
        from difflib import get_close_matches  # noqa: PLC0415 only for a name that is not known

        known = dict.fromkeys((*self._named, *self._short))
        return get_close_matches(name, [*known][:_MOST_COMPARED])

    def has(self, scope: PackageScope) -> Callable[[str], bool]:
        """The test of paths that belong to packages of a scope."""
        ids = {package.id for package in scope.packages}
        folder = scope.folder

        def has_path(path: str) -> bool:
            if folder is not None and is_within(path, folder):
                return True
            return any(package.id in ids for package in self.of_file(path))

        return has_path

    def places(self, scope: PackageScope) -> ScopePlaces:
        """The files and folders of the packages of a scope."""
        if scope.folder is not None:
            return ScopePlaces((), (scope.folder,), ())
        files, folders, inner = dict[str, None](), list[str](), list[str]()
        own = {package.id for package in scope.packages}
        for package in scope.packages:
            if package.files is not None:
                files.update(dict.fromkeys((*sorted(package.files), package.manifest)))
                continue
            folders.append(package.folder)
            for other in self._projects.all:  # in the order of their folders
                is_inside = other.root != package.folder and is_within(other.root, package.folder)
                is_known = bool(inner) and is_within(other.root, inner[-1])
                if is_inside and other.id not in own and not is_known:
                    inner.append(other.root)
        return ScopePlaces((*files,), folders, inner)

    def _of_label(self, text: str) -> PackageScope | None:
        place, ending = text.removeprefix(_LABEL), ""
        for mark in (_BELOW, "...", *_ALL_OF):
            if place.endswith(mark):
                place, ending = place.removesuffix(mark), mark
                break
        if not ending:
            short = f"{text}:{place.rpartition('/')[2]}"
            if short in self.all:
                return PackageScope(text, [self.all[short]])
        if ending in _ALL_OF:
            targets = [
                package
                for package in self.all.values()
                if package.folder == place and _is_target(package)
            ]
            return PackageScope(text, targets) if targets else None
        below = [*self._below(place)]
        return PackageScope(text, below, place) if below else None

    def _below(self, folder: str) -> Iterator[TreePackage]:
        return (package for package in self.all.values() if is_within(package.folder, folder))

    @cached_property
    def _named(self) -> Mapping[str, Sequence[TreePackage]]:
        return _by_names(self.all.values(), lambda package: (package.id, *package.names))

    @cached_property
    def _short(self) -> Mapping[str, Sequence[TreePackage]]:
        """By names that several may have, and by those in small letters."""
        return _by_names(
            self.all.values(),
            lambda package: (
                *package.short_names,
                *(name.lower() for name in (package.id, *package.names)),
            ),
        )


def _is_target(package: TreePackage) -> bool:
    return package.files is not None


def _by_names(
    packages: Iterable[TreePackage], names_of: Callable[[TreePackage], Iterable[str]]
) -> Mapping[str, Sequence[TreePackage]]:
    by_name: dict[str, list[TreePackage]] = defaultdict(list)
    for package in packages:
        for name in dict.fromkeys(names_of(package)):
            by_name[name].append(package)
    return by_name


def _reached(names: Iterable[str], edges: Mapping[str, Sequence[str]]) -> dict[str, int]:
    steps = dict.fromkeys(names, 0)
    waiting = [*steps]
    for name in waiting:  # it grows while it is read
        for other in edges.get(name, ()):
            if other not in steps:
                steps[other] = steps[name] + 1
                waiting.append(other)
    return steps

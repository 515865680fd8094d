"""All packages of a repository by the names that questions, paths and imports call them by."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, zip_longest
from typing import Final

from code_graph.language_table import language_named
from repo_mcp.dependencies import (
    cargo_crates,
    go_modules,
    node_modules,
    nuget_packages,
    python_environments,
    source_archives,
    yarn_archives,
)
from repo_mcp.dependencies.package import InstalledPackage, mount_name
from repo_mcp.dependencies.store import ProjectStores
from repo_mcp.indexing.build.mounts import PACKAGES

_ECOSYSTEMS: Final = (
    python_environments,
    node_modules,
    go_modules,
    cargo_crates,
    source_archives,
    nuget_packages,
    yarn_archives,
)
_MANIFESTS: Final = frozenset().union(*(item.MANIFESTS for item in _ECOSYSTEMS))
# what stands between the name of a package and what is in it
_SEPARATORS: Final = ("/", ".", ":")
# packages of types that stand for others
_TYPES: Final = node_modules.TYPES
# a folder whose packages the files around it find
_MODULES: Final = f"{os.sep}node_modules{os.sep}"


class Packages:
    """The packages of one repository, in an order that does not depend on the file system."""

    def __init__(self, found: Iterable[InstalledPackage]) -> None:
        """Of packages in the same folder the first stays."""
        unique: dict[tuple[str, str, str], InstalledPackage] = {}
        for package in found:
            unique.setdefault((package.folder, package.name, package.version), package)
        self.all: Sequence[InstalledPackage] = sorted(
            unique.values(), key=lambda item: (not item.is_direct, item[:4])
        )

    @cached_property
    def by_mount(self) -> Mapping[str, InstalledPackage]:
        """Packages by the folders that paths of their files begin with.

        Of several versions, the one that is used nearest to the root has no version in its name.
        """
        found: dict[str, InstalledPackage] = {}
        ordered = sorted(self.all, key=_nearness)
        for package in ordered:
            plain = mount_name(package, with_version=False)
            name = plain if plain not in found else mount_name(package, with_version=True)
            number = 1
            while name in found:
                number += 1
                name = f"{mount_name(package, with_version=True)}-{number}"
            found[name] = package
        places = {package: number for number, package in enumerate(self.all)}
        return dict(sorted(found.items(), key=lambda item: places[item[1]]))

    def find(self, name: str) -> list[str]:
        """The folders of the packages that a person means by a name."""
        wanted = name.casefold().removeprefix(PACKAGES)
        return [*(self._by_name.get(wanted) or self._by_plain_name.get(_plain(wanted), ()))]

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[str]]:
        return _grouped(
            (mount, (package.name.casefold(), mount.removeprefix(PACKAGES).casefold()))
            for mount, package in self.by_mount.items()
        )

    @cached_property
    def _by_plain_name(self) -> Mapping[str, Sequence[str]]:
        return _grouped(
            (mount, map(_plain, (package.name, package.name.rpartition("/")[2], *package.offers)))
            for mount, package in self.by_mount.items()
        )

    def of_import(self, text: str, ecosystem: str = "", user: str = "") -> list[str]:
        """The folders of the packages that an imported name begins with, the likeliest first.

        `user` is the path of the importing file.
        """
        end = len(text)
        while end > 0:
            mounts = self._offered.get(text[:end], ())
            found = [
                mount
                for mount in mounts
                if not ecosystem or self.by_mount[mount].ecosystem == ecosystem
            ]
            if found:
                return self._nearest(found, user)
            end = max(text.rfind(mark, 0, end) for mark in _SEPARATORS)
        return []

    def seen_without_import(self, ecosystem: str, user: str) -> list[str]:
        """The folders of the packages whose names a file sees without an import."""
        found = [
            mount
            for mount, package in self.by_mount.items()
            if package.is_ambient and package.ecosystem == ecosystem
        ]
        return self._nearest(found, user) if found else []

    def needed_by(self, mounts: Collection[str], user: str = "") -> list[str]:
        """The folders of the packages that these need themselves, as they are for a file.

        The first needs of each come before the second ones of any: one that needs many leaves room.
        """
        described = {name for mount in mounts for name in self.by_mount[mount].offers}
        described = {_described(name) for name in described if name.startswith(_TYPES)}
        # of a package whose types another one declares, the code is not opened
        users = [mount for mount in mounts if described.isdisjoint(self.by_mount[mount].offers)]
        rows = zip_longest(*(self._needs(mount, user) for mount in users), fillvalue=())
        return [*dict.fromkeys(chain.from_iterable(chain.from_iterable(rows)))]

    def _needs(self, mount: str, user: str) -> Iterator[Sequence[str]]:
        """The folders of what a package needs: for each name, of several versions those it gets."""
        package = self.by_mount[mount]
        for name in package.requires:
            found = [
                other
                for other in self.find(name)
                if self.by_mount[other].ecosystem == package.ecosystem
            ]
            around = [other for other in found if not self._distance(other, user)[0]] or found
            inside = [other for other in around if self._is_seen(other, package.folder)]
            depth = max((self.by_mount[other].folder.count(os.sep) for other in inside), default=0)
            nearest = [
                other for other in inside if self.by_mount[other].folder.count(os.sep) == depth
            ]
            yield nearest or around

    def _is_seen(self, mount: str, folder: str) -> bool:
        """True if the files of a folder find a package in a folder of modules around them."""
        around, mark, _ = self.by_mount[mount].folder.rpartition(_MODULES)
        return bool(mark) and f"{folder}{os.sep}".startswith(f"{around}{os.sep}")

    @cached_property
    def _offered(self) -> Mapping[str, Sequence[str]]:
        return _grouped(
            (mount, (*package.offers, *map(_described, package.offers)))
            for mount, package in self.by_mount.items()
        )

    def _nearest(self, found: list[str], user: str) -> list[str]:
        """Of several versions, those that the file would get; other packages stay."""
        versions = Counter(self.by_mount[mount].name for mount in found)
        if max(versions.values()) < 2:
            return found
        best: dict[str, str] = {}
        for mount in found:
            name = self.by_mount[mount].name
            if name not in best or self._distance(mount, user) < self._distance(best[name], user):
                best[name] = mount
        return [*best.values()]

    def _distance(self, mount: str, user: str) -> tuple[bool, int, tuple[int, str, str]]:
        package = self.by_mount[mount]
        is_around = not package.used_in or f"{user}/".startswith(f"{package.used_in}/")
        return not is_around, -len(package.used_in) if is_around else 0, _nearness(package)


def ecosystem_of(language: str) -> str:
    """The kind of packages that imports of a language name; empty if none is known."""
    kinds = {item.NAME for item in _ECOSYSTEMS}
    return next((name for name in language_named(language).projects if name in kinds), "")


def names_packages(path: str) -> bool:
    """True if a file may say which packages a project uses, by its name."""
    return path.rpartition("/")[2] in _MANIFESTS or path.endswith(nuget_packages.SUFFIXES)


def find_packages(
    root: str, paths: Collection[str], environment: Mapping[str, str] | None = None
) -> Packages:
    """The packages that are installed for a repository with files of these paths."""
    manifests = [path for path in paths if names_packages(path)]
    project = ProjectStores(root, manifests, os.environ if environment is None else environment)
    return Packages(_found(project))


def _found(project: ProjectStores) -> Iterator[InstalledPackage]:
    for ecosystem in _ECOSYSTEMS:
        yield from ecosystem.find(project)


def _grouped(rows: Iterable[tuple[str, Iterable[str]]]) -> Mapping[str, Sequence[str]]:
    """The folders of packages by each of their names."""
    found: dict[str, dict[str, None]] = {}
    for mount, names in rows:
        for name in names:
            found.setdefault(name, {})[mount] = None
    return {name: tuple(mounts) for name, mounts in found.items()}


def _described(name: str) -> str:
    """The package whose types one declares; any other is its own."""
    plain = name.removeprefix(_TYPES)
    scope, joined, inner = plain.partition("__")
    return f"@{scope}/{inner}" if joined and plain != name else plain


def _nearness(package: InstalledPackage) -> tuple[int, str, str]:
    """The order of the versions of a package: shorter paths are nearer to the root."""
    return (
        (not package.is_direct) + package.folder.count(os.sep) * 2,
        package.folder,
        package.version,
    )


def _plain(name: str) -> str:
    return name.casefold().replace("_", "-").replace(".", "-")

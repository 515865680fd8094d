"""Libraries of Java and Kotlin: archives of sources in the repositories of Maven and Gradle."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from code_graph.formats import toml
from code_graph.formats.xml_tree import Element, XmlError, parse_xml
from code_graph.projects.model import ProjectKind
from code_graph.projects.tree import below
from index_format.tuples import NamedTuple
from repo_mcp.dependencies.package import InstalledPackage, version_order
from repo_mcp.dependencies.store import ProjectStores, StoreFolder

NAME: Final = ProjectKind.MAVEN.value
_GRADLE: Final = ("build.gradle", "build.gradle.kts", "gradle.lockfile")
_CATALOG: Final = "libs.versions.toml"
MANIFESTS: Final = frozenset({"pom.xml", *_GRADLE, _CATALOG})
_COORDINATES: Final = re.compile(
    r"""["']?([A-Za-z0-9_.-]+):([A-Za-z0-9_.-]+):([A-Za-z0-9_.+-]+)(?:[@:][^"'\s=]*)?["'=]"""
)
_PROPERTY: Final = re.compile(r"\$\{([^}]+)\}")
_SOURCES: Final = "-sources.jar"
_CODE: Final = (".java", ".kt", ".scala", ".groovy")
_MOST_LEVELS: Final = 6
_MOST_LIBRARIES: Final = 2_000
_REMEMBERED: Final = 4_096


class _Library(NamedTuple):
    """The coordinates of a library; the version is empty where something else chooses it."""

    group: str
    artifact: str
    version: str = ""

    @property
    def name(self) -> str:
        """The name that manifests call it by."""
        return f"{self.group}:{self.artifact}"


def find(project: ProjectStores) -> Iterator[InstalledPackage]:
    """The libraries that manifests name, and all they need, whose sources are on this machine."""
    stores = _Stores(project)
    for library, folder in _libraries(project):
        yield from stores.packages_of(library, folder)


class _Stores:
    """The local repositories of Maven and Gradle; each library is given once."""

    def __init__(self, project: ProjectStores) -> None:
        maven = project.users_folder("MAVEN_REPO_LOCAL", ".m2", "repository")
        gradle = project.users_folder("GRADLE_USER_HOME", ".gradle")
        self._maven = project.store(maven)
        self._gradle = project.store(f"{gradle}/caches/modules-2/files-2.1" if gradle else "")
        self._seen: set[str] = set()

    def packages_of(
        self, library: _Library, folder: str, level: int = 0
    ) -> Iterator[InstalledPackage]:
        """The package of a library, and those of what it needs."""
        if library.name in self._seen or len(self._seen) >= _MOST_LIBRARIES:
            return
        version = library.version or self._newest(library)
        if not version:
            return
        self._seen.add(library.name)
        found = library._replace(version=version)
        needed = [*self._needed(found)]
        archive = self._file(found, _SOURCES)
        if archive:
            stat = os.stat(archive)
            offers = _packages_in(archive, stat.st_size, stat.st_mtime_ns)
            names = tuple(item.name for item in needed)
            yield InstalledPackage(
                NAME, found.name, version, archive, (), offers, names, level == 0, folder
            )
        if level < _MOST_LEVELS:
            for item in needed:
                yield from self.packages_of(item, folder, level + 1)

    def _newest(self, library: _Library) -> str:
        """The newest version that is here, where a manifest names none."""
        found: list[str] = []
        if self._maven is not None:
            found += self._maven.folders(_maven_folder(library))
        if self._gradle is not None:
            found += self._gradle.folders(f"{library.group}/{library.artifact}")
        return max(found, key=version_order, default="")

    def _file(self, library: _Library, ending: str) -> str:
        """The absolute path of a file of a library; empty if it is not here."""
        for store, path in self._files(library, ending):
            return store.real(path)
        return ""

    def _files(self, library: _Library, ending: str) -> Iterator[tuple[StoreFolder, str]]:
        name = f"{library.artifact}-{library.version}{ending}"
        folder = f"{_maven_folder(library)}/{library.version}"
        if self._maven is not None and name in self._maven.files(folder):
            yield self._maven, f"{folder}/{name}"
        if self._gradle is not None:
            folder = f"{library.group}/{library.artifact}/{library.version}"
            for digest in self._gradle.folders(folder):
                if name in self._gradle.files(f"{folder}/{digest}"):
                    yield self._gradle, f"{folder}/{digest}/{name}"

    def _needed(self, library: _Library) -> Iterator[_Library]:
        for store, path in self._files(library, ".pom"):
            yield from _named_in_pom(_parsed(store.text(path)), {}, {}, with_tests=False)
            return


def _libraries(project: ProjectStores) -> Iterator[tuple[_Library, str]]:
    """The libraries that the manifests of a project name, with the folders of these."""
    poms = {
        folder: _parsed(project.text(below(folder, "pom.xml")))
        for folder in project.folders_with("pom.xml")
    }
    # a parent is mostly in the tree, and its properties are those of all
    properties: dict[str, str] = {}
    for pom in poms.values():
        properties.update(_properties(pom))
    managed: dict[str, str] = {}
    for pom in poms.values():
        managed.update(_managed(pom, {**properties, **_properties(pom)}))
    for folder, pom in poms.items():
        named = _named_in_pom(pom, properties, managed, with_tests=True)
        yield from ((item, folder) for item in named)
    for name in _GRADLE:
        for folder in project.folders_with(name):
            for match in _COORDINATES.finditer(project.text(below(folder, name))):
                yield _Library(*match.groups()), folder
    for folder in project.folders_with(_CATALOG):
        for item in _named_in_catalog(project.text(below(folder, _CATALOG))):
            yield item, ""


def _parsed(text: str) -> Element | None:
    try:
        return parse_xml(text) if text else None
    except XmlError:
        return None


def _properties(pom: Element | None) -> dict[str, str]:
    """The texts that names in braces stand for."""
    if pom is None:
        return {}
    table = pom.child("properties")
    found = {} if table is None else {item.name: item.text for item in table.children}
    version = pom.text_of("version") or pom.text_of("parent", "version")
    group = pom.text_of("groupId") or pom.text_of("parent", "groupId")
    own = {"project.version": version, "project.groupId": group, "version": version}
    return {**{name: value for name, value in own.items() if value}, **found}


def _named_in_pom(
    pom: Element | None,
    properties: Mapping[str, str],
    managed: Mapping[str, str],
    *,
    with_tests: bool,
) -> Iterator[_Library]:
    """The libraries of a manifest of Maven; versions may be managed in it, or in one above it."""
    if pom is None:
        return
    known = {**properties, **_properties(pom)}
    versions = {**managed, **_managed(pom, known)}
    for item in _dependencies(pom):
        if with_tests or item.text_of("scope") not in {"test", "provided", "system"}:
            library = _library(item, known)
            if library.group and library.artifact:
                yield library._replace(version=library.version or versions.get(library.name, ""))


def _managed(pom: Element | None, known: Mapping[str, str]) -> dict[str, str]:
    """The versions that a manifest manages, by the names of libraries."""
    management = None if pom is None else pom.child("dependencyManagement")
    items = [] if management is None else _dependencies(management)
    found = [_library(item, known) for item in items]
    return {library.name: library.version for library in found}


def _dependencies(parent: Element) -> Iterator[Element]:
    found = parent.child("dependencies")
    if found is not None:
        yield from found.all("dependency")


def _library(item: Element, known: Mapping[str, str]) -> _Library:
    values = (item.text_of(name) for name in ("groupId", "artifactId", "version"))
    plain = [_PROPERTY.sub(lambda match: known.get(match[1], ""), value) for value in values]
    return _Library(*(value.strip() for value in plain))


def _named_in_catalog(text: str) -> Iterator[_Library]:
    """The libraries of a version catalog of Gradle."""
    try:
        table = toml.parse_toml(text)
    except toml.TomlError:
        return
    versions, libraries = table.get("versions"), table.get("libraries")
    versions = versions if isinstance(versions, Mapping) else {}
    for item in libraries.values() if isinstance(libraries, Mapping) else ():
        if isinstance(item, str):
            parts = item.split(":")
            yield from [_Library(*parts)] if len(parts) == 3 else ()
        elif isinstance(item, Mapping):
            module = item.get("module") or f"{item.get('group', '')}:{item.get('name', '')}"
            version = item.get("version", "")
            if isinstance(version, Mapping):
                version = versions.get(version.get("ref", ""), "")
            group, _, artifact = str(module).partition(":")
            if group and artifact:
                yield _Library(group, artifact, version if isinstance(version, str) else "")


def _maven_folder(library: _Library) -> str:
    return f"{library.group.replace('.', '/')}/{library.artifact}"


@lru_cache(_REMEMBERED)
def _packages_in(archive: str, _size: int, _time: int) -> tuple[str, ...]:
    """The packages that an archive has code of, and the files in none."""
    try:
        with zipfile.ZipFile(archive) as opened:
            names = [name for name in opened.namelist() if name.endswith(_CODE)]
    except (OSError, zipfile.BadZipFile, ValueError):
        return ()
    folders = {name.rpartition("/")[0].replace("/", ".") for name in names}
    return tuple(sorted(folder for folder in folders if folder and folder != "META-INF"))

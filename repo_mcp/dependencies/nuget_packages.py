"""Packages of NuGet: the documentation of their assemblies, as there is no source beside them.

Projects say which version is in use by what a restore has written, else by lock files and
references. Packages are in the user's own folder: a project's file may name others, which are not
looked into.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from code_graph.formats.xml_tree import XmlError, parse_xml
from code_graph.projects.model import ProjectKind
from code_graph.projects.tree import ancestors, below
from index_format.tuples import NamedTuple
from repo_mcp.dependencies.package import InstalledPackage
from repo_mcp.dependencies.store import ProjectStores, StoreFolder

NAME: Final = ProjectKind.DOTNET.value
MANIFESTS: Final = frozenset({"packages.lock.json", "Directory.Packages.props"})
SUFFIXES: Final = (".csproj", ".fsproj", ".vbproj")
_RESTORED: Final = "project.assets.json"
_PLAIN: Final = re.compile(r"[\w.+-]{1,200}\Z")
_TYPE: Final = re.compile(r"\bname\s*=\s*[\"']T:([\w.`+]{1,500})[\"']")
_FRAMEWORK: Final = re.compile(r"(net|netcoreapp|netstandard)(\d[\d.]*)")
# of several frameworks the first is taken; versions below 5 without a point are of the old one
_FRAMEWORKS: Final = ("netcoreapp", "netstandard", "net")
_ASSEMBLIES: Final = ("lib", "ref")
_XML: Final = ".xml"
_MOST_PACKAGES: Final = 4_000
_MOST_CHARACTERS: Final = 32 << 20
_REMEMBERED: Final = 4_096


class _Dependency(NamedTuple):
    """A package in use; without `assemblies` the best framework is chosen."""

    name: str
    version: str
    is_direct: bool = False
    assemblies: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()


def find(project: ProjectStores) -> Iterator[InstalledPackage]:
    """The packages that projects use and that are in the user's folder, if they are documented."""
    store = project.store(project.users_folder("NUGET_PACKAGES", ".nuget", "packages"))
    if store is None:
        return
    seen: set[tuple[str, str]] = set()
    manifests = [path for path in project.manifests if path.endswith(SUFFIXES)]
    for folder, used in _uses(project, manifests):
        key = used.name.lower(), used.version.lower()
        if key in seen or len(seen) >= _MOST_PACKAGES:
            continue
        seen.add(key)
        found = _package(store, used, folder)
        if found is not None:
            yield found


def _uses(project: ProjectStores, manifests: Iterable[str]) -> Iterator[tuple[str, _Dependency]]:
    for path in manifests:
        folder = path.rpartition("/")[0]
        built = project.own_store(below(folder, "obj"))
        restored = _json("" if built is None else built.text(_RESTORED))
        found = [*_restored(restored)] or [*_locked(_json(_text(project, folder)))]
        for used in found or _referenced(project, path):
            yield folder, used


def _text(project: ProjectStores, folder: str) -> str:
    return project.text(below(folder, "packages.lock.json"))


def _restored(assets: Mapping[str, Any]) -> Iterator[_Dependency]:
    """The packages of all targets of a restore, with the assemblies that are compiled against."""
    frameworks = _table(assets, "project", "frameworks").values()
    direct = {name.lower() for one in frameworks for name in _table(one, "dependencies")}
    for target in _table(assets, "targets").values():
        for key, row in (target if isinstance(target, Mapping) else {}).items():
            name, _, version = key.partition("/")
            if _table(row).get("type", "package") == "package":
                compiled = tuple(sorted(_table(row, "compile")))
                needed = tuple(_table(row, "dependencies"))
                yield _Dependency(name, version, name.lower() in direct, compiled, needed)


def _locked(lock: Mapping[str, Any]) -> Iterator[_Dependency]:
    for framework in _table(lock, "dependencies").values():
        for name, row in (framework if isinstance(framework, Mapping) else {}).items():
            version = _table(row).get("resolved")
            if isinstance(version, str):
                is_direct = _table(row).get("type") == "Direct"
                yield _Dependency(name, version, is_direct, (), tuple(_table(row, "dependencies")))


def _referenced(project: ProjectStores, path: str) -> Iterator[_Dependency]:
    """The references of a project file; their versions may be those of a file above it."""
    central: dict[str, str] = {}
    for folder in ancestors(path.rpartition("/")[0]):
        text = project.text(below(folder, "Directory.Packages.props"))
        if text:
            central = dict(_versions(text, "PackageVersion"))
            break
    for name, version in _versions(project.text(path), "PackageReference"):
        exact = (version or central.get(name.lower(), "")).strip("[]() ")
        if exact:
            yield _Dependency(name, exact, is_direct=True)


def _versions(text: str, element: str) -> Iterator[tuple[str, str]]:
    """Names and versions; the names of versions that others refer to are in small letters."""
    try:
        root = parse_xml(text)
    except XmlError:
        return
    for item in root.all(element):
        name = item.attributes.get("Include", "") or item.attributes.get("Update", "")
        version = item.attributes.get("Version", "") or item.text_of("Version")
        if name:
            yield (name if element == "PackageReference" else name.lower()), version


def _package(store: StoreFolder, used: _Dependency, folder: str) -> InstalledPackage | None:
    """A package whose assemblies have documentation files."""
    name, version = used.name.lower(), used.version.lower()
    if not (_PLAIN.match(name) and _PLAIN.match(version)) or version not in store.folders(name):
        return None
    place = f"{name}/{version}"
    files = [*_documented(store, place, used.assemblies)]
    if not files:
        return None
    real = store.real(place)
    namespaces = (_namespaces_of(real, file) for file in files)
    offers = tuple(dict.fromkeys(one for found in namespaces for one in found)) or (used.name,)
    return InstalledPackage(
        NAME,
        used.name,
        used.version,
        real,
        tuple(files),
        offers,
        used.requires,
        used.is_direct,
        folder,
    )


def _documented(store: StoreFolder, place: str, assemblies: tuple[str, ...]) -> Iterator[str]:
    """The documentation files beside these assemblies, else those of the best framework."""
    files = [path for path in assemblies if path.endswith(".dll")]
    if assemblies:
        for path in files:
            parent, _, name = path.rpartition("/")
            documented = name.removesuffix(".dll") + _XML
            if documented in store.files(f"{place}/{parent}"):
                yield f"{parent}/{documented}"
        return
    for above in _ASSEMBLIES:
        frameworks = sorted(store.folders(f"{place}/{above}"), key=_order, reverse=True)
        for framework in frameworks:
            inner = f"{above}/{framework}"
            found = [name for name in store.files(f"{place}/{inner}") if name.endswith(_XML)]
            if found:
                yield from (f"{inner}/{name}" for name in sorted(found))
                return


def _order(framework: str) -> tuple[int, list[int], str]:
    """Frameworks as a project of now prefers them, the best last."""
    found = _FRAMEWORK.match(framework.lower())
    if found is None:
        return -1, [], framework
    kind, version = found[1], found[2]
    is_old = kind == "net" and "." not in version
    numbers = [int(part) for part in version.split(".") if part]
    return (0 if is_old else 1 + _FRAMEWORKS.index(kind)), numbers, framework


def _namespaces_of(folder: str, file: str) -> tuple[str, ...]:
    path = os.path.join(folder, *file.split("/"))
    try:
        stat = os.stat(path)
    except OSError:
        return ()
    return _namespaces(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(_REMEMBERED)
def _namespaces(path: str, _size: int, _time: int) -> tuple[str, ...]:
    """The namespaces of the types that a file documents."""
    try:
        with open(path, encoding="utf-8", errors="replace") as opened:
            types = set(_TYPE.findall(opened.read(_MOST_CHARACTERS)))
    except OSError:
        return ()
    found = {one.rpartition(".")[0] for one in types}
    return tuple(sorted(one for one in found if one and one not in types))


def _table(value: object, *names: str) -> Mapping[str, Any]:
    """The table at a path of names; empty if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _json(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text.removeprefix("\ufeff")) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}

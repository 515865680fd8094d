"""Packages of Yarn's Plug'n'Play: archives, and folders of those that are unplugged.

What is where stands in `.pnp.cjs` or `.pnp.data.json`, which are read as data: nothing of them
runs. Archives count in the repository itself and in the user's own cache of Yarn, and nowhere else.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.projects.model import ProjectKind
from code_graph.projects.tree import below
from index_format.tuples import NamedTuple
from repo_mcp.dependencies.package import InstalledPackage
from repo_mcp.dependencies.store import ProjectStores, is_inside
from repo_mcp.safety.sandbox import archive_of

NAME: Final = ProjectKind.NPM.value
MANIFESTS: Final = frozenset({".pnp.cjs", ".pnp.data.json", "yarn.lock"})
_DATA: Final = ".pnp.data.json"
_SCRIPT: Final = ".pnp.cjs"
# a text in quotes, with line ends behind backslashes, or an object in a call
_STATE: Final = re.compile(r"RAW_RUNTIME_STATE\s*=\s*'((?:[^'\\]|\\.)*)'", re.DOTALL)
_CALL: Final = re.compile(r"hydrateRuntimeState\(\s*(?=\{)")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_VERSION: Final = re.compile(r"npm(?::|%3A)v?(\d[^#&:@]*)")
_VIRTUAL: Final = re.compile(r"^(.*?)/__virtual__/[^/]+/(\d{1,2})/(.*)$")
_MOST_PACKAGES: Final = 20_000


class _Place(NamedTuple):
    """A package of a registry: its name and reference, and where it is."""

    name: str
    reference: str
    location: str
    needs: tuple[tuple[str, str], ...]
    # a package of the repository itself
    is_own: bool


def find(project: ProjectStores) -> Iterator[InstalledPackage]:
    """The packages of each folder that has a map of them."""
    caches = [os.path.realpath(path) for path in _caches(project) if path]
    for folder in dict.fromkeys(("", *project.folders_with(*MANIFESTS))):
        places = [*_places(_state(project, folder))]
        users: dict[tuple[str, str], list[str]] = {}
        for place in places:
            for needed in place.needs if place.is_own else ():
                users.setdefault(needed, []).append(place.location)
        for place in places:
            path = "" if place.is_own else _resolved(project, folder, place.location, caches)
            if path:
                using = users.get((place.name, place.reference), [])
                used_in = _normal(below(folder, using[0])) if len(using) == 1 else folder
                version = _VERSION.search(place.reference)
                yield InstalledPackage(
                    NAME,
                    place.name,
                    version[1] if version else "",
                    path,
                    (),
                    (place.name,),
                    tuple(name for name, _ in place.needs if name != place.name),
                    bool(using),
                    used_in,
                )


def _caches(project: ProjectStores) -> Iterator[str]:
    """The folders of archives that all projects of the user share."""
    yield project.environment.get("YARN_CACHE_FOLDER", "")
    shared = project.users_folder("YARN_GLOBAL_FOLDER", ".yarn", "berry")
    yield os.path.join(shared, "cache") if shared else ""


def _state(project: ProjectStores, folder: str) -> Mapping[str, Any]:
    """The map of a folder, as the data that it is made of."""
    text = project.text(below(folder, _DATA))
    if not text:
        script = project.text(below(folder, _SCRIPT))
        quoted, called = _STATE.search(script), _CALL.search(script)
        if quoted is not None:
            text = _ESCAPED.sub(lambda found: found[1] if found[1] != "n" else "\n", quoted[1])
        elif called is not None:
            text = script[called.end() :]
    try:
        found, _ = json.JSONDecoder().raw_decode(text.strip())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _places(state: Mapping[str, Any]) -> Iterator[_Place]:
    count = 0
    for name, versions in _pairs(state.get("packageRegistryData")):
        for reference, info in _pairs(versions):
            count += 1
            location = info.get("packageLocation") if isinstance(info, dict) else None
            if count > _MOST_PACKAGES or not isinstance(location, str):
                continue
            needs = tuple(
                (one, other)
                for one, other in _pairs(info.get("packageDependencies"))
                if isinstance(one, str) and isinstance(other, str)
            )
            is_own = info.get("linkType") == "SOFT" or not isinstance(name, str)
            yield _Place(str(name), str(reference), location, needs, is_own)


def _pairs(value: object) -> Iterator[Sequence[Any]]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, list) and len(item) == 2:
            yield item


def _resolved(project: ProjectStores, folder: str, location: str, caches: Sequence[str]) -> str:
    """The path of a package, in an archive or not; empty for one that may not be read."""
    path = os.path.join(project.root, *folder.split("/"), *_real_location(location).split("/"))
    path = os.path.normpath(path)
    archive, inner = archive_of(path)
    real = os.path.realpath(archive or path)
    allowed = is_inside(real, project.root) or any(
        archive and is_inside(real, cache) for cache in caches
    )
    if not allowed or real == project.root:
        return ""
    if archive:
        return os.path.join(real, *inner.split("/")) if inner else real
    return real if os.path.isdir(real) else ""


def _real_location(location: str) -> str:
    """A location without the folders that tell apart what is there once."""
    found = _VIRTUAL.match(location)
    if found is None:
        return location
    return "/".join((found[1], *[".."] * int(found[2]), found[3]))


def _normal(path: str) -> str:
    plain = os.path.normpath(path).replace(os.sep, "/")
    return "" if plain == "." else plain

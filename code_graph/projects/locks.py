"""Several versions of a package: a file means the version of its lock file.

A lock file is read only where several projects of the repository have a name. What it says counts
for the files in and below its folder; the nearest one that has the name decides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.projects.manifests.go import directives
from code_graph.projects.manifests.values import LOCAL, table_of, text_of
from code_graph.projects.model import Project, ProjectKind, ProjectManifest
from code_graph.projects.tree import (
    PathTree,
    Probe,
    Table,
    ancestors,
    is_within,
    join,
    parent,
    shared_depth,
)
from index_format.tuples import NamedTuple

# characters of a lock file, and the files that are read, those near the root first
_MOST_CHARACTERS: Final = 16 << 20
_MOST_LOCKS: Final = 64
_HEAD: Final = re.compile(r"^\[\[package\]\]", re.MULTILINE)
_FIELD: Final = re.compile(r'^(name|version)\s*=\s*"([^"\n]{1,300})"', re.MULTILINE)
_SOURCE: Final = re.compile(
    r'\b(?:editable|directory|virtual|path|url)\s*=\s*"(\.[^"\n]{0,300}|[^":\n]{1,300})"'
)
_REQUIRED: Final = re.compile(r"^([A-Za-z0-9][\w.-]*)(?:\[[^\]\n]*\])?\s*===?\s*([\w.+!-]+)")
_LOCAL: Final = re.compile(
    r"^(?:-e|--editable)\s+(?:file:)?(\.[^\s#;]*)|^([A-Za-z0-9][\w.-]*)\s*@\s*(?:file:)?(\.[^\s;]*)"
)
_YARN_NAME: Final = re.compile(r"^\"?((?:@[^/@\s]+/)?[^@\s\"]+)@")
_YARN_VERSION: Final = re.compile(r"^\s+version:?\s+\"?([^\"\s]+)")
_YARN_FOLDER: Final = re.compile(r"@(?:workspace|portal|link|file):(\.[^\":#,\s]*)")
_YAML: Final = re.compile(r"^( *)(?:'([^']+)'|\"([^\"]+)\"|([^\s'\"#][^:]*)):(?: +(.*))?$")
_IN_NAME: Final = re.compile(r"(?:^|[@_-])v?(\d+(?:\.\d+)+[\w.]*)$")
_SECTIONS: Final = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")


class Pin(NamedTuple):
    """The version of a package that a lock file names, or its folder in the repository."""

    name: str
    version: str = ""
    folder: str = ""
    # the folder whose files it counts for
    used_in: str = ""


Pins = Iterator[Pin]


def _read_packages(folder: str, text: str) -> Pins:
    """Packages in a lock file of uv, poetry, PDM or Cargo, which all write the same tables."""
    starts = [found.start() for found in _HEAD.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        block = text[start:end]
        fields = dict(_FIELD.findall(block))
        place = _SOURCE.search(block)
        where = join(folder, place[1]) if place is not None else None
        yield Pin(fields.get("name", ""), fields.get("version", ""), where or "", folder)


def _read_requirements(folder: str, text: str) -> Pins:
    for line in text.splitlines():
        found = _REQUIRED.match(line.strip())
        if found is not None:
            yield Pin(found[1], found[2], "", folder)
        local = _LOCAL.match(line.strip())
        if local is not None:
            where = join(folder, local[1] or local[3])
            yield Pin(local[2] or "", "", where or "", folder)


def _read_npm(folder: str, text: str) -> Pins:
    """The packages that are installed at the top, and in the folders of workspaces."""
    whole = _json(text)
    packages = table_of(whole, "packages")
    for path, value in packages.items():
        above, inside, name = path.rpartition("node_modules/")
        row = table_of(value)
        if inside and "node_modules/" not in above:
            link = text_of(row.get("resolved")) if row.get("link") else ""
            where = join(folder, link) if link else ""
            used = join(folder, above.strip("/")) if above else folder
            yield Pin(name, text_of(row.get("version")), where or "", used or folder)
    if not packages:
        for name, value in table_of(whole, "dependencies").items():
            yield Pin(name, text_of(table_of(value).get("version")), "", folder)


def _read_pnpm(folder: str, text: str) -> Pins:
    for path, value in _yaml_rows(text):
        used, rest = folder, path
        if path[0] == "importers" and len(path) > 1:
            used, rest = join(folder, path[1]) or folder, path[2:]
        if len(rest) < 2 or rest[0] not in _SECTIONS or rest[2:] not in ((), ("version",)):
            continue
        plain = value.strip("'\"").partition("(")[0]
        if plain.startswith(LOCAL):
            where = join(used, plain.partition(":")[2])
            yield Pin(rest[1], "", where or "", used)
        elif plain:
            yield Pin(rest[1], plain, "", used)


def _read_yarn(folder: str, text: str) -> Pins:
    """The versions of a lock file of Yarn, in both forms; a name may have several."""
    name, where = "", ""
    for line in text.splitlines():
        if line[:1] not in {"", " ", "#"}:
            found = _YARN_NAME.match(line)
            name = found[1] if found is not None else ""
            place = _YARN_FOLDER.search(line)
            where = (join(folder, place[1]) or "") if place is not None else ""
        elif name and (version := _YARN_VERSION.match(line)) is not None:
            yield Pin(name, version[1], where, folder)


def _yaml_rows(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The keys around each value of plain nested mappings, as lock files have them."""
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        found = _YAML.match(line)
        if found is None:
            continue
        depth = len(found[1])
        while above and above[-1][0] >= depth:
            above.pop()
        above.append((depth, found[2] or found[3] or found[4]))
        if found[5]:
            yield tuple(key for _, key in above), found[5]


def _read_go(folder: str, text: str) -> Pins:
    """The modules that a manifest requires, which is their versions unless others need newer."""
    for words, _ in directives(text):
        if words[0] == "require" and len(words) > 2:
            yield Pin(words[1], words[2], "", folder)


LOCKS: Final[Mapping[str, tuple[ProjectKind, Callable[[str, str], Pins]]]] = {
    "uv.lock": (ProjectKind.PYTHON, _read_packages),
    "poetry.lock": (ProjectKind.PYTHON, _read_packages),
    "pdm.lock": (ProjectKind.PYTHON, _read_packages),
    "requirements.txt": (ProjectKind.PYTHON, _read_requirements),
    "package-lock.json": (ProjectKind.NPM, _read_npm),
    "npm-shrinkwrap.json": (ProjectKind.NPM, _read_npm),
    "pnpm-lock.yaml": (ProjectKind.NPM, _read_pnpm),
    "yarn.lock": (ProjectKind.NPM, _read_yarn),
    "go.mod": (ProjectKind.GO, _read_go),
    "Cargo.lock": (ProjectKind.CARGO, _read_packages),
}
_KINDS: Final = {kind for kind, _ in LOCKS.values()}

# versions and folders of a name
_Known = tuple[frozenset[str], frozenset[str]]


class Versions:
    """Packages that several projects are, and which of them the lock files around a file name."""

    def __init__(
        self,
        tree: PathTree,
        projects: Iterable[Project],
        manifests: Iterable[ProjectManifest],
        read: Callable[[str], str | None],
    ) -> None:
        groups: dict[str, list[Project]] = {}
        for project in projects:
            if project.kind in _KINDS and project.name:
                groups.setdefault(_key(project.kind, project.name), []).append(project)
        several = {key: found for key, found in groups.items() if len(found) > 1}
        # of each such project its name, and its version
        self._owners = Table(
            "version-of-project",
            {
                f"{one.kind.value}:{one.root}": (key, _version_of(one))
                for key, found in several.items()
                for one in found
            },
        )
        known: dict[str, dict[str, tuple[set[str], set[str]]]] = {}
        for key, pin in _pins(tree, manifests, read, several) if several else ():
            versions, folders = known.setdefault(pin.used_in, {}).setdefault(key, (set(), set()))
            versions.update([_plain(pin.version)] if pin.version else [])
            folders.update([pin.folder] if pin.folder else [])
        self._locked: Table[Mapping[str, _Known]] = Table(
            "locked-versions",
            {
                folder: {key: (frozenset(one), frozenset(two)) for key, (one, two) in rows.items()}
                for folder, rows in known.items()
            },
        )
        self.tables: tuple[Table[Any], ...] = (self._owners, self._locked)

    def choose(
        self, kind: ProjectKind, places: Sequence[str], folder: str, probe: Probe
    ) -> Sequence[str]:
        """The places, in projects of one name, that files of a folder may mean.

        One is sure; none is given where the places are not versions of one package.
        """
        owners = [self._owner(kind, place, probe) for place in places]
        keys = {key for _, key, _ in owners}
        if len(places) < 2 or len(keys) != 1 or "" in keys:
            return ()
        own = [
            place
            for place, (root, _, _) in zip(places, owners, strict=True)
            if root and is_within(folder, root)
        ]
        if own:
            return own[:1]
        for around in ancestors(folder):
            versions, folders = (probe.value(self._locked, around) or {}).get(
                next(iter(keys)), (frozenset(), frozenset())
            )
            rows = [*zip(places, owners, strict=True)]
            named = [place for place, (root, _, _) in rows if root in folders]
            named = named or [place for place, (_, _, version) in rows if version in versions]
            if named:
                return named
            if versions or folders:
                break
        nearest = max(shared_depth(place, folder) for place in places)
        return [place for place in places if shared_depth(place, folder) == nearest]

    def _owner(self, kind: ProjectKind, place: str, probe: Probe) -> tuple[str, str, str]:
        """The root, the name and the version of the project around a place; empty without."""
        for root in ancestors(place):
            found = probe.value(self._owners, f"{kind.value}:{root}")
            if found is not None:
                return root, *found
        return "", "", ""


def _pins(
    tree: PathTree,
    manifests: Iterable[ProjectManifest],
    read: Callable[[str], str | None],
    several: Mapping[str, Sequence[Project]],
) -> Iterator[tuple[str, Pin]]:
    """The pins of these names in lock files and manifests."""
    by_root = {(one.kind, one.root): key for key, found in several.items() for one in found}
    for manifest in manifests:
        for name, where in manifest.replaced.items():
            key = _key(manifest.kind, name)
            if key in several:
                yield key, Pin(name, "", where, manifest.folder)
    paths = (path for path in tree.files if path.rpartition("/")[2] in LOCKS)
    for path in sorted(paths, key=lambda path: (path.count("/"), path))[:_MOST_LOCKS]:
        kind, reader = LOCKS[path.rpartition("/")[2]]
        text = read(path)
        if text is None or len(text) > _MOST_CHARACTERS:
            continue
        for pin in reader(parent(path), text):
            key = _key(kind, pin.name) if pin.name else by_root.get((kind, pin.folder), "")
            if key in several:
                yield key, pin


def _key(kind: ProjectKind, name: str) -> str:
    plain = re.sub(r"[-_.]+", "-", name).lower() if kind is ProjectKind.PYTHON else name
    return f"{kind.value}:{plain}"


def _version_of(project: Project) -> str:
    """The version that the manifest says, else the one that the folder's name ends with."""
    if project.version:
        return _plain(project.version)
    found = _IN_NAME.search(project.root.rpartition("/")[2])
    return "" if found is None else _plain(found[1])


def _plain(version: str) -> str:
    """A version as others are compared with it: 1.0 is 1.0.0."""
    plain = version.strip().removeprefix("v").partition("+")[0]
    while plain.endswith(".0"):
        plain = plain.removesuffix(".0")
    return plain


def _json(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

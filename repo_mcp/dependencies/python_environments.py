"""Packages of Python: the distributions in the `site-packages` of a project's environment."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from code_graph.projects.model import ProjectKind
from code_graph.projects.tree import below
from index_format.tuples import NamedTuple
from repo_mcp.dependencies.package import InstalledPackage
from repo_mcp.dependencies.store import ProjectStores, StoreFolder

NAME: Final = ProjectKind.PYTHON.value
MANIFESTS: Final = frozenset(
    {"pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt", "poetry.lock"}
    | {"uv.lock", "pdm.lock"}
)
_IN_PROJECT: Final = (".venv", "venv", "env")
_INFO: Final = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)\.(?:dist|egg)-info")
_REQUIRES: Final = re.compile(r"Requires-Dist:\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?P<rest>.*)")
_NAME: Final = re.compile(r"^Name:\s*(\S+)", re.MULTILINE)
_MODULE: Final = re.compile(r"\.(?:py|pyi|so|pyd|[^/]*\.so)$")
_HASH_CHARS: Final = 8


class _Distribution(NamedTuple):
    """A distribution as its folder of metadata tells it: its files are the paths of RECORD."""

    name: str
    version: str
    files: tuple[str, ...]
    requires: tuple[str, ...]
    is_requested: bool


def find(project: ProjectStores) -> Iterator[InstalledPackage]:
    """The packages of all environments; an environment of each folder with manifests."""
    for folder in dict.fromkeys(("", *project.folders_with(*MANIFESTS))):
        for site in _sites(project, folder):
            yield from _packages_in(site, folder)


def _sites(project: ProjectStores, folder: str) -> list[StoreFolder]:
    """The folders of packages of the first environment of a folder that has any."""
    for environment in _environments(project, folder):
        found = (project.store_in(environment, path) for path in _site_folders(environment))
        sites = [*dict.fromkeys(site for site in found if site is not None)]
        if sites:
            return sites
    return []


def _environments(project: ProjectStores, folder: str) -> Iterator[StoreFolder]:
    own = (project.own_store(below(folder, name)) for name in _IN_PROJECT)
    packages = project.own_store(below(folder, "__pypackages__"))
    found: list[StoreFolder | None] = [*own, packages]
    if folder in project.folders_with(*MANIFESTS):
        variables = ("UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV", "CONDA_PREFIX")
        named = [project.environment.get(name, "") for name in variables]
        found[:0] = (
            [project.named_store(os.path.join(project.root, folder, named[0]))] if named[0] else []
        )
        found += [project.named_store(path) for path in named[1:] if path]
        found += map(project.store, _elsewhere(project, folder))
    yield from (store for store in found if store is not None)


def _elsewhere(project: ProjectStores, folder: str) -> Iterator[str]:
    """Environments that poetry and pipenv keep in the user's folders, by the project's path."""
    path = os.path.normcase(os.path.join(project.root, folder).rstrip(os.sep))
    places = (
        project.users_folder("POETRY_VIRTUALENVS_PATH", ".cache", "pypoetry", "virtualenvs"),
        project.users_folder("WORKON_HOME", ".local", "share", "virtualenvs"),
    )
    digests = {_digest_of(path), _digest_of(os.path.join(path, "Pipfile"))}
    for place in places:
        store = project.store(place)
        for name in [] if store is None else store.folders():
            if any(f"-{digest}" in name for digest in digests):
                yield os.path.join(place, name)


def _digest_of(path: str) -> str:
    digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).digest()
    return base64.urlsafe_b64encode(digest).decode()[:_HASH_CHARS]


def _site_folders(environment: StoreFolder) -> Iterator[str]:
    """The folders of packages in an environment, as each system has them."""
    for lib in ("lib", "lib64"):
        for version in environment.folders(lib):
            if version.startswith((NAME, "pypy")):
                yield f"{lib}/{version}/site-packages"
    yield "Lib/site-packages"
    for version in environment.folders():
        if version[:1].isdigit():  # __pypackages__/3.12/lib
            yield f"{version}/lib"


def _packages_in(site: StoreFolder, folder: str) -> Iterator[InstalledPackage]:
    found = [item for name in site.folders() for item in _distribution(site, name)]
    tops = Counter(top for item in found for top in {path.partition("/")[0] for path in item.files})
    shared = {top for top, count in tops.items() if count > 1}
    needed = {name for item in found for name in item.requires}
    for item in found:
        entries = sorted(set(_entries(item.files, shared)))
        yield InstalledPackage(
            NAME,
            item.name,
            item.version,
            site.path,
            tuple(entries),
            tuple(dict.fromkeys(_import_name(entry) for entry in entries)),
            item.requires,
            item.is_requested or normalized(item.name) not in needed,
            folder,
        )


def _entries(files: Iterable[str], shared: set[str]) -> Iterator[str]:
    """The names of a distribution in its folder; of folders that others share, its own in these."""
    for path in files:
        top, slash, _ = path.partition("/")
        if top not in shared:
            yield top
        elif slash and path.count("/") > 1:
            yield path.rpartition("/")[0]
        else:
            yield path


def _import_name(entry: str) -> str:
    return _MODULE.sub("", entry).partition("-stubs")[0].replace("/", ".")


def _distribution(site: StoreFolder, name: str) -> Iterator[_Distribution]:
    """The distribution that a folder of metadata is of; none without files in this folder."""
    match = _INFO.fullmatch(name)
    if match is None:
        return
    metadata = site.text(f"{name}/METADATA") or site.text(f"{name}/PKG-INFO")
    head = metadata.partition("\n\n")[0].replace("\r\n", "\n")
    files = tuple(_recorded(site, name))
    if not files:
        return
    requires = [
        normalized(found["name"])
        for line in head.splitlines()
        if (found := _REQUIRES.match(line)) and "extra ==" not in found["rest"]
    ]
    named = _NAME.search(head)
    yield _Distribution(
        named[1] if named else match["name"],
        match["version"],
        files,
        tuple(dict.fromkeys(requires)),
        "REQUESTED" in site.files(name),
    )


def _recorded(site: StoreFolder, info: str) -> Iterator[str]:
    """The paths of source files of a distribution, as it records them."""
    lines = site.text(f"{info}/RECORD").splitlines()
    paths = (line.rsplit(",", 2)[0].strip('"') for line in lines)
    if not lines:  # an installer of before wheels
        paths = (line.strip() for line in site.text(f"{info}/top_level.txt").splitlines())
        there = {*site.folders(), *site.files()}
        yield from (one for path in paths for one in (path, f"{path}.py") if one in there)
        return
    for path in paths:
        top = path.partition("/")[0]
        if top in {"", "..", "__pycache__"} or top.endswith((".dist-info", ".egg-info", ".data")):
            continue
        if "__pycache__/" not in path and not path.endswith(".pth"):
            yield path


def normalized(name: str) -> str:
    """A name of a distribution as others are compared with it."""
    return re.sub(r"[-_.]+", "-", name).lower()

"""Modules of Go: the versions that `go.mod` requires, in the module cache."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final

from code_graph.projects.manifests.go import directives
from code_graph.projects.model import ProjectKind
from code_graph.projects.tree import below
from repo_mcp.dependencies.package import InstalledPackage, version_order
from repo_mcp.dependencies.store import ProjectStores, StoreFolder

NAME: Final = ProjectKind.GO.value
MANIFESTS: Final = frozenset({"go.mod", "go.work"})
# the version of the language since which manifests name what others need, too
_COMPLETE_SINCE: Final = "1.17"
_MOST_MODULES: Final = 4_000
_UPPER: Final = re.compile(r"[A-Z]")


def find(project: ProjectStores) -> Iterator[InstalledPackage]:
    """The modules that manifests require and replace, and all they need, that were downloaded."""
    store = project.store(_module_cache(project))
    if store is None:
        return
    for folder in project.folders_with("go.mod"):
        text = project.text(below(folder, "go.mod"))
        found = [*_of_manifest(store, text)]
        chosen = _chosen(store, found, is_complete=_is_complete(text))
        for package, is_direct in chosen:
            yield package._replace(is_direct=is_direct, used_in=folder)


def _of_manifest(store: StoreFolder, text: str) -> Iterator[tuple[InstalledPackage, bool]]:
    """The modules that a manifest names by their names in it."""
    replaced = dict(_replacements(text))
    for module, version, is_direct in _required(text):
        other = replaced.get(module) or replaced.get(f"{module}@{version}")
        found = _module(store, *(other or (module, version)))
        if found is not None:
            yield found._replace(name=module, offers=(module,)), is_direct


def _chosen(
    store: StoreFolder, named: list[tuple[InstalledPackage, bool]], *, is_complete: bool
) -> list[tuple[InstalledPackage, bool]]:
    """The modules of a manifest, and those that they need, each in the newest version asked for.

    A complete manifest decides about the modules that it names.
    """
    best = {package.name: (package, is_direct) for package, is_direct in named}
    own = frozenset(best) if is_complete else frozenset[str]()
    waiting = [package for package, _ in named]
    seen: set[tuple[str, str]] = {(package.name, package.version) for package in waiting}
    while waiting and len(seen) < _MOST_MODULES:
        manifest = f"{waiting.pop().folder.removeprefix(store.path).strip(os.sep)}/go.mod"
        for module, version, _ in _required(store.text(manifest)):
            if (module, version) in seen or module in own:
                continue
            seen.add((module, version))
            found = _module(store, module, version)
            if found is None:
                continue
            waiting.append(found)
            known, is_direct = best.get(module, (None, False))
            if known is None or _order(known.version) < _order(version):
                best[module] = found, is_direct
    return [*best.values()]


def _is_complete(manifest: str) -> bool:
    """True if a manifest names all modules, also those that others need."""
    versions = [words[1] for words, _ in directives(manifest) if words[0] == NAME and words[1:]]
    return any(_order(version) >= _order(_COMPLETE_SINCE) for version in versions)


def _order(version: str) -> tuple[list[tuple[bool, int, str]], bool, list[tuple[bool, int, str]]]:
    """Versions by their numbers; one before a release comes before it."""
    release, mark, before = version.partition("-")
    return version_order(release), not mark, version_order(before)


def _module_cache(project: ProjectStores) -> str:
    named = project.environment.get("GOMODCACHE", "")
    if named:
        return named
    path = project.users_folder("GOPATH", NAME)
    return f"{path.partition(':')[0]}/pkg/mod" if path else ""


def _module(store: StoreFolder, module: str, version: str) -> InstalledPackage | None:
    """A module of the cache, where capital letters are written as small ones with a mark."""
    folder = _escaped(f"{module}@{version}")
    parent, _, name = folder.rpartition("/")
    if not module or name not in store.folders(parent):
        return None
    needed = [one for one, _, is_direct in _required(store.text(f"{folder}/go.mod")) if is_direct]
    return InstalledPackage(NAME, module, version, store.real(folder), (), (module,), tuple(needed))


def _escaped(path: str) -> str:
    return _UPPER.sub(lambda found: f"!{found[0].lower()}", path)


def _required(text: str) -> Iterator[tuple[str, str, bool]]:
    """Modules with versions, and whether the manifest's own packages import them."""
    for words, comment in directives(text):
        if words[0] == "require" and len(words) > 2:
            yield words[1], words[2], "indirect" not in comment


def _replacements(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Modules, also with `@` and a version, and what stands for them; folders are none."""
    for words, _ in directives(text):
        if words[0] == "replace" and "=>" in words:
            at = words.index("=>")
            old, new = words[1:at], words[at + 1 :]
            if old and len(new) > 1:
                yield "@".join(old[:2]), (new[0], new[1])

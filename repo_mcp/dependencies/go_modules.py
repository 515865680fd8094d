"""Modules of Go: the versions that `go.mod` requires, in the module cache."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.projects.manifests.go import directives
from code_graph.projects.model import ProjectKind
from code_graph.projects.tree import below
from repo_mcp.dependencies.package import InstalledPackage
from repo_mcp.dependencies.store import ProjectStores, StoreFolder

NAME: Final = ProjectKind.GO.value
MANIFESTS: Final = frozenset({"go.mod", "go.work"})
_UPPER: Final = re.compile(r"[A-Z]")


def find(project: ProjectStores) -> Iterator[InstalledPackage]:
    """The modules that manifests require and replace, and that were downloaded."""
    store = project.store(_module_cache(project))
    if store is None:
        return
    for folder in project.folders_with("go.mod"):
        text = project.text(below(folder, "go.mod"))
        replaced = dict(_replacements(text))
        for module, version, is_direct in _required(text):
            other = replaced.get(module) or replaced.get(f"{module}@{version}")
            found = _module(store, *(other or (module, version)))
            if found is not None:
                yield found._replace(
                    name=module, offers=(module,), is_direct=is_direct, used_in=folder
                )


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

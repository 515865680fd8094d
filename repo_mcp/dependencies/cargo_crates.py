"""Crates of Rust: the versions that `Cargo.lock` names, as Cargo has unpacked them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from code_graph.formats import toml
from code_graph.projects.model import ProjectKind
from code_graph.projects.tree import below
from repo_mcp.dependencies.package import InstalledPackage
from repo_mcp.dependencies.store import ProjectStores, StoreFolder

NAME: Final = ProjectKind.CARGO.value
MANIFESTS: Final = frozenset({"Cargo.lock", "Cargo.toml"})
# crates that Debian installs, which its Cargo builds with
_SYSTEM: Final = "/usr/share/cargo/registry"
_REVISION_CHARS: Final = 7


def find(project: ProjectStores) -> Iterator[InstalledPackage]:
    """The crates of each lock file that are unpacked here."""
    home = project.users_folder("CARGO_HOME", ".cargo")
    stores = [*_registries(project, f"{home}/registry/src" if home else "")]
    checkouts = project.store(f"{home}/git/checkouts") if home else None
    for folder in project.folders_with(*MANIFESTS):
        locked = _locked(project.text(below(folder, "Cargo.lock")))
        own = [item for item in locked if not item.get("source")]
        direct = {name for item in own for name in _needed(item)}
        for item in locked:
            name, version = str(item.get("name", "")), str(item.get("version", ""))
            source = str(item.get("source", ""))
            place = _place(stores, checkouts, name, version, source)
            if source and place:
                offers = (name.replace("-", "_"),)
                needed = tuple(dict.fromkeys(_needed(item)))
                yield InstalledPackage(
                    NAME, name, version, place, (), offers, needed, name in direct, folder
                )


def _registries(
    project: ProjectStores, sources: str
) -> Iterator[tuple[StoreFolder, frozenset[str]]]:
    """The folders of unpacked crates, with the names of what is in them."""
    store = project.store(sources)
    names = [] if store is None else store.folders()
    for path in (*(f"{sources}/{name}" for name in names), _SYSTEM):
        registry = project.store(path)
        if registry is not None:
            yield registry, frozenset(registry.folders())


def _place(
    registries: list[tuple[StoreFolder, frozenset[str]]],
    checkouts: StoreFolder | None,
    name: str,
    version: str,
    source: str,
) -> str:
    """The folder of a crate; empty if it is not unpacked here."""
    folder = f"{name}-{version}"
    if source.startswith("git+"):
        return "" if checkouts is None else _checkout(checkouts, name, source)
    return next((one.real(folder) for one, names in registries if folder in names), "")


def _checkout(checkouts: StoreFolder, name: str, source: str) -> str:
    """The folder of a crate in the checkout of its repository at a revision."""
    address, _, revision = source.removeprefix("git+").partition("#")
    repository = address.partition("?")[0].rstrip("/").rpartition("/")[2].removesuffix(".git")
    for clone in checkouts.folders():
        if clone.rpartition("-")[0] == repository:
            whole = f"{clone}/{revision[:_REVISION_CHARS]}"
            for place in (whole, f"{whole}/{name}", f"{whole}/crates/{name}"):
                if _name_in(checkouts.text(f"{place}/Cargo.toml")) == name:
                    return checkouts.real(place)
    return ""


def _name_in(manifest: str) -> str:
    package = _table(manifest).get("package")
    return str(package.get("name", "")) if isinstance(package, Mapping) else ""


def _locked(text: str) -> list[Mapping[str, Any]]:
    found = _table(text).get("package")
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []


def _needed(item: Mapping[str, Any]) -> Iterator[str]:
    """The names of what a crate depends on; one with several versions has its version behind."""
    found = item.get("dependencies")
    for text in found if isinstance(found, list) else ():
        if isinstance(text, str):
            yield text.partition(" ")[0]


def _table(text: str) -> Mapping[str, Any]:
    try:
        return toml.parse_toml(text)
    except toml.TomlError:
        return {}

"""Reads Cargo.toml: crates, their targets, dependencies and workspaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from code_graph.projects.manifests.values import (
    MAX_ITEMS,
    local_folders,
    table_of,
    tables_of,
    text_of,
    texts_of,
    toml_table,
)
from code_graph.projects.model import ProjectKind, ProjectManifest, Target
from code_graph.projects.tree import join, parent

# of crates that name none
FIRST_EDITION: Final = "2015"
_SECTIONS: Final = ("dependencies", "dev-dependencies", "build-dependencies")
_TARGETS: Final = (
    ("lib", "library"),
    ("bin", "executable"),
    ("example", "example"),
    ("test", "test"),
    ("bench", "bench"),
)


def read_cargo(path: str, folder: str, text: str) -> ProjectManifest:
    """Read a Cargo.toml; a workspace without a package is no project."""
    whole = toml_table(text)
    package = table_of(whole, "package") or table_of(whole, "project")
    name = text_of(package.get("name"))
    workspace = table_of(whole, "workspace")
    named = _dependencies(whole, workspace)
    aliases = {key.replace("-", "_"): real for key, real in named if key != real}
    members = (join(folder, item) for item in texts_of(workspace.get("members")))
    return ProjectManifest(
        path,
        ProjectKind.CARGO,
        folder,
        name,
        is_project=bool(name),
        targets=tuple(_targets(whole, folder, name)),
        members=tuple(member for member in members if member is not None),
        aliases=aliases,
        version=text_of(package.get("version")),
        details=FIRST_EDITION if package.get("edition", FIRST_EDITION) == FIRST_EDITION else "",
        replaced=dict(
            row
            for section in _SECTIONS
            for row in local_folders(folder, table_of(whole, section).items())
        ),
        requires=texts_of([real for _, real in _dependencies(whole, workspace={})]),
    )


def _dependencies(
    whole: Mapping[str, Any], workspace: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """The name that each dependency is used by, and its own; `workspace` may give some, too."""
    platforms = [table_of(item) for item in list(table_of(whole, "target").values())[:MAX_ITEMS]]
    for table in (whole, *platforms, workspace):
        for section in _SECTIONS:
            for key, value in list(table_of(table, section).items())[:MAX_ITEMS]:
                yield key, text_of(table_of(value).get("package")) or key


def _targets(whole: Mapping[str, Any], folder: str, package: str) -> Iterator[Target]:
    """Targets that the manifest names; others are found by where their files are."""
    for section, kind in _TARGETS:
        value = whole.get(section)
        for table in [value] if isinstance(value, dict) else tables_of(value):
            name = text_of(table.get("name")) or package
            file = join(folder, text_of(table.get("path"))) if table.get("path") else None
            if file:
                yield Target(name, kind, parent(file), file)
            elif kind == "library":
                yield Target(name, kind, join(folder, "src") or folder)

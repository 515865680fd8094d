"""The npm packages of a repository, by folder and by the name that others import them by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from code_graph.projects.catalog import Projects
from code_graph.projects.manifests.npm import Entry, NpmDetails
from code_graph.projects.model import Project, ProjectKind

# packages in folders of these names stand for others of their name only if a workspace has them
_SAMPLES: Final = frozenset(
    {"__fixtures__", "__mocks__", "__tests__", "e2e", "example", "examples", "fixture", "fixtures"}
    | {"playground", "sample", "samples", "template", "templates", "test", "testdata", "tests"}
)


class NpmPackage(NamedTuple):
    """Entry points for imports of a package; the most exact come first."""

    folder: str
    name: str
    exports: tuple[Entry, ...]
    imports: tuple[Entry, ...]
    main: tuple[str, ...]


def packages_of(
    projects: Projects,
) -> tuple[dict[str, NpmPackage], Mapping[str, tuple[str, ...]]]:
    """Packages by folder, and the folders of those that can be imported, by name."""
    members = {one.root: one for one in projects.all if one.kind is ProjectKind.NPM}
    by_folder: dict[str, NpmPackage] = {}
    by_name: dict[str, list[Project]] = {}
    for manifest in projects.manifests:
        if isinstance(manifest.details, NpmDetails):
            details = manifest.details
            by_folder[manifest.folder] = NpmPackage(
                manifest.folder,
                manifest.name,
                _by_exactness(details.exports),
                _by_exactness(details.imports),
                details.main,
            )
            project = members.get(manifest.folder)
            # an application is called as it likes: without an entry nothing imports it
            if project is not None and (project.workspace or details.has_exports or details.main):
                by_name.setdefault(manifest.name, []).append(project)
    return by_folder, {name: _best(found) for name, found in by_name.items()}


def _by_exactness(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Names without a star first, then patterns, those with the longest text before it first."""
    return tuple(
        sorted(entries, key=lambda one: ("*" in one.name, -len(one.name.partition("*")[0])))
    )


def _best(found: list[Project]) -> tuple[str, ...]:
    """The folders that a name may mean: members of workspaces and the root, else no samples."""
    listed = [one for one in found if one.workspace or not one.root]
    plain = [one for one in found if _SAMPLES.isdisjoint(one.root.split("/"))]
    return tuple(sorted(one.root for one in listed or plain or found))

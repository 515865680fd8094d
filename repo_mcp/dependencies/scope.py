"""Finds out whether a call is about installed packages: `in:deps`, `repo:NAME`, paths of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from repo_mcp.dependencies.catalog import Packages
from repo_mcp.errors import Problem, near_names
from repo_mcp.indexing.build.mounts import PACKAGES
from repo_mcp.model import AnswerWarning
from repo_mcp.place.arguments import GLOBS, QUERIES, is_of_lines, paths_of, texts_of
from repo_mcp.place.conditions import IN, REPO, take_names
from repo_mcp.place.place import Place, PlacedQuestion

# in a query: in all packages
_EVERYWHERE: Final = frozenset({"deps", "dependencies"})
# in the place of a name: all packages
_EVERY: Final = frozenset({PACKAGES, f"{PACKAGES}*", f"{PACKAGES}**"})
# packages that are searched at once: each has an index, and most that a project needs are near
MOST_SEARCHED: Final = 200


def may_name_packages(arguments: Mapping[str, Any]) -> bool:
    """True if any argument has a word that packages are named by; looks for no package."""
    return any(
        PACKAGES in text or f"{REPO}:" in text or f"{IN}:" in text
        for value in arguments.values()
        for text in texts_of(value)
    )


def place_in_packages(arguments: Mapping[str, Any], packages: Packages) -> PlacedQuestion | None:
    """The packages that a call is about, and the call without their names; None for the project."""
    for name in () if is_of_lines(arguments) else QUERIES:
        for text in texts_of(arguments.get(name)):
            mounts, left = _take_packages(text, packages)
            if left != text:
                return _nearest_of(mounts, {**arguments, name: left})
    mounts = [*dict.fromkeys(_mounts_of_paths(arguments))]
    if not _EVERY.isdisjoint(mounts):
        return _nearest_of([*packages.by_mount], arguments)
    for mount in mounts:
        if mount not in packages.by_mount:
            raise Problem("not_found", _unknown(mount, packages))
    return PlacedQuestion(Place(packages=tuple(mounts)), arguments) if mounts else None


def _take_packages(text: str, packages: Packages) -> tuple[Sequence[str], str]:
    """The packages that conditions of a query name, or all, and the query without these."""
    _, left = take_names(text, IN, lambda condition: _EVERYWHERE & {condition.name})
    named, left = take_names(
        left,
        REPO,
        lambda condition: [mount for name in condition.names for mount in packages.find(name)],
    )
    return [*dict.fromkeys(named)] or [*packages.by_mount], left


def _nearest_of(mounts: Sequence[str], arguments: Mapping[str, Any]) -> PlacedQuestion:
    """A call about the first packages, which are those that the project names itself."""
    if not mounts:
        raise Problem("not_found", "no package is installed where dependencies are looked for")
    question = PlacedQuestion(Place(packages=tuple(mounts[:MOST_SEARCHED])), arguments)
    if len(mounts) <= MOST_SEARCHED:
        return question
    text = (
        f"the first {MOST_SEARCHED} packages were searched, and {len(mounts) - MOST_SEARCHED} more"
        f" were not: name some as {REPO}:NAME"
    )
    return question._replace(warnings=(AnswerWarning("packages_left_out", text),))


def _mounts_of_paths(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The folders of packages that paths, globs and places in arguments begin with."""
    for name, value in arguments.items():
        if name in QUERIES:
            continue
        places = [*paths_of(name, value)]
        named = [place for place in places if place.startswith(PACKAGES)]
        if name in GLOBS and named and len(named) < len(places):
            raise Problem(
                "argument_invalid", f"{name}: globs of packages and of the repository, each alone"
            )
        yield from (re.split(r"[/#]", place, maxsplit=1)[0] for place in named)


def _unknown(mount: str, packages: Packages) -> str:
    near = near_names(mount, packages.by_mount, 3)
    if near:
        return f"no package {mount} is installed; did you mean {', '.join(near)}?"
    return f"no package {mount} is installed; repo.status lists those that are"

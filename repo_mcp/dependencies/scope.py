"""Finds out whether a call is about installed packages: `in:deps`, `repo:NAME`, paths of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.paths.globs import split_globs
from index_format.tuples import NamedTuple
from repo_mcp.dependencies.catalog import Packages
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.mounts import PACKAGES

# in a query: in all packages, and in those that are named
_IN_DEPS: Final = re.compile(r"(?:^|(?<=[\s(]))in:(?:deps|dependencies)(?=$|[\s)])")
_REPO: Final = re.compile(r"(?:^|(?<=[\s(]))repo:(?:\"([^\"]+)\"|([^\s()\"]+))")
# arguments that are queries, and those that name places or symbols
_QUERIES: Final = ("query", "question", "task", "goal", "topic")
_GLOBS: Final = frozenset({"file_glob", "glob"})
# modes whose queries have no conditions
_PLAIN_MODES: Final = frozenset({"literal", "regex", "structure"})
# in the place of a name: all packages
_EVERY: Final = frozenset({PACKAGES, f"{PACKAGES}*", f"{PACKAGES}**"})
# packages that are searched at once: each has an index, and most that a project needs are near
MOST_SEARCHED: Final = 200


class PackageScope(NamedTuple):
    """The packages that a call is about, its arguments without conditions, and how many more."""

    mounts: tuple[str, ...]
    arguments: Mapping[str, Any]
    left_out: int = 0


def may_name_packages(arguments: Mapping[str, Any]) -> bool:
    """True if any argument has a word that packages are named by; looks for no package."""
    for value in arguments.values():
        for text in [value] if isinstance(value, str) else _texts(value):
            if PACKAGES in text or "repo:" in text or "in:dep" in text:
                return True
    return False


def find_package_scope(arguments: Mapping[str, Any], packages: Packages) -> PackageScope | None:
    """The scope of a call; None if it is about the project."""
    named = _named_in_query(arguments, packages)
    if named is not None:
        return named
    mounts = dict.fromkeys(_mounts_of_paths(arguments))
    if not mounts:
        return None
    if not _EVERY.isdisjoint(mounts):
        return _scope_of([*packages.by_mount], arguments)
    for mount in mounts:
        if mount not in packages.by_mount:
            raise Problem("not_found", _unknown(mount, packages))
    return PackageScope(tuple(mounts), arguments)


def _named_in_query(arguments: Mapping[str, Any], packages: Packages) -> PackageScope | None:
    if arguments.get("mode") in _PLAIN_MODES:
        return None
    for name in _QUERIES:
        text = arguments.get(name)
        if not isinstance(text, str) or ("in:dep" not in text and "repo:" not in text):
            continue
        mounts: dict[str, None] = {}
        for match in _REPO.finditer(text):
            for wanted in [match[1]] if match[1] else match[2].split(","):
                mounts.update(dict.fromkeys(packages.find(wanted)))
        plain = _IN_DEPS.sub("", text)
        if mounts:
            plain = _REPO.sub("", plain)
        elif plain == text:
            return None
        changed = {**arguments, name: " ".join(plain.split())}
        return _scope_of([*(mounts or packages.by_mount)], changed)
    return None


def _scope_of(mounts: Sequence[str], arguments: Mapping[str, Any]) -> PackageScope:
    """The first packages, which are those that the project names itself."""
    if not mounts:
        raise Problem("not_found", "no package is installed where dependencies are looked for")
    shown = tuple(mounts[:MOST_SEARCHED])
    return PackageScope(shown, arguments, len(mounts) - len(shown))


def _mounts_of_paths(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The folders of packages that paths, globs and places in arguments begin with."""
    for name, value in arguments.items():
        if name in _QUERIES:
            continue
        texts = [value] if isinstance(value, str) else _texts(value)
        if name in _GLOBS:
            texts = [pattern for text in texts for pattern in split_globs(text)[0]]
        places = [text.removeprefix("./") for text in texts]
        named = [place for place in places if place.startswith(PACKAGES)]
        if name in _GLOBS and named and len(named) < len(places):
            raise Problem(
                "argument_invalid", f"{name}: globs of packages and of the repository, each alone"
            )
        yield from (re.split(r"[/#]", place, maxsplit=1)[0] for place in named)


def _texts(value: object) -> Sequence[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _unknown(mount: str, packages: Packages) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 only for an error

    near = get_close_matches(mount, packages.by_mount, 3)
    if near:
        return f"no package {mount} is installed; did you mean {', '.join(near)}?"
    return f"no package {mount} is installed; repo.status lists those that are"

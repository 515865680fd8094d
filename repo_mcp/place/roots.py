"""Finds the roots that a call is about, so that no others are opened.

A query may say `repo:name` and `-repo:name`; several `repo:` are alternatives. They become
conditions of paths, which searches know. Those that are named are asked alone: scores are those of
one index of these roots. Questions about the past are of paths, and have `repo:name` as one; the
name of a symbol is looked for below the root.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from repo_mcp.model import AnswerWarning
from repo_mcp.place.arguments import (
    FURTHER_QUERIES,
    GLOBS,
    PATHS,
    QUERY,
    RANGES,
    SYMBOLS,
    change_texts,
    is_of_lines,
    paths_of,
    take_from_all,
    texts_of,
)
from repo_mcp.place.conditions import (
    REPO,
    PlaceCondition,
    find_conditions,
    replace_conditions,
    take_names,
)

# roots that a warning names
_MOST_NAMED: Final = 20
_OPERATORS: Final = re.compile(r"\b(?:AND|OR|NOT)\b|[()]")


class RootNames:
    """The names of the roots of a workspace, as conditions and paths have them."""

    def __init__(self, names: Sequence[str]) -> None:
        """Names are compared without case."""
        self.all = tuple(names)
        self._known = {name.casefold(): name for name in names}

    def named(self, condition: PlaceCondition) -> Collection[str]:
        """The roots that a condition names; none if one of its names is unknown."""
        found = [self._known.get(name.casefold()) for name in condition.names]
        return [name for name in found if name is not None] if None not in found else ()

    def as_paths(self, condition: PlaceCondition) -> str | None:
        """The same as a condition of paths; None if it names no root."""
        names = self.named(condition)
        if condition.is_excluded and names:
            return " ".join(f"-path:{_glob_of(name)}" for name in names)
        return (f"({_any_of(names)})" if len(names) > 1 else _any_of(names)) or None

    def in_order(self, names: Collection[str]) -> tuple[str, ...]:
        """Some names in the order in which the roots were given."""
        return tuple(name for name in self.all if name in names)


def choose_roots(
    arguments: Mapping[str, Any], roots: RootNames, *, is_past: bool, has_texts: bool
) -> tuple[Collection[str], Mapping[str, Any]]:
    """The roots that are enough for a call, none for all, and its arguments without `repo:`.

    Calls are narrowed that texts alone answer, others ask a graph of all roots; `is_past` is true
    for those about a revision, which one root has.
    """
    chosen, given = _of_queries(arguments, roots)
    # of a ranked query a glob is a condition: scores are those of all roots
    if has_texts and (is_of_lines(given) or QUERY not in given):
        chosen = _of_places(given, roots)
    if is_past:
        return (chosen, given) if chosen else _of_any_text(given, roots)
    below = {
        name: change_texts(value, lambda text: _below_root(text, roots))
        for name, value in given.items()
        if name in SYMBOLS
    }
    return chosen if has_texts else (), {**given, **below}


def root_as_path(arguments: Mapping[str, Any], roots: RootNames) -> Mapping[str, Any]:
    """The arguments with the one root that any text names as their path, unless they have one."""
    named, left = take_from_all(arguments, REPO, roots.named)
    if len({*named}) != 1:
        return arguments
    return {**left, "path": left.get("path") or named[0]}


def find_misunderstood(arguments: Mapping[str, Any], roots: RootNames) -> Iterator[AnswerWarning]:
    """A warning for each `repo:` of a query that names no root, or is a part of the text."""
    text, is_plain = arguments.get(QUERY), is_of_lines(arguments)
    for condition in find_conditions(text, REPO) if isinstance(text, str) else ():
        named = roots.named(condition)
        if is_plain and named:
            glob = f"file_glob {next(iter(named))}/**"
            reason = f"{condition.written} is a part of the text here"
            yield AnswerWarning("root_in_text", f"{reason}; {glob} restricts the answer to a root")
        elif not is_plain and not named:
            known = ", ".join(roots.all[:_MOST_NAMED])
            reason = f"{condition.written} names no root, and was searched as words"
            yield AnswerWarning("root_unknown", f"{reason}; roots: {known}")


def with_paths(query: str, roots: RootNames) -> tuple[str, Collection[str]]:
    """A ranked query with paths in the place of roots, and those that it is limited to, if any."""
    wanted = [
        condition
        for condition in find_conditions(query, REPO)
        if roots.named(condition) and not condition.is_excluded
    ]
    limits = dict.fromkeys(name for condition in wanted for name in roots.named(condition))
    if _OPERATORS.search(query):
        return replace_conditions(query, REPO, roots.as_paths), ()
    if len(wanted) < 2:
        return replace_conditions(query, REPO, roots.as_paths), limits
    # adjacent conditions would all have to hold
    left = replace_conditions(
        query, REPO, lambda condition: "" if condition in wanted else roots.as_paths(condition)
    )
    return f"{left.strip()} ({_any_of(limits)})".strip(), limits


def _of_queries(
    arguments: Mapping[str, Any], roots: RootNames
) -> tuple[Collection[str], Mapping[str, Any]]:
    """The roots that a query is limited to, and the arguments with paths in their place."""
    if is_of_lines(arguments):
        return (), arguments
    limits: list[Collection[str]] = []

    def with_limits(text: str) -> str:
        query, names = with_paths(text, roots)
        limits.append(names)
        return query

    given = {
        name: change_texts(value, with_limits) if name in {QUERY, FURTHER_QUERIES} else value
        for name, value in arguments.items()
    }
    # further queries may be about other roots
    return limits[0] if len(limits) == 1 else (), given


def _of_places(arguments: Mapping[str, Any], roots: RootNames) -> Collection[str]:
    """The roots that paths and globs begin with; none if any begins with something else."""
    first, further = (
        {
            path.partition("/")[0]
            for name in names & arguments.keys()
            for path in paths_of(name, arguments[name])
        }
        for names in (GLOBS | PATHS, {RANGES})
    )
    names = {*roots.all}
    return first | further & names if first and first <= names else ()


def _of_any_text(
    arguments: Mapping[str, Any], roots: RootNames
) -> tuple[Collection[str], Mapping[str, Any]]:
    """The roots that any text names, by `repo:` or as a path, and the arguments without these."""
    named, left = take_from_all(arguments, REPO, roots.named)
    chosen = {*named}
    for name, value in left.items():
        for word in " ".join(texts_of(value)).split():
            first, slash, _ = word.removeprefix("./").partition("/")
            if first in roots.all and (slash or name in PATHS):
                chosen.add(first)
    return chosen, left


def _below_root(symbol: str, roots: RootNames) -> str:
    """The name of a symbol with the root that `repo:` names in the place of a folder."""
    names, left = take_names(symbol, REPO, roots.named)
    return f"{names[0]}:{left}" if len(names) == 1 and left else symbol


def _any_of(names: Collection[str]) -> str:
    """A condition of paths in any of these roots."""
    return " OR ".join(f"path:{_glob_of(name)}" for name in names)


def _glob_of(name: str) -> str:
    """A glob of everything in a root."""
    glob = re.sub(r"([*?\[\]{}])", r"[\1]", name)
    return f'"/{glob}/"' if re.search(r"[\s(),;]", name) else f"/{glob}/"

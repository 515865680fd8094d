"""Reads the place of a call out of its arguments, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from repo_mcp.errors import Problem
from repo_mcp.place.arguments import REVISIONS, take_from_all
from repo_mcp.place.conditions import BUILD, REVISION
from repo_mcp.place.place import Place, PlacedQuestion
from repo_mcp.place.roots import RootNames, choose_roots, find_misunderstood, root_as_path


def read_place(
    arguments: Mapping[str, Any],
    roots: Sequence[str] = (),
    *,
    is_of_past: bool = False,
    has_texts: bool = False,
) -> PlacedQuestion:
    """The place of a call, and its arguments without the names of it; raises a `Problem`.

    Questions of the past have a revision and paths of their own. A call that texts alone answer is
    narrowed to the roots that it names.
    """
    names = RootNames(roots)
    builds, arguments = take_from_all(arguments, BUILD, lambda condition: condition.names)
    question = _read_roots(arguments, names, is_of_past=is_of_past, has_texts=has_texts)
    return question._replace(place=question.place._replace(builds=(*dict.fromkeys(builds),)))


def _read_roots(
    arguments: Mapping[str, Any], names: RootNames, *, is_of_past: bool, has_texts: bool
) -> PlacedQuestion:
    """The roots and the revision of a call, and its arguments without these."""
    if is_of_past:
        return PlacedQuestion(Place(), root_as_path(arguments, names) if names.all else arguments)
    revision, left = _take_revision(arguments)
    if not names.all:
        return PlacedQuestion(Place(revision=revision), left)
    chosen, given = choose_roots(left, names, is_past=bool(revision), has_texts=has_texts)
    warnings = tuple(find_misunderstood(left, names))
    return PlacedQuestion(Place(names.in_order(chosen), revision), given, warnings)


def _take_revision(arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The revision of `rev` and `rev:NAME`, empty for the files as they are, and the rest."""
    given = {name: value for name, value in arguments.items() if name not in REVISIONS}
    named, left = take_from_all(given, REVISION, lambda condition: [condition.name])
    revisions = [revision for name in REVISIONS if (revision := arguments.get(name))]
    several = [*dict.fromkeys([*revisions, *named])]
    if len(several) > 1:
        text = f"a call is about one revision, not {several[0]} and {several[1]}"
        raise Problem("argument_invalid", text)
    return (several[0], left) if several else ("", arguments)

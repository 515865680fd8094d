"""Finds out which installed packages a command line is about, and answers from these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from code_graph.paths.installed import is_package
from index_format.tuples import NamedTuple
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.packages import ServedPackages
from repo_mcp.services import Services

# options with the question of a command, by the names that tools have for them
_QUESTIONS: Final = {"words": "query", "query": "query", "prompt": "task"}
# options that name files, symbols and places
_PLACES: Final = frozenset(["place", "file", "path", "name", "source", "target", "glob"])


class CommandParts(NamedTuple):
    """The command line and the index that a command answers from, and notes on its limits."""

    args: CommandLine
    services: Services
    notes: Sequence[str] = ()


def of_named_packages(
    args: CommandLine, services: Services, packages: ServedPackages, mode: str = ""
) -> CommandParts:
    """The parts of the packages that a command line names, else those of the project.

    A query in a `mode` of lines has no conditions.
    """
    given = vars(args)
    words: Sequence[str] = given.get("words") or ()
    arguments: dict[str, Any] = {name: given[name] for name in _PLACES if given.get(name)}
    # the first word is what is searched for, as long as nothing else is
    is_first = not (given.get("regexp") or given.get("structure") or given.get("files"))
    arguments["words"] = [word for word in words[is_first:] if is_package(word)]
    for name, asked in _QUESTIONS.items():
        if given.get(name):
            text = given[name]
            arguments[asked] = text if isinstance(text, str) else " ".join(text)
    if mode:
        arguments["mode"] = mode
    question = packages.read_place(arguments)
    if question is None:
        return CommandParts(args, services._replace(outside=packages.places))
    changed = args.replaced()
    for name, asked in _QUESTIONS.items():
        if given.get(name) and question.arguments[asked] != arguments[asked]:
            text = question.arguments[asked]
            setattr(changed, name, text if isinstance(given[name], str) else text.split(" "))
    notes = [warning.text for warning in question.warnings]
    return CommandParts(changed, packages.services(question.place), notes)


def of_indexed_packages(args: CommandLine, packages: ServedPackages) -> CommandParts | None:
    """The parts of those packages that are indexed already; None if there are none."""
    question = packages.dependencies.instead({})
    if question is None:
        return None
    notes = [warning.text for warning in question.warnings]
    return CommandParts(args, packages.services(question.place), notes)

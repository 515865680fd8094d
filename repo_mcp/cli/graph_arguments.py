"""The commands that ask the symbol graph, and their options."""

from __future__ import annotations

import argparse
from enum import StrEnum
from functools import partial
from typing import Final

from repo_mcp.cli.help.values import positive
from repo_mcp.text.cutting import SYMBOL_CHARS


class GraphCommand(StrEnum):
    """The names of the commands."""

    SYMBOL = "symbol"
    SYMBOLS = "symbols"
    CALLERS = "callers"
    CALLEES = "callees"
    IMPLEMENTATIONS = "implementations"
    REFS = "refs"
    DEPENDENCIES = "dependencies"
    DEPENDENTS = "dependents"
    SIMILAR = "similar"
    IMPACT = "impact"
    PATH = "path"
    CYCLES = "cycles"
    UNUSED = "unused"
    GRAPH = "graph"
    RESEARCH = "research"


CONFIDENCES: Final = ("exact", "inferred", "contract", "dispatch", "probable", "possible")
KINDS: Final = (
    *("file", "module", "class", "interface", "type", "component", "method", "constructor"),
    *("property", "function", "variable"),
)
GROUPS: Final = ("file", "folder", "project")
DEFAULT_LIMIT: Final = 100
# symbols of a picture
PICTURE_LIMIT: Final = 50
SIMILAR_LIMIT: Final = 10
# characters of a report
REPORT_LENGTH: Final = 8_000
DEPTHS: Final[dict[str, int]] = {
    GraphCommand.CALLERS: 1,
    GraphCommand.CALLEES: 1,
    GraphCommand.IMPLEMENTATIONS: 1,
    GraphCommand.DEPENDENCIES: 1,
    GraphCommand.DEPENDENTS: 1,
    GraphCommand.RESEARCH: 2,
    GraphCommand.IMPACT: 5,
    GraphCommand.PATH: 12,
}
# what a symbol uses, where each call has the one target that is written there
_OF_WHAT_IS_WRITTEN: Final = frozenset(
    {GraphCommand.CALLEES, GraphCommand.DEPENDENCIES, GraphCommand.GRAPH}
)
_NAME: Final = (
    "a qualified name (json.decoder.JSONDecoder), its last parts (JSONDecoder.decode), a place"
    " (json/decoder.py:332), a name in a file (json/decoder.py:decode), a file, or an id from an"
    " answer"
)
_FIRST_USE: Final = (
    "The first use links the symbols of the repository, which takes some seconds per megabyte of"
    " code; later ones link what has changed. With up to 10,000 files, files and index are compared"
    " first; with more, only files of the answer are, unless --refresh is given."
)
_CODES: Final = (
    "Exit codes: 0 something was found; 1 nothing was found, or the output was closed early; 2"
    " error, described on standard error."
)
_EPILOG: Final = (
    f"{_FIRST_USE} A NAME that may mean several symbols stands for the likeliest, code before tests"
    f" and the most used first; the others are named on standard error. {_CODES}"
)

Parser = argparse.ArgumentParser


def _add_name(command: Parser, dest: str = "name", metavar: str = "NAME") -> None:
    command.add_argument(dest, metavar=metavar, help=f"the symbol: {_NAME}")


def _add_output(command: Parser, *, pictures: bool) -> None:
    """Add the options for the form of the answer."""
    command.epilog = _EPILOG
    shape = command.add_mutually_exclusive_group()
    shape.add_argument(
        "--json", action="store_true", help="write one JSON object, warnings included"
    )
    if pictures:
        shape.add_argument("--dot", action="store_true", help="write a graph in the DOT language")
        shape.add_argument(
            "--svg",
            nargs="?",
            const="-",
            metavar="FILE",
            help="write a picture, to FILE or to standard output; only a picture is overwritten",
        )
    command.add_argument(
        "--refresh", action="store_true", help="compare all files with the index first"
    )


def _add_filters(command: Parser) -> None:
    """Add the options that filter the symbols of the answer."""
    add = command.add_argument
    add("--kind", action="append", choices=KINDS, help="only symbols of this kind; may be repeated")
    add("--lang", action="append", metavar="LANGUAGE", help="only this language; may be repeated")
    add(
        "-g",
        "--glob",
        action="append",
        metavar="GLOB",
        help="only symbols in matching files, e.g. src/**; with ! before it, only others; may be"
        " repeated",
    )


def _add_limit(command: Parser, default: int = DEFAULT_LIMIT) -> None:
    command.add_argument(
        "--limit",
        type=positive,
        default=default,
        metavar="N",
        help=f"maximum number of results ({default})",
    )


def _add_confidence(command: Parser, name: str) -> None:
    default = "contract" if name in _OF_WHAT_IS_WRITTEN else "probable"
    command.add_argument(
        "--confidence",
        choices=CONFIDENCES,
        default=default,
        help="the least sure edges to follow: exact (by scope, import, receiver or declared type),"
        " inferred (by values and results), contract (by a text that both sides have, as a route),"
        " dispatch (overrides of what is called, what libraries call), probable (a member by a name"
        " that nothing else has, or by its receiver's name, the number of arguments or imports),"
        f" possible (by name alone); default: {default}",
    )


def _add_depth(command: Parser, name: str, meaning: str) -> None:
    command.add_argument(
        "--depth",
        type=positive,
        default=DEPTHS[name],
        metavar="N",
        help=f"{meaning} ({DEPTHS[name]})",
    )


def _add_symbols(command: Parser) -> None:
    command.add_argument(
        "query",
        metavar="WORD",
        nargs="+",
        help="words of names; prefix* stands for all that begin so",
    )
    _add_filters(command)
    _add_limit(command, 20)
    _add_output(command, pictures=False)


def _add_symbol(command: Parser) -> None:
    _add_name(command)
    command.add_argument(
        "--max-chars",
        type=positive,
        default=SYMBOL_CHARS,
        metavar="N",
        help=f"about so many characters, of which lists take a share ({SYMBOL_CHARS})",
    )
    _add_output(command, pictures=False)


def _add_relation(command: Parser, name: str) -> None:
    """Add the options of a command that follows edges of one symbol."""
    _add_name(command)
    if name in _WITH_MEMBERS:
        _add_edge_types(command)
    if name in DEPTHS:
        farther = f": 2 adds {_SECOND_STEP[name]}" if name in _SECOND_STEP else ""
        _add_depth(command, name, f"how many steps to follow{farther}")
    if name in _FROM_SYMBOL:
        command.add_argument(
            "--external", action="store_true", help="also show what is declared elsewhere"
        )
    _add_confidence(command, name)
    _add_filters(command)
    _add_limit(command)
    _add_output(command, pictures=name != GraphCommand.REFS)


_WITH_MEMBERS: Final = frozenset({GraphCommand.DEPENDENCIES, GraphCommand.DEPENDENTS})
_FROM_SYMBOL: Final = frozenset({GraphCommand.CALLEES, GraphCommand.DEPENDENCIES})
_SECOND_STEP: Final[dict[str, str]] = {
    GraphCommand.CALLERS: "callers of callers",
    GraphCommand.CALLEES: "callees of callees",
    GraphCommand.IMPLEMENTATIONS: "what extends these",
}


def _add_edge_types(command: Parser) -> None:
    from code_graph.model import EdgeType  # noqa: PLC0415 only these commands need it

    command.add_argument(
        "--edge-type",
        action="append",
        choices=tuple(kind.name.lower() for kind in EdgeType),
        help="only edges of this type; may be repeated (all but contains)",
    )


def _add_similar(command: Parser) -> None:
    _add_name(command)
    _add_limit(command, SIMILAR_LIMIT)
    _add_output(command, pictures=False)


def _add_research(command: Parser) -> None:
    from repo_mcp.answers.research import FOCUSES, MOST_DEPTH  # noqa: PLC0415 only this command needs it

    add = command.add_argument
    add(
        "words",
        metavar="QUESTION",
        nargs="*",
        help="a question about structure: what calls X, all implementations of X, how does X reach"
        " Y, what is src/ built of; what is no such question is searched for; not needed with"
        " --focus or --path",
    )
    add(
        "--depth",
        type=positive,
        default=DEPTHS[GraphCommand.RESEARCH],
        metavar="N",
        help=f"how many steps to follow, up to {MOST_DEPTH} ({DEPTHS[GraphCommand.RESEARCH]})",
    )
    add("--focus", choices=FOCUSES, help="what the answer is about")
    add(
        "--path",
        metavar="FOLDER",
        help="look at this folder alone, as seen from the current one",
    )
    add(
        "--max-chars",
        type=positive,
        default=REPORT_LENGTH,
        metavar="N",
        help=f"maximum length of the report ({REPORT_LENGTH})",
    )
    _add_output(command, pictures=False)
    command.epilog = f"{_FIRST_USE} What was not followed is part of the report. {_CODES}"


def _add_path(command: Parser) -> None:
    _add_name(command, "source", "FROM")
    _add_name(command, "target", "TO")
    _add_depth(command, GraphCommand.PATH, "the longest way to look for")
    _add_confidence(command, GraphCommand.PATH)
    _add_output(command, pictures=True)


def _add_cycles(command: Parser) -> None:
    command.add_argument(
        "--by", choices=GROUPS, default="file", help="what imports each other (file)"
    )
    _add_limit(command)
    _add_output(command, pictures=False)


def _add_unused(command: Parser) -> None:
    command.add_argument(
        "--public",
        action="store_true",
        help="also symbols that other repositories could use, for a program that none imports",
    )
    _add_filters(command)
    _add_limit(command)
    _add_output(command, pictures=False)


def _add_graph(command: Parser) -> None:
    command.add_argument("name", metavar="NAME", nargs="?", help=f"the symbol: {_NAME}")
    command.add_argument(
        "--packages",
        action="store_true",
        help="show which packages use which, instead of a symbol: projects if there are several,"
        " otherwise folders",
    )
    command.add_argument(
        "--by", choices=GROUPS[1:], help="with --packages, what a package is: folder or project"
    )
    command.add_argument(
        "--depth",
        type=positive,
        metavar="N",
        help="how many steps to follow (1); with --packages, how deep folders are told apart (all)",
    )
    _add_confidence(command, GraphCommand.GRAPH)
    _add_filters(command)
    _add_limit(command, PICTURE_LIMIT)
    _add_output(command, pictures=True)


_add_callers = partial(_add_relation, name=GraphCommand.CALLERS)
_add_callees = partial(_add_relation, name=GraphCommand.CALLEES)
_add_implementations = partial(_add_relation, name=GraphCommand.IMPLEMENTATIONS)
_add_refs = partial(_add_relation, name=GraphCommand.REFS)
_add_dependencies = partial(_add_relation, name=GraphCommand.DEPENDENCIES)
_add_dependents = partial(_add_relation, name=GraphCommand.DEPENDENTS)
_add_impact = partial(_add_relation, name=GraphCommand.IMPACT)

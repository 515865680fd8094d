"""Runs a command of the graph, and writes its answer as text, JSON, DOT or SVG."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from code_graph.language import load
from repo_mcp.answers.records import field_values, plain
from repo_mcp.answers.symbols import SymbolAnswer
from repo_mcp.builds.line_states import states_in
from repo_mcp.cli.command_line import CommandLine, complain, write_file
from repo_mcp.cli.graph.graph_query import (
    GraphAnswer,
    GraphQuery,
    NameProblem,
    SymbolChoice,
    describe_choice,
    missing_answer,
)
from repo_mcp.cli.graph.open_graph import CommandGraph
from repo_mcp.cli.graph.records import (
    EXTERNAL,
    MissingAnswer,
    RelationsAnswer,
    SymbolRecord,
    choice_record,
)
from repo_mcp.cli.graph_arguments import GraphCommand
from repo_mcp.cli.search.scope import current_folder
from repo_mcp.cli.search.style import style_of
from repo_mcp.console import flush, print_error, print_json, print_line, print_styled
from repo_mcp.errors import Problem
from repo_mcp.picture.model import Picture
from repo_mcp.repository import OpenGraph, OpenIndex, SourceFiles, is_nowhere
from repo_mcp.services import Services

if TYPE_CHECKING:  # few look into packages
    from repo_mcp.packages import ServedPackages
    from repo_mcp.place.place import PlacedQuestion

_STANDARD_OUTPUT: Final = "-"
# commands whose answer is in the files that have the name; others need the whole graph
_OF_FILES_WITH_A_NAME: Final = frozenset(
    {
        *(GraphCommand.SYMBOL, GraphCommand.CALLERS, GraphCommand.CALLEES, GraphCommand.REFS),
        GraphCommand.IMPLEMENTATIONS,
    }
)
# options that name symbols
_NAMES: Final = frozenset(["name", "source", "target"])
_PICTURE_START: Final = b"<svg "
_HERE: Final = "repo_mcp.cli.graph"
_RELATIONS: Final = "relations:find_relations"
# loaded when they are first needed
_HANDLERS: Final[Mapping[str, str]] = {
    GraphCommand.SYMBOL: "relations:find_symbol",
    GraphCommand.SYMBOLS: "relations:find_symbols",
    GraphCommand.CALLERS: _RELATIONS,
    GraphCommand.CALLEES: _RELATIONS,
    GraphCommand.IMPLEMENTATIONS: _RELATIONS,
    GraphCommand.REFS: _RELATIONS,
    GraphCommand.DEPENDENCIES: _RELATIONS,
    GraphCommand.DEPENDENTS: _RELATIONS,
    GraphCommand.SIMILAR: "similar:find_similar",
    GraphCommand.IMPACT: "reach:find_impact",
    GraphCommand.PATH: "reach:find_path",
    GraphCommand.CYCLES: "whole:find_cycles",
    GraphCommand.UNUSED: "whole:find_unused",
    GraphCommand.GRAPH: "whole:find_graph",
    GraphCommand.RESEARCH: "research:ResearchCommand",
}


def run(args: CommandLine, services: Services, packages: ServedPackages | None = None) -> int:
    """Answer one command; returns the exit code.

    A symbol that the project does not have is looked for in `packages`.
    """
    found, graph = ask(args, services)
    if packages is not None and not services.made_once and _is_elsewhere(found):
        found, graph = _of_packages(args, packages) or (found, graph)
    code = _write(args, found, graph)
    graph.tidy()
    return code


def ask(args: CommandLine, services: Services) -> tuple[GraphAnswer, CommandGraph]:
    """The answer of one command, and the graph that gave it."""
    # options that a command does not have
    vars(args).update({name: vars(args).get(name) for name in _MAY_LACK})
    _see_from_root(args, current_folder(services.roots))
    return _answer(args, services)


def _of_packages(
    args: CommandLine, packages: ServedPackages
) -> tuple[GraphAnswer, CommandGraph] | None:
    """The answer of the packages that the names of symbols begin with; None without one."""
    from repo_mcp.dependencies.questions import (  # noqa: PLC0415 few look into packages
        SymbolQuestion,
        packages_of_names,
    )

    names = {name: value for name in _NAMES if (value := vars(args).get(name))}
    installed = packages.dependencies.packages
    mounts = packages_of_names(names, installed, packages.dependencies.shown_in)
    if not mounts:
        return None

    def ask_in(question: PlacedQuestion) -> tuple[GraphAnswer, CommandGraph] | None:
        changed = args.replaced(**question.arguments)
        found, graph = _answer(changed, packages.services(question.place))
        return None if _is_elsewhere(found) else (found, graph)

    question: SymbolQuestion[tuple[GraphAnswer, CommandGraph]] = SymbolQuestion(
        ask_in, lambda found: _place_of(found[0]), installed, packages.dependencies.roots
    )
    return question.answer(mounts, names)


def _is_elsewhere(found: GraphAnswer) -> bool:
    """True if the project has no such symbol, or knows its uses alone."""
    symbol = getattr(found.record, "symbol", None)
    is_external = isinstance(symbol, SymbolRecord) and symbol.node_type == EXTERNAL
    return is_external or isinstance(found.record, MissingAnswer)


def _place_of(found: GraphAnswer) -> str:
    """Path and line of the one symbol that an answer is about."""
    record = found.record
    if isinstance(record, SymbolAnswer):
        return f"{record.path}:{record.start_line}"
    if isinstance(record, RelationsAnswer) and record.symbol.file_path:
        return f"{record.symbol.file_path}:{record.symbol.line_start}"
    return ""


def _answer(args: CommandLine, services: Services) -> tuple[GraphAnswer, CommandGraph]:
    handle = load(f"{_HERE}.{_HANDLERS[args.command]}")
    is_research = args.command == GraphCommand.RESEARCH
    find: _Ask = handle(args, services) if is_research else _symbol_question(handle, args, services)
    is_list = args.command == GraphCommand.SYMBOLS
    names = [args.name] if args.command in _OF_FILES_WITH_A_NAME else []
    names += [" ".join(args.query)] if is_list and args.query else []
    graph = CommandGraph(services, refresh=args.refresh, names=names, links_all=is_list)

    def ask() -> GraphAnswer:
        return graph.answer(find, lambda found: found.outdated)

    found = ask()
    # that there is none is said of the files as they are now
    lacks = not found.has_rows if is_list else isinstance(found.record, MissingAnswer)
    return (ask() if lacks and graph.catch_up() else found), graph


_Ask = Callable[[OpenGraph, OpenIndex], GraphAnswer]


def _symbol_question(
    handle: Callable[[GraphQuery], GraphAnswer], args: CommandLine, services: Services
) -> _Ask:
    """Asks what a command asks about symbols; raises `Problem` without a graph."""
    choice = SymbolChoice(args, services.languages)

    def find(opened: OpenGraph, index: OpenIndex) -> GraphAnswer:
        if opened.graph is None:
            # files with the name, or one like it, would have been linked for it
            if args.command in _OF_FILES_WITH_A_NAME and is_nowhere(index, args.name):
                return missing_answer(args.name, [])
            raise Problem("graph_missing")
        states = states_in(services.sandbox, services.roots, services.languages.language_of)(())
        source = SourceFiles(services.sandbox, opened.graph.snapshot, states)
        query = GraphQuery(args, opened.graph, source, choice, index, services, {})
        try:
            found = handle(query)
        except NameProblem as problem:
            found = problem.answer
        said = [note for choice in query.choices.items() for note in describe_choice(*choice)]
        choices = [choice_record(name, taken) for name, taken in query.choices.items()]
        found = found._replace(notes=[*found.notes, *said], choices=choices)
        named = field_values(found.record, ("file_path", "path"))
        return found._replace(outdated=source.outdated(named))

    return find


def _see_from_root(args: CommandLine, folder: str) -> None:
    """Files that are named as seen from a folder, as the repository names them."""
    for name in _NAMES:
        text = vars(args).get(name)
        path, colon, rest = (text or "").partition(":")
        if folder and path and Path(path).is_file():
            setattr(args, name, f"{posixpath.normpath(f'{folder}/{path}')}{colon}{rest}")


_MAY_LACK: Final = ("kind", "lang", "glob", "dot", "svg", "external", "edge_type", "depth")


def _write(args: CommandLine, found: GraphAnswer, graph: CommandGraph) -> int:
    warnings = graph.warnings
    if args.json:
        print_json(_facts(args, found, graph, warnings))
        flush()
        return found.code
    if found.picture is not None and (args.dot or args.svg) and found.has_rows:
        _draw(args, found.picture())
    else:
        style = style_of(sys.stdout, args, graph.roots, current_folder(graph.roots))
        for line in found.lines(style):
            print_styled(line)
    flush()  # before standard error
    for warning in warnings:
        complain(f"warning: {warning}")
    if not found.has_rows and not any(note.startswith("no symbol") for note in found.notes):
        complain("nothing found")
    for note in found.notes:
        print_error(note) if note.startswith(" ") else complain(note)
    return found.code


def _facts(
    args: CommandLine, found: GraphAnswer, graph: CommandGraph, warnings: list[str]
) -> Mapping[str, object]:
    facts: Mapping[str, object] = plain(found.record)
    return {
        "command": args.command,
        **facts,
        **({"choices": plain(found.choices)} if found.choices else {}),
        "warnings": warnings,
        "generation": graph.generation,
        "text_generation": graph.text_generation,
        "complete": graph.complete,
    }


def _draw(args: CommandLine, picture: Picture) -> None:
    if args.dot:
        from repo_mcp.picture.dot import to_dot  # noqa: PLC0415 as above

        text = to_dot(picture)
    else:
        from repo_mcp.picture.svg import to_svg  # noqa: PLC0415 as above

        text = to_svg(picture)
    if args.svg and args.svg != _STANDARD_OUTPUT:
        write_file("--svg", args.svg, text.encode(), _PICTURE_START, "the file is no picture")
        complain(f"note: {len(picture.boxes)} boxes drawn to {args.svg}")
        return
    for line in text.splitlines():
        print_line(line)

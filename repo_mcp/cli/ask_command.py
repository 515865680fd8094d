"""The command `ask`: questions of any kind, answered with a verdict and the next step."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from repo_mcp.answers.records import plain
from repo_mcp.answers.verdicts import NextCall
from repo_mcp.asking import ask_repository
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.display import Display
from repo_mcp.cli.graph.open_graph import CommandGraph
from repo_mcp.cli.search.pager import print_paged
from repo_mcp.cli.search.scope import path_in
from repo_mcp.console import flush, print_json, visible
from repo_mcp.history import PATIENT, Histories
from repo_mcp.services import Services

_FOUND: Final = 0
_NOTHING: Final = 1
# its revisions are commits that are asked about
_HISTORY: Final = "history"
# commands that show all of what a page of a tool is of, and the argument that stands alone
_COMMANDS: Final = {
    "repo.history": (_HISTORY, "path"),
    "repo.search": ("search", "query"),
    "repo.symbol": ("refs --limit 1000", "name"),
}
_FLAGS: Final = {
    "literal": "-F",
    "regex": "-e",
    "whole_word": "-w",
    "smart_case": "-S",
    "ignore_case": "-i",
}
_OPTIONS: Final = {
    "lines": "--lines",
    "symbol": "--symbol",
    "text": "--text",
    "words": "--words",
}
# options that the tool has by the same names
_SAME: Final = ("want", "to", "over", "more", "max_chars")


def run(args: CommandLine, services: Services) -> int:
    """Print the answer; returns the exit code."""
    arguments = _arguments(args, services)
    # where a graph of all files takes minutes, those of the names are linked
    about = [arguments["question"], *arguments["names"]]
    graph = CommandGraph(services, refresh=False, names=about)
    graph.catch_up()
    with Display(sys.stderr) as display:
        histories = Histories(
            services.manager.parts, PATIENT, stays=False, told=display.on_progress
        )
        try:
            result, warnings = ask_repository(
                graph.repository, histories, arguments, services.budget, partial(_tell_step, args)
            )
        finally:
            histories.close()
    if args.json:
        record = plain(result)
        record["warnings"] = [{"code": item.code, "text": item.text} for item in warnings]
        print_json(record)
    else:
        rows = (row for text in result.as_text() for row in text.split("\n"))
        print_paged(map(visible, rows), use=args.pager)
        flush()
        for item in warnings:
            complain(f"note: {item.text}")
    graph.tidy()
    return _FOUND if any(part.lines for part in result.parts) else _NOTHING


def _tell_step(args: CommandLine, step: str | NextCall) -> str:
    """The next step as words of a shell: commands have no pages."""
    if isinstance(step, str):
        return step
    command, positional = _COMMANDS[step.tool]
    words = ["repo-mcp", command]
    if args.rev and command != _HISTORY:
        words.append(f"--rev {shlex.quote(args.rev)}")
    for name, value in step.arguments.items():
        if name == positional:
            words += [_FLAGS.get(str(step.arguments.get("mode")), ""), shlex.quote(str(value))]
        elif name in _OPTIONS:
            words.append(f"{_OPTIONS[name]} {shlex.quote(str(value))}")
        elif value is True:
            words.append(_FLAGS.get(name, ""))
    return " ".join(filter(None, words))


def _arguments(args: CommandLine, services: Services) -> Mapping[str, Any]:
    """The arguments of the tool."""
    names = [_name(name, services) for name in args.name or ()]
    given = {name: getattr(args, name) for name in _SAME}
    asked = {"question": " ".join(args.words or ()), "names": names, "from": args.start, **given}
    return {name: value for name, value in asked.items() if value is not None}


def _name(name: str, services: Services) -> str:
    """A name; a file that the current folder has, with its lines, as the repository names it."""
    path, colon, lines = name.partition(":")
    if not os.path.lexists(path):
        return name
    # without its slash, the name of a folder may be that of a symbol
    slash = "/" if path.endswith("/") else ""
    return f"{path_in(services.roots, path)}{slash}{colon}{lines}"

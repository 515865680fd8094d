"""The options of each command, besides the settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from repo_mcp.cli.known_clients import CLIENTS

_SEARCH_EPILOG: Final = (
    "The query of a ranked search is words or identifiers in any naming style, and may use"
    ' "a phrase", AND, OR, NOT, prefix*, symbol:name, path:folder, ext:py, lang:python. Write a'
    " query that begins with a dash after --. The index is built if there is none. Exit codes: 0"
    " something was found; 1 nothing was found, or the output was closed early; 2 error, described"
    " on standard error."
)
_INSTALL_EPILOG: Final = (
    "The rest of the file stays unchanged, comments included; a backup is kept next to it with the"
    " suffix .repo-mcp.bak. A file that can't be edited safely is not changed, and the text to add"
    " is shown. Project files contain the path of the command on this computer: use --command"
    " repo-mcp to share them."
)
_MODES: Final = ("bm25", "literal", "regex")


def add(command: argparse.ArgumentParser, name: str) -> None:
    """Add the options of a command."""
    _ADDERS.get(name, _nothing)(command)


def count(text: str) -> int:
    """A whole number, for argparse."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("not a whole number")
    return int(text)


def positive(text: str) -> int:
    """A whole number above 0, for argparse."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError("not a whole number above 0")
    return int(text)


def _nothing(_: argparse.ArgumentParser) -> None:
    """A command without options of its own."""


def _add_index(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--force", action="store_true", help="index every file again, changed or not"
    )
    command.add_argument(
        "--words-only",
        action="store_true",
        help="with many files, index only their text now and their declarations in the next run",
    )


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--repair",
        action="store_true",
        help="repair the index, and index lost files again",
    )


def _add_dump(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", nargs="?", help="index file; without it, all are listed")
    command.add_argument("--section", metavar="TAG", help="show the bytes of this section")
    command.add_argument(
        "--limit", type=positive, default=200, metavar="N", help="maximum number of lines (200)"
    )


def _add_search(command: argparse.ArgumentParser) -> None:
    command.epilog = _SEARCH_EPILOG
    add = command.add_argument
    add("query", metavar="QUERY", help="what to search for")
    add(
        "--mode",
        choices=_MODES,
        default=_MODES[0],
        help="bm25: the best passages for words (default); literal, regex: all lines that contain"
        " the text or match the expression",
    )
    add("--glob", metavar="GLOB", help="search only matching files, e.g. *.py or src/**/test_*.py")
    add(
        "--top",
        type=positive,
        metavar="N",
        help="maximum number of passages (10) or matching lines (100)",
    )
    add("--json", action="store_true", help="write one JSON object, warnings included")
    add("--explain", action="store_true", help="explain the score of each passage (bm25)")
    add(
        "-i",
        "--ignore-case",
        action="store_true",
        help="ignore upper and lower case (literal, regex)",
    )
    add(
        "-S",
        "--smart-case",
        action="store_true",
        help="ignore letter case unless the query has a capital letter (literal, regex)",
    )
    add("-w", "--word", action="store_true", help="match whole words only (literal, regex)")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument(
        "-c",
        "--count",
        action="store_true",
        help="show the number of matching lines of each file (literal, regex)",
    )
    shown.add_argument(
        "-l", "--files", action="store_true", help="show files with matches only (literal, regex)"
    )
    add(
        "-C",
        "--context",
        type=count,
        metavar="N",
        help="lines to show around each match (literal, regex)",
    )
    add(
        "--refresh",
        action="store_true",
        help="bring the index up to date first, however long that takes",
    )
    add_stale_ok(command)


def add_stale_ok(command: argparse.ArgumentParser) -> None:
    """The option to take an index as it is."""
    command.add_argument(
        "--stale-ok",
        action="store_true",
        help="answer from the index as it is; without this, files are compared with it first if"
        " that takes less than 50 ms, and always before nothing is found",
    )


def _add_bundle(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "prompt",
        metavar="PROMPT",
        help="the task, with error messages and stack traces; - reads standard input",
    )
    add("--max-files", type=positive, metavar="N", help="maximum number of files (10)")
    add(
        "--max-lines", type=positive, metavar="N", help="maximum number of lines in all files (200)"
    )
    add(
        "--max-tokens",
        type=positive,
        metavar="N",
        help="maximum number of estimated tokens (no limit)",
    )
    add("--tests", action="store_true", help="include tests")
    add("--audit", action="store_true", help="with --json, tell how the bundle was made")
    add("--json", action="store_true", help="write one JSON object, warnings included")
    add("--refresh", action="store_true", help="bring the index up to date first")
    add_stale_ok(command)


def _add_audit(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--since",
        metavar="TIME",
        help="show calls since this time, e.g. 2026-01-31T12:00:00Z, 30m, 6h or 2d ago",
    )
    command.add_argument(
        "--limit", type=positive, default=20, metavar="N", help="maximum number of calls (20)"
    )
    _add_json(command)


def _add_scip(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("export", "status"),
        help="write the graph as an index; show what imported indexes are good for",
    )
    command.add_argument(
        "--output", default="index.scip", metavar="FILE", help="the file to write (index.scip)"
    )


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="write one JSON object")


def _add_clients(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("clients", nargs="+", metavar="CLIENT", choices=CLIENTS, help=", ".join(CLIENTS))
    add(
        "--scope",
        choices=("user", "project"),
        help="configure all your projects, or this one; default: user, but project for vscode and"
        " cursor, which pass the open folder only there",
    )
    add(
        "--repo-root",
        metavar="FOLDER",
        help="with --scope user: always serve this repository; otherwise: the project (default: the"
        " one around this folder)",
    )
    add("--name", default="repo", metavar="NAME", help="name of the server in the client (repo)")
    add("--print", action="store_true", help="print the entry without changing a file")


def _add_install(command: argparse.ArgumentParser) -> None:
    command.epilog = _INSTALL_EPILOG
    _add_clients(command)
    command.add_argument(
        "--command",
        dest="program",
        metavar="PROGRAM",
        help="the command that the client starts (default: the full path of this one)",
    )


_ADDERS: Final[dict[str, Callable[[argparse.ArgumentParser], None]]] = {
    "index": _add_index,
    "check": _add_check,
    "dump": _add_dump,
    "search": _add_search,
    "bundle": _add_bundle,
    "audit": _add_audit,
    "config": _add_json,
    "doctor": _add_json,
    "install": _add_install,
    "uninstall": _add_clients,
    "scip": _add_scip,
}

"""What single commands take besides the settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from repo_mcp.cli.known_clients import CLIENTS

_SEARCH_EPILOG: Final = (
    "The query of a ranked search is words or identifiers in any style of writing; understood too:"
    ' "a phrase", AND, OR, NOT, prefix*, symbol:name, path:folder, ext:py, lang:python. A query'
    " that begins with a dash comes after --. The index is built if there is none. Exit codes: 0"
    " something was found; 1 nothing was, or nobody read what was said to its end; 2 it could not"
    " be done, and why was said."
)
_INSTALL_EPILOG: Final = (
    "What is in the file stays as it is, comments included; the file as it was is kept beside it"
    " with .repo-mcp.bak at its end. Where the file can't be changed safely it is left alone, and"
    " what to add is shown. Project files name this computer's command: write them with --command"
    " repo-mcp to share them."
)
_MODES: Final = ("bm25", "literal", "regex")


def add(command: argparse.ArgumentParser, name: str) -> None:
    """Add what this command takes."""
    _ADDERS.get(name, _nothing)(command)


def count(text: str) -> int:
    """A whole number, or argparse says that it is none."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("a whole number")
    return int(text)


def positive(text: str) -> int:
    """A whole number above 0, or argparse says that it is none."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError("a whole number above 0")
    return int(text)


def _nothing(_: argparse.ArgumentParser) -> None:
    """It takes no more than settings."""


def _add_index(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--force", action="store_true", help="index every file anew, changed or not"
    )
    command.add_argument(
        "--words-only",
        action="store_true",
        help="of many files index the words only, what they declare in the next run",
    )


def _add_check(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--repair", action="store_true", help="heal the index, and read again what was lost"
    )


def _add_dump(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", nargs="?", help="a file of the index; without it, all are listed")
    command.add_argument("--section", metavar="TAG", help="show this section's bytes")
    command.add_argument(
        "--limit", type=positive, default=200, metavar="N", help="lines to show at most (200)"
    )


def _add_search(command: argparse.ArgumentParser) -> None:
    command.epilog = _SEARCH_EPILOG
    add = command.add_argument
    add("query", metavar="QUERY", help="what to look for")
    add(
        "--mode",
        choices=_MODES,
        default=_MODES[0],
        help="bm25: the best passages for words (if nothing is said); literal, regex: all lines"
        " that hold the text, or match the expression",
    )
    add("--glob", metavar="GLOB", help="only in files that match, e.g. *.py or src/**/test_*.py")
    add(
        "--top",
        type=positive,
        metavar="N",
        help="passages (10) or matching lines (100) to show at most",
    )
    add("--json", action="store_true", help="write one JSON object, warnings included")
    add("--explain", action="store_true", help="say why each passage has its score (bm25)")
    add("--ignore-case", action="store_true", help="capitals equal small letters (literal, regex)")
    add("--word", action="store_true", help="match whole words only (literal, regex)")
    add(
        "--context",
        type=count,
        metavar="N",
        help="lines to show around each one that matches (literal, regex)",
    )
    add(
        "--refresh",
        action="store_true",
        help="compare all files with the index first; without it, files that are found are"
        " compared, and what others hold since they were indexed is not found",
    )


def _add_bundle(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("prompt", metavar="PROMPT", help="the task in your words, messages and traces; - reads it")
    add("--max-files", type=positive, metavar="N", help="files at most (8)")
    add("--max-lines", type=positive, metavar="N", help="lines of all files at most (300)")
    add("--max-tokens", type=positive, metavar="N", help="estimated tokens at most (no limit)")
    add("--tests", action="store_true", help="take tests, too")
    add("--json", action="store_true", help="write one JSON object, warnings included")
    add("--refresh", action="store_true", help="compare all files with the index first")


def _add_audit(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--since",
        metavar="TIME",
        help="calls from this time on: like 2026-01-31T12:00:00Z, or 30m, 6h, 2d ago",
    )
    command.add_argument(
        "--limit", type=positive, default=20, metavar="N", help="calls to show at most (20)"
    )
    _add_json(command)


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="write one JSON object")


def _add_clients(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("clients", nargs="+", metavar="CLIENT", choices=CLIENTS, help=", ".join(CLIENTS))
    add(
        "--scope",
        choices=("user", "project"),
        help="the configuration of all your projects, or of this one; without it, user for most"
        " clients, project for vscode and cursor, which tell only there which project is open",
    )
    add(
        "--repo-root",
        metavar="FOLDER",
        help="with --scope user: always serve this repository; else: the project (the one around"
        " this folder)",
    )
    add("--name", default="repo", metavar="NAME", help="what the client calls the server (repo)")
    add("--print", action="store_true", help="change nothing: show what would be written")


def _add_install(command: argparse.ArgumentParser) -> None:
    command.epilog = _INSTALL_EPILOG
    _add_clients(command)
    command.add_argument(
        "--command",
        dest="program",
        metavar="PROGRAM",
        help="what the client starts (the full path of this command)",
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
}

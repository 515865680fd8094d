"""What may be said on the command line; cheap, because the server starts with it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from repo_mcp import __version__
from repo_mcp.config import Options, check, project_folder

_LIMITS: Final = {
    "max_file_bytes": "leave out files larger than this (1048576)",
    "max_open_lines": "most lines of a file in one answer (400)",
    "max_total_bytes_per_response": "largest answer (10000)",
    "max_search_hits": "most hits of one search (50)",
}
_LISTS: Final = (
    ("--include-extension", ".EXT", "index files that end so too"),
    ("--exclude-glob", "GLOB", "leave these files out of the index"),
    ("--deny-glob", "GLOB", "never show these files, nor index them"),
)
_EPILOG: Final = (
    "Without a command the server is meant. Exit codes: 0 it is done; 1 search found nothing, check"
    " found damage, or nobody read what was said to its end; 2 it could not be done, and why was"
    " said."
)
_SEARCH_EPILOG: Final = (
    "The query of a ranked search is words or identifiers in any style of writing; understood too:"
    ' "a phrase", AND, OR, NOT, prefix*, symbol:name, path:folder, ext:py, lang:python. A query'
    " that begins with a dash comes after --. The index is built if there is none. Exit codes: 0"
    " something was found; 1 nothing was, or nobody read what was said to its end; 2 it could not"
    " be done, and why was said."
)
_MODES: Final = ("bm25", "literal", "regex")
_COMMANDS: Final = (
    ("serve", "serve MCP over standard input and output (what a client starts)"),
    ("index", "bring the index up to date"),
    ("search", "find passages or lines in the repository's files"),
    ("status", "say how the index stands"),
    ("check", "read all of the index and say what is wrong with it"),
    ("compact", "merge the index into the fewest files, those that a fresh build would give"),
    ("dump", "show what a file of the index holds"),
)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command and its options; without a command the server is meant."""
    given = list(arguments)
    if not given or (given[0].startswith("-") and given[0] not in {"-h", "--help", "--version"}):
        given.insert(0, "serve")
    return _parser().parse_args(given)


def options(parsed: argparse.Namespace) -> Options:
    """Checked options; `ConfigError` where they ask for what can't be."""
    limits = {name: getattr(parsed, name) for name in _LIMITS if getattr(parsed, name) is not None}
    found = Options(
        parsed.repo_root or project_folder("."),
        parsed.data_dir,
        limits,
        tuple(parsed.include_extension),
        tuple(parsed.exclude_glob),
        parsed.allow_hardlinks,
        tuple(parsed.deny_glob),
        parsed.chunk_lines,
        parsed.chunk_overlap,
        parsed.workers,
        not parsed.no_watch,
    )
    check(found)
    return found


def complain(message: str) -> int:
    """Say what is wrong; gives the exit code for it."""
    print(f"repo-mcp: {message}", file=sys.stderr)  # noqa: T201 a command speaks to a person
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="repo-mcp",
        description="Read-only search over one repository for MCP clients.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"repo-mcp {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    made = {}
    for name, words in _COMMANDS:
        made[name] = commands.add_parser(name, help=words, description=words)
        if name == "search":
            _add_search(made[name])
        _add_options(made[name])
    made["index"].add_argument(
        "--force", action="store_true", help="index every file anew, changed or not"
    )
    made["index"].add_argument(
        "--words-only",
        action="store_true",
        help="of many files index the words only, what they declare in the next run",
    )
    made["check"].add_argument(
        "--repair", action="store_true", help="heal the index, and read again what was lost"
    )
    made["dump"].add_argument(
        "name", nargs="?", help="a file of the index; without it, all are listed"
    )
    made["dump"].add_argument("--section", metavar="TAG", help="show this section's bytes")
    made["dump"].add_argument(
        "--limit", type=_positive, default=200, metavar="N", help="lines to show at most (200)"
    )
    return parser


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
        type=_positive,
        metavar="N",
        help="passages (10) or matching lines (100) to show at most",
    )
    add("--json", action="store_true", help="write one JSON object, warnings included")
    add("--explain", action="store_true", help="say why each passage has its score (bm25)")
    add("--ignore-case", action="store_true", help="capitals equal small letters (literal, regex)")
    add("--word", action="store_true", help="match whole words only (literal, regex)")
    add(
        "--context",
        type=_count,
        metavar="N",
        help="lines to show around each one that matches (literal, regex)",
    )
    add(
        "--refresh",
        action="store_true",
        help="compare all files with the index first; without it, files that are found are"
        " compared, and what others hold since they were indexed is not found",
    )


def _count(text: str) -> int:
    """A whole number, or argparse says that it is none."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("a whole number")
    return int(text)


def _positive(text: str) -> int:
    """A whole number above 0, or argparse says that it is none."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError("a whole number above 0")
    return int(text)


def _add_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add(
        "--repo-root",
        metavar="FOLDER",
        help="the repository (the nearest folder from here upwards with a .git, else this one)",
    )
    add("--data-dir", metavar="FOLDER", help="where the index lies (.repo_mcp in the repository)")
    for name, words in _LIMITS.items():
        add("--" + name.replace("_", "-"), type=int, metavar="N", help=words)
    for flag, value, words in _LISTS:
        add(flag, action="append", default=[], metavar=value, help=f"{words}; may be repeated")
    add("--allow-hardlinks", action="store_true", help="open files that have several names")
    add("--chunk-lines", type=int, metavar="N", help="lines of a chunk at most (200)")
    add("--chunk-overlap", type=int, metavar="N", help="lines that two chunks share (30)")
    add(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="processes that index (as many as there are processors, but no more than 8)",
    )
    add("--no-watch", action="store_true", help="find changed files by walking only (serve)")

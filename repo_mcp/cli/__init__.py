"""The command line: what may be said, and the commands that answer at once."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from repo_mcp import __version__
from repo_mcp.config import Options, check

_LIMITS = (
    "max_file_bytes",
    "max_open_lines",
    "max_total_bytes_per_response",
    "max_search_hits",
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
        parsed.repo_root,
        parsed.data_dir,
        limits,
        tuple(parsed.include_extension),
        tuple(parsed.exclude_glob),
        parsed.allow_hardlinks,
    )
    check(found)
    return found


def run(parsed: argparse.Namespace) -> int:
    """Run a command that is not the server; gives the exit code."""
    from repo_mcp.app import services  # noqa: PLC0415 the server starts without it
    from repo_mcp.budget import Budget  # noqa: PLC0415 as above
    from repo_mcp.errors import Problem  # noqa: PLC0415 as above

    settings, _, manager = services(options(parsed))
    for note in settings.notes:
        _say(note)
    try:
        if parsed.command == "index":
            done = manager.refresh(Budget(), force=parsed.force)
            left_out = ", ".join(f"{count} {reason}" for reason, count in done.left_out.items())
            _say(f"{done.files} files indexed in {done.seconds:.2f} s")
            _say(f"{done.added} added, {done.updated} updated, {done.removed} removed")
            _say(f"left out: {left_out or 'nothing'}")
        state = manager.state()
    except Problem as problem:
        return complain(f"{problem.reason}. {problem.hint}")
    _say(
        f"{settings.root}: index {state.status}, {state.files} files, generation {state.generation}"
    )
    _say(f"last refresh: {state.last_refresh or 'never'}")
    _say(f"data folder: {settings.data_dir}")
    return 0


def complain(message: str) -> int:
    """Say what is wrong; gives the exit code for it."""
    print(f"repo-mcp: {message}", file=sys.stderr)  # noqa: T201 a command speaks to a person
    return 2


def _say(line: str) -> None:
    print(line)  # noqa: T201 a command speaks to a person


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="repo-mcp", description="Read-only search over one repository for MCP clients."
    )
    parser.add_argument("--version", action="version", version=f"repo-mcp {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in (
        ("serve", "serve MCP over standard input and output (what a client starts)"),
        ("index", "bring the index up to date"),
        ("status", "say how the index stands"),
    ):
        command = commands.add_parser(name, help=words, description=words)
        _add_options(command)
        if name == "index":
            command.add_argument("--force", action="store_true", help="make all of it anew")
    return parser


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--repo-root", required=True, metavar="FOLDER", help="the repository")
    command.add_argument(
        "--data-dir", metavar="FOLDER", help="default: .repo_mcp in the repository"
    )
    for name in _LIMITS:
        flag = "--" + name.replace("_", "-")
        command.add_argument(flag, type=int, metavar="N", help=f"limit {name}")
    command.add_argument(
        "--include-extension", action="append", default=[], metavar=".EXT", help="index these too"
    )
    command.add_argument(
        "--exclude-glob", action="append", default=[], metavar="GLOB", help="leave these out"
    )
    command.add_argument(
        "--allow-hardlinks", action="store_true", help="open files that have several names"
    )

"""Values of options, and options that several commands have."""

from __future__ import annotations

import argparse
import re
from typing import Final

_LAST_PORT: Final = 65_535
_SPAN: Final = r"(\d{1,6})([mhdw])"
_UNITS: Final = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def count(text: str) -> int:
    """A whole number, for argparse."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def positive(text: str) -> int:
    """A whole number above 0, for argparse."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def span(text: str) -> float:
    """The seconds of a span such as 30d, for argparse."""
    found = re.fullmatch(_SPAN, text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a span such as 12h, 30d or 4w")
    return float(found[1]) * _UNITS[found[2]]


def port(text: str) -> int:
    """The number of a port, for argparse."""
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {_LAST_PORT}")
    return int(text)


def add_stale_ok(command: argparse._ActionsContainer) -> None:
    """The option to take an index as it is."""
    command.add_argument(
        "--stale-ok",
        action="store_true",
        help="answer from the index as it is; without this, files are compared with it first if"
        " that takes less than 150 ms of processor time, and always before a word is not found",
    )


def add_html(command: argparse.ArgumentParser) -> None:
    """Add the option to write a page, as `repo_mcp.cli.state.html_file` does."""
    command.add_argument(
        "--html",
        metavar="FILE",
        help="write it as a page to look at, in one file; needs the extra web",
    )

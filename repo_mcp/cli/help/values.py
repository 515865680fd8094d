"""Values of options, and options that several commands have."""

from __future__ import annotations

import argparse


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


def add_stale_ok(command: argparse._ActionsContainer) -> None:
    """The option to take an index as it is."""
    command.add_argument(
        "--stale-ok",
        action="store_true",
        help="answer from the index as it is; without this, files are compared with it first if"
        " that takes less than 50 ms, and always before nothing is found",
    )

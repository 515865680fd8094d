"""Numbers on the command line, for argparse."""

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

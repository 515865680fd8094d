"""Takes the text of Markdown cells out of a notebook.

A notebook is JSON in which each line of a cell stands on a line of its own. One that is written in
another way gives no text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

_SOURCE: Final = re.compile(r'([ \t]*)"source":[ \t]*\[(?P<end>[ \t]*\])?')


def markdown_rows(rows: Sequence[str]) -> list[str]:
    """The text of each row that is a line of a Markdown cell; all others are empty."""
    found = [""] * len(rows)
    kinds = _cell_kinds(rows)
    starts = [(number, match) for number, row in enumerate(rows) if (match := _SOURCE.match(row))]
    least = min((len(match[1]) for _, match in starts), default=0)
    cells = [(number, match) for number, match in starts if len(match[1]) == least]
    if len(cells) != len(kinds):
        return found
    for (number, match), kind in zip(cells, kinds, strict=True):
        if kind == "markdown" and match["end"] is None:
            _read_lines(rows, number + 1, found)
    return found


def _cell_kinds(rows: Sequence[str]) -> list[str]:
    """The kind of each cell; empty for other texts."""
    try:
        whole = json.loads("\n".join(rows))
        return [str(cell["cell_type"]) for cell in whole["cells"] if "source" in cell]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def _read_lines(rows: Sequence[str], at: int, found: list[str]) -> None:
    while at < len(rows) and not rows[at].lstrip().startswith("]"):
        try:
            text = json.loads(rows[at].strip().rstrip(","))
        except ValueError:
            return
        if isinstance(text, str):
            found[at] = text.rstrip("\n").replace("\n", " ")
        at += 1

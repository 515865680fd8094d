"""Draws what a terminal shows after a command as SVG, colours included."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from typing import Final, NamedTuple
from unittest import mock
from xml.sax.saxutils import escape

from docs.sample_shop import run_command, sample_shop

COMMANDS: Final = ("repo-mcp search where is the tax added", "repo-mcp callers add_tax --depth 3")
_ESCAPE: Final = re.compile(r"\x1b\[([0-9;]*)m")
# the palette of a dark terminal, by the codes that commands write; each is readable on _GROUND
_FILLS: Final = {
    "": "#d0d7de",
    "1;35": "#d2a8ff",
    "36": "#79c0ff",
    "32": "#7ee787",
    "1;31": "#ffa198",
    "2": "#9198a1",
    "1": "#ffffff",
}
_GROUND: Final = "#161b22"
_LINE, _MARGIN, _COLUMN = 19, 16, 8.2


class Run(NamedTuple):
    """Characters of one line that have one colour."""

    codes: str
    text: str


def answer_picture() -> str:
    """The commands and their answers in the sample repository."""
    lines: list[list[Run]] = []
    with sample_shop() as root, mock.patch.dict(os.environ, {"FORCE_COLOR": "1"}):
        del os.environ["NO_COLOR"]
        run_command(root, ["index"])
        for command in COMMANDS:
            output = run_command(root, shlex.split(command)[1:])
            lines += [[Run("1", f"$ {command}")], *map(_runs, output.out.splitlines()), []]
    return draw("A search and a question to the symbol graph, at a terminal", lines[:-1])


def draw(title: str, lines: list[list[Run]]) -> str:
    """The picture; all text in it is text, which can be read aloud, searched and copied."""
    height = 2 * _MARGIN + _LINE * len(lines)
    columns = max(sum(len(run.text) for run in runs) for runs in lines)
    width = round(2 * _MARGIN + _COLUMN * columns)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" role="img" font-size="13.5"'
            ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{_GROUND}"/>',
    ]
    for number, runs in enumerate(lines):
        y = _MARGIN + _LINE * number + 14
        parts += _texts(runs, y)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _texts(runs: list[Run], y: int) -> Iterator[str]:
    """Each run stands at its column, so that no font moves the next one."""
    column = 0
    for run in runs:
        indent = len(run.text) - len(run.text.lstrip())
        shown = run.text.strip()
        if shown:
            x = _MARGIN + _COLUMN * (column + indent)
            length = f'textLength="{_COLUMN * len(shown):.1f}" lengthAdjust="spacingAndGlyphs"'
            weight = ' font-weight="bold"' if run.codes.startswith("1") else ""
            yield (
                f'<text x="{x:.1f}" y="{y}" {length} fill="{_FILLS[run.codes]}"{weight}'
                f' xml:space="preserve">{escape(shown)}</text>'
            )
        column += len(run.text)


def _runs(line: str) -> list[Run]:
    """A line as runs of colour."""
    parts = _ESCAPE.split(line)
    codes = ["", *("" if code == "0" else code for code in parts[1::2])]
    return [Run(code, text) for code, text in zip(codes, parts[::2], strict=True) if text]

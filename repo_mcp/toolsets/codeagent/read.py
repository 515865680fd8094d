"""`read_file`: the text of a file or of some of its lines, each with its end as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from repo_mcp.errors import Problem
from repo_mcp.text.files import Text, decode
from repo_mcp.toolsets.codeagent.declarations import MOST_BYTES, MOST_LINES
from repo_mcp.toolsets.codeagent.folders import collapsed
from repo_mcp.toolsets.kit.binary_types import binary_type
from repo_mcp.toolsets.kit.envelope import Outcome
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_PLAIN: Final = "utf-8"


class ReadFile:
    """Reads files through the sandbox."""

    def __init__(self, means: ToolServices) -> None:
        """Take what it works with."""
        self._sandbox = means.sandbox

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The lines that were asked for, as many as may come at once."""
        content = self._sandbox.read(collapsed(arguments["path"]))
        context.budget.check()
        text = decode(content.data)
        if text is None:
            raise Problem("binary_file", binary_type(content.path, content.data))
        rows = _rows(text.content)
        first, last = _span(len(rows), arguments["line_start"], arguments["line_end"])
        part = _beginning(rows[first - 1 : last])
        end = first + part.lines - 1
        result: dict[str, Any] = {
            "content": part.text,
            "total_lines": len(rows),
            "truncated": end < last or part.is_cut,
        }
        shown = [f"{content.path}:{first}-{end}"] if part.lines else [content.path]
        return Outcome(result, _warnings(text, part, end, last), shown=shown)


class _Part(NamedTuple):
    """What is shown of some lines; of a line that is too long itself, its beginning."""

    text: str
    lines: int
    is_cut: bool


def _rows(content: str) -> list[str]:
    """Lines with their ends: split at line feeds only, as everywhere in this server."""
    rows = [f"{row}\n" for row in content.split("\n")]
    rows[-1] = rows[-1][:-1]
    return rows if rows[-1] else rows[:-1]


def _span(total: int, start: int | None, end: int | None) -> tuple[int, int]:
    """First and last line that are meant and there are; what names none is a problem."""
    first = 1 if start is None else start
    if first < 1:
        raise Problem("argument_invalid", "line_start is 1 or more")
    if end is not None and end < first:
        raise Problem("argument_invalid", f"lines {first} to {end} are none")
    if first > max(total, 1):
        raise Problem("argument_invalid", f"the file has {total} lines")
    return first, total if end is None else min(end, total)


def _beginning(rows: Sequence[str]) -> _Part:
    """As many whole lines as fit, or the beginning of the first one."""
    room = MOST_BYTES
    shown: list[str] = []
    for row in rows[:MOST_LINES]:
        room -= len(row.encode())
        if room < 0:
            break
        shown.append(row)
    if rows and not shown:
        return _Part(rows[0].encode()[:MOST_BYTES].decode(errors="ignore"), 1, is_cut=True)
    return _Part("".join(shown), len(shown), is_cut=False)


def _warnings(text: Text, part: _Part, end: int, last: int) -> list[str]:
    warnings: list[str] = []
    if text.encoding != _PLAIN:
        warnings.append(f"the file is {text.encoding}, not {_PLAIN}")
    if part.is_cut:
        warnings.append(f"line {end} is longer than {MOST_BYTES} bytes: the rest is not shown")
    if end < last:
        warnings.append(f"cut after line {end}: go on with line_start={end + 1}")
    return warnings

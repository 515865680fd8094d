"""`read_file`: the text of a file or of some of its lines, with unchanged line endings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import LineRange, binary_type, collapse_path, read
from repo_mcp.text.files import Text
from repo_mcp.toolsets.codeagent.declarations import MOST_BYTES, MOST_LINES
from repo_mcp.toolsets.codeagent.results import ReadFileResult
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_PLAIN: Final = "utf-8"


class ReadFile:
    """Reads files through the sandbox."""

    def __init__(self, services: ToolServices) -> None:
        self._sandbox = services.repository.sandbox

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The requested lines, as many as fit."""
        content = read(self._sandbox, collapse_path(arguments["path"]))
        context.budget.check()
        text = content.text
        if text is None:
            raise Problem("binary_file", binary_type(content.path, content.data))
        rows = content.lines_with_ends
        start, end = arguments["line_start"], arguments["line_end"]
        first, last = LineRange(1 if start is None else start, end).within(len(rows))
        part = _beginning(rows[first - 1 : last])
        shown_last = first + part.lines - 1
        result = ReadFileResult(
            content=part.text,
            total_lines=len(rows),
            truncated=shown_last < last or part.is_cut,
        )
        shown = [f"{content.path}:{first}-{shown_last}"] if part.lines else [content.path]
        return Outcome(result, _warnings(text, part, shown_last, last), shown=shown)


class _Part(NamedTuple):
    """The lines that fit, or the beginning of a line that is too long."""

    text: str
    lines: int
    is_cut: bool


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


def _warnings(text: Text, part: _Part, end: int, last: int) -> list[AnswerWarning]:
    warnings: list[AnswerWarning] = []
    if text.encoding != _PLAIN:
        warnings.append(AnswerWarning("encoding", f"the file is {text.encoding}, not {_PLAIN}"))
    if part.is_cut:
        cut = f"line {end} is longer than {MOST_BYTES} bytes: the rest is not shown"
        warnings.append(AnswerWarning("cut", cut))
    if end < last:
        more = f"cut after line {end}: continue with line_start={end + 1}"
        warnings.append(AnswerWarning("more", more))
    return warnings

"""`repo.open_file`: lines with their numbers; pictures and sounds as what they are."""

from __future__ import annotations

import base64
from typing import Any, Final

from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import FileContent, LineRange, Media, media_of, numbered, text_type
from repo_mcp.text.files import Text
from repo_mcp.toolsets.interrogator.results import OpenFileResult
from repo_mcp.toolsets.kit.addresses import address, cited, path_of
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_CUT: Final = " …"
# what a picture or sound may take, beside an answer's text
_MOST_MEDIA_BYTES: Final = 1 << 20
_LEAST_LINE: Final = 200
# on Windows no name has a colon
_PERHAPS_A_PLACE: Final = frozenset({"not_found", "path_invalid"})


class OpenFile:
    """Opens files through the sandbox."""

    def __init__(self, services: ToolServices) -> None:
        """Take what it works with."""
        self._services = services

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The lines asked for, as many as there is room for."""
        warnings: list[AnswerWarning] = []
        page = self._services.page(arguments["max_chars"], warnings)
        asked = LineRange(arguments["start_line"], arguments["end_line"])
        content, asked = self._found(arguments["path"], asked, context)
        if content.text is not None:
            return self._text(content, content.text, asked, page, warnings)
        media = media_of(content.path, content.data)
        if media is None:
            raise Problem("binary_file")
        return self._media(content, media, warnings)

    def _found(
        self, path: str, asked: LineRange, context: Context
    ) -> tuple[FileContent, LineRange]:
        """The file, and which lines are meant: a place as answers cite it names some, too."""
        meant, repository = path_of(path), self._services.repository
        try:
            return repository.read(meant, context.budget), asked
        except Problem as problem:
            place = cited(meant)
            if place is None or problem.code not in _PERHAPS_A_PLACE:
                raise
        content = repository.read(place.path, context.budget)
        return content, LineRange(place.first, place.last) if asked == LineRange() else asked

    def _text(
        self,
        content: FileContent,
        text: Text,
        asked: LineRange,
        page: int,
        warnings: list[AnswerWarning],
    ) -> Outcome:
        rows = content.lines
        start, end = asked.within(len(rows))
        result = _empty(content, "text", text_type(content.path))
        result.total_lines, result.encoding = len(rows), text.encoding
        room = self._services.room(page, result, warnings)
        shown, is_cut = self._rows(rows, start, end, room)
        if shown:
            last = start + len(shown) - 1
            result.start_line, result.end_line = start, last
            result.text = "\n".join(shown)
            result.truncated = last < end or is_cut
            result.next_start_line = last + 1 if last < end else 0
            if is_cut:
                said = (
                    f"line {last} is too long for one answer and cut: repo.search in mode literal"
                    " shows other parts of it"
                )
                warnings.append(AnswerWarning("cut", said))
        cited_lines = f"{content.path}:{result.start_line}-{result.end_line}"
        return Outcome(result, warnings, [_link(result)], [cited_lines])

    def _rows(self, rows: list[str], start: int, end: int, room: int) -> tuple[list[str], bool]:
        """As many lines as there is room for, and whether the last one is cut: the first may be."""
        shown: list[str] = []
        last = min(end, start + self._services.limits.max_open_lines - 1)
        for row in numbered(rows[start - 1 : last], start):
            cost = size(row)
            if cost > room and shown:
                return shown, False
            if cost > room:
                return [_beginning(row, max(room, _LEAST_LINE))], True
            shown.append(row)
            room -= cost
        return shown, False

    def _media(self, content: FileContent, media: Media, warnings: list[AnswerWarning]) -> Outcome:
        result = _empty(content, media.kind, media.mime_type)
        blocks = [_link(result)]
        if len(content.data) <= _MOST_MEDIA_BYTES:
            data = base64.b64encode(content.data).decode()
            told = {"audience": ["user", "assistant"], "priority": 1.0}
            block = {"type": media.kind, "data": data, "mimeType": media.mime_type}
            blocks.insert(0, {**block, "annotations": told})
        else:
            result.truncated = True
            text = f"not shown: {media.kind}s of up to {_MOST_MEDIA_BYTES} bytes are"
            warnings.append(AnswerWarning("too_large", text))
        return Outcome(result, warnings, blocks, [content.path])


def _empty(content: FileContent, kind: str, mime_type: str) -> OpenFileResult:
    """An answer without lines."""
    return OpenFileResult(
        path=content.path,
        kind=kind,
        mime_type=mime_type,
        size=len(content.data),
        start_line=0,
        end_line=0,
        total_lines=0,
        encoding="",
        text="",
        truncated=False,
        next_start_line=0,
    )


def _link(result: OpenFileResult) -> dict[str, Any]:
    path = result.path
    return {
        "type": "resource_link",
        "uri": address(path),
        "name": path,
        "mimeType": result.mime_type,
        "annotations": {"audience": ["user"], "priority": 0.2},
    }


def _beginning(row: str, room: int) -> str:
    """The beginning of a line that fits, however its characters are written."""
    kept = min(len(row), room)
    while size(row[:kept] + _CUT) > room:
        kept = kept * 3 // 4
    return row[:kept] + _CUT

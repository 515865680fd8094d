"""`repo.open_file`: numbered lines of text, of several places if asked; media as content blocks."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any, Final

from code_graph.facts import DamagedFactsError, DeclarationSpan
from index_format import CorruptIndexError, Snapshot
from index_format.tuples import NamedTuple
from repo_mcp import ask
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.answers.repository import EnclosingDeclaration, OpenFileResult
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning, DeclaredPlace
from repo_mcp.repository import FileContent, LineRange, Media, media_of
from repo_mcp.text.cutting import numbered_line
from repo_mcp.text.files import Rows, Text
from repo_mcp.toolsets.kit.addresses import parse_citation, path_of, uri_of
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolHandler

_CUT: Final = " …"
# the largest image or audio file that is returned, in bytes
_MOST_MEDIA_BYTES: Final = 1 << 20
_LEAST_LINE: Final = 200
# a file, or the rest of one, of so many lines is returned whole where an answer may be that large
_WHOLE: Final = 400
# places that one call opens
_MOST_RANGES: Final = 20
# declarations around them of which the last change is looked up, and commits of a file for each:
# that reads the file as each of these commits left it
_MOST_CHANGED: Final = 3
_MOST_COMMITS: Final = 100
_LINES: Final = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9})?)?")
# other ways to name lines of a file: `12-40 of a.py`, `a.py 12-40`
_OF_FILE: Final = re.compile(
    r"(?P<lines>\d{1,9}(?: ?- ?(?:\d{1,9})?)?) (?:of|in) (?P<of>\S.*)"
    r"|(?P<path>\S+) (?P<behind>\d{1,9}(?:-(?:\d{1,9})?)?)"
)
# how opening a citation (`path:12-20`) fails; `path_invalid` on Windows, where names have no colon
_CITATION_FAILURES: Final = frozenset({"not_found", "path_invalid"})


class OpenFile(ToolHandler):
    """Opens files through the sandbox."""

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The requested lines, as many as fit."""
        warnings: list[AnswerWarning] = []
        requested = LineRange(arguments["start_line"], arguments["end_line"])
        largest = self._services.limits.max_total_bytes_per_response
        if arguments["ranges"]:
            page = self._services.page_size(arguments["max_chars"], warnings, largest)
            return self._ranges(arguments, requested, page, warnings, context)
        content, requested = self._read(arguments["path"], requested, context)
        if content.text is not None:
            rows = Rows(content.data)
            first, last = requested.within(rows.count)
            is_whole = requested.last is not None or last - first < _WHOLE
            usual = [largest] if is_whole else []
            page = self._services.page_size(arguments["max_chars"], warnings, *usual)
            asked = None if requested == LineRange() else (content, first, last)
            (around,) = self._around([asked], context)
            return self._text(content, content.text, rows, (first, last), page, warnings, around)
        media = media_of(content.path, content.data)
        if media is None:
            raise Problem("binary_file")
        return self._media(content, media, warnings)

    def _ranges(
        self,
        arguments: Arguments,
        requested: LineRange,
        page: int,
        warnings: list[AnswerWarning],
        context: Context,
    ) -> Outcome:
        """Lines of several places, in order while they fit; one that can't be read says why.

        What does not fit is left out whole, and named for the next call. The first is cut, if it
        alone does not. If none can be read, the problem of the first is raised.
        """
        own = path_of(arguments["path"])
        places = _places(arguments, requested)
        limit = self._services.limits.max_open_lines
        parts = [self._part(place, context, limit) for place in places[:_MOST_RANGES]]
        refusals = [part.refusal for part in parts if part.refusal is not None]
        if len(refusals) == len(parts):
            raise refusals[0]
        around = self._around([part.asked for part in parts], context)
        parts = [
            part if item is None else part._replace(around=f" {next(item.as_text())}")
            for part, item in zip(parts, around, strict=True)
        ]
        left = [_named(path_of(name), lines, own) for name, lines in places[_MOST_RANGES:]]
        result = OpenFileResult(
            path=path_of(places[0][0]),
            start_line=0,
            end_line=0,
            total_lines=0,
            text=NumberedLines(),
            truncated=False,
        )
        room = self._services.room(page, result, warnings) - sum(size(name) for name in left)
        if sum(part.size for part in parts) > room:
            room -= sum(size(part.rest(part.first, own)) for part in parts)
        result.ranges, shown = [], list[str]()
        rest: list[str] = []
        has_lines = False
        for part in parts:
            if part.size > room and has_lines and part.rows:
                rest.append(part.rest(part.first, own))
                continue
            text, last = part.cut(room)
            room -= part.size
            result.ranges.append(text)
            if part.rows and last < part.wanted:
                rest.append(part.rest(last + 1, own))
            has_lines = has_lines or bool(part.rows)
            if part.refusal is None:
                shown.append(f"{part.path}:{part.first}-{last}")
        result.next_ranges, result.unread = rest + left, len(refusals)
        result.truncated = bool(result.next_ranges)
        return Outcome(result, warnings, shown=shown)

    def _part(self, place: tuple[str, LineRange], context: Context, most: int) -> _Part:
        """The lines of one place."""
        name, requested = place
        try:
            content, requested = self._read(name, requested, context)
            rows = Rows(content.data)
            first, last = requested.within(rows.count)
        except Problem as problem:
            span = "" if requested == LineRange() else f":{requested.first}-{requested.last or ''}"
            return _Part(path_of(name) + span, refusal=problem)
        if content.text is None:
            return _Part(content.path, refusal=Problem("binary_file"))
        shown = [*rows.between(first, min(last, first + most - 1))]
        asked = None if requested == LineRange() else (content, first, last)
        return _Part(content.path, first, rows.count, shown, wanted=last, asked=asked)

    def _around(
        self, asked: Sequence[_AskedLines | None], context: Context
    ) -> list[EnclosingDeclaration | None]:
        """The declarations that lines are in, each where it comes first, with what is known now."""
        try:
            snapshot = self._services.repository.manager.snapshot()
            spans = _spans_around(asked, snapshot)
        except (CorruptIndexError, DamagedFactsError, Problem):
            return [None] * len(asked)  # lines are shown without an index, too
        places = [
            None if item is None else DeclaredPlace(item[0], item[1].number) for item in spans
        ]
        riders = self._services.riders(places, snapshot) or [None] * len(places)
        left = _MOST_CHANGED
        around: list[EnclosingDeclaration | None] = []
        for item, rider in zip(spans, riders, strict=True):
            if item is None:
                around.append(None)
                continue
            known = {} if rider is None else rider._asdict()
            changed = self._last_change(*item, context) if left else ""
            left -= bool(left)
            declared = EnclosingDeclaration(symbol=item[1].qualified, changed=changed, **known)
            around.append(declared)
        return around

    def _last_change(self, path: str, span: DeclarationSpan, context: Context) -> str:
        """The day and the hash of the last commit of a declaration, if commits are indexed."""
        services = self._services
        if services.past is None or not services.past.is_indexed:
            return ""
        lines = span.start_line, span.end_line
        found = services.last_change(path, lines, context.budget, _MOST_COMMITS)
        return "" if found is None else f"{found.date} {found.commit}"

    def _read(
        self, path: str, requested: LineRange, context: Context
    ) -> tuple[FileContent, LineRange]:
        """The file and the requested lines; the path may be a citation that has lines."""
        name, repository = path_of(path), self._services.repository
        try:
            return repository.read(name, context.budget), requested
        except Problem as problem:
            citation = parse_citation(name)
            if citation is None or problem.code not in _CITATION_FAILURES:
                raise
        content = repository.read(citation.path, context.budget)
        return content, LineRange(
            citation.first, citation.last
        ) if requested == LineRange() else requested

    def _text(
        self,
        content: FileContent,
        source: Text,
        rows: Rows,
        wanted: tuple[int, int],
        page: int,
        warnings: list[AnswerWarning],
        around: EnclosingDeclaration | None,
    ) -> Outcome:
        start, end = wanted
        result = _empty(content)
        if around is not None:
            result.around = around
        result.total_lines, result.encoding = rows.count, source.encoding
        room = self._services.room(page, result, warnings)
        shown, is_cut = self._rows(rows, start, end, room)
        if shown:
            last = start + len(shown) - 1
            result.start_line, result.end_line = start, last
            result.text = NumberedLines.of(shown, start)
            result.truncated = last < end or is_cut
            result.next_start_line = last + 1 if last < end else 0
            if is_cut:
                text = (
                    f"line {last} is too long for one answer and cut: repo.search in mode literal"
                    " shows other parts of it"
                )
                warnings.append(AnswerWarning("cut", text))
        citation = f"{content.path}:{result.start_line}-{result.end_line}"
        return Outcome(result, warnings, shown=[citation])

    def _rows(self, rows: Rows, start: int, end: int, room: int) -> tuple[list[str], bool]:
        """As many lines as fit, at least one, and whether that one is cut."""
        shown: list[str] = []
        last = min(end, start + self._services.limits.max_open_lines - 1)
        for number, row in enumerate(rows.between(start, last), start):
            cost = size(numbered_line(number, row))
            if cost > room and shown:
                return shown, False
            if cost > room:
                return [_beginning(number, row, max(room, _LEAST_LINE))], True
            shown.append(row)
            room -= cost
        return shown, False

    def _media(self, content: FileContent, media: Media, warnings: list[AnswerWarning]) -> Outcome:
        result = _empty(content)
        result.kind, result.mime_type = media.kind, media.mime_type
        result.size = len(content.data)
        blocks = [_link(content.path, media.mime_type)]
        if len(content.data) <= _MOST_MEDIA_BYTES:
            data = base64.b64encode(content.data).decode()
            annotations = {"audience": ["user", "assistant"], "priority": 1.0}
            block = {"type": media.kind, "data": data, "mimeType": media.mime_type}
            blocks.insert(0, {**block, "annotations": annotations})
        else:
            result.truncated = True
            text = f"not returned: the {media.kind} is larger than {_MOST_MEDIA_BYTES} bytes"
            warnings.append(AnswerWarning("too_large", text))
        return Outcome(result, warnings, blocks, [content.path])


# lines of a file that are asked for, from the first to the last
_AskedLines = tuple[FileContent, int, int]


class _Part(NamedTuple):
    """Lines of one of several places, or why there are none."""

    path: str
    first: int = 0
    total: int = 0
    rows: Sequence[str] = ()
    refusal: Problem | None = None
    # the last line that was asked for
    wanted: int = 0
    # None where no lines were named
    asked: _AskedLines | None = None
    # the declaration that they are in, and what is known of it
    around: str = ""

    def rest(self, first: int, own: str) -> str:
        """The lines from one on, as a range of the next call."""
        return _named(self.path, LineRange(first, self.wanted), own)

    @property
    def last(self) -> int:
        """The last line."""
        return self.first + len(self.rows) - 1

    @property
    def size(self) -> int:
        """Bytes of all as JSON."""
        rows = (numbered_line(number, row) for number, row in enumerate(self.rows, self.first))
        return size(self._label(self.last - 1)) + sum(map(size, rows))

    def cut(self, room: int) -> tuple[str, int]:
        """As much as fits below a label, at least a beginning, and the last line of that."""
        texts: list[str] = []
        room -= size(self._label(self.last - 1))
        for number, row in enumerate(self.rows, self.first):
            text = numbered_line(number, row)
            if size(text) > room and texts:
                break
            if size(text) > room:
                text = numbered_line(number, _beginning(number, row, max(room, _LEAST_LINE)))
            texts.append(text)
            room -= size(text)
        last = self.first + len(texts) - 1
        return "\n".join([self._label(last), *texts]), last

    def _label(self, last: int) -> str:
        """The line above those up to a last one."""
        if self.refusal is not None:
            return f"{self.path}: {self.refusal.reason}"
        wanted = f", cut at {last} of {self.wanted}" if last < self.wanted else ""
        return f"{self.path}:{self.first}-{last} of {self.total}{self.around}{wanted}"


def _spans_around(
    asked: Sequence[_AskedLines | None], snapshot: Snapshot | None
) -> list[tuple[str, DeclarationSpan] | None]:
    """The files and declarations around lines, as they are indexed, each where it comes first."""
    spans: list[tuple[str, DeclarationSpan] | None] = [None] * len(asked)
    if snapshot is None or not any(asked):
        return spans
    known: set[tuple[str, int]] = set()
    for at, lines in enumerate(asked):
        if lines is not None:
            content, *numbers = lines
            span = ask.declared_around(snapshot, content.path, content.data, *numbers)
            if span is not None and (content.path, span.number) not in known:
                known.add((content.path, span.number))
                spans[at] = content.path, span
    return spans


def _places(arguments: Arguments, requested: LineRange) -> list[tuple[str, LineRange]]:
    """The files and lines that are asked for: ranges alone are of the file of the call."""
    own = [] if requested == LineRange() else [(arguments["path"], requested)]
    for text in map(str.strip, arguments["ranges"]):
        elsewhere = _OF_FILE.fullmatch(text)
        written = text if elsewhere is None else elsewhere["lines"] or elsewhere["behind"]
        lines = _LINES.fullmatch(written)
        if lines is None:
            own.append((text, LineRange()))
            continue
        last = int(lines[2]) if lines[2] else None if "-" in written else int(lines[1])
        path = arguments["path"] if elsewhere is None else elsewhere["of"] or elsewhere["path"]
        own.append((path, LineRange(int(lines[1]), last)))
    return own


def _named(path: str, lines: LineRange, own: str) -> str:
    """A range as an argument: of the file of the call its lines alone."""
    if lines == LineRange():
        return path
    span = f"{lines.first}-{'' if lines.last is None else lines.last}"
    return span if path == own else f"{path}:{span}"


def _empty(content: FileContent) -> OpenFileResult:
    """A result without lines."""
    return OpenFileResult(
        path=content.path,
        start_line=0,
        end_line=0,
        total_lines=0,
        text=NumberedLines(),
        truncated=False,
    )


def _link(path: str, mime_type: str) -> dict[str, Any]:
    return {
        "type": "resource_link",
        "uri": uri_of(path),
        "name": path,
        "mimeType": mime_type,
        "annotations": {"audience": ["user"], "priority": 0.2},
    }


def _beginning(number: int, row: str, room: int) -> str:
    """The beginning of a line that fits once it is written as JSON, with its number."""
    head = len(numbered_line(number, ""))
    kept = min(head + len(row), room)
    while size(numbered_line(number, row[: kept - head] + _CUT)) > room:
        kept = kept * 3 // 4
    return row[: kept - head] + _CUT

"""Answers where the lines of a file come from: as it is now, or as it was in a commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.history import BlameEntry, HistoryResult, HunkEntry
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.errors import Problem
from repo_mcp.git import diff_lines, shown_path
from repo_mcp.history.line_history import blame_lines, lines_before, shown_spans, span_changes
from repo_mcp.history.model import BlamedRange
from repo_mcp.history.root_question import (
    AROUND,
    HistoryAnswer,
    RootQuestion,
    cut_message,
    message_rest,
    parse_lines,
    shown_text,
    size_of,
)
from repo_mcp.text.files import Rows

NOT_COMMITTED: Final = "-"
# the part of an answer that the lines themselves may take
_TEXT_SHARE: Final = 3


class BlameAnswer:
    """Answers one question about lines."""

    def __init__(self, root: RootQuestion) -> None:
        """Keep the question."""
        self._question = root

    def answer(self) -> HistoryAnswer:
        """The commits of the lines; a `Problem` where there are none."""
        asked, index = self._question.asked, self._question.opened.commits
        wanted = parse_lines(asked.lines)
        commit = self._question.history.named(asked.rev)
        version = self._question.history.version(commit, asked.path)
        result = HistoryResult(indexed=0 if index is None else len(index.table))
        now = None if asked.rev else self._question.history.current(asked.path)
        if version is None:
            if now is None:
                raise Problem("not_found", asked.path)
            result.blame = [_uncommitted(*wanted)]
            return HistoryAnswer(result)
        before = self._question.history.committed(version)
        current = before if now is None else now
        moved = _Moved(before, current)
        first, last = wanted[0], min(wanted[1], moved.count)
        if first > last:
            reason = f"the file has {moved.count} lines"
            raise Problem("argument_invalid", reason)
        ranges = blame_lines(
            self._question.history,
            index,
            commit.identity,
            asked.path,
            moved.old_range(first, last),
            self._question.budget.check,
            any_blanks=asked.any_blanks,
            copies=asked.copies,
        )
        texts = [*Rows(current).between(first, last)]
        is_short = sum(map(len, texts)) <= self._question.chars // _TEXT_SHARE
        room = self._question.chars
        entries: list[BlameEntry] = []
        parts: dict[bytes, _Part] = {}
        for begin, end, blamed in moved.new_ranges(ranges, first, last):
            entry = _uncommitted(begin, end) if blamed is None else self._blamed(begin, end, blamed)
            if is_short:
                entry.text = NumberedLines.of(texts[begin - first : end - first + 1], begin)
            room -= size_of(entry)
            if room < 0 and entries:
                result.truncated = True
                break
            entries.append(entry)
            if blamed is not None:
                part = parts.setdefault(blamed.commit.identity, _Part(entry, []))
                part.ranges.append(blamed)
        self._explain([*parts.values()][: asked.limit], room)
        result.blame = entries
        return HistoryAnswer(result, shown=[f"{asked.path}:{first}-{last}"])

    def _explain(self, parts: Sequence[_Part], room: int) -> None:
        """Add why and how each commit has changed its lines; they share the room."""
        for left, part in zip(range(len(parts), 0, -1), parts, strict=True):
            share, entry, row = max(room, 0) // left, part.entry, size_of(part.entry)
            hunks = self._hunks(part.ranges)
            # the change and the message have a half each, if both are long
            if sum(map(size_of, hunks)) <= share // 2:
                entry.hunks = hunks
            rest = share - sum(map(size_of, entry.hunks))
            if rest > AROUND:
                entry.message = cut_message(message_rest(part.ranges[0].commit), rest)
            room -= size_of(entry) - row

    def _hunks(self, ranges: Sequence[BlamedRange]) -> list[HunkEntry]:
        """The change that a commit has made to lines of a file that are its own."""
        history = self._question.history
        self._question.budget.check()
        first = ranges[0]
        change = history.change_to(first.commit, first.path)
        texts = None if change is None else history.texts(change)
        if change is None or texts is None:
            return []
        own = [item for item in ranges if item.path == first.path]
        lines = ((item.origin_first, item.origin_first + item.last - item.first) for item in own)
        spans = span_changes(dict(enumerate(lines)), texts, is_new=not change.old.is_there)
        return self._question.hunks(shown_spans(change, texts, spans))

    def _blamed(self, first: int, last: int, item: BlamedRange) -> BlameEntry:
        commit = item.commit
        return BlameEntry(
            lines=_line_range(first, last),
            commit=commit.identity.hex()[: self._question.digits],
            date=commit.author.day,
            author=commit.author.name,
            subject=shown_text(commit.subject),
            path=self._earlier_path(item.path),
        )

    def _earlier_path(self, path: str) -> str:
        """The path that lines had; empty if it is that of the file, or is denied."""
        is_told = path != self._question.asked.path and not self._question.history.is_denied(path)
        return shown_path(path) if is_told else ""


class _Part(NamedTuple):
    """The lines that come from one commit, and the first entry of them."""

    entry: BlameEntry
    ranges: list[BlamedRange]


class _Moved:
    """Lines of a file at HEAD and as it is now."""

    def __init__(self, before: bytes, now: bytes) -> None:
        self.count = now.count(b"\n") + (bool(now) and not now.endswith(b"\n"))
        self._hunks = diff_lines(before, now) if before != now else []

    def old_range(self, first: int, last: int) -> tuple[int, int]:
        """Where lines were at HEAD, with those that are gone."""
        begin, end = lines_before(self._hunks, first, last)
        return begin, max(end, begin)

    def new_ranges(
        self, ranges: Iterable[BlamedRange], first: int, last: int
    ) -> Iterator[tuple[int, int, BlamedRange | None]]:
        """The ranges by the lines as they are now; new lines have no commit."""
        owner: dict[int, BlamedRange] = {
            line: item for item in ranges for line in range(item.first, item.last + 1)
        }
        found: list[tuple[int, BlamedRange | None]] = []
        for line in range(first, last + 1):
            old = self._old_line(line)
            found.append((line, None if old is None else owner.get(old)))
        begin = 0
        for at in range(1, len(found) + 1):
            if at == len(found) or found[at][1] is not found[begin][1]:
                yield found[begin][0], found[at - 1][0], found[begin][1]
                begin = at

    def _old_line(self, line: int) -> int | None:
        shift = 0
        for hunk in self._hunks:
            if hunk.new < line <= hunk.new_end:
                return None
            if hunk.new_end < line:
                shift = hunk.old_end - hunk.new_end
        return line + shift


def _line_range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _uncommitted(first: int, last: int) -> BlameEntry:
    return BlameEntry(
        lines=_line_range(first, last),
        commit=NOT_COMMITTED,
        date=NOT_COMMITTED,
        author=NOT_COMMITTED,
        subject="not committed yet",
    )

"""Where lines come from, and the commits that have changed some lines of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.git import Blame, FileChange, Hunk, UnreadObjectError, diff_lines
from repo_mcp.history.commit_index import CommitIndex
from repo_mcp.history.file_history import FileCommit
from repo_mcp.history.model import BlamedRange, ChangedLines, Check
from repo_mcp.history.repository_history import RepositoryHistory

# of the change of some lines, hunks that are shown, and lines of each side of one
_MOST_HUNKS: Final = 3
_MOST_ROWS: Final = 12


class LastChanges:
    """Goes back by first parents to where a path last changed, without reading trees."""

    def __init__(self, index: CommitIndex) -> None:
        """Look nothing up yet."""
        self._index = index
        self._marks: dict[str, bytearray] = {}

    def __call__(self, commit: bytes, path: str) -> bytes:
        """The commit that last changed a path, at a commit or before it by first parents."""
        table = self._index.table
        place = table.place(commit)
        if place is None:
            return commit
        marks, parents = self._marks_of(path), table.first_parents
        while not marks[place]:
            before = parents[place]
            if before < 0:
                break
            place = before
        return table.identity(place)

    def _marks_of(self, path: str) -> bytearray:
        known = self._marks.get(path)
        if known is None:
            known = self._marks[path] = bytearray(len(self._index.table))
            for places in (self._index.with_path(path), self._index.unsure):
                for place in places.tolist():
                    known[place] = 1
        return known


def blame_lines(
    history: RepositoryHistory,
    index: CommitIndex | None,
    commit: bytes,
    path: str,
    lines: tuple[int, int] | None,
    check: Check,
    *,
    any_blanks: bool = False,
    copies: bool = False,
) -> list[BlamedRange]:
    """The commits that lines of a file come from; lines are from 1 on, with the last."""
    changes = None if index is None else LastChanges(index)
    blame = Blame(
        history.objects,
        changes,
        any_blanks=any_blanks,
        copies=copies,
        check=check,
        skipped=history.skip,
    )
    ranges = None if lines is None else [(lines[0] - 1, lines[1])]
    try:
        found = blame.lines(commit, path, ranges)
    except UnreadObjectError:
        raise
    except ValueError:
        raise Problem("not_found", path) from None
    answer = []
    for item in found:
        origin = history.commit(item.origin.commit)
        if origin is not None:
            last = item.first + item.size
            place = item.origin_first + 1
            answer.append(BlamedRange(item.first + 1, last, origin, item.origin.path, place))
    return answer


class SpanChange(NamedTuple):
    """The hunks of a commit that have changed some lines, and where these are in it."""

    number: int  # of the lines among those that are followed
    lines: tuple[int, int]
    hunks: Sequence[Hunk]
    # where the lines were before, from 1 on; None where the commit has made them
    before: tuple[int, int] | None


class LineChange(NamedTuple):
    """A commit that has changed lines of a file that are followed, and what of which of them."""

    commit: FileCommit
    spans: Sequence[SpanChange]
    texts: tuple[bytes, bytes]


def commits_of_lines(
    history: RepositoryHistory,
    commits: Iterable[FileCommit],
    spans: Sequence[tuple[int, int]],
    check: Check,
) -> Iterator[LineChange]:
    """Those of the commits of a file that have changed these lines of it, the newest first.

    The lines are those after the first of them. They are followed back through what was added and
    removed around them, each range for itself.
    """
    followed = dict(enumerate(spans))
    for item in commits:
        check()
        commit = history.commit(item.identity)
        if commit is None:
            return
        texts = history.texts(history.change_of(commit, item.file))
        if texts is None:
            return
        changes = span_changes(followed, texts, is_new=item.file.kind == "A")
        touched = [change for change in changes if change.hunks]
        if touched:
            yield LineChange(item, touched, texts)
        followed = {item.number: item.before for item in changes if item.before is not None}
        if not followed:
            return


def span_changes(
    spans: Mapping[int, tuple[int, int]], texts: tuple[bytes, bytes], *, is_new: bool
) -> list[SpanChange]:
    """The part of a file's change in lines of it; of a new file, all of them."""
    hunks = diff_lines(*texts, whole=True)
    changes = []
    for number, lines in spans.items():
        begin, end = lines_before(hunks, *lines)
        before = (begin, end) if end >= begin and not is_new else None
        touched = [hunk for hunk in hunks if _touches(hunk, *lines)]
        changes.append(SpanChange(number, lines, touched, before))
    return changes


def shown_spans(
    change: FileChange,
    texts: tuple[bytes, bytes],
    spans: Sequence[SpanChange],
    names: Sequence[str] = (),
) -> Iterator[ChangedLines]:
    """The first hunks of some lines as answers show them, with the names that the lines have."""
    for hunk, old, new in islice(_rows_of_hunks(spans), _MOST_HUNKS):
        shown = RepositoryHistory.shown_hunk(change, hunk, texts, (old, new))
        line = hunk.new + 1 + (new[0] if new else 0)
        inside = [names[span.number] for span in spans if hunk in span.hunks and names]
        yield shown._replace(new_line=line, symbols=inside)


def _rows_of_hunks(
    spans: Sequence[SpanChange],
) -> Iterator[tuple[Hunk, Sequence[int], Sequence[int]]]:
    """The hunks of some lines in their order, each with the numbers of its rows that are of them.

    Of the old and of the new text at most so many each: a hunk may go far beyond these lines.
    """
    hunks = {hunk.new: hunk for item in spans for hunk in item.hunks}
    for _, hunk in sorted(hunks.items()):
        own = [item for item in spans if hunk in item.hunks]
        new = _rows_within(range(hunk.new, hunk.new_end), [item.lines for item in own])
        old = _rows_within(
            range(hunk.old, hunk.old_end), [item.before for item in own if item.before is not None]
        )
        yield hunk, old[:_MOST_ROWS], new[:_MOST_ROWS]


def _rows_within(rows: range, spans: Sequence[tuple[int, int]]) -> Sequence[int]:
    """The rows from 0 on that are of any of these lines from 1 on, counted from the first row."""
    inside = [range(max(rows.start, a - 1), min(rows.stop, b)) for a, b in spans]
    return sorted({row - rows.start for part in inside for row in part})


def _touches(hunk: Hunk, first: int, last: int) -> bool:
    """True if a hunk adds, changes or removes something of lines from 1 on, with the last."""
    if hunk.new == hunk.new_end:  # between two lines
        return first <= hunk.new < last
    return hunk.new < last and hunk.new_end >= first


def lines_before(hunks: Sequence[Hunk], first: int, last: int) -> tuple[int, int]:
    """Where lines were in the old text; the second is less than the first where they were not."""
    begin, end = first - 1, last
    shift_begin = shift_end = 0
    for hunk in hunks:
        shift = (hunk.old_end - hunk.old) - (hunk.new_end - hunk.new)
        if hunk.new_end <= begin:
            shift_begin += shift
            shift_end += shift
        elif hunk.new < end:
            if hunk.new <= begin:  # the first lines are of this hunk
                shift_begin = hunk.old - begin
            if hunk.new_end >= end:  # so are the last
                shift_end = hunk.old_end - end
            else:
                shift_end += shift
    return begin + shift_begin + 1, end + shift_end

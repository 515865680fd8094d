"""One question about the history: which it is by its arguments, and its answer as a record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.history import (
    COMMITS,
    FILE,
    PEOPLE,
    RELATED,
    BlameEntry,
    CommitEntry,
    HistoryResult,
    HunkEntry,
    PersonEntry,
    RelatedEntry,
)
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.answers.records import AnswerRecord
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.git import Commit, FileChange, diff_lines
from repo_mcp.history.commit_index import CommitIndex, Mask, path_filter
from repo_mcp.history.file_history import FileHistory, people_of, related_files
from repo_mcp.history.line_history import blame_lines, commits_of_lines, lines_before
from repo_mcp.history.model import BlamedRange, ChangedLines, CommitFilter, CommitHit
from repo_mcp.history.pickaxe import Pickaxe, SoughtText
from repo_mcp.history.ranked_commits import rank_commits
from repo_mcp.history.service import OpenHistory
from repo_mcp.safety.redaction import SUSPECT, looks_secret
from repo_mcp.stored_commits import HASH_BYTES, CommitFile
from repo_mcp.text.files import decode

# digits of a hash: enough for a million commits
SHOWN_DIGITS: Final = 10
NOT_COMMITTED: Final = "-"
_MOST_FILES: Final = 5
_MOST_HUNKS: Final = 3
# lines of a commit that is asked for by its name, and of a file as it was
_MOST_ROWS: Final = 400
_MOST_LINES: Final = 1000
# commits that are ranked: a page of words has no more
_MOST_RANKED: Final = 100
_LINES: Final = re.compile(r"(\d{1,9})(?:\s*[-,:]\s*(\d{1,9}))?")
# lines of each side of a hunk that are shown of a declaration
_FIRST_ROWS: Final = (range(12), range(12))
# what stands around an entry in an answer
_AROUND: Final = 60


class HistoryQuestion(NamedTuple):
    """The arguments of a question; empty ones are not given."""

    text: str = ""
    regex: str = ""
    words: str = ""
    path: str = ""
    lines: str = ""
    # where the declaration is that is asked about, in the file as it is now
    declared: tuple[int, int] | None = None
    about: str = COMMITS
    rev: str = ""
    author: str = ""
    since: str = ""
    until: str = ""
    ignore_case: bool = False
    any_blanks: bool = False
    limit: int = 10
    full_hashes: bool = False
    # the commit that the page before ended with: its hash and its date
    after: tuple[str, int] | None = None


class HistoryAnswer(NamedTuple):
    """The answer's record, and the commit after which the next page begins."""

    result: HistoryResult
    last: tuple[str, int] | None = None
    shown: Sequence[str] = ()


class Question:
    """Answers a question about the history of one root."""

    def __init__(
        self,
        question: HistoryQuestion,
        opened: OpenHistory,
        budget: Budget,
        most_chars: int,
    ) -> None:
        """Keep the arguments."""
        self._asked = question
        self._opened = opened
        self._history = opened.history
        self._budget = budget
        self._chars = most_chars
        self._digits = 2 * HASH_BYTES if question.full_hashes else SHOWN_DIGITS

    def answer(self) -> HistoryAnswer:
        """The answer; what is wrong with the arguments is a `Problem`."""
        asked = self._asked
        if self._history.denylist.rule(asked.path):
            raise Problem("path_denied")
        if asked.lines or (asked.about == FILE):
            if not asked.path:
                raise Problem("argument_invalid", "lines and about=file need the path of a file")
            return self._file() if asked.about == FILE else self._blame()
        sought = [asked.text, asked.regex, asked.words]
        if sum(map(bool, sought)) > 1:
            raise Problem("argument_invalid", "give one of text, regex and words")
        if asked.rev and not any(sought) and asked.about == COMMITS and asked.declared is None:
            return self._commit()
        return self._of_index()

    def _of_index(self) -> HistoryAnswer:
        asked, index = self._asked, self._opened.commits
        if index is None:
            raise Problem("history_unindexed")
        result = HistoryResult(indexed=len(index.table))
        if asked.declared is not None:
            return self._page(index, result, self._of_lines(index, asked.declared))
        if asked.about == RELATED:
            return self._related(index, result)
        allowed = index.allowed(self._filter())
        if asked.about == PEOPLE:
            return self._people(index, result, allowed)
        if asked.text or asked.regex:
            sought = SoughtText(
                asked.text or asked.regex, regex=bool(asked.regex), ignore_case=asked.ignore_case
            )
            pickaxe = Pickaxe(self._history, index, sought, path_filter(asked.path))
            found = pickaxe.find(allowed, self._budget, self._after(index))
            answer = self._page(index, result, found)
            if answer.last is not None and asked.after is None:
                oldest = pickaxe.find(allowed, self._budget, oldest_first=True)
                result.first = [self._entry(hit) for _, hit in islice(oldest, 1)]
            return answer
        if asked.words:
            return self._page(index, result, self._ranked(index, allowed))
        return self._page(index, result, self._newest(index, allowed))

    def _filter(self) -> CommitFilter:
        asked = self._asked
        since, until = _first_second(asked.since, "since"), _first_second(asked.until, "until")
        day = int(timedelta(days=1).total_seconds())
        return CommitFilter(asked.path, asked.author, since, until + day if until else 0)

    def _after(self, index: CommitIndex) -> int:
        """The place of the last commit of the page before; -1 for the first page."""
        if self._asked.after is None:
            return -1
        identity, seconds = self._asked.after
        place = index.table.place(bytes.fromhex(identity))
        return index.table.place_before(seconds) if place is None else place

    def _newest(self, index: CommitIndex, allowed: Mask) -> Iterator[tuple[int, CommitHit]]:
        """The last commits: of a file through its renames."""
        path, after = self._asked.path, self._after(index)
        if path and len(index.with_path(path)):
            dates = index.allowed(self._filter()._replace(path=""))
            for item in FileHistory(index, path).commits(dates):
                if item.place > after:
                    yield item.place, self._file_hit(index, item.place, item.file)
            return
        for place in range(after + 1, len(index.table)):
            if allowed[place] and not (path and index.table.is_merge[place]):
                yield place, self._hit(index, place)

    def _ranked(self, index: CommitIndex, allowed: Mask) -> Iterator[tuple[int, CommitHit]]:
        ranked = rank_commits(index, self._asked.words, allowed, _MOST_RANKED)
        after = self._after(index)
        places = [place for place, _, _ in ranked]
        begin = places.index(after) + 1 if after in places else 0
        for place, _, numbers in ranked[begin:]:
            files = index.files(place)
            named = [files[number].path for number in numbers if number < len(files)]
            names = [*filter(path_filter(self._asked.path), named)]
            yield place, self._hit(index, place, names)

    def _of_lines(
        self, index: CommitIndex, lines: tuple[int, int]
    ) -> Iterator[tuple[int, CommitHit]]:
        """The commits that have changed lines of a file as it is now."""
        path, after = self._asked.path, self._after(index)
        committed = self._committed_lines(path, lines)
        if committed is None:
            return
        check = self._budget.check
        # the file itself is followed through its renames
        allowed = index.allowed(self._filter()._replace(path=""))
        for item in commits_of_lines(self._history, index, path, committed, check):
            if item.commit.place <= after or not allowed[item.commit.place]:
                continue
            commit = self._found(index, item.commit.place)
            file = item.commit.file
            change = self._history.change_of(commit, file)
            hunks = [
                self._history.shown_hunk(change, hunk, item.texts, _FIRST_ROWS)
                for hunk in item.hunks[:_MOST_HUNKS]
            ]
            yield item.commit.place, CommitHit(commit, [file.path], hunks)

    def _committed_lines(self, path: str, lines: tuple[int, int]) -> tuple[int, int] | None:
        """Where lines of a file as it is now are at HEAD; None where they are new."""
        head = self._history.named("")
        version = self._history.version(head, path)
        if version is None:
            return None
        now = self._history.current(path)
        before = self._history.reader.content(version.identity)
        if now is None or now == before:
            return lines
        begin, end = lines_before(diff_lines(before, now), *lines)
        return (begin, end) if end >= begin else None

    def _hit(self, index: CommitIndex, place: int, paths: Sequence[str] = ()) -> CommitHit:
        commit = self._found(index, place)
        files = index.files(place)
        shown = list(dict.fromkeys(paths))
        others = [item.path for item in files if item.path not in shown]
        shown += [*filter(path_filter(self._asked.path), others)] or others
        return CommitHit(commit, shown[:_MOST_FILES], more_files=max(len(shown) - _MOST_FILES, 0))

    def _file_hit(self, index: CommitIndex, place: int, file: CommitFile) -> CommitHit:
        commit = self._found(index, place)
        name = f"{file.old_path} → {file.path}" if file.kind == "R" else file.path
        changed = f"{name} +{file.added} -{file.removed}"
        return CommitHit(commit, [changed])

    def _found(self, index: CommitIndex, place: int) -> Commit:
        found = self._history.commit(index.table.identity(place))
        if found is None:  # removed since by git gc
            raise Problem("history_unread", "a commit is no longer there")
        return found

    def _page(
        self, index: CommitIndex, result: HistoryResult, found: Iterator[tuple[int, CommitHit]]
    ) -> HistoryAnswer:
        rows: list[CommitEntry] = []
        room, last = self._chars, None
        shown: list[str] = []
        for place, hit in found:
            entry = self._entry(hit)
            size = _size(entry)
            if len(rows) >= self._asked.limit or (rows and size > room):
                result.truncated = True
                break
            room -= size
            rows.append(entry)
            identity = index.table.identity(place)
            last = identity.hex(), int(index.table.dates[place])
            shown += [f"{path}@{identity.hex()[:SHOWN_DIGITS]}" for path in hit.files]
        result.commits = rows
        return HistoryAnswer(result, last if result.truncated else None, shown)

    def _related(self, index: CommitIndex, result: HistoryResult) -> HistoryAnswer:
        path = self._asked.path
        if not path:
            raise Problem("argument_invalid", "about=related needs the path of a file")
        found = related_files(index, path, self._budget.check)
        allowed = [item for item in found if not self._history.denylist.rule(item.path)]
        result.related = [
            RelatedEntry(
                path=self._shown_path(item.path),
                together=item.together,
                commits=item.of,
                last=_day(item.last),
            )
            for item in allowed[: self._asked.limit]
        ]
        result.truncated = len(allowed) > self._asked.limit
        return HistoryAnswer(result)

    def _people(self, index: CommitIndex, result: HistoryResult, allowed: Mask) -> HistoryAnswer:
        found = people_of(self._history, index, allowed, self._budget.check)
        result.people = [
            PersonEntry(
                name=item.name, email=item.email, commits=item.commits, last=_day(item.last)
            )
            for item in found[: self._asked.limit]
        ]
        result.truncated = len(found) > self._asked.limit
        return HistoryAnswer(result)

    def _blame(self) -> HistoryAnswer:
        """Where lines of a file come from: as it is now, or as it was in a commit."""
        asked, index = self._asked, self._opened.commits
        wanted = _parse_lines(asked.lines)
        commit = self._history.named(asked.rev)
        version = self._history.version(commit, asked.path)
        result = HistoryResult(indexed=0 if index is None else len(index.table))
        now = None if asked.rev else self._history.current(asked.path)
        if version is None:
            if now is None:
                raise Problem("not_found", asked.path)
            result.blame = [_uncommitted(*wanted)]
            return HistoryAnswer(result)
        before = self._history.reader.content(version.identity)
        moved = _Moved(before, before if now is None else now)
        first, last = wanted[0], min(wanted[1], moved.count)
        if first > last:
            reason = f"the file has {moved.count} lines"
            raise Problem("argument_invalid", reason)
        ranges = blame_lines(
            self._history,
            index,
            commit.identity,
            asked.path,
            moved.old_range(first, last),
            self._budget.check,
            any_blanks=asked.any_blanks,
        )
        room = self._chars
        for item in moved.new_ranges(ranges, first, last):
            entry = _uncommitted(*item[:2]) if item[2] is None else self._blamed(*item[:2], item[2])
            room -= _size(entry)
            if room < 0 and result.blame:
                result.truncated = True
                break
            result.blame = [*result.blame, entry]
        return HistoryAnswer(result, shown=[f"{asked.path}:{first}-{last}"])

    def _blamed(self, first: int, last: int, item: BlamedRange) -> BlameEntry:
        commit = item.commit
        return BlameEntry(
            lines=_line_range(first, last),
            commit=commit.identity.hex()[: self._digits],
            date=_day(commit.author.time),
            author=commit.author.name,
            subject=_safe(commit.subject),
            path=item.path if item.path != self._asked.path else "",
        )

    def _file(self) -> HistoryAnswer:
        """A file as it was in a commit."""
        asked = self._asked
        commit = self._history.named(asked.rev)
        version = self._history.version(commit, asked.path)
        if version is None:
            raise Problem("not_found", f"{asked.path} at {commit.identity.hex()[:SHOWN_DIGITS]}")
        text = decode(self._history.reader.content(version.identity))
        if text is None:
            raise Problem("binary_file")
        rows = text.content.split("\n")
        rows = rows[:-1] if not rows[-1] else rows
        wanted = _parse_lines(asked.lines) if asked.lines else (1, _MOST_LINES)
        first, last = wanted[0], min(wanted[1], len(rows), wanted[0] + _MOST_LINES - 1)
        shown: list[str] = []
        room = self._chars
        for row in rows[first - 1 : last]:
            room -= len(row) + 8
            if room < 0 and shown:
                break
            shown.append(_safe(row.removesuffix("\r")))
        result = HistoryResult(
            path=f"{asked.path}@{commit.identity.hex()[:SHOWN_DIGITS]}",
            content=NumberedLines.of(shown, first),
            truncated=first + len(shown) - 1 < min(len(rows), wanted[1]),
        )
        return HistoryAnswer(result, shown=[f"{result.path}:{first}-{first + len(shown) - 1}"])

    def _commit(self) -> HistoryAnswer:
        """One commit: its message, its files and what it has changed."""
        commit = self._history.named(self._asked.rev)
        changes = self._history.reader.changes(commit)
        wanted = self._asked.path.rstrip("/")
        if wanted:
            changes = [item for item in changes if _is_below(item, wanted)]
        hunks: list[ChangedLines] = []
        rows = 0
        room = self._chars - len(commit.message)
        cut = False
        for change in changes:
            texts = self._history.reader.texts(change)
            for hunk in () if texts is None else diff_lines(*texts, whole=True):
                shown = self._history.shown_hunk(change, hunk, texts or (b"", b""))
                size = sum(len(row) + 3 for row in shown.lines) + _AROUND
                if hunks and (rows + len(shown.lines) > _MOST_ROWS or size > room):
                    cut = True
                    break
                room -= size
                rows += len(shown.lines)
                hunks.append(shown)
        hit = CommitHit(commit, [item.path for item in changes][:_MOST_LINES], hunks)
        message = commit.message.strip().partition("\n")[2].strip()
        result = HistoryResult(
            commits=[self._entry(hit)],
            message="\n".join(_safe(row) for row in message.split("\n")),
            truncated=cut,
        )
        identity = commit.identity.hex()[:SHOWN_DIGITS]
        return HistoryAnswer(result, shown=[f"{path}@{identity}" for path in hit.files])

    def _entry(self, hit: CommitHit) -> CommitEntry:
        commit = hit.commit
        entry = CommitEntry(
            commit=commit.identity.hex()[: self._digits],
            date=_day(commit.committer.time),
            author=commit.author.name,
            subject=_safe(commit.subject),
            files=[self._shown_path(path) for path in hit.files],
            hunks=[
                HunkEntry(
                    path=self._shown_path(hunk.path),
                    line=hunk.new_line,
                    text="\n".join(hunk.lines),
                    old_path=hunk.old_path,
                )
                for hunk in hit.hunks
            ],
        )
        if hit.before != hit.after:
            entry.note = f"{hit.before} → {hit.after}"
        if hit.more_files:
            entry.more_files = hit.more_files
        return entry

    def _shown_path(self, path: str) -> str:
        return self._opened.prefix + path


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


def _is_below(change: FileChange, path: str) -> bool:
    names = (change.old.path, change.new.path)
    return any(name == path or name.startswith(path + "/") for name in names)


def _parse_lines(text: str) -> tuple[int, int]:
    found = _LINES.fullmatch(text.strip())
    first = int(found[1]) if found else 0
    last = int(found[2] or first) if found else 0
    if not 0 < first <= last:
        raise Problem("argument_invalid", "lines is a number or a range: 12 or 12-40")
    return first, last


def _first_second(text: str, name: str) -> int:
    if not text.strip():
        return 0
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        raise Problem("argument_invalid", f"{name} is a day, as 2024-01-31") from None
    return max(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()), 1)


def _day(seconds: int) -> str:
    return datetime.fromtimestamp(min(seconds, 253_402_300_799), tz=UTC).date().isoformat()


def _safe(text: str) -> str:
    return SUSPECT if looks_secret(text) else text


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


def _size(entry: AnswerRecord) -> int:
    return sum(len(row) + 1 for row in entry.as_text()) + _AROUND

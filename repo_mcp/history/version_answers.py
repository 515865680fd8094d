"""Answers about one commit, and about a file as it was in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice
from typing import Final

from code_graph.paths.path_kinds import rank_path
from index_format.tuples import NamedTuple
from repo_mcp.answers.history import HistoryResult
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.errors import Problem
from repo_mcp.git import FileChange, diff_lines
from repo_mcp.history.commit_index import path_filter
from repo_mcp.history.enclosing import DeclaredLines, declared_lines
from repo_mcp.history.model import ChangedLines, CommitHit
from repo_mcp.history.root_question import (
    AROUND,
    MOST_LINES,
    SHOWN_DIGITS,
    HistoryAnswer,
    RootQuestion,
    cut_message,
    message_rest,
    parse_lines,
    shown_text,
)
from repo_mcp.text.files import decode
from repo_mcp.text.plurals import counted

# changed lines of a commit that is asked for by its name
_MOST_ROWS: Final = 400
# bytes of both sides of its files: others are named
_MOST_BYTES: Final = 32 << 20
# the message of a commit and its changed lines share the room
_SHARES: Final = 2
# characters of the row of a file with its declarations
_NAMED: Final = 90


def answer_file(root: RootQuestion) -> HistoryAnswer:
    """A file as it was in a commit."""
    asked = root.asked
    commit = root.history.named(asked.rev)
    version = root.history.version(commit, asked.path)
    if version is None:
        raise Problem("not_found", f"{asked.path} at {commit.identity.hex()[:SHOWN_DIGITS]}")
    text = decode(root.history.committed(version))
    if text is None:
        raise Problem("binary_file")
    content = text.content
    count = content.count("\n") + (content[-1:] not in {"", "\n"})
    wanted = parse_lines(asked.lines) if asked.lines else (1, MOST_LINES)
    first, last = wanted[0], min(wanted[1], count, wanted[0] + MOST_LINES - 1)
    shown: list[str] = []
    room = root.chars
    for line in islice(StringIO(content, newline="\n"), first - 1, last):
        row = line.removesuffix("\n").removesuffix("\r")
        room -= len(row) + 8
        if room < 0 and shown:
            break
        shown.append(shown_text(row))
    result = HistoryResult(
        path=f"{asked.path}@{commit.identity.hex()[:SHOWN_DIGITS]}",
        content=NumberedLines.of(shown, first),
        truncated=first + len(shown) - 1 < min(count, wanted[1]),
    )
    return HistoryAnswer(result, shown=[f"{result.path}:{first}-{first + len(shown) - 1}"])


def answer_commit(root: RootQuestion) -> HistoryAnswer:
    """One commit: its message, its files and what it has changed.

    What it has changed inside of declarations of code comes first, lines outside of them behind, as
    imports are, and files that are gone last. Of files whose lines do not fit, the changed
    declarations are named.
    """
    commit = root.history.named(root.asked.rev)
    changes = wanted_changes(root, root.history.reader.changes(commit, root.history.skip))
    whole_message = message_rest(commit)
    message = cut_message(whole_message, root.chars // _SHARES)
    parts, is_whole = _changed_parts(root, changes)
    # code is parsed before files that are generated, tests and prose
    sources = {
        part.path: part.text for part in sorted(parts, key=lambda part: rank_path(part.path))
    }
    declared = declared_lines(root.opened.manager, sources, root.budget)
    parts = [told for part in parts for told in part.told_by(declared.get(part.path))]
    # files whose lines do not fit are named, too
    room = root.chars - len(message) - _NAMED * len(changes)
    rows = 0
    chosen: list[int] = []
    left: dict[str, list[_ChangedPart]] = {}
    for at, part in sorted(enumerate(parts), key=lambda item: item[1].order):
        lines = part.shown.lines
        size = sum(len(row) + 3 for row in lines) + AROUND
        if part.path in left or (chosen and (rows + len(lines) > _MOST_ROWS or size > room)):
            left.setdefault(part.path, []).append(part)
            continue
        room -= size
        rows += len(lines)
        chosen.append(at)
    chosen.sort(key=lambda at: (parts[at].order_of_file, at))
    hunks = [parts[at].shown for at in chosen]
    hunks += [
        unshown[0].shown._replace(
            lines=(), symbols=declared[path].all_names(part.span for part in unshown)
        )
        for path, unshown in left.items()
        if path in declared
    ]
    hit = CommitHit(commit, [item.path for item in changes][:MOST_LINES], hunks)
    entry = root.entry(hit)
    entry.message = message
    is_cut = message != whole_message
    result = HistoryResult(commits=[entry], truncated=bool(left) or is_cut or not is_whole)
    identity = commit.identity.hex()[:SHOWN_DIGITS]
    return HistoryAnswer(result, shown=[f"{path}@{identity}" for path in hit.files])


class _ChangedPart(NamedTuple):
    """Changed lines, and where they are in the text that has them: the old one of a lost file."""

    shown: ChangedLines
    span: tuple[int, int]
    text: bytes
    is_gone: bool
    is_new: bool
    # false for lines outside of all declarations of a file that has some
    is_inside: bool = True

    @property
    def path(self) -> str:
        """The path of the file."""
        return self.shown.path

    @property
    def order_of_file(self) -> tuple[bool, int]:
        """A key for sorting files, the most useful ones first."""
        return self.is_gone, rank_path(self.path)

    @property
    def order(self) -> tuple[bool, int, bool]:
        """A key for sorting lines, the most useful ones first."""
        return *self.order_of_file, not self.is_inside

    def told_by(self, declared: DeclaredLines | None) -> Iterator[_ChangedPart]:
        """The lines with their declarations; of a new file those before its first one apart."""
        if declared is None:
            yield self
            return
        first, last = self.span
        lines, symbols = self.shown.lines, declared.names(first, last)
        head = declared.first_line - first if self.is_new and symbols else 0
        if 0 < head < len(lines):
            rest = self.shown._replace(lines=lines[head:], new_line=first + head, symbols=symbols)
            yield self._replace(shown=rest, span=(first + head, last))
            lines, symbols, last = lines[:head], [], first + head - 1
        shown = self.shown._replace(lines=lines, symbols=symbols)
        yield self._replace(shown=shown, span=(first, last), is_inside=bool(symbols))


def _changed_parts(
    root: RootQuestion, changes: Sequence[FileChange]
) -> tuple[list[_ChangedPart], bool]:
    """The changed lines of files; false if these are too large for all of them."""
    parts: list[_ChangedPart] = []
    held = 0
    for change in changes:
        root.budget.check()
        if held > _MOST_BYTES:
            return parts, False
        texts = root.history.texts(change)
        if texts is None:
            continue
        held += sum(map(len, texts))
        is_gone, is_new = not change.new.is_there, not change.old.is_there
        for hunk in diff_lines(*texts, whole=True):
            sides = hunk.old_end - hunk.old, hunk.new_end - hunk.new
            old, new = (range(min(side, _MOST_ROWS)) for side in sides)
            shown = root.history.shown_hunk(change, hunk, texts, (old, new))
            span = (hunk.old + 1, hunk.old_end) if is_gone else (hunk.new + 1, hunk.new_end)
            parts.append(_ChangedPart(shown, span, texts[0 if is_gone else 1], is_gone, is_new))
    return parts, held <= _MOST_BYTES


def wanted_changes(root: RootQuestion, changes: Sequence[FileChange]) -> Sequence[FileChange]:
    """The changes of files that the path means; a `Problem` where it means none of them."""
    path = root.asked.path
    is_wanted = path_filter(path)
    found = [item for item in changes if is_wanted(item.new.path) or is_wanted(item.old.path)]
    if changes and not found:
        one = f"{path} among the {counted(len(changes), 'file')} that this commit has changed"
        raise Problem("not_found", one)
    return found

"""Answers which commits before one have changed the declarations that it has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from code_graph.paths.path_kinds import rank_path
from index_format.tuples import NamedTuple
from repo_mcp.answers.history import CommitEntry, EarlierEntry, HistoryResult
from repo_mcp.errors import Problem
from repo_mcp.git import Commit, FileChange, Hunk, diff_lines
from repo_mcp.history.commit_index import CommitIndex
from repo_mcp.history.enclosing import DeclaredLines, LinesOwner, declared_lines
from repo_mcp.history.file_history import FileHistory
from repo_mcp.history.line_history import commits_of_lines, lines_before
from repo_mcp.history.model import CommitHit
from repo_mcp.history.root_question import (
    MOST_LINES,
    SHOWN_DIGITS,
    HistoryAnswer,
    RootQuestion,
    size_of,
)
from repo_mcp.history.version_answers import wanted_changes

# commits of a declaration that are named, and declarations
_MOST_EARLIER: Final = 5
_MOST_DECLARED: Final = 40
# seconds after which no further file is followed back
_SECONDS: Final = 8.0
_WORD: Final = re.compile(rb"\w")


class _ChangedDeclaration(NamedTuple):
    """A declaration that a commit has changed, and where its lines were before it."""

    name: str
    line: int
    before: tuple[int, int] | None


class _ChangedFile(NamedTuple):
    """A file that a commit has changed, and its declarations."""

    change: FileChange
    declared: list[_ChangedDeclaration]


def answer_earlier(root: RootQuestion) -> HistoryAnswer:
    """A commit, and the last commits before it that have changed the same declarations."""
    index = root.opened.commits
    if index is None:
        raise Problem("history_unindexed")
    commit = root.history.named(root.asked.rev)
    place = index.table.place(commit.identity)
    if place is None:
        raise Problem("argument_invalid", f"{root.asked.rev} is none of the commits before HEAD")
    files = _changed_files(root, commit)
    others = [item.change.path for item in files if not item.declared]
    entry = root.entry(CommitHit(commit, others[:MOST_LINES]))
    earlier: list[EarlierEntry] = []
    is_cut = False
    room = root.chars - size_of(entry)
    limit = root.budget.within(_SECONDS)
    for file in files:
        wanted = file.declared[: _MOST_DECLARED - len(earlier)]
        found = {} if limit.spent else _earlier_commits(root, index, place, file, wanted)
        entries = [_entry_of(root, file, item, found.get(item)) for item in wanted]
        for item in entries:
            room -= size_of(item)
            if room < 0 and earlier:
                break
            earlier.append(item)
        is_cut |= room < 0 or limit.spent or len(wanted) < len(file.declared)
    result = HistoryResult(commits=[entry], earlier=earlier, truncated=is_cut)
    digits = commit.identity.hex()[:SHOWN_DIGITS]
    return HistoryAnswer(result, shown=[f"{item.change.path}@{digits}" for item in files])


def _changed_files(root: RootQuestion, commit: Commit) -> list[_ChangedFile]:
    """The files of a commit with their changed declarations, code before tests."""
    changes = wanted_changes(root, root.history.reader.changes(commit, root.history.skip))
    found: list[_ChangedText] = []
    for change in sorted(changes, key=lambda item: rank_path(item.path)):
        texts = root.history.texts(change)
        if texts is not None and change.new.is_there:
            found.append(_ChangedText(change, *texts, diff_lines(*texts, whole=True)))
    manager, budget = root.opened.manager, root.budget
    now = declared_lines(manager, {item.change.path: item.new for item in found}, budget)
    # what a hunk has most of is new, unless it was declared before: the last line of one that is
    # added may be taken for that of the one above
    doubtful = {item.change.path: item.old for item in found if item.old and item.is_wide(now)}
    before = declared_lines(manager, doubtful, budget) if doubtful else {}
    return [
        _ChangedFile(item.change, item.declared(now[path], before.get(path)) if path in now else [])
        for item in found
        for path in (item.change.path,)
    ]


class _ChangedText(NamedTuple):
    """The texts of a file before and after a commit, and what differs."""

    change: FileChange
    old: bytes
    new: bytes
    hunks: list[Hunk]

    def is_wide(self, now: Mapping[str, DeclaredLines]) -> bool:
        """True if a hunk has most lines of a declaration."""
        declared = now.get(self.change.path)
        return declared is not None and any(is_most for *_, is_most in self._owners(declared))

    def declared(
        self, now: DeclaredLines, before: DeclaredLines | None
    ) -> list[_ChangedDeclaration]:
        """The declarations of the changed lines."""
        found: dict[tuple[str, int], _ChangedDeclaration] = {}
        known = frozenset() if before is None else before.all_declared
        for owner, is_most in self._owners(now):
            begin, end = lines_before(self.hunks, owner.first, owner.last)
            is_there = end >= begin and bool(self.old) and (not is_most or owner.name in known)
            if is_there or not owner.is_outer or owner.name not in known:
                place = (begin, end) if is_there else None
                changed = _ChangedDeclaration(owner.name, owner.first, place)
                found.setdefault((owner.name, owner.first), changed)
        return [*found.values()]

    def _owners(self, now: DeclaredLines) -> Iterator[tuple[LinesOwner, bool]]:
        """The declarations of each hunk with their lines, and whether it has most of these."""
        rows = self.new.split(b"\n")
        for hunk in self.hunks:
            for owner in now.owners(hunk.new + 1, hunk.new_end):
                inside = rows[max(owner.first - 1, hunk.new) : min(owner.last, hunk.new_end)]
                if hunk.new < hunk.new_end and not any(map(_WORD.search, inside)):
                    continue
                below = _headed(rows, now, owner) if owner.is_outer else None
                is_most = hunk.new < owner.first and 2 * len(inside) > owner.last - owner.first + 1
                yield below or owner, is_most and below is None


def _headed(rows: Sequence[bytes], now: DeclaredLines, owner: LinesOwner) -> LinesOwner | None:
    """The declaration close below lines, of which they are attributes or a comment."""
    line = owner.last
    while line < len(rows) and rows[line - 1].strip():
        line += 1
        if (found := now.begun_at(line)) is not None:
            return found if found.first == line else None
    return None


def _earlier_commits(
    root: RootQuestion,
    index: CommitIndex,
    place: int,
    file: _ChangedFile,
    wanted: list[_ChangedDeclaration],
) -> Mapping[_ChangedDeclaration, list[int]]:
    """The places of the last commits that have changed declarations of a file."""
    followed = [item for item in wanted if item.before is not None]
    found: dict[_ChangedDeclaration, list[int]] = {item: [] for item in wanted}
    if not followed:
        return found
    spans = [item.before for item in followed if item.before is not None]
    most = min(root.asked.limit, _MOST_EARLIER)
    limit = root.budget.within(_SECONDS)
    path = file.change.old.path
    commits = FileHistory(index, path, place).commits()
    for item in commits_of_lines(root.history, commits, spans, root.budget.check):
        for span in item.spans:
            found[followed[span.number]].append(item.commit.place)
        if limit.spent or all(len(found[one]) >= most for one in followed):
            break
    return {item: places[:most] for item, places in found.items()}


def _entry_of(
    root: RootQuestion,
    file: _ChangedFile,
    item: _ChangedDeclaration,
    places: list[int] | None,
) -> EarlierEntry:
    index = root.opened.commits
    commits: list[CommitEntry] = []
    for place in places or ():
        commit = None if index is None else root.history.commit(index.table.identity(place))
        if commit is not None:
            commits.append(root.entry(CommitHit(commit)))
    return EarlierEntry(
        symbol=item.name,
        path=root.shown_path(file.change.path),
        line=item.line,
        is_new=item.before is None,
        commits=commits,
    )

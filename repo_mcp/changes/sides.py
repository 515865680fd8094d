"""The two sides of a comparison: files before and after, and how far either is from the checkout.

A comparison is of the files as they are now, of those that are staged, of a commit, of a range of
commits, or of a patch. Contents of files that differ from the checkout's are an overlay of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Final

from code_graph.paths.globs import is_below
from index_format.tuples import NamedTuple
from repo_mcp.changes.patches import PatchedFile, apply_to, parse_patch, reversed_file
from repo_mcp.errors import Problem
from repo_mcp.git import (
    Commit,
    FileChange,
    ObjectGap,
    Version,
    diff_lines,
    is_binary,
    read_staging,
    with_renames,
)
from repo_mcp.history import Check, Checkout, RepositoryHistory, working_changes

# contents of files that are not as in the checkout; None for a file that is not there
Contents = Mapping[str, bytes | None]
_SHOWN_DIGITS: Final = 10
# files by which a revision is told from the checkout; of one that is far away others are the same
_MOST_OTHERS: Final = 2_000
# files of one review, and bytes of both sides of them
_MOST_FILES: Final = 2_000
_MOST_BYTES: Final = 128 << 20
# names of the sides
NOW: Final = "the files as they are now"
STAGED: Final = "what is staged"
PATCHED: Final = "the patch"


class ChangeQuestion(NamedTuple):
    """The two states to compare; by default HEAD and the working tree."""

    # a commit, or two as A..B and A...B
    rev: str = ""
    # compare the files as they are now with this commit
    since: str = ""
    staged: bool = False
    patch: str = ""
    # only files at this path, or below it
    path: str = ""
    # a file with what tests have run; by default one of a known name
    coverage: str = ""

    def check(self) -> None:
        """Raise a `Problem` where more than one comparison is asked for."""
        if sum(map(bool, (self.rev, self.since, self.staged, self.patch))) > 1:
            raise Problem("argument_invalid", "give one of rev, since, staged and patch")


class ComparedFile:
    """A file before and after; paths are empty and texts None where it is not there."""

    def __init__(self, old_path: str, new_path: str, old: bytes | None, new: bytes | None) -> None:
        """Compare nothing yet."""
        self.old_path, self.new_path = old_path, new_path
        self.old, self.new = old, new

    @property
    def path(self) -> str:
        """Its path now, or before it went."""
        return self.new_path or self.old_path

    @cached_property
    def is_binary(self) -> bool:
        """True for a file that has no lines."""
        return any(is_binary(text) for text in (self.old, self.new) if text is not None)

    @cached_property
    def lines(self) -> LineChanges:
        """The lines that differ."""
        return LineChanges(self.old or b"", self.new or b"")


class LineChanges:
    """The lines that differ between two texts, by their numbers from 1 on."""

    def __init__(self, old: bytes, new: bytes) -> None:
        """Compare them."""
        self.hunks = diff_lines(old, new, whole=True)

    def new_line(self, line: int) -> int:
        """Where a line of the old text is in the new one; 0 for one that has changed or is gone."""
        shift = 0
        for hunk in self.hunks:
            if hunk.old >= line:
                break
            if hunk.old_end >= line:
                return 0
            shift = hunk.new_end - hunk.old_end
        return line + shift

    def new_lines(self, line: int) -> range:
        """The lines that stand in place of an old one that has changed."""
        for hunk in self.hunks:
            if hunk.old < line <= hunk.old_end:
                return range(hunk.new + 1, hunk.new_end + 1)
        return range(0)

    def is_new(self, line: int) -> bool:
        """True for a new line that the old text has not."""
        return any(hunk.new < line <= hunk.new_end for hunk in self.hunks)


class ChangeSet(NamedTuple):
    """The files that differ, the names of both sides, and the new one as an overlay."""

    files: list[ComparedFile]
    old_name: str
    new_name: str
    new_overlay: Contents
    # files that have changed, and are not reviewed
    others: frozenset[str] = frozenset()
    # the tree of a commit that a side is, where it is the whole of one; else empty
    old_tree: bytes = b""
    new_tree: bytes = b""
    # objects that could not be read; of these files it is not known what has changed in them
    gaps: tuple[ObjectGap, ...] = ()
    unread: frozenset[str] = frozenset()

    def without_trees(self) -> ChangeSet:
        """The same beside files that are not of its trees."""
        return self._replace(old_tree=b"", new_tree=b"")

    def with_prefix(self, prefix: str) -> ChangeSet:
        """The same with all paths behind a prefix."""
        if not prefix:
            return self

        def shown(path: str) -> str:
            return prefix + path if path else ""

        files = [
            ComparedFile(shown(item.old_path), shown(item.new_path), item.old, item.new)
            for item in self.files
        ]
        others = frozenset(prefix + path for path in self.others)
        overlay = {prefix + path: text for path, text in self.new_overlay.items()}
        gaps = tuple(gap._replace(path=prefix + gap.path) for gap in self.gaps)
        unread = frozenset(prefix + path for path in self.unread)
        return self._replace(
            files=files, new_overlay=overlay, others=others, gaps=gaps, unread=unread
        )

    def below(self, path: str) -> ChangeSet:
        """The same of the files at a path, or below it; the others are as before on both sides."""
        if not path:
            return self

        def is_in(file: ComparedFile) -> bool:
            return any(is_below(name, path) for name in (file.old_path, file.new_path))

        others = self.others.union(file.path for file in self.files if not is_in(file))
        found = self._replace(files=[file for file in self.files if is_in(file)], others=others)
        return found.without_trees() if others else found

    @property
    def old_overlay(self) -> Contents:
        """The old side as an overlay of the checkout."""
        found: dict[str, bytes | None] = dict(self.new_overlay)
        found |= {item.new_path: None for item in self.files if item.new_path}
        found |= {item.old_path: item.old for item in self.files if item.old_path}
        return found

    @property
    def is_of_checkout(self) -> bool:
        """True if the new side is the files as they are now."""
        return not self.new_overlay


class Sides:
    """Finds the sides of a comparison in one root; holds the reader of its objects."""

    def __init__(
        self, history: RepositoryHistory, checkout: Checkout, check: Check, path: str = ""
    ) -> None:
        """Keep the arguments; reads nothing. Files that are not below a `path` are not read."""
        self._path = path
        # files that differ, and are not below it
        self._others: set[str] = set()
        self._history = history
        self._checkout = checkout
        self._check = check

    def find(self, asked: ChangeQuestion) -> ChangeSet:
        """The comparison; a `Problem` for wrong names, and one of `DAMAGE`.

        It goes on without files that can't be read, and names them.
        """
        found = self._find(asked)
        if self._others:
            found = found._replace(others=frozenset(self._others)).without_trees()
        paths = {path for file in found.files for path in (file.old_path, file.new_path)}
        unread = frozenset(gap.path for gap in self._history.gaps if gap.path in paths)
        return found._replace(gaps=(*self._history.gaps,), unread=unread)

    def _find(self, asked: ChangeQuestion) -> ChangeSet:
        history = self._history
        if asked.staged:
            return self._staged(history.named(""))
        if not asked.rev:
            old = history.named(asked.since)
            found = working_changes(history, old, self._checkout, self._check)
            files = self._files(found.changes, found.contents)
            return ChangeSet(files, _name(old), NOW, {}, old_tree=old.tree)
        first, new = self._commits(asked.rev)
        changes = history.changes_between(None if first is None else first.tree, new.tree)
        old_name = "nothing" if first is None else _name(first)
        files = self._files(changes, {})
        overlay = self._overlay_of(new)
        sides = ChangeSet(files, old_name, _name(new), overlay)
        if first is None or len(overlay) >= _MOST_OTHERS:  # others may be left out
            return sides
        return sides._replace(old_tree=first.tree, new_tree=new.tree)

    def _commits(self, rev: str) -> tuple[Commit | None, Commit]:
        """The commits of a range; of a commit, itself and its first parent."""
        history = self._history
        if ".." not in rev:
            new = history.named(rev)
            parent = history.commit(new.parents[0]) if new.parents else None
            if new.parents and parent is None:  # all files would be new
                text = f"the commit {new.parents[0].hex()[:_SHOWN_DIGITS]} before it is not there"
                raise Problem("history_unread", text)
            return parent, new
        first, dots, second = rev.partition("..")
        old, new = history.named(first), history.named(second.removeprefix("."))
        if (dots + second).startswith("..."):
            old = history.common(old, new)
        return old, new

    def _overlay_of(self, commit: Commit) -> Contents:
        """The files that a commit has otherwise than the checkout."""
        found = working_changes(self._history, commit, self._checkout, self._check)
        overlay: dict[str, bytes | None] = {}
        for change in self._history.reader.allowed(found.changes)[:_MOST_OTHERS]:
            self._check()
            if change.new.is_there:
                overlay[change.new.path] = None
            if not change.old.is_regular:
                continue
            text = self._history.text_of(change.old)
            if text is not None:
                overlay[change.old.path] = text
            else:  # that of the checkout is nearer than none
                overlay.pop(change.new.path, None)
        return overlay

    def _staged(self, head: Commit) -> ChangeSet:
        history = self._history
        staging = read_staging(history.git.own)
        changes: list[FileChange] = []
        for old, new in staging.changed_since(history.objects, head.tree, history.skip):
            self._check()
            path = old.path if old is not None else os.fsdecode(new.path if new else b"")
            made = Version(path) if new is None else Version(path, new.mode, new.identity)
            changes.append(FileChange(old or Version(path), made))
        overlay = dict(self._overlay_of(head))
        for change in history.reader.allowed(changes):
            path, new_version = change.new.path, change.new
            data = history.text_of(new_version) if new_version.is_regular else None
            if data is None and new_version.is_regular:
                continue
            now = self._checkout.read(path)
            if data == (None if isinstance(now, Problem) else now):
                overlay.pop(path, None)
            else:
                overlay[path] = data
        files = self._files(with_renames(changes, history.reader.content_or_none), {})
        return ChangeSet(files, _name(head), STAGED, overlay)

    def _files(
        self, changes: Iterable[FileChange], contents: Mapping[bytes, bytes]
    ) -> list[ComparedFile]:
        def text(version: Version) -> bytes | None:
            if not version.is_regular:
                return None
            return self._history.text_of(version, contents)

        wanted: list[FileChange] = []
        for change in self._history.reader.allowed([*changes]):
            if any(is_below(version.path, self._path) for version in change):
                wanted.append(change)
            elif change.old.is_regular or change.new.is_regular:
                self._others.add(change.path)
        check_number(len(wanted))
        found: list[ComparedFile] = []
        held = 0
        for change in wanted:
            self._check()
            old, new = text(change.old), text(change.new)
            held += len(old or b"") + len(new or b"")
            if held > _MOST_BYTES:
                raise _too_much(f"more than {_MOST_BYTES >> 20} MB")
            if (change.old.is_regular and old is None) or (change.new.is_regular and new is None):
                old, new = self._without_lines(change, old, new)
            old_path = change.old.path if old is not None else ""
            new_path = change.new.path if new is not None else ""
            if old_path or new_path:
                found.append(ComparedFile(old_path, new_path, old, new))
        return found

    def _without_lines(
        self, change: FileChange, old: bytes | None, new: bytes | None
    ) -> tuple[bytes, bytes | None]:
        """Texts that stand for both sides of a file of which one can't be read: no line differs.

        The new side of one that can't be read is that of the checkout.
        """
        if not change.new.is_there:
            return b"", None
        if new is None:
            now = self._checkout.read(change.new.path)
            new = old if isinstance(now, Problem) else now
        return new or b"", new or b""


def check_number(files: int) -> None:
    """Raise a `Problem` for more files than one review has."""
    if files > _MOST_FILES:
        raise _too_much(f"{files} files")


def _too_much(what: str) -> Problem:
    return Problem("argument_invalid", f"{what} differ: give a path, or a part of the change")


def patched_sides(
    patch: str,
    read: Callable[[str], bytes | None],
    denied: Callable[[str], bool],
    check: Check = lambda: None,
) -> ChangeSet:
    """The sides of a patch: the checkout, and what the patch makes of it; or a `Problem`.

    If it fits only the other way round, the checkout has it already, and is the new side.
    """
    parsed = parse_patch(patch)
    for file in parsed:
        for path in (file.old_path, file.new_path):
            if path and denied(path):
                raise Problem("path_denied", path)
    try:
        files = [_patched(file, read, check) for file in parsed]
    except Problem as problem:
        try:
            back = [_patched(reversed_file(file), read, check) for file in parsed]
        except Problem:
            raise problem from None
        files = [ComparedFile(item.new_path, item.old_path, item.new, item.old) for item in back]
        return ChangeSet(files, f"before {PATCHED}", NOW, {})
    overlay: dict[str, bytes | None] = {item.old_path: None for item in files if item.old_path}
    overlay |= {item.new_path: item.new for item in files if item.new_path}
    return ChangeSet(files, NOW, PATCHED, overlay)


def _patched(file: PatchedFile, read: Callable[[str], bytes | None], check: Check) -> ComparedFile:
    made = apply_to(file, read, check)
    old = read(file.old_path) if file.old_path else None
    return ComparedFile(file.old_path, file.new_path, old, made)


def _name(commit: Commit) -> str:
    return commit.identity.hex()[:_SHOWN_DIGITS]

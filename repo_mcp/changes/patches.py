"""Reads a patch as text, and makes the files that it leads to.

Lines are found where the patch says, or near by where those before them have moved. A patch that
fits nowhere is refused with the file and the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem

_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NOWHERE: Final = "/dev/null"
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE: Final = re.compile(r'\\([0-7]{3}|[abtnvfr"\\])')
_CONTROLS: Final = dict(zip("abtnvfr", "\a\b\t\n\v\f\r", strict=True))
_NO_END: Final = "\\ No newline"
# lines that a hunk may have moved by
_MOST_MOVED: Final = 2_000


class PatchHunk(NamedTuple):
    """Lines before and after, and the line of the old file that the first of them is, from 0."""

    at: int
    old: Sequence[bytes]
    new: Sequence[bytes]


class PatchedFile(NamedTuple):
    """A file of a patch; a path is empty where there is no file."""

    old_path: str
    new_path: str
    hunks: Sequence[PatchHunk]


def parse_patch(text: str) -> list[PatchedFile]:
    """The files of a unified diff, as git, diff and mail programs write it; or a `Problem`."""
    parser = _Parser(text.split("\n"))
    found = [*parser.files()]
    if not found:
        raise Problem("argument_invalid", "the patch has no hunk: give the text of a unified diff")
    return found


def reversed_file(file: PatchedFile) -> PatchedFile:
    """The patch of a file that leads back."""
    shift = 0
    hunks: list[PatchHunk] = []
    for hunk in file.hunks:
        hunks.append(PatchHunk(hunk.at + shift, hunk.new, hunk.old))
        shift += len(hunk.new) - len(hunk.old)
    return PatchedFile(file.new_path, file.old_path, hunks)


def apply_to(
    file: PatchedFile,
    read: Callable[[str], bytes | None],
    check: Callable[[], None] = lambda: None,
) -> bytes | None:
    """The file that a patch leads to; None where it leads to none, a `Problem` where it fits not.

    `read` gives the file as it is, or None.
    """
    before = read(file.old_path) if file.old_path else b""
    if before is None:
        raise Problem("patch_conflict", f"{file.old_path} is not there")
    if not file.old_path and read(file.new_path) is not None:
        raise Problem("patch_conflict", f"{file.new_path} is there already")
    lines = _split(before)
    ends = b"\r\n" if lines and lines[0].endswith(b"\r\n") else b"\n"
    made: list[bytes] = []
    done = 0
    shift = 0
    for hunk in file.hunks:
        check()
        at = _find(lines, hunk, hunk.at + shift, done)
        if at is None:
            path = file.old_path or file.new_path
            raise Problem("patch_conflict", f"{path} is another one at line {hunk.at + 1}")
        shift = at - hunk.at
        made += lines[done:at]
        made += (_ended(line, ends) for line in hunk.new)
        done = at + len(hunk.old)
    made += lines[done:]
    return b"".join(made) if file.new_path else None


def _split(data: bytes) -> list[bytes]:
    """The lines, which end with a line feed alone."""
    rows = data.split(b"\n")
    return [*(row + b"\n" for row in rows[:-1]), *([rows[-1]] if rows[-1] else [])]


def _ended(line: bytes, ends: bytes) -> bytes:
    """A line with the end that lines of its file have."""
    bare = line.rstrip(b"\r\n")
    return bare + ends if line.endswith(b"\n") else line


def _find(lines: Sequence[bytes], hunk: PatchHunk, expected: int, least: int) -> int | None:
    """The line that a hunk begins at, the nearest to the expected one."""
    size = len(hunk.old)
    last = len(lines) - size
    for far in range(_MOST_MOVED):
        for at in dict.fromkeys((expected - far, expected + far)):
            if least <= at <= last and _is_same(lines[at : at + size], hunk.old):
                return at
        if not size:  # nothing tells where else it could be
            return None
    return None


def _is_same(lines: Sequence[bytes], wanted: Sequence[bytes]) -> bool:
    """True for lines that are the same but for the characters that end them."""
    return all(
        line == other or line.rstrip(b"\r\n") == other.rstrip(b"\r\n")
        for line, other in zip(lines, wanted, strict=True)
    )


class _Parser:
    """Goes through the lines of a patch."""

    def __init__(self, rows: Sequence[str]) -> None:
        self._rows = rows
        self._at = 0

    def files(self) -> Iterator[PatchedFile]:
        """The files, each once."""
        old = new = ""
        is_begun = False
        while self._at < len(self._rows):
            row = self._rows[self._at]
            following = self._rows[self._at + 1] if self._at + 1 < len(self._rows) else ""
            if row.startswith("rename from "):
                old, is_begun = _unquoted(row[12:]), True
            elif row.startswith("rename to ") and is_begun:
                new = _unquoted(row[10:])
                if not self._has_hunks():
                    yield PatchedFile(old, new, ())
                is_begun = False
            elif row.startswith("--- ") and following.startswith("+++ "):
                old, new = _path(row[4:], "a/"), _path(following[4:], "b/")
                self._at += 2
                yield PatchedFile(old, new, [*self._hunks()])
                is_begun = False
                continue
            self._at += 1

    def _has_hunks(self) -> bool:
        """True if lines follow before the next file."""
        for row in self._rows[self._at + 1 : self._at + 4]:
            if row.startswith("--- "):
                return True
            if row.startswith("diff "):
                return False
        return False

    def _hunks(self) -> Iterator[PatchHunk]:
        while self._at < len(self._rows):
            found = _HUNK.match(self._rows[self._at])
            if found is None:
                return
            self._at += 1
            counts = [1 if found[group] is None else int(found[group]) for group in (2, 4)]
            old, new = self._lines(*counts)
            # an empty range is behind the line that it names
            yield PatchHunk(int(found[1]) - (1 if counts[0] else 0), old, new)

    def _lines(self, old_count: int, new_count: int) -> tuple[list[bytes], list[bytes]]:
        old: list[bytes] = []
        new: list[bytes] = []
        while len(old) < old_count or len(new) < new_count:
            if self._at >= len(self._rows):
                raise Problem("argument_invalid", "the patch ends within a hunk")
            row = self._rows[self._at]
            self._at += 1
            sign, line = row[:1], f"{row[1:]}\n".encode("utf-8", "surrogateescape")
            if sign in {" ", ""}:  # mail programs cut blanks at the end of a line
                old.append(line)
                new.append(line)
            elif sign == "-":
                old.append(line)
            elif sign == "+":
                new.append(line)
            elif row.startswith(_NO_END):
                self._cut_end(old, new)
            else:
                raise Problem("argument_invalid", f"line {self._at} of the patch has no sign")
        if self._at < len(self._rows) and self._rows[self._at].startswith(_NO_END):
            self._cut_end(old, new)
            self._at += 1
        return old, new

    def _cut_end(self, old: list[bytes], new: list[bytes]) -> None:
        """Take the end off the last line that was read."""
        sign = self._rows[self._at - 1][:1]
        if sign == "\\":
            sign = self._rows[self._at - 2][:1]
        for rows, signs in ((old, "- "), (new, "+ ")):
            if rows and sign in signs:
                rows[-1] = rows[-1].removesuffix(b"\n")


def _path(text: str, prefix: str) -> str:
    """A path as it is written in a patch; empty for none."""
    text = _unquoted(text.partition("\t")[0].rstrip("\r"))
    return "" if text == _NOWHERE else text.removeprefix(prefix)


def _unquoted(text: str) -> str:
    found = _QUOTED.fullmatch(text.strip())
    if found is None:
        return text.strip()
    raw = _ESCAPE.sub(lambda item: _unescaped(item[1]), found[1])
    return raw.encode("latin-1", "surrogateescape").decode("utf-8", "surrogateescape")


def _unescaped(text: str) -> str:
    return chr(int(text, 8)) if text.isdigit() else _CONTROLS.get(text, text)

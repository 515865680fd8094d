"""Reads texts that people wrote, which are not stored here: reports, and the traces in them.

They are of three lists. Those of BugsJS are in `Projects/*/*_issues.bin` of the repository
BugsJS/bug-dataset, by the number of the issue; they lack the title. Those of Rust-SWE-Bench are in
`RustForger/data/rb_all_bug_report.json` of GhabiX/Rust-SWE-Bench, by the pull request that closed
the issue. Others were copied by hand from the threads that their numbers name, title first, into a
file of the same form: a JSON object from `OWNER__NAME-NUMBER` to text.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.answers.history import repository_folder
from bench.answers.issues import read_texts

_BUGS: Final = "BugsJS/bug-dataset"
# the project's messages, each with a list of bugs; in each its number and its description
_BUG, _NUMBER, _DESCRIPTION = 3, 2, 5
_VARINT, _SIXTY_FOUR, _BYTES, _THIRTY_TWO = 0, 1, 2, 5
_FRAME: Final = re.compile(
    r"""
    ^\s*at\s.+:\d+(?::\d+)?\)?\s*$                       # JavaScript, and backtraces of Rust
    | ^\s*\d+:\s+(?:0x[0-9a-f]+\s-\s)?[\w<{][\w:<>{}$#.\s]*::
    | panicked\ at\ .*\.rs:\d+
    | ^\s*File\ ".+",\ line\ \d+ | ^Traceback\ \(most\ recent
    """,
    re.VERBOSE,
)
_FENCE: Final = "```"
_MOST_HEAD: Final = 3
# between two frames of one trace
_LARGEST_GAP: Final = 4


def texts_of(git: Path, files: Sequence[Path], projects: Mapping[str, str]) -> dict[str, str]:
    """All texts by repository and number; `projects` are the names of repositories in BugsJS."""
    found: dict[str, str] = {}
    for repository, project in projects.items():
        found.update((key_of(repository, number), text) for number, text in bugs(git, project))
    for file in files:
        found.update(read_texts(file))
    return found


def key_of(repository: str, number: int) -> str:
    """The key of a text."""
    return f"{repository.replace('/', '__')}-{number}".lower()


def bugs(git: Path, project: str) -> Iterator[tuple[int, str]]:
    """Numbers and texts of the issues of a project of BugsJS; none if it isn't there."""
    folder = repository_folder(git, _BUGS)
    if not folder.is_dir():
        return
    command = ["git", f"--git-dir={folder}", "show"]
    path = f"HEAD:Projects/{project}/{project}_issues.bin"
    done = subprocess.run([*command, path], capture_output=True, check=True)
    for number, value in fields(done.stdout):
        if number == _BUG and isinstance(value, bytes):
            bug = dict(fields(value))
            name, text = bug.get(_NUMBER), bug.get(_DESCRIPTION)
            if isinstance(name, int) and isinstance(text, bytes):
                yield name, text.decode("utf-8", "replace")


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The numbered fields of a message of protocol buffers."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in {_SIXTY_FOUR, _THIRTY_TWO}:
            size = 8 if kind == _SIXTY_FOUR else 4
        else:
            raise ValueError(kind)
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def trace_of(text: str) -> str:
    """The first trace of a text, with the message above or below its frames; empty for none."""
    rows = text.replace("\r", "").split("\n")
    frames = [at for at, row in enumerate(rows) if _FRAME.search(row)]
    if not frames:
        return ""
    last = frames[0]
    for at in frames[1:]:
        if at - last > _LARGEST_GAP:
            break
        last = at
    first = frames[0]
    while first > max(frames[0] - _MOST_HEAD, 0) and _is_prose(rows[first - 1]):
        first -= 1
    # in Python the line of code, and the error below it
    most = last + (2 if rows[last].lstrip().startswith("File ") else 1)
    while last < most and last + 1 < len(rows) and _is_prose(rows[last + 1]):
        last += 1
    return "\n".join(rows[first : last + 1]).strip()


def _is_prose(row: str) -> bool:
    return bool(row.strip()) and not row.strip().startswith(_FENCE)

"""The places that answer a task, as far as the calls of a policy have shown them.

A place is a path and a line. Of a test its name says as much as its line, so that an answer that
names the test under the path of its file shows it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

_PATH: Final = (
    r"(?:[\w@+.-]+/)*[\w@+-][\w@+.-]*\.\w+|(?:[\w@+.-]+/)*(?:Makefile|SCRIPTING|justfile)"
)
# the path of a file on a line of its own, or before the ranges of a passage
_HEADER: Final = re.compile(rf"^ ?({_PATH})(?::[\d,-]+)?(?: [(i].*)?$")
_CITED: Final = re.compile(rf"({_PATH}):((?:\d+(?:-\d+)?,?)+)")
_NUMBERED: Final = re.compile(r"^ {0,2}(\d+(?:, \d+)*)(?:-\d+)?(?::| in )")
_BARE: Final = re.compile(r"\(:(\d+)")
# `a.py: test_this 3, test_that 9`, of `tests: a.py: test_this 3, test_that 9; b.py: test_more 7`
_NAMED: Final = re.compile(rf"({_PATH}): ((?:[^\s,][^,]*? \d+(?:, |$))+)")
_LINE: Final = re.compile(r" (\d+)(?:,|$)")

Place = tuple[str, int]


class Task(NamedTuple):
    """A question, what the asker has in hand, and the places that answer it."""

    repository: str
    kind: str
    text: str
    subject: str
    # the place, and the name of a test or nothing
    places: tuple[tuple[Place, str], ...]


class Call(NamedTuple):
    """A call or command, its answer, and the lines that the answer shows."""

    words: str
    text: str
    shown: frozenset[Place]

    @property
    def size(self) -> int:
        """Bytes of the answer."""
        return len(self.text.encode())


def tables(name: str = "tasks") -> dict[str, Any]:
    """The repositories and tasks of a file beside this one."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))


def tasks_of(table: dict[str, Any]) -> Iterator[Task]:
    """All tasks, in the order of the file."""
    for row in table["task"]:
        places = tuple(_expected(item) for item in row["places"])
        subject = row.get("subject", row["text"])
        yield Task(row["repository"], row["kind"], row["text"], subject, places)


def _expected(text: str) -> tuple[Place, str]:
    place, _, name = text.partition(" ")
    path, _, line = place.rpartition(":")
    return (path, int(line)), name


def right(task: Task, calls: Sequence[Call]) -> float:
    """The share of the places that some call has shown."""
    found = sum(any(_shows(call, *expected) for call in calls) for expected in task.places)
    return found / len(task.places)


def missing(task: Task, calls: Sequence[Call]) -> list[str]:
    """The places that no call has shown."""
    lost = (item for item, name in task.places if not any(_shows(c, item, name) for c in calls))
    return [f"{path}:{line}" for path, line in lost]


def _shows(call: Call, place: Place, name: str) -> bool:
    return place in call.shown or bool(name and name in call.text and place[0] in call.text)


def printed(text: str) -> Iterator[tuple[str, str]]:
    """The lines of files that an answer prints: path and text."""
    path = ""
    for row in text.split("\n"):
        header = _HEADER.match(row)
        if header:
            path = header[1]
        elif _NUMBERED.match(row):
            yield path, row


def shown_by_answer(text: str) -> frozenset[Place]:
    """The lines that an answer of this server names or prints."""
    found: set[Place] = set()
    path = defined = ""
    for row in text.split("\n"):
        header = _HEADER.match(row)
        numbered = _NUMBERED.match(row)
        if header:
            path = header[1]
        elif numbered:
            found |= {(path, int(line)) for line in numbered[1].split(", ")}
        else:
            for cited in _CITED.finditer(row):
                path = cited[1]
                defined = defined or path
                found |= {
                    (path, int(part.partition("-")[0])) for part in cited[2].split(",") if part
                }
            found |= {(defined, int(line)) for line in _BARE.findall(row)}
            for part in row.split("; "):
                for named in _NAMED.finditer(part):
                    found |= {(named[1], int(line)) for line in _LINE.findall(named[2])}
    return frozenset(found)


def shown_by_rg(text: str) -> frozenset[Place]:
    """The lines that `rg -n` printed."""
    found: set[Place] = set()
    for row in text.split("\n"):
        path, _, rest = row.partition(":")
        line = rest.partition(":")[0]
        if line.isdigit():
            found.add((path, int(line)))
    return frozenset(found)

"""Ways to answer a task: this server, grep and reading done well, and done naively.

Each reads something and may have shown the answer; the bytes of all that it read are counted.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from bench.costs.server import Server
from bench.costs.tasks import Place, Task, Tree

# lines that an agent reads at once, around a place and of a whole file
_AROUND: Final = 30
_WHOLE: Final = 2_000
# lines of grep's output before an agent's own tools cut it
_MOST_OUTPUT: Final = 250
_FILES: Final = 3
# share of the uses that must be shown
_ENOUGH: Final = 0.95
_NUMBERED: Final = re.compile(r"^(\d+)[:-] ", re.MULTILINE)
_STOP_WORDS: Final = (
    "a an and are by does each for from how in is it its of on or that the their them this to when"
    " where which with"
)
_STOP: Final = frozenset(_STOP_WORDS.split())


class Outcome(NamedTuple):
    """The bytes that were read, and whether they hold the answer."""

    bytes: int
    right: bool


def is_right(task: Task, shown: Iterable[Place]) -> bool:
    """All but a few of the uses, or any line of a definition or answer."""
    found = task.lines & frozenset(shown)
    return len(found) >= _ENOUGH * len(task.lines) if task.kind == "uses" else bool(found)


def by_server(server: Server, task: Task) -> Outcome:
    """One call; for what it does not show, no second one."""
    arguments: dict[str, Any] = {"query": task.text}
    if task.kind == "uses":
        arguments |= {"mode": "literal", "whole_word": True}
    elif task.kind == "definition":
        arguments |= {"top_k": 3}
    answer = server.call("repo.search", arguments)
    result = answer.data["result"]
    shown: list[Place] = []
    for hit in result.get("hits", ()):
        shown += ((hit["path"], int(number)) for number in _NUMBERED.findall(hit["snippet"]))
    for file in result.get("files", ()):
        shown += ((file["path"], int(number)) for number in _NUMBERED.findall(file["lines"]))
    return Outcome(answer.sizes.text, is_right(task, shown))


class Reader:
    """Runs ripgrep and reads files, and counts what came out."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.bytes = 0
        self.shown: list[Place] = []

    def grep(self, *arguments: str) -> list[Place]:
        """Places that `rg -n` prints, which are shown; at most as many as agents are shown."""
        rows = self.output("-n", "--sort", "path", *arguments)
        places = []
        for row in rows:
            path, _, rest = row.partition(":")
            number = rest.partition(":")[0]
            if number.isdigit():
                places.append((path, int(number)))
        self.shown += places
        return places

    def output(self, *arguments: str) -> list[str]:
        """Lines that ripgrep prints."""
        command = ["rg", "--no-heading", "--glob", "*.py", *arguments, "."]
        done = subprocess.run(command, cwd=self._tree.root, capture_output=True, check=False)
        rows = done.stdout.decode("utf-8", "replace").split("\n")[:_MOST_OUTPUT]
        rows = [row.removeprefix("./") for row in rows if row]
        self.bytes += sum(len(row.encode()) + 1 for row in rows)
        return rows

    def read(self, path: str, first: int = 1, count: int = _WHOLE) -> None:
        """Lines of a file."""
        rows = self._tree.texts.get(path, "").split("\n")[first - 1 : first - 1 + count]
        self.bytes += sum(len(row.encode()) + 1 for row in rows)
        self.shown += ((path, first + at) for at in range(len(rows)))


def by_good_grep(tree: Tree, task: Task) -> Outcome:
    """An expression that fits the task, and the lines around the best place."""
    reader = Reader(tree)
    if task.kind == "definition":
        for path, line in reader.grep(rf"^\s*(async def|def|class) {task.text}\b")[:1]:
            reader.read(path, line, _AROUND)
    elif task.kind == "uses":
        reader.grep("-w", task.text)
    else:
        _read_likely_files(reader, tree, task.text)
    return Outcome(reader.bytes, is_right(task, reader.shown))


def _read_likely_files(reader: Reader, tree: Tree, text: str) -> None:
    """Count each word by file; of the files with most words, read where most of them stand."""
    words = _words(text)
    held: Counter[str] = Counter()
    for word in words:
        for row in reader.output("-c", "-i", word):
            held[row.rpartition(":")[0]] += 1
    best = sorted(held, key=lambda path: (path.startswith("test/"), -held[path], path))
    for path in best[:_FILES]:
        rows = tree.texts.get(path, "").lower().split("\n")
        has = [sum(word in row for word in words) for row in rows]
        starts = range(0, max(1, len(rows) - _AROUND), 5)
        start = max(starts, key=lambda at: (sum(has[at : at + _AROUND]), -at))
        reader.read(path, start + 1, _AROUND)


def by_naive_grep(tree: Tree, task: Task) -> Outcome:
    """The name or the words as they are, then the first files whole."""
    reader = Reader(tree)
    pattern = task.text if task.kind != "question" else "|".join(_words(task.text))
    places = reader.grep("-i", pattern)
    for path in list(dict.fromkeys(path for path, _ in places))[:_FILES]:
        reader.read(path)
    return Outcome(reader.bytes, is_right(task, reader.shown))


def _words(text: str) -> list[str]:
    found = re.findall(r"[a-z_]\w+", text.lower())
    return [word for word in dict.fromkeys(found) if word not in _STOP]

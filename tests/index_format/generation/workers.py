"""Work of other processes on an index while tests watch, kill, stop or outrun them.

Each job prints whole lines; a test reads them to know how far it is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Final

import numpy as np

from index_format.errors import IndexMissingError
from index_format.generation.index import Index
from index_format.model import Chunk, Document
from index_format.store.file_store import FileStore, _FileWriter
from tests.index_format.oracle import (
    LITTLE,
    SCHEMA,
    File,
    change,
    contents,
    expected,
    index_in,
    round_of,
    tree_at,
)
from tests.memory import peak_memory
from tests.waiting import HANG

ROOT: Final = Path(__file__).parents[3]
COMMAND: Final = (
    "import sys; from tests.index_format.generation.workers import main; main(*sys.argv[1:])"
)
WORDS: Final = 40_000
TOKENS_PER_CHUNK: Final = 250
CHUNKS_PER_DOCUMENT: Final = 8


def start(job: Callable[..., None], *arguments: object) -> Popen[str]:
    """Begin a job of this module in a process of its own."""
    command = [sys.executable, "-c", COMMAND, job.__name__, *map(str, arguments)]
    return Popen(command, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True)


def line_of(process: Popen[str]) -> str:
    """The next line a job prints; it ends when the job does."""
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def tell(process: Popen[str]) -> None:
    """Let a job go on that waits for a line."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def main(job: str, *arguments: str) -> None:
    {item.__name__: item for item in JOBS}[job](*arguments)


def _say(text: str) -> None:
    """Print a line at once and whole, even when the process is killed meanwhile."""
    os.write(1, f"{text}\n".encode())


class _Talking(FileStore):
    """A store that says what it is about to do."""

    def create(self) -> _FileWriter:
        _say("create")
        return super().create()

    def replace(self, name: str, data: bytes) -> None:
        _say("replace")
        super().replace(name, data)

    def sync(self) -> None:
        _say("sync")
        super().sync()

    def remove(self, name: str) -> bool:
        _say("remove")
        return super().remove(name)


def edit_until_killed(folder: str) -> None:
    """For each line of input, a child that commits, compacts and collects round after round."""
    for _ in sys.stdin:
        child = os.fork()
        if not child:
            _edit_for_ever(folder)
        os.waitpid(child, 0)
        _say("ended")


def _edit_for_ever(folder: str) -> None:
    _say(f"child {os.getpid()}")
    index = index_in(_Talking(folder))
    number = -1
    with suppress(IndexMissingError):
        number = round_of(index.snapshot())
    while True:
        commit_round(index, number := number + 1)
        _say(f"committed {number}")
        if number % 3 == 0:
            index.compact(full=number % 2 == 0)
        index.collect_garbage(grace_seconds=0.0)


def commit_round(index: Index, number: int) -> None:
    """Edit an index of one round into one of the next."""
    with index.writer(memory=LITTLE, wait_seconds=HANG) as writer:
        change(writer, tree_at(number - 1) if number else {}, tree_at(number))
        writer.commit()


def read_until(folder: str, last: str) -> None:
    """Open snapshots until one is of the last round; each must be of one round, in full."""
    index = index_in(FileStore(folder))
    snapshot = index.snapshot()
    _say("ready")
    seen, opened = {round_of(snapshot)}, 1
    while max(seen) < int(last):
        snapshot = index.snapshot(snapshot if opened % 2 else None)
        number = round_of(snapshot)
        if number < max(seen) or contents(snapshot) != expected(tree_at(number)):
            _say(f"a mixture at {number}")
            return
        seen.add(number)
        opened += 1
    _say(f"right {opened} {len(seen)}")


def add_files(folder: str, name: str, count: str) -> None:
    """Commit so many files, one at a time, in competition with others."""
    for number in range(int(count)):
        with index_in(FileStore(folder)).writer(wait_seconds=HANG) as writer:
            path = f"{name}-{number}"
            change(writer, {}, {path: mark(path)})
            writer.commit()
    _say("done")


def mark(text: str) -> File:
    """A file that holds one word."""
    return File(({"body": text},))


def stop_half_way(folder: str) -> None:
    """Begin the second round, and commit it only when told to."""
    with index_in(FileStore(folder)).writer(memory=LITTLE) as writer:
        change(writer, tree_at(0), tree_at(1))
        writer.flush()
        _say("spilled")
        sys.stdin.readline()
        writer.commit()
    _say("committed")


def build_and_compact(folder: str, documents: str, memory: str) -> None:
    """Say how much memory it takes at most: after imports, after a build, after compaction."""
    index = Index(FileStore(folder), SCHEMA)
    _say(f"{peak_memory()}")
    chance = np.random.default_rng(1)
    words = [f"word{number}" for number in range(WORDS)]
    edges = np.cumsum(1 / np.arange(3, WORDS + 3))
    with index.writer(memory=int(memory)) as writer:
        for number in range(int(documents)):
            chunks = []
            for at in range(CHUNKS_PER_DOCUMENT):
                rolled = chance.random(TOKENS_PER_CHUNK) * edges[-1]
                text = [words[at] for at in np.searchsorted(edges, rolled).tolist()]
                chunks.append(Chunk(at, at, {"body": writer.vocabulary.tokens(text)}, at))
            writer.add(Document(f"src/{number:06}.py", chunks))
        writer.commit()
    _say(f"{peak_memory()}")
    index.compact(full=True, memory=int(memory))
    _say(f"{peak_memory()}")


JOBS: Final[tuple[Callable[..., None], ...]] = (
    edit_until_killed,
    read_until,
    add_files,
    stop_half_way,
    build_and_compact,
)

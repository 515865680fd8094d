"""Benchmark corpora: a source tree cut into chunks, or words drawn from a power law."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from index_format import Chunk, Document, Vocabulary

SUFFIXES: Final = frozenset(
    {".c", ".h", ".S", ".py", ".rst", ".txt", ".md", ".js", ".ts", ".yaml", ".dts"}
)
CHUNKS_PER_FILE: Final = 5
WORDS_PER_CHUNK: Final = 80
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's path, its size, and the words of each of its chunks."""

    path: str
    size: int
    chunks: list[list[str]]


def files(corpus: Path | None, chunks: int, lines: int) -> Iterator[TextFile]:
    """Files in path order until there are `chunks` chunks."""
    source = synthetic(chunks) if corpus is None else tree(corpus, lines)
    count = 0
    for file in source:
        yield file
        count += len(file.chunks)
        if count >= chunks:
            return


def tree(root: Path, lines: int) -> Iterator[TextFile]:
    """The text files below a folder, in chunks of `lines` lines."""
    found = (path for path in root.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    for path in sorted(found, key=lambda path: str(path.relative_to(root)).encode()):
        if path.is_symlink():
            continue
        text = path.read_text("latin-1")
        rows = text.splitlines(keepends=True)
        parts = ("".join(rows[at : at + lines]) for at in range(0, len(rows), lines))
        words = [_WORD.findall(part.lower()) for part in parts]
        yield TextFile(str(path.relative_to(root)), len(text), words)


def synthetic(chunks: int) -> Iterator[TextFile]:
    """Words whose ranks follow a power law, with a few that are frequent in their own file only."""
    random = np.random.default_rng(20_260_101)
    vocabulary = max(chunks, 1000)
    for number in range(-(-chunks // CHUNKS_PER_FILE)):
        shape = (CHUNKS_PER_FILE, WORDS_PER_CHUNK)
        ranks = (random.pareto(0.6, shape) * 3).astype(np.int64) % vocabulary
        own = random.integers(0, vocabulary, 12)
        local = random.random(shape) < 0.3
        ranks[local] = own[random.integers(0, len(own), int(local.sum()))]
        words = [[f"w{rank:x}" for rank in row] for row in ranks.tolist()]
        size = sum(len(word) + 3 for row in words for word in row)
        yield TextFile(f"d{number % 97:02d}/f{number:07d}.c", size, words)


def document(file: TextFile, vocabulary: Vocabulary, lines: int) -> Document:
    """The file as a `Document`, with its words in the field `body`."""
    chunks = [
        Chunk(at * lines + 1, (at + 1) * lines, {"body": vocabulary.tokens(words)}, at)
        for at, words in enumerate(file.chunks)
    ]
    return Document(file.path, chunks, size=file.size)

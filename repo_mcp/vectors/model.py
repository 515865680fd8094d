"""A table of word vectors on the disk: four files in a folder.

    rows.npy    int8 [words + buckets, dimensions], in row order: a vector for each word, then one
                for each bucket of character n-grams
    scales.npy  uint16 [words + buckets]: what one unit of a row is worth, the word's weight
                included; only their ratios matter
    words.txt   the words in the order of their UTF-8 bytes, one a line
    card.json   an object: format, dimensions, words, buckets, digest (xxh3_128 of the arrays'
                bytes and of words.txt), and whatever tells where the table comes from

The rows are mapped, not read; all of it is checked against the digest when it is opened.
"""

from __future__ import annotations

import json
import os
import stat
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol, TypeAlias

import numpy as np
import xxhash

from index_format.records import Record
from repo_mcp.vectors.words import grams

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

FORMAT: Final = 1
ROWS: Final = "rows.npy"
SCALES: Final = "scales.npy"
WORDS: Final = "words.txt"
CARD: Final = "card.json"
# the key of the card for what `sides.py` reads
SIDES: Final = "sides"
MOST_DIMENSIONS: Final = 4096
MOST_ROWS: Final = 1 << 24
# a kernel takes so many numbers at a time
DIMENSIONS_STEP: Final = 8
_MOST_BYTES: Final = 1 << 26  # of the words
_MOST_CARD_BYTES: Final = 1 << 16
# a pipe under the name of a file would hold up the open
_OPEN_FLAGS: Final = sum(getattr(os, f"O_{flag}", 0) for flag in ("NONBLOCK", "BINARY", "CLOEXEC"))
# of files of arrays: magic and version, then two bytes for the length of the header
_NPY_MAGIC: Final = b"\x93NUMPY\x01\x00"
_NPY_START: Final = len(_NPY_MAGIC) + 2
_LARGEST_ROW: Final = 127
_LARGEST_SCALE: Final = (1 << 16) - 1
_TINY: Final = 1e-12

I8: TypeAlias = "npt.NDArray[np.int8]"
U16: TypeAlias = "npt.NDArray[np.uint16]"
I64: TypeAlias = "npt.NDArray[np.int64]"
F32: TypeAlias = "npt.NDArray[np.float32]"


class ModelError(Exception):
    """A table that can't be used: which file, and what is wrong with it."""

    def __init__(self, file: Path | str, problem: str) -> None:
        """Both are shown: the file is the user's or our own, never the repository's."""
        super().__init__(f"{file}: {problem}")


class WordTable(Protocol):
    """Vectors of parts of words: rows of whole numbers, each with a scale."""

    @property
    def rows(self) -> I8:
        """A vector for each part or piece of one."""

    @property
    def scales(self) -> U16:
        """The scale of each row: the value of one unit."""

    @property
    def digest(self) -> str:
        """A digest of all that decides the vectors of texts."""

    @property
    def dimensions(self) -> int:
        """The count of numbers of a vector."""

    def rows_of(self, part: str) -> tuple[I64, bool]:
        """The rows of a part, and whether they are its own, not those of pieces of it.

        Of pieces, the sum counts divided by the square root of their number.
        """


class GramTable(Record):
    """Words, their vectors, and vectors of character n-grams for all other words."""

    text: bytes  # the words, one a line
    rows: I8
    scales: U16
    buckets: int  # the last rows are those of n-grams
    digest: str

    __slots__ = ("__dict__",)  # for what is made once

    @property
    def dimensions(self) -> int:
        """The count of numbers of a vector."""
        return int(self.rows.shape[1])

    @cached_property
    def words(self) -> list[bytes]:
        """The words in order."""
        return self.text.split(b"\n")[:-1]

    def row_of(self, word: bytes) -> int | None:
        """The row of a word; None for one that the table lacks."""
        at = bisect_left(self.words, word)
        return at if at < len(self.words) and self.words[at] == word else None

    def rows_of(self, part: str) -> tuple[I64, bool]:
        """The rows of a part: its own, or those of its n-grams."""
        row = self.row_of(part.encode("utf-8", "surrogatepass"))
        if row is not None:
            return np.array([row]), True
        return np.array(grams(part, self.buckets)) + len(self.words), False


def open_table(folder: Path | str) -> GramTable:
    """Open and check a table; `ModelError` for one that is missing or damaged."""
    card = read_card(os.path.join(folder, CARD))
    count = card["words"] + card["buckets"]
    rows = map_array(os.path.join(folder, ROWS), "i1", (count, card["dimensions"]))
    scales = map_array(os.path.join(folder, SCALES), "<u2", (count,))
    text = read_file(os.path.join(folder, WORDS))
    if _digest(rows, scales, text) != card["digest"]:
        raise ModelError(folder, f"damaged: it does not have the digest that {CARD} says")
    if text.count(b"\n") != card["words"] or text[-1:] not in {b"", b"\n"}:
        raise ModelError(os.path.join(folder, WORDS), f"not {card['words']} words, one a line")
    return GramTable(text, rows, scales, card["buckets"], card["digest"])


def write_table(
    folder: Path,
    words: Sequence[str],
    vectors: npt.NDArray[np.float32],
    notes: Mapping[str, object],
) -> str:
    """Write a table and return its digest.

    `vectors` has a row for each word in the order given, its weight included, then one for each
    bucket; each row is rounded to a scale of its own.
    """
    encoded = [word.encode() for word in words]
    order = sorted(range(len(words)), key=encoded.__getitem__)
    vectors = vectors[[*order, *range(len(words), len(vectors))]]
    rows, scales = round_rows(vectors)
    text = b"".join(encoded[at] + b"\n" for at in order)
    sizes = {"dimensions": rows.shape[1], "words": len(words), "buckets": len(rows) - len(words)}
    card = {"format": FORMAT, **sizes, "digest": _digest(rows, scales, text), **notes}
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / ROWS, rows)
    np.save(folder / SCALES, scales)
    (folder / WORDS).write_bytes(text)
    (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return str(card["digest"])


def round_rows(vectors: F32) -> tuple[I8, U16]:
    """Rows of whole numbers, and what one unit of each is worth."""
    largest = np.abs(vectors).max(axis=1)
    rows = np.rint(vectors / np.maximum(largest, _TINY)[:, None] * _LARGEST_ROW).astype(np.int8)
    scales = np.rint(largest / max(float(largest.max()), _TINY) * _LARGEST_SCALE).astype("<u2")
    return rows, scales


def _digest(rows: I8, scales: U16, words: bytes) -> str:
    state = xxhash.xxh3_128()
    for part in (np.ascontiguousarray(rows).data, np.ascontiguousarray(scales).data, words):
        state.update(part)
    return state.hexdigest()


def read_card(path: Path | str) -> dict[str, Any]:
    """The card of a table; `ModelError` if it is none."""
    try:
        card = json.loads(read_file(path, _MOST_CARD_BYTES))
    except (ValueError, RecursionError):
        card = None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise ModelError(path, f"not the card of a table of format {FORMAT}")
    if not isinstance(card.get("digest"), str):
        raise ModelError(path, "has no digest")
    rows = _count(path, card, "words") + _count(path, card, "buckets")
    if not 0 < rows <= MOST_ROWS or card["buckets"] < 1:
        raise ModelError(path, f"{rows} rows, not up to {MOST_ROWS} with a bucket among them")
    dimensions = _count(path, card, "dimensions")
    if not 0 < dimensions <= MOST_DIMENSIONS or dimensions % DIMENSIONS_STEP:
        raise ModelError(path, f"dimensions are {dimensions}, not a multiple of {DIMENSIONS_STEP}")
    return card


def _count(path: Path | str, card: Mapping[str, Any], name: str) -> int:
    value = card.get(name)
    if type(value) is not int or value < 0:
        raise ModelError(path, f"{name} has to be a count, not {value!r:.40}")
    return value


def read_file(path: Path | str, most: int = _MOST_BYTES, length: int | None = None) -> bytes:
    """The bytes of a file, or its first ones; `ModelError` for one of more bytes than `most`."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise ModelError(path, f"larger than {most} bytes")
        return file.read(size if length is None else length)


@contextmanager
def open_file(path: Path | str) -> Iterator[BinaryIO]:
    """A file to be read; `ModelError` where it can't be, and for a pipe, a device or a folder."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _OPEN_FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ModelError(path, "not a regular file")
            yield file
    except OSError as error:
        raise ModelError(path, error.strerror or "can't be read") from None


def map_array(path: Path | str, kind: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """The array in a file, mapped; `ModelError` for one of another kind or shape."""
    try:
        found = _map_plain(path, kind, shape)
        if found is None:
            found = np.load(path, mmap_mode="r", allow_pickle=False)
    except ModelError:
        raise
    except Exception as error:  # noqa: BLE001 a damaged header fails in many ways
        raise ModelError(path, f"can't be mapped: {error}") from None
    if not isinstance(found, np.ndarray):  # an archive of several
        raise ModelError(path, "not the file of one array")
    if found.dtype != np.dtype(kind) or found.shape != shape or not found.flags.c_contiguous:
        raise ModelError(path, f"{found.dtype} {found.shape}, not {np.dtype(kind)} {shape}")
    plain: npt.NDArray[Any] = found.view(np.ndarray)
    return plain


def _map_plain(path: Path | str, kind: str, shape: tuple[int, ...]) -> npt.NDArray[Any] | None:
    """The same without `np.load`, which is not of numpy's core; None for another header."""
    described = f"{{'descr': '{np.dtype(kind).str}', 'fortran_order': False, 'shape': {shape}, }}"
    with open_file(path) as file:
        start = file.read(_NPY_START)
        size = int.from_bytes(start[len(_NPY_MAGIC) :], "little")
        header = file.read(size).rstrip()
    if not start.startswith(_NPY_MAGIC) or header != described.encode():
        return None
    return np.memmap(path, np.dtype(kind), "r", _NPY_START + size, shape)

"""Optional compiled code, and plain Python models of it.

One extension module, `_native`, holds all compiled code of this program: decoders of postings,
a counter of words, and functions on lines and columns. They turn bytes into bytes and numbers; they
know of no repository and no setting, and only `scan_files` knows of files. `NATIVE` is None where
nothing was compiled, and all of it is done in Python then, with the same results:

- postings by `index_format.codec`, which defines their bytes;
- words, lines and columns by the modules of this package, whose names are listed below;
- terms in lines and the reading of files by the caller, which needs a way of its own for text that
  is not ASCII and for files that are not plain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from index_format.native import columns, lines
from index_format.native.columns import (
    check_column,
    column_array,
    column_number,
    column_slice,
    name_edges,
    pack_column,
    pack_signed,
    pack_steps,
    unfold_signs,
    unpack_column,
    unpack_signed,
    unpack_steps,
)
from index_format.native.lines import LineScan, NeedleLines
from index_format.native.words import MAX_WORD, WORD_CHARACTERS, PlainWordCounter, split_identifier

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    U8 = npt.NDArray[np.uint8]
    I64 = npt.NDArray[np.int64]

__all__ = [
    "MAX_WORD",
    "NATIVE",
    "WORD_CHARACTERS",
    "LineScan",
    "Native",
    "NeedleLines",
    "PlainWordCounter",
    "TermCounter",
    "check_column",
    "column_array",
    "column_number",
    "column_slice",
    "find_endings",
    "find_lines",
    "find_ranges",
    "find_scopes",
    "name_edges",
    "pack_column",
    "pack_signed",
    "pack_steps",
    "scan_lines",
    "split_identifier",
    "unfold_signs",
    "unpack_column",
    "unpack_signed",
    "unpack_steps",
]

# the same as in module.c: a library left over from other sources is not used
_VERSION: Final = 3

PageSums = tuple[int, int, int, int]
Entry = tuple[int, int, int, int, int, int, int]


class TermCounter(Protocol):
    """Counts the terms of texts; its length is the count of distinct words it has seen."""

    def __init__(self, key: bytes, long_term: bytes, /) -> None: ...

    def __len__(self) -> int:
        """Count of distinct words."""

    def count(
        self,
        pieces: Sequence[str | bytes],
        number_terms: Callable[[list[bytes]], list[int]],
        split_other: Callable[[bytes], list[bytes]],
        /,
    ) -> tuple[bytes, bytes, list[int]]:
        """Terms and frequencies of all pieces as uint32, and where each piece's end.

        A word gives itself and, where it has several, its parts, in small letters; one longer than
        `MAX_WORD` gives `long_term`; one that is not ASCII what `split_other` returns. Bytes are
        ASCII text. A term is numbered once; it may be listed more than once in a piece. After an
        error the counter must not be used again with terms that were numbered before.
        """


class Native(Protocol):
    """The functions of the compiled module; for bytes that no encoder writes: ValueError."""

    WordCounter: type[TermCounter]
    MAX_WORD: int
    MAX_TERMS: int

    def decode_entry(
        self, info: bytes | memoryview, text: bytes, term: bytes, size: int, /
    ) -> tuple[PageSums, Entry | None]:
        """Sums over a dictionary page, and the entry of one term."""

    def decode_blocks(self, rows: U8, at: I64, meta: object, before: I64, /) -> tuple[bytes, bytes]:
        """Chunks and frequencies of full blocks, as bytes of uint32."""

    def decode_tail(
        self, data: bytes | memoryview, count: int, last: int, /
    ) -> tuple[bytes, bytes]:
        """Chunks and frequencies of the `count` postings after the chunk `last`, likewise."""

    def find_lines(self, data: bytes, first: int, last: int, /) -> tuple[int, int] | None:
        """The same as `lines.find_lines`."""

    def mark_lines(
        self, text: str, terms: tuple[bytes, ...], /
    ) -> tuple[list[int], list[int], list[int]]:
        """Lines with any of up to MAX_TERMS terms, a bit per term for each, and unsure lines.

        Unsure are lines with words that are not ASCII or longer than `MAX_WORD`.
        """

    def split_terms(
        self, text: bytes | memoryview, info: bytes | memoryview, starts: bytes, count: int, /
    ) -> tuple[tuple[bytes, bytes, bytes], tuple[bytes, bytes, bytes]]:
        """A dictionary's ASCII terms without underscores, and those beyond ASCII.

        For both: a line feed and the terms, one a line; where each begins, and its number (uint32).
        `starts` says where the columns of each page begin in `info`.
        """

    def scan_lines(
        self, data: bytes, what: LineScan, /
    ) -> tuple[int, int, int, bytes, bytes] | None:
        """The same as `lines.scan_lines`, as a tuple."""

    def scan_files(
        self,
        root: int,
        top: bytes,
        names: tuple[bytes, ...],
        most_bytes: int,
        links: bool,  # noqa: FBT001 a flag of the compiled function
        what: LineScan,
        /,
    ) -> list[tuple[int, int, int, bytes, bytes] | bytes | None]:
        """For each file below an open folder, whose path is `top`, what `scan_lines` gives.

        Bytes, the content, where that is None or the needle is empty. None for what is not a plain
        file of at most `most_bytes` that no link leads to, with one hard link unless `links`; and
        for all files where the system has no `openat2`.
        """

    def find_ranges(
        self,
        names: str,
        lengths: bytes,
        starts: bytes,
        spans: bytes,
        count: int,
        first: int,
        last: int,
        /,
    ) -> list[tuple[int, int, int, str]]:
        """The same as `columns.find_ranges`."""

    def find_scopes(
        self, names: str, lengths: bytes, parents: bytes, count: int, number: int, /
    ) -> list[str]:
        """The same as `columns.find_scopes`."""

    def find_endings(self, names: bytes, lengths: bytes, count: int, ending: bytes, /) -> list[int]:
        """The same as `columns.find_endings`."""


def _load() -> Native | None:
    try:
        module = import_module("index_format.native._native")
    except ImportError:
        return None
    return cast("Native", module) if module.VERSION == _VERSION else None


NATIVE: Final = _load()
find_lines: Final = lines.find_lines if NATIVE is None else NATIVE.find_lines
scan_lines: Final = lines.scan_lines if NATIVE is None else NATIVE.scan_lines
find_endings: Final = columns.find_endings if NATIVE is None else NATIVE.find_endings
find_scopes: Final = columns.find_scopes if NATIVE is None else NATIVE.find_scopes
find_ranges: Final = columns.find_ranges if NATIVE is None else NATIVE.find_ranges

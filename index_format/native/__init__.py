"""Optional compiled code of the index format, and plain Python models of it.

The extension module `_native` decodes and encodes postings and dictionaries, sums postings, counts
words, and reads columns. Its functions turn bytes into bytes and numbers; they know of no file, no
repository and no setting. `NATIVE` is None where nothing was compiled, and all of it is done in
Python then, with the same results: by `index_format.codec`, which defines the bytes of postings, by
`index_format.query`, and by the modules of this package. The packages above have compiled modules
of their own, which may include the headers of this folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from index_format.layout import MAX_WORD
from index_format.native import columns
from index_format.native.columns import (
    check_column,
    column_array,
    column_number,
    column_slice,
    name_edges,
    unfold_signs,
    unpack_column,
    unpack_signed,
    unpack_steps,
)
from index_format.native.pairs import find_pairs as plain_pairs
from index_format.native.words import WORD_CHARACTERS, PlainWordCounter, split_identifier

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    U8 = npt.NDArray[np.uint8]
    U32 = npt.NDArray[np.uint32]
    I64 = npt.NDArray[np.int64]
    F64 = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

__all__ = [
    "MAX_WORD",
    "NATIVE",
    "WORD_CHARACTERS",
    "Buffer",
    "Native",
    "PlainWordCounter",
    "SparseTerm",
    "StoredTerm",
    "TermCounter",
    "check_column",
    "column_array",
    "column_number",
    "column_slice",
    "find_endings",
    "find_names",
    "find_range",
    "find_ranges",
    "find_scopes",
    "load_compiled",
    "name_edges",
    "pack_column",
    "pack_signed",
    "pack_steps",
    "plain_pairs",
    "split_identifier",
    "unfold_signs",
    "unpack_column",
    "unpack_signed",
    "unpack_steps",
]

# the same as in module.c: a library left over from other sources is not used
_VERSION: Final = 22

PageSums = tuple[int, int, int, int]
# of a term in one segment: rows of its blocks without a gap at the beginning, their metadata, its
# tail, the postings in it, what is added to chunks, and how many chunks there are
StoredTerm = tuple[object, object, object, int, int, int]
# of a term in one segment: what reads so many rows from one on, metadata of its blocks, its tail,
# the postings in it, what is added to chunks, and how many chunks there are
SparseTerm = tuple[Callable[[int, int], object], object, object, int, int, int]
# what is stored of a term in each segment, length codes of all chunks, inverse frequency, K1, B,
# average length, boost
Postings = tuple[tuple[StoredTerm, ...], object, float, float, float, float, float]
Entry = tuple[int, int, int, int, int, int, int]
Buffer = bytes | memoryview


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
    ) -> tuple[bytes, bytes, list[int], bytes]:
        """Terms and frequencies of all pieces as uint32, where each piece's end, and wholes.

        A word gives itself and, where it has several, its parts, in small letters; one longer than
        `MAX_WORD` gives `long_term`; one that is not ASCII what `split_other` returns. Bytes are
        ASCII text. A term is numbered once; it may be listed more than once in a piece. Wholes
        (uint32) are how often it is a word of several parts, or stands for long words. After an
        error the counter must not be used again with terms that were numbered before.
        """


class Native(Protocol):
    """The functions of the compiled module; for bytes that no encoder writes: ValueError."""

    WordCounter: type[TermCounter]
    MAX_WORD: int

    def decode_entry(
        self, info: Buffer, text: Buffer, term: bytes, size: int, /
    ) -> tuple[PageSums, Entry] | None:
        """Sums over a dictionary page, and the entry of one term that is in it."""

    def encode_pages(self, terms: list[bytes], columns: bytes, /) -> tuple[bytes, bytes, bytes]:
        """The same as `index_format.codec.term_pages.encode_pages`."""

    def sort_terms(self, terms: list[bytes], /) -> tuple[bytes, bytes]:
        """The same as `index_format.segment.term_order.sort_bytes`: int64, and a byte for each."""

    def rank_words(self, vocabulary: list[bytes], words: U32, /) -> tuple[list[bytes], bytes]:
        """The same as `index_format.segment.term_order.rank_words`, with ranks as uint32."""

    def decode_pages(self, info: Buffer, starts: bytes, count: int, /) -> bytes:
        """The same as `index_format.codec.term_pages.decode_pages`."""

    def spell_terms(
        self, text: Buffer, info: Buffer, starts: bytes, count: int, /
    ) -> tuple[bytes, bytes]:
        """The same as `index_format.codec.term_pages.spell_terms`."""

    def mark_trigrams(self, text: Buffer, info: Buffer, starts: bytes, count: int, /) -> bytes:
        """The same as `index_format.codec.term_pages.mark_trigrams`."""

    def encode_postings(
        self,
        counts: I64,
        chunks: U32,
        frequencies: U32,
        codes: U8,
        lengths: I64,
        first_row: int,
        /,
    ) -> tuple[bytes, bytes, bytes, bytes]:
        """Metadata and rows of blocks, tails and their lengths, as `codec.postings.encode` does.

        `codes` are the length codes of all chunks, `lengths` what codes mean.
        """

    def decode_blocks(self, rows: U8, at: I64, meta: object, before: I64, /) -> tuple[bytes, bytes]:
        """Chunks and frequencies of full blocks, as bytes of uint32."""

    def decode_tail(
        self, data: bytes | memoryview, count: int, last: int, /
    ) -> tuple[bytes, bytes]:
        """Chunks and frequencies of the `count` postings after the chunk `last`, likewise."""

    def decode_term(
        self,
        rows: object,
        meta: object,
        tail: object,
        tail_count: int,
        base: int,
        chunks: int,
        /,
    ) -> tuple[bytes, bytes]:
        """All postings of a `StoredTerm`: chunks (int64) and frequencies (uint32)."""

    def find_names(
        self,
        text: bytes,
        bounds: I64,
        wanted: bytes,
        limit: int,
        whole: bool,  # noqa: FBT001 a flag of the compiled function
        /,
    ) -> bytes:
        """The same as `names.find_names`."""

    def split_terms(
        self, text: bytes | memoryview, info: bytes | memoryview, starts: bytes, count: int, /
    ) -> tuple[tuple[bytes, bytes, bytes], tuple[bytes, bytes, bytes]]:
        """A dictionary's ASCII terms without underscores, and those beyond ASCII.

        For both: a line feed and the terms, one a line; where each begins, and its number (uint32).
        `starts` says where each page begins in `info`.
        """

    def pack_column(self, numbers: Iterable[int], /) -> bytes:
        """The same as `columns.pack_column`."""

    def pack_signed(self, numbers: Iterable[int], /) -> bytes:
        """The same as `columns.pack_signed`."""

    def pack_steps(self, numbers: Iterable[int], /) -> bytes:
        """The same as `columns.pack_steps`."""

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

    def find_range(
        self, starts: bytes, spans: bytes, count: int, number: int, /
    ) -> tuple[int, int]:
        """The same as `columns.find_range`."""

    def find_scopes(
        self, names: str, lengths: bytes, parents: bytes, count: int, number: int, /
    ) -> list[str]:
        """The same as `columns.find_scopes`."""

    def best_postings(
        self,
        postings: tuple[Postings, ...],
        lengths: F64,
        keep: Mask | None,
        span: int,
        limit: int,
        is_ordered: bool,  # noqa: FBT001 a flag of the compiled function
        /,
    ) -> tuple[bytes, bytes, tuple[bytes, ...] | None]:
        """The same as `index_format.query.summing.best_sums`: int64, int64, float64."""

    def count_in_chunks(
        self, terms: tuple[tuple[SparseTerm, ...], ...], chunks: I64 | Buffer, /
    ) -> tuple[bytes, ...]:
        """The number of each term's occurrences in each of the ascending chunks (float64)."""

    def find_pairs(
        self, words: tuple[bytes, ...], texts: tuple[tuple[bytes, bytes], ...], /
    ) -> tuple[bytes, list[int]]:
        """The same as `pairs.find_pairs`."""

    def find_endings(self, names: bytes, lengths: bytes, count: int, ending: bytes, /) -> list[int]:
        """The same as `columns.find_endings`."""


def load_compiled(package: str, version: int) -> object | None:
    """The compiled module of a package; None where it is missing or of other sources."""
    try:
        module = import_module(f"{package}._native")
    except ImportError:
        return None
    return module if version == module.VERSION else None


NATIVE: Final = cast("Native | None", load_compiled(__name__, _VERSION))
# its model is imported where there is nothing else
find_names: Final = (NATIVE or cast("Native", import_module(f"{__name__}.names"))).find_names
pack_column: Final = columns.pack_column if NATIVE is None else NATIVE.pack_column
pack_signed: Final = columns.pack_signed if NATIVE is None else NATIVE.pack_signed
pack_steps: Final = columns.pack_steps if NATIVE is None else NATIVE.pack_steps
find_endings: Final = columns.find_endings if NATIVE is None else NATIVE.find_endings
find_scopes: Final = columns.find_scopes if NATIVE is None else NATIVE.find_scopes
find_range: Final = columns.find_range if NATIVE is None else NATIVE.find_range
find_ranges: Final = columns.find_ranges if NATIVE is None else NATIVE.find_ranges

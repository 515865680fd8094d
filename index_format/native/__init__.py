"""Optional compiled code, and plain Python models of it.

One extension module, `_native`, holds all compiled code of this program: decoders of postings and
their sums, a counter of words, sums of word vectors, scores, and functions on lines and columns.
They turn bytes into bytes and numbers; they know of no repository and no setting, weights are
arguments, and only `scan_files` and what lists or compares folders know of files. `NATIVE` is None
where nothing was compiled, and all of it is done in Python then, with the same results:

- postings by `index_format.codec`, which defines their bytes, their sums by `index_format.query`;
- scores of chunks and files, and passages, by `repo_mcp.search`;
- words, lines and columns by the modules of this package, whose names are listed below;
- sums of word vectors, distances of rows of bits and shapes of code by `repo_mcp.vectors`;
- terms in lines and the reading of files by the caller, which needs a way of its own for text that
  is not ASCII and for files that are not plain, and the listing of folders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from index_format.layout import MAX_WORD
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
    "Chosen",
    "LengthTable",
    "Limits",
    "LineScan",
    "Native",
    "NeedleLines",
    "PathWords",
    "PlainWordCounter",
    "Question",
    "Ranges",
    "RankLimits",
    "RowSums",
    "ScoreWeights",
    "SparseTerm",
    "StoredTerm",
    "TermCounter",
    "TermCounts",
    "TermNames",
    "check_column",
    "column_array",
    "column_number",
    "column_slice",
    "find_endings",
    "find_lines",
    "find_names",
    "find_range",
    "find_ranges",
    "find_scopes",
    "name_edges",
    "pack_column",
    "pack_signed",
    "pack_steps",
    "plain_pairs",
    "prefix_lines",
    "scan_lines",
    "split_identifier",
    "unfold_signs",
    "unpack_column",
    "unpack_signed",
    "unpack_steps",
]

# the same as in module.c: a library left over from other sources is not used
_VERSION: Final = 20

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
# number of a field, and frequencies by chunk (float64)
FieldCounts = tuple[tuple[int, bytes], ...]
# weight, inverse frequency and that of all forms, whether it is the whole query, the frequencies
# and those of all forms
TermCounts = tuple[float, float, float, bool, FieldCounts, FieldCounts]
# k1, share of the forms, weights of a name, a symbol and documentation, of the body and of symbols
# inside of a file, and of a declared name
ScoreWeights = tuple[float, float, float, float, float, float, float, float]
# length codes of all chunks, the lengths they stand for (float64), the first chunk of each file and
# the end (int64), B, average length
LengthTable = tuple[Any, Any, Any, float, float]
# the text of each term, and the stem of its word
TermNames = tuple[tuple[str, str], ...]
# words as they are looked for in paths, and their weight: text, stem, distinct parts, how many
# parts there are, weight
PathWords = tuple[tuple[tuple[str, str, tuple[str, ...], int, float], ...], float]
# chunks that count together, passages of a file, chunks that raise their scores, the share of the
# best that is shown; factors of further chunks and passages, and of the share that a file has of
# the query; weights of names, folders, what a path has of the query, and tests
RankLimits = tuple[
    *tuple[int, int, int, float, float, float, float], *tuple[float, float, float, float]
]
# terms, their weights as float64, and the whole query in small letters without underscores
Question = tuple[tuple[bytes, ...], bytes, bytes]
# names, and the columns of their lengths, starts, spans and parents; the count
Ranges = tuple[str, bytes, bytes, bytes, bytes, int]
# window, context, lines without a match, longest line, lines of a short range, of a head, around a
# stretch and above a range, matching lines and other ranges at most; weights of a name's terms and
# of a name that is meant, share of the best; the mark for cut text; what comments begin with
Limits = tuple[
    *tuple[int, int, int, int, int, int, int, int, int, int],
    *tuple[float, float, float, bytes, tuple[bytes, ...]],
]
# first and last line, bits of the terms, qualified name, text, first and last lines of others
Chosen = tuple[int, int, int, str, str, list[tuple[int, int]]]
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


class RowSums(Protocol):
    """Sums the rows of a table of word vectors over counted terms."""

    def __init__(
        self, key: bytes, words: bytes, rows: Buffer, scales: Buffer, dimensions: int, /
    ) -> None: ...

    def sum(
        self, vocabulary: list[bytes], terms: bytes, times: bytes, ends: Sequence[int], /
    ) -> bytes:
        """A vector (int8) for each text, one behind the other.

        Text n has the terms from ends[n - 1] to ends[n], as numbers of the vocabulary (uint32), and
        how often each of them counts; the vocabulary may only grow between calls.
        """


class Native(Protocol):
    """The functions of the compiled module; for bytes that no encoder writes: ValueError."""

    WordCounter: type[TermCounter]
    RowSums: type[RowSums]
    MAX_WORD: int
    MAX_TERMS: int

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

    def find_lines(self, data: bytes, first: int, last: int, /) -> tuple[int, int] | None:
        """The same as `lines.find_lines`."""

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
        `starts` says where each page begins in `info`.
        """

    def scan_lines(
        self, data: bytes, what: LineScan, /
    ) -> tuple[int, int, int, bytes, bytes] | None:
        """The same as `lines.scan_lines`, as a tuple."""

    def prefix_lines(self, text: bytes, numbers: bytes, head: bytes, mark: bytes, /) -> bytes:
        """The same as `lines.prefix_lines`."""

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

    def list_folder(self, descriptor: int, /) -> tuple[bytes, bytes, bytes, int] | None:
        """Names, kinds, stat keys and device of an open folder; None if this is not Linux.

        Entries are in the order of their names, each of which ends with a NUL. A kind is `f`, `d`,
        `l` or `o`: file, folder, link, other. A key is 32 bytes, of zeros unless it is of a file:
        size, modification and change time in nanoseconds, and inode, little-endian.
        """

    def list_folders(
        self, root: int, paths: tuple[bytes, ...], /
    ) -> list[tuple[bytes, bytes, bytes, int] | int] | None:
        """The same of each folder below an open one, or the error number with which that failed.

        The folders are opened with `openat2`, and no link is followed.
        """

    def same_folders(self, root: int, paths: bytes, hashes: bytes, device: int, /) -> bytes | None:
        """Of each folder below an open one, 1 if its columns have this hash, else 0.

        Paths end with NUL; the hash is XXH64 of names, kinds and keys, one behind the other, in the
        byte order of its canonical form. A folder that can't be listed, or is of another device,
        is not the same.
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

    def find_range(
        self, starts: bytes, spans: bytes, count: int, number: int, /
    ) -> tuple[int, int]:
        """The same as `columns.find_range`."""

    def find_scopes(
        self, names: str, lengths: bytes, parents: bytes, count: int, number: int, /
    ) -> list[str]:
        """The same as `columns.find_scopes`."""

    def choose_lines(
        self,
        data: bytes,
        first: int,
        last: int,
        query: Question,
        places: Ranges,
        limits: Limits,
        quoted: tuple[int, ...],
        /,
    ) -> Chosen | None:
        """The best of the lines `first` to `last` of a file; None for what is not plain.

        If there are `quoted` lines, in which phrases begin, the lines have one of them.

        Not plain are text beyond ASCII, words longer than `MAX_WORD`, and a declaration that is
        meant where no line matches. `repo_mcp.search.passage.narrowing` is the model.
        """

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

    def choose_chunks(
        self,
        chunks: bytes,
        table: LengthTable,
        terms: tuple[TermCounts, ...],
        weights: ScoreWeights,
        most: int,
        /,
    ) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """Of ascending chunks (int64) those of about `most` files with the best chunks.

        The divisors of all chunks' frequencies in the body (float64); of those chosen their places,
        files from 0 on and numbers; and the numbers of these files (int64).
        """

    def rank_files(
        self,
        terms: tuple[TermCounts, ...],
        weights: ScoreWeights,
        chunks: tuple[bytes, bytes, bytes, bytes],
        words: tuple[TermNames, PathWords],
        files: tuple[Sequence[object], bytes, bytes, str],
        limits: RankLimits,
        /,
    ) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]:
        """Passages, best first: scores (float64), files and chunks (int64).

        By file, the factor for tests and its share of the query (float64); by chunk, whether it
        declares the name that the query is. `chunks` are norms, places, owners and numbers, as
        `choose_chunks` gives them; `files` a list of what is known of their paths, two factors of
        each, for its area and its kind (float64), and the kind of tests.
        """

    def find_pairs(
        self, words: tuple[bytes, ...], texts: tuple[tuple[bytes, bytes], ...], /
    ) -> tuple[bytes, list[int]]:
        """The same as `pairs.find_pairs`."""

    def find_phrase(
        self,
        data: bytes,
        first: int,
        last: int,
        pieces: tuple[bytes, ...],
        begins: bool,  # noqa: FBT001 flags of the compiled function
        ends: bool,  # noqa: FBT001 as above
        /,
    ) -> list[int] | None:
        """The lines from `first` to `last` in which pieces begin with blanks between, in any case.

        Pieces are in small letters. No word character may stand before them with `begins`, nor
        behind them with `ends`. None where these lines are not ASCII.
        """

    def find_endings(self, names: bytes, lengths: bytes, count: int, ending: bytes, /) -> list[int]:
        """The same as `columns.find_endings`."""

    def bit_distances(self, rows: Buffer, stride: int, bits: bytes, /) -> bytes:
        """In how many bits each row differs from these at its beginning, a byte, 255 at most."""

    def find_bodies(self, code: bytes, /) -> tuple[list[tuple[int, int]], bytes]:
        """The spans between braces of function bodies in C that declare nothing.

        And the macros that are defined between declarations: nine numbers (int64) for each.
        """

    def find_uses(
        self, code: bytes, spans: list[tuple[int, int]], names: list[bytes], /
    ) -> list[tuple[int, int]]:
        """Numbers of the names that these bodies call or put into an initial value, and the lines.

        Spans are in order; words of C that control or stand before a call are no names.
        """

    def fold_code(self, text: bytes, /) -> bytes:
        """Code with a mark for each word, number and string, without blanks and comments."""


def _load() -> Native | None:
    try:
        module = import_module("index_format.native._native")
    except ImportError:
        return None
    return cast("Native", module) if module.VERSION == _VERSION else None


NATIVE: Final = _load()
find_lines: Final = lines.find_lines if NATIVE is None else NATIVE.find_lines
# its model is imported where there is nothing else
find_names: Final = (NATIVE or cast("Native", import_module(f"{__name__}.names"))).find_names
scan_lines: Final = lines.scan_lines if NATIVE is None else NATIVE.scan_lines
prefix_lines: Final = lines.prefix_lines if NATIVE is None else NATIVE.prefix_lines
find_endings: Final = columns.find_endings if NATIVE is None else NATIVE.find_endings
find_scopes: Final = columns.find_scopes if NATIVE is None else NATIVE.find_scopes
find_range: Final = columns.find_range if NATIVE is None else NATIVE.find_range
find_ranges: Final = columns.find_ranges if NATIVE is None else NATIVE.find_ranges

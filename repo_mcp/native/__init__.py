"""Optional compiled code of the server, and plain Python models of it.

The extension module `_native` lists folders, scans files, finds and marks lines, chooses passages,
scores chunks and files, compares texts and trees of git, and sums rows of word vectors. Weights and
limits are arguments; only `scan_files` and what lists or compares folders know of files. `NATIVE`
is None where nothing was compiled, and all of it is done in Python then, with the same results:
lines by `lines`, scores and passages by `repo_mcp.search`, vectors by `repo_mcp.vectors`, objects
of git by `repo_mcp.git`, files and folders by the sandbox.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, cast

from index_format.native import Buffer, load_compiled
from repo_mcp.native import lines
from repo_mcp.native.lines import LineScan, NeedleLines

__all__ = [
    "NATIVE",
    "Buffer",
    "ChangedEntry",
    "Chosen",
    "EncodedQuery",
    "Limits",
    "LineScan",
    "NeedleLines",
    "Ranges",
    "RankLimits",
    "RowSums",
    "ScoreWeights",
    "ServerNative",
    "TermCounts",
    "find_lines",
    "prefix_lines",
    "scan_lines",
]

# the same as in module.c: a library left over from other sources is not used
_VERSION: Final = 6

# number of a field, and frequencies by chunk (float64)
FieldCounts = tuple[tuple[int, bytes], ...]
# weight, inverse frequency and that of all forms, whether it is the whole query, its text, the stem
# of its word, the frequencies and those of all forms
TermCounts = tuple[float, float, float, bool, str, str, FieldCounts, FieldCounts]
# k1, share of the forms, weight of a symbol, of the body and of symbols inside of a file, and of a
# declared name
ScoreWeights = tuple[float, float, float, float, float, float]
# passages of a file; factors of further chunks and passages; weights of names and folders
RankLimits = tuple[int, float, float, float, float]
# terms, their weights as float64, and the whole query in small letters without underscores
EncodedQuery = tuple[tuple[bytes, ...], bytes, bytes]
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

# name of an entry of trees, then mode and hash before and after; empty where there is none
ChangedEntry = tuple[bytes, bytes, bytes, bytes, bytes]


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


class ServerNative(Protocol):
    """The functions of the compiled module; for bytes that no encoder writes: ValueError."""

    RowSums: type[RowSums]
    MAX_TERMS: int

    def find_lines(self, data: bytes, first: int, last: int, /) -> tuple[int, int] | None:
        """The same as `lines.find_lines`."""

    def mark_lines(
        self, text: str, terms: tuple[bytes, ...], /
    ) -> tuple[list[int], list[int], list[int]]:
        """Lines with any of up to MAX_TERMS terms, a bit per term for each, and unsure lines.

        Unsure are lines with words that are not ASCII or longer than `MAX_WORD`.
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

    def read_files(
        self,
        root: int,
        top: bytes,
        names: tuple[bytes, ...],
        most_bytes: int,
        links: bool,  # noqa: FBT001 a flag of the compiled function
        /,
    ) -> list[tuple[bytes, tuple[int, int, int, int]] | None]:
        """The content and stat key of each file below an open folder, whose path is `top`.

        None for the same files as `scan_files`.
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

    def choose_lines(
        self,
        data: bytes,
        first: int,
        last: int,
        query: EncodedQuery,
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

    def rank_files(
        self,
        terms: tuple[TermCounts, ...],
        weights: ScoreWeights,
        chunks: tuple[bytes, bytes, bytes],
        files: tuple[Sequence[object], bytes, bytes],
        limits: RankLimits,
        /,
    ) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        """Passages, best first: scores (float64), files and chunks (int64).

        By file, its share of the query (float64); by chunk, whether it declares the name that the
        query is. `chunks` are their norms (float64), files from 0 on, and numbers (int64); `files`
        a list of what is known of their paths, and two factors of each, for its path and its kind
        (float64).
        """

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

    def bit_distances(self, rows: Buffer, stride: int, bits: bytes, /) -> bytes:
        """In how many bits each row differs from these at its beginning, a byte, 255 at most."""

    def fold_code(self, text: bytes, /) -> bytes:
        """Code with a mark for each word, number and string, without blanks and comments."""

    def diff_lines(
        self,
        old: Buffer,
        new: Buffer,
        any_blanks: bool,  # noqa: FBT001 flags of the compiled function
        whole: bool,  # noqa: FBT001 as above
        /,
    ) -> bytes:
        """The same as `repo_mcp.git.line_diff.diff_plainly`."""

    def apply_delta(self, base: Buffer, delta: Buffer, most: int, /) -> bytes:
        """The same as `repo_mcp.git.deltas.apply_plainly`."""

    def changed_entries(self, old: Buffer, new: Buffer, /) -> list[ChangedEntry]:
        """The same as `repo_mcp.git.deltas.compare_plainly`."""

    def text_spans(self, text: Buffer, /) -> bytes:
        """Hashes and sizes of the lines of a text, and of pieces of long ones."""

    def common_bytes(self, old: bytes, new: bytes, /) -> int:
        """Number of bytes of a text that are in another one, by the spans of both."""


NATIVE: Final = cast("ServerNative | None", load_compiled(__name__, _VERSION))
find_lines: Final = lines.find_lines if NATIVE is None else NATIVE.find_lines
scan_lines: Final = lines.scan_lines if NATIVE is None else NATIVE.scan_lines
prefix_lines: Final = lines.prefix_lines if NATIVE is None else NATIVE.prefix_lines

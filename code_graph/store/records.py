"""Packs what the graph keeps of a file into attachments, and back.

    symbols   language, project, count, types (a table and the column of its numbers), flags,
              qualified names, the column of name lengths, other names
    edges     count of rows, the column of edges per row, targets (8 bytes each, ascending), and the
              columns of targets by number, types and strategies, lines, columns; names of external
              targets with the column of their numbers among the targets; then the column of
              unresolved uses per row, a table of names, and the columns of their names by number,
              types, lines, columns, receivers by number, arguments (one more, so that none is
              below 0) and named arguments
    exports   keys (8 bytes each, ascending), then as many hashes

Symbols and edges are msgpack arrays, deflated; numbers are little-endian, columns those of
`index_format.native`. Row 0 is the file itself, row 1 its first declaration; their ids are those of
the chunks. A symbol's name is the end of its qualified name of the given length; where it is not,
the length is 0 and the name is among the others, behind its number. Names may be those of a broken
file, so that surrogates are passed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgpack
import numpy as np

from code_graph.identity import external_id
from code_graph.model import GraphEdge, UnresolvedUse
from index_format.native import column_array, column_slice, pack_column, unpack_column
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
U64: TypeAlias = "npt.NDArray[np.uint64]"

_IDS: Final = np.dtype("<u8")
_STRATEGIES: Final = 32
_LEVEL: Final = 1
# without zlib's frame: segments have checksums
_BARE: Final = -zlib.MAX_WBITS
_MAX_BYTES: Final = 256 << 20
PUBLIC: Final = 1
PRIMARY: Final = 2
_DAMAGE: Final = (
    *(ValueError, IndexError, TypeError, KeyError, OverflowError),
    msgpack.UnpackException,
    zlib.error,
)


class DamagedGraphError(ValueError):
    """The bytes are no attachment of the graph."""


@contextmanager
def _damage(what: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise DamagedGraphError(f"stored {what} are damaged: {error}") from error


class StoredSymbol(NamedTuple):
    """The id of a file (row 0) or of one of its declarations; empty for no symbol."""

    qualified_name: str = ""
    name: str = ""
    node_type: str = ""
    flags: int = 0


class FileSymbols:
    """The symbols of one file."""

    __slots__ = (
        "_flags",
        "_lengths",
        "_others",
        "_qualified",
        "_types",
        "language",
        "project",
    )

    def __init__(self, data: bytes) -> None:
        """Decode; DamagedGraphError for other bytes."""
        with _damage("symbols"):
            self._decode(_unpack(data))

    def __len__(self) -> int:
        """Count of rows."""
        return len(self._flags)

    def row(self, number: int) -> StoredSymbol:
        """One row."""
        qualified, length = self._qualified[number], self._lengths[number]
        name = qualified[len(qualified) - length :] if length else self._others.get(number, "")
        return StoredSymbol(qualified, name, self._types[number], self._flags[number])

    def _decode(self, record: list[Any]) -> None:
        self.language, self.project, count, table, types, flags, *rest = record
        qualified, lengths, others = rest
        if not len(flags) == len(qualified) == count:
            raise ValueError("rows of different counts")
        self._types = [table[number] for number in unpack_column(types, count)]
        self._flags = flags
        self._qualified: list[str] = qualified
        self._lengths = unpack_column(lengths, count)
        self._others: dict[int, str] = dict(others)


def pack_symbols(language: str, project: str, rows: Sequence[StoredSymbol]) -> bytes:
    """The attachment of these rows."""
    table = {name: number for number, name in enumerate(sorted({row.node_type for row in rows}))}
    ends = [row.qualified_name.endswith(row.name) for row in rows]
    others = [
        [number, row.name]
        for number, (row, end) in enumerate(zip(rows, ends, strict=True))
        if not end
    ]
    return _pack(
        [
            language,
            project,
            len(rows),
            list(table),
            pack_column([table[row.node_type] for row in rows]),
            bytes(row.flags for row in rows),
            [row.qualified_name for row in rows],
            pack_column([len(row.name) if end else 0 for row, end in zip(rows, ends, strict=True)]),
            others,
        ]
    )


class EdgeColumns(NamedTuple):
    """Some edges of a file as columns."""

    targets: U64
    types: I64
    strategies: I64
    lines: I64
    columns: I64


class FileEdges:
    """The edges of one file by the row of their sources, with places."""

    __slots__ = ("_bounds", "_columns", "_ids", "_unresolved", "_uses", "external")

    def __init__(self, data: bytes) -> None:
        """Decode what all rows share; DamagedGraphError for other bytes."""
        with _damage("edges"):
            self._decode(_unpack(data))

    def _decode(self, record: list[Any]) -> None:
        rows, counts, targets, numbers, kinds, lines, columns, names, places, *rest = record
        self._bounds: I64 = np.concatenate([[0], np.cumsum(column_array(counts, rows))])
        self._ids = np.frombuffer(targets, dtype=_IDS)
        self._columns = numbers, kinds, lines, columns
        # names of external targets by id
        numbered = zip(self._ids[column_array(places, len(names))].tolist(), names, strict=True)
        self.external: dict[int, str] = dict(numbered)
        self._unresolved = rows, rest
        self._uses: list[UnresolvedUse] | None = None

    def __len__(self) -> int:
        """Count of rows."""
        return len(self._bounds) - 1

    def of_row(self, row: int) -> EdgeColumns:
        """The edges of a row by line, column, type and target."""
        begin, end = self._bounds[row : row + 2].tolist()
        return self._between(begin, end)

    def of_all_rows(self) -> tuple[I64, EdgeColumns]:
        """The edges of all rows in their order, and the row of each."""
        rows = np.repeat(np.arange(len(self)), self._bounds[1:] - self._bounds[:-1])
        return rows, self._between(0, len(rows))

    def _between(self, begin: int, end: int) -> EdgeColumns:
        total = int(self._bounds[-1])
        with _damage("edges"):
            numbers, kinds, lines, columns = (
                column_slice(data, total, begin, end) for data in self._columns
            )
            targets = self._ids[numbers]
            return EdgeColumns(targets, kinds // _STRATEGIES, kinds % _STRATEGIES, lines, columns)

    def unresolved(self) -> Sequence[UnresolvedUse]:
        """The unresolved uses by source, line and column; their sources are rows."""
        if self._uses is None:
            self._uses = self._decode_uses()
        return self._uses

    def _decode_uses(self) -> list[UnresolvedUse]:
        rows, stored = self._unresolved
        counts, table, numbers, types, lines, columns, receivers, arguments, named = stored
        with _damage("uses"):
            sizes = unpack_column(counts, rows)
            total = sum(sizes)
            found = map(
                UnresolvedUse,
                np.repeat(np.arange(rows), sizes).tolist(),
                [table[number] for number in unpack_column(numbers, total)],
                unpack_column(types, total),
                unpack_column(lines, total),
                unpack_column(columns, total),
                [table[number] for number in unpack_column(receivers, total)],
                [count - 1 for count in unpack_column(arguments, total)],
                unpack_column(named, total),
            )
            return list(found)


def pack_edges(
    rows: int,
    edges: Sequence[GraphEdge],
    external: Sequence[str],
    unresolved: Sequence[UnresolvedUse],
) -> bytes:
    """The attachment of edges and uses in order of their sources, which are rows of the file."""
    targets = sorted({edge.target for edge in edges})
    number = {target: at for at, target in enumerate(targets)}
    names = sorted(set(external))
    used = {name for use in unresolved for name in (use.name, use.receiver)}
    table = {name: at for at, name in enumerate(sorted(used))}
    return _pack(
        [
            rows,
            pack_column(_count(rows, [edge.source for edge in edges])),
            np.array(targets, dtype=_IDS).tobytes(),
            pack_column([number[edge.target] for edge in edges]),
            pack_column([edge.type * _STRATEGIES + edge.strategy for edge in edges]),
            pack_column([edge.line for edge in edges]),
            pack_column([edge.column for edge in edges]),
            names,
            pack_column([number[external_id(name)] for name in names]),
            pack_column(_count(rows, [use.source for use in unresolved])),
            list(table),
            pack_column([table[use.name] for use in unresolved]),
            pack_column([use.type for use in unresolved]),
            pack_column([use.line for use in unresolved]),
            pack_column([use.column for use in unresolved]),
            pack_column([table[use.receiver] for use in unresolved]),
            pack_column([use.arguments + 1 for use in unresolved]),
            pack_column([use.named_arguments for use in unresolved]),
        ]
    )


def _count(rows: int, sources: Sequence[int]) -> list[int]:
    found: list[int] = np.bincount(np.array(sources, dtype=np.int64), minlength=rows).tolist()
    if len(found) != rows:
        raise ValueError("an edge of a declaration that the file does not have")
    return found


def pack_exports(exports: Sequence[tuple[int, int]]) -> bytes:
    """The attachment of keys and hashes of exports; each key once."""
    ordered = sorted(exports)
    return np.array([*zip(*ordered, strict=True)], dtype=_IDS).tobytes()


def unpack_exports(data: bytes) -> dict[int, int]:
    """Hashes of exports by their keys."""
    if len(data) % (2 * _IDS.itemsize):
        raise DamagedGraphError("stored exports are damaged")
    keys, hashes = np.frombuffer(data, dtype=_IDS).reshape(2, -1).tolist()
    return dict(zip(keys, hashes, strict=True))


def _pack(record: list[Any]) -> bytes:
    packed: bytes = msgpack.packb(record, unicode_errors="surrogatepass")
    deflater = zlib.compressobj(_LEVEL, wbits=_BARE)
    return deflater.compress(packed) + deflater.flush()


def _unpack(data: bytes) -> list[Any]:
    inflater = zlib.decompressobj(wbits=_BARE)
    packed = inflater.decompress(data, _MAX_BYTES)
    if not inflater.eof or inflater.unused_data:
        raise ValueError("a record is cut off or too long")
    record = msgpack.unpackb(packed, unicode_errors="surrogatepass", strict_map_key=False)
    if not isinstance(record, list):
        raise ValueError("no record")  # noqa: TRY004 damaged bytes, not a caller's mistake
    return record

"""The stored form of imported indexes: documents by path, and documents that define each symbol.

    packed      msgpack: version, digest of the sources, reports, paths, fingerprints (16 bytes
                each, zero for a file that was missing), documents (deflated), then the hashes of
                defined symbols (8 bytes each, ascending) and as many numbers of documents (4 bytes)
    document    msgpack: position encoding, symbols, the numbers of occurrences and of relations

A fingerprint is that of the file when its index was read first: the document counts as long as the
file has it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

import msgpack
import numpy as np
import xxhash

from code_graph.recent import RecentValues
from code_graph.scip import messages as field_of
from code_graph.scip.reading import (
    Occurrence,
    Relation,
    ScipDocument,
    count_documents,
    read_documents,
    read_root,
)
from code_graph.scip.symbols import is_local
from code_graph.scip.wire import ProtobufError
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple

VERSION: Final = 1
_MISSING: Final = bytes(16)
_LEVEL: Final = 1
_MAX_DOCUMENT: Final = 256 << 20
_DOCUMENTS: Final = 64
# documents that define one symbol, of which more are looked at than any namespace needs
_MOST_DEFINERS: Final = 64
_OCCURRENCE: Final = len(Occurrence._fields)
_RELATION: Final = len(Relation._fields)
_IDS: Final = np.dtype("<u8")
_NUMBERS: Final = np.dtype("<u4")
_DAMAGE: Final = (ValueError, TypeError, IndexError, msgpack.UnpackException, zlib.error)

# the fingerprint of an indexed file; empty for none
FingerprintOf = Callable[[str], bytes]
# gets documents read and in all, and bytes read and in all
OnRead = Callable[[int, int, int, int], None]


class ScipReport(NamedTuple):
    """The import of one index: its number of documents, and of those without a file here."""

    path: str
    documents: int = 0
    missing: int = 0
    # documents of files that an earlier one describes, or whose text is not that of the file
    skipped: int = 0
    # why it could not be read, or only in part
    problem: str = ""


class ScipOccurrences(Protocol):
    """The documents of imported indexes, as the linker asks for them."""

    @property
    def digest(self) -> str:
        """A hash of the whole content."""
        ...

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of the file that a document counts for; empty if there is none."""
        ...

    def document(self, path: str) -> ScipDocument | None:
        """The document of a file."""
        ...

    def definers(self, symbol: str) -> list[str]:
        """The paths of documents that define a symbol, in order; not all of very many."""
        ...


class ScipIndex:
    """The documents of imported indexes; those used last are kept decoded."""

    def __init__(self, packed: bytes) -> None:
        """Decode what all documents share; ValueError for other bytes."""
        try:
            self._decode(msgpack.unpackb(packed))
        except _DAMAGE as error:
            raise ValueError("these are no imported occurrences") from error
        self.digest = xxhash.xxh3_128_hexdigest(packed)
        self._kept: RecentValues[str, ScipDocument | None] = RecentValues(_DOCUMENTS)

    def _decode(self, record: list[Any]) -> None:
        version, self.sources, reports, self.paths, prints, documents, hashes, owners = record
        if version != VERSION or not len(self.paths) == len(documents) == len(prints) // 16:
            raise ValueError("of another version")
        self.reports = tuple(ScipReport(*report) for report in reports)
        self._numbers = {path: number for number, path in enumerate(self.paths)}
        self._prints: bytes = prints
        self._documents: list[bytes] = documents
        self._hashes = np.frombuffer(hashes, dtype=_IDS)
        self._owners = np.frombuffer(owners, dtype=_NUMBERS)

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of the file that a document counts for; empty if there is none."""
        number = self._numbers.get(path)
        found = b"" if number is None else self._prints[16 * number : 16 * number + 16]
        return b"" if found == _MISSING else found

    def document(self, path: str) -> ScipDocument | None:
        """The document of a file."""
        return self._kept.get(path, self._read)

    def definers(self, symbol: str) -> list[str]:
        """The paths of documents that define a symbol, in order; not all of very many."""
        key = np.uint64(_hash(symbol))
        begin, end = np.searchsorted(self._hashes, [key, key + np.uint64(1)]).tolist()
        owners = self._owners[begin : min(end, begin + _MOST_DEFINERS)].tolist()
        return [self.paths[number] for number in owners]

    def _read(self, path: str) -> ScipDocument | None:
        number = self._numbers.get(path)
        if number is None:
            return None
        data = zlib.decompressobj().decompress(self._documents[number], _MAX_DOCUMENT)
        positions, symbols, occurrences, relations = msgpack.unpackb(data)
        return ScipDocument(
            path,
            positions,
            symbols,
            [Occurrence(*row) for row in _rows(occurrences, _OCCURRENCE)],
            [Relation(*row) for row in _rows(relations, _RELATION)],
            None,
        )


class MountedScip:
    """The imported indexes of several roots as one: a symbol of one may be used in another."""

    def __init__(self, roots: Mapping[str, ScipOccurrences]) -> None:
        """`roots` are by what the paths of their files begin with."""
        self._roots = roots
        digests = [[folder, index.digest] for folder, index in sorted(roots.items())]
        self.digest = xxhash.xxh3_128_hexdigest(msgpack.packb(digests))

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of the file that a document counts for; empty if there is none."""
        index, below = self._root_of(path)
        return b"" if index is None else index.fingerprint(below)

    def document(self, path: str) -> ScipDocument | None:
        """The document of a file."""
        index, below = self._root_of(path)
        found = None if index is None else index.document(below)
        return None if found is None else found._replace(path=path)

    def definers(self, symbol: str) -> list[str]:
        """The paths of documents that define a symbol, in order; not all of very many."""
        every = (
            folder + path
            for folder, index in self._roots.items()
            for path in index.definers(symbol)
        )
        return sorted(every)[:_MOST_DEFINERS]

    def _root_of(self, path: str) -> tuple[ScipOccurrences | None, str]:
        name, slash, below = path.partition("/")
        found = self._roots.get(name + slash)
        return (self._roots.get(""), path) if found is None else (found, below)


@runtime_checkable
class ScipTree(Protocol):
    """A tree that may have imported indexes."""

    @property
    def scip(self) -> ScipOccurrences | None:
        """The imported indexes, if there are any."""
        ...


class ScipBuilder:
    """Packs the documents of several indexes; of two for one file the first counts."""

    def __init__(self, fingerprint_of: FingerprintOf) -> None:
        """Nothing is read yet."""
        self._fingerprint_of = fingerprint_of
        self._documents: dict[str, bytes] = {}
        self._defined: list[tuple[int, str]] = []
        self._reports: list[ScipReport] = []

    def add(self, path: str, data: bytes, on_read: OnRead = lambda *_: None) -> None:
        """Read one index at a path; `on_read` may raise to end it."""
        report, count, read = ScipReport(path), count_documents(data), 0
        try:
            base = _base(path, read_root(data))

            def is_wanted(name: str, end: int) -> bool:
                nonlocal read
                read += 1
                on_read(read, count, end, len(data))
                full = base + name
                return full not in self._documents and bool(self._fingerprint_of(full))

            for document in read_documents(data, is_wanted):
                report = self._add(document._replace(path=base + document.path), report)
        except ProtobufError as error:
            report = report._replace(problem=str(error))
        self._reports.append(report)

    def refuse(self, path: str, problem: str) -> None:
        """Note that an index could not be read."""
        self._reports.append(ScipReport(path, problem=problem))

    def pack(self, sources: str) -> bytes:
        """The bytes of everything that was added; `sources` is a digest of the indexes."""
        paths = sorted(self._documents)
        number = {path: at for at, path in enumerate(paths)}
        defined = sorted({(key, number[path]) for key, path in self._defined})
        record = [
            VERSION,
            sources,
            self._reports,
            paths,
            b"".join(self._fingerprint_of(path) or _MISSING for path in paths),
            [self._documents[path] for path in paths],
            np.array([key for key, _ in defined], dtype=_IDS).tobytes(),
            np.array([owner for _, owner in defined], dtype=_NUMBERS).tobytes(),
        ]
        packed: bytes = msgpack.packb(record)
        return packed

    def _add(self, document: ScipDocument, report: ScipReport) -> ScipReport:
        path = document.path
        report = report._replace(documents=report.documents + 1)
        known = self._fingerprint_of(path)
        if not known:
            return report._replace(missing=report.missing + 1)
        other = document.text is not None and fingerprint(document.text.encode()) != known
        if other or path in self._documents:
            return report._replace(skipped=report.skipped + 1)
        defined = {item.symbol for item in document.occurrences if item.roles & field_of.DEFINITION}
        names = (document.symbols[at] for at in defined)
        self._defined += [(_hash(name), path) for name in names if not is_local(name)]
        record = [
            document.positions,
            document.symbols,
            [number for item in document.occurrences for number in item],
            [number for item in document.relations for number in item],
        ]
        self._documents[path] = zlib.compress(msgpack.packb(record), _LEVEL)
        return report


def _rows(flat: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (flat[at : at + size] for at in range(0, len(flat), size))


def _hash(symbol: str) -> int:
    # below the largest number, so that the next one is a number too
    return xxhash.xxh3_64_intdigest(symbol.encode()) >> 1


def _base(path: str, root: str) -> str:
    """The base folder of the paths of documents, with a slash: of the index, or the top.

    An index that was made in a folder of the repository lies in one that its root ends with.
    """
    folder = path.rpartition("/")[0]
    is_inside = folder and (root == f"/{folder}" or root.endswith(f"/{folder}"))
    return f"{folder}/" if is_inside else ""

"""Reads an index of SCIP document by document, as far as the linker uses it.

Its bytes may be anything: every length is checked, counts are bounded, and what has no meaning here
(ranges over several lines, negative numbers, unknown fields) is left out and never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final
from urllib.parse import unquote, urlsplit

from code_graph.scip import messages as field_of
from code_graph.scip.wire import (
    BYTES,
    VARINT,
    ProtobufError,
    WireField,
    read_fields,
    read_numbers,
    read_text,
    to_int32,
)
from index_format.tuples import NamedTuple

MAX_DOCUMENTS: Final = 1_000_000
_MAX_OCCURRENCES: Final = 2_000_000
_MAX_RELATIONS: Final = 20_000
_MAX_SYMBOL: Final = 4_000
_MAX_PATH: Final = 4_000
# lines and columns of any file that is indexed fit
_MAX_POSITION: Final = 1 << 30
_RANGE_NUMBERS: Final = 4
# key of a packed range, and the bytes of the key and of a length below 128
_RANGE_KEY: Final = field_of.RANGE << 3 | BYTES
_HEAD: Final = 2


class Occurrence(NamedTuple):
    """A place on one line, from 0; `symbol` is a number in the document's table."""

    line: int
    column: int
    end: int
    symbol: int
    roles: int


class Relation(NamedTuple):
    """A symbol implements or overrides another; both are numbers in the document's table."""

    symbol: int
    other: int


class ScipDocument(NamedTuple):
    """One file of an index."""

    path: str
    positions: int
    symbols: list[str]
    occurrences: list[Occurrence]
    relations: list[Relation]
    # the whole text that it was made of, if the index has it
    text: str | None


def read_root(data: bytes) -> str:
    """The path of the folder that the paths of documents begin at; empty if it is not said."""
    for item in read_fields(data, 0, len(data)):
        if item.number == field_of.METADATA and item.type == BYTES:
            for inner in read_fields(data, item.begin, item.end):
                if inner.number == field_of.PROJECT_ROOT and inner.end - inner.begin <= _MAX_PATH:
                    return _path_of(read_text(data, inner))
            return ""
        if item.number == field_of.DOCUMENTS:
            return ""
    return ""


def count_documents(data: bytes) -> int:
    """The number of documents, as far as the index can be read."""
    count = 0
    with suppress(ProtobufError):
        for item in read_fields(data, 0, len(data)):
            count += item.number == field_of.DOCUMENTS and item.type == BYTES
    return count


def read_documents(
    data: bytes, is_wanted: Callable[[str, int], bool] = lambda *_: True
) -> Iterator[ScipDocument]:
    """The documents of an index in its order; WireError where it is none.

    `is_wanted` gets the path of a document and the byte at which it ends; of one that is not
    wanted, nothing but the path is read.
    """
    count = 0
    for item in read_fields(data, 0, len(data)):
        if item.number == field_of.DOCUMENTS and item.type == BYTES:
            count += 1
            if count > MAX_DOCUMENTS:
                raise ProtobufError(f"it has more than {MAX_DOCUMENTS} documents")
            path = _path_in(data, item)
            if is_wanted(path, item.end):
                yield _Reader(data).document(item, path)
            else:
                yield ScipDocument(path, 0, [], [], [], None)


def _path_in(data: bytes, place: WireField) -> str:
    """The path of a document: the last one, if there are several."""
    path = ""
    for item in read_fields(data, place.begin, place.end):
        if item.number == field_of.PATH and item.end - item.begin <= _MAX_PATH:
            path = read_text(data, item)
    return path


class _Reader:
    """Reads one document."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._numbers: dict[bytes, int] = {}
        self._symbols: list[str] = []
        # the text behind the range of an occurrence, by its bytes
        self._rests: dict[bytes, tuple[list[int], int, int]] = {}
        self._occurrences: list[Occurrence] = []
        self._relations: list[Relation] = []

    def document(self, place: WireField, path: str) -> ScipDocument:
        """The document at a place, whose path is known."""
        data = self._data
        positions, text = 0, None
        for item in read_fields(data, place.begin, place.end):
            if item.number == field_of.OCCURRENCES and item.type == BYTES:
                self._occurrence(item)
            elif item.number == field_of.SYMBOLS and item.type == BYTES:
                self._info(item)
            elif item.number == field_of.TEXT and item.end > item.begin:
                text = read_text(data, item)
            elif item.number == field_of.POSITIONS and item.type == VARINT:
                positions = to_int32(item.value)
        rows = self._occurrences, self._relations
        return ScipDocument(path, positions, self._symbols, *rows, text)

    def _number(self, item: WireField) -> int:
        """The number of a symbol in the table; -1 for one that is empty or too long."""
        _, kind, _, begin, end = item
        if not 0 < end - begin <= _MAX_SYMBOL:
            return -1
        spelling = self._data[begin:end] if kind == BYTES else b""
        number = self._numbers.get(spelling)
        if number is None:
            self._symbols.append(read_text(self._data, item))
            number = self._numbers[spelling] = len(self._numbers)
        return number

    def _occurrence(self, place: WireField) -> None:
        data, (_, _, _, begin, end) = self._data, place
        numbers: list[int] = []
        after = begin
        # indexers write the range first, and what follows is often that of an earlier occurrence
        if end - begin > _HEAD and data[begin] == _RANGE_KEY and data[begin + 1] < end - begin - 1:
            after = begin + _HEAD + data[begin + 1]
            packed = WireField(field_of.RANGE, BYTES, 0, begin + _HEAD, after)
            numbers += read_numbers(data, packed, _RANGE_NUMBERS)
        rest = data[after:end]
        found = self._rests.get(rest)
        if found is None:
            found = self._rests[rest] = self._rest(after, end)
        more, symbol, roles = found
        numbers += more
        if symbol < 0 or not _is_range(numbers) or len(self._occurrences) >= _MAX_OCCURRENCES:
            return
        self._occurrences.append(Occurrence(numbers[0], numbers[1], numbers[-1], symbol, roles))

    def _rest(self, begin: int, end: int) -> tuple[list[int], int, int]:
        """Numbers of a range, symbol and roles among the fields of an occurrence."""
        data = self._data
        numbers: list[int] = []
        symbol, roles = -1, 0
        for item in read_fields(data, begin, end):
            if item.number == field_of.RANGE:
                numbers += read_numbers(data, item, _RANGE_NUMBERS)
            elif item.number == field_of.SYMBOL:
                symbol = self._number(item)
            elif item.number == field_of.ROLES and item.type == VARINT:
                roles = to_int32(item.value)
        return numbers, symbol, roles

    def _info(self, place: WireField) -> None:
        data = self._data
        symbol = -1
        others: list[int] = []
        for item in read_fields(data, place.begin, place.end):
            if item.number == field_of.INFO_SYMBOL:
                symbol = self._number(item)
            elif item.number == field_of.RELATIONSHIPS and item.type == BYTES:
                other = self._implemented(item)
                others += [other] if other >= 0 else []
        if symbol >= 0 and len(self._relations) + len(others) <= _MAX_RELATIONS:
            self._relations += [Relation(symbol, other) for other in others]

    def _implemented(self, place: WireField) -> int:
        other, implements = -1, False
        for item in read_fields(self._data, place.begin, place.end):
            if item.number == field_of.RELATED:
                other = self._number(item)
            elif item.number == field_of.IS_IMPLEMENTATION and item.type == VARINT:
                implements = bool(item.value)
        return other if implements else -1


def _is_range(numbers: list[int]) -> bool:
    """True if these are a range on one line."""
    if not numbers or min(numbers) < 0 or max(numbers) >= _MAX_POSITION:
        return False
    if len(numbers) == _RANGE_NUMBERS and numbers[0] == numbers[2]:
        return numbers[1] <= numbers[3]
    return len(numbers) == _RANGE_NUMBERS - 1 and numbers[1] <= numbers[2]


def _path_of(uri: str) -> str:
    try:
        return unquote(urlsplit(uri).path).rstrip("/")
    except ValueError:
        return ""

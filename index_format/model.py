"""Values that callers hand in: schema, documents, chunks, and the vocabulary that numbers terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

import numpy as np

from index_format import layout
from index_format.errors import InvalidInputError
from index_format.records import Record, field

if TYPE_CHECKING:
    import numpy.typing as npt

Words: TypeAlias = "npt.NDArray[np.uint32]"


class Field(Record):
    """One indexed field; without positions it takes less room and answers no phrase."""

    name: str
    positions: bool = True


class Schema(Record):
    """The fields of an index, in the order they are stored."""

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        """Refuse a schema that could not be stored."""
        names = [item.name for item in self.fields]
        if not names or len(names) > layout.MAX_FIELDS or len(set(names)) != len(names):
            msg = f"a schema has 1 to {layout.MAX_FIELDS} fields with different names, not {names}"
            raise InvalidInputError(msg)

    def number(self, name: str) -> int | None:
        """Position of the field with this name, None where there is none."""
        for number, item in enumerate(self.fields):
            if item.name == name:
                return number
        return None


class Tokens(Record):
    """A field's content: word numbers in text order; positions only where they have gaps.

    With `frequencies` the words are counted: each entry stands for that many occurrences, order
    means nothing, and several entries of a word add up. Only fields without
    positions take counted words.
    """

    words: Words
    positions: Words | None = None
    frequencies: Words | None = None


class ChunkTokens(Record):
    """The tokens of one field in all chunks of a document, and how many each chunk has."""

    tokens: Tokens
    counts: Sequence[int]


class Chunk(Record):
    """A stretch of lines that is found and scored as one unit."""

    start_line: int
    end_line: int
    fields: Mapping[str, Tokens]
    chunk_id: int = 0


class Document(Record):
    """One file: the unit that is added, replaced and removed. Chunks are in line order.

    A field of many small chunks takes less time as one column, and is then in none of the chunks.
    """

    path: str
    chunks: Sequence[Chunk]
    fingerprint: bytes = bytes(16)
    size: int = 0
    attachments: Mapping[str, bytes] = field(factory=dict)
    columns: Mapping[str, ChunkTokens] = field(factory=dict)


class Vocabulary:
    """Numbers words as they are first seen, so that a word's text is handled once."""

    __slots__ = ("_numbers", "words")

    def __init__(self) -> None:
        """Start with no words."""
        # gives a missing word the next number, without a Python call
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        self.words: list[bytes] = []

    def __len__(self) -> int:
        """Count of distinct words so far."""
        return len(self.words)

    def number(self, word: str | bytes) -> int:
        """The word's number, a new one when it was not seen before."""
        data = word.encode("utf-8", "surrogatepass") if isinstance(word, str) else word
        self._catch_up()
        number = self._numbers.get(data)
        return self.numbers([data])[0] if number is None else number

    def numbers(self, words: Iterable[bytes]) -> list[int]:
        """The numbers of many words, as `number` would give them one by one."""
        self._catch_up()
        found = list(map(self._numbers.__getitem__, words))
        new = len(self._numbers) - len(self.words)
        if new:
            fresh = [*islice(reversed(self._numbers), new)][::-1]
            if not _are_terms(fresh):
                self._forget(fresh)
            self.words += fresh
        return found

    def extend(self, words: Sequence[bytes]) -> None:
        """Give the next numbers to new, distinct words, without looking them up.

        A segment in which one word has two numbers is refused.
        """
        if not _are_terms(words):
            _refuse(words)
        self.words += words

    def _catch_up(self) -> None:
        """Add the words of `extend` to the lookup table, on the first lookup."""
        known = len(self._numbers)
        if known < len(self.words):
            self._numbers.update(zip(self.words[known:], count(known), strict=False))
            self._numbers.default_factory = count(len(self.words)).__next__

    def tokens(self, words: Iterable[str | bytes]) -> Tokens:
        """Number a sequence of words."""
        number = self.number
        return Tokens(np.fromiter((number(word) for word in words), dtype=np.uint32))

    def _forget(self, fresh: Sequence[bytes]) -> NoReturn:
        for word in fresh:
            del self._numbers[word]
        self._numbers.default_factory = count(len(self.words)).__next__
        _refuse(fresh)


def _are_terms(words: Sequence[bytes]) -> bool:
    return all(words) and max(map(len, words), default=1) <= layout.MAX_TERM_BYTES


def _refuse(words: Sequence[bytes]) -> NoReturn:
    longest = max(words, key=len)
    wrong = longest if len(longest) > layout.MAX_TERM_BYTES else b""
    msg = f"a term has 1 to {layout.MAX_TERM_BYTES} bytes, not {len(wrong)}"
    raise InvalidInputError(msg)


class Limits(Record):
    """Limits by which canonical segments are cut. Others change all segment names of an index.

    With `max_tokens` a segment ends where a path hash has `full_bits` low zero bits: soon, but not
    at once, so that an edit which makes a file longer seldom moves the place. An index with
    `min_shared` bytes of text is divided into shares first.
    """

    min_files: int = layout.SEGMENT_MIN_FILES
    max_files: int = layout.SEGMENT_MAX_FILES
    boundary_bits: int = layout.SEGMENT_BOUNDARY_BITS
    max_tokens: int = layout.SEGMENT_MAX_TOKENS
    full_bits: int = layout.SEGMENT_FULL_BITS
    min_shared: int = layout.SEGMENT_SHARED_BYTES


DEFAULT_LIMITS: Final = Limits()
# bytes that writing or one step of a merge may take
DEFAULT_MEMORY: Final = 512 * 1024 * 1024

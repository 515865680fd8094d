"""A snapshot as Whoosh's `IndexReader`: all of its queries, parsers and scorers work on it.

Documents are the snapshot's live chunks, numbered densely in the order of path and place. Numbers,
statistics, blocks, scores and the order of hits are those of an index that Whoosh itself would make
of the live chunks added in that order.
"""

from __future__ import annotations

import index_format.lean_whoosh  # noqa: F401 before Whoosh itself

# isort: split

from collections.abc import Iterator
from typing import Final

from whoosh.analysis import SpaceSeparatedTokenizer
from whoosh.fields import STORED, TEXT, Schema as WhooshSchema
from whoosh.formats import Format, Frequency, Positions
from whoosh.matching import Matcher
from whoosh.reading import IndexReader, ReaderClosed, TermInfo, TermNotFound
from whoosh.scoring import BM25F, BaseScorer, WeightingModel
from whoosh.searching import Searcher

from index_format.codec.chunks import CODE_LENGTHS
from index_format.errors import InvalidInputError
from index_format.generation.snapshot import Snapshot
from index_format.query.edit_distance import select_near
from index_format.query.live_postings import TermBlocks, open_blocks
from index_format.query.live_terms import LiveTerms
from index_format.query.numbering import Numbering
from index_format.whoosh_bridge.matcher import BlockMatcher, LiveTermInfo

STORED_FIELDS: Final = ("path", "start_line", "end_line", "chunk_id")
_LENGTHS: Final[list[int]] = CODE_LENGTHS.tolist()
# postings that remembered terms may hold together before all are forgotten
_REMEMBERED: Final = 1 << 22


def searcher(
    snapshot: Snapshot,
    schema: WhooshSchema | None = None,
    weighting: WeightingModel | None = None,
) -> Searcher:
    """Whoosh's searcher over a snapshot; without a schema words are cut at spaces."""
    return Searcher(SnapshotReader(snapshot, schema), weighting=weighting or BM25F())


def schema_of(snapshot: Snapshot) -> WhooshSchema:
    """A Whoosh schema with the snapshot's fields, words cut at spaces, and its stored fields."""
    schema = WhooshSchema()
    for field in snapshot.schema.fields:
        stored = field.name in STORED_FIELDS
        text = TEXT(analyzer=SpaceSeparatedTokenizer(), phrase=field.positions, stored=stored)
        schema.add(field.name, text)
    for name in STORED_FIELDS:
        if name not in schema:
            schema.add(name, STORED())
    return schema


class SnapshotReader(IndexReader):
    """Reads a snapshot; closing it leaves the snapshot open, which is its opener's to close."""

    def __init__(self, snapshot: Snapshot, schema: WhooshSchema | None = None) -> None:
        """Take a Whoosh schema that the snapshot can serve, or make one."""
        self.schema = schema_of(snapshot) if schema is None else schema
        self.is_closed = False
        self._snapshot = snapshot
        self._numbering = Numbering(snapshot)
        self._live = LiveTerms(snapshot)
        self._numbers = _field_numbers(snapshot, self.schema)
        self._terms: dict[tuple[int, bytes], TermBlocks | None] = {}
        self._remembered = 0
        self._codes: dict[str, bytes] = {}

    def __contains__(self, term: tuple[str, str | bytes]) -> bool:
        """True if a live chunk holds the term."""
        return self._find(*term) is not None

    def __repr__(self) -> str:
        """Name the generation."""
        return f"{type(self).__name__}(generation={self.generation()})"

    def close(self) -> None:
        """Refuse further questions."""
        self._check_open()
        self.is_closed = True

    def generation(self) -> int:
        """The snapshot's generation."""
        return self._snapshot.generation

    # terms

    def indexed_field_names(self) -> list[str]:
        """Names of fields that have terms, sorted."""
        self._check_open()
        return sorted(name for name, number in self._numbers.items() if self._has_terms(number))

    def all_terms(self) -> Iterator[tuple[str, bytes]]:
        """Field and text of every term, in order."""
        for name in self.indexed_field_names():
            for text in self._live.list_from(self._numbers[name]):
                yield name, text

    def terms_from(self, fieldname: str, prefix: str | bytes) -> Iterator[tuple[str, bytes]]:
        """Field and text of terms from this one on, those of later fields too."""
        start = self._bytes(fieldname, prefix)
        return self._terms_from(fieldname, start)

    def expand_prefix(self, fieldname: str, prefix: str | bytes) -> Iterator[bytes]:
        """Texts of a field's terms that begin with `prefix`."""
        begin = self._bytes(fieldname, prefix)
        number = self._numbers.get(fieldname)
        return iter(()) if number is None else self._live.list_prefix(number, begin)

    def lexicon(self, fieldname: str) -> Iterator[bytes]:
        """Texts of a field's terms."""
        return self.expand_prefix(fieldname, b"")

    def terms_within(
        self, fieldname: str, text: str, maxdist: int, prefix: int = 0
    ) -> Iterator[str]:
        """Terms at most `maxdist` edits from `text` that share its first `prefix` characters."""
        field = self.schema[fieldname].spelling_fieldname(fieldname)
        candidates = self.expand_prefix(field, text[:prefix])
        words = (word.decode("utf-8", "surrogatepass") for word in candidates)
        return select_near(words, text, maxdist)

    def term_info(self, fieldname: str, text: str | bytes) -> TermInfo:
        """Statistics of a term."""
        return LiveTermInfo(self._get(fieldname, text))

    def frequency(self, fieldname: str, text: str | bytes) -> float:
        """The number of a term's occurrences in the field's chunks."""
        self._bytes(fieldname, text)
        blocks = self._find(fieldname, text)
        return float(blocks.occurrences) if blocks else 0

    def doc_frequency(self, fieldname: str, text: str | bytes) -> int:
        """The number of chunks that hold a term."""
        self._bytes(fieldname, text)
        blocks = self._find(fieldname, text)
        return blocks.count if blocks else 0

    def postings(
        self, fieldname: str, text: str | bytes, scorer: BaseScorer | None = None
    ) -> Matcher:
        """A matcher over a term's postings."""
        blocks = self._get(fieldname, text)
        field = self.schema[fieldname]
        return BlockMatcher((fieldname, field.to_bytes(text)), blocks, field.format, scorer)

    # documents

    def has_deletions(self) -> bool:
        """Never: dead chunks have no number."""
        self._check_open()
        return False

    def is_deleted(self, docnum: int) -> bool:  # noqa: ARG002 - the interface asks for it
        """Never."""
        self._check_open()
        return False

    def doc_count_all(self) -> int:
        """Count of live chunks."""
        self._check_open()
        return self._numbering.count

    def doc_count(self) -> int:
        """Count of live chunks."""
        return self.doc_count_all()

    def stored_fields(self, docnum: int) -> dict[str, object]:
        """A chunk's stored fields, those of them that the schema has."""
        self._check_open()
        record = self._snapshot.chunk(self._numbering.chunk(docnum))
        return {name: getattr(record, name) for name in STORED_FIELDS if name in self.schema}

    def field_length(self, fieldname: str) -> int:
        """Count of a field's tokens in live chunks."""
        self._check_open()
        number = self._numbers.get(fieldname)
        return 0 if number is None else self._snapshot.token_count(number)

    def min_field_length(self, fieldname: str) -> int:
        """Length of the shortest field."""
        return _LENGTHS[min(self._length_codes(fieldname), default=0)]

    def max_field_length(self, fieldname: str) -> int:
        """Length of the longest field."""
        return _LENGTHS[max(self._length_codes(fieldname), default=0)]

    def doc_field_length(self, docnum: int, fieldname: str, default: int = 0) -> int:
        """Length of a chunk's field, `default` where it is empty."""
        codes = self._codes.get(fieldname)
        if codes is None:
            codes = self._length_codes(fieldname)
        return _LENGTHS[codes[docnum]] or default if codes else default

    def has_vector(self, docnum: int, fieldname: str) -> bool:  # noqa: ARG002 - see is_deleted
        """Never: a chunk's text is in its file only."""
        self._check_open()
        return False

    def vector(self, docnum: int, fieldname: str, format_: Format | None = None) -> Matcher:
        """There are none."""
        msg = f"field {fieldname!r} of document {docnum}: no {format_ or 'term'} vectors are kept"
        raise InvalidInputError(msg)

    # inside

    def _check_open(self) -> None:
        if self.is_closed:
            raise ReaderClosed

    def _bytes(self, fieldname: str, text: str | bytes) -> bytes:
        """The text as it is stored; refuses fields that have no terms by their nature."""
        self._check_open()
        if fieldname not in self.schema or self.schema[fieldname].format is None:
            raise TermNotFound(f"field {fieldname!r} is not indexed")
        data: bytes = self.schema[fieldname].to_bytes(text)
        return data

    def _has_terms(self, number: int) -> bool:
        return next(self._live.list_from(number), None) is not None

    def _terms_from(self, fieldname: str, start: bytes) -> Iterator[tuple[str, bytes]]:
        for name in sorted(self._numbers):
            if name >= fieldname:
                for text in self._live.list_from(self._numbers[name], start):
                    yield name, text
                start = b""

    def _find(self, fieldname: str, text: str | bytes) -> TermBlocks | None:
        self._check_open()
        number = self._numbers.get(fieldname)
        if number is None:
            return None
        key = number, self.schema[fieldname].to_bytes(text)
        try:
            return self._terms[key]
        except KeyError:
            blocks = self._terms[key] = open_blocks(self._snapshot, self._numbering, *key)
            self._remember(blocks)
            return blocks

    def _get(self, fieldname: str, text: str | bytes) -> TermBlocks:
        self._bytes(fieldname, text)
        blocks = self._find(fieldname, text)
        if blocks is None:
            raise TermNotFound(f"{fieldname}:{text!r}")
        return blocks

    def _remember(self, blocks: TermBlocks | None) -> None:
        self._remembered += 16 + (blocks.count if blocks else 0)
        if self._remembered > _REMEMBERED:
            self._terms, self._remembered = {}, 0

    def _length_codes(self, fieldname: str) -> bytes:
        self._check_open()
        number = self._numbers.get(fieldname)
        if number is None:
            return b""
        codes = self._codes[fieldname] = self._numbering.length_codes(number).tobytes()
        return codes


def _field_numbers(snapshot: Snapshot, schema: WhooshSchema) -> dict[str, int]:
    """Numbers of fields by name; refuses a schema with more than is stored."""
    numbers: dict[str, int] = {}
    for number, field in enumerate(snapshot.schema.fields):
        if field.name not in schema:
            continue
        format_ = schema[field.name].format
        if format_ is None:
            continue
        known = (Frequency, Positions)[: 1 + field.positions]
        if type(format_) not in known or format_.field_boost != 1.0:
            stored = "frequencies and positions" if field.positions else "frequencies"
            msg = f"field {field.name!r} can't be read as {format_}: its {stored} are stored"
            raise InvalidInputError(msg)
        numbers[field.name] = number
    return numbers

"""The contents of an index, told twice: from the files it was made of, and from the index itself.

`expected` never looks at an index and `contents` never at the files, so equality proves both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import chain, repeat

from index_format.generation.commit import load_current
from index_format.generation.index import Index
from index_format.generation.snapshot import LiveSegment, Snapshot
from index_format.generation.writer import IndexWriter
from index_format.model import Chunk, Document, Field, Limits, Schema
from index_format.segment.reader import FieldReader
from index_format.store.contract import Store
from index_format.store.memory_store import MemoryStore

SCHEMA = Schema((Field("body"), Field("name", positions=False)))
LIMITS = Limits(2, 6, 1)
SETTINGS = "made by a test"
LINES = 10
# a writer with so little memory spills a segment every few files
LITTLE = 12_000

Place = tuple[str, int]  # a chunk: path and number in the file
Occurrences = dict[Place, tuple[int, tuple[int, ...]]]  # frequency and positions


# fingerprint, size, lines and id of each chunk, attachments
FileContents = tuple[bytes, int, list[tuple[int, int, int]], dict[str, bytes]]


@dataclass(frozen=True)
class File:
    """A file: per chunk, the text of each field, words between blanks."""

    chunks: tuple[Mapping[str, str], ...]
    attachments: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def fingerprint(self) -> bytes:
        return blake2b(self._text.encode(), digest_size=16).digest()

    @property
    def size(self) -> int:
        return len(self._text)

    @property
    def _text(self) -> str:
        """The same for equal files, whatever the order of their fields."""
        chunks = [sorted(chunk.items()) for chunk in self.chunks]
        return repr((chunks, sorted(self.attachments.items())))


Tree = Mapping[str, File]


@dataclass(frozen=True)
class Contents:
    """All that is live: files with their chunks, postings of every term, totals."""

    files: dict[str, FileContents]
    postings: dict[tuple[str, bytes], Occurrences]
    tokens: dict[str, int]


def expected(tree: Tree) -> Contents:
    """The expected contents of an index of these files."""
    files: dict[str, FileContents] = {}
    postings: dict[tuple[str, bytes], Occurrences] = {}
    tokens = {item.name: 0 for item in SCHEMA.fields}
    for path, file in sorted(tree.items()):
        chunks = [_chunk(number) for number in range(len(file.chunks))]
        attached = {kind: data for kind, data in file.attachments.items() if data}
        files[path] = (file.fingerprint, file.size, chunks, attached)
        for number, texts in enumerate(file.chunks):
            for name, text in texts.items():
                words = text.split()
                tokens[name] += len(words)
                for word in set(words):
                    at = tuple(place for place, other in enumerate(words) if other == word)
                    found = postings.setdefault((name, word.encode()), {})
                    found[path, number] = (len(at), at if name == "body" else ())
    return Contents(files, postings, tokens)


def contents(snapshot: Snapshot) -> Contents:
    """The contents of a snapshot, read in full; its totals must agree with what was counted."""
    files = {path: _file(snapshot, path) for path in snapshot.paths()}
    assert snapshot.file_count == len(files)
    assert snapshot.chunk_count == sum(len(item[2]) for item in files.values())
    postings: dict[tuple[str, bytes], Occurrences] = {}
    for segment in snapshot.segments:
        places = list(_places(segment))
        for number, item in enumerate(snapshot.schema.fields):
            for term, chunk, frequency, at in _postings(segment.reader.field(number)):
                place = places[chunk]
                if place is not None:
                    found = postings.setdefault((item.name, term), {})
                    assert place not in found
                    found[place] = frequency, at
    names = [item.name for item in snapshot.schema.fields]
    tokens = {name: snapshot.token_count(number) for number, name in enumerate(names)}
    return Contents(files, postings, tokens)


def _chunk(number: int) -> tuple[int, int, int]:
    return LINES * number + 1, LINES * (number + 1), 1000 + number


def _file(snapshot: Snapshot, path: str) -> FileContents:
    record = snapshot.file(path)
    found = snapshot.find(path)
    assert record is not None
    assert found is not None
    reader = found[0].reader
    begin, end = (number - found[0].base for number in (record.first_chunk, record.last_chunk))
    lines, ids = reader.chunks.all_lines()[begin:end].tolist(), reader.chunks.all_ids()[begin:end]
    chunks = [(*pair, chunk) for pair, chunk in zip(lines, ids.tolist(), strict=True)]
    attached = {kind: snapshot.attachment(path, kind) for kind in reader.attachments.kinds}
    attached = {kind: data for kind, data in attached.items() if data}
    return record.fingerprint, record.size, chunks, attached


def _places(segment: LiveSegment) -> Iterator[Place | None]:
    """The place of each chunk of a segment, None for dead ones."""
    bounds = segment.reader.files.bounds.tolist()
    for number, path in enumerate(segment.reader.files.paths.all):
        for at in range(bounds[number + 1] - bounds[number]):
            yield None if number in segment.dead_files else (path.decode(), at)


def _postings(reader: FieldReader) -> Iterator[tuple[bytes, int, int, tuple[int, ...]]]:
    """Term, chunk, frequency and positions of all postings of a field."""
    if not reader.terms.page_count:
        return
    page = reader.terms.span(0, reader.terms.page_count)
    batch, positions = reader.lists.page(page)
    terms = chain.from_iterable(map(repeat, page.terms, batch.counts.tolist()))
    places = [] if positions is None else positions.tolist()
    begin = 0
    columns = (batch.chunks.tolist(), batch.frequencies.tolist())
    for term, chunk, frequency in zip(terms, *columns, strict=True):
        yield term, chunk, frequency, tuple(places[begin : begin + frequency])
        begin += frequency


def index_in(store: Store) -> Index:
    return Index(store, SCHEMA, settings=SETTINGS, limits=LIMITS)


def change(writer: IndexWriter, old: Tree, new: Tree) -> None:
    """Turn an index of one tree into one of another, file by file."""
    for path in sorted(old.keys() - new.keys()):
        writer.remove(path)
    for path, file in new.items():
        if old.get(path) != file:
            writer.add(_document(path, file, writer))


def _document(path: str, file: File, writer: IndexWriter) -> Document:
    words = writer.vocabulary
    chunks = []
    for number, texts in enumerate(file.chunks):
        first, last, chunk_id = _chunk(number)
        fields = {name: words.tokens(text.split()) for name, text in texts.items()}
        chunks.append(Chunk(first, last, fields, chunk_id))
    return Document(path, chunks, file.fingerprint, file.size, file.attachments)


def commit_change(store: Store, old: Tree, new: Tree, memory: int = LITTLE) -> None:
    with index_in(store).writer(memory=memory) as writer:
        change(writer, old, new)
        writer.commit()


def segments_in(store: Store) -> tuple[str, ...]:
    """Names of the current generation's segments."""
    return tuple(entry.name for entry in load_current(store).segments)


def fresh_segments(tree: Tree) -> tuple[str, ...]:
    """Names of the segments of an index that is built from these files at once."""
    store = MemoryStore()
    commit_change(store, {}, tree, memory=1 << 30)
    index_in(store).compact(full=True)
    return segments_in(store)


def compacted_segments(store: Store) -> tuple[str, ...]:
    """The same of an index with a history."""
    index_in(store).compact(full=True)
    return segments_in(store)


@cache
def tree_at(number: int, files: int = 12) -> Tree:
    """The tree after so many rounds of edits: each rewrites a fifth, adds a file and removes one.

    Every file says in which round it was written, so no two generations can be mixed up.
    """
    tree = {
        f"src/m{at:03}.py": _source(at, max(0, number - (number + at) % 5)) for at in range(files)
    }
    for extra in range(max(0, number - 2), number + 1):
        tree[f"extra/e{extra}.py"] = _source(extra, extra)
    tree["round"] = File(({"body": f"round r{number}"},), {"number": str(number).encode()})
    return tree


def round_of(snapshot: Snapshot) -> int:
    """The round of a snapshot."""
    return int(snapshot.attachment("round", "number"))


def _source(at: int, written: int) -> File:
    common = "self call " * (1 + at % 4) + f"self r{written}"
    first = {"body": f"{common} w{at} w{at * 7 % 5}", "name": f"m{at} r{written} r{written}"}
    rest = [{"body": f"return self n{at % 3} r{written}"} for _ in range(at % 3)]
    return File((first, *rest), {"outline": f"def m{at} in {written}".encode()} if at % 2 else {})


# more chunks than fit one block of postings
DENSE = File(tuple({"body": f"every d{number % 9} every"} for number in range(140)))

"""Small deterministic indexes for tests, and ways to look at all that an index answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing

import numpy as np

from index_format import layout
from index_format.codec.frame import FramedFile
from index_format.generation.commit import load_current
from index_format.generation.index import Index
from index_format.generation.snapshot import Snapshot
from index_format.generation.writer import IndexWriter
from index_format.model import Chunk, Document, Field, Limits, Schema, Tokens, Vocabulary
from index_format.store.contract import Store
from index_format.store.memory_store import MemoryStore

SCHEMA = Schema((Field("body"), Field("name", positions=False)))
LIMITS = Limits(8, 32, 3)
SETTINGS = "made by a test"


def document(
    path: str,
    chunks: Sequence[Mapping[str, str]],
    vocabulary: Vocabulary,
    attachments: Mapping[str, bytes] | None = None,
    size: int = 0,
) -> Document:
    """A file whose chunks have ten lines each; texts are words between blanks."""
    made = [
        Chunk(
            10 * number + 1,
            10 * number + 10,
            {field: vocabulary.tokens(text.split()) for field, text in fields.items()},
            1000 + number,
        )
        for number, fields in enumerate(chunks)
    ]
    print_ = path.encode("utf-8", "surrogatepass")[:16].ljust(16, b".")
    return Document(path, made, print_, size, attachments or {})


def with_positions(words: Tokens, positions: Iterable[int]) -> Tokens:
    """The same words in other places."""
    return Tokens(words.words, np.array(list(positions), dtype=np.uint32))


def add_all(writer: IndexWriter, files: Mapping[str, Sequence[Mapping[str, str]]]) -> None:
    """Add files whose content is given as texts."""
    for path, chunks in files.items():
        writer.add(document(path, chunks, writer.vocabulary))


def index_in(store: Store, limits: Limits = LIMITS) -> Index:
    """An index with the schema of these tests."""
    return Index(store, SCHEMA, settings=SETTINGS, limits=limits)


def tiny() -> MemoryStore:
    """Two generations, two segments, a dead file, gaps between positions, an attachment."""
    store = MemoryStore()
    index = index_in(store)
    with index.writer() as writer:
        for file in tiny_documents(writer.vocabulary).values():
            writer.add(file)
        add_all(writer, {"b.py": [{"body": "two three"}, {"name": "b"}]})
        writer.commit()
    with index.writer() as writer:
        writer.add(tiny_documents(writer.vocabulary)["b.py"])
        writer.commit()
    return store


def tiny_documents(vocabulary: Vocabulary) -> dict[str, Document]:
    """The live files of `tiny`."""
    spread = with_positions(vocabulary.tokens(["one", "two", "one"]), [0, 0, 4_000])
    first = Chunk(1, 9, {"body": spread, "name": vocabulary.tokens(["x"])}, 7)
    return {
        "a.py": Document("a.py", [first], b"0123456789abcdef", 99, {"outline": b"def one"}),
        "b.py": document("b.py", [{"body": "four two", "name": "b b"}], vocabulary),
        "empty": document("empty", [], vocabulary),
    }


def dense() -> MemoryStore:
    """Few files with many chunks: full blocks of several widths, and tails behind them."""
    store = MemoryStore()
    index = index_in(store)
    with index.writer() as writer:
        add_all(writer, {path: list(_dense_chunks(path)) for path in ("a.py", "b.py")})
        writer.commit()
        add_all(writer, {"c.py": [{"body": "every late"}]})
        writer.remove("b.py")
        writer.commit()
    return store


def _dense_chunks(path: str) -> Iterable[dict[str, str]]:
    for number in range(150):
        rare = " rare" * (number % 90 == 0)
        often = " often" * (300 if number == 100 else 2 + number % 2)
        yield {"body": f"every {path[0]}{number % 7}{often}{rare}", "name": "every"}


def wordy() -> MemoryStore:
    """One file with so many words that they take two dictionary pages."""
    store = MemoryStore()
    with index_in(store).writer() as writer:
        add_all(writer, {"w.py": [{"body": " ".join(f"w{number:03}" for number in range(130))}]})
        writer.commit()
    return store


def broad(files: int = 300) -> MemoryStore:
    """Several dictionary pages, full blocks, tails and more than one page of the frame."""
    store = MemoryStore()
    index = index_in(store, Limits(10_000, 20_000, 3))
    with index.writer() as writer:
        add_all(writer, dict(_many(files)))
        writer.commit()
        add_all(writer, {f"src/m{number:03}.py": [{"body": "late call"}] for number in range(5)})
        writer.remove("src/m010.py")
        writer.commit()
    return store


def _many(files: int) -> Iterable[tuple[str, list[dict[str, str]]]]:
    for number in range(files):
        body = f"call call self w{number} w{number * 7 % 50} " + "self " * (number % 5)
        yield (
            f"src/m{number:03}.py",
            [{"body": body, "name": f"m{number}"}, {"body": f"return self n{number % 17}"}],
        )


def files_of(store: Store) -> dict[str, bytes]:
    """All bytes of a store by name."""
    found: dict[str, bytes] = {}
    for name in store.names():
        with closing(store.open(name)) as handle:
            found[name] = handle.read(0, handle.size)
    return found


def segment_names(store: Store) -> list[str]:
    """The segments of the current generation."""
    return [entry.name for entry in load_current(store).segments]


def sections_of(data: bytes, name: str) -> list[tuple[bytes, int, bytes]]:
    """Tag, field and content of each section of a segment."""
    with closing(MemoryStore({name: data}).open(name)) as handle:
        frame = FramedFile(handle)
        return [(s.tag, s.field, bytes(frame.read(s))) for s in frame.sections]


def answers(snapshot: Snapshot) -> list[object]:
    """Everything a snapshot can be asked, in plain values: equal indexes give equal lists."""
    found: list[object] = [snapshot.generation, snapshot.chunk_count, snapshot.file_count]
    for path in snapshot.paths():
        found += [snapshot.file(path), snapshot.attachment(path, "outline")]
    found += [snapshot.chunk(chunk) for chunk in range(snapshot.chunk_span)]
    found += [snapshot.sort_key(chunk) for chunk in range(snapshot.chunk_span)]
    for number, field in enumerate(snapshot.schema.fields):
        found += [field, snapshot.token_count(number), snapshot.codes(number).tolist()]
        for term in snapshot.terms(number):
            found += [term, *term_answers(snapshot, number, term)]
        found += page_answers(snapshot, number)
    return found


def term_answers(snapshot: Snapshot, field: int, term: bytes) -> list[object]:
    """Everything about one term."""
    lists = snapshot.postings(field, term)
    found: list[object] = [snapshot.counts(lists)]
    for item in lists:
        chunks, frequencies = item.postings.all()
        found += [item.segment.base, chunks.tolist(), frequencies.tolist()]
        if item.postings.lists.has_positions:
            _, in_blocks = item.postings.blocks()
            for block in range(len(item.postings.meta)):
                found.append(item.postings.block_positions(block, in_blocks[block]).tolist())
            found.append(item.postings.tail_positions().tolist())
    return found


def page_answers(snapshot: Snapshot, field: int) -> list[object]:
    """The answers of pages, as merging and substring scans read them."""
    found: list[object] = []
    for segment in snapshot.segments:
        reader = segment.reader.field(field)
        joined = list(reader.terms.joined())
        found += [(number, text, lengths.tolist()) for number, text, lengths in joined]
        columns = reader.terms.columns(np.arange(len(reader.terms)))
        found += [column.tolist() for column in columns]
        for number in range(reader.terms.page_count):
            batch, positions = reader.lists.page(reader.terms.page(number))
            parts = (batch.counts, batch.chunks, batch.frequencies)
            found += [part.tolist() for part in parts]
            found.append(None if positions is None else positions.tolist())
    return found


def is_index_file(name: str) -> bool:
    """True if the store lists it."""
    return name == layout.CURRENT_NAME or name.endswith((".json", layout.SEGMENT_SUFFIX))


def put(store: Store, name: str, data: bytes) -> None:
    """Publish a file."""
    handle = store.create()
    try:
        handle.write(data)
        handle.publish(name)
    finally:
        handle.discard()


def get(store: Store, name: str) -> bytes:
    """All bytes of a file."""
    with closing(store.open(name)) as handle:
        return handle.read(0, handle.size)

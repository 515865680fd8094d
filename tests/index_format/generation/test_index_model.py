"""An index under any history of edits, against dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from index_format.errors import IndexMissingError
from index_format.generation.compaction import plan_full
from index_format.generation.index import Index
from index_format.generation.snapshot import Snapshot
from index_format.generation.writer import IndexWriter
from index_format.health.check import Severity, check
from index_format.model import Chunk, Document
from index_format.store.memory_store import MemoryStore
from tests.index_format.samples import LIMITS, SCHEMA, index_in, with_positions

pytestmark = pytest.mark.differential

PATHS = st.sampled_from([f"{letter}{number}" for letter in "abcé" for number in range(6)])
WORDS = st.sampled_from(["a", "b", "call", "é", "self", "x" * 40])
TEXTS = st.lists(WORDS, max_size=6)
FIELDS = [field.name for field in SCHEMA.fields]
MEMORY = 64 * 40  # a flush after some forty tokens


@dataclass(frozen=True)
class Part:
    """A chunk as the oracle keeps it: words with their positions, by field."""

    lines: tuple[int, int]
    number: int
    body: tuple[tuple[str, int], ...]
    name: tuple[str, ...]

    def words(self, field: str) -> list[str]:
        return [word for word, _ in self.body] if field == "body" else list(self.name)


@dataclass(frozen=True)
class File:
    """A file as the oracle keeps it."""

    parts: tuple[Part, ...]
    fingerprint: bytes
    outline: bytes


@st.composite
def parts(draw: st.DrawFn) -> Part:
    words = draw(TEXTS)
    gaps = draw(st.lists(st.sampled_from([0, 1, 1, 1, 9]), min_size=len(words)))
    places = [sum(gaps[: at + 1]) for at in range(len(words))]
    lines = draw(st.tuples(st.integers(1, 50), st.integers(50, 99)))
    body = tuple(zip(words, places, strict=True))
    return Part(lines, draw(st.integers(0, 2**64 - 1)), body, tuple(draw(TEXTS)))


FILES = st.builds(
    File,
    st.lists(parts(), max_size=3).map(tuple),
    st.binary(min_size=16, max_size=16),
    st.sampled_from([b"", b"outline"]),
)


def as_document(path: str, file: File, writer: IndexWriter) -> Document:
    vocabulary = writer.vocabulary
    chunks = []
    for part in file.parts:
        words = vocabulary.tokens(word for word, _ in part.body)
        body = with_positions(words, (place for _, place in part.body))
        fields = {"body": body, "name": vocabulary.tokens(part.name)}
        chunks.append(Chunk(*part.lines, fields, part.number))
    return Document(path, chunks, file.fingerprint, len(path), {"outline": file.outline})


def expected(files: Mapping[str, File]) -> dict[str, object]:
    """The answers that an index of these files must give."""
    ordered = sorted(files.items(), key=lambda item: item[0].encode())
    chunks = [(path, part) for path, file in ordered for part in file.parts]
    found: dict[str, object] = {
        "files": [(path, file.fingerprint, file.outline) for path, file in ordered],
        "chunks": [(path, *part.lines, part.number) for path, part in chunks],
    }
    for field in FIELDS:
        words = [part.words(field) for _, part in chunks]
        found[f"{field} tokens"] = sum(map(len, words))
        for word in sorted({word for item in words for word in item}):
            counts = [(at, item.count(word)) for at, item in enumerate(words) if word in item]
            found[f"{field} {word}"] = counts
    for word in sorted({word for _, part in chunks for word, _ in part.body}):
        found[f"places {word}"] = [
            [place for other, place in part.body if other == word]
            for _, part in chunks
            if word in part.words("body")
        ]
    return found


def actual(snapshot: Snapshot) -> dict[str, object]:
    """The same, asked of a snapshot; chunks are numbered as they lie in path order."""
    live = sorted(live_chunks(snapshot), key=snapshot.sort_key)
    rank = {chunk: at for at, chunk in enumerate(live)}
    records = [snapshot.chunk(chunk) for chunk in live]
    assert (len(live), len(list(snapshot.paths()))) == (snapshot.chunk_count, snapshot.file_count)
    files = [
        (path, snapshot.file(path), snapshot.attachment(path, "outline"))
        for path in snapshot.paths()
    ]
    found: dict[str, object] = {
        "files": [(path, record and record.fingerprint, data) for path, record, data in files],
        "chunks": [(r.path, r.start_line, r.end_line, r.chunk_id) for r in records],
    }
    for number, field in enumerate(FIELDS):
        found[f"{field} tokens"] = snapshot.token_count(number)
        for term in snapshot.terms(number):
            postings = sorted(live_postings(snapshot, number, term, rank))
            totals = len(postings), sum(frequency for _, frequency, _ in postings)
            assert snapshot.counts(snapshot.postings(number, term)) == totals
            if postings:
                found[f"{field} {term.decode()}"] = [(chunk, count) for chunk, count, _ in postings]
            if postings and field == "body":
                found[f"places {term.decode()}"] = [places for _, _, places in postings]
    return found


def file_answer(snapshot: Snapshot, path: str) -> tuple[str, bytes, bytes]:
    record = snapshot.file(path)
    assert record is not None
    assert (record.path, record.size) == (path, len(path))
    return path, record.fingerprint, snapshot.attachment(path, "outline")


def live_chunks(snapshot: Snapshot) -> Iterator[int]:
    for segment in snapshot.segments:
        dead = set(segment.dead_chunks.tolist())
        yield from (segment.base + n for n in range(segment.entry.chunks) if n not in dead)


def live_postings(
    snapshot: Snapshot, field: int, term: bytes, rank: Mapping[int, int]
) -> Iterator[tuple[int, int, list[int]]]:
    for item in snapshot.postings(field, term):
        assert len(item.postings.meta) == 0  # the files here are too few for full blocks
        chunks, frequencies = item.postings.all()
        places = item.postings.tail_positions().tolist()
        at = 0
        for chunk, count in zip(chunks.tolist(), frequencies.tolist(), strict=True):
            here = places[at : at + count]
            at += count
            if chunk + item.segment.base in rank:
                yield rank[chunk + item.segment.base], count, here


class IndexMachine(RuleBasedStateMachine):
    """Edits, commits and compactions in any order; old snapshots stay what they were."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.committed: dict[str, File] | None = None
        self.kept: list[tuple[Snapshot, dict[str, object]]] = []

    @property
    def index(self) -> Index:
        """Opened anew each time: nothing is remembered but what is stored."""
        return index_in(self.store, LIMITS)

    @initialize(files=st.dictionaries(PATHS, FILES, min_size=1, max_size=8))
    def begin(self, files: dict[str, File]) -> None:
        self.write(files, [], commit=True)

    @rule(
        files=st.dictionaries(PATHS, FILES, max_size=8),
        removed=st.lists(PATHS, max_size=4),
        again=st.booleans(),
    )
    def commit(self, files: dict[str, File], removed: list[str], *, again: bool) -> None:
        self.write(files, removed, commit=True, again=again)

    @rule(files=st.dictionaries(PATHS, FILES, max_size=4), removed=st.lists(PATHS, max_size=4))
    def abandon(self, files: dict[str, File], removed: list[str]) -> None:
        self.write(files, removed, commit=False)

    def write(
        self, files: dict[str, File], removed: list[str], *, commit: bool, again: bool = False
    ) -> None:
        wanted = dict(self.committed or {})
        with self.index.writer(memory=MEMORY) as writer:
            for path, file in files.items():
                writer.add(as_document(path, file, writer))
                wanted[path] = file
            if again:  # what is replaced lies in a segment that is written but not published
                writer.flush()
                for path, file in reversed(files.items()):
                    writer.add(as_document(path, file, writer))
            for path in removed:
                writer.remove(path)
                wanted.pop(path, None)
            if commit:
                assert actual(writer.commit()) == expected(wanted)
                self.committed = wanted

    @rule()
    def keep_snapshot(self) -> None:
        snapshot = self.index.snapshot()
        self.kept = [*self.kept[-2:], (snapshot, actual(snapshot))]

    @rule()
    def compact_lazily(self) -> None:
        self.index.compact()

    @rule(steps=st.sampled_from([None, 1]))
    def compact_fully(self, steps: int | None) -> None:
        self.index.compact(full=True, steps=steps, memory=1)
        if steps is None:
            assert plan_full(self.index.snapshot(), LIMITS) == []

    @rule()
    def collect_garbage(self) -> None:
        self.index.collect_garbage(grace_seconds=-1.0)
        listed = {entry.name for entry in self.index.snapshot().manifest.segments}
        assert {name for name in self.store.names() if name.startswith("seg-")} == listed

    @precondition(lambda self: self.kept)
    @rule()
    def old_snapshots_stay(self) -> None:
        for snapshot, before in self.kept:
            assert actual(snapshot) == before

    @invariant()
    def it_answers_like_the_dictionaries(self) -> None:
        if self.committed is None:
            return
        assert actual(self.index.snapshot()) == expected(self.committed)

    def teardown(self) -> None:
        found = [item for item in check(self.store) if item.severity is not Severity.NOTE]
        assert found == []


TestIndexMachine = IndexMachine.TestCase
TestIndexMachine.settings = settings(
    stateful_step_count=10, suppress_health_check=list(HealthCheck)
)


def test_without_a_commit_there_is_no_index() -> None:
    store = MemoryStore()
    index = index_in(store)
    with index.writer() as writer:
        writer.remove("a")
    with pytest.raises(IndexMissingError):
        index.snapshot()
    assert store.names() == []

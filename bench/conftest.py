"""Fixtures and options of the benchmarks: a small corpus by default, a large one by option.

pytest bench --benchmark-enable --chunks 1000000 --corpus /usr/src/linux --keep /var/tmp/b
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench import machine
from bench.corpus import TextFile, document, files
from index_format import Field, FileStore, Index, Schema, Snapshot

SCHEMA = Schema((Field("body"),))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options for the corpus and its size."""
    group = parser.getgroup("corpus")
    group.addoption("--chunks", type=int, default=2_000, help="how many chunks are indexed")
    group.addoption("--corpus", type=Path, default=None, help="a source tree; else made-up words")
    group.addoption("--lines", type=int, default=30, help="lines of a chunk")
    group.addoption("--keep", type=Path, default=None, help="where built indexes stay")
    group.addoption("--record", default=None, help="keep medians in bench/results under this name")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With `--record`, write the medians and the machine to a file."""
    name = getattr(session.config.option, "record", None)
    if name is None:
        return
    timed = session.config._benchmarksession.benchmarks  # type: ignore[attr-defined]  # noqa: SLF001 pytest-benchmark has no public access to its figures
    medians = {item.name: round(item.stats.median * 1000, 4) for item in timed}
    option = session.config.option
    root = option.corpus.name if option.corpus else "synthetic"
    about = {"corpus": root, "chunks": option.chunks, "lines": option.lines}
    machine.keep(name, {**about, "median_ms": medians})


@dataclass(frozen=True, slots=True)
class Corpus:
    """The corpus chosen by `--chunks`, `--corpus` and `--lines`."""

    root: Path | None
    chunks: int
    lines: int

    def files(self) -> Iterator[TextFile]:
        """The files in path order."""
        return files(self.root, self.chunks, self.lines)

    def build(self, store: FileStore) -> Index:
        """Index the files and bring the index into its canonical layout."""
        index = Index(store, SCHEMA)
        with index.writer() as writer:
            for file in self.files():
                writer.add(document(file, writer.vocabulary, self.lines))
            writer.commit()
        index.compact(full=True)
        index.collect_garbage(grace_seconds=0)
        return index


@pytest.fixture(scope="session")
def corpus(pytestconfig: pytest.Config) -> Corpus:
    """The corpus to index."""
    options = pytestconfig.option
    return Corpus(options.corpus, options.chunks, options.lines)


@pytest.fixture(scope="session")
def store(
    corpus: Corpus, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> FileStore:
    """A store that holds the index; with `--keep` it is built once for all runs."""
    keep = pytestconfig.option.keep
    name = f"{corpus.root.name if corpus.root else 'synthetic'}-{corpus.chunks}-{corpus.lines}"
    folder = (keep or tmp_path_factory.mktemp("bench")) / name
    found = FileStore(folder)
    if not found.names():
        corpus.build(found)
    return found


@pytest.fixture(scope="session")
def snapshot(store: FileStore) -> Snapshot:
    """The index, open."""
    return Index(store, SCHEMA).snapshot()


@pytest.fixture(scope="session")
def words(snapshot: Snapshot) -> list[bytes]:
    """Words by chunk count, the most frequent first."""
    counts: Counter[bytes] = Counter()
    for segment in snapshot.segments:
        dictionary = segment.reader.field(0).terms
        step = max(1, dictionary.page_count // 200)
        for number in range(0, dictionary.page_count, step):
            page = dictionary.page(number)
            counts.update(dict(zip(page.terms, page.chunks.tolist(), strict=True)))
    return [word for word, _ in counts.most_common()]

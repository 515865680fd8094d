"""No operation takes much more than it did, as a multiple of a fixed piece of work.

As plain tests each runs once. `make regressions` times them, and fails where one is above its limit
in each of several attempts; `--write-limits` stores new limits after a change on purpose.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.conftest import SCHEMA
from bench.corpus import document, synthetic
from bench.graph.folder import FolderTree
from bench.peers import Kind
from bench.peers.process import Tree
from bench.regressions.conftest import Check
from bench.suite.questions import drawn
from code_graph.link.linker import GraphLinker
from index_format import FileStore, Index, MemoryStore
from repo_mcp.budget import Budget
from repo_mcp.search import ExactEngine, ExactQuery, RankedEngine
from repo_mcp.services import Services
from repo_mcp.stored import INDEX_FOLDER, SCHEMA as TEXT_SCHEMA

pytestmark = pytest.mark.servers

_QUESTIONS = 12


@pytest.mark.parametrize("kind", ["passages", "phrase", "symbol"])
def test_ranked(check: Check, made: Services, tree: Tree, kind: Kind) -> None:
    """Passages for words, for a phrase, and for a name."""
    engine = RankedEngine(made.sandbox, made.languages)
    snapshot = made.manager.snapshot()
    assert snapshot is not None
    marks = '"' if kind == "phrase" else ""
    queries = [f"{marks}{query}{marks}" for query in drawn(kind, _QUESTIONS, tree)]

    def work() -> int:
        return sum(
            len(engine.search(snapshot, query, 10, None, Budget()).hits) for query in queries
        )

    assert work()
    check(work)


@pytest.mark.parametrize("kind", ["literal", "regex"])
def test_exact(check: Check, made: Services, tree: Tree, kind: Kind) -> None:
    """Lines with a text, and lines that match an expression."""
    engine = ExactEngine(made.sandbox)
    snapshot = made.manager.snapshot()
    assert snapshot is not None
    queries = drawn(kind, _QUESTIONS, tree)

    def work() -> int:
        asked = (ExactQuery((query,), regex=kind == "regex", limit=50) for query in queries)
        return sum(len(engine.find(snapshot, query, Budget()).matches) for query in asked)

    assert work()
    check(work)


def test_refresh_without_changes(check: Check, made: Services) -> None:
    """Compare all files with the index."""
    check(lambda: made.manager.refresh(Budget()))


def test_open(check: Check, made: Services) -> None:
    """Open the newest generation, and look one word up."""
    store = FileStore(Path(made.manager.index_dir) / INDEX_FOLDER)

    def work() -> int:
        snapshot = Index(store, TEXT_SCHEMA).snapshot()
        return snapshot.counts(snapshot.postings(0, b"return"))[0]

    assert work()
    check(work)


def test_build(check: Check) -> None:
    """Words to a segment in memory."""
    files = list(synthetic(400))

    def work() -> int:
        index = Index(MemoryStore(), SCHEMA)
        with index.writer() as writer:
            for file in files:
                writer.add(document(file, writer.vocabulary, 30))
            writer.commit()
        return index.snapshot().chunk_count

    assert work() >= 400
    check(work)


def test_facts(check: Check, made: Services, tree: Tree) -> None:
    """Parse files of several languages."""
    texts = [(path, text) for path, text in tree.texts() if made.languages.adapter_for(path)][:40]

    def work() -> int:
        found = [(made.languages.adapter_for(path), path, text) for path, text in texts]
        return sum(
            len(a.facts(path, text).declarations) for a, path, text in found if a is not None
        )

    assert work()
    check(work)


def test_linking(check: Check, tree: Tree) -> None:
    """Link files that are parsed."""
    folder = FolderTree(tree.root)
    paths = folder.paths()[:30]
    for path in folder.paths():
        folder.facts(path)
        folder.code(path)

    def work() -> int:
        linker = GraphLinker(folder)
        return sum(len(linker.link(path).symbols) for path in paths)

    assert work()
    check(work)

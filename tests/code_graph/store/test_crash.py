"""Linking that is broken off at any operation that writes leaves the old graph or the new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import pytest

from code_graph.store.builder import GraphBuilder
from code_graph.store.relink import LinkedPart, relink
from code_graph.store.schema import GRAPH_SCHEMA, GraphProgress
from index_format import CorruptIndexError, Index, IndexMissingError, StoreError, check
from index_format.store import names
from index_format.store.contract import Store
from index_format.store.faulty_store import MODELS, Fault, FaultyStore, Mode, SimulatedCrash
from tests.code_graph.graph_index import GraphIndex, tree_of
from tests.code_graph.small_linker import link_with
from tests.code_graph.text_index import TextIndex

pytestmark = pytest.mark.differential

SOURCES = {
    "m0.py": "def alpha(): pass\n",
    "m1.py": "from m0 import alpha\nalpha()\n",
    "m2.py": "from m1 import alpha\nalpha()\n",
    "m3.py": "def beta(): beta()\n",
}
EDIT = {"m0.py": "def gamma(): pass\n", "m3.py": None, "m4.py": "from m0 import gamma\ngamma()\n"}
CRASHES: tuple[Mode, ...] = ("crash", "tear")
# one in so many writes, and of the folders that one crash may leave
SAMPLED = 150
MOST_SURVIVORS = 2
FAILURES: tuple[Mode, ...] = ("fail", "fail for good")


def link(store: Store, text: TextIndex) -> None:
    """Follow the text in parts of one file each, as workers that share it would."""
    tree = tree_of(text.snapshot())
    builder = GraphBuilder(store, tree, link_with(tree))

    def parts(paths: Sequence[str]) -> Iterator[LinkedPart]:
        for path in paths:
            yield LinkedPart([path], builder.build([path]))

    index = Index(store, GRAPH_SCHEMA)
    relink(index, tree, "graph", parts)
    index.compact()
    index.collect_garbage(grace_seconds=-1.0)


def files_of(store: Store) -> dict[str, bytes]:
    found = {}
    for name in store.names():
        handle = store.open(name)
        found[name] = bytes(handle.read(0, handle.size))
    return found


def breaking_points(operations: Sequence[str]) -> Iterator[int]:
    """All that change a name or last, and some of the many writes into one file."""
    for at, operation in enumerate(operations):
        if not operation.startswith("write") or not at % SAMPLED:
            yield at


def shown(store: Store) -> frozenset[tuple[str, bytes]]:
    """The contents that a reader finds; nobody opens a temporary file."""
    return frozenset(item for item in files_of(store).items() if not names.is_temporary(item[0]))


def survivors(store: FaultyStore) -> Iterator[Store]:
    """Some of the folders that the next process may find."""
    for model in MODELS:
        yield from islice(store.survivors(model), MOST_SURVIVORS)


def is_published(store: Store) -> bool:
    """True if a generation can be opened; what is damaged is dropped, as the server does it."""
    try:
        Index(store, GRAPH_SCHEMA).snapshot()
    except (IndexMissingError, CorruptIndexError):
        for name in store.names():
            store.remove(name)
        return False
    return True


def segments(store: Store) -> dict[str, bytes]:
    index = Index(store, GRAPH_SCHEMA)
    index.compact(full=True)
    names = [item.entry.name for item in index.snapshot().segments]
    assert GraphProgress.of(index.snapshot()).complete
    return {name: data for name, data in files_of(store).items() if name in names}


def expected(text: TextIndex) -> Mapping[str, bytes]:
    fresh = GraphIndex()
    fresh.refresh(text.snapshot())
    return fresh.segments()


def scenario(name: str) -> tuple[dict[str, bytes], TextIndex]:
    """The files of the graph before, and the text that it is to follow."""
    text = TextIndex(SOURCES)
    if name == "first":
        return {}, text
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    text.change(EDIT)
    return files_of(graph.store), text


@pytest.mark.parametrize("name", ["first", "edit"])
def test_a_crash_at_any_operation_loses_no_edge(name: str) -> None:
    before, text = scenario(name)
    whole = FaultyStore(before)
    link(whole, text)
    wanted = expected(text)
    seen: set[frozenset[tuple[str, bytes]]] = set()
    for at in breaking_points(whole.operations):
        for mode in CRASHES:
            store = FaultyStore(before, Fault(at, mode))
            with pytest.raises(SimulatedCrash):
                link(store, text)
            for survivor in survivors(store):
                if shown(survivor) in seen:
                    continue
                seen.add(shown(survivor))
                # what was linked before is there whatever happens
                assert is_published(survivor) or name == "first"
                link(survivor, text)
                assert segments(survivor) == wanted
    assert len(seen) > 10


@pytest.mark.parametrize("mode", FAILURES)
@pytest.mark.parametrize("name", ["first", "edit"])
def test_a_disk_that_fails_at_any_operation_loses_no_edge(name: str, mode: Mode) -> None:
    before, text = scenario(name)
    whole = FaultyStore(before)
    link(whole, text)
    wanted, seen = expected(text), set()
    for at in breaking_points(whole.operations):
        store = FaultyStore(before, Fault(at, mode))
        if whole.operations[at].startswith("remove"):  # garbage stays for the next time
            link(store, text)
        else:
            with pytest.raises(StoreError):
                link(store, text)
        store._fault = None
        if shown(store) in seen:
            continue
        seen.add(shown(store))
        assert is_published(store) or name == "first"
        link(store, text)
        assert segments(store) == wanted
        assert not any(finding.severity == "error" for finding in check(store))

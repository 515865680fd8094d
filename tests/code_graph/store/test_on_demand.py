"""A graph of the files of one question: the edges of the whole graph, or fewer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import pytest

from code_graph.facts import encode
from code_graph.link.linker import GraphLinker
from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.names import find_targets
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.on_demand import OnDemandTree, ParsedFile, link_on_demand
from code_graph.store.schema import EDGES, GraphProgress
from index_format import Index, MemoryStore
from index_format.analysis.content import fingerprint
from tests.code_graph.graph_index import GraphIndex
from tests.code_graph.text_index import PYTHON, TextIndex

FILES = {
    "shop/__init__.py": "",
    "shop/base.py": "class Account:\n    def pay(self, n: int) -> int:\n        return n\n",
    "shop/cards.py": (
        "from shop.base import Account\n\n\nclass Card(Account):\n"
        "    def pay(self, n: int) -> int:\n        return check(n) + super().pay(n)\n\n\n"
        "def check(n):\n    return n\n\n\ndef make() -> Card:\n    return Card()\n"
    ),
    "till.py": "from shop.cards import make\n\n\ndef sell(n):\n    return make().pay(n)\n",
    "other.py": "from shop import cards\n\n\ndef use():\n    return cards.check(2)\n",
}
ALL = EdgeFilter()


class _Parser:
    """Parses the texts of an index; those alone that are linked if it is `narrow`."""

    def __init__(self, text: TextIndex, linked: Collection[str], *, narrow: bool) -> None:
        self.files = text.files
        self.linked = linked
        self.narrow = narrow
        self.parsed: list[str] = []

    def __call__(self, path: str) -> ParsedFile | None:
        if path not in self.files or (self.narrow and path not in self.linked):
            return None
        self.parsed.append(path)
        text = self.files[path]
        facts = encode(PYTHON.facts(path, text))
        code = PYTHON.code(path, text)
        return ParsedFile(fingerprint(text.encode()), facts, code, text.count("\n"))


def ask(
    text: TextIndex, paths: Sequence[str], *, narrow: bool = False, most: int = 99
) -> tuple[GraphSnapshot, int, list[str]]:
    """The graph of the first of some files, how many there are, and which files were parsed."""
    parser = _Parser(text, paths, narrow=narrow)
    store = MemoryStore()
    tree = OnDemandTree(text.snapshot(), text.snapshot().paths(), {}, paths, parser, lambda *_: ())
    count, _ = link_on_demand(store, tree, GraphLinker, paths, "signature", lambda n: n < most)
    return (
        GraphSnapshot(Index(MemoryStore(store.contents()), GraphIndex().index.schema).snapshot()),
        count,
        parser.parsed,
    )


def whole(text: TextIndex) -> GraphSnapshot:
    graph = GraphIndex(GraphLinker)
    graph.refresh(text.snapshot())
    return GraphSnapshot(graph.snapshot())


def edges(graph: GraphSnapshot, paths: Iterable[str]) -> dict[str, bytes]:
    return {path: graph.snapshot.attachment(path, EDGES) for path in paths}


@pytest.mark.parametrize("paths", [["till.py"], ["other.py", "till.py"], [*FILES]])
def test_linked_files_have_the_edges_of_the_whole_graph(paths: list[str]) -> None:
    text = TextIndex(FILES)
    graph, count, _ = ask(text, paths)
    assert count == len(paths)
    assert edges(graph, paths) == edges(whole(text), paths)
    assert GraphProgress.of(graph.snapshot) == GraphProgress(
        "signature", 1, complete=False, source=GraphProgress.of(graph.snapshot).source
    )


def test_targets_are_symbols_with_their_declarations_though_their_files_have_no_edges() -> None:
    graph, _, parsed = ask(TextIndex(FILES), ["till.py"])
    (target,) = find_targets(graph, "shop.cards.make", 5).targets
    symbol = target.symbol
    assert symbol is not None
    assert (symbol.path, symbol.start_line) == ("shop/cards.py", 13)
    users = edges_into(graph, symbol.id, ALL, limit=99).edges
    assert {edge.path for edge in users} == {"till.py"}
    assert "other.py" not in {*parsed, *graph.snapshot.paths()}
    assert len(parsed) == len({*parsed})


def test_without_facts_in_the_index_it_parses_the_files_itself() -> None:
    bare = TextIndex({f"{path}.txt": source for path, source in FILES.items()})
    bare.files = dict(FILES)
    graph, _, _ = ask(bare, ["till.py", "shop/cards.py"])
    assert edges(graph, ["till.py"])["till.py"]
    (target,) = find_targets(graph, "shop.cards.Card.pay", 5).targets
    assert target.symbol is not None


def test_code_that_is_not_parsed_takes_edges_away_and_adds_none() -> None:
    text = TextIndex(FILES)
    every, (few, _, parsed) = whole(text), ask(text, ["till.py"], narrow=True)
    assert parsed == ["till.py"]
    for symbol in (item for path in FILES for item, _ in every.outline(path)):
        known = {edge.place for edge in edges_into(every, symbol.id, ALL, limit=99).edges}
        assert {edge.place for edge in edges_into(few, symbol.id, ALL, limit=99).edges} <= known


def test_it_ends_when_there_is_no_more_time() -> None:
    graph, count, _ = ask(TextIndex(FILES), ["till.py", "other.py"], most=1)
    assert count == 1
    assert "other.py" not in graph.snapshot.paths()

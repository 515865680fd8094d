"""Documents of linked files have bounded sizes, and equal files give equal documents."""

from __future__ import annotations

import random

import pytest

from code_graph.model import EdgeType
from code_graph.query.edges import edges_into, edges_out_of
from code_graph.store.documents import LinkedSource, make_documents
from code_graph.store.schema import DECLARATIONS, EDGES, EXPORTS, SYMBOLS
from index_format import Document, Vocabulary
from index_format.analysis.counting import Analyser
from tests.code_graph.linked_files import FileDraft, graph_of, id_of


def made(source: LinkedSource) -> Document:
    [document] = make_documents([source], Analyser(), Vocabulary())
    return document


def draft() -> FileDraft:
    file = FileDraft("a.py")
    for number in range(6):
        file.declare(f"a.f{number}", parent=number - 1).edge("a.f0").unknown("x.y").outside("os.z")
    return file


def test_the_order_in_which_a_linker_gives_things_means_nothing() -> None:
    first, second = draft(), draft()
    chance = random.Random(3)
    for given in (second.symbols, second.edges, second.external, second.unresolved):
        chance.shuffle(given)
    second.edges += second.edges
    one, other = made(first.source()), made(second.source())
    assert one.attachments == other.attachments
    assert [chunk.chunk_id for chunk in one.chunks] == [chunk.chunk_id for chunk in other.chunks]
    assert {*one.attachments} == {SYMBOLS, EDGES, EXPORTS, DECLARATIONS}


def test_a_file_of_very_many_declarations_keeps_the_first_and_all_edges(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("code_graph.store.documents._MOST_DECLARATIONS", 3)
    graph = graph_of([draft()])
    assert [symbol.name for symbol, _ in graph.outline("a.py")] == ["a.py", "f0", "f1", "f2"]
    assert edges_into(graph, id_of("a.f0"), limit=10).counts.resolved == 6
    assert edges_out_of(graph, id_of("a.py"), limit=10).counts == (3, 3, 3, False)


def test_a_declaration_that_is_no_symbol_has_edges_too() -> None:
    file = FileDraft("a.py").declare("a.f").edge("b.g", EdgeType.CALLS)
    file.symbols.pop()
    [edge] = edges_into(graph_of([file]), id_of("b.g"), limit=5).edges
    assert (edge.source, edge.line) == (0, 2)


def test_names_that_are_no_text_are_kept() -> None:
    graph = graph_of([FileDraft("a.py").declare("a.\udc80\0 b\n").declare("")])
    names = [symbol.qualified_name for symbol, _ in graph.outline("a.py")]
    assert names == ["a.py", "a.\udc80\0 b\n", ""]
    assert [item.qualified_name for item in graph.lookup("a.\udc80\0 b\n", 2)] == names[1:2]
    assert graph.lookup("", 2) == []


def test_a_graph_knows_how_many_files_lack_edges() -> None:
    sources = [FileDraft("a.py").declare("a.f"), FileDraft("b.py").declare("b.f")]
    assert graph_of(sources).incomplete_files == 0
    sources[1].is_complete = False
    graph = graph_of(sources)
    assert graph.incomplete_files == 1
    assert graph.incomplete_paths == ["b.py"]

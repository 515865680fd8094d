"""Attachments are read back as they were packed; other bytes give one kind of error."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from code_graph.identity import external_id
from code_graph.model import GraphEdge, UnresolvedUse
from code_graph.store.records import (
    DamagedGraphError,
    FileEdges,
    FileSymbols,
    StoredSymbol,
    pack_edges,
    pack_exports,
    pack_symbols,
    unpack_exports,
)

ids = st.integers(0, (1 << 64) - 1)
lines = st.integers(0, 1 << 20)
names = st.text(max_size=8)
rows = st.builds(StoredSymbol, names, names, st.sampled_from(["class", "file"]), st.integers(0, 3))


@given(st.lists(rows))
def test_symbols_are_read_back(given_rows: list[StoredSymbol]) -> None:
    symbols = FileSymbols(pack_symbols("python", "core", given_rows))
    assert [symbols.row(number) for number in range(len(symbols))] == given_rows
    assert (symbols.language, symbols.project) == ("python", "core")


edges = st.builds(
    GraphEdge, st.integers(0, 4), ids, st.integers(0, 8), st.integers(0, 11), lines, lines
)
counts = st.integers(-1, 9), st.integers(0, 9)
uses = st.builds(
    UnresolvedUse, st.integers(0, 4), names, st.integers(0, 8), lines, lines, names, *counts
)


@given(st.lists(edges), st.lists(uses), st.lists(names, unique=True))
def test_edges_are_read_back(
    given_edges: list[GraphEdge], given_uses: list[UnresolvedUse], external: list[str]
) -> None:
    outside = [GraphEdge(0, external_id(name), 0, 0, 1, 1) for name in external]
    ordered = sorted([*given_edges, *outside])
    used = sorted(given_uses)
    found = FileEdges(pack_edges(5, ordered, external, used))
    assert len(found) == 5
    assert [
        GraphEdge(row, *values)
        for row in range(5)
        for values in zip(*(column.tolist() for column in found.of_row(row)), strict=True)
    ] == ordered
    assert found.unresolved() == used
    assert found.external == {external_id(name): name for name in external}


@given(st.dictionaries(ids, ids))
def test_exports_are_read_back(exports: dict[int, int]) -> None:
    assert unpack_exports(pack_exports([*exports.items()])) == exports


@given(st.binary(max_size=64))
def test_other_bytes_are_refused(data: bytes) -> None:
    for read in (FileSymbols, FileEdges):
        with pytest.raises(DamagedGraphError):
            read(data)
    if len(data) % 16:
        with pytest.raises(DamagedGraphError):
            unpack_exports(data)


def test_an_edge_needs_its_declaration() -> None:
    with pytest.raises(ValueError, match="declaration"):
        pack_edges(1, [GraphEdge(3, 1, 0, 0, 1, 0)], [], [])

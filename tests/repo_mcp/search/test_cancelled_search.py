"""Long looks at a dictionary are taken piece by piece, and end when nobody wants their answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search.dictionary import shelf as dictionary_shelf
from repo_mcp.search.dictionary.needles import Edge, Needle
from repo_mcp.search.dictionary.shelf import Shelf, TermPattern, foreign_terms, gathered
from tests.repo_mcp.trees import FOREVER, served, write

TERMS = st.lists(st.text("as\u017fé_", min_size=1, max_size=9), max_size=60, unique=True)
EDGES = st.sampled_from([Edge.OPEN, Edge.SOFT, Edge.CLOSED])


class Cancelled:
    """Somebody who gives up after being asked so many times."""

    def __init__(self, patience: int) -> None:
        self.patience = patience

    def __call__(self) -> bool:
        self.patience -= 1
        return self.patience < 0


@settings(deadline=None)
@given(
    terms=TERMS,
    text=st.text("asé", min_size=1, max_size=3),
    left=EDGES,
    right=EDGES,
    edges=st.booleans(),
    any_case=st.booleans(),
)
def test_pieces_hold_what_the_whole_holds(
    *, terms: list[str], text: str, left: Edge, right: Edge, edges: bool, any_case: bool
) -> None:
    needle = Needle(text, left, right)
    lines = sorted(term.encode() for term in terms)
    pattern = TermPattern(needle, edges=edges, any_case=any_case)
    shelf, plain = Shelf(lines), memoryview(b"".join(lines))
    whole = shelf.holding(pattern, 99), pattern.places(plain, 999)
    with pytest.MonkeyPatch.context() as small:
        small.setattr(dictionary_shelf, "_BYTES_AT_ONCE", pattern._longest + 1)
        assert shelf.holding(pattern, 99) == whole[0]
        if not edges and not any_case:  # places are asked for texts of one length only
            assert pattern.places(plain, 999) == whole[1]


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_words_with_other_letters_are_found_in_any_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    text = " ".join(f"wör{n} é{n} plain{n} ça{n}é zß{n}" for n in range(300))
    manager = served(write(tmp_path / "root", {"a.txt": text}), tmp_path / "data").manager
    manager.refresh(FOREVER)
    snapshot = manager.snapshot()
    assert snapshot is not None
    terms = snapshot.segments[0].reader.field(snapshot.schema.number("body") or 0).terms
    every = [term for page, begin in terms.pages_from(b"") for term in page.terms[begin:]]
    monkeypatch.setattr(dictionary_shelf, "_BYTES_AT_ONCE", size)
    monkeypatch.setattr(dictionary_shelf, "_PLACES_AT_ONCE", 3)
    assert foreign_terms(terms) == [term for term in every if not term.isascii()]
    for work in (gathered, foreign_terms):
        with pytest.raises(Problem, match="cancelled"):
            work(terms, Budget(None, Cancelled(1)).check)

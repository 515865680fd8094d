"""Uses of a function by which a test stubs or checks a mock of it: its body does not run there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from code_graph.brackets import directly_inside
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.model import FUNCTIONS, LineOf, PlacedEdge
from code_graph.query.snapshot import GraphSnapshot

_MOST_USES: Final = 300
_USES: Final = EdgeFilter((EdgeType.CALLS, EdgeType.REFERENCES))
# what takes calls that a mock shall answer, or was asked; `when (` with a gap is a branch
_TAKES_CALLS: Final = re.compile(
    r"\b(?:when`?|given)(?=\()|\b(?:co)?(?:[Ee]very|[Vv]erify(?:All|Order|Sequence)?)\s*"
    r"(?:\([^()]*\)\s*)?(?=\{)"
)
# what takes a mock, behind whose brackets the name stands
_TAKES_MOCK: Final = r"\b(?:verify|when|should)`?\([^;{}]*?\)\s*\.\s*"
# what takes a function that is not called there
_TAKES_FUNCTION: Final = r"\b(?:expect|mocked|stub)\(\s*[\w$.?!]*?"
# what a mock in the place of a function has
_OF_MOCK: Final = (
    r"\.(?:assert_\w+|mock[A-Z]\w*|return_value|side_effect|call_args\w*|call_count|"
    r"callCount|called\w*|returns|resolves|rejects)\b"
)
# a statement goes on behind such a line, and before one that begins with a dot
_GOES_ON: Final = ("(", "{", ".", ",")


def is_stubbed(text: str, name: str) -> bool:
    """True for a statement that stubs or checks a mock of the function of this name."""
    word = rf"\b{re.escape(name)}\b"
    named = re.compile(word)
    return (
        any(
            named.search(directly_inside(text, taking.end()))
            for taking in _TAKES_CALLS.finditer(text)
        )
        or re.search(_TAKES_MOCK + word, text) is not None
        or re.search(rf"{_TAKES_FUNCTION}{word}\s*[,)]", text) is not None
        or re.search(word + _OF_MOCK, text) is not None
    )


def is_stubbing(edge: PlacedEdge, name: str, line_of: LineOf) -> bool:
    """True for a use in a test by which a mock is stubbed or checked."""
    if not is_test(edge.path):
        return False
    text = line_of(edge.path, edge.line)
    before = line_of(edge.path, edge.line - 1).rstrip() if edge.line > 1 else ""
    if before.endswith(_GOES_ON) or text.lstrip().startswith("."):
        text = f"{before} {text.lstrip()}"
    return is_stubbed(text, name)


def users_of_mocks_alone(graph: GraphSnapshot, targets: Iterable[int], line_of: LineOf) -> set[int]:
    """The symbols of tests that use some functions in no other way than by mocks of them."""
    mocking: set[int] = set()
    running: set[int] = set()
    for symbol in filter(None, map(graph.symbol, targets)):
        if symbol.node_type in FUNCTIONS:
            for edge in edges_into(graph, symbol.id, _USES, limit=_MOST_USES).edges:
                is_stub = is_stubbing(edge, symbol.simple_name, line_of)
                (mocking if is_stub else running).add(edge.source)
    return mocking - running

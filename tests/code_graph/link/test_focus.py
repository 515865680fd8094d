"""With a focus a file is linked for the names alone: each line with a use of one has its edge."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

import pytest

from code_graph import SourceTree
from code_graph.link.linker import GraphLinker
from code_graph.model import EdgeType, GraphEdge, LinkedFile, Strategy
from code_graph.query.model import MENTIONS
from code_graph.tree import LinkFocus
from tests.code_graph.cases.case_runner import TRUTH, Case, cases

LANGUAGES = (
    *("c", "cpp", "csharp", "go", "java", "kotlin", "python", "rust", "swift", "typescript"),
)
CASES = [case for language in LANGUAGES for case in cases(language)]
# imports of whole namespaces, calls of libraries, and replacements are edges of whole files
_OF_FILES = frozenset({EdgeType.IMPORTS, EdgeType.OVERRIDES})


def sources_of(case: Case) -> dict[str, str]:
    files = (path for path in sorted(case.root.rglob("*")) if path.is_file())
    return {
        path.relative_to(case.root).as_posix(): path.read_text(encoding="utf-8")
        for path in files
        if path.name != TRUTH
    }


def uses(file: LinkedFile, targets: set[int]) -> Iterator[GraphEdge]:
    for edge in file.edges:
        is_use = edge.target in targets and edge.type in MENTIONS and edge.type not in _OF_FILES
        if is_use and edge.line and edge.strategy != Strategy.FRAMEWORK:
            yield edge


def named(tree: SourceTree, linked: Mapping[str, LinkedFile]) -> dict[str, set[int]]:
    """The symbols of each name."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for path, file in linked.items():
        facts = tree.facts(path)
        assert facts is not None
        for symbol in file.symbols:
            if symbol.declaration >= 0:
                found[facts.declarations[symbol.declaration].name].add(symbol.id)
    return found


@pytest.mark.parametrize("case", CASES, ids=str)
def test_lines_with_a_use_of_a_name_have_their_edges(case: Case) -> None:
    sources = sources_of(case)
    tree = SourceTree(sources)
    whole = {path: GraphLinker(tree).link(path) for path in sources if tree.facts(path)}
    for name, targets in named(tree, whole).items():
        # as the code has it: without the owner before it
        last = re.split("::|[.]", name)[-1]
        word = re.compile(rf"{re.escape(last)}(?!\w)")
        focus, linker = LinkFocus(frozenset({name, last})), GraphLinker(tree)
        for path, file in whole.items():
            rows = sources[path].split("\n")
            own = {item.declaration for item in file.symbols if item.id in targets}
            expected = {
                edge
                for edge in uses(file, targets)
                if edge.source not in own and word.match(rows[edge.line - 1], edge.column)
            }
            if not expected:
                continue
            part = {*uses(linker.link(path, focus), targets)}
            assert part <= {*uses(file, targets)}, (path, name)
            lines = {edge.line for edge in part}
            assert {edge.line for edge in expected} <= lines, (path, name)


def test_a_declaration_that_is_whole_has_all_its_edges() -> None:
    source = "def one(): pass\ndef two(): one()\ndef three():\n    one()\n    two()\n"
    tree = SourceTree({"m.py": source})
    focus = LinkFocus(frozenset({"three"}), frozenset({"three"}))
    calls = [
        (edge.line, edge.column)
        for edge in GraphLinker(tree).link("m.py", focus).edges
        if edge.type is EdgeType.CALLS or edge.type == EdgeType.CALLS
    ]
    assert sorted(calls) == [(4, 4), (5, 4)]


def edges_of(sources: dict[str, str], path: str, name: str) -> set[tuple[str, int]]:
    """The edges of one file that a focus on a name gives, as type and line."""
    linked = GraphLinker(SourceTree(sources)).link(path, LinkFocus(frozenset({name})))
    return {(EdgeType(edge.type).name, edge.line) for edge in linked.edges}


def test_uses_by_an_alias_are_uses_of_the_name() -> None:
    sources = {
        "m.py": "def pay(): ...\n",
        "a.py": "from m import pay as charge\n\n\ndef run():\n    charge()\n",
        "b.py": "import m\n\nkept = m.pay\n\n\ndef go():\n    kept()\n",
    }
    assert ("CALLS", 5) in edges_of(sources, "a.py", "pay")
    assert ("CALLS", 7) in edges_of(sources, "b.py", "pay")


def test_a_type_with_a_member_of_the_name_has_its_bases() -> None:
    sources = {
        "base.py": "class Account:\n    def pay(self): ...\n",
        "card.py": "from base import Account\n\n\nclass Card(Account):\n    def pay(self): ...\n",
    }
    found = edges_of(sources, "card.py", "pay")
    assert {("INHERITS", 4), ("OVERRIDES", 5)} <= found
    assert ("INHERITS", 4) not in edges_of(sources, "card.py", "other")

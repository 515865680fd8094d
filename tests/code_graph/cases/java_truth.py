"""The truth of the Java cases, as javac tells it: `python -m tests.code_graph.cases.java_truth`.

It writes `expected.json` of each case but those that were written by hand. An edge to a constructor
with a mark is one to its class as well, which may be shown.
"""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bench.graph.edges import CALLS, IMPLEMENTS, OVERRIDES, Edge, Truth, Where
from bench.graph.java_oracle import judge
from code_graph import SourceTree
from code_graph.identity import chain_of
from tests.code_graph.cases.case_runner import (
    CASES,
    TRUTH,
    Case,
    cases,
    constructed,
    constructor_of,
)

_JAVA: Final = CASES / "java"
# cases whose truth says more than javac does
BY_HAND: Final = frozenset({"project/library"})
_TYPES: Final = frozenset({CALLS, IMPLEMENTS, OVERRIDES})
_BY_NAME: Final = "java"
Rows = dict[str, dict[str, set[str]]]


def judged() -> Truth:
    """The edges of javac for all cases, which are compiled together."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "truth.jsonl"
        judge(_JAVA, out)
        return Truth.read(out)


def expected(case: Case, truth: Truth) -> dict[str, object]:
    """The edges of a case in the form of its file."""
    names = dict(_names(case))
    found: Rows = defaultdict(lambda: defaultdict(set))
    may: Rows = defaultdict(lambda: defaultdict(set))
    for edge in truth.edges:
        if edge.type not in _TYPES or not edge.at.path.startswith(f"{case.name}/"):
            continue
        kind = _kind(truth, edge)
        source = constructor_of(names[edge.source], _BY_NAME)
        target = constructed(names[edge.target], _BY_NAME)
        found[kind][source].add(target)
        holder = truth.holders.get(edge.target)
        if holder is not None and target.startswith("@"):
            may[kind][source].add(names[holder])
    rows: dict[str, object] = dict(_sorted(found))
    if may:
        rows["may"] = dict(_sorted(may))
    return rows


def _kind(truth: Truth, edge: Edge) -> str:
    """The type of an edge in the words of the graph."""
    if edge.type != IMPLEMENTS:
        return edge.type
    source, target = truth.kinds[edge.source], truth.kinds[edge.target]
    if target != "interface":
        return "inherits"
    return "extends" if source == "interface" else "implements"


def _names(case: Case) -> Iterator[tuple[Where, str]]:
    """The name of each declaration of a case: its mark, or the qualified name."""
    paths = sorted(case.root.rglob("*.java"))
    tree = SourceTree({path.relative_to(_JAVA).as_posix(): path.read_text() for path in paths})
    for path in tree.paths():
        facts = tree.facts(path)
        rows = () if facts is None else facts.declarations
        package = next((item.name for item in rows if item.kind == "package"), "")
        for number, item in enumerate(rows):
            own = path.removeprefix(f"{case.name}/")
            mark = case.marks.get((own, item.name_line))
            name = ".".join((package, *chain_of(rows, number)))
            yield Where(path, item.name_line, item.name), mark or name


def _sorted(rows: Rows) -> Iterator[tuple[str, dict[str, list[str]]]]:
    for type_, sources in sorted(rows.items()):
        yield type_, {source: sorted(targets) for source, targets in sorted(sources.items())}


def read(case: Case) -> Mapping[str, object]:
    """The truth of a case as its file has it."""
    found: Mapping[str, object] = json.loads((case.root / TRUTH).read_text("utf-8"))
    return found


def main() -> None:
    """Write the truth of all cases that javac judges."""
    for path in sorted({item.parent for item in _JAVA.rglob("*.java")}):
        if not any((folder / TRUTH).exists() for folder in (path, *path.parents)):
            (path / TRUTH).write_text("{}\n", "utf-8")
    truth = judged()
    for case in cases("java"):
        if case.name not in BY_HAND:
            text = json.dumps(expected(case, truth), indent=1)
            (case.root / TRUTH).write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()

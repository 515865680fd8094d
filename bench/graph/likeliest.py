"""Counts how often the likeliest symbol of a name is the one that is called.

    python -m bench.graph.likeliest --keep FOLDER --git FOLDER [--project NAME…] [--recorded]
        [--show N] [--write]

Two kinds of calls on an object are judged, whose name several symbols of the project have: `open`
ones, of which the graph knows no target, and `every` one, as if the object's type were unknown.
What is called a compiler's oracle says, or with `--recorded` a run of the project's tests, which
`bench.graph.dispatch record` has kept: it knows what open calls run, too, but for those outside of
tests that run a test's own stand-in. What is outside of the project is no symbol of it. A symbol
that is called, one that it overrides, and one that overrides it are right. `told` are the calls for
which something tells the likeliest symbol, `judged` those of them whose target is known; by each
way in which it is told, they are counted apart. The rule was written on the projects of `TUNED`,
the others were judged once it was there. `--show` prints wrong ones; `--write` keeps the counts in
bench/results.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from bench.graph.complete_lists import opened
from bench.graph.dispatch.linked_graph import LinkedGraph
from bench.graph.dispatch.projects import projects
from bench.graph.dispatch.records import Recording, read_recording
from bench.graph.edges import CALLS, OVERRIDES, At, Truth, Where
from bench.graph.folder import FolderTree
from bench.graph.oracles import ORACLES
from bench.graph.projects import project_named, tree
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Op
from code_graph.facts import last_part
from code_graph.link.places import written_call
from code_graph.model import EdgeType, UnresolvedUse
from code_graph.paths.path_kinds import is_test
from code_graph.query.likeliest import LikelyMeaning, LikelyMeanings
from code_graph.query.names import symbols_named
from code_graph.query.overrides import overridden, overriding
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.budget import Budget

_RESULTS: Final = Path(__file__).parents[1] / "results" / "likeliest.json"
COMPILED: Final = (
    "paramiko", "yaml", "commons-cli", "bytes", "tinyxml2", "pflag", "mobx", "ky",
    "mistune", "slowapi", "aho-corasick", "ninja",
)  # fmt: skip
TUNED: Final = frozenset({*COMPILED[:8], "commander"})
RECORDED: Final = (
    "paramiko", "mistune", "slowapi", "sqlite-utils", "flask-sqlalchemy", "fastapi-users",
    "commander", "session", "router", "wtforms", "mkdocs",
)  # fmt: skip
_FEWEST: Final = 2


class CallVerdicts(Protocol):
    """Verdicts on the meanings of calls."""

    def is_right(self, at: At, name: str, meaning: LikelyMeaning) -> bool | None:
        """True if a call may run what it is said to mean; None if that is not known."""

    def called(self, at: At, name: str) -> list[str]:
        """The places of what is called."""


def main() -> None:
    """Print the counts of each project."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees, truth, records, indexes")
    parser.add_argument("--git", type=Path, help="bare repositories")
    parser.add_argument("--project", action="append", default=[])
    parser.add_argument("--recorded", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    known = json.loads(_RESULTS.read_text("utf-8")) if _RESULTS.exists() else {}
    for name in given.project or (RECORDED if given.recorded else COMPILED):
        opening = recorded if given.recorded else compiled
        language, root, graph, verdicts = opening(name, given.keep, given.git)
        judge = Judge(graph, verdicts, given.show)
        for at, use, is_open in calls(root, graph):
            judge.add(at, use, is_open=is_open)
        row = {"language": language, "split": "tuned" if name in TUNED else "judged"}
        key = f"{name}, recorded" if given.recorded else name
        known[key] = {**row, **judge.counts()}
        print(key, json.dumps(known[key]), flush=True)
    if given.write:
        _RESULTS.write_text(json.dumps(dict(sorted(known.items())), indent=2) + "\n", "utf-8")


def compiled(name: str, keep: Path, git: Path) -> tuple[str, Path, GraphSnapshot, CallVerdicts]:
    """The language, the files and the graph of a project, and what its oracle knows."""
    project = project_named(name)
    root = tree(project, keep, git)
    truth = ORACLES[project.language](project, root, keep)
    app = opened(root, keep / "lists" / name)
    services = app.services.running().tools  # no tool tells meanings
    graph = services.repository.open_graph(Budget()).graph
    assert graph is not None
    return project.language, root, graph, OfOracle(graph, truth)


def recorded(name: str, keep: Path, git: Path) -> tuple[str, Path, GraphSnapshot, CallVerdicts]:
    """The language, the files and the graph of a project, and what its tests call."""
    (project,) = projects([name])
    root = project.tree(keep, git)
    linked = LinkedGraph(root, (project.language,))
    run = read_recording(keep / "records" / f"{name}.jsonl")
    return project.language, root, linked.graph, OfRun(linked, run)


def calls(root: Path, graph: GraphSnapshot) -> Iterator[tuple[At, UnresolvedUse, bool]]:
    """The calls of members of named objects, each with true if the graph knows no target."""
    files = FolderTree(root)
    for path in files.paths():
        facts, record = files.facts(path), graph.snapshot.file(path)
        if facts is None or record is None:
            continue
        unresolved = graph.edges(graph.file_of(record.first_chunk)).unresolved()
        unknown = {(use.line, use.column) for use in unresolved}
        file = SourceFile(path, facts, files.code(path), b"")
        for number, item in enumerate(file.expressions):
            name = file.last_name(item.of) if item.op == Op.CALL and item.of != NONE else ""
            written = written_call(file, number) if name else None
            if written is not None and written.receiver:
                place = file.place(item.of)
                use = UnresolvedUse(0, name, EdgeType.CALLS, *place)
                use = use._replace(
                    receiver=written.receiver,
                    arguments=written.arguments,
                    named_arguments=written.named_arguments,
                )
                yield At(path, *place), use, place in unknown


class Judge:
    """Compares likely meanings with what is known of calls."""

    def __init__(self, graph: GraphSnapshot, verdicts: CallVerdicts, show: int) -> None:
        self._graph, self._verdicts, self._show = graph, verdicts, show
        self._meanings = LikelyMeanings(graph)
        self._several: dict[str, bool] = {}
        self._open: Counter[str] = Counter()
        self._every: Counter[str] = Counter()

    def add(self, at: At, use: UnresolvedUse, *, is_open: bool) -> None:
        """Judge one call."""
        if not self._has_several(use.name):
            return
        record = self._graph.snapshot.file(at.path)
        assert record is not None
        meaning = self._meanings.meaning(self._graph.file_of(record.first_chunk), use)
        kinds = (self._every, self._open) if is_open else (self._every,)
        for counts in kinds:
            counts["calls"] += 1
            counts["told"] += meaning is not None
        is_right = None if meaning is None else self._verdicts.is_right(at, use.name, meaning)
        if meaning is None or is_right is None:
            return
        how = meaning.strategy.name.lower()
        for counts in kinds:
            counts.update({"judged": 1, f"{how} judged": 1})
            counts.update({"right": is_right, f"{how} right": is_right})
        if not is_right and self._show:
            self._show -= 1
            symbols = filter(None, map(self._graph.symbol, sorted(meaning.ids)))
            chosen = [f"{item.path}:{item.start_line}" for item in symbols]
            called = self._verdicts.called(at, use.name)
            print(f"  {at} {use.receiver}.{use.name}: {chosen}, not {called} ({how})", flush=True)

    def counts(self) -> Mapping[str, Any]:
        """All counts, with the precision of what was judged."""
        found: dict[str, Any] = {}
        for kind, counts in (("open", self._open), ("every", self._every)):
            judged = counts["judged"]
            share = {"precision": round(counts["right"] / judged, 3)} if judged else {}
            found[kind] = {**dict(sorted((+counts).items())), **share}
        return found

    def _has_several(self, name: str) -> bool:
        if name not in self._several:
            named, _ = symbols_named(self._graph, name, _FEWEST)
            self._several[name] = len(named) >= _FEWEST
        return self._several[name]


class OfOracle:
    """Verdicts by what a compiler's oracle knows."""

    def __init__(self, graph: GraphSnapshot, truth: Truth) -> None:
        self._graph, self._truth = graph, truth
        self._called: defaultdict[At, set[Where]] = defaultdict(set)
        self._bases: defaultdict[Where, set[Where]] = defaultdict(set)
        for edge in truth.edges:
            target = truth.same.get(edge.target, edge.target)
            if edge.type == CALLS:
                self._called[edge.at].add(target)
            elif edge.type == OVERRIDES:
                self._bases[truth.same.get(edge.source, edge.source)].add(target)

    def is_right(self, at: At, _: str, meaning: LikelyMeaning) -> bool | None:
        """True if a call may run what it is said to mean; None if that is not known."""
        if (CALLS, at) not in self._truth.judged:
            return None
        chosen = {where[:2] for where in self._wheres(meaning)}
        called = self._called.get(at, set())
        above = {where for item in called for where in self._above(item)}
        below = {
            where[:2] for item in self._bases if item[:2] in chosen for where in self._above(item)
        }
        return any(where[:2] in chosen for where in above) or any(
            where[:2] in below for where in called
        )

    def called(self, at: At, _: str) -> list[str]:
        """The places of what is called."""
        return [*map(str, self._called.get(at, ()))]

    def _wheres(self, meaning: LikelyMeaning) -> Iterator[Where]:
        for number in meaning.ids:
            for symbol in self._graph.spans(number):
                declared = self._graph.declaration(symbol)
                if declared is not None:
                    where = Where(symbol.path, declared.name_line, last_part(declared.name))
                    yield self._truth.same.get(where, where)

    def _above(self, member: Where) -> set[Where]:
        """A member and those that it overrides, directly or not."""
        found, pending = {member}, [member]
        while pending:
            fresh = self._bases.get(pending.pop(), set()) - found
            found |= fresh
            pending += fresh
        return found


class OfRun:
    """Verdicts by what a run of tests has called; on a line that ran, a call of none is wrong."""

    def __init__(self, linked: LinkedGraph, run: Recording) -> None:
        self._graph = linked.graph
        self._ran = {(code.path, line) for code, lines in run.lines.items() for line in lines}
        self._called: defaultdict[tuple[str, int, str], set[int]] = defaultdict(set)
        for pair, pair_calls in run.pairs.items():
            span = linked.function(pair.callee)
            same = () if span is None else linked.same(span)
            for line in pair_calls.lines:
                self._called[pair.caller.path, line, pair.callee.simple_name].update(same)

    def is_right(self, at: At, name: str, meaning: LikelyMeaning) -> bool | None:
        """True if a call may run what it is said to mean; None if that is not known."""
        called = self._called.get((at.path, at.line, name), set())
        # of scripts only what is called is recorded, not each line that ran
        if not called and (at.path, at.line) not in self._ran:
            return None
        # what a test puts in the place of another says nothing of what runs elsewhere
        if not is_test(at.path) and any(map(self._is_of_test, called)):
            return None
        related = {
            other
            for number in called
            for other in (*overridden(self._graph, number), *overriding(self._graph, number))
        }
        return not meaning.ids.isdisjoint(called | related)

    def _is_of_test(self, number: int) -> bool:
        symbol = self._graph.symbol(number)
        return symbol is not None and is_test(symbol.path)

    def called(self, at: At, name: str) -> list[str]:
        """The places of what is called."""
        numbers = self._called.get((at.path, at.line, name), ())
        symbols = filter(None, map(self._graph.symbol, sorted(numbers)))
        return [f"{item.path}:{item.start_line}" for item in symbols]


if __name__ == "__main__":
    main()

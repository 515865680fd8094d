"""Public repositories split into roots: the edges and answers of one tree, also after edits.

    python -m bench.workspace.split --mirror DIR --keep DIR [--only NAME …] [--record]

A repository of `split.toml` becomes a tree with a folder for each root. Its edges as one tree and
as a workspace have to be equal (types, places, confidence, what is unresolved), and the answers to
the byte. Then a function that other roots use gets a longer body, a neighbour, and another name;
after each edit the edges of both, and those of a build from nothing, have to be equal, and no more
files may be linked again as roots than as one tree. The exit code is 1 if anything differs. What
was found of each is kept, so that `--only` may run some of them, and `--record` stores that of all.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from bench import machine
from bench.workspace.answering import ask
from bench.workspace.edits import EDITS, LANGUAGES, Function, is_editable
from code_graph.model import CONFIDENCE_OF, EdgeType, Strategy
from code_graph.query.model import FUNCTIONS, SURE, Symbol
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.records import FileEdges
from code_graph.store.schema import EDGES, EXPORTS, SYMBOLS
from index_format.records import Record, replace
from repo_mcp.app import App
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.listener import RunListener
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.model import Progress
from repo_mcp.services import services
from repo_mcp.settings import read_options

_TABLE: Final = Path(__file__).with_name("split.toml")
_FILE_MODES: Final = frozenset({"100644", "100755"})
_ASKED: Final = 6
_SHOWN: Final = 5
# what is kept of a file in the graph and has to be equal
_KINDS: Final = (SYMBOLS, EDGES, EXPORTS)

# by path, what the graph has of a file
Linked = Mapping[str, tuple[bytes, ...]]


def main() -> int:
    """Compare the repositories; each in a process of its own, whose memory is free afterwards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    table: dict[str, dict[str, Any]] = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    if given.one:
        print(json.dumps(_compare(table[given.one], given.mirror, given.keep / given.one)))
        return 0
    kept = given.keep / "found.json"
    found: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    for name in given.only or table:
        command = [sys.executable, "-m", "bench.workspace.split", "--one", name]
        places = ["--mirror", str(given.mirror), "--keep", str(given.keep)]
        run = subprocess.run([*command, *places], check=True, stdout=subprocess.PIPE, text=True)
        found[name] = json.loads(run.stdout)
        kept.write_text(json.dumps(found))
        print(name, json.dumps(found[name]), flush=True)
    different = [name for name, item in found.items() if item["different"]]
    print(f"{len(found) - len(different)} of {len(found)} are equal", *different)
    if given.record:
        machine.keep("workspace-split", {"repositories": found})
    return int(bool(different))


class _Linking(RunListener):
    """Counts the files that a run links."""

    files = 0

    def on_progress(self, now: Progress) -> None:
        if now.phase == "linking":
            self.files = max(self.files, now.files)


class _Side(Record):
    """A tree, or its folders as roots, with the data of their index."""

    top: Path
    data: Path
    roots: tuple[str, ...] = ()

    @property
    def flags(self) -> list[tuple[str, str]]:
        """The flags of a server of it."""
        named = [("roots", f"{name}={self.top / name}") for name in self.roots]
        places = named or [("repo_root", str(self.top))]
        more = [("index_share", "never"), ("embeddings", "off"), ("watch", "off")]
        return [*places, ("data_dir", str(self.data)), *more, ("content", "text")]

    def open(self) -> Indexes:
        """The indexes; nothing is read yet."""
        return services(read_options(self.flags, {})).manager


def _compare(row: Mapping[str, Any], mirror: Path, keep: Path) -> dict[str, Any]:
    """The figures of one repository, and all differences."""
    shutil.rmtree(keep, ignore_errors=True)
    top = keep / "tree"
    _write_roots(row, mirror, top)
    one, many = _Side(top, keep / "one"), _Side(top, keep / "many", tuple(row["roots"]))
    sides = {"tree": one.open(), "roots": many.open()}
    linked = {name: _bring(manager) for name, manager in sides.items()}
    graph = _graph_of(sides["roots"])
    expected = _linked_of(sides["tree"])
    different = _differences("first", expected, _linked_of(sides["roots"]))
    figures: dict[str, Any] = {
        "language": row["language"],
        "held_out": row.get("held_out", False),
        "roots": len(many.roots),
        "files": linked["roots"],
        **_count_edges(graph),
    }
    used = _used_elsewhere(graph)
    figures["answers"], unlike = _compare_answers(one, many, graph, used)
    different += unlike
    function = _function_of(graph, used, top)
    figures["edited"] = f"{function.path}: {function.name}"
    for edit, change in EDITS.items():
        path = top / function.path
        path.write_text(change(path.read_text("utf-8"), function), encoding="utf-8")
        again = {name: _bring(manager) for name, manager in sides.items()}
        figures[edit] = again
        expected = _linked_of(sides["tree"])
        different += _differences(f"{edit}, roots", expected, _linked_of(sides["roots"]))
        new = _Side(top, keep / "new")
        shutil.rmtree(new.data, ignore_errors=True)
        fresh = new.open()
        _bring(fresh)
        different += _differences(f"{edit}, from nothing", expected, _linked_of(fresh))
        if again["roots"] > again["tree"]:
            different.append(f"{edit}: {again['roots']} files linked again, {again['tree']} in one")
        if edit == "body":
            function = replace(function, last_line=function.last_line + 1)
    return {**figures, "different": different}


def _write_roots(row: Mapping[str, Any], mirror: Path, top: Path) -> None:
    """Write each file of the commit to the folder of the innermost root that has it."""
    (source,) = (mirror / row["repository"].replace("/", "+")).iterdir()
    folders = sorted(
        (("" if folder == "." else f"{folder}/", name) for name, folder in row["roots"].items()),
        key=lambda item: -len(item[0]),
    )
    targets: list[tuple[str, Path]] = []
    listed = _git(source, ["ls-tree", "-r", "-z", row["commit"]]).decode().split("\0")
    for line in filter(None, listed):
        described, path = line.split("\t", 1)
        mode, _, digest = described.split(" ")
        place = next((item for item in folders if path.startswith(item[0])), None)
        if place is not None and mode in _FILE_MODES:
            targets.append((digest, top / place[1] / path.removeprefix(place[0])))
    digests = "".join(f"{digest}\n" for digest, _ in targets)
    packed = io.BytesIO(_git(source, ["cat-file", "--batch"], digests.encode()))
    for _, target in targets:
        _, kind, *size = packed.readline().split()
        if kind == b"blob":  # a mirror may lack large files
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(packed.read(int(size[0])))
            packed.read(1)


def _git(source: Path, arguments: Sequence[str], given: bytes = b"") -> bytes:
    command = ["git", "--git-dir", str(source), *arguments]
    return subprocess.run(command, check=True, input=given, capture_output=True).stdout


def _bring(manager: Indexes) -> int:
    """Bring the indexes to the files; the number of files that were linked."""
    budget, linking = Budget(), _Linking()
    manager.refresh(budget)
    manager.link(budget, linking)
    return linking.files


def _graph_of(manager: Indexes) -> GraphSnapshot:
    found = manager.graph()
    if found.snapshot is None or not found.current:
        raise SystemExit("the graph is not complete")
    return GraphSnapshot(found.snapshot)


def _linked_of(manager: Indexes) -> Linked:
    snapshot = _graph_of(manager).snapshot
    return {
        path: tuple(snapshot.attachment(path, kind) for kind in _KINDS) for path in snapshot.paths()
    }


def _differences(when: str, expected: Linked, found: Linked) -> list[str]:
    """A line for each file that differs; the first ones with edges that one side has alone."""
    paths = sorted(path for path in {*expected, *found} if expected.get(path) != found.get(path))
    lines: list[str] = []
    for path in paths:
        edges = [_edges_in(side.get(path)) for side in (expected, found)]
        shown = [str(list((edges[a] - edges[b]).elements())[:_SHOWN]) for a, b in ((0, 1), (1, 0))]
        more = f": tree alone {shown[0]}, other alone {shown[1]}"
        lines.append(f"{when}: {path!r}{more if len(lines) < _SHOWN else ''}")
    return lines


def _edges_in(file: tuple[bytes, ...] | None) -> Counter[tuple[object, ...]]:
    """The edges and unresolved uses of a file, readable."""
    if file is None or not file[1]:
        return Counter()
    edges = FileEdges(file[1])
    rows, columns = edges.of_all_rows()
    every = zip(*(part.tolist() for part in (rows, *columns)), strict=True)
    found: Counter[tuple[object, ...]] = Counter(
        (row, target, EdgeType(kind).name, Strategy(strategy).name, line, column)
        for row, target, kind, strategy, line, column in every
    )
    found.update(tuple(use) for use in edges.unresolved())
    return found


def _count_edges(graph: GraphSnapshot) -> dict[str, int]:
    """The number of edges, of those into other roots, of sure ones of these, of unresolved uses."""
    counts = Counter(edges=0, across=0, sure_across=0, unresolved=0)
    for path, edges in _files_of(graph):
        _, columns = edges.of_all_rows()
        counts.update(edges=len(columns.targets), unresolved=len(edges.unresolved()))
        for target, strategy in zip(
            columns.targets.tolist(), columns.strategies.tolist(), strict=True
        ):
            symbol = graph.symbol(target)
            if symbol is not None and _root_of(symbol.path) != _root_of(path):
                sure = CONFIDENCE_OF[Strategy(strategy)] in SURE
                counts.update(across=1, sure_across=int(sure))
    return dict(counts)


def _files_of(graph: GraphSnapshot) -> Iterator[tuple[str, FileEdges]]:
    for path in graph.snapshot.paths():
        found = graph.snapshot.attachment(path, EDGES)
        if found:
            yield path, FileEdges(found)


def _root_of(path: str) -> str:
    return path.partition("/")[0]


def _used_elsewhere(graph: GraphSnapshot) -> list[Symbol]:
    """The functions that are called, those that most files of other roots call first."""
    users: dict[int, set[str]] = {}
    for path, edges in _files_of(graph):
        _, columns = edges.of_all_rows()
        calls = columns.types == EdgeType.CALLS
        for target in set(columns.targets[calls].tolist()):
            users.setdefault(target, set()).add(path)
    found = []
    for target, paths in users.items():
        symbol = graph.symbol(target)
        if symbol is not None and symbol.node_type in FUNCTIONS and symbol.declaration >= 0:
            others = sum(_root_of(path) != _root_of(symbol.path) for path in paths)
            found.append(((-others, -len(paths), symbol.path, symbol.start_line), symbol))
    return [symbol for _, symbol in sorted(found, key=itemgetter(0))]


def _function_of(graph: GraphSnapshot, used: Sequence[Symbol], top: Path) -> Function:
    """The first of them whose body and name an edit finds."""
    for symbol in used:
        declared = graph.declaration(symbol)
        if declared is None or symbol.language not in LANGUAGES:
            continue
        lines = declared.name_line, symbol.end_line
        function = Function(symbol.path, symbol.simple_name, *lines, symbol.language)
        if is_editable((top / symbol.path).read_text("utf-8"), function):
            return function
    raise SystemExit("no function is used")


def _compare_answers(
    one: _Side, many: _Side, graph: GraphSnapshot, used: Sequence[Symbol]
) -> tuple[int, list[str]]:
    """The number of answers, and a line for each that is not that of the tree."""
    # their clock stands still: no answer is cut where a machine is slow
    apps = [
        App(read_options(side.flags, {}), lambda: 1.0, links_ahead=False) for side in (one, many)
    ]
    different = []
    calls = [*_calls(graph, used)]
    for tool, arguments in calls:
        expected, found = (ask(app, tool, **arguments) for app in apps)
        if expected != found:
            pairs = zip(expected.splitlines(), found.splitlines(), strict=False)
            line = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
            different.append(f"{tool} {json.dumps(arguments)}: {line[0]!r} {line[1]!r}")
    return len(calls), different


def _calls(
    graph: GraphSnapshot, used: Sequence[Symbol]
) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Questions about functions that other roots use, and about the files that declare them."""
    for symbol in used[:_ASKED]:
        yield "repo.symbol", {"name": symbol.qualified_name}
        yield "repo.symbol", {"name": symbol.name, "callers_only": True}
        yield "repo.search", {"query": symbol.name}
        yield "repo.search", {"query": symbol.qualified_name.replace(symbol.separator, " ")}
        yield "repo.search", {"query": symbol.name, "mode": "literal"}
        yield "repo.search", {"query": symbol.name, "file_glob": f"{_root_of(symbol.path)}/**"}
        yield "repo.build_context_bundle", {"prompt": f"who uses {symbol.name}"}
    for path in sorted({symbol.path for symbol in used[:_ASKED]}):
        yield "repo.outline", {"path": path}
        yield "repo.open_file", {"path": path, "start_line": 1, "end_line": 20}
    for root in sorted({_root_of(path) for path in graph.snapshot.paths() if "/" in path}):
        yield "repo.list_files", {"glob": f"{root}/**"}
        yield "repo.outline", {"path": root}


if __name__ == "__main__":
    sys.exit(main())

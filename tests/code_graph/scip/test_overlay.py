"""Imported occurrences in the place of edges: they win, only for the text that they are of."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from code_graph.model import EdgeType, LinkedFile, Strategy
from code_graph.scip.occurrences import ScipIndex
from tests.code_graph.link.relinking import relink
from tests.code_graph.scip.exports import ScipSources, export, linked, read
from tests.code_graph.scip.schema import Index
from tests.code_graph.scip.test_export import FOLDERS, texts

SYMBOL = "compiler pip demo 1 "
# what is called at runtime can't be seen here; an index says that it is A.run
FILES = {
    "a.py": (
        "class A:\n    def run(self):\n        pass\n\nclass B:\n    def run(self):\n        pass\n"
    ),
    "b.py": "from a import A, B\n\ndef use(x, y: B):\n    x.run()\n    y.run()\n",
}


def edges(files: Mapping[str, LinkedFile]) -> set[tuple[object, ...]]:
    return {(path, *edge[:3], *edge[4:]) for path, file in files.items() for edge in file.edges}


def uses(files: Mapping[str, LinkedFile]) -> set[tuple[object, ...]]:
    return {
        (path, use) for path, file in files.items() for use in (*file.external, *file.unresolved)
    }


def index_of(*documents: tuple[str, list[tuple[list[int], str, int]]], units: int = 3) -> bytes:
    found = Index()
    for path, occurrences in documents:
        document = found.documents.add(relative_path=path, position_encoding=units)
        for place, symbol, roles in occurrences:
            before = "" if symbol.startswith("local") else SYMBOL
            document.occurrences.add(range=place, symbol=before + symbol, symbol_roles=roles)
    data: bytes = found.SerializeToString()
    return data


DEFINED = [
    ([0, 6, 7], "a/A#", 1),
    ([1, 8, 11], "a/A#run().", 1),
    ([4, 6, 7], "a/B#", 1),
    ([5, 8, 11], "a/B#run().", 1),
]
USED: list[tuple[list[int], str, int]] = [
    ([0, 14, 15], "a/A#", 2),
    ([0, 17, 18], "a/B#", 2),
    ([2, 4, 7], "b/use().", 1),
    ([3, 4, 5], "local 1", 8),
    ([3, 6, 9], "a/A#run().", 8),
    ([4, 6, 9], "a/B#run().", 8),
]
BOTH = index_of(("a.py", DEFINED), ("b.py", USED))


def calls(files: Mapping[str, str], scip: ScipIndex | None) -> set[tuple[int, str, str]]:
    """Line, qualified name of the target, and strategy of all calls."""
    found = linked(files, scip)
    names = {item.id: item.qualified_name for file in found.values() for item in file.symbols}
    return {
        (edge.line, names[edge.target], Strategy(edge.strategy).name)
        for file in found.values()
        for edge in file.edges
        if edge.type == EdgeType.CALLS
    }


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda one: f"{one.parent.name}-{one.name}")
def test_importing_what_was_exported_gives_the_same_edges(folder: Path) -> None:
    files = texts(folder)
    before = linked(files)
    after = linked(files, read(export(files)[0], files))
    assert edges(after) == edges(before)
    assert uses(after) <= uses(before)
    strategies = {edge.strategy for file in after.values() for edge in file.edges}
    assert Strategy.SCIP in strategies or len(before) == 1


def test_an_index_adds_what_is_not_seen_here() -> None:
    assert calls(FILES, None) == {(5, "a.B.run", "DECLARED")}
    scip = read(BOTH, FILES)
    assert calls(FILES, scip) == {(4, "a.A.run", "SCIP"), (5, "a.B.run", "SCIP")}
    (file,) = [file for path, file in linked(FILES, scip).items() if path == "b.py"]
    assert file.unresolved == ()


def test_an_index_wins_where_it_says_otherwise() -> None:
    used = [row for row in USED if row[0] != [4, 6, 9]]
    other = index_of(("a.py", DEFINED), ("b.py", [*used, ([4, 6, 9], "a/A#run().", 8)]))
    assert calls(FILES, read(other, FILES)) == {(4, "a.A.run", "SCIP"), (5, "a.A.run", "SCIP")}


def test_what_it_does_not_mention_stays() -> None:
    only = index_of(("a.py", DEFINED), ("b.py", [row for row in USED if row[0][0] < 4]))
    assert calls(FILES, read(only, FILES)) == {(4, "a.A.run", "SCIP"), (5, "a.B.run", "DECLARED")}


def test_symbols_that_nothing_defines_change_nothing() -> None:
    foreign = index_of(("b.py", [([4, 6, 9], "other/B#run().", 8)]))
    assert calls(FILES, read(foreign, FILES)) == calls(FILES, None)


def edited(text: str, path: str = "b.py") -> dict[str, str]:
    return {**FILES, path: text}


@pytest.mark.parametrize(
    "text",
    [
        "\n" + FILES["b.py"],  # everything is moved
        FILES["b.py"].replace("use", "used"),  # a definition has another name
        FILES["b.py"].replace("x.run", "x.runs"),  # a use has another length
        FILES["b.py"] + "\ndef more(): pass\n",  # a declaration is new
    ],
)
def test_a_document_of_another_text_is_not_used(text: str) -> None:
    files = edited(text)
    # the file was like this when the index was read
    assert calls(files, read(BOTH, files)) == calls(files, None)


def test_a_document_counts_for_the_text_that_was_there_when_it_was_read() -> None:
    scip = read(BOTH, FILES)
    changed = edited(FILES["b.py"].replace("x, y", "y, x"))  # only the order of two names
    assert calls(changed, scip) == calls(changed, None)
    assert calls(FILES, scip) != calls(FILES, None)


def test_uses_of_a_file_that_changed_stay_as_long_as_it_declares_the_symbol() -> None:
    scip = read(BOTH, FILES)
    moved = edited("\n\n" + FILES["a.py"], "a.py")
    assert (4, "a.A.run", "SCIP") in calls(moved, scip)
    renamed = edited(FILES["a.py"].replace("run", "go", 1), "a.py")
    assert calls(renamed, scip) == {(5, "a.B.run", "SCIP")}


def test_a_text_in_the_index_decides_by_itself() -> None:
    index = Index.FromString(BOTH)
    index.documents[1].text = FILES["b.py"] + "# more"
    scip = read(index.SerializeToString(), FILES)
    assert [report.skipped for report in scip.reports] == [1]
    assert calls(FILES, scip) == calls(FILES, None)


def test_columns_in_other_units_are_not_taken_for_another_text() -> None:
    files = {**FILES, "b.py": FILES["b.py"].replace("x.run()", '"ä" + x.run()')}
    moved = [
        ([3, 13, 16], symbol, roles) if place == [3, 6, 9] else (place, symbol, roles)
        for place, symbol, roles in USED
        if place != [3, 4, 5]
    ]
    in_bytes = index_of(("a.py", DEFINED), ("b.py", moved), units=1)
    assert (5, "a.B.run", "SCIP") in calls(files, read(in_bytes, files))


def test_an_index_of_a_folder_is_of_its_files() -> None:
    files = {f"web/{path}": text.replace("from a", "from .a") for path, text in FILES.items()}
    files["web/b.py"] = "from web.a import A, B" + FILES["b.py"].partition("B")[2]
    index = Index.FromString(index_of(("a.py", DEFINED), ("b.py", USED[4:])))
    index.metadata.project_root = "file:///build/web"
    data = index.SerializeToString()
    assert (4, "web.a.A.run", "SCIP") in calls(files, read(data, files, "web/index.scip"))
    assert read(data, files, "index.scip").paths == []


def test_relations_are_edges() -> None:
    files = {
        "a.py": "class A:\n    def run(self): pass\nclass B(make()):\n    def run(self): pass\n",
    }
    index = Index.FromString(
        index_of(
            (
                "a.py",
                [
                    ([0, 6, 7], "a/A#", 1),
                    ([1, 8, 11], "a/A#run().", 1),
                    ([2, 6, 7], "a/B#", 1),
                    ([3, 8, 11], "a/B#run().", 1),
                ],
            )
        )
    )
    for below, above in (("a/B#", "a/A#"), ("a/B#run().", "a/A#run().")):
        info = index.documents[0].symbols.add(symbol=SYMBOL + below)
        info.relationships.add(symbol=SYMBOL + above, is_implementation=True)
    found = linked(files, read(index.SerializeToString(), files))["a.py"]
    kinds = {EdgeType(edge.type).name for edge in found.edges if edge.strategy == Strategy.SCIP}
    assert kinds == {"INHERITS", "OVERRIDES"}


HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "no index": b"\xff" * 50,
    "cut off": BOTH[:-7],
    "unknown symbols": index_of(("b.py", [([4, 6, 9], "", 8)])).replace(b"compiler", b"com\0iler"),
    "paths outside": index_of(("../../etc/passwd", DEFINED), ("/etc/passwd", DEFINED)),
    "no path": index_of(("", DEFINED)),
    "columns far away": index_of(("b.py", [([4, (1 << 30) - 1, (1 << 30) - 1], "a/A#", 8)])),
    "lines far away": index_of(("b.py", [([(1 << 30) - 1, 0, 5], "a/A#", 1)])),
    "negative": index_of(("b.py", [([-5, -1, -3], "a/A#", 1), ([0, 0, -1], "a/A#", -1)])),
    "many at one place": index_of(("b.py", [([4, 6, 9], f"a/A{n}#run().", 8) for n in range(999)])),
    "a relation to itself": BOTH + index_of(("a.py", DEFINED)),
    "long names": index_of(("b.py", [([4, 6, 9], "x" * 9999 + "#", 1)])),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_indexes_cost_nothing_but_their_edges(data: bytes) -> None:
    scip = read(data, FILES)
    found = calls(FILES, scip)
    assert {row for row in found if row[2] != "SCIP"} <= calls(FILES, None)
    assert {path for path in scip.paths if path not in FILES} == set()


def test_a_damaged_index_says_where() -> None:
    (report,) = read(BOTH[:-7], FILES).reports
    assert "at byte" in report.problem
    assert report.documents == 1  # what came before it counts


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_flipped_bytes_never_raise(data: st.DataObject) -> None:
    whole = bytearray(BOTH)
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    linked(FILES, read(bytes(whole), FILES))


@given(st.binary(max_size=100))
def test_other_bytes_are_not_what_was_kept(data: bytes) -> None:
    with pytest.raises(ValueError, match="imported"):
        ScipIndex(data)


def shuffled(chance: random.Random, text: str) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    change: Callable[[], list[str]] = chance.choice(
        [
            lambda: [*lines[:at], "", *lines[at:]],
            lambda: [*lines[:at], *lines[at + 1 :]],
            lambda: [*lines, "def more(): return run()"],
            lambda: [line.replace("run", "go") for line in lines],
            lambda: [line.replace("go", "run") for line in lines],
        ]
    )
    return "\n".join(change())


@pytest.mark.parametrize("seed", range(20))
def test_linking_what_asked_about_a_change_equals_linking_everything(seed: int) -> None:
    chance = random.Random(seed)
    scip = read(BOTH, FILES)
    texts_now: dict[str, str] = dict(FILES)
    found = linked(texts_now, scip)
    for _ in range(8):
        path = chance.choice(sorted(FILES))
        if path in texts_now and chance.random() < 0.15:
            del texts_now[path]
        elif chance.random() < 0.25:
            texts_now[path] = FILES[path]
        else:
            texts_now[path] = shuffled(chance, texts_now.get(path, FILES[path]))
        tree = ScipSources(texts_now, scip)
        found, _count = relink(found, tree, path)
        assert found == linked(texts_now, scip)

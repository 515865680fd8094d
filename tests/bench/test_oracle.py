"""The record of what a version makes of trees holds still, and shows each change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.oracle import CallRow, call_rows, differences, record_of
from repo_mcp.answers.verdicts import Verdict

SOURCES = {
    "shop/sale.py": "def price_of(item):\n    return discount(item.price)\n\n\n"
    "def discount(price):\n    return price * 9 // 10\n",
    "README.md": "# A shop\n\nIt sells items at a discount.\n",
}
# one call of each face
CALLS = [
    CallRow("tool", "repo.search", "literal", 1, {"query": "{0}", "mode": "literal"}),
    CallRow("command", "callers", "name", 1, ["{0}"]),
    CallRow("page", "ask", "file", 1, {"names": "{0}:{1}-{2}"}),
    CallRow("library", "history", "once", 1, {"words": "tree"}),
    CallRow("tool of roots", "repo.search", "name", 1, {"query": "{0} repo:now"}),
    CallRow("command of roots", "search", "name", 1, ["{0}", "repo:now"]),
    CallRow("tool of packages", "repo.search", "name", 1, {"query": "{0} in:deps"}),
]


def recorded(folder: Path, sources: Mapping[str, str] = SOURCES) -> Path:
    """A folder with the record of a tree."""
    tree = folder / "tree"
    for name, text in sources.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    record = record_of(tree, folder / "work", 1, CALLS)
    return written(folder / "record", tree=record)


def written(folder: Path, **records: object) -> Path:
    folder.mkdir()
    for name, record in records.items():
        (folder / f"{name}.json").write_text(json.dumps(record, sort_keys=True))
    return folder


@pytest.mark.servers
def test_a_tree_has_the_same_record_twice(tmp_path: Path) -> None:
    first, second = (recorded(tmp_path / name) / "tree.json" for name in ("one", "other"))
    assert first.read_bytes() == second.read_bytes()
    record = json.loads(first.read_text())
    assert {kind: len(names) for kind, names in record["segments"].items()} == {
        "index": 1,
        "code": 1,
        "graph": 1,
    }
    assert record["declarations"] == ["shop", "price_of", "discount"]
    assert {kind: len(answers) for kind, answers in record["calls"].items()} == {
        f"{row.face} {row.target}": 1 for row in CALLS
    }
    assert str(tmp_path) not in first.read_text()
    (command,) = record["calls"]["command of roots search"].values()
    assert command["code"] == 0


@pytest.mark.servers
def test_what_another_version_answers_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = recorded(tmp_path / "before")
    monkeypatch.setattr(Verdict, "__str__", lambda _: "changed")
    after = recorded(tmp_path / "after")
    page, *of_places, tool = differences(before, after)
    assert page.startswith('tree.json: calls: page ask: {"names": "')
    assert page.endswith(': json: result: parts: 0: verdict: "answered" became "changed"')
    assert tool.startswith("tree.json: calls: tool repo.search: {")
    assert [line.partition(": {")[0] for line in of_places] == [
        f"tree.json: calls: tool of {place} repo.search" for place in ("packages", "roots")
    ]


def test_the_table_asks_all_faces_a_thousand_times() -> None:
    rows = call_rows()
    assert {row.kind for row in rows} == {row.kind for row in CALLS}
    assert {row.place for row in rows} == {row.place for row in CALLS}
    assert sum(row.calls for row in rows) >= 1000


def test_a_difference_names_the_tree_the_kind_and_the_place(tmp_path: Path) -> None:
    same = {"segments": {"index": ["seg-a"]}, "ranked": {"item": {"hits": [1, 2]}}}
    other = {"segments": {"index": ["seg-a"]}, "ranked": {"item": {"hits": [1, 3]}}}
    before = written(tmp_path / "before", same=same, changed=same, gone=same)
    after = written(tmp_path / "after", same=same, changed=other)
    assert [*differences(before, after)] == [
        "changed.json: ranked: item: hits: 1: 2 became 3",
        "gone.json: only in one of them",
    ]


def test_two_empty_records_are_not_the_same(tmp_path: Path) -> None:
    before, after = written(tmp_path / "before"), written(tmp_path / "after")
    (line,) = differences(before, after)
    assert line.startswith("no records in ")

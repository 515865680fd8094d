"""The record of what a version makes of trees holds still, and shows each change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.oracle import differences, record_of

SOURCES = {
    "shop.py": "def price_of(item):\n    return discount(item.price)\n\n\n"
    "def discount(price):\n    return price * 9 // 10\n",
    "README.md": "# A shop\n\nIt sells items at a discount.\n",
}


def recorded(folder: Path, tree: Path) -> dict[str, Any]:
    return json.loads(json.dumps(record_of(tree, folder / "data", 100)))  # type: ignore[no-any-return]


def written(folder: Path, **records: object) -> Path:
    folder.mkdir()
    for name, record in records.items():
        (folder / f"{name}.json").write_text(json.dumps(record))
    return folder


def test_a_tree_has_the_same_record_twice(tmp_path: Path) -> None:
    tree = tmp_path / "shop"
    tree.mkdir()
    for name, text in SOURCES.items():
        (tree / name).write_text(text)
    first, second = (recorded(tmp_path / name, tree) for name in ("one", "other"))
    assert first == second
    assert {kind: len(names) for kind, names in first["segments"].items()} == {
        "index": 1,
        "code": 1,
        "graph": 1,
    }
    assert first["declarations"] == ["shop", "price_of", "discount"]
    for kind in ("ranked", "phrase", "literal", "research", "bundle"):
        assert first[kind]
        assert not any(answer["isError"] for answer in first[kind].values())
    assert str(tree) not in json.dumps(first)


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

"""`repo.search` with further `queries`: a part of the answer for each, and nothing twice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write

CODE = """\
def take(coin):
    count(coin)
    return pay(coin)


def give(coin):
    pay(coin)
"""


@pytest.fixture
def call(tmp_path: Path) -> Caller:
    root = write(tmp_path / "root", {"till.py": CODE, "other.py": "count = 1\npay = 2\n"})
    caller = Caller(root, tmp_path / "data")
    caller.result("repo.refresh_index")
    return caller


def parts(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [result, *result["others"]]


def rows(part: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (file["path"], row)
        for file in part.get("files", ())
        for row in file.get("lines", "").split("\n")
        if row
    ]


@pytest.mark.parametrize("mode", ["bm25", "literal", "regex", "structure"])
def test_each_query_has_its_own_part(call: Caller, mode: str) -> None:
    behind = "($A)" if mode == "structure" else ""
    queries = [f"{name}{behind}" for name in ("count", "pay", "zzz")]
    found = call.result("repo.search", query=queries[0], queries=queries[1:], mode=mode)
    assert [part["query"] for part in parts(found)] == queries
    counts = [len(part.get("files", ())) + len(part.get("hits", ())) for part in parts(found)]
    assert [bool(count) for count in counts] == [True, True, False]
    text = call.answer("repo.search", query=queries[0], queries=queries[1:], mode=mode)
    shown = text["content"][0]["text"]
    assert [row for row in shown.split("\n") if row.startswith("query: ")] == [
        f"query: {query}" for query in queries
    ]


def test_the_parts_are_what_each_query_alone_answers(call: Caller) -> None:
    found = call.result("repo.search", query="count", queries=["give", "count"], mode="literal")
    for part in parts(found):
        alone = call.result("repo.search", query=part["query"], mode="literal")
        assert rows(part) == rows(alone)
        assert part["matching_lines"] == alone["matching_lines"]
    assert len(parts(found)) == 2  # each query once


def test_lines_that_an_earlier_part_shows_are_numbers_in_later_ones(call: Caller) -> None:
    found = call.result("repo.search", query="pay(coin)", queries=["coin"], mode="literal")
    first, second = parts(found)
    assert rows(first) == [("till.py", "3:     return pay(coin)"), ("till.py", "7:     pay(coin)")]
    assert [row for _, row in rows(second)] == [
        "1: def take(coin):", "2:     count(coin)", "3:     return pay(coin)",
        "6: def give(coin):", "7:     pay(coin)",
    ]  # fmt: skip
    again = call.result("repo.search", query="coin", queries=["pay(coin)"], mode="literal")
    assert rows(parts(again)[1]) == []
    assert parts(again)[1]["files"] == [{"path": "till.py", "also": "3, 7 above"}]
    assert parts(again)[1]["matching_lines"] == 2


def test_bodies_and_passages_are_shown_once(call: Caller) -> None:
    given: dict[str, Any] = {"mode": "literal", "show": "bodies"}
    found = call.result("repo.search", query="count(", queries=["return pay"], **given)
    first, second = parts(found)
    assert len(rows(first)) == 3
    assert (rows(second), second["files"][0]["also"]) == ([], "3 above")
    ranked = call.result("repo.search", query="take coin", queries=["take"])
    first, second = parts(ranked)
    spans = {(hit["path"], hit["start_line"]) for hit in first["hits"]}
    assert not spans & {(hit["path"], hit["start_line"]) for hit in second["hits"]}
    assert "till.py:1-3 take (above)" in second["left"]


@pytest.mark.parametrize("most", [2_000, 5_000, 12_000, 20_000])
@pytest.mark.parametrize("mode", ["bm25", "literal"])
def test_all_parts_share_one_size(call: Caller, tmp_path: Path, most: int, mode: str) -> None:
    text = "".join(f"word_{n} is a line with some words of number {n % 10}\n" for n in range(400))
    write(tmp_path / "root", {f"t{n}.txt": text for n in range(9)})
    call.result("repo.refresh_index")
    queries = [f"word_{n}" for n in range(1, 10)]
    answer = call.answer("repo.search", query="word", queries=queries, mode=mode, max_chars=most)
    data = answer["structuredContent"]
    asked = len(parts({"others": [], **data["result"]}))
    assert asked == min(10, most // 2_000)
    left = [text for text in data["warnings"] if text.startswith("left for another call: ")]
    assert bool(left) is (asked < 10)
    assert len(json.dumps(data, ensure_ascii=False).encode()) <= most + 500  # of blanks


def test_a_part_goes_on_by_its_query_alone(call: Caller, tmp_path: Path) -> None:
    write(tmp_path / "root", {f"t{n}.txt": "needle one\nneedle two\n" * 50 for n in range(5)})
    call.result("repo.refresh_index")
    asked: dict[str, Any] = {"mode": "literal", "top_k": 30}
    found = call.result("repo.search", query="needle one", queries=["needle two"], **asked)
    second = parts(found)[1]
    following = call.result("repo.search", query="needle two", cursor=second["cursor"], **asked)
    shown = {row for row in rows(second) if re.match(r"\d+:", row[1])}
    assert len(rows(following)) == 30
    assert not shown & {*rows(following)}
    refused = call.refusal(
        "repo.search", query="needle two", queries=["x"], cursor=second["cursor"], **asked
    )
    assert "a cursor is of one query" in refused["reason"]


def test_a_query_that_is_wrong_spoils_no_other(call: Caller) -> None:
    answer = call("repo.search", query="(", queries=["pay"], mode="regex")
    assert (answer["result"]["query"], answer["ok"]) == ("pay", True)
    assert any(text.startswith("(: ") for text in answer["warnings"])
    assert call.refusal("repo.search", query="(", queries=["["], mode="regex")["code"]

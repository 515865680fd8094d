"""`find_similar`: symbols with the ids of the graph, before and after edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.toolsets.codeagent.test_graph_tools import Graph
from tests.repo_mcp.trees import write

TOTAL = """def total_price(items, account):
    total = 0
    for item in items:
        if item.account == account and item.price > 0:
            total += item.price
    return round(total, 2)
"""
OTHER = """class Reader:
    def parse_header(self, socket):
        header = socket.read_line()
        name, _, value = header.partition(":")
        return name, value

    def parse_body(self, socket):
        return socket.read_all()
"""
FILES: dict[str, str | bytes] = {
    "shop/till.py": TOTAL,
    "shop/bill.py": "import os\n\n\n" + TOTAL.replace("total_price", "sum_of_prices"),
    "shop/read.py": OTHER,
    "empty.py": "",
    "web/card.ts": "export class Card {\n  pay(price: number) {\n    return price > 0;\n  }\n}\n",
}


@pytest.fixture
def call(tmp_path: Path) -> Graph:
    return Graph(write(tmp_path / "root", FILES), tmp_path / "data").linked()


@pytest.mark.requirement("CAE-find_similar")
def test_near_duplicates_come_first_with_their_ids(call: Graph) -> None:
    found = call("find_similar", node_id=call.node("shop.till.total_price"))
    first = found["results"][0]
    assert first["node_id"] == call.node("shop.bill.sum_of_prices")
    assert first == {
        "node_id": first["node_id"],
        "name": "sum_of_prices",
        "qualified_name": "shop.bill.sum_of_prices",
        "node_type": "function",
        "language": "python",
        "file_path": "shop/bill.py",
        "line_start": 4,
        "line_end": 9,
        "similarity": first["similarity"],
        "near_duplicate": "renamed",
    }
    assert 0.8 < first["similarity"] < 1
    others = {row["qualified_name"] for row in found["results"][1:]}
    assert others == {"shop.read.Reader", "shop.read.Reader.parse_header", "Card", "Card.pay"}
    assert not any("near_duplicate" in row for row in found["results"][1:])
    assert found["snapshot"]["complete"] is True


def test_every_id_is_one_that_other_tools_know(call: Graph) -> None:
    for path in FILES:
        if path == "empty.py":
            continue
        for row in call("get_file_outline", path=path)["results"]:
            for near in call("find_similar", node_id=row["node_id"])["results"]:
                symbol = call("get_symbol", node_id=near["node_id"])
                same = ("qualified_name", "node_type", "file_path", "line_start", "line_end")
                assert [symbol[name] for name in same] == [near[name] for name in same]
                assert near["node_id"] != row["node_id"]


@pytest.mark.requirement("CAE-find_similar")
def test_the_limit_is_at_most_fifty(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"m{number:02}.py": TOTAL for number in range(70)}
    call = Graph(write(tmp_path / "root", files), tmp_path / "data").linked()
    node = call.node("m00.total_price")
    assert len(call("find_similar", node_id=node)["results"]) == 10
    found = call("find_similar", node_id=node, limit=10**9)
    assert len(found["results"]) == 50
    assert found["warnings"] == ["limit is limited to 50, 1000000000 was requested"]
    assert len(call("find_similar", node_id=node, limit=1)["results"]) == 1
    assert call.code("find_similar", node_id=node, limit=0) == "invalid_parameter"


def test_what_is_no_symbol_is_an_error(call: Graph) -> None:
    assert call.code("find_similar", node_id="0" * 16) == "not_found"
    assert call.code("find_similar", node_id="nonsense") == "not_found"
    assert call.code("find_similar", node_id="") == "invalid_parameter"


def test_without_embeddings_it_says_so(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    call = Graph(root, tmp_path / "data", embeddings=False).linked()
    error = call.error("find_similar", node_id=call.node("shop.till.total_price"))
    assert error["code"] == "engine_unavailable"
    assert "embeddings are turned off" in error["message"]


def test_an_empty_file_is_like_nothing(call: Graph) -> None:
    node = call("search_symbols", query="empty", node_type="file")["results"][0]["node_id"]
    found = call("find_similar", node_id=node)
    assert found["results"] == []
    assert found["warnings"] == ["the symbol has no words to compare"]


def test_a_whole_file_is_compared_as_well(call: Graph) -> None:
    node = call("search_symbols", query="till", node_type="file")["results"][0]["node_id"]
    first = call("find_similar", node_id=node)["results"][0]
    assert first["qualified_name"] == "shop.bill.sum_of_prices"


def test_changed_files_are_indexed_again_first(call: Graph, tmp_path: Path) -> None:
    node = call.node("shop.till.total_price")
    moved = "X = 1\n\n\n" + TOTAL
    write(tmp_path / "root", {"shop/till.py": moved, "shop/bill.py": "import re\n" + moved})
    first = call("find_similar", node_id=node)["results"][0]
    assert (first["file_path"], first["line_start"]) == ("shop/bill.py", 5)
    assert first["near_duplicate"] == "copy"
    (tmp_path / "root" / "shop" / "bill.py").unlink()
    found = call("find_similar", node_id=node)["results"]
    assert "shop/bill.py" not in {row["file_path"] for row in found}
    (tmp_path / "root" / "shop" / "till.py").unlink()
    assert call.code("find_similar", node_id=node) == "not_found"


def test_symbols_of_files_that_are_not_linked_yet_have_the_same_ids(
    call: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = call.node("shop.till.total_price")
    write(tmp_path / "root", {"new/more.py": TOTAL})
    with monkeypatch.context() as patch:
        background = call.app.services.running().background
        patch.setattr(background, "wait_until_linked", lambda _: False)
        call("index_files", paths=["new/more.py"])
        found = call("find_similar", node_id=node)
    row = next(row for row in found["results"] if row["file_path"] == "new/more.py")
    assert row["qualified_name"] == "new.more.total_price"
    call.linked()
    assert call.node("new.more.total_price") == row["node_id"]


def test_a_symbol_of_a_changed_file_is_not_the_one_that_was_linked_at_its_row(
    call: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = call.node("shop.till.total_price")
    copy = TOTAL.replace("total_price", "sum_of_reads")
    write(tmp_path / "root", {"shop/read.py": f"{copy}\n\n{OTHER}"})
    background = call.app.services.running().background
    monkeypatch.setattr(background, "wait_until_linked", lambda _: False)
    call("index_files", paths=["shop/read.py"])
    found = call("find_similar", node_id=node)["results"]
    names = {row["qualified_name"] for row in found}
    assert "shop.read.sum_of_reads" in names

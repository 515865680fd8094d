"""Symbols and their relations: what is shown, how sure it is, and what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.cli.graph.graph_process import Commands, names_of
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.web.browsing import Browser

pytestmark = pytest.mark.servers


def test_callers_are_places_with_their_symbols_and_lines(shop: Commands) -> None:
    done = shop("callers", "add_tax")
    assert done.code == 0
    assert done.lines == [
        "shop/prices.py:9:16: shop.prices.Price.gross: return add_tax(self.net)",
        "shop/tax.py:11:12: shop.tax.total: return add_tax(1)",
    ]


def test_the_first_use_says_what_it_does_and_later_ones_only_what_is_found(shop: Commands) -> None:
    assert "looking for changes" in shop("callers", "add_tax").err
    (note,) = shop("callers", "add_tax").err.splitlines()
    assert note.startswith("repo-mcp: note: complete: ")
    assert note.endswith("all 4 lines with this name: 2 uses, 1 import, 1 in its declaration")


def test_callers_of_callers_follow_those_they_call(shop: Commands) -> None:
    done = shop("callers", "add_tax", "--depth", "3")
    assert [line.split(": ")[1] for line in done.lines] == [
        "shop.prices.Price.gross",
        "  shop.loose.run [probable]",
        "  shop.prices.total [inferred]",
        "    shop.prices._forgotten",
        "    tests.test_prices.test_total",
        "shop.tax.total",
    ]
    assert len(shop("callers", "add_tax", "--depth", "2").lines) == 4


def test_confidence_says_how_unsure_edges_may_be(shop: Commands) -> None:
    assert shop("callers", "Price.gross", "--confidence", "exact").code == 1
    inferred = shop("callers", "Price.gross", "--json").facts["results"]
    assert [(row["symbol"]["name"], row["confidence"]) for row in inferred] == [
        ("total", "inferred"),
        ("run", "probable"),
    ]
    left_out = shop("callers", "Reduced.gross", "--confidence", "contract")
    assert left_out.code == 1
    assert "2 lines of code could add to this: shop/loose.py:2; shop/prices.py:18" in left_out.err
    dispatch = shop("callers", "Reduced.gross", "--confidence", "dispatch").lines
    assert dispatch == [
        (
            "shop/prices.py:18:22: shop.prices.total [dispatch]:"
            " return sum(price.gross() for price in prices)"
        )
    ]
    named = shop("callers", "Price.gross", "--confidence", "possible", "--json").facts
    assert ("shop.loose.run", "probable") in [
        (row["symbol"]["qualified_name"], row["confidence"]) for row in named["results"]
    ]


def test_unknown_targets_of_a_name_are_counted(shop: Commands) -> None:
    done = shop("callers", "Reduced.gross", "--confidence", "contract")
    assert (done.code, done.out) == (1, "")
    assert "nothing found" in done.err
    assert "what 1 use of this name means is not known" in done.err
    facts = shop("callers", "Reduced.gross", "--confidence", "contract", "--json").facts
    assert facts["complete_list"] is False
    assert (facts["resolved"], facts["unresolved_same_name"]) == (0, 1)


def test_implementations_are_subclasses_and_overriding_methods(shop: Commands) -> None:
    assert shop("implementations", "Price").lines == [
        "shop/prices.py:12:15: shop.prices.Reduced [inherits]: class Reduced(Price):"
    ]
    (row,) = shop("implementations", "Price.gross", "--json").facts["results"]
    assert (row["symbol"]["qualified_name"], row["edge_type"]) == (
        "shop.prices.Reduced.gross",
        "overrides",
    )
    assert shop("implementations", "add_tax").code == 1


def test_callees_say_where_they_are_declared(shop: Commands) -> None:
    assert shop("callees", "shop.tax.total").lines == [
        "shop/tax.py:11:12: shop.tax.add_tax (shop/tax.py:4): return add_tax(1)"
    ]
    assert shop("callees", "add_tax").code == 1
    external = shop("callees", "add_tax", "--external").lines
    assert external[0].startswith("shop/tax.py:7:17: math.floor: return math.floor(")
    both = shop("callees", "shop/prices.py:total", "--confidence", "dispatch", "--json").facts
    assert [(row["symbol"]["qualified_name"], row["confidence"]) for row in both["results"]] == [
        ("shop.prices.Price.gross", "inferred"),
        ("shop.prices.Reduced.gross", "dispatch"),
    ]
    unknown = shop("callees", "shop.loose.run", "--confidence", "possible", "--json").facts
    assert names_of(unknown["results"]) == ["shop.prices.Price.gross", "shop.prices.Reduced.gross"]


def test_references_are_uses_of_all_kinds(shop: Commands) -> None:
    facts = shop("refs", "Price", "--json").facts
    assert {(row["symbol"]["name"], row["edge_type"]) for row in facts["results"]} == {
        ("prices", "references"),
        ("Reduced", "inherits"),
        ("total", "accepts"),
        ("test_prices", "imports"),
        ("test_total", "calls"),
    }
    assert [row["symbol"]["name"] for row in facts["results"] if row.get("is_test")] == [
        "test_prices",
        "test_total",
    ]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["--kind", "method"], ["shop.prices.Price.gross"]),
        (["--kind", "method", "--kind", "function"], None),
        (["-g", "shop/tax.py"], ["shop.tax.total"]),
        (["-g", "!shop/tax.py"], ["shop.prices.Price.gross"]),
        (["-g", "shop/**", "-g", "!*tax*"], ["shop.prices.Price.gross"]),
        (["-g", "shop/**, !*tax*"], ["shop.prices.Price.gross"]),
        (["--lang", "typescript"], []),
        (["--lang", "python", "--limit", "1"], ["shop.prices.Price.gross"]),
    ],
)
def test_answers_are_filtered(shop: Commands, given: list[str], found: list[str] | None) -> None:
    done = shop("callers", "add_tax", "--json", *given)
    every = ["shop.prices.Price.gross", "shop.tax.total"]
    assert names_of(done.facts["results"]) == (every if found is None else found)
    assert done.code == (1 if found == [] else 0)
    assert done.facts["truncated"] == ("--limit" in given)


def test_an_unknown_language_is_an_error_that_lists_the_known_ones(shop: Commands) -> None:
    done = shop("callers", "add_tax", "--lang", "klingon")
    assert (done.code, done.out) == (2, "")
    assert "python" in done.err


def test_symbols_are_found_by_words_and_beginnings(shop: Commands) -> None:
    assert shop("symbols", "gros*").lines == [
        "shop/prices.py:8: method shop.prices.Price.gross  def gross(self)",
        "shop/prices.py:13: method shop.prices.Reduced.gross  def gross(self)",
    ]
    facts = shop("symbols", "total", "-g", "shop/tax.py", "--json").facts
    assert names_of(facts["results"]) == ["shop.tax.total"]
    assert shop("symbols", "gros*", "--limit", "1", "--json").facts["truncated"]
    assert shop("symbols", "nowhere").code == 1
    assert shop("symbols", " ").code == 2


def test_an_edit_is_in_the_next_answer(shop: Commands) -> None:
    shop("callers", "add_tax")
    write(shop.root, {"shop/new.py": "from shop.tax import add_tax\n\nadd_tax(2)\n"})
    assert "shop/new.py:3:1: shop.new: add_tax(2)" in shop("callers", "add_tax").lines
    (shop.root / "shop/new.py").unlink()
    assert len(shop("callers", "add_tax").lines) == 2


def test_typescript_is_asked_in_the_same_way(store: Commands) -> None:
    assert store("callers", "read").lines == ["src/store.ts:3:12: Store.load: return read(key);"]
    assert store("callers", "Store.load", "--lang", "typescript").lines == [
        'src/app.ts:3:22: start [inferred]: return new Store().load("a");'
    ]


def test_a_name_with_a_prime_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = "module A where\n\nf :: Int -> Int\nf x = x\n\nf' :: Int -> Int\nf' x = f x\n"
    shell = Commands(tmp_path, {"A.hs": text}, monkeypatch, capfd)
    assert shell("symbol", "f'").lines[0] == "f': function, A.hs:6-7 (haskell)"
    assert shell("symbol", "f").lines[0] == "f: function, A.hs:3-4 (haskell)"
    page = Browser(tmp_path / "web", {"A.hs": text}).get("/symbol?name=f%27").text
    assert "A.hs:6" in page

"""A NAME is an id, a qualified or simple name, or a place; an ambiguous one is the likeliest."""

from __future__ import annotations

import pytest

from tests.repo_mcp.cli.graph.graph_process import Commands, names_of

pytestmark = pytest.mark.servers


@pytest.mark.parametrize(
    "name",
    [
        "add_tax",
        "tax.add_tax",
        "shop.tax.add_tax",
        "shop/tax.py:4",
        "./shop/tax.py:5:9",
        "shop/tax.py:add_tax",
    ],
)
def test_a_symbol_is_named_in_many_ways(shop: Commands, name: str) -> None:
    facts = shop("callers", name, "--json").facts
    assert facts["symbol"]["qualified_name"] == "shop.tax.add_tax"
    by_id = shop("callers", facts["symbol"]["node_id"], "--json").facts
    assert by_id == facts


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("shop/prices.py", "shop.prices"),
        ("shop/prices.py:2", "shop.prices"),
        ("shop/prices.py:4", "shop.prices.Price"),
        ("shop/prices.py:6", "shop.prices.Price.net"),
        ("shop/prices.py:9", "shop.prices.Price.gross"),
        ("shop/prices.py:9999", "shop.prices"),
        ("Price::gross", "shop.prices.Price.gross"),
        ("Price#gross", "shop.prices.Price.gross"),
    ],
)
def test_a_place_is_the_innermost_declaration(shop: Commands, name: str, found: str) -> None:
    facts = shop("refs", name, "--json").facts
    assert facts["symbol"]["qualified_name"] == found


def test_an_ambiguous_name_is_the_most_used_symbol_and_the_others_are_named(shop: Commands) -> None:
    done = shop("callers", "total")
    assert done.code == 0
    head, other = done.err.splitlines()[-2:]
    taken = head.partition(" was taken for ")[2].split()[0]
    assert taken in {"shop.prices.total", "shop.tax.total"}
    assert other.split()[-1] == ({"shop.prices.total", "shop.tax.total"} - {taken}).pop()
    assert shop("callers", taken).out == done.out
    (choice,) = shop("callers", "total", "--json").facts["choices"]
    assert choice["taken"]["qualified_name"] == taken
    assert names_of(choice["others"]) == [other.split()[-1]]


def test_a_whole_name_is_not_ambiguous_with_longer_ones(shop: Commands) -> None:
    (shop.root / "total.py").write_text("def total():\n    return 1\n\ntotal()\n", encoding="utf-8")
    assert shop("callers", "total.total").code == 0
    assert shop("callers", "shop.tax.total", "--json").facts["symbol"]["name"] == "total"


def test_a_name_of_nothing_has_suggestions(shop: Commands) -> None:
    done = shop("callers", "tax_add")
    assert (done.code, done.out) == (1, "")
    assert "no symbol is called 'tax_add'" in done.err
    assert "did you mean shop.tax" in done.err
    assert shop("callers", "tax_add", "--json").facts["missing"] == "tax_add"
    assert shop("callers", " ").code == 1


def test_names_from_outside_have_callers(shop: Commands) -> None:
    done = shop("callers", "math.floor")
    assert done.lines == [
        "shop/tax.py:7:17: shop.tax.add_tax: return math.floor(net * 2) + len(prices.__name__)"
    ]
    symbol = shop("callers", "math.floor", "--json").facts["symbol"]
    assert (symbol["node_type"], symbol["qualified_name"]) == ("external", "math.floor")


def test_a_misspelt_name_suggests_the_nearest(shop: Commands) -> None:
    assert "shop.tax.add_tax" in shop("symbols", "ad_tax").err
    assert "did you mean shop.prices.Reduced.gross" in shop("callers", "Reduced.gros").err
    done = shop("callers", "grosss")
    assert (done.code, done.out) == (1, "")
    assert "did you mean shop.prices.Price.gross, shop.prices.Reduced.gross" in done.err


def test_words_of_a_name_are_given_one_by_one(shop: Commands) -> None:
    assert shop("symbols", "add", "tax").lines == shop("symbols", "add tax").lines


def test_a_file_that_is_not_here_is_named_where_it_is(
    shop: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop("symbols", "add_tax")  # an index is there
    monkeypatch.chdir(shop.root)
    done = shop("open", "prices.py")
    assert done.code == 2
    assert "did you mean shop/prices.py" in done.err

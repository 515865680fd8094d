"""`impact` and `path`: what is reached, by which ways, and within which limits."""

from __future__ import annotations

import pytest

from tests.repo_mcp.cli.graph.graph_process import Commands, names_of

pytestmark = pytest.mark.servers


def test_impact_is_everything_that_reaches_a_symbol_and_the_tests_among_it(shop: Commands) -> None:
    facts = shop("impact", "add_tax", "--json").facts
    assert set(names_of(facts["results"])) == {
        "shop.prices",
        "shop.prices.Price.gross",
        "shop.tax.total",
        "shop.prices.total",
        "shop.prices.Reduced.gross",
        "shop.prices._forgotten",
        "shop.loose.run",
    }
    assert [row["distance"] for row in facts["results"]] == [1, 1, 1, 2, 2, 2, 3]
    assert set(names_of(facts["tests"])) == {"tests.test_prices.test_total", "tests.test_prices"}
    assert (facts["affected"], facts["files"], facts["truncated"]) == (9, 4, False)


def test_every_row_of_an_impact_is_next_to_one_that_is_nearer(shop: Commands) -> None:
    facts = shop("impact", "add_tax", "--json").facts
    distances = {facts["symbol"]["node_id"]: 0}
    for row in [*facts["results"], *facts["tests"]]:
        distances[row["symbol"]["node_id"]] = row["distance"]
        assert row["places"]
    for row in [*facts["results"], *facts["tests"]]:
        assert distances[row["next"]] == row["distance"] - 1


def test_depth_and_confidence_end_an_impact(shop: Commands) -> None:
    near = shop("impact", "add_tax", "--depth", "1", "--json").facts
    assert {row["distance"] for row in near["results"]} == {1}
    exact = shop("impact", "add_tax", "--confidence", "exact", "--json").facts
    assert "shop.prices.total" not in names_of(exact["results"])
    assert shop("impact", "_forgotten").code == 1


def test_what_uses_a_member_is_affected_by_its_class(shop: Commands) -> None:
    facts = shop("impact", "shop.prices.Price", "--depth", "1", "--json").facts
    assert {"shop.prices.Reduced", "shop.prices.total"} <= {*names_of(facts["results"])}


def test_importers_of_a_file_that_uses_a_symbol_are_not_affected(shop: Commands) -> None:
    (shop.root / "user.py").write_text(
        "from shop import tax\nVALUE = tax.add_tax(1)\n", encoding="utf-8"
    )
    (shop.root / "importer.py").write_text("import user\n", encoding="utf-8")
    names = names_of(shop("impact", "add_tax", "--json").facts["results"])
    assert "user" in names
    assert "importer" not in names
    assert "importer" in names_of(shop("impact", "user.py", "--json").facts["results"])


def test_a_path_has_a_place_for_each_step(shop: Commands) -> None:
    done = shop("path", "test_total", "add_tax")
    assert done.code == 0
    assert done.lines == [
        (
            "tests/test_prices.py:5:12: tests.test_prices.test_total calls shop.prices.total:"
            " assert total([Price(1)])"
        ),
        (
            "shop/prices.py:18:22: shop.prices.total calls [inferred] shop.prices.Price.gross:"
            " return sum(price.gross() for price in prices)"
        ),
        (
            "shop/prices.py:9:16: shop.prices.Price.gross calls shop.tax.add_tax:"
            " return add_tax(self.net)"
        ),
    ]
    assert shop("path", "test_total", "add_tax", "--confidence", "exact").code == 1
    assert shop("path", "test_total", "add_tax", "--depth", "1").code == 1


def test_the_way_back_is_shown_if_there_is_none_forwards(shop: Commands) -> None:
    done = shop("path", "add_tax", "test_total")
    assert "does not lead to" in done.err
    facts = shop("path", "add_tax", "test_total", "--json").facts
    assert facts["is_reversed"]
    assert (
        names_of([step["source"] for step in facts["steps"]])[0] == "tests.test_prices.test_total"
    )


def test_a_path_may_begin_and_end_in_members(shop: Commands) -> None:
    facts = shop("path", "tests/test_prices.py", "shop.prices.Price", "--json").facts
    assert facts["steps"][-1]["target"]["qualified_name"].startswith("shop.prices.Price")
    inside = shop("path", "Price.gross", "shop.prices.Price")
    assert inside.code == 1
    assert "shop.prices.Price contains shop.prices.Price.gross" in inside.err


def test_unconnected_symbols_have_no_path(shop: Commands) -> None:
    sure = "--confidence", "contract"
    done = shop("path", "shop.loose.run", "add_tax", *sure)
    assert (done.code, done.out) == (1, "")
    assert shop("path", "shop.loose.run", "add_tax", *sure, "--json").facts["steps"] == []
    steps = shop("path", "shop.loose.run", "add_tax", "--json").facts["steps"]
    assert [step["confidence"] for step in steps] == ["probable", "exact"]

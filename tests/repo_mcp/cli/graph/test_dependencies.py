"""Dependencies and dependents of a symbol or a file: members count, but are not shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.repo_mcp.cli.graph.graph_process import Commands, names_of

pytestmark = pytest.mark.servers


def _uses(facts: dict[str, Any]) -> set[tuple[str, str]]:
    return {(row["symbol"]["qualified_name"], row["edge_type"]) for row in facts["results"]}


def test_a_file_depends_on_what_its_declarations_use_elsewhere(shop: Commands) -> None:
    facts = shop("dependencies", "shop/prices.py", "--json").facts
    assert _uses(facts) == {
        ("shop.tax", "imports"),
        ("shop.tax.add_tax", "imports"),
        ("shop.tax.add_tax", "calls"),
    }
    calls = next(row for row in facts["results"] if row["edge_type"] == "calls")
    assert [(item["line"], item["text"]) for item in calls["places"]] == [
        (9, "return add_tax(self.net)")
    ]


def test_what_is_declared_elsewhere_is_counted_and_shown_on_request(shop: Commands) -> None:
    done = shop("dependencies", "shop/tax.py")
    assert done.code == 0
    assert ": math.floor:" not in done.out
    assert "of what is declared elsewhere: --external shows them" in done.err
    shown = shop("dependencies", "shop/tax.py", "--external")
    assert "shop/tax.py:7:17: math.floor: return math.floor(" in shown.out
    assert "--external" not in shown.err


def test_a_class_is_depended_on_where_its_members_are_used(shop: Commands) -> None:
    facts = shop("dependents", "Price", "--json").facts
    assert ("shop.prices.total", "calls") in _uses(facts)  # of the method gross
    assert ("shop.prices.Reduced", "inherits") in _uses(facts)
    inside = {"shop.prices.Price.__init__", "shop.prices.Price.gross", "shop.prices.Price"}
    assert not inside & {*names_of(facts["results"])}


def test_a_place_is_shown_once_where_a_class_and_its_constructor_are_called(
    shop: Commands,
) -> None:
    lines = shop("dependents", "Price", "--edge-type", "calls").lines
    assert len(lines) == len({*lines})
    assert any(line.startswith("tests/test_prices.py:5:19: ") for line in lines)


def test_dependents_of_a_file_are_those_of_all_that_it_declares(shop: Commands) -> None:
    facts = shop("dependents", "shop/tax.py", "--json").facts
    assert _uses(facts) >= {("shop.prices.Price.gross", "calls"), ("shop.prices", "imports")}
    assert "shop.tax.total" not in names_of(facts["results"])  # it is in the file


def test_edges_are_chosen_by_type_and_members_by_contains(shop: Commands) -> None:
    only = shop("dependents", "Price", "--edge-type", "inherits", "--json").facts
    assert _uses(only) == {("shop.prices.Reduced", "inherits")}
    held = shop("dependencies", "Price", "--edge-type", "contains", "--json").facts
    assert {"shop.prices.Price.gross"} <= {*names_of(held["results"])}
    assert {row["edge_type"] for row in held["results"]} == {"contains"}


def test_depth_follows_further_uses(shop: Commands) -> None:
    near = names_of(shop("dependents", "add_tax", "--json").facts["results"])
    far = shop("dependents", "add_tax", "--depth", "3", "--json").facts["results"]
    assert "tests.test_prices.test_total" not in near
    assert "tests.test_prices.test_total" in names_of(far)
    assert {row["distance"] for row in far} >= {1, 2, 3}


def test_a_limit_is_said(shop: Commands) -> None:
    done = shop("dependents", "Price", "--limit", "1")
    assert "only the first 1 are shown" in done.err
    assert shop("dependents", "Price", "--limit", "1", "--json").facts["truncated"] is True


def test_answers_are_filtered_and_drawn(shop: Commands) -> None:
    outside = shop("dependents", "Price", "-g", "tests/**", "--json").facts["results"]
    assert {row["symbol"]["file_path"] for row in outside} == {"tests/test_prices.py"}
    assert shop("dependents", "Price", "--dot").out.startswith("digraph")


@pytest.mark.parametrize("command", ["dependencies", "dependents"])
def test_nothing_and_no_symbol_are_told_apart(shop: Commands, command: str) -> None:
    nothing = shop(command, "_forgotten", "--edge-type", "extends")
    assert (nothing.code, nothing.out) == (1, "")
    assert "nothing found" in nothing.err
    missing = shop(command, "nowhere_at_all", "--json")
    assert (missing.code, missing.facts["missing"]) == (1, "nowhere_at_all")


def test_names_of_tools_are_names_of_commands(shop: Commands) -> None:
    by_tool = shop("get_dependents", "Price", "--json").facts
    assert by_tool == shop("dependents", "Price", "--json").facts

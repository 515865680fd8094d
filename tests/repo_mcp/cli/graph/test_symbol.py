"""`symbol` shows at a shell what `repo.symbol` shows an assistant."""

from __future__ import annotations

import pytest

from tests.repo_mcp.cli.graph.graph_process import Commands


@pytest.mark.parametrize("name", ["add_tax", "shop.tax.add_tax", "shop/tax.py:7"])
def test_a_symbol_is_shown_with_its_definition_and_its_uses(shop: Commands, name: str) -> None:
    done = shop("symbol", name)
    assert done.code == 0
    assert done.lines[0] == "shop.tax.add_tax: function, shop/tax.py:4-7 (python)"
    assert "4: def add_tax(net):" in done.lines
    assert "  9 in Price.gross: return add_tax(self.net)" in done.lines
    assert any(line.startswith("calls ") and "math.floor" in line for line in done.lines)
    facts = shop("symbol", name, "--json").facts
    assert (facts["name"], facts["path"]) == ("shop.tax.add_tax", "shop/tax.py")
    assert {row["line"] for row in facts["callers"]} == {9, 11}


def test_other_symbols_of_the_name_are_named(shop: Commands) -> None:
    done = shop("symbol", "total")
    assert any(line.startswith("one of 2 of this name, others: total (") for line in done.lines)
    assert shop("symbol", "absent").code == 1


def test_callers_tell_of_uses_on_values_from_outside(shop: Commands) -> None:
    (shop.root / "far.py").write_text(
        "import outside\n\n\ndef far():\n    outside.made().gross()\n", encoding="utf-8"
    )
    done = shop("callers", "Price.gross")
    place = "far.py:5 in far"
    assert f"note: 1 use of this name on values from outside of the repository: {place}" in done.err
    assert shop("callers", "Price.gross", "--json").facts["external_places"] == [place]
    shown = f"same name, on values from outside: {place}: outside.made().gross()"
    assert shown in shop("symbol", "Price.gross").lines


def test_symbols_of_exactly_a_name_are_listed_alone(shop: Commands) -> None:
    done = shop("symbols", "total")
    assert all("total" in line for line in done.lines)
    assert len(done.lines) == 2
    assert "total* finds longer ones" in done.err
    assert len(shop("symbols", "total*").lines) > 2

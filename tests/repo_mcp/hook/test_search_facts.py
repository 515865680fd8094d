"""Beside a search of the assistant's own it is said where names are, and what hits are in."""

from __future__ import annotations

import pytest

from repo_mcp.budget import Budget
from repo_mcp.hook.search_facts import search_facts
from tests.repo_mcp.hook.hook_tree import HookTree

GREP = "shop/prices.py:6:        return zorptal(sum(add_tax(price) for price in prices))\n"


def told(tree: HookTree, pattern: str, output: str = "") -> str:
    """The text of the hook beside a search with this output."""
    return search_facts(tree.open(), pattern, output, Budget())[0]


def test_a_declared_name_is_told_with_its_uses(shop: HookTree) -> None:
    text = told(shop, r"\badd_tax\(")
    assert "- add_tax: function, shop/tax.py:8-11" in text
    assert "used at shop/prices.py:6 in total" in text


@pytest.mark.parametrize(
    "output",
    [
        GREP,
        f"./{GREP}",
        "File: shop/prices.py\nL6: return zorptal(0)\n",
        "shop/prices.py\n6:        return zorptal(0)\n",
    ],
)
def test_hits_are_told_with_what_they_are_in(shop: HookTree, output: str) -> None:
    text = told(shop, "def \\w+ ", output)
    assert "- declarations around hits:\n  shop/prices.py: 6 in total\n" in text


def test_hits_that_are_declarations_add_nothing(shop: HookTree) -> None:
    assert told(shop, "clas.", "shop/prices.py:4:class Cart:\n") == ""
    assert told(shop, "class Cart", "shop/prices.py:4:class Cart:\n") == ""
    many = "".join(f"shop/prices.py:{number}:\n" for number in range(1, 10))
    assert "- Cart: class" in told(shop, "class Cart", many)


def test_what_nothing_declares_adds_nothing(shop: HookTree) -> None:
    assert told(shop, "TODO|FIXME", "README.md:3:TODO\n") == ""
    assert told(shop, "[") == ""

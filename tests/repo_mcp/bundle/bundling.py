"""Shared by the tests of bundles: a small repository in several languages, and its bundler."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from index_format import Snapshot
from repo_mcp.bundle import Bundle, BundleRequest, LocalBundler, Ranker
from repo_mcp.bundle.model import Excerpt
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.search import RankedEngine
from tests.repo_mcp.trees import FOREVER, served, write

FILLER = "".join(f"    step_{number} = {number}\n" for number in range(90))
TREE: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/prices.py": '''"""What things cost."""

import decimal
from shop.taxes import rate_of, unused_rate

LIMIT = 100


def net_price(order):
    """The price of an order without taxes."""
    if order is None:
        raise ValueError("an order must have at least one line")
    return sum(line.amount for line in order.lines)


def gross_price(order, country):
    """The price of an order with taxes."""
    rate = rate_of(country)
    return net_price(order) * (1 + decimal.Decimal(rate))


class Basket:
    """What somebody is about to buy."""

    def __init__(self):
        self.lines = []

    def add_line(self, line):
        """Put one more thing into the basket."""
        if len(self.lines) > LIMIT:
            raise OverflowError(f"a basket holds {LIMIT} lines, not more")
        self._check(line)
        self.lines.append(line)

    def _check(self, line):
        assert line.amount > 0
''',
    "shop/taxes.py": '''RATES = {"de": "0.19"}


def rate_of(country):
    """How much of a price is tax in a country."""
    return RATES[country]


def unused_rate():
    return None
''',
    "shop/long_report.py": f'''def yearly_report(orders):
    """A long function."""
{FILLER}    total = reconcile_ledger(orders)
{FILLER}    return total


def reconcile_ledger(orders):
    return len(orders)
''',
    "tests/test_prices.py": """from shop.prices import gross_price, net_price


def test_gross_price_adds_taxes():
    assert gross_price(order(), "de") == 119


def test_net_price_without_an_order():
    net_price(None)
""",
    "web/src/cart.js": """export function renderCart(cart) {
  const rows = cart.rows.map((row) => row.title);
  return rows.join("\\n");
}

export const emptyCart = () => {
  return { rows: [] };
};
""",
    "java/com/example/store/Ledger.java": """package com.example.store;

public class Ledger {
    private int balance;

    public void postEntry(int amount) {
        if (amount == 0) {
            throw new IllegalStateException("empty entry");
        }
        balance += amount;
    }
}
""",
    "go/server/handler.go": """package server

type Handler struct{ open int }

func (h *Handler) ServeOrder(id int) error {
\titems := []int{}
\treturn process(items[id])
}

func process(item int) error {
\treturn nil
}
""",
    "rust/src/parser/line.rs": """pub fn parse_line(text: &str) -> Option<i64> {
    let value = text.trim().parse::<i64>().unwrap();
    Some(value)
}
""",
    "c/engine/valve.c": """#include "valve.h"

static int turn(int angle)
{
\treturn angle % 360;
}

int open_valve(struct valve *v, int angle)
{
\tif (!v)
\t\treturn -1;
\tv->angle = turn(angle);
\treturn 0;
}
""",
    "c/engine/valve.h": """struct valve {
\tint angle;
};

int open_valve(struct valve *v, int angle);
""",
    "cs/Services/UserService.cs": """namespace MyApp.Services
{
    public class UserService
    {
        public string GetName(int id)
        {
            return names[id];
        }
    }
}
""",
    "docs/shipping.md": "# Shipping\n\n## Parcels\n\nHow parcels are weighed before shipping.\n",
}


class Shop(NamedTuple):
    """An indexed repository."""

    root: Path
    data: Path
    manager: IndexManager
    bundler: LocalBundler
    ranker: Ranker

    @property
    def snapshot(self) -> Snapshot:
        found = self.manager.snapshot()
        assert found is not None
        return found

    def search(self, query: str, most: int) -> list[str]:
        """The paths that a search finds, best first."""
        hits = self.ranker.find(self.snapshot, query, most, FOREVER).hits
        return [hit.path for hit in hits]

    def ask(self, prompt: str, **limits: int) -> Bundle:
        return self.bundler.build(self.snapshot, request(prompt, **limits), FOREVER)


def request(prompt: str, **limits: Any) -> BundleRequest:  # noqa: ANN401 fields of the request
    tests, audit = bool(limits.pop("include_tests", 0)), bool(limits.pop("audit", 0))
    return BundleRequest(prompt, include_tests=tests, audit=audit, **limits)


def shop(root: Path, data: Path) -> Shop:
    """A repository in an existing folder, and its index."""
    parts = served(root, data)
    parts.manager.refresh(FOREVER)
    where = parts.sandbox, parts.languages
    ranker = Ranker(RankedEngine(*where))
    return Shop(root, data, parts.manager, LocalBundler(*where, ranker), ranker)


def made(folder: Path, tree: dict[str, str | bytes] | None = None) -> Shop:
    """A repository, written to a folder, and its index."""
    return shop(write(folder / "root", TREE if tree is None else tree), folder / "data")


def shown(bundle: Bundle) -> dict[str, str]:
    """The lines that a bundle shows, by path."""
    return {
        path: "\n".join(line.text for item in items for line in item.lines)
        for path, items in bundle.by_file().items()
    }


def listed(bundle: Bundle) -> set[str]:
    """The files of a bundle: those of its lines, and those of its places."""
    return {*bundle.by_file(), *(place.path for place in bundle.places)}


def of(bundle: Bundle, symbol: str) -> Excerpt:
    """The excerpt of a declaration."""
    return next(item for item in bundle.excerpts if item.symbol == symbol)

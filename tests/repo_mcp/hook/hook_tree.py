"""A small shop with an index and a graph, as the hooks of clients find it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.hook.stored import StoredIndex, open_stored
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.tree_files import write

FILES: Final[dict[str, str | bytes]] = {
    "setup.py": "import shop\n\n\ndef requirements():\n    return []\n",
    "shop/__init__.py": "",
    "shop/tax.py": (
        "RATE = 2\n\n\nclass TaxError(Exception):\n    pass\n\n\n"
        "def add_tax(net):\n"
        "    if net < 0:\n"
        '        raise TaxError("no tax on a negative price")\n'
        "    return net * RATE\n\n\n"
        "def zorptal(price):\n    return price\n"
    ),
    "shop/prices.py": (
        "from shop.tax import add_tax, zorptal\n\n\n"
        "class Cart:\n"
        "    def total(self, prices):\n"
        "        return zorptal(sum(add_tax(price) for price in prices))\n\n"
        "    def close(self):\n"
        "        return zorptal(0)\n"
    ),
    "shop/config.py": (
        "import os\n\n\ndef currency():\n"
        '    return os.environ.get("SHOP_CURRENCY_CODE", "EUR")\n\n\n'
        "def options(parser):\n"
        '    parser.add_argument("--dry-checkout")\n'
    ),
    "shop/pages.py": (
        "from flask import Flask\n\napp = Flask(__name__)\n\n\n"
        '@app.get("/cart/checkout")\ndef checkout():\n    return "paid"\n'
    ),
    "shop/rates.py": (
        "class Rates:\n    def rate_of(self, land):\n        return 1\n\n\n"
        "class FixedRates(Rates):\n    def rate_of(self, land):\n        return 2\n\n\n"
        "def ask(rates: Rates):\n    return rates.rate_of('de')\n"
    ),
    "shop/kinds.py": "".join(
        f"class Kind{number}:\n    def label_of(self):\n        return {number}\n\n\n"
        for number in range(12)
    ),
    "shop/till.py": (
        "import threading\n\nfrom shop.rates import Rates\n\nlock = threading.Lock()\n\n\n"
        "class Till:\n    def get(self):\n        lock.release()\n        return 1\n\n\n"
        "def pay(land_rates: Rates):\n    return land_rates.rate_of('fr')\n"
    ),
    "docs/guide.md": "# Guide\n\n## Ledger\n\nNothing yet.\n",
    "tests/test_prices.py": (
        "from shop.prices import Cart\nfrom shop.tax import add_tax\n\n\n"
        "def test_total():\n    assert Cart().total([1]) == add_tax(1)\n"
    ),
}


class HookTree:
    """The shop in a folder."""

    def __init__(self, folder: Path, files: dict[str, str | bytes] = FILES) -> None:
        """Write the files and index them."""
        self.root = write(folder / "root", files)
        self.options = Options(str(self.root), str(folder / "data"), watch=False)
        self.link()

    def link(self) -> None:
        """Index the files as they are now, and link them."""
        manager = services(self.options).manager
        manager.refresh(Budget())
        manager.link(Budget())

    @cached_property
    def index(self) -> StoredIndex:
        """The index of a tree that does not change, opened once."""
        return self.open()

    def open(self) -> StoredIndex:
        """The index as a hook opens it."""
        index = open_stored(self.options)
        assert index is not None
        return index

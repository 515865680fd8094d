"""The commands of the graph in this process, on small repositories that were indexed before."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from repo_mcp import dispatch
from tests.repo_mcp.tree_files import write

PYTHON: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/prices.py": (
        "from shop.tax import add_tax\n"
        "\n"
        "\n"
        "class Price:\n"
        "    def __init__(self, net):\n"
        "        self.net = net\n"
        "\n"
        "    def gross(self):\n"
        "        return add_tax(self.net)\n"
        "\n"
        "\n"
        "class Reduced(Price):\n"
        "    def gross(self):\n"
        "        return self.net\n"
        "\n"
        "\n"
        "def total(prices: list[Price]) -> int:\n"
        "    return sum(price.gross() for price in prices)\n"
        "\n"
        "\n"
        "def _forgotten():\n"
        "    return total([])\n"
    ),
    "shop/tax.py": (
        "import math\n"
        "\n"
        "\n"
        "def add_tax(net):\n"
        "    from shop import prices\n"
        "\n"
        "    return math.floor(net * 2) + len(prices.__name__)\n"
        "\n"
        "\n"
        "def total():\n"
        "    return add_tax(1)\n"
    ),
    "shop/loose.py": "def run(thing):\n    return thing.gross()\n",
    "tests/test_prices.py": (
        "from shop.prices import Price, total\n"
        "\n"
        "\n"
        "def test_total():\n"
        "    assert total([Price(1)])\n"
    ),
}
TYPESCRIPT: dict[str, str | bytes] = {
    "src/store.ts": (
        "export class Store {\n"
        "  load(key: string): string {\n"
        "    return read(key);\n"
        "  }\n"
        "}\n"
        "export function read(key: string): string {\n"
        "  return key;\n"
        "}\n"
        "function lost(): number {\n"
        "  return 1;\n"
        "}\n"
    ),
    "src/app.ts": (
        'import { Store } from "./store";\n'
        "export function start(): string {\n"
        '  return new Store().load("a");\n'
        "}\n"
    ),
}


class Output(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def facts(self) -> dict[str, Any]:
        assert self.out.isascii()
        found: dict[str, Any] = json.loads(self.out)
        return found


class Commands:
    """Runs commands on one repository."""

    def __init__(
        self,
        folder: Path,
        files: dict[str, str | bytes],
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        self.root = write(folder / "root", files)
        self.data = folder / "data"
        self._monkeypatch = monkeypatch
        self._capfd = capfd

    def __call__(self, *given: str) -> Output:
        places = ["--repo-root", str(self.root), "--data-dir", str(self.data)]
        self._monkeypatch.setattr(sys, "argv", ["repo-mcp", *given, *places])
        try:
            code = dispatch.run()
        except SystemExit as end:
            code = int(end.code or 0)
        return Output(code, *self._capfd.readouterr())


def names_of(rows: list[dict[str, Any]]) -> list[str]:
    """The qualified names of symbols, or of symbols in relations."""
    return [row.get("symbol", row)["qualified_name"] for row in rows]

"""Answers from several roots are those of one tree in which they are folders, to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from repo_mcp.app import App
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import roots_of, serve, text_of

NAMES = {name: name for name in ("lib", "shop-web", "tools", "gotax", "gofetch")}
FILES: dict[str, str | bytes] = {
    "lib/pyproject.toml": '[project]\nname = "taxlib"\nversion = "1"\n',
    "lib/taxlib/__init__.py": '"""Taxes."""\nfrom taxlib.rates import Rate, add_tax\n',
    "lib/taxlib/rates.py": (
        '"""Rates of taxes."""\n\n\nclass Rate:\n    """A rate."""\n\n'
        "    def of(self, price: float) -> float:\n        return price\n\n\n"
        "def add_tax(price: float, rate: float = 0.2) -> float:\n"
        '    """The price with its tax."""\n    return price * (1 + rate)\n'
    ),
    "lib/tests/test_rates.py": (
        "from taxlib import add_tax\n\n\ndef test_tax():\n    assert add_tax(1.0) > 1.0\n"
    ),
    "lib/.gitignore": "build/\n",
    "lib/build/made.py": "price = 1\n",
    "shop-web/pyproject.toml": '[project]\nname = "shop"\ndependencies = ["taxlib"]\n',
    "shop-web/shop/__init__.py": "",
    "shop-web/shop/till.py": (
        '"""The till of the shop."""\nfrom taxlib import Rate, add_tax\n\n\n'
        "class Reduced(Rate):\n    def of(self, price: float) -> float:\n"
        "        return add_tax(price, 0.1)\n\n\n"
        "def total(prices: list[float]) -> float:\n"
        '    """The sum of the prices with their taxes."""\n'
        "    return sum(add_tax(price) for price in prices)\n"
    ),
    "shop-web/docs/guide.md": "# Prices\n\nTaxes are added to each price by `add_tax`.\n",
    "tools/run.js": 'import { helper } from "./lib/helper.js";\n\nexport function run() {\n'
    "  return helper();\n}\n",
    "tools/lib/helper.js": "export function helper() {\n  return 'tax lib';\n}\n",
    "tools/lib/notes.txt": "lib tools shop\n",
    "gotax/go.mod": "module example.org/gotax\n",
    "gotax/rate.go": "package gotax\n\nfunc AddRate(price int) int {\n\treturn price\n}\n",
    # of a repository in which it was a folder of the library
    "gofetch/go.mod": "module example.org/gotax/fetch\n\nreplace example.org/gotax => ../\n",
    "gofetch/fetch.go": 'package fetch\n\nimport "example.org/gotax"\n\n'
    "func Fetch() int {\n\treturn gotax.AddRate(1)\n}\n",
}
QUERIES = [
    "price tax",
    "add_tax",
    "how are taxes added",
    "lib",
    "shop-web",
    "tools helper",
    "path:lib tax",
    "-path:lib tax",
    "path:shop",
    "path:tools/lib",
    "tax AND NOT till",
    '"with their taxes"',
    "lang:python price",
    "ext:js",
    "rates.py",
    "till",
    "unheard",
    "taxx",
    "gotax AddRate",
    "fetch Fetch",
]
CALLS: list[tuple[str, dict[str, Any]]] = [
    *(("repo.search", {"query": query}) for query in QUERIES),
    *(("repo.search", {"query": query, "top_k": 2}) for query in QUERIES[:3]),
    ("repo.search", {"query": "price", "mode": "literal"}),
    ("repo.search", {"query": "add_tax", "mode": "literal", "show": "symbols"}),
    ("repo.search", {"query": r"def \w+\(", "mode": "regex"}),
    ("repo.search", {"query": "add_tax($A)", "mode": "structure", "language": "python"}),
    ("repo.search", {"query": "tax", "file_glob": "lib/**"}),
    ("repo.search", {"query": "tax", "file_glob": "**/*.md"}),
    ("repo.search", {"query": "tax", "kind": "tests"}),
    ("repo.list_files", {}),
    ("repo.list_files", {"glob": "shop-web/**"}),
    ("repo.list_files", {"glob": "**/*.toml"}),
    ("repo.outline", {"path": "."}),
    ("repo.outline", {"path": "lib"}),
    ("repo.outline", {"path": "lib/taxlib/rates.py"}),
    ("repo.open_file", {"path": "lib/taxlib/rates.py", "start_line": 2, "end_line": 4}),
    ("repo.open_file", {"path": "lib/taxlib/rats.py"}),
    ("repo.open_file", {"path": "lib/build/made.py"}),
    ("repo.symbol", {"name": "add_tax"}),
    ("repo.symbol", {"name": "Rate"}),
    ("repo.symbol", {"name": "helper"}),
    ("repo.build_context_bundle", {"prompt": "how does the till add taxes to prices"}),
    ("list_directory", {"path": "lib"}),
    ("list_directory", {"path": "."}),
    ("get_directory_tree", {"path": ".", "depth": 3}),
    ("search_symbols", {"query": "tax"}),
    ("get_callers", {"node_id": "add_tax"}),
    ("get_callees", {"node_id": "total"}),
    ("get_callers", {"node_id": "AddRate"}),
    ("get_implementations", {"node_id": "Rate"}),
    ("get_references", {"node_id": "Rate"}),
    ("get_impact", {"node_id": "add_tax"}),
    ("get_dependents", {"node_id": "add_tax"}),
    ("code_research", {"query": "who uses add_tax", "path": "."}),
    ("search_docs", {"query": "price", "path": "."}),
]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, App]]:
    """A server of the tree, and one of its folders as roots."""
    top = tmp_path_factory.mktemp("union")
    write(top / "tree", FILES)
    flags = roots_of(top / "tree", NAMES)
    with (
        serve(("repo_root", str(top / "tree")), data=top / "one") as one,
        serve(*flags, data=top / "many") as many,
    ):
        for app in (one, many):
            text_of(app, "repo.refresh_index")
            text_of(app, "repo.symbol", name="add_tax")
            text_of(app, "get_status")
        yield one, many


@pytest.mark.differential
@pytest.mark.parametrize(
    ("name", "arguments"), CALLS, ids=[" ".join(map(str, item)) for item in CALLS]
)
def test_an_answer_is_that_of_one_tree(
    servers: tuple[App, App], name: str, arguments: dict[str, Any]
) -> None:
    one, many = servers
    expected = text_of(one, name, **arguments)
    assert text_of(many, name, **arguments) == expected
    assert expected


def test_edges_lead_from_root_to_root(servers: tuple[App, App]) -> None:
    found = text_of(servers[1], "get_callers", node_id="add_tax")
    assert "shop-web/shop/till.py" in found
    assert "lib/tests/test_rates.py" in found
    assert "gofetch/fetch.go" in text_of(servers[1], "get_callers", node_id="AddRate")

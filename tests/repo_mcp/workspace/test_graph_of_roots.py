"""The graph of several roots has the bytes of that of one tree, whatever was linked before."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.services import services
from repo_mcp.settings import Options, read_options
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.differential

# a service and its library in each of five languages, as folders that may be roots
PROJECTS: Mapping[str, Mapping[str, str | bytes]] = {
    "python": {
        "lib/pyproject.toml": '[project]\nname = "taxlib"\n',
        "lib/taxlib/__init__.py": "from taxlib.rates import Rate, add_tax\n",
        "lib/taxlib/rates.py": "class Rate:\n    def of(self, price):\n        return price\n\n\n"
        "def add_tax(price):\n    return Rate().of(price)\n",
        "app/pyproject.toml": '[project]\nname = "shop"\ndependencies = ["taxlib"]\n',
        "app/shop/__init__.py": "",
        "app/shop/till.py": "from taxlib import Rate, add_tax\n\n\nclass Low(Rate):\n"
        "    def of(self, price):\n        return add_tax(price)\n\n\n"
        "def total(prices):\n    return sum(add_tax(price) for price in prices)\n",
    },
    "typescript": {
        "lib/package.json": '{"name": "taxlib", "main": "index.ts"}',
        "lib/index.ts": 'export { addTax } from "./rates";\n',
        "lib/rates.ts": "export function addTax(price: number): number {\n  return price;\n}\n",
        "app/package.json": '{"name": "shop", "dependencies": {"taxlib": "*"}}',
        "app/till.ts": 'import { addTax } from "taxlib";\n\n'
        "export function total(price: number): number {\n  return addTax(price);\n}\n",
    },
    "go": {
        "lib/go.mod": "module example.org/taxlib\n\ngo 1.21\n",
        "lib/rates.go": "package taxlib\n\nfunc AddTax(price int) int {\n\treturn price\n}\n",
        "app/go.mod": "module example.org/shop\n\nrequire example.org/taxlib v1.0.0\n",
        "app/till.go": 'package shop\n\nimport "example.org/taxlib"\n\n'
        "func Total(price int) int {\n\treturn taxlib.AddTax(price)\n}\n",
    },
    "rust": {
        "lib/Cargo.toml": '[package]\nname = "taxlib"\nversion = "1.0.0"\n',
        "lib/src/lib.rs": "pub fn add_tax(price: u32) -> u32 {\n    price\n}\n",
        "app/Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\n\n'
        '[dependencies]\ntaxlib = { path = "../lib" }\n',
        "app/src/main.rs": "use taxlib::add_tax;\n\nfn main() {\n    add_tax(1);\n}\n",
    },
    "java": {
        "lib/src/main/java/org/tax/Rates.java": "package org.tax;\n\npublic class Rates {\n"
        "    public static int addTax(int price) {\n        return price;\n    }\n}\n",
        "app/src/main/java/org/shop/Till.java": "package org.shop;\n\nimport org.tax.Rates;\n\n"
        "public class Till {\n    int total(int price) {\n        return Rates.addTax(price);\n"
        "    }\n}\n",
    },
}
ADDED = {"python": "add_tax", "typescript": "addTax", "go": "AddTax", "rust": "add_tax"}


def manager_of(top: Path, data: Path, roots: Sequence[str]) -> Indexes:
    """The indexes of a tree, or of its folders as roots."""
    given: Sequence[tuple[str, str]] = (
        [("roots", f"{name}={top / name}") for name in roots]
        if roots
        else [("repo_root", str(top))]
    )
    flags = [*given, ("data_dir", str(data)), ("index_share", "never"), ("embeddings", "off")]
    options: Options = read_options(flags, {})
    return services(options).manager


def segments_of(manager: Indexes) -> list[str]:
    """The names of the segments of the graph, which are digests of their bytes."""
    budget = Budget()
    manager.refresh(budget)
    manager.tidy(budget, full=True)
    manager.link(budget)
    manager.tidy(budget, full=True)
    found = manager.graph()
    assert found.current
    assert found.snapshot is not None
    return [entry.name for entry in found.snapshot.manifest.segments]


@pytest.mark.parametrize("language", PROJECTS)
def test_a_service_and_its_library_are_linked_as_in_one_tree(language: str, tmp_path: Path) -> None:
    top = write(tmp_path / "tree", dict(PROJECTS[language]))
    expected = segments_of(manager_of(top, tmp_path / "one", ()))
    assert segments_of(manager_of(top, tmp_path / "many", ("lib", "app"))) == expected


@pytest.mark.parametrize("language", ADDED)
def test_after_edits_in_either_root_it_is_that_of_one_tree(language: str, tmp_path: Path) -> None:
    top = write(tmp_path / "tree", dict(PROJECTS[language]))
    many = manager_of(top, tmp_path / "many", ("lib", "app"))
    chance = random.Random(language)
    segments_of(many)
    for step in range(3):
        path = top / chance.choice(sorted(PROJECTS[language]))
        if path.suffix in {".json", ".toml", ".mod"}:
            path = next(top.glob("lib/**/rates.*"), top / "lib" / "src" / "lib.rs")
        text = path.read_text(encoding="utf-8")
        name = ADDED[language]
        path.write_text(text.replace(name, f"{name}x"), encoding="utf-8")
        found = segments_of(many)
        shutil.rmtree(tmp_path / "one", ignore_errors=True)
        assert found == segments_of(manager_of(top, tmp_path / "one", ())), (step, path)

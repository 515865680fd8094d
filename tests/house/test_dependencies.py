"""Nothing is imported that is not declared, and nothing is declared without a reason."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OWN = {"index_format", "code_graph", "repo_mcp"}
NAME = re.compile(r"[A-Za-z0-9._-]+")
ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


def normalised(requirement: str) -> str:
    match = NAME.match(requirement)
    assert match, requirement
    return re.sub(r"[-_.]+", "-", match[0]).lower()


def declared(*extras: str) -> set[str]:
    """Names of runtime dependencies and of those extras, this project itself left out."""
    optional = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in optional[extra])]
    return {normalised(line) for line in lines} - {PROJECT["name"]}


def imported(source: str) -> Iterator[str]:
    """Top-level names of everything a module imports, also inside its functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


@pytest.mark.requirement("CARD-packages")
def test_every_dependency_has_its_line_in_the_document() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = {normalised(name) for name in ROW.findall(text)}
    assert declared(*PROJECT["optional-dependencies"]) == rows


def test_every_import_is_declared() -> None:
    files = [file for package in sorted(OWN) for file in (ROOT / package).rglob("*.py")]
    assert files
    used = {name for file in files for name in imported(file.read_text(encoding="utf-8"))}
    distributions = packages_distributions()
    foreign = used - OWN - sys.stdlib_module_names
    allowed = declared("cluster", "http", "pdf", "web")
    missing = {
        name
        for name in foreign
        if not {normalised(item) for item in distributions.get(name, [])} & allowed
    }
    assert missing == set()


def test_imports_are_seen_wherever_they_stand() -> None:
    source = "import a.b, c\nfrom d.e import f\nfrom . import g\ndef h():\n    import i\n"
    assert sorted(imported(source)) == ["a", "c", "d", "i"]

"""What several modules must agree on stands in one of them, and the others use its names."""

from __future__ import annotations

import ast
from pathlib import Path

from index_format.layout import SectionTag

ROOT = Path(__file__).parents[2]
LAYOUT = ROOT / "index_format" / "layout.py"


def literals(source: str, values: set[bytes]) -> list[bytes]:
    """Those of the values that stand in a module as a literal."""
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return [node.value for node in nodes if isinstance(node.value, bytes) and node.value in values]


def test_section_tags_stand_in_the_list_of_sections_alone() -> None:
    tags = {tag.value for tag in SectionTag}
    assert literals(LAYOUT.read_text(encoding="utf-8"), tags) == [tag.value for tag in SectionTag]
    files = [file for file in (ROOT / "index_format").rglob("*.py") if file != LAYOUT]
    assert files
    found = {str(file): literals(file.read_text(encoding="utf-8"), tags) for file in files}
    assert {file: values for file, values in found.items() if values} == {}

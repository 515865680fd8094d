"""Imports of Rust by the edition of their crate."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.sources import edges, link

SOURCES = {
    "src/lib.rs": "mod style;\nmod display;\n",
    "src/style.rs": "pub struct Style;\n",
    "src/display.rs": "use style::Style;\nimpl Style { fn paint(&self) {} }\n",
}


@pytest.mark.parametrize(
    ("edition", "is_found"), [("", True), ('edition = "2015"', True), ('edition = "2018"', False)]
)
def test_imports_of_the_first_edition_begin_at_the_root(edition: str, *, is_found: bool) -> None:
    manifest = f'[package]\nname = "a"\n{edition}\n'
    linked = link(SourceTree({**SOURCES, "Cargo.toml": manifest}))
    imported = [one for one in edges(linked, EdgeType.IMPORTS) if one.startswith("a::display")]
    assert bool(imported) == is_found

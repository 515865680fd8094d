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


@pytest.mark.parametrize(
    "code",
    [
        "fn go() {\n    use log::*;\n    glob::Pattern::new();\n}\n",
        "use log::*;\nfn go() { glob::Pattern::new(); }\n",
    ],
    ids=["function", "module"],
)
def test_a_crate_is_found_behind_all_names_of_one_that_is_not_here(code: str) -> None:
    manifest = '[package]\nname = "{}"\nedition = "2018"\n'
    sources = {
        "app/Cargo.toml": manifest.format("app") + '[dependencies]\nglob = { path = "../glob" }\n',
        "app/src/lib.rs": code,
        "glob/Cargo.toml": manifest.format("glob"),
        "glob/src/lib.rs": "pub struct Pattern;\nimpl Pattern { pub fn new() {} }\n",
    }
    calls = edges(link(SourceTree(sources)), EdgeType.CALLS)
    assert calls == {"app::go calls glob::Pattern::new declared"}

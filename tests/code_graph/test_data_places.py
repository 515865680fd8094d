"""Values of data that are names are told from keys, from parts of names and from prose."""

from __future__ import annotations

import pytest

from code_graph.data_places import data_places
from code_graph.word_places import WordPlace

NAMING, OTHER, PROSE = WordPlace.NAMING, WordPlace.OTHER, WordPlace.PROSE
WORD = "target"


@pytest.mark.parametrize(
    ("path", "row", "place"),
    [
        ("package.json", '"main": "lib.target"', NAMING),
        ("app.json", '"handler": "target"', NAMING),
        ("app.json", '"target": 1', OTHER),
        ("app.json", '"the-target": 1', PROSE),
        ("app.json", '"text": "the target of it"', PROSE),
        ("package-lock.json", '"x": "target"', PROSE),
        ("yarn.lock", "x: target", PROSE),
        ("changes/changelog.yaml", "- target", PROSE),
        ("setup.cfg", "shop = shop.cli:target", NAMING),
        ("app.toml", 'run = "target"', NAMING),
        ("app.toml", "# calls target", PROSE),
        ("app.toml", "target = 1", OTHER),
        ("serve.yaml", "  handler: target", NAMING),
        ("serve.yaml", "  - target", NAMING),
        ("serve.yaml", "  run: flask --app shop:target run", NAMING),
        ("serve.yaml", "  run: go to target now", PROSE),
        ("bean.xml", '<bean init-method="target"/>', NAMING),
        ("bean.xml", "<class>shop.target</class>", NAMING),
        ("bean.xml", "<p>Fixes shop.target of it</p>", PROSE),
        ("a.snap", "target", PROSE),
        (".gitignore", "target", PROSE),
        ("UNLICENSE", "target", PROSE),
    ],
)
def test_a_word_of_data_is_told_by_where_it_stands(path: str, row: str, place: WordPlace) -> None:
    assert data_places(f"x\n{row}\n", path, WORD) == {2: place}


@pytest.mark.parametrize("path", ["parse.y", "a.inc", "lexer.l", "box.wren", "Doxyfile"])
def test_what_may_be_code_is_not_taken_for_data(path: str) -> None:
    assert data_places("target", path, WORD) == {}

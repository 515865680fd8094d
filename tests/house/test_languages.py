"""Knowledge of a language stands in its row and its folder; no other module names one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from code_graph.language import load
from code_graph.language_table import LANGUAGES

ROOT = Path(__file__).parents[2]
PACKAGES = ("index_format", "code_graph", "repo_mcp")
FOLDER = ROOT / "code_graph" / "languages"
TABLE = ROOT / "code_graph" / "language_table.py"
NAMES = frozenset(language.name for language in LANGUAGES if language.rules)
# modules in which a text is only spelled as the name of a language is
SPELLED_ALIKE: Final = {
    "code_graph/projects/model.py": "kinds of projects, as they are stored",
    "code_graph/prose/rst.py": "domains of Sphinx",
    "repo_mcp/question/keywords.py": "endings of file names",
    "repo_mcp/cli/doctor/command.py": "the interpreter that runs the program",
    "repo_mcp/cli/ripgrep/options.py": "a switch of one letter",
    "repo_mcp/repository/content_types.py": "endings of file names",
}
PLACES = sorted(
    {
        place
        for language in LANGUAGES
        for name in language.__match_args__
        if isinstance(place := getattr(language, name), str) and ":" in place.strip(":")
    }
)


def named_in(source: str) -> Iterator[str]:
    """The names of languages that stand in a module as a text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and node.value in NAMES:
            yield str(node.value)


def naming() -> set[str]:
    """The modules that name a language, beside its row and its folder."""
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return {
        path.relative_to(ROOT).as_posix()
        for path in paths
        if path != TABLE
        and not path.is_relative_to(FOLDER)
        and any(named_in(path.read_text("utf-8")))
    }


def test_a_name_in_a_module_is_found() -> None:
    assert list(named_in('known = {"rust": 1}  # go')) == ["rust"]


def test_no_module_outside_of_the_folders_of_languages_names_one() -> None:
    assert naming() == SPELLED_ALIKE.keys()


@pytest.mark.parametrize("place", PLACES)
def test_what_a_row_names_is_there(place: str) -> None:
    assert load(place) is not None

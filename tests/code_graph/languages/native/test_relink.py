"""Incremental linking of these languages equals linking all, in any order."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from code_graph import SourceTree
from code_graph.link.linker import GraphLinker
from tests.code_graph.cases.case_runner import cases
from tests.code_graph.declared.test_relink_edits import edited
from tests.code_graph.languages.lua.test_cases import CASES as LUA_CASES
from tests.code_graph.languages.native import c_sources, cpp_sources, rust_sources, swift_sources
from tests.code_graph.languages.native.written import read
from tests.code_graph.languages.php.test_cases import CASES as PHP_CASES
from tests.code_graph.languages.ruby.test_cases import CASES as RUBY_CASES
from tests.code_graph.link.relinking import relink
from tests.code_graph.sources import link

SMALL = {
    "c": c_sources.CASES,
    "cpp": cpp_sources.CASES,
    "lua": LUA_CASES,
    "php": PHP_CASES,
    "ruby": RUBY_CASES,
    "rust": rust_sources.CASES,
    "swift": swift_sources.CASES,
}
WHOLE = {
    f"{language} {case.name}": read(case.root) for language in SMALL for case in cases(language)
}


def mixed(language: str, chance: random.Random) -> Mapping[str, str]:
    """The files of several small cases of a language in one tree, some in place of others."""
    found: dict[str, str] = {}
    for _ in range(4):
        sources, _expected = chance.choice(list(SMALL[language].values()))
        found.update(sources)
    return found


def check_edits(tree: SourceTree, chance: random.Random, count: int) -> None:
    sources = tree.texts()
    # an edit of a manifest is linked by its projects
    texts = {path: sources[path] for path in tree.paths() if path not in tree.manifests()}
    linked = link(tree)
    for _ in range(count):
        path = chance.choice(sorted(texts))
        text = edited(chance, texts[path], "\n".join(texts.values()))
        texts[path] = text if text is not None else sources[path]
        tree = tree.edited(path, text)
        linked, _again = relink(linked, tree, path)
        assert linked == link(tree)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tree", WHOLE.values(), ids=WHOLE)
def test_linking_what_asked_about_an_edit_of_a_project_equals_linking_all(
    tree: SourceTree, seed: int
) -> None:
    check_edits(tree, random.Random(seed), 6)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("language", SMALL)
def test_linking_what_asked_about_an_edit_equals_linking_all(language: str, seed: int) -> None:
    chance = random.Random(seed)
    check_edits(SourceTree(mixed(language, chance)), chance, 6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("language", SMALL)
def test_the_order_of_linking_changes_nothing(language: str, seed: int) -> None:
    chance = random.Random(1000 + seed)
    tree = SourceTree(mixed(language, chance))
    order = list(tree.paths())
    chance.shuffle(order)
    linker = GraphLinker(tree)
    assert {path: linker.link(path) for path in order} == link(tree)

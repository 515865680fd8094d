"""RE2 finds in a text what `re` and plain search find, for all expressions of frameworks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given, strategies as st

from code_graph.contracts.descriptions import descriptions_of, quick
from code_graph.contracts.read.source import ContractSource
from code_graph.facts import Facts
from code_graph.language_table import LANGUAGES, language_named
from tests.code_graph.contracts.test_frameworks import EXAMPLES

FOLDERS: Final = sorted(
    {f"{language.frameworks} general" for language in LANGUAGES if language.frameworks}
)
# a text that is not ASCII is not looked through by RE2
TEXTS: Final = tuple(
    f"{text}{ending}"
    for example in EXAMPLES.values()
    for text in example.texts.values()
    for ending in ("", "é")
)


def source(text: str, folders: str) -> ContractSource:
    """A text of a language with some descriptions."""
    return ContractSource(text, Facts(""), language_named("python"), descriptions_of(folders))


def patterns_of(folders: str) -> Iterator[str]:
    """The expressions that are looked for anywhere."""
    known = descriptions_of(folders)
    yield from (rule.pattern for rule in known.patterns)
    yield from (rule.pattern for rule in known.beginnings)


@pytest.mark.parametrize("folders", FOLDERS)
def test_each_expression_is_found_where_re_finds_it(folders: str) -> None:
    for text in TEXTS:
        looked = source(text, folders)
        for pattern in patterns_of(folders):
            assert looked.has(pattern) == bool(re.search(pattern, text)), pattern


@pytest.mark.parametrize("folders", FOLDERS)
def test_words_of_rules_are_found_where_they_stand(folders: str) -> None:
    known = descriptions_of(folders)
    words = {word for rule in known.patterns for word in rule.words}
    for text in TEXTS:
        found = known.marks_in(text.encode())
        assert found & words == {word for word in words if word in text}


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?<=[A-Z])\s*=", "LIMIT ="),
        (r"\bget(?!\w)", "get("),
        (r"(?<![\w$.(])a(?=\)|[)\]])b?", " a)"),
    ],
)
def test_what_stands_around_a_place_does_not_hide_it(pattern: str, text: str) -> None:
    assert re.search(pattern, text)
    assert quick(pattern).search(text.encode())


@given(st.text(alphabet="aA= .(\n\"'/", max_size=12))
def test_an_expression_with_lookaround_misses_nothing(text: str) -> None:
    for pattern in (r"(?<=[A-Z])\s*=\s*\"", r"(?<![\w.])a\s*(?=[(/])", r"a(?!\s)"):
        assert source(text, "java").has(pattern) == bool(re.search(pattern, text))

"""Tests of rows that say what a library's functions give and pass."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import pytest

from code_graph.declared.effects import LibraryRules, LibraryTable, read_effect, read_template
from code_graph.evaluate.values import External, ExternalInstance, TupleValue, Values
from code_graph.language_table import LANGUAGES

_TABLE = {
    "types": {"maps": "Map HashMap", "containers": "maps List", "pointers": "Box"},
    "elements": {"maps": "tuple<x1, x2>"},
    "conversions": {"maps List": "Iterable"},
    "effects": {
        "maps": {"-> x2": "get", "-> Pair<x1, x2>": "entry", "-> joined<x1, x2>": "both"},
        "containers": {"x ->": "each", "-> e": "get", "-> self": "filter", "-> self<Int>": "sizes"},
        "generic": {"-> Any<x>": "*", "-> x": "value"},
        "any": {"-> String": "name", "-> x9|Int": "size"},
        "none": {"-> Bool": "name"},
    },
}
_INT: Values = (ExternalInstance("Int"),)
_TEXT: Values = (ExternalInstance("Text"),)


class _Rules(LibraryRules):
    library = LibraryTable(_TABLE)
    functions: ClassVar = {"joined": lambda _, one, other: (*one, *other)}


def _given(name: str, *arguments: Values) -> Values | None:
    return _Rules(cast("Any", None)).given_by(External(name, arguments))


def test_the_first_row_of_the_type_counts() -> None:
    assert _given("HashMap.get", _INT, _TEXT) == _TEXT
    assert _given("List.get", _TEXT) == _TEXT


def test_a_row_without_all_values_is_passed_over() -> None:
    # a map of one argument has no second one, and is a container
    assert _given("Map.get", _INT) == _INT
    assert _given("List.size") == _INT


def test_a_group_has_the_types_of_its_groups() -> None:
    assert _Rules.library.types["containers"] == {"Map", "HashMap", "List"}


def test_self_is_the_object_or_one_of_its_type() -> None:
    assert _given("a.b.List.filter", _TEXT) == (ExternalInstance("List", (_TEXT,)),)
    assert _given("List.sizes", _TEXT) == (ExternalInstance("List", (_INT,)),)


def test_an_element_is_what_the_type_says_or_the_last_argument() -> None:
    rules = _Rules(cast("Any", None))
    assert rules.element(ExternalInstance("Map", (_INT, _TEXT))) == (TupleValue((_INT, _TEXT)),)
    assert rules.element(ExternalInstance("Map", (_INT,))) == _INT
    assert rules.element(ExternalInstance("Other", (_INT, _TEXT))) == _TEXT
    assert rules.element(ExternalInstance("Map")) == ()


def test_a_word_that_is_no_type_is_a_function_of_the_language() -> None:
    assert _given("Map.both", _INT, _TEXT) == (*_INT, *_TEXT)


def test_a_generic_type_has_arguments() -> None:
    assert _given("Other.value", _INT) == _INT
    assert _given("Other.value") is None


def test_a_star_is_for_functions_without_a_row() -> None:
    assert _given("Other.what", _INT) == (ExternalInstance("Any", (_INT,)),)


def test_functions_that_no_type_has_are_apart() -> None:
    assert _given("name") == (ExternalInstance("Bool"),)
    assert _given("Other.name") == (ExternalInstance("String"),)


def test_rows_with_a_number_are_for_so_many_arguments() -> None:
    table = LibraryTable({"effects": {"any": {"-> a1": "fold", "-> a2": "fold/2"}}})
    gives = [next(table.rows({"any"}, "fold", count)).gives for count in (1, 2)]
    assert gives == [read_template("a1"), read_template("a2")]


def test_what_is_passed_may_be_nothing_or_not_known() -> None:
    assert read_effect(frozenset(), "() -> x").passes == []
    assert read_effect(frozenset(), "-> x").passes is None
    passes = read_effect(frozenset(), "a1, Pair<x1, e> ->").passes
    assert passes == [read_template("a1"), read_template("Pair<x1, e>")]


def test_members_of_a_pointer_are_those_of_what_it_holds() -> None:
    library = LibraryTable({**_TABLE, "effects": {"pointers": {"-> x": "unwrap"}}})
    assert library.pointers == {"Box"}
    assert library.has("Box", "unwrap")
    assert not library.has("Box", "other")


def test_conversions_are_pairs() -> None:
    pairs = {(name, "Iterable") for name in ("Map", "HashMap", "List")}
    assert _Rules.library.conversions == pairs


@pytest.mark.parametrize("text", ["", "List<x", "List<x>>", "<x>", "List x>", "-", "(x)", "[x]"])
def test_a_text_that_is_no_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no value"):
        read_template(text)


@pytest.mark.parametrize("text", ["List<x>", "e = self"])
def test_an_effect_without_an_arrow_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no effect"):
        read_effect(frozenset(), text)


def test_a_section_of_another_name_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown section 'effect'"):
        LibraryTable({"effect": {"maps": {"-> x": "get"}}})


def test_a_list_is_written_by_its_name() -> None:
    template = read_template("[]<tuple<x1, element<r>|e>>")
    assert (template.name, template.parts[0].name) == ("[]", "tuple")
    assert template.parts[0].parts[1].name == "|"


@pytest.mark.parametrize(
    "language", ["cpp", "csharp", "ecmascript", "go", "java", "kotlin", "rust", "scala", "swift"]
)
def test_each_table_is_read(language: str) -> None:
    assert LibraryTable.of(language).names
    assert language in {row.name for row in LANGUAGES} | {"ecmascript"}

"""Edges along texts are compared with places that a person read."""

from __future__ import annotations

import pytest

from bench.graph.services.compare import Comparison, Heads, Score, TextEdge, compare
from bench.graph.services.truth import Place, Truth, Use, names, read_truth
from code_graph.facts import Declaration

ROUTES = "server.py"
CLIENT = "client.ts"


def declared(name: str, first: int, name_line: int, last: int) -> Declaration:
    return Declaration("function", name, first, last, name_line, 4)


ANSWER = declared("answer", 3, 4, 9)
SETUP = declared("setup", 20, 20, 30)
HEADS = Heads({ROUTES: [ANSWER, SETUP]})


def use(first: int, last: int, *places: Place, is_judged: bool = True) -> Use:
    targets = tuple((place,) for place in places)
    return Use(CLIENT, first, last, "route", targets, is_judged)


def judged(*edges: TextEdge, uses: tuple[Use, ...]) -> Comparison:
    truth = Truth("a/b", "0", "tune", ("*.ts",), ("*.test.ts",), ("copies/**",), uses)
    return compare(truth, edges, HEADS)


def edge(
    line: int, declaration: Declaration | None, target: str = ROUTES, path: str = CLIENT
) -> TextEdge:
    return TextEdge("route", path, line, target, declaration)


@pytest.mark.parametrize("name", names())
def test_what_was_read_can_be_parsed_and_is_in_judged_files(name: str) -> None:
    truth = read_truth(name)
    assert truth.split in {"tune", "held-out", "fresh"}
    assert truth.uses
    assert [str(item) for item in truth.uses if not truth.judges(item.path)] == []


def test_an_edge_to_the_head_of_a_declaration_is_right() -> None:
    found = judged(edge(2, ANSWER), uses=(use(1, 2, Place(ROUTES, 3)),))
    assert found.scores["route"] == Score(right=1, wanted=1, found=1)


def test_an_edge_from_another_line_is_wrong() -> None:
    found = judged(edge(3, ANSWER), uses=(use(1, 2, Place(ROUTES, 3)),))
    assert found.scores["route"] == Score(wrong=1, wanted=1)


def test_a_line_without_a_name_stands_for_what_it_is_in() -> None:
    found = judged(edge(1, SETUP), uses=(use(1, 1, Place(ROUTES, 25)),))
    assert found.scores["route"].found == 1


def test_a_line_outside_of_all_declarations_stands_for_its_file() -> None:
    found = judged(edge(1, None), uses=(use(1, 1, Place(ROUTES, 12)),))
    assert found.scores["route"].found == 1


def test_a_line_in_a_declaration_does_not_stand_for_the_file() -> None:
    found = judged(edge(1, None), uses=(use(1, 1, Place(ROUTES, 25)),))
    assert found.scores["route"] == Score(wrong=1, wanted=1)


def test_each_target_has_to_be_found_and_one_of_its_places_is_enough() -> None:
    both = Use(CLIENT, 1, 1, "route", ((Place(ROUTES, 4), Place(ROUTES, 12)), (Place(ROUTES, 25),)))
    found = judged(edge(1, ANSWER), uses=(both,))
    assert (found.scores["route"].found, found.scores["route"].wanted) == (1, 2)


def test_what_means_nothing_here_must_have_no_edge() -> None:
    found = judged(edge(1, ANSWER), uses=(use(1, 1),))
    assert found.scores["route"] == Score(wrong=1)


def test_an_unjudged_place_is_neither_right_nor_wrong() -> None:
    found = judged(edge(1, ANSWER), uses=(use(1, 1, is_judged=False),))
    assert found.scores["route"] == Score()
    assert found.unjudged["route"] == 1


def test_copies_may_be_led_to() -> None:
    found = judged(edge(1, None, "copies/a.py"), uses=(use(1, 1, Place(ROUTES, 12)),))
    assert found.scores["route"] == Score(wanted=1)


def test_files_that_were_not_read_are_left_out() -> None:
    found = judged(edge(1, ANSWER, path="a.test.ts"), uses=())
    assert found.total() == Score()

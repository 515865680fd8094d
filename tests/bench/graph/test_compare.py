"""The comparison with truth counts what is judged, and nothing else."""

from __future__ import annotations

from pathlib import Path

from bench.graph.compare import Score, compare, pooled, sample, table
from bench.graph.edges import (
    CALLS,
    IMPLEMENTS,
    REFERENCES,
    VARIANT,
    At,
    Edge,
    Truth,
    Where,
    read_edges,
    write_edges,
)

MAIN = Where("a.py", 0, "")
RUN = Where("a.py", 1, "run")
STOP = Where("a.py", 5, "stop")
BOX = Where("b.py", 1, "Box")
INIT = Where("b.py", 2, "__init__")
FIELD = Where("b.py", 3, "size")


def at(line: int) -> At:
    return At("a.py", line, 4)


def edge(type_: str, target: Where, line: int, confidence: str = "exact") -> Edge:
    return Edge(type_, MAIN, target, at(line), confidence, "scope")


def truth(*edges: Edge, judged: tuple[tuple[str, int], ...] = ()) -> Truth:
    made = Truth(kinds={RUN: "function", STOP: "function", BOX: "class", FIELD: "attribute"})
    made.kinds |= {INIT: "method", MAIN: "module"}
    made.holders[INIT] = BOX
    for each in edges:
        made.add(each._replace(confidence="", strategy=""))
    made.judged |= {(type_, at(line)) for type_, line in judged}
    return made


def test_missing_and_wrong_edges_lower_the_score() -> None:
    known = truth(edge(CALLS, RUN, 1), edge(CALLS, STOP, 2))
    found = compare(known, [edge(CALLS, RUN, 1), edge(CALLS, RUN, 2)])
    assert found.scores[CALLS] == Score(2, 2, 1)
    assert [each.target for each in found.missing[CALLS]] == [STOP]
    assert [each.at for each in found.wrong[CALLS]] == [at(2)]


def test_an_edge_where_the_oracle_sees_none_is_wrong() -> None:
    known = truth(judged=((CALLS, 1),))
    assert compare(known, [edge(CALLS, RUN, 1)]).scores[CALLS] == Score(0, 1, 0)


def test_the_body_that_the_oracle_sees_counts_where_a_symbol_has_several() -> None:
    known = truth(edge(CALLS, RUN, 1), edge(CALLS, BOX, 2))
    variant = Edge(VARIANT, RUN, STOP, At("a.py", 1, 0))
    found = compare(known, [variant, edge(CALLS, STOP, 1), edge(CALLS, STOP, 2)])
    assert found.scores[CALLS] == Score(2, 2, 1)
    assert [each.at for each in found.wrong[CALLS]] == [at(2)]


def test_a_class_and_its_constructor_count_both_where_the_oracle_names_both() -> None:
    """As that of C# does; where it names the constructor alone, the class says less."""
    both = truth(edge(CALLS, BOX, 1), edge(CALLS, INIT, 1))
    made = [edge(CALLS, BOX, 1), edge(CALLS, INIT, 1)]
    assert compare(both, made).scores[CALLS] == Score(2, 2, 2)
    assert compare(both, made[1:]).scores[CALLS] == Score(2, 1, 1)
    assert compare(truth(edge(CALLS, INIT, 1)), made).scores[CALLS] == Score(1, 1, 1)


def test_a_class_that_is_named_does_not_count_beside_the_constructor_of_another_one() -> None:
    """A type of Swift may have the initialiser of a protocol."""
    known = truth(edge(CALLS, INIT, 1), edge(REFERENCES, STOP, 1))
    known.kinds[STOP] = "class"
    made = [edge(CALLS, STOP, 1), edge(CALLS, INIT, 1)]
    assert compare(known, made).scores[CALLS] == Score(1, 1, 1)
    known.edges.discard(edge(REFERENCES, STOP, 1)._replace(confidence="", strategy=""))
    assert compare(known, made).scores[CALLS] == Score(1, 2, 1)


def test_what_is_not_judged_does_not_count() -> None:
    found = compare(truth(), [edge(CALLS, RUN, 9)])
    assert found.scores[CALLS] == Score()
    assert found.unjudged[CALLS] == 1


def test_edges_that_are_shown_on_request_count_apart() -> None:
    known = truth(edge(CALLS, RUN, 1))
    found = compare(known, [edge(CALLS, STOP, 1, "possible"), edge(CALLS, RUN, 1, "inferred")])
    assert found.scores[CALLS] == Score(1, 1, 1)
    assert found.scores["calls possible"] == Score(1, 1, 0)
    assert found.scores["calls inferred"] == Score(1, 1, 1)


def test_the_constructor_of_a_called_class_counts_as_the_class() -> None:
    known = truth(edge(CALLS, BOX, 1))
    assert compare(known, [edge(CALLS, INIT, 1)]).scores[CALLS].f1 == 1
    both = [edge(CALLS, INIT, 1), edge(CALLS, BOX, 1)]
    assert compare(known, both).scores[CALLS].f1 == 1


def test_a_source_that_the_oracle_has_no_name_for_counts_as_what_is_around() -> None:
    title, step = Where("a.py", 7, "it runs"), Where("a.py", 8, "step")
    nested = [
        Edge("contains", STOP, title, At("a.py", 7, 4), "exact", "scope"),
        Edge("contains", title, step, At("a.py", 8, 8), "exact", "scope"),
    ]
    known = truth(edge(CALLS, RUN, 9)._replace(source=STOP))
    found = compare(known, [*nested, edge(CALLS, RUN, 9)._replace(source=step)])
    assert found.scores["calls, pairs"] == Score(1, 1, 1)


def test_what_a_decorator_put_in_place_is_not_judged() -> None:
    known = truth(edge(CALLS, RUN, 1))
    wrapper = edge(CALLS, STOP, 1, "inferred")._replace(strategy="decorator")
    found = compare(known, [edge(CALLS, RUN, 1), wrapper])
    assert found.scores[CALLS] == Score(1, 1, 1)
    assert found.unjudged[CALLS] == 1


def test_a_constructor_that_is_called_by_its_name_stays_one() -> None:
    known = truth(edge(CALLS, INIT, 1))
    assert compare(known, [edge(CALLS, INIT, 1)]).scores[CALLS].f1 == 1
    assert compare(known, [edge(CALLS, BOX, 1)]).scores[CALLS].f1 == 0


def test_the_constructor_that_is_chosen_is_compared_where_the_truth_names_it() -> None:
    constructor, other = Where("B.java", 2, "Box"), Where("B.java", 3, "Box")
    known = truth(edge(CALLS, constructor, 1), edge(REFERENCES, BOX, 1))
    known.holders |= {constructor: BOX, other: BOX}
    right = compare(known, [edge(CALLS, constructor, 1), edge(CALLS, BOX, 1)])
    assert right.scores[CALLS] == right.scores[REFERENCES] == Score(1, 1, 1)
    wrong = compare(known, [edge(CALLS, other, 1), edge(CALLS, BOX, 1)])
    assert wrong.scores[CALLS] == Score(1, 1, 0)


def test_each_use_of_a_name_is_a_reference() -> None:
    known = truth(edge(REFERENCES, RUN, 1), edge(REFERENCES, BOX, 2))
    found = compare(known, [edge(CALLS, RUN, 1), edge("inherits", BOX, 2)])
    assert found.scores[REFERENCES].f1 == 1


def test_uses_of_fields_are_not_compared() -> None:
    known = truth(edge(REFERENCES, FIELD, 1))
    assert compare(known, []).scores[REFERENCES] == Score()
    assert compare(known, [edge(REFERENCES, FIELD, 1)]).scores[REFERENCES] == Score()


def test_parts_of_a_symbol_are_one() -> None:
    known = truth(edge(CALLS, RUN, 1))
    known.same[STOP] = RUN
    assert compare(known, [edge(CALLS, STOP, 1)]).scores[CALLS].f1 == 1


def test_bases_are_compared_whatever_their_kind() -> None:
    known = truth(edge(IMPLEMENTS, BOX, 1))
    assert compare(known, [edge("extends", BOX, 1)]).scores[IMPLEMENTS].f1 == 1


def test_pooled_scores_are_sums_and_are_shown() -> None:
    one = compare(truth(edge(CALLS, RUN, 1)), [edge(CALLS, RUN, 1)])
    two = compare(truth(edge(CALLS, RUN, 1)), [])
    scores = pooled([one, two])
    assert scores[CALLS] == Score(2, 1, 1)
    assert any("0.6667" in line for line in table("all", scores))


def test_samples_do_not_depend_on_order() -> None:
    edges = [edge(CALLS, RUN, line) for line in range(30)]
    assert sample(edges, 5) == sample(reversed(edges), 5)


def test_truth_and_edges_survive_their_files(tmp_path: Path) -> None:
    known = truth(edge(CALLS, RUN, 1), judged=((CALLS, 7),))
    known.same[STOP] = RUN
    known.write(tmp_path / "truth.jsonl")
    assert Truth.read(tmp_path / "truth.jsonl") == known
    ours = [edge(CALLS, RUN, 1), edge(CALLS, STOP, 2, "inferred")]
    write_edges(ours, tmp_path / "ours.jsonl")
    assert read_edges(tmp_path / "ours.jsonl") == ours

"""Levels of declarations, in whatever order these are; types come before what they hold."""

from __future__ import annotations

import random

from hypothesis import given, strategies as st

from code_graph.facts import MODULE, Declaration, in_text_order, levels


def nested(count: int, chance: random.Random) -> list[Declaration]:
    """Declarations on few lines in random order, each on lines of its parent."""
    rows = [Declaration("struct", f"n{chance.randrange(9)}", 1, 9, 1, 0)]
    for number in range(1, count):
        parent = chance.randrange(MODULE, number)
        first, last = (
            (1, 9) if parent == MODULE else (rows[parent].start_line, rows[parent].end_line)
        )
        start = chance.randint(first, last)
        end = chance.randint(start, last)
        rows.append(Declaration("field", f"n{number % 7}", start, end, start, number, parent))
    order = chance.sample(range(count), count)
    place = {number: at for at, number in enumerate(order)}
    for row in rows:
        row.parent = MODULE if row.parent == MODULE else place[row.parent]
    return [rows[number] for number in order]


@given(st.integers(1, 40), st.randoms(use_true_random=False))
def test_a_level_is_one_more_than_the_parents(count: int, chance: random.Random) -> None:
    rows = nested(count, chance)
    found = levels(rows)
    for item, level in zip(rows, found, strict=True):
        assert level == (1 if item.parent == MODULE else found[item.parent] + 1)


@given(st.integers(1, 40), st.randoms(use_true_random=False))
def test_in_the_order_of_the_text_each_follows_its_parent(
    count: int, chance: random.Random
) -> None:
    rows = nested(count, chance)
    order = in_text_order(rows, levels(rows))
    place = {number: at for at, number in enumerate(order)}
    assert sorted(order) == list(range(count))
    assert [rows[number].start_line for number in order] == sorted(row.start_line for row in rows)
    for number, item in enumerate(rows):
        assert item.parent == MODULE or place[item.parent] < place[number]

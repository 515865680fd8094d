"""Types in many parts."""

from __future__ import annotations

from tests.code_graph.sources import calls

PARTS = 150


def test_a_type_in_many_files_has_the_members_of_all() -> None:
    sources = {
        f"P{number:03}.cs": (
            f"partial class Whole {{ void M{number}() {{ M{(number + 1) % PARTS}(); }} }}"
        )
        for number in range(PARTS)
    }
    found = calls(sources)
    expected = {f"Whole.M{number} calls Whole.M{(number + 1) % PARTS}" for number in range(PARTS)}
    assert found == expected

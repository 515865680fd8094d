"""The facts of a source of each language match its golden file."""

from __future__ import annotations

import pytest

from code_graph.facts import FULL, PARTIAL
from tests.code_graph.golden_facts import FILES, GOLDEN, read_golden


@pytest.mark.requirement("INT-10.1-adapters", "INT-10.3-outline-v2")
@pytest.mark.parametrize(("language", "name"), FILES)
def test_every_construct_is_found(language: str, name: str) -> None:
    found, expected = read_golden(language, name)
    assert found == expected
    # the macros of C are more than its grammar knows
    assert found.startswith(f"{language} {PARTIAL if language == 'c' else FULL}")


def test_every_golden_file_is_compared() -> None:
    compared = {name for _, name in FILES}
    sources = {path.name for path in GOLDEN.iterdir() if path.suffix != ".facts"}
    assert sources == compared
    assert {path.stem for path in GOLDEN.glob("*.facts")} == compared

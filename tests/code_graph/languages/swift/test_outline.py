"""Swift: syntax that the grammar lacks, and branches of conditional compilation."""

from __future__ import annotations

import pytest

from code_graph.facts import FULL
from code_graph.treesitter.adapter import adapter


@pytest.mark.parametrize(
    "text",
    [
        "func a(\n  @B<C> @_implicit _ d: () -> Void) {}",
        "func a() {\n  nonisolated(unsafe) let b = c\n}",
        "func a() { return [~B.self] }",
        "func a(b: sending @escaping () -> Void) {}",
    ],
)
def test_syntax_that_the_grammar_lacks_loses_no_declarations(text: str) -> None:
    facts = adapter("swift").facts("x.swift", text)
    assert facts.status == FULL
    assert [one.name for one in facts.declarations] == ["a"]


def test_branches_around_part_of_a_declaration_leave_the_rest_readable() -> None:
    text = (
        "#if os(macOS)\nclass A: B {\n#else\nclass A: C {\n#endif\n  func d() {}\n}\nstruct E {}\n"
    )
    facts = adapter("swift").facts("x.swift", text)
    assert facts.status == FULL
    assert [(one.name, one.start_line) for one in facts.declarations] == [
        ("A", 2),
        ("d", 6),
        ("E", 8),
    ]
    assert facts.declarations[0].is_conditional
    assert facts.declarations[0].bases == ("B",)


def test_a_name_in_backquotes_is_the_name() -> None:
    (one,) = adapter("swift").outline("x.swift", "func `is it so`() {}")
    assert (one.name, one.name_column) == ("is it so", 6)

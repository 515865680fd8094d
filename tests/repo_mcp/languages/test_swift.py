"""Swift: what is declared, used and imported, in every branch of conditional compilation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.languages.facts import FULL, PARTIAL, STOPPED
from repo_mcp.languages.treesitter.adapter import adapter
from tests.repo_mcp.languages.fact_checks import check, knot
from tests.repo_mcp.languages.fact_dumps import GOLDEN, read_golden

ROWS = (GOLDEN / "swift.swift").read_text("utf-8").splitlines()


@pytest.mark.requirement("INT-10.1-adapters", "INT-10.3-outline-v2")
def test_every_construct_is_found() -> None:
    found, expected = read_golden(adapter("swift"), "swift.swift")
    assert found == expected
    assert found.startswith(f"swift {FULL}")


@given(rows=st.lists(st.sampled_from(ROWS), max_size=25))
def test_rows_in_any_order_are_read_without_a_slip(rows: list[str]) -> None:
    text = "\n".join(rows)
    check(adapter("swift").facts("x.swift", text), text)


@pytest.mark.parametrize(
    "text",
    [
        "func a(\n  @B<C> @_implicit _ d: () -> Void) {}",
        "func a() {\n  nonisolated(unsafe) let b = c\n}",
        "func a() { return [~B.self] }",
        "func a(b: sending @escaping () -> Void) {}",
    ],
)
def test_what_the_grammar_does_not_know_costs_nothing(text: str) -> None:
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


@pytest.mark.parametrize("size", [10_000, 1_000_000])
def test_input_made_to_explode_is_given_up(size: int) -> None:
    facts = adapter("swift").facts("x.swift", f"class Before {{}}\n{knot(size)}")
    assert facts.status in {STOPPED, PARTIAL}
    assert facts.declarations[0].name == "Before"

"""Checks of facts that must hold for any text in any language."""

from __future__ import annotations

import re

from code_graph.facts import ANONYMOUS, MODULE, Facts


def check(facts: Facts, text: str) -> None:
    """Positions are inside the text, names are at their positions, and all numbers are valid."""
    rows = text.split("\n")
    count = len(facts.declarations)
    for number, one in enumerate(facts.declarations):
        assert 1 <= one.start_line <= one.end_line <= len(rows)
        assert one.start_line <= one.name_line <= one.end_line
        # the kernel's macros declare functions whose names begin with what they don't write, and
        # names that are too long are cut
        written = one.name.removeprefix("compat_").removeprefix("sys_") or one.name
        if ANONYMOUS in one.modifiers:
            written = written.rpartition("$")[0]
        parts = re.split(r"\.|::", written.removesuffix("…").split()[0])
        row = rows[one.name_line - 1][one.name_column :]
        # the last part is on the line where the name begins, or on a later one
        assert parts[-1] in row or row.startswith(parts[0])
        assert one.parent != number
        assert MODULE <= one.parent < count
        assert "\n" not in one.signature
    places = [(one.start_line, -one.end_line) for one in facts.declarations]
    assert places == sorted(places)
    declared = {item.name for item in facts.declarations}
    assert all(use.name in declared for use in facts.uses)
    assert all(use.name.lower() in rows[use.line - 1].lower() for use in facts.uses)
    assert all(1 <= one.line <= len(rows) and MODULE <= one.owner < count for one in facts.imports)
    assert list(facts.cuts) == sorted(set(facts.cuts))
    assert all(1 <= line <= len(rows) for line in facts.cuts)


def knot(size: int) -> str:
    """A text of about this size that makes a parser follow very many alternatives at once."""
    return "".join(f"a{number}<{chr(10) * (number % 20 == 0)}" for number in range(size // 6))

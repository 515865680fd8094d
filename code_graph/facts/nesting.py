"""Nesting of a file's declarations, whatever the order of their numbers.

A parent may have a higher number than what it holds: a method can stand before its type, and of
declarations on the same lines the names decide.
"""

from __future__ import annotations

from collections.abc import Sequence

from code_graph.facts.model import MODULE, Declaration


def levels(rows: Sequence[Declaration]) -> list[int]:
    """The level of each declaration: 1 for those of the module."""
    found = [0] * len(rows)
    for number, item in enumerate(rows):
        inside = [number]
        at = item.parent
        while at != MODULE and not found[at]:
            inside.append(at)
            at = rows[at].parent
        level = 0 if at == MODULE else found[at]
        for inner in reversed(inside):
            level += 1
            found[inner] = level
    return found


def in_text_order(rows: Sequence[Declaration], level: Sequence[int]) -> list[int]:
    """The numbers in the order of the text; of declarations on the same lines, outer ones first."""
    return sorted(
        range(len(rows)),
        key=lambda number: (
            rows[number].start_line,
            -rows[number].end_line,
            level[number],
            rows[number].name_line,
            rows[number].name_column,
        ),
    )

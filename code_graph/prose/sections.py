"""Turns the headings of a text into nested declarations, for all markup languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.facts.model import MODULE, Declaration, context_inside
from index_format.tuples import NamedTuple

# characters kept of a heading, and of its documentation
LONGEST_NAME: Final = 300
LONGEST_DOC: Final = 2000


class Heading(NamedTuple):
    """The heading of a section; lines and columns count as in declarations.

    A heading is nested in the one before it with a lower `level`; `end` is 0 if the section ends
    at the next heading that is not deeper.
    """

    level: int
    kind: str
    name: str
    signature: str
    start: int
    name_line: int
    name_column: int
    # the rows of the documentation: first index, and the index after the last
    doc: tuple[int, int] = (0, 0)
    end: int = 0
    modifiers: frozenset[str] = frozenset()


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def last_lines(headings: Sequence[Heading], rows: Sequence[str]) -> list[int]:
    """The last line of each section that is not blank."""
    found = [heading.end for heading in headings]
    open_sections: list[int] = []
    for number, heading in enumerate(headings):
        before = _last_not_blank(rows, heading.start - 1)
        while open_sections and headings[open_sections[-1]].level >= heading.level:
            found[open_sections.pop()] = before
        if not heading.end:
            open_sections.append(number)
    at_end = _last_not_blank(rows, len(rows))
    for number in open_sections:
        found[number] = at_end
    return [max(last, heading.start) for last, heading in zip(found, headings, strict=True)]


def _last_not_blank(rows: Sequence[str], last: int) -> int:
    while last and not rows[last - 1].strip():
        last -= 1
    return last


def parents(headings: Sequence[Heading], ends: Sequence[int]) -> list[int]:
    """The number of each section's enclosing section, or MODULE."""
    found: list[int] = []
    around: list[int] = []
    for number, heading in enumerate(headings):
        while around and (
            headings[around[-1]].level >= heading.level or ends[around[-1]] < heading.start
        ):
            around.pop()
        found.append(around[-1] if around else MODULE)
        around.append(number)
    return found


def declarations(
    headings: Sequence[Heading], docs: Sequence[str], rows: Sequence[str]
) -> tuple[Declaration, ...]:
    """One declaration for each heading, in the same order."""
    ends = last_lines(headings, rows)
    made: list[Declaration] = []
    for heading, doc, end, parent in zip(
        headings, docs, ends, parents(headings, ends), strict=True
    ):
        holder = made[parent] if parent != MODULE else None
        made.append(
            Declaration(
                kind=heading.kind,
                name=heading.name,
                start_line=heading.start,
                end_line=end,
                name_line=heading.name_line,
                name_column=heading.name_column,
                parent=parent,
                signature=heading.signature,
                doc=doc,
                scope_kind="class" if holder is not None and holder.kind == "class" else "module",
                decl_context=context_inside(holder),
                modifiers=heading.modifiers,
            )
        )
    return tuple(made)

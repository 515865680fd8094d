"""Chooses the lines of a hit that are shown: its signature, and those around its best lines.

Every face of a search shows these, with a mark where lines are missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from repo_mcp.answers.lines import AnswerLine
from repo_mcp.model import SearchHit
from repo_mcp.text.comments import ATTRIBUTE, DECORATOR, DIRECTIVES, is_comment
from repo_mcp.text.cutting import cut
from repo_mcp.text.marking import Marker

# lines of the first hits, and of those after them; lines around a best one
MOST_LINES: Final = 8
FEWER_LINES: Final = 4
FIRST_HITS: Final = 3
_AROUND: Final = 1
# characters shown of a line
_WIDEST: Final = 160
# lines without a letter or digit (a brace, a rule) say nothing
_LEAST_LETTERS: Final = 3
_LETTERS: Final = re.compile(rf"(?:[^\W_][\W_]*){{{_LEAST_LETTERS}}}")
# weights of a term in a line of documentation, and in one that imports
_TOLD: Final = 0.5
_IMPORTED: Final = 0.1
_IMPORT: Final = re.compile(
    r"\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|@import\b|use\s+[\w:{]|using\s+[\w.]+\s*;"
    r"|(?:const|let|var)\s[^=]*=\s*require\(|require(?:_once|_relative)?\b|export\s.*\bfrom\s*['\"]"
    r"|package\s)"
)
_CONTINUED: Final = re.compile(r"\s*(?:[\w$.*]+(?:\s+as\s+\w+)?\s*,?|[)}\]].*|)\s*")
_QUOTES: Final = ('"""', "'" * 3)


def shown_lines(hit: SearchHit, rank: int) -> list[AnswerLine]:
    """The lines of a hit; `rank` counts from 0."""
    rows = hit.snippet.split("\n")
    most = MOST_LINES if rank < FIRST_HITS else FEWER_LINES
    first, last = hit.shown
    chosen = _choose(rows, hit.matched_terms, most)
    found: list[AnswerLine] = []
    if hit.signature and first < hit.start_line:
        found.append(AnswerLine(first, cut(hit.signature, _WIDEST)))
    before = first - hit.start_line + len(found)
    for at in chosen:
        gap = before < 0 or any(row.strip() for row in rows[before:at])
        found.append(AnswerLine(hit.start_line + at, cut(rows[at], _WIDEST), after_gap=gap))
        before = at + 1
    is_cut = last > hit.end_line or any(row.strip() for row in rows[before:])
    return [*found[:-1], found[-1]._replace(before_gap=is_cut)]


def is_import_block(text: str) -> bool:
    """True if lines import, and do nothing else."""
    rows = (row for row in text.split("\n") if row.strip() and not is_plain_comment(row))
    first = next(rows, "")
    return _IMPORT.match(first) is not None and all(_imports([first, *rows]))


def import_lines(rows: Sequence[str]) -> set[int]:
    """The lines that import something, counted from 0."""
    return {at for at, is_import in enumerate(_imports(rows)) if is_import}


def is_plain_comment(row: str) -> bool:
    """True if a line is a comment and no directive."""
    return is_comment(row, directives=DIRECTIVES)


def signature_of(rows: Sequence[str]) -> str:
    """The line of a declaration that names it, of its first lines."""
    return rows[_first_telling(rows)] if rows else ""


def _imports(rows: Sequence[str]) -> Iterator[bool]:
    """By line, true if it belongs to an import."""
    is_open = False
    for row in rows:
        if is_open and _CONTINUED.fullmatch(row):
            is_open = not any(mark in row for mark in ")}")
            yield True
            continue
        is_open = False
        found = _IMPORT.match(row) is not None
        if found:
            is_open = row.count("(") > row.count(")") or row.count("{") > row.count("}")
        yield found


def _choose(rows: Sequence[str], held: Sequence[str], most: int) -> list[int]:
    """The first line that says something, and lines around those with the most terms."""
    if len(rows) <= most:
        return list(range(len(rows)))
    first = _first_telling(rows)
    chosen = {first}
    weights = _weights(rows, held)
    for at in sorted(weights, key=lambda at: (-weights[at], at)):
        near = range(max(at - _AROUND, 0), min(at + _AROUND + 1, len(rows)))
        more = [line for line in near if line not in chosen and rows[line].strip()]
        if len(chosen) + len(more) > most:
            more = [at] if at not in chosen and len(chosen) < most else []
        chosen.update(more)
    for at in range(first, len(rows)):  # what follows the signature, while there is room
        if len(chosen) == most:
            break
        if rows[at].strip():
            chosen.add(at)
    return sorted(chosen)


def _first_telling(rows: Sequence[str]) -> int:
    """The signature: the first line that is more than a comment, a decorator or a brace."""
    for at, row in enumerate(rows):
        telling = _LETTERS.search(row, 0, _WIDEST) is not None
        if telling and not is_comment(row, (DECORATOR, ATTRIBUTE)):
            return at
    return next((at for at, row in enumerate(rows) if _LETTERS.search(row, 0, _WIDEST)), 0)


def _weights(rows: Sequence[str], held: Sequence[str]) -> dict[int, float]:
    """By number of a line that has any of the terms, how many, less if it only tells of them."""
    marks = Marker(held).marks(rows) if held else {}
    if not marks:
        return {}
    imported, told = list(_imports(rows)), list(_told(rows))
    return {
        at: mark.bit_count() * (_IMPORTED if imported[at] else _TOLD if told[at] else 1.0)
        for at, mark in marks.items()
    }


def _told(rows: Sequence[str]) -> Iterator[bool]:
    """By line, true if it is a comment or documentation."""
    closing = ""
    for row in rows:
        text = row.strip()
        if closing:
            yield True
            closing = "" if closing in text else closing
            continue
        opening = next((quote for quote in _QUOTES if text.startswith(quote)), "")
        if opening and text.count(opening) == 1:
            closing = opening
        yield bool(opening) or is_comment(row)

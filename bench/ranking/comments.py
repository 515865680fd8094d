"""Finds a definition's documentation and its first sentence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_MARKS: Final = re.compile(r"^\s*(?:/\*+!?<?|\*+/?|//[/!]?<?|%+|#+)|\*+/\s*$|%+\s*$")
_TAGS: Final = re.compile(r"</?[a-zA-Z][^<>]*>|\{@\w+\s+([^{}]*)\}|[\\@](?:brief|short|details)\b")
# a comment's part about parameters, results, examples and the like begins here
_PARTS: Final = re.compile(
    r"\s*(?:[@\\]\w+|:\w+.*:|-{3,}|={3,}|>>>|Args:|Parameters:?$|Returns:|Example)"
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s")
_WORDY: Final = re.compile(r"[A-Za-z]{2,}")
_ABOVE: Final = 4
_ATTRIBUTE: Final = re.compile(r"\s*(?:@|#\[|\[)")


@dataclass(frozen=True, slots=True)
class Documentation:
    """Lines that contain only a definition's documentation, and its first sentence."""

    first: int
    last: int
    sentence: str


def above(rows: Sequence[str], line: int) -> Documentation | None:
    """The comment that ends right above the head of what is declared at a line."""
    at = line - 1
    for _ in range(_ABOVE):
        comment = _ending_at(rows, at)
        if comment is not None:
            first, last = comment
            return Documentation(first, last, sentence(rows[first - 1 : last]))
        if at < 1 or not _of_head(rows[at - 1]):
            return None
        at -= 1
    return None


def _of_head(row: str) -> bool:
    """True if a line may belong to the declaration below it: its type, or an attribute."""
    text = row.strip()
    return bool(text) and (bool(_ATTRIBUTE.match(row)) or text[-1] not in ";{}:,")


def _ending_at(rows: Sequence[str], last: int) -> tuple[int, int] | None:
    """First and last line of the comment that ends with a line, counted from 1."""
    if last < 1:
        return None
    if rows[last - 1].lstrip().startswith("//"):
        first = last
        while first > 1 and rows[first - 2].lstrip().startswith("//"):
            first -= 1
        return first, last
    if not rows[last - 1].rstrip().endswith("*/"):
        return None
    for number in range(last, 0, -1):
        if "/*" in rows[number - 1]:
            return (number, last) if rows[number - 1].lstrip().startswith("/*") else None
    return None


def of_python(text: str) -> dict[int, Documentation]:
    """Documentation by the line of the `def`, where it has its own lines and isn't all there is."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(node.body) > 1:
            doc, following = node.body[0], node.body[1]
            content = ast.get_docstring(node)
            end = doc.end_lineno or doc.lineno
            if content and doc.lineno > node.lineno and following.lineno > end:
                rows = content.split("\n")
                found[node.lineno] = Documentation(doc.lineno, end, sentence(rows, marked=False))
    return found


def sentence(rows: Sequence[str], *, marked: bool = True) -> str:
    """The first sentence of a comment, as plain words; empty when there is none."""
    return _SENTENCE.split(paragraph(rows, marked=marked), maxsplit=1)[0].strip()


def paragraph(rows: Sequence[str], *, marked: bool = True) -> str:
    """The first paragraph of a comment that says something, as plain words."""
    plain = [_MARKS.sub("", _MARKS.sub("", row)) if marked else row for row in rows]
    joined = " ".join(_opening([_TAGS.sub(r"\1", row) for row in plain]))
    return " ".join(joined.split())


def _opening(rows: Sequence[str]) -> Iterator[str]:
    """The lines of the first paragraph that says something."""
    begun = False
    for row in rows:
        if begun and (not row.strip() or _PARTS.match(row)):
            return
        # a heading is the name alone, a rule, or letters set apart
        if begun or (len(_WORDY.findall(row)) > 1 and not _PARTS.match(row)):
            begun = True
            yield row

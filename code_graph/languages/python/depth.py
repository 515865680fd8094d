"""Tells whether a syntax tree has more levels than any caller may rely on the parser to build.

How deep a tree the interpreter builds depends on its recursion limit, which is process-wide, and
on the caller's own depth. A limit below that gives equal text equal facts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

# the interpreter's usual limit is three levels for each free frame of a thousand
MOST_LEVELS: Final = 2_000
_DECORATED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def is_too_deep(tree: ast.Module, text: str, most: int = MOST_LEVELS) -> bool:
    """True if a chain of nodes with fields, each in the one before, is longer than `most`.

    Goes level by level into what has characters enough: each node takes one at least, and a
    statement and its expression may share one.
    """
    if len(text) < most:
        return False
    starts = [0, *accumulate(len(row) + 1 for row in text.split("\n"))]
    level: list[ast.AST] = [tree]
    for remaining in range(most, -1, -1):
        level = [child for node in level for child in _children(node, starts, remaining)]
        if not level:
            return False
    return True


def _children(node: ast.AST, starts: Sequence[int], least: int) -> Iterator[ast.AST]:
    """The nodes with fields below a node, without those of fewer characters."""
    child: Any
    for name in node._fields:
        value = getattr(node, name, None)
        for child in value if isinstance(value, list) else (value,):
            if not isinstance(child, ast.AST) or not child._fields:
                continue
            first = getattr(child, "lineno", 0)
            if first and _most_characters(child, first, starts) < least:
                continue
            yield child  # arguments and others have no position


def _most_characters(node: Any, first: int, starts: Sequence[int]) -> int:  # noqa: ANN401 of all kinds of nodes
    """At least as many characters as a node has with its decorators, from the line `first`."""
    if node.__class__ in _DECORATED and node.decorator_list:
        first = node.decorator_list[0].lineno
    if first == node.end_lineno:
        return int(node.end_col_offset - node.col_offset)
    last: int = node.end_lineno
    return starts[last] - starts[first - 1]

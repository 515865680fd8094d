"""Where a Python file is best cut: before a declaration with its decorators and comments."""

from __future__ import annotations

import ast
from typing import Any

from repo_mcp.languages.python.declarations import first_line
from repo_mcp.languages.python.source import Source

_UNITS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


def cuts(source: Source, tree: ast.Module) -> tuple[int, ...]:
    """First lines of functions and classes outside functions, and of what follows them."""
    found: set[int] = set()
    # a list of statements and the line before which none of them begins
    stack: list[tuple[list[Any], int]] = [(tree.body, 0)]
    while stack:
        statements, floor = stack.pop()
        after_unit = False
        for node in statements:
            is_unit = isinstance(node, _UNITS)
            if is_unit or (after_unit and isinstance(node, ast.stmt)):
                found.add(_with_comments(source, first_line(node), floor))
            after_unit = is_unit
            floor = node.lineno if hasattr(node, "lineno") else floor
            if isinstance(node, ast.ClassDef) or not is_unit:
                inner = (getattr(node, field, None) for field in _BLOCKS)
                stack += [(body, floor) for body in inner if body.__class__ is list]
            floor = getattr(node, "end_lineno", None) or floor
    return tuple(sorted(found))


def _with_comments(source: Source, line: int, floor: int) -> int:
    """The first line of the comments directly above a line, below another statement's end."""
    while line - 1 > floor and source.rows[line - 2].lstrip().startswith("#"):
        line -= 1
    return line

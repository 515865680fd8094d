"""Adapter for Python with the interpreter's own parser; runs none of the code."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from code_graph.expressions import FileCode
from code_graph.facts.model import (
    FAILED,
    FULL,
    PARTIAL,
    SKIPPED,
    Declaration,
    Facts,
)
from code_graph.hints import identifiers_in
from code_graph.languages.python.declarations import first_line
from code_graph.languages.python.lower.statements import lower
from code_graph.languages.python.source import PythonSource, is_too_large, parse, quiet_parser
from code_graph.languages.python.uses import find_uses
from code_graph.languages.python.walk import Walk

NAME: Final = "python"
EXTENSIONS: Final = (".py", ".pyi", ".pyw")
_FOREIGN_JOINT: Final = re.compile(r"::|->|#")
# raise it when equal text gives other facts
VERSION: Final = 11

# statements that begin a chunk, and the fields with lists of statements
_UNITS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS: Final = ("body", "handlers", "orelse", "finalbody", "cases")


class PythonAdapter:
    """Parses Python with the running interpreter's parser."""

    name = NAME
    # a newer interpreter accepts more syntax
    version = VERSION * 10_000 + sys.version_info[0] * 100 + sys.version_info[1]

    def supports_path(self, path: str) -> bool:
        """True if the file has one of Python's extensions."""
        return path.lower().endswith(EXTENSIONS)

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """The declarations, also those around errors."""
        return self.facts(path, text).declarations

    def facts(self, path: str, text: str) -> Facts:  # noqa: ARG002 the protocol's
        """Declarations, imports, cuts and uses."""
        if is_too_large(text):
            return Facts(NAME, SKIPPED)
        with quiet_parser:
            parsed = _parse(text)
            facts = None if parsed is None else _facts(*parsed)
        is_empty = facts is None or not (facts.declarations or facts.imports)
        if facts is None or (facts.status == PARTIAL and is_empty):
            return Facts(NAME, FAILED)
        return facts

    def code(
        self,
        path: str,  # noqa: ARG002 the protocol's
        text: str,
        facts: Facts | None = None,  # noqa: ARG002 the protocol's
    ) -> FileCode | None:
        """The symbolic code; None where the text can't be parsed."""
        if is_too_large(text):
            return None
        with quiet_parser:
            parsed = _parse(text)
            return None if parsed is None else _lowered(*parsed[1:])

    def smart_chunks(self, path: str, text: str) -> tuple[int, ...]:
        """Lines at which functions and classes begin."""
        return self.facts(path, text).cuts

    def symbol_hints(self, prompt: str) -> tuple[str, ...]:
        """Names in the prompt that are in Python's notation."""
        return tuple(name for name in identifiers_in(prompt) if not _FOREIGN_JOINT.search(name))


def adapter(language: str = NAME) -> PythonAdapter:
    """The adapter of the language, which has to be Python."""
    if language != NAME:
        raise ValueError(language)
    return PythonAdapter()


def _parse(text: str) -> tuple[str, PythonSource, ast.Module] | None:
    """The tree of a text, or of what can be parsed of older, newer or broken code."""
    source = PythonSource(text)
    tree = parse(source.text)
    if tree is not None:
        return FULL, source, tree
    from code_graph.languages.python.repair import RepairedSource, repair  # noqa: PLC0415 rarely needed

    repaired = RepairedSource(text)
    tree = repair(repaired)
    return None if tree is None else (PARTIAL, repaired, tree)


def _facts(status: str, source: PythonSource, tree: ast.Module) -> Facts:
    walk = Walk(source, tree)
    declarations, places = walk.builder.finish()
    return Facts(
        NAME,
        status,
        tuple(declarations),
        imports=tuple(item._replace(owner=places[item.owner]) for item in walk.imports),
        cuts=_find_cuts(source, tree),
        uses=find_uses(tree, declarations),
    )


def _lowered(source: PythonSource, tree: ast.Module) -> FileCode:
    walk = Walk(source, tree)
    declarations, places = walk.builder.finish()
    numbers = walk.builder.number_of.items()
    declared = {node: places[number] for node, number in numbers}
    code = lower(source, tree, declared, walk.import_number)
    return FileCode(code, len(declarations), len(walk.imports))


def _find_cuts(source: PythonSource, tree: ast.Module) -> tuple[int, ...]:
    """First lines of functions and classes outside functions, and of the statements after them."""
    found: set[int] = set()
    # a list of statements, and the last line before it that may not be part of a comment above it
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


def _with_comments(source: PythonSource, line: int, floor: int) -> int:
    """The first line of the comments directly above a line, after the statement before."""
    while line - 1 > floor and source.rows[line - 2].lstrip().startswith("#"):
        line -= 1
    return line

"""Scopes and blocks of a Python file: which assignments in them declare something."""

from __future__ import annotations

from typing import Final

from code_graph.facts import model
from index_format.tuples import NamedTuple

MODULE: Final = "module"
CLASS: Final = "class"
FUNCTION: Final = "function"


class PythonScope:
    """The body of a module, class or function."""

    __slots__ = ("kind", "outside", "receiver")

    def __init__(self, kind: str, receiver: str = "") -> None:
        """Begin without names; `receiver` is that of the method it is in."""
        self.kind = kind
        self.receiver = receiver
        self.outside: set[str] = set()  # declared global or nonlocal


class ClassBody(NamedTuple):
    """A class whose methods may give it fields."""

    number: int
    fields: set[str]


class Block(NamedTuple):
    """A list of statements: its scope, its owner and the control flow around it."""

    scope: PythonScope
    owner: int = model.MODULE  # the innermost function or class
    context: str = ""
    is_conditional: bool = False
    around: ClassBody | None = None  # the class, for its own body and its methods

    def under(self, label: str) -> Block:
        """The block of a branch or loop in this one."""
        return self._replace(context=self._context(label), is_conditional=True)

    def inside(self, label: str, scope: PythonScope, owner: int, around: ClassBody | None) -> Block:
        """The body of a declaration in this block."""
        context = self._context(label)
        return Block(scope, owner, context, self.is_conditional, around)

    def _context(self, label: str) -> str:
        return f"{self.context} > {label}" if self.context else label

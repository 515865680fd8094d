"""Scopes and blocks of a Python file: resolves what kind of thing a name refers to.

Only the file's own text counts: a name is declared or imported in a visible scope, is a local
variable, or comes from elsewhere. Nothing is evaluated.
"""

from __future__ import annotations

import builtins
from typing import Final, TypeAlias

from code_graph.facts import model
from index_format.tuples import NamedTuple

MODULE: Final = "module"
CLASS: Final = "class"
FUNCTION: Final = "function"

KNOWN: Final = 0  # declared or imported here
LOCAL: Final = 1  # a variable of a function
BUILTIN: Final = 2
FOREIGN: Final = 3  # none of these: undefined, or from a star import

_BUILTINS: Final = frozenset(dir(builtins))


# name, qualifier, role, line, column in bytes, owner, and the name whose meaning decides
Use: TypeAlias = tuple[str, str, str, int, int, int, str]


class PythonScope:
    """The names of a module, class or function body."""

    __slots__ = ("bound", "kind", "known", "outside", "parent", "receiver", "uses")

    def __init__(self, kind: str, parent: PythonScope | None) -> None:
        """Begin without names."""
        self.kind = kind
        self.parent = parent
        self.known: set[str] = set()  # declarations and imports
        self.bound: set[str] = set()  # variables that are not declarations
        self.outside: set[str] = set()  # declared global or nonlocal
        self.receiver: str = parent.receiver if parent is not None and kind == FUNCTION else ""
        self.uses: list[Use] = []

    def meaning(self, name: str) -> int:
        """The kind of a name in this scope's code: KNOWN, LOCAL, BUILTIN or FOREIGN."""
        scope: PythonScope | None = self
        while scope is not None:
            if scope is self or scope.kind != CLASS:
                if name in scope.known:
                    return KNOWN
                if name in scope.bound:
                    return LOCAL
            scope = scope.parent
        return BUILTIN if name in _BUILTINS else FOREIGN


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

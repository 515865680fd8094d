"""Which names of a Python file mean something beyond the function they stand in.

Only the file's own text decides: a name is declared or imported in a scope that is visible, or is
bound to a local variable, or is none of this file's. Nothing is evaluated.
"""

from __future__ import annotations

import builtins
from typing import Final, TypeAlias

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


class Scope:
    """The names of a module, class or function body."""

    __slots__ = ("bound", "kind", "known", "outside", "parent", "receiver", "uses")

    def __init__(self, kind: str, parent: Scope | None) -> None:
        """Start with no names."""
        self.kind = kind
        self.parent = parent
        self.known: set[str] = set()  # declarations and imports
        self.bound: set[str] = set()  # variables that are no declarations
        self.outside: set[str] = set()  # said to be global or nonlocal
        self.receiver: str = parent.receiver if parent is not None and kind == FUNCTION else ""
        self.uses: list[Use] = []

    def meaning(self, name: str) -> int:
        """What a name stands for where this scope's code uses it."""
        scope: Scope | None = self
        while scope is not None:
            if scope is self or scope.kind != CLASS:
                if name in scope.known:
                    return KNOWN
                if name in scope.bound:
                    return LOCAL
            scope = scope.parent
        return BUILTIN if name in _BUILTINS else FOREIGN

"""Where a Python statement stands: in whose body, in which scope, under what control flow."""

from __future__ import annotations

from typing import NamedTuple

from repo_mcp.languages.facts.model import MODULE
from repo_mcp.languages.python.scopes import Scope


class ClassBody(NamedTuple):
    """A class whose methods may give it fields."""

    number: int
    fields: set[str]


class Block(NamedTuple):
    """A list of statements and what is around it."""

    scope: Scope
    owner: int = MODULE  # the innermost function or class
    context: str = ""
    is_conditional: bool = False
    around: ClassBody | None = None  # the class, for its own body and its methods

    def under(self, label: str) -> Block:
        """The block of a branch or loop in this one."""
        return self._replace(context=self._context(label), is_conditional=True)

    def inside(self, label: str, scope: Scope, owner: int, around: ClassBody | None) -> Block:
        """The body of a declaration in this block."""
        context = self._context(label)
        return Block(scope, owner, context, self.is_conditional, around)

    def _context(self, label: str) -> str:
        return f"{self.context} > {label}" if self.context else label

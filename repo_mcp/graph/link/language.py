"""What differs between languages in linking: imports, builtins, types and members."""

from __future__ import annotations

from typing import Protocol

from repo_mcp.graph.link.source_file import SourceFile
from repo_mcp.graph.link.values import Result, Value, Values
from repo_mcp.languages.code import Argument


class Language(Protocol):
    """The rules of one language for the linker."""

    def imported(self, file: SourceFile, number: int) -> Result:
        """What an import binds its name to."""
        ...

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The module that an import names, of which it may bind a member."""
        ...

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """What a name means that no scope of its file binds: builtins, names imported by `*`."""
        ...

    def skips(self, file: SourceFile, scope: int, start: int) -> bool:
        """Whether a scope around is passed over when a name is looked up from `start`."""
        ...

    def receiver(self, file: SourceFile, function: int) -> Result:
        """What the first parameter of a method stands for; empty if it is a plain one."""
        ...

    def submodule(self, path: str, name: str) -> Result:
        """A module inside of a module or folder."""
        ...

    def instances(self, value: Value) -> Values:
        """The objects that a value means where it is used as a type."""
        ...

    def call_external(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """What a call of something external gives."""
        ...

    def member_of_external(self, value: Value, name: str) -> Result:
        """A member of something external."""
        ...

    def decorated(self, name: str, value: Value) -> Result | None:
        """What an external decorator makes of a value; None if the language knows nothing of it."""
        ...

    def element(self, value: Value) -> Values:
        """What an iteration over an external value gives."""
        ...

    def item(self, value: Value, key: str) -> Values:
        """What a key of an external value gives."""
        ...

    def function_kinds(self, file: SourceFile, declaration: int) -> frozenset[str]:
        """How a function is called: property, setter, static, class, overload, context."""
        ...

    def type_parameters(self, file: SourceFile, scope: int) -> list[str]:
        """The names of a class's type parameters."""
        ...

    def operator_method(self, name: str) -> str:
        """The method that an operator calls."""
        ...

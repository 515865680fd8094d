"""The rules in which languages that declare few types differ."""

# ruff: noqa: ARG002 what they are asked about, which languages use

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Result,
    Value,
    Values,
)
from code_graph.expressions import Argument, Op, ScopeKind
from code_graph.model import Strategy


class ImpliedCallFinder(Protocol):
    """The finder of functions that expressions call without naming them."""

    @property
    def operations(self) -> frozenset[Op]:
        """The operations that may call something, beside calls."""
        ...

    def at(self, file: SourceFile, number: int) -> Result:
        """The functions that an expression calls."""
        ...

    def at_member(self, file: SourceFile, number: int) -> Result:
        """The functions that reading or setting a member calls, which a descriptor has."""
        ...

    def at_unknown_member(self, file: SourceFile, number: int) -> Result:
        """The functions that provide members which an object lacks."""
        ...

    def at_class(self, file: SourceFile, scope: int) -> Result:
        """The functions that the statement of a class calls."""
        ...


class LanguageRules:
    """The rules of a language for the linker; by default of a language without such features."""

    # None for languages in which all that is called is named
    implied: ImpliedCallFinder | None = None
    # the external types of literals, by their kinds; of others the kind is the type
    literals: ClassVar[Mapping[str, str]] = {}
    # the external types of containers to which values are added after they were made
    containers: ClassVar[frozenset[str]] = frozenset()
    # their methods that add an argument, by its position, and those that add the elements of one
    adding: ClassVar[Mapping[str, int]] = {}
    extending: ClassVar[frozenset[str]] = frozenset()
    # the method that gives the value of a key, and stores one where there is none
    value_or_stored: ClassVar[str] = ""

    def literal(self, kind: str) -> str:
        """The type of a kind of literal."""
        return self.literals.get(kind, kind)

    def imported(self, file: SourceFile, number: int) -> Result:
        """The values that an import binds its name to."""
        return {}

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The module that an import names, of which it may bind a member."""
        return self.imported(file, number)

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """The values of a name that no scope of its file binds: builtins, names imported by `*`."""
        return {External(name): Strategy.SCOPE}

    def skips(self, file: SourceFile, scope: int, start: int) -> bool:
        """True if a scope around is passed over when a name is looked up from `start`."""
        return file.kind(scope) == ScopeKind.CLASS

    def receiver(self, file: SourceFile, function: int) -> Result:
        """The values of a method's first parameter; empty if it is a plain one."""
        return {}

    def called_inside(self, file: SourceFile, number: int) -> Result:
        """The functions of the repository that a call of something outside runs in turn."""
        return {}

    def call_external(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """The values that a call of something external returns."""
        return {}

    def member_of_external(self, value: Value, name: str) -> Result:
        """A member of something external."""
        return {}

    def has_member(self, external: str, name: str) -> bool | None:
        """True if an external class has a member; None if that is unknown."""
        return None

    def element(self, value: Value) -> Values:
        """The elements of an external value in an iteration."""
        return value.arguments[0] if isinstance(value, ExternalInstance) and value.arguments else ()

    def item(self, value: Value) -> Values:
        """The values that an external container has at its keys."""
        return (
            value.arguments[-1] if isinstance(value, ExternalInstance) and value.arguments else ()
        )

    def callback_arguments(self, value: Value, file: SourceFile, number: int) -> tuple[Values, ...]:
        """The arguments that an external function passes to a callback of a call."""
        return ()

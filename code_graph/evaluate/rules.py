"""The rules in which languages that declare few types differ."""

# ruff: noqa: ARG002 what they are asked about, which languages use

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    Injection,
    Instance,
    Result,
    Value,
    Values,
)
from code_graph.expressions import Argument, Binding, Op
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
        """The functions that are asked for a member which an object lacks."""
        ...

    def at_class(self, file: SourceFile, scope: int) -> Result:
        """The functions that the statement of a class calls."""
        ...


class LanguageRules:
    """The rules of one language for the linker: those of one that has none of what they say."""

    # None for languages in which all that is called is named
    implied: ImpliedCallFinder | None = None

    def imported(self, file: SourceFile, number: int) -> Result:
        """The values that an import binds its name to."""
        return {}

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The module that an import names, of which it may bind a member."""
        return {}

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """The values of a name that no scope of its file binds: builtins, names imported by `*`."""
        return {External(name): Strategy.SCOPE}

    def star_modules(self, file: SourceFile, name: str) -> Result:
        """The modules that bind a name which a file imports with all others of these."""
        return {}

    def skips(self, file: SourceFile, scope: int, start: int) -> bool:
        """True if a scope around is passed over when a name is looked up from `start`."""
        return False

    def receiver(self, file: SourceFile, function: int) -> Result:
        """The values of a method's first parameter; empty if it is a plain one."""
        return {}

    def injected(self, file: SourceFile, binding: Binding) -> Result:
        """The values that a framework gives to a parameter; empty where it gives none."""
        return {}

    def called_for(self, file: SourceFile, declaration: int) -> Iterator[Injection]:
        """The functions that a framework calls before a function, or before all of a FILE."""
        return iter(())

    def called_inside(self, file: SourceFile, number: int) -> Result:
        """The functions of the repository that a call of something outside runs in turn."""
        return {}

    def instances(self, value: Value) -> Values:
        """The objects that a value means where it is used as a type."""
        return ()

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
        return ()

    def item(self, value: Value, key: str) -> Values:
        """The values of an external container at a key."""
        return ()

    def keyed_member(self, value: Instance, key: str) -> Result:
        """The member at a literal key of an object where keys are members: a `TypedDict`."""
        return {}

    def function_kinds(self, file: SourceFile, declaration: int) -> frozenset[str]:
        """The kinds of a function: property, setter, static, class, overload, context."""
        return frozenset()

    def type_parameters(self, file: SourceFile, scope: int) -> list[str]:
        """The names of a class's type parameters."""
        return []

    def callback_arguments(self, value: Value, file: SourceFile, number: int) -> tuple[Values, ...]:
        """The arguments that an external function passes to a callback of a call."""
        return ()

    def operator_method(self, name: str) -> str:
        """The method that an operator calls."""
        return name

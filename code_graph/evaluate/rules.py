"""The rules in which languages that declare few types differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
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


class LanguageRules(Protocol):
    """The rules of one language for the linker."""

    # None for languages in which all that is called is named
    implied: ImpliedCallFinder | None

    def imported(self, file: SourceFile, number: int) -> Result:
        """The values that an import binds its name to."""
        ...

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The module that an import names, of which it may bind a member."""
        ...

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """The values of a name that no scope of its file binds: builtins, names imported by `*`."""
        ...

    def star_modules(self, file: SourceFile, name: str) -> Result:
        """The modules that bind a name which a file imports with all others of these."""
        ...

    def skips(self, file: SourceFile, scope: int, start: int) -> bool:
        """True if a scope around is passed over when a name is looked up from `start`."""
        ...

    def receiver(self, file: SourceFile, function: int) -> Result:
        """The values of a method's first parameter; empty if it is a plain one."""
        ...

    def injected(self, file: SourceFile, binding: Binding) -> Result:
        """The values that a framework gives to a parameter; empty where it gives none."""
        ...

    def called_for(self, file: SourceFile, declaration: int) -> Iterator[Injection]:
        """The functions that a framework calls before a function, or before all of a FILE."""
        ...

    def called_inside(self, file: SourceFile, number: int) -> Result:
        """The functions of the repository that a call of something outside runs in turn."""
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
        """The values that a call of something external returns."""
        ...

    def member_of_external(self, value: Value, name: str) -> Result:
        """A member of something external."""
        ...

    def inherited(self, owner: Instance | ClassValue | None, external: str, name: str) -> Result:
        """A member of an external base that depends on the class which inherits it."""
        ...

    def held_by(self, value: Instance, owner: Instance | ClassValue) -> Instance:
        """An object that a class holds, with what it knows of this class."""
        ...

    def placed(self, value: Instance) -> Result:
        """The descriptors that an object which a class holds puts in its own place."""
        ...

    def has_member(self, external: str, name: str) -> bool | None:
        """True if an external class has a member; None if that is unknown."""
        ...

    def decorated(self, name: str, value: Value) -> Result | None:
        """The values of an external decorator for a value; None if the language knows none."""
        ...

    def element(self, value: Value) -> Values:
        """The elements of an external value in an iteration."""
        ...

    def item(self, value: Value, key: str) -> Values:
        """The values of an external container at a key."""
        ...

    def keyed_member(self, value: Instance, key: str) -> Result:
        """The member at a literal key of an object where keys are members: a `TypedDict`."""
        ...

    def function_kinds(self, file: SourceFile, declaration: int) -> frozenset[str]:
        """The kinds of a function: property, setter, static, class, overload, context."""
        ...

    def type_parameters(self, file: SourceFile, scope: int) -> list[str]:
        """The names of a class's type parameters."""
        ...

    def callback_arguments(self, value: Value, file: SourceFile, number: int) -> tuple[Values, ...]:
        """The arguments that an external function passes to a callback of a call."""
        ...

    def operator_method(self, name: str) -> str:
        """The method that an operator calls."""
        ...


# ruff: noqa: D102, ARG002 each is explained by the protocol above
class PlainRules(LanguageRules):
    """Rules of a language that has none of this: what it has, a subclass says."""

    implied: ImpliedCallFinder | None = None

    def imported(self, file: SourceFile, number: int) -> Result:
        return {}

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        return {}

    def undeclared(self, file: SourceFile, name: str) -> Result:
        return {External(name): Strategy.SCOPE}

    def star_modules(self, file: SourceFile, name: str) -> Result:
        return {}

    def skips(self, file: SourceFile, scope: int, start: int) -> bool:
        return False

    def receiver(self, file: SourceFile, function: int) -> Result:
        return {}

    def injected(self, file: SourceFile, binding: Binding) -> Result:
        return {}

    def called_for(self, file: SourceFile, declaration: int) -> Iterator[Injection]:
        return iter(())

    def called_inside(self, file: SourceFile, number: int) -> Result:
        return {}

    def submodule(self, path: str, name: str) -> Result:
        return {}

    def instances(self, value: Value) -> Values:
        return ()

    def call_external(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        return {}

    def member_of_external(self, value: Value, name: str) -> Result:
        return {}

    def inherited(self, owner: Instance | ClassValue | None, external: str, name: str) -> Result:
        return {}

    def held_by(self, value: Instance, owner: Instance | ClassValue) -> Instance:
        return value

    def placed(self, value: Instance) -> Result:
        return {}

    def has_member(self, external: str, name: str) -> bool | None:
        return None

    def decorated(self, name: str, value: Value) -> Result | None:
        return None

    def element(self, value: Value) -> Values:
        return ()

    def item(self, value: Value, key: str) -> Values:
        return ()

    def keyed_member(self, value: Instance, key: str) -> Result:
        return {}

    def function_kinds(self, file: SourceFile, declaration: int) -> frozenset[str]:
        return frozenset()

    def type_parameters(self, file: SourceFile, scope: int) -> list[str]:
        return []

    def callback_arguments(self, value: Value, file: SourceFile, number: int) -> tuple[Values, ...]:
        return ()

    def operator_method(self, name: str) -> str:
        return name

"""The parts of evaluation as they see each other: each needs all others, and imports none.

Names lead to expressions, expressions to calls and members, these to names again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile, Way
from code_graph.evaluate.values import (
    ClassValue,
    FunctionValue,
    Instance,
    ModuleValue,
    Result,
    SuperValue,
    Value,
    Values,
)
from code_graph.expressions import Argument, Binding
from code_graph.model import Strategy


class Ancestor(NamedTuple):
    """A class in the lookup order of another, with its type arguments; or an external one."""

    path: str
    scope: int
    arguments: tuple[Values, ...] = ()
    external: str = ""


class LanguageRules(Protocol):
    """The rules of one language for the linker."""

    def imported(self, file: SourceFile, number: int) -> Result:
        """The values that an import binds its name to."""
        ...

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The module that an import names, of which it may bind a member."""
        ...

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """The values of a name that no scope of its file binds: builtins, names imported by `*`."""
        ...

    def skips(self, file: SourceFile, scope: int, start: int) -> bool:
        """True if a scope around is passed over when a name is looked up from `start`."""
        ...

    def receiver(self, file: SourceFile, function: int) -> Result:
        """The values of a method's first parameter; empty if it is a plain one."""
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


class NamesPart(Protocol):
    """Names in scopes."""

    def look_up(self, file: SourceFile, scope: int, name: str, at: int) -> Result:
        """The meanings of a name at an expression of a scope."""
        ...

    def way(self, file: SourceFile, scope: int, name: str) -> Way:
        """The path of scopes by which a name is looked up."""
        ...

    def exported(self, file: SourceFile, name: str) -> Result:
        """The values of a module's name that other modules see."""
        ...

    def ask(self, file: SourceFile, scope: int, name: str) -> None:
        """Record a dependency on a name of a scope."""
        ...

    def in_class(self, file: SourceFile, scope: int, name: str) -> Result:
        """The bindings of a name by the body of a class."""
        ...


class ClassesPart(Protocol):
    """Members of classes and objects."""

    def ancestors(self, path: str, scope: int) -> list[Ancestor]:
        """A class and its bases in lookup order."""
        ...

    def own_member(self, path: str, scope: int, name: str) -> Result:
        """A member that a class itself has."""
        ...

    def member_of_instance(self, instance: Instance, name: str) -> Result:
        """A member of an object."""
        ...

    def member_of_class(self, owner: ClassValue, name: str) -> Result:
        """A member of a class itself."""
        ...

    def member_of_super(self, value: SuperValue, name: str) -> Result:
        """A member looked up after a class in the order of the receiver's class."""
        ...

    def elements_of_class(self, owner: ClassValue) -> Result:
        """The elements of a class in an iteration."""
        ...

    def narrowed(self, values: Result, declared: Result) -> Result:
        """Values of which a test shows the type."""
        ...

    def without(self, values: Result, excluded: Result) -> Result:
        """Values without those of the excluded classes."""
        ...

    def inherits_property(self, order: Sequence[Ancestor], name: str) -> bool:
        """True if the first class of an order that binds a name makes it a property."""
        ...

    def type_parameters(self, file: SourceFile, scope: int) -> list[str]:
        """The names of a class's type parameters."""
        ...

    def substituted(
        self, values: Result, receiver: Value | None, path: str, class_scope: int
    ) -> Result:
        """Values with the type parameters of the receiver's class replaced."""
        ...


class CallsPart(Protocol):
    """Calls of functions and classes."""

    def call(
        self, file: SourceFile, number: int, functions: Result, items: Sequence[Argument]
    ) -> Result:
        """The values that a call returns."""
        ...

    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The callables among values."""
        ...

    def result(self, value: FunctionValue) -> Result:
        """The values that a function returns."""
        ...

    def call_member(self, value: Instance, name: str, *, direct: bool = False) -> Result:
        """The result of calling a member of an object."""
        ...

    def operate(self, value: Instance, name: str) -> Result:
        """The result of an operator of an object."""
        ...

    def bind(self, value: FunctionValue, instance: Instance) -> Result:
        """A function of a class taken from an object."""
        ...

    def bind_to_class(self, value: FunctionValue, owner: ClassValue) -> Result:
        """A function of a class taken from the class itself."""
        ...

    def is_property(self, value: FunctionValue) -> bool:
        """True if reading a function as a member calls it."""
        ...

    def parameter(self, file: SourceFile, binding: Binding) -> Result:
        """The possible values of a parameter."""
        ...

    def decorated(self, file: SourceFile, declaration: int, values: Result) -> Result:
        """A function or class after its decorators."""
        ...


class ContainersPart(Protocol):
    """Containers and what is put into them."""

    def filled(self, file: SourceFile, binding: Binding, found: Result) -> Result:
        """The value of a name with all that is added to it."""
        ...

    def filled_member(self, file: SourceFile, scope: int, name: str, found: Result) -> Result:
        """The value of a member with all that methods of its class add to it."""
        ...

    def mapped(self, value: Value) -> Values:
        """The values of a mapping."""
        ...


class Parts(Protocol):
    """All of it."""

    @property
    def engine(self) -> Engine:
        """Units and limits."""
        ...

    @property
    def language(self) -> LanguageRules:
        """The rules of the language."""
        ...

    @property
    def names(self) -> NamesPart:
        """Names."""
        ...

    @property
    def classes(self) -> ClassesPart:
        """Classes."""
        ...

    @property
    def calls(self) -> CallsPart:
        """Calls."""
        ...

    @property
    def containers(self) -> ContainersPart:
        """Containers."""
        ...

    def file(self, path: str) -> SourceFile | None:
        """A file of the tree."""
        ...

    def evaluate(self, file: SourceFile, number: int) -> Result:
        """The possible values of an expression."""
        ...

    def evaluate_all(self, file: SourceFile, numbers: Iterable[int]) -> Result:
        """The possible values of several expressions together."""
        ...

    def instances(self, file: SourceFile, number: int) -> Result:
        """The objects of a declared type."""
        ...

    def member(self, value: Value, name: str) -> Result:
        """A member of a value."""
        ...

    def module_member(self, module: ModuleValue, name: str) -> Result:
        """A name of a module."""
        ...

    def element(self, values: Result) -> Result:
        """The values that iteration gives."""
        ...

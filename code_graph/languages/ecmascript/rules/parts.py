"""The parts of the evaluation of TypeScript and JavaScript as they see each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, Protocol

from code_graph.evaluate.parts import CallsPart, ClassesPart, NamesPart, Parts
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    CallableValue,
    ClassValue,
    FunctionValue,
    Instance,
    ObjectValue,
    OpenType,
    Result,
    TypeVariable,
    Value,
    Values,
)
from code_graph.expressions import NONE, Argument, Binding, Expression

Given = dict[TypeVariable, Values]


class Space(IntEnum):
    """The two spaces of names: a name may mean one thing as a value and another as a type."""

    VALUE = 0
    TYPE = 1


class Row(NamedTuple):
    """A binding that makes a member."""

    file: SourceFile
    number: int


class EcmaScriptNamesPart(NamesPart, Protocol):
    """Names in two spaces, and what modules export."""

    def ask(self, file: SourceFile, scope: int, name: str) -> None:
        """Record a dependency on a name of a scope."""
        ...

    def values(self, file: SourceFile, numbers: Sequence[int]) -> Result:
        """The values of several bindings of a file together."""
        ...

    def value_of_number(self, file: SourceFile, number: int) -> Result:
        """The values of one binding of a file."""
        ...

    def binding_of(
        self, file: SourceFile, scope: int, name: str, at: int, space: Space
    ) -> list[int] | None:
        """The numbers of the bindings that a name means at a place; None if it has none."""
        ...

    def rows(self, file: SourceFile, scope: int, name: str, space: Space) -> list[int]:
        """The numbers of a scope's bindings of a name in a space."""
        ...

    def narrowing(
        self, file: SourceFile, scope: int, rows: Sequence[int], at: int, region: int
    ) -> int | None:
        """The last binding around a place that shows a type."""
        ...

    def followed(self, file: SourceFile, number: int) -> Result:
        """The target of an import."""
        ...

    def module(self, file: SourceFile, specifier: str) -> Result:
        """The values of a module that is imported by a call."""
        ...

    def exported_targets(self, path: str, name: str) -> Result:
        """The exports of a module under a name."""
        ...

    def types_of_targets(self, targets: Result) -> Iterator[tuple[SourceFile, int]]:
        """The bindings among targets that count as types."""
        ...

    def in_scope(self, file: SourceFile, scope: int, name: str) -> Result:
        """A member of a namespace, as a value."""
        ...

    def as_instance(self, values: Result) -> Result:
        """Objects of the classes among values."""
        ...


class TypesPart(Protocol):
    """Types and type variables."""

    def instances(self, file: SourceFile, number: int) -> Result:
        """The objects of a type."""
        ...

    def variables_of_scope(self, file: SourceFile, scope: int) -> list[TypeVariable]:
        """The type parameters of a class or function."""
        ...

    def zipped(self, variables: Sequence[TypeVariable], given: Sequence[Values]) -> Given:
        """Type variables with their arguments."""
        ...

    def bound(self, variable: TypeVariable) -> Result:
        """The constraint of a type parameter."""
        ...

    def replaced(self, values: Result, given: Mapping[TypeVariable, Values]) -> Result:
        """Values with type variables replaced."""
        ...

    def replace(self, value: Value, given: Mapping[TypeVariable, Values]) -> Values:
        """A value with type variables replaced."""
        ...


class EcmaScriptClassesPart(ClassesPart, Protocol):
    """Members of merged declarations and literals."""

    def parts(self, path: str, scope: int) -> list[tuple[SourceFile, int]]:
        """The bodies of all declarations of a name in one scope."""
        ...

    def line(self, path: str, scope: int) -> Result:
        """A class or interface and all of its bases, with type arguments."""
        ...

    def given_of(self, value: Instance | ClassValue) -> Given:
        """The type variables of an object's class with their arguments."""
        ...

    def composed(self, owner: Instance, given: Given) -> Given:
        """Type arguments of a base, composed with those of the class that derives from it."""
        ...

    def rows(self, value: Instance | ClassValue, name: str, *, skip: bool = False) -> list[Row]:
        """The bindings that make a member of the nearest class that has it."""
        ...

    def member_of_object(self, value: ObjectValue, name: str) -> Result:
        """A member of an object literal or a type literal."""
        ...

    def keys_of(self, value: Value) -> Iterator[str]:
        """The names of members."""
        ...

    def values_of(self, value: Value) -> Result:
        """The values of all properties of an object."""
        ...

    def is_subclass(self, value: Value, other: Value) -> bool:
        """True if the class of an object is, or derives from, that of another."""
        ...

    def ask_head(self, file: SourceFile, scope: int) -> None:
        """Record a dependency on the head of a class."""
        ...


class EcmaScriptCallsPart(CallsPart, Protocol):
    """Results and type arguments."""

    def with_bases(self, functions: Result) -> Result:
        """Functions with the class that `super` calls in its place."""
        ...

    def unify(self, declared: Values, values: Values, given: Given, depth: int) -> None:
        """Find what type variables stand for, so that values are of the declared types."""
        ...

    def results(self, values: Sequence[Value]) -> Result:
        """The values that functions return, whatever their arguments."""
        ...

    def of_receiver(self, found: Result, value: FunctionValue) -> Result:
        """A result with the type arguments of the receiver."""
        ...

    def infer(
        self,
        file: SourceFile,
        value: FunctionValue | CallableValue,
        items: Sequence[Argument],
        given: Given,
        without: int = NONE,
    ) -> None:
        """Find the type variables of a function by the arguments of a call."""
        ...

    def ask_head(self, file: SourceFile, scope: int) -> None:
        """Record a dependency on the head of a function."""
        ...


class ContextPart(Protocol):
    """Expected types."""

    def expected_parameter(self, file: SourceFile, binding: Binding) -> Result:
        """A parameter of a function, by the type that is expected of the function."""
        ...

    def parameters(self, value: Value) -> list[Values]:
        """The types of a function's parameters."""
        ...

    def parameter_at(self, value: FunctionValue | CallableValue, at: int) -> Result:
        """The declared type of the argument at a position."""
        ...

    def rest_variable(
        self, value: FunctionValue | CallableValue
    ) -> tuple[int, TypeVariable] | None:
        """The type variable that stands for all parameters from a position on."""
        ...

    def expected_this(self, file: SourceFile, number: int) -> Result:
        """The values of `this` in a function, by the type that is expected of it."""
        ...


class NarrowingPart(Protocol):
    """Narrowing of types by tests."""

    def value(self, file: SourceFile, number: int) -> Result:
        """The values of what is tested that the test lets pass."""
        ...

    def predicate(self, value: FunctionValue | CallableValue) -> Result:
        """The type that a function shows of its argument by giving true."""
        ...


class ShapesPart(Protocol):
    """Members that types require."""

    def required(self, file: SourceFile, number: int) -> Sequence[str]:
        """The names of the members that an object of a type must have."""
        ...

    def lacks(self, value: Value, name: str) -> bool:
        """True if a value is known to be without a member."""
        ...

    def fits(self, value: Value, declared: Result, inferred: Given) -> bool | None:
        """True if a value is of a type; None if that is not known."""
        ...


class OpenTypesPart(Protocol):
    """Types that are computed from others."""

    def computed(self, value: OpenType) -> Result:
        """The computed value of an open type; itself while its operands are not known."""
        ...

    def limited(self, value: OpenType) -> Result:
        """An open type replaced by the constraints of its variables."""
        ...

    def mapped(self, file: SourceFile, number: int, item: Expression) -> Result:
        """The objects of a mapped type."""
        ...

    def member_of_mapped(self, value: ObjectValue, name: str) -> Result:
        """A member of an object of a mapped type."""
        ...

    def values_of_mapped(self, value: ObjectValue) -> Result:
        """The values of any member of an object of a mapped type."""
        ...

    def names_of_mapped(self, value: ObjectValue) -> Iterator[str]:
        """The names of the members of a mapped type."""
        ...

    def sources_of_mapped(self, value: ObjectValue) -> Result:
        """The objects whose members a mapped type has."""
        ...


class ModulesPart(Protocol):
    """Modules by specifiers."""

    def find(self, specifier: str, path: str) -> Result:
        """The module of a specifier in a file."""
        ...


class EcmaScriptParts(Parts, Protocol):
    """All of it."""

    @property
    def names(self) -> EcmaScriptNamesPart:
        """Names."""
        ...

    @property
    def classes(self) -> EcmaScriptClassesPart:
        """Members."""
        ...

    @property
    def calls(self) -> EcmaScriptCallsPart:
        """Calls."""
        ...

    @property
    def types(self) -> TypesPart:
        """Types."""
        ...

    @property
    def context(self) -> ContextPart:
        """Expected types."""
        ...

    @property
    def narrowing(self) -> NarrowingPart:
        """Narrowing of types by tests."""
        ...

    @property
    def shapes(self) -> ShapesPart:
        """Members that types require."""
        ...

    @property
    def open_types(self) -> OpenTypesPart:
        """Types that are computed from others."""
        ...

    def limits(self, value: TypeVariable | OpenType) -> Result:
        """The constraint of a type parameter without an argument."""
        ...

    @property
    def modules(self) -> ModulesPart:
        """Modules."""
        ...

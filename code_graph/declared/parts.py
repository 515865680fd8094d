"""The parts of evaluation in languages with declared types, as they see each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple, Protocol

from code_graph.declared.substitution import Given
from code_graph.declared.tables import DeclarationTable, TypeRow
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.parts import Ancestor
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    ModuleValue,
    Result,
    TypeParameter,
    Value,
    Values,
)
from code_graph.expressions import NONE, Argument, Binding, Expression
from code_graph.facts import Declaration
from code_graph.model import Strategy

# the types of the parameters of a function, and of its result
Shape = tuple[tuple[Values, ...], Values]


class MatchedArgument(NamedTuple):
    """A parameter of a function, the argument for it, and its place among the arguments."""

    parameter: Binding
    argument: int
    position: int


class DeclaredTypesPart(Protocol):
    """Types by their names."""

    def table(self, file: SourceFile) -> DeclarationTable:
        """The declarations of a file by name."""
        ...

    def arity(self, file: SourceFile, number: int) -> int:
        """The number of type arguments of a name; -1 if types are not told apart by it."""
        ...

    def ask(self, file: SourceFile, scope: int, name: str) -> None:
        """Record a dependency on a name of a scope."""
        ...

    def declaring(self, language: str, name: str) -> Iterator[SourceFile]:
        """The files of a language that declare a name for all others."""
        ...

    def rows(self, language: str, name: str) -> dict[str, list[tuple[str, TypeRow]]]:
        """The types of a name that are in no other type, by their namespaces."""
        ...

    def in_namespace(self, file: SourceFile, namespace: str, name: str, arity: int) -> Result:
        """The type of a name in a namespace, as a file sees it; a negative arity fits any."""
        ...

    def value_of(self, file: SourceFile, declaration: int) -> Result:
        """A declared type as a value: the first part of a class, or a delegate."""
        ...

    def named(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """Types that a name means at a place."""
        ...

    def parameter(self, file: SourceFile, scope: int, name: str) -> Result:
        """A type parameter of the declaration that a scope belongs to."""
        ...

    def bound_of(self, value: TypeParameter) -> Result:
        """The types that a type parameter is limited to."""
        ...

    def parameters_of(self, value: ClassValue) -> tuple[TypeParameter, ...]:
        """The type parameters of a class, as values."""
        ...

    def parameters_of_instance(self, value: Instance) -> tuple[TypeParameter, ...]:
        """The type parameters of an object's class."""
        ...

    def nested(self, owner: ClassValue, name: str, arity: int) -> Result:
        """A type in a class or one of its bases, or what a type parameter of it is."""
        ...

    def of(self, file: SourceFile, number: int) -> Result:
        """Types that an expression means: classes, not their objects."""
        ...

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type by a name with a namespace, which may be one inside of those around."""
        ...

    def dotted(self, file: SourceFile, item: Expression) -> str:
        """The names of a chain of members of a name, joined by dots; empty for others."""
        ...

    def applied(self, value: Value, given: tuple[Values, ...]) -> Result:
        """A generic type with its type arguments."""
        ...

    def instances(self, file: SourceFile, number: int) -> Result:
        """The objects of a declared type."""
        ...

    def objects(self, value: Value) -> Values:
        """The objects of a type."""
        ...

    def alias(self, file: SourceFile, declaration: int) -> Result:
        """The target of an alias."""
        ...


class DeclaredClassesPart(Protocol):
    """Members of types."""

    def canonical(self, value: ClassValue) -> ClassValue:
        """The first part of a type, which stands for all of it."""
        ...

    def parts(self, path: str, scope: int) -> list[tuple[str, int]]:
        """All parts of a type, in the order of their paths; most types have one."""
        ...

    def ancestors(self, path: str, scope: int) -> list[Ancestor]:
        """A type and its bases, classes before interfaces, each once; external ones by name."""
        ...

    def given(self, value: ClassValue | Instance) -> dict[str, Values]:
        """Bindings of a class's type parameters in one of its uses."""
        ...

    def given_at(self, receiver: Value | None, path: str, scope: int) -> dict[str, Values]:
        """Bindings of a base's type parameters, as seen by an object of a derived class."""
        ...

    def bases(self, path: str, scope: int) -> Result:
        """The direct bases of a type, as all of its parts say."""
        ...

    def kind_of(self, path: str, scope: int) -> str:
        """The kind of a declared type."""
        ...

    def own_members(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """The declarations of a name in a type itself, in all of its parts."""
        ...

    def members(self, receiver: Instance | ClassValue, name: str, skip: int = 0) -> Result:
        """The members of a name, those of the type before those of its bases."""
        ...

    def is_function(self, value: Value) -> bool:
        """True if a value is a declared function or method."""
        ...

    def constructors(self, value: ClassValue) -> Result:
        """The constructors that a class declares."""
        ...

    def owner_of(self, file: SourceFile, declaration: int) -> ClassValue | None:
        """The type that a member is declared in."""
        ...

    def is_subclass(self, value: Instance, other: Instance) -> bool:
        """True if the class of an object is, or derives from, that of another."""
        ...

    def value_of(self, member: MemberValue) -> Result:
        """The values that reading a member gives: a function, an object of its type, a class."""
        ...

    def ask_declaration(self, file: SourceFile, declaration: int) -> None:
        """Record a dependency on a declaration."""
        ...

    def signature(self, value: FunctionValue) -> tuple[Values, ...] | None:
        """The types of a function's parameters, for its receiver."""
        ...


class DeclaredNamesPart(Protocol):
    """Names and members where values stand."""

    def look_up(self, file: SourceFile, number: int) -> Result:
        """Meanings of a NAME: declared members and types, or the values of a local variable."""
        ...

    def value_of(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a local variable or a parameter."""
        ...

    def member(self, file: SourceFile, number: int) -> Result:
        """Meanings of a MEMBER: declared members, types, or values without a declaration."""
        ...

    def member_of(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of one value."""
        ...

    def values(self, found: Result) -> Result:
        """The values of declared members; all other values unchanged."""
        ...

    def resolve(self, file: SourceFile, number: int) -> Result:
        """Meanings of a NAME or MEMBER, before declared members are read."""
        ...


class OverloadsPart(Protocol):
    """The choice among functions of one name."""

    def choose(self, file: SourceFile, functions: Result, items: Sequence[Argument]) -> Result:
        """The functions that a call may mean: those that fit best, of the nearest class."""
        ...

    def score(
        self, file: SourceFile, value: FunctionValue, items: Sequence[Argument], *, is_sole: bool
    ) -> tuple[int, ...] | None:
        """A score for the match of arguments with a function's parameters; None for a mismatch."""
        ...

    def matched(
        self, value: FunctionValue, items: Sequence[Argument]
    ) -> list[MatchedArgument] | None:
        """Parameters with their arguments; None if the number or the names don't fit."""
        ...

    def fit(self, file: SourceFile, argument: int, declared: Result) -> int:
        """A score for the match of an argument with a parameter."""
        ...

    def fits(self, value: Value, declared: Value, depth: int = 0) -> int:
        """A score for the match of a value with a declared type."""
        ...


class InferencePart(Protocol):
    """Type arguments by the arguments of calls."""

    def unified(
        self,
        file: SourceFile,
        value: FunctionValue,
        items: Sequence[Argument],
        *,
        without_functions: bool = False,
    ) -> dict[str, Values]:
        """Bindings of a function's type parameters in a call; anonymous functions come last."""
        ...

    def unify(
        self, declared: Value, values: Values, given: dict[str, Values], depth: int = 0
    ) -> None:
        """Note what a declared type's parameters are if it has these values."""
        ...


class DeclaredCallsPart(Protocol):
    """Calls, and what takes values."""

    overloads: OverloadsPart
    inference: InferencePart

    def callees(self, file: SourceFile, number: int) -> Result:
        """Functions or classes that a CALL or NEW calls: of several overloads, those that fit."""
        ...

    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The constructor that making an object calls, if it is declared."""
        ...

    def call(self, file: SourceFile, number: int) -> Result:
        """The values that a CALL or NEW returns."""
        ...

    def result(self, value: FunctionValue, file: SourceFile, number: int = NONE) -> Result:
        """The values that a function returns, for the arguments of a call if there is one."""
        ...

    def type_parameters(self, value: FunctionValue) -> list[str]:
        """The type parameters that a function itself has, by their unique names."""
        ...

    def parameters(self, file: SourceFile, value: FunctionValue) -> list[Binding]:
        """The parameters that a call gives arguments for."""
        ...

    def is_extending(self, file: SourceFile, value: FunctionValue) -> bool:
        """True if a function was taken from the object that is its first parameter."""
        ...

    def parameter_type(self, file: SourceFile, value: FunctionValue, row: Binding) -> Result:
        """The declared type of a parameter, for the receiver of a function."""
        ...

    def parameter(self, file: SourceFile, binding: Binding) -> Result:
        """The values of a parameter in its function."""
        ...

    def given_to(self, file: SourceFile, number: int, position: int) -> Result:
        """The arguments that callers pass to an anonymous function, by its expected type."""
        ...

    def expected(self, file: SourceFile, number: int, *, without_functions: bool = False) -> Result:
        """The type that a value must have where it stands."""
        ...

    def output(self, file: SourceFile, call: int, position: int) -> Result:
        """The values that a call stores in the variable passed as one of its arguments."""
        ...

    def shape(self, value: Value) -> Shape | None:
        """Parameter and result types of a function or delegate."""
        ...

    def ask_head(self, file: SourceFile, scope: int) -> None:
        """Record a dependency on the head of a declaration."""
        ...


class RulesPart(Protocol):
    """The rules in which languages differ."""

    has_extensions: ClassVar[bool]
    has_functional_interfaces: ClassVar[bool]
    exact_arity: ClassVar[bool]
    separates_methods: ClassVar[bool]
    constructs: ClassVar[bool]
    reads_by_call: ClassVar[bool]
    checks_arguments: ClassVar[bool]
    converts: ClassVar[bool]
    sees_members: ClassVar[bool]
    inherits_constructors: ClassVar[bool]
    replaces_by_name: ClassVar[bool]
    mixins: ClassVar[frozenset[str]]
    invoking: ClassVar[frozenset[str]]
    plain_types: ClassVar[frozenset[str]]
    top_types: ClassVar[frozenset[str]]
    synonyms: ClassVar[dict[str, str]]
    literals: ClassVar[dict[str, str]]
    decorator_suffix: ClassVar[str]
    conversions: ClassVar[frozenset[tuple[str, str]]]
    nullable: ClassVar[frozenset[str]]

    def plain_name(self, name: str) -> str:
        """A name as external types are called by."""
        ...

    def literal(self, name: str) -> str:
        """The type of a kind of literal."""
        ...

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type that a namespace or file sees by its name alone."""
        ...

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function or variable that a namespace or file sees by its name alone."""
        ...

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type by a name with a namespace or package."""
        ...

    def members_elsewhere(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """Members of a type that are declared outside of it."""
        ...

    def owner_elsewhere(self, file: SourceFile, declaration: int) -> ClassValue | None:
        """The type of a member that is declared outside of it."""
        ...

    def member_of_package(self, file: SourceFile, value: ModuleValue, name: str) -> Result:
        """Meanings of a name in an imported package."""
        ...

    def of_package(self, value: ModuleValue, strategy: Strategy) -> Iterator[Definition]:
        """The declaration that stands for a package."""
        ...

    def type_of_package(self, file: SourceFile, value: ModuleValue, name: str) -> Result:
        """Types that a name means in an imported package."""
        ...

    def receiver(self, file: SourceFile, number: int) -> Result:
        """Meanings of the receiver keyword (`this`, `self`) outside of a class."""
        ...

    def extensions(self, file: SourceFile, number: int) -> Result:
        """The extension methods that a call means."""
        ...

    def created(self, file: SourceFile, number: int, found: Result) -> Result:
        """The values that a NEW of a name creates; `found` is the type of that name."""
        ...

    def imported(self, file: SourceFile, number: int) -> Result:
        """Meanings of an import: types, or something external."""
        ...

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """Meanings of a name by the function, type or file of a scope; they precede all others."""
        ...

    def own_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """Types of a name by the type that a scope is in; they precede all others."""
        ...

    def parts_of(self, path: str, scope: int) -> list[tuple[str, int]]:
        """The parts of a type besides those of one name, the first of which stands for it."""
        ...

    def implied(self, file: SourceFile, number: int) -> Result:
        """Meanings of a member that is named without its object or type."""
        ...

    def constructed_by(self, value: Value, name: str) -> Result:
        """The constructors that are named as a member of a type or an object."""
        ...

    def implemented(self, file: SourceFile, number: int) -> int | None:
        """The interface that a member is one of; NONE for none, None if nothing says it."""
        ...

    def is_part(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """True if a declaration is part of that of its receiver's type: no extension is."""
        ...

    def carried(self, file: SourceFile, item: Expression) -> Result:
        """A PART of what a case of an enum carries."""
        ...

    def narrowed(self, file: SourceFile, item: Expression) -> Result:
        """The values of a CAST to something that is no type."""
        ...

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type."""
        ...

    def is_interface(self, name: str) -> bool:
        """True if an external type is an interface."""
        ...

    def is_plain(self, name: str) -> bool:
        """True if an external type is nothing but itself."""
        ...

    def is_top(self, name: str) -> bool:
        """True if all types derive from an external one."""
        ...

    def is_unknown(self, name: str) -> bool:
        """True if nothing is known about an external type."""
        ...

    def fits_external(
        self, value: ExternalInstance, declared: ExternalInstance, depth: int = 0
    ) -> int:
        """A score for the match of an external value with an external type."""
        ...

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of an external object or type."""
        ...

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a call of something external returns."""
        ...

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that an external function passes to its callback."""
        ...

    def output_of(self, value: External, file: SourceFile, number: int, position: int) -> Result:
        """The values that an external function stores in an argument."""
        ...

    def awaited(self, value: Value) -> Values:
        """The values that awaiting a value gives."""
        ...

    def element(self, value: Value) -> Values:
        """The elements of an external value in an iteration."""
        ...

    def item(self, value: Value) -> Values:
        """The values of an external container at a key."""
        ...

    def key(self, value: Value) -> Values:
        """The keys of an external container."""
        ...

    def part(self, value: Value, position: int) -> Values:
        """A part of an external value that is taken apart."""
        ...

    def iterated(self, value: Instance) -> Result:
        """The elements of an object in an iteration."""
        ...

    def indexed(self, value: Instance) -> Result:
        """The values of an object at a key."""
        ...

    def pointed(self, value: Instance) -> Result:
        """The object behind a pointer or wrapper, where the wrapper has no member of a name."""
        ...

    def renamed(self, file: SourceFile, declaration: int) -> Result:
        """The target of an alias within a type."""
        ...

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """Further types of a name as it is written where a type stands."""
        ...

    def deconstructed(self, value: Instance, position: int) -> Result:
        """A part of an object that is taken apart."""
        ...

    def replaces(self, item: Declaration) -> bool:
        """True if a member of a class may replace one of its base class."""
        ...

    def underlying(self, value: Instance) -> Result:
        """The value of a named type's underlying type."""
        ...

    def single_method(self, value: Instance) -> MemberValue | None:
        """The only method of an interface that its classes must have."""
        ...


class DeclaredParts(Protocol):
    """The whole evaluation."""

    weakest: Strategy
    engine: Engine
    types: DeclaredTypesPart
    classes: DeclaredClassesPart
    names: DeclaredNamesPart
    calls: DeclaredCallsPart
    rules: RulesPart

    def file(self, path: str) -> SourceFile | None:
        """A file of the tree."""
        ...

    def evaluate(self, file: SourceFile, number: int) -> Result:
        """The possible values of an expression."""
        ...

    def substituted(self, values: Result, given: Given) -> Result:
        """Values with type parameters replaced."""
        ...

    def awaited(self, values: Result) -> Result:
        """The values that awaiting gives."""
        ...

    def element(self, values: Result) -> Result:
        """The values that iteration gives."""
        ...

    def anonymous(self, file: SourceFile, scope: int) -> Result:
        """An object of a class without a name, as one of its base."""
        ...

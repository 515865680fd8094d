"""The parts of evaluation in languages with declared types, as they see each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple, Protocol

from code_graph.declared.substitution import Given
from code_graph.declared.tables import FileTable, TypeRow
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


class Match(NamedTuple):
    """A parameter of a function, the argument for it, and its place among the arguments."""

    parameter: Binding
    argument: int
    position: int


class TypesPart(Protocol):
    """Types by their names."""

    def table(self, file: SourceFile) -> FileTable:
        """The declarations of a file by name."""
        ...

    def arity(self, file: SourceFile, number: int) -> int:
        """How many type arguments a name has; -1 if that tells no types apart."""
        ...

    def ask(self, file: SourceFile, scope: int, name: str) -> None:
        """Record the question for a name of a scope."""
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
        """What a name means as a type at a place."""
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
        """What an expression means as a type: classes, not their objects."""
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
        """What an alias stands for."""
        ...


class ClassesPart(Protocol):
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
        """What the type parameters of a class are in one of its uses."""
        ...

    def given_at(self, receiver: Value | None, path: str, scope: int) -> dict[str, Values]:
        """What the type parameters of a base are, as an object of a derived class has them."""
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
        """Whether a value is a declared function or method."""
        ...

    def constructors(self, value: ClassValue) -> Result:
        """The constructors that a class declares."""
        ...

    def owner_of(self, file: SourceFile, declaration: int) -> ClassValue | None:
        """The type that a member is declared in."""
        ...

    def is_subclass(self, value: Instance, other: Instance) -> bool:
        """Whether the class of an object is, or derives from, that of another."""
        ...

    def value_of(self, member: MemberValue) -> Result:
        """What a member gives where it is read: a function, an object of its type, a class."""
        ...

    def ask_declaration(self, file: SourceFile, declaration: int) -> None:
        """Record the question what a declaration says."""
        ...

    def signature(self, value: FunctionValue) -> tuple[Values, ...] | None:
        """The types of a function's parameters, for its receiver."""
        ...


class NamesPart(Protocol):
    """Names and members where values stand."""

    def look_up(self, file: SourceFile, number: int) -> Result:
        """What a NAME means: declared members and types, or the values of a local variable."""
        ...

    def value_of(self, file: SourceFile, binding: Binding) -> Result:
        """What a local variable or a parameter is."""
        ...

    def member(self, file: SourceFile, number: int) -> Result:
        """What a MEMBER means: declared members, types, or values without a declaration."""
        ...

    def member_of(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of one value."""
        ...

    def values(self, found: Result) -> Result:
        """What declared members give, and all other values as they are."""
        ...

    def resolve(self, file: SourceFile, number: int) -> Result:
        """What a NAME or MEMBER means, before declared members are read."""
        ...


class OverloadsPart(Protocol):
    """The choice among functions of one name."""

    def choose(self, file: SourceFile, functions: Result, items: Sequence[Argument]) -> Result:
        """The functions that a call may mean: those that fit best, of the nearest class."""
        ...

    def score(
        self, file: SourceFile, value: FunctionValue, items: Sequence[Argument], *, is_sole: bool
    ) -> tuple[int, ...] | None:
        """How well arguments fit a function; None if they don't."""
        ...

    def matched(self, value: FunctionValue, items: Sequence[Argument]) -> list[Match] | None:
        """Parameters with their arguments; None if the number or the names don't fit."""
        ...

    def fit(self, file: SourceFile, argument: int, declared: Result) -> int:
        """How well an argument fits a parameter."""
        ...

    def fits(self, value: Value, declared: Value, depth: int = 0) -> int:
        """How well a value fits a declared type."""
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
        """What the type parameters of a function are in a call; anonymous functions come last."""
        ...

    def unify(
        self, declared: Value, values: Values, given: dict[str, Values], depth: int = 0
    ) -> None:
        """Note what a declared type's parameters are if it has these values."""
        ...


class CallsPart(Protocol):
    """Calls, and what takes values."""

    overloads: OverloadsPart
    inference: InferencePart

    def callees(self, file: SourceFile, number: int) -> Result:
        """What a CALL or NEW calls, of several functions those that fit."""
        ...

    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The constructor that making an object calls, if it is declared."""
        ...

    def call(self, file: SourceFile, number: int) -> Result:
        """What a CALL or NEW gives."""
        ...

    def result(self, value: FunctionValue, file: SourceFile, number: int = NONE) -> Result:
        """What a function gives, for the arguments of a call if there is one."""
        ...

    def type_parameters(self, value: FunctionValue) -> list[str]:
        """The type parameters that a function itself has, by their unique names."""
        ...

    def parameters(self, file: SourceFile, value: FunctionValue) -> list[Binding]:
        """The parameters that a call gives arguments for."""
        ...

    def is_extending(self, file: SourceFile, value: FunctionValue) -> bool:
        """Whether a function was taken from the object that is its first parameter."""
        ...

    def parameter_type(self, file: SourceFile, value: FunctionValue, row: Binding) -> Result:
        """The declared type of a parameter, for the receiver of a function."""
        ...

    def parameter(self, file: SourceFile, binding: Binding) -> Result:
        """What a parameter is in its function."""
        ...

    def given_to(self, file: SourceFile, number: int, position: int) -> Result:
        """What a function gets as one of its arguments, by what takes the function."""
        ...

    def expected(self, file: SourceFile, number: int, *, without_functions: bool = False) -> Result:
        """The type that a value must have where it stands."""
        ...

    def output(self, file: SourceFile, call: int, position: int) -> Result:
        """What a call stores in the variable that is one of its arguments."""
        ...

    def shape(self, value: Value) -> Shape | None:
        """What a function or delegate takes and gives."""
        ...

    def ask_head(self, file: SourceFile, scope: int) -> None:
        """Record the question what the head of a declaration says."""
        ...


class RulesPart(Protocol):
    """What differs between languages."""

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
        """What a name means in an imported package."""
        ...

    def of_package(self, value: ModuleValue, strategy: Strategy) -> Iterator[Definition]:
        """The declaration that stands for a package."""
        ...

    def type_of_package(self, file: SourceFile, value: ModuleValue, name: str) -> Result:
        """What a name means as a type of an imported package."""
        ...

    def receiver(self, file: SourceFile, number: int) -> Result:
        """What the keyword for the receiver means outside of a class."""
        ...

    def extensions(self, file: SourceFile, number: int) -> Result:
        """The extension methods that a call means."""
        ...

    def created(self, file: SourceFile, number: int, found: Result) -> Result:
        """What a NEW of a name makes; `found` is the type of that name."""
        ...

    def imported(self, file: SourceFile, number: int) -> Result:
        """What an import names: types, or something external."""
        ...

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """What a name means by the function, type or file that a scope is in, before all others."""
        ...

    def own_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """What a name means as a type by the type that a scope is in, before all others."""
        ...

    def parts_of(self, path: str, scope: int) -> list[tuple[str, int]]:
        """The parts of a type besides those of one name, the first of which stands for it."""
        ...

    def implied(self, file: SourceFile, number: int) -> Result:
        """What a member means that is named without what it is of."""
        ...

    def constructed_by(self, value: Value, name: str) -> Result:
        """The constructors that are named as a member of a type or an object."""
        ...

    def implemented(self, file: SourceFile, number: int) -> int | None:
        """The interface that a member is one of; NONE for none, None if nothing says it."""
        ...

    def is_part(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """Whether a declaration is part of that of its receiver's type: no extension is."""
        ...

    def carried(self, file: SourceFile, item: Expression) -> Result:
        """A PART of what a case of an enum carries."""
        ...

    def narrowed(self, file: SourceFile, item: Expression) -> Result:
        """What a CAST to something that is no type gives."""
        ...

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type."""
        ...

    def is_interface(self, name: str) -> bool:
        """Whether an external type is an interface."""
        ...

    def is_plain(self, name: str) -> bool:
        """Whether an external type is nothing but itself."""
        ...

    def is_top(self, name: str) -> bool:
        """Whether all types derive from an external one."""
        ...

    def is_unknown(self, name: str) -> bool:
        """Whether nothing is known about an external type."""
        ...

    def fits_external(
        self, value: ExternalInstance, declared: ExternalInstance, depth: int = 0
    ) -> int:
        """How well an external value fits an external type."""
        ...

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of an external object or type."""
        ...

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """What a call of something external gives."""
        ...

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """What an external function passes to a function that it is given."""
        ...

    def output_of(self, value: External, file: SourceFile, number: int, position: int) -> Result:
        """What an external function stores in a variable that it is given."""
        ...

    def awaited(self, value: Value) -> Values:
        """What waiting for a value gives."""
        ...

    def element(self, value: Value) -> Values:
        """What iterating over an external value gives."""
        ...

    def item(self, value: Value) -> Values:
        """What a key of an external value gives."""
        ...

    def key(self, value: Value) -> Values:
        """What the keys of an external value are."""
        ...

    def part(self, value: Value, position: int) -> Values:
        """A part of an external value that is taken apart."""
        ...

    def iterated(self, value: Instance) -> Result:
        """What iterating over an object gives."""
        ...

    def indexed(self, value: Instance) -> Result:
        """What a key of an object gives."""
        ...

    def pointed(self, value: Instance) -> Result:
        """What an object stands for where it has no member of a name: a pointer."""
        ...

    def renamed(self, file: SourceFile, declaration: int) -> Result:
        """What a type in a type stands for, if it is only another name."""
        ...

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """What a name itself is where a type stands, beside the types that were found."""
        ...

    def deconstructed(self, value: Instance, position: int) -> Result:
        """A part of an object that is taken apart."""
        ...

    def replaces(self, item: Declaration) -> bool:
        """Whether a member of a class may replace one of its base class."""
        ...

    def underlying(self, value: Instance) -> Result:
        """What an object of a type is that is declared as another type."""
        ...

    def single_method(self, value: Instance) -> MemberValue | None:
        """The only method of an interface that its classes must have."""
        ...


class Parts(Protocol):
    """The whole evaluation."""

    weakest: Strategy
    engine: Engine
    types: TypesPart
    classes: ClassesPart
    names: NamesPart
    calls: CallsPart
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
        """What waiting for values gives."""
        ...

    def element(self, values: Result) -> Result:
        """What iterating over values gives."""
        ...

    def anonymous(self, file: SourceFile, scope: int) -> Result:
        """An object of a class without a name, as one of its base."""
        ...

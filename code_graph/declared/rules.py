"""The rules in which languages with declared types differ; each overrides what it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from code_graph.declared.calls import DeclaredCalls
from code_graph.declared.conversions import Conversions
from code_graph.declared.definitions import DeclaredDefinitions
from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.declared.inference import Inference
from code_graph.declared.members import DeclaredClasses
from code_graph.declared.names import DeclaredNames
from code_graph.declared.overloads import Overloads
from code_graph.declared.types import ARRAY, Types
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ModuleValue,
    Result,
    Value,
    Values,
    merge,
)
from code_graph.expressions import Expression
from code_graph.facts import Declaration
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

# the end of the name of what an external function gives
GIVEN: Final = "()"


class Parts(NamedTuple):
    """The classes of the parts of an evaluation; a language replaces those that it changes."""

    evaluation: type[DeclaredEvaluation] = DeclaredEvaluation
    types: type[Types] = Types
    classes: type[DeclaredClasses] = DeclaredClasses
    names: type[DeclaredNames] = DeclaredNames
    calls: type[DeclaredCalls] = DeclaredCalls
    conversions: type[Conversions] = Conversions
    overloads: type[Overloads] = Overloads
    inference: type[Inference] = Inference
    definitions: type[DeclaredDefinitions] = DeclaredDefinitions


class DeclaredRules:
    """The rules that languages share, and what they may change."""

    parts: ClassVar[Parts] = Parts()

    # true if a method may extend a type that is its first parameter
    has_extensions: ClassVar[bool] = False
    # true if types of one name are told apart by the number of their type parameters
    exact_arity: ClassVar[bool] = False
    # true if a method and a variable may have one name
    separates_methods: ClassVar[bool] = False
    # true if functions of several files are overloads of one another
    joins_overloads: ClassVar[bool] = False
    # true if functions of a base are overloads of those of a type
    joins_inherited: ClassVar[bool] = False
    # true if making an object calls its type
    constructs: ClassVar[bool] = True
    # true if an expression that makes an object is a call of its type
    new_calls: ClassVar[bool] = True
    # true if a variable is seen by what stands below it alone
    binds_in_order: ClassVar[bool] = False
    # true if the name of an alias refers to the alias, and not to what that stands for
    refers_to_alias: ClassVar[bool] = False
    # true if what is outside of its type gives that type's parameters names of its own
    renames_parameters: ClassVar[bool] = False
    # true if a component of a record is read by a call
    reads_by_call: ClassVar[bool] = False
    # true if functions of one name are told apart by the arguments of a call
    checks_arguments: ClassVar[bool] = True
    # true if members of the type around are named without it
    sees_members: ClassVar[bool] = True
    # true if no other type has the private members of a type
    hides_private: ClassVar[bool] = False
    # true if a member replaces that of its name, whatever the parameters of both are
    replaces_by_name: ClassVar[bool] = False
    # true if members of types themselves replace others
    replaces_static: ClassVar[bool] = False
    # kinds of members that may replace others, beside methods and properties
    replacing: ClassVar[frozenset[str]] = frozenset()
    # kinds of types whose members become those of a class, before those of its base
    mixins: ClassVar[frozenset[str]] = frozenset()
    # the methods that call a function which is an object
    invoking: ClassVar[frozenset[str]] = frozenset()
    # types that are only themselves: numbers, texts, truth values
    plain_types: ClassVar[frozenset[str]] = frozenset()
    # types that all others derive from
    top_types: ClassVar[frozenset[str]] = frozenset({"object", "Object", "any", "dynamic"})
    # words of the language that are types, which nothing else can be named as
    keywords: ClassVar[frozenset[str]] = frozenset()
    # names of one type
    synonyms: ClassVar[Mapping[str, str]] = {}
    literals: ClassVar[Mapping[str, str]] = {}
    # types that languages of the platform call otherwise, by the names that they have here
    platform_names: ClassVar[dict[str, str]] = {}
    # suffix that the name of an attribute's class may have beyond the attribute's
    decorator_suffix: ClassVar[str] = ""

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        self._evaluation = evaluation

    # names

    def plain_name(self, name: str) -> str:
        """A name as external types are called by."""
        return self.synonyms.get(name, name)

    def literal(self, name: str) -> str:
        """The type of a kind of literal."""
        return self.literals.get(name, name)

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type that a namespace or file sees by its name alone."""
        raise NotImplementedError

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function or variable that a namespace or file sees by its name alone."""
        del file, scope, name
        return {}

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type by a name with a namespace or package."""
        raise NotImplementedError

    def read(self, file: SourceFile, number: int, found: Result) -> Result:
        """The values of a name, among its meanings: in some languages a name calls its function."""
        del file, number
        return found

    def is_called_by_name(self, file: SourceFile, declaration: int) -> bool:
        """True if a function is called where its name stands alone."""
        del file, declaration
        return False

    def members_elsewhere(self, path: str, scope: int, name: str) -> list[tuple[str, int]]:
        """Extension members of a type."""
        del path, scope, name
        return []

    def owner_elsewhere(self, file: SourceFile, declaration: int) -> ClassValue | None:
        """The extended type of a member."""
        del file, declaration
        return None

    def member_of_package(self, file: SourceFile, value: ModuleValue, name: str) -> Result:
        """Meanings of a name in an imported package."""
        del file, value, name
        return {}

    def of_package(self, value: ModuleValue, strategy: Strategy) -> Iterator[Definition]:
        """The declaration that stands for a package."""
        del value, strategy
        yield from ()

    def type_of_package(self, file: SourceFile, value: ModuleValue, name: str) -> Result:
        """Types that a name means in an imported package."""
        del file, value, name
        return {}

    def other_callees(self, file: SourceFile, number: int) -> Result:
        """The callees that the values of a name lack: extension methods, macros, enum variants."""
        del file, number
        return {}

    def imported(self, file: SourceFile, number: int) -> Result:
        """Meanings of an import: types, or something external."""
        raise NotImplementedError

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """Meanings of a name by the function, type or file of a scope; they precede all others."""
        del file, scope, name
        return {}

    def own_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """Types of a name by the type that a scope is in; they precede all others."""
        del file, scope, name
        return {}

    def whole_of(self, path: str, scope: int) -> tuple[str, int] | None:
        """The part that stands for a type, where it is known without the other parts."""
        del path, scope
        return None

    def parts_of(self, path: str, scope: int) -> Sequence[tuple[str, int]]:
        """Further parts of a type, whose names differ; the first stands for it."""
        del path, scope
        return []

    def inherited(self, receiver: Instance | ClassValue, name: str, external: str) -> Result:
        """A member that a type has from outside; `external` is its first base there, if any."""
        del receiver
        return {External(f"{external}.{name}"): Strategy.RECEIVER} if external else {}

    def implied(self, file: SourceFile, number: int) -> Result:
        """Meanings of a member named without its object or type."""
        del file, number
        return {}

    def constructed_by(self, value: Value, name: str) -> Result:
        """The constructors named as a member of a type or an object."""
        del value, name
        return {}

    def fitting_use(self, file: SourceFile, number: int, found: Result) -> Result:
        """The meanings of a name that its place can have, where the language tells them apart."""
        del file, number
        return found

    def members_meant(
        self, file: SourceFile, number: int, value: Instance | ClassValue, found: Result
    ) -> Result:
        """The members of a name that a place means."""
        del file, number, value
        return found

    # external types

    def own_arguments(self, file: SourceFile, scope: int, owner: ClassValue) -> tuple[Values, ...]:
        """The type arguments that the type around a scope has there: its own parameters."""
        del file, scope
        return tuple((item,) for item in self._evaluation.types.parameters_of(owner))

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type."""
        return (ExternalInstance(self.plain_name(name), arguments),)

    def is_interface(self, name: str) -> bool:
        """True if an external type is an interface."""
        del name
        return False

    def is_plain(self, name: str) -> bool:
        """True if an external type is nothing but itself."""
        return name in self.plain_types

    def is_top(self, name: str) -> bool:
        """True if all types derive from an external one."""
        return name in self.top_types

    def is_unknown(self, name: str) -> bool:
        """True if nothing is known about an external type."""
        return not name or name.endswith(GIVEN)

    # external types that are bases of plain ones, by both names
    conversions: ClassVar[frozenset[tuple[str, str]]] = frozenset()
    # plain types of which a variable may have no value
    nullable: ClassVar[frozenset[str]] = frozenset({"string", "String"})

    # external members

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of an external object or type."""
        del file, number
        if isinstance(value, External | ExternalInstance):
            arguments = value.arguments if isinstance(value, ExternalInstance) else ()
            strategy = Strategy.FLOW if isinstance(value, ExternalInstance) else Strategy.IMPORT
            return {External(f"{value.name}.{name}", arguments): strategy}
        return {}

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a call of something external returns."""
        del file, number
        return {ExternalInstance(f"{value.name}{GIVEN}"): Strategy.FLOW}

    def written_type(self, file: SourceFile, declaration: int) -> Result:
        """The type of a declaration whose expressions do not say it."""
        del file, declaration
        return {}

    def joined(self, sides: Sequence[Result]) -> Result:
        """The value of an operator with a text on one side, where it differs."""
        del sides
        return {}

    def nested_elsewhere(self, owner: ClassValue, name: str) -> Result:
        """A nested type declared outside of its holder."""
        del owner, name
        return {}

    def type_of_external(self, value: External, name: str) -> Result:
        """A type nested in a type of the library."""
        del value, name
        return {}

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that an external function passes to its callback."""
        del value, file, number, position
        return ()

    def element(self, value: Value) -> Values:
        """The elements of an external value in an iteration."""
        if isinstance(value, ExternalInstance) and value.name == ARRAY and value.arguments:
            return value.arguments[0]
        return ()

    def item(self, value: Value) -> Values:
        """The values of an external container at a key."""
        if isinstance(value, ExternalInstance) and value.arguments:
            return value.arguments[-1]
        return ()

    def key(self, value: Value) -> Values:
        """The keys of an external container."""
        if isinstance(value, ExternalInstance) and value.arguments[1:]:
            return value.arguments[0]
        return ()

    def part(self, value: Value, position: int) -> Values:
        """The value at a position of an external one in a pattern, as of `(a, b) = made()`."""
        if isinstance(value, ExternalInstance) and position < len(value.arguments):
            return value.arguments[position]
        return ()

    # declared members with a meaning of their own

    def iterated(self, value: Instance) -> Result:
        """The elements of an object in an iteration."""
        del value
        return {}

    def indexed(self, value: Instance) -> Result:
        """The values of an object at a key."""
        del value
        return {}

    def method_results(self, value: Instance, name: str) -> Result:
        """The results of a type's methods of one name."""
        found: Result = {}
        members = self._evaluation.classes.members(value, name)
        for function in self._evaluation.names.values(members):
            if not isinstance(function, FunctionValue):
                continue
            file = self._evaluation.file(function.path)
            if file is not None:
                merge(found, self._evaluation.calls.result(function, file), Strategy.DECLARED)
        return found

    def pointed(self, value: Instance) -> Result:
        """The object behind a pointer or wrapper, where the wrapper has no member of a name."""
        del value
        return {}

    def alias_target(self, file: SourceFile, declaration: int) -> Result:
        """The target of an alias that is declared in a type, such as `using` in a class of C++."""
        del file, declaration
        return {}

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """Further types of a written name."""
        del file, number, found
        return {}

    def deconstructed(self, value: Instance, position: int) -> Result:
        """A part of a destructured object."""
        del value, position
        return {}

    def belongs_to_type(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """True if a declaration outside of its type belongs to it, and is no extension of it."""
        del file, number, owner
        return False

    def narrowed(self, file: SourceFile, item: Expression) -> Result:
        """The values of a CAST to a variant of a pattern, which is no type."""
        del file, item
        return {}

    def carried(self, file: SourceFile, item: Expression) -> Result:
        """A PART of the payload of an enum case."""
        del file, item
        return {}

    def may_replace(self, own: SourceFile, number: int, file: SourceFile, declaration: int) -> bool:
        """True if a member may override a member of a base with its name."""
        del own, number, file, declaration
        return True

    def replaces(self, item: Declaration) -> bool:
        """True if a member of a class may override a member of its base class."""
        del item
        return True

    def function_in(self, value: Instance) -> Value | None:
        """The function behind an object whose type is a function type."""
        del value
        return None

"""The rules of Java for the linker."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.declared.effects import LibraryRules, LibraryTable
from code_graph.declared.members import FUNCTIONS
from code_graph.declared.packages import PackageRules
from code_graph.declared.rules import Parts
from code_graph.declared.types import ARRAY, CALLABLE
from code_graph.evaluate.dependencies import name_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import substituted
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    SuperValue,
    TupleValue,
    Value,
    Values,
    merge,
    with_strategy,
)
from code_graph.expressions import NONE, Expression, Op
from code_graph.facts import INTERFACES, Declaration, Import
from code_graph.jvm.accessors import properties_of
from code_graph.jvm.facades import facade_members, facade_of, renamed_members
from code_graph.languages.java.rules import library as known
from code_graph.languages.java.rules.conversions import JavaConversions
from code_graph.languages.java.rules.definitions import JavaDefinitions, JavaNames
from code_graph.languages.java.rules.jdk import TOP, Library, simple_name
from code_graph.languages.java.rules.overloads import JavaOverloads
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_LANGUAGE: Final = "java"


class JavaRules(LibraryRules, PackageRules):
    """Packages, imports, functional interfaces, collections and streams of Java."""

    parts = Parts(
        names=JavaNames,
        conversions=JavaConversions,
        overloads=JavaOverloads,
        definitions=JavaDefinitions,
    )
    reads_by_call: ClassVar[bool] = True
    separates_methods: ClassVar[bool] = True
    hides_private: ClassVar[bool] = True
    invoking: ClassVar[frozenset[str]] = known.INVOKING
    library = LibraryTable.of(_LANGUAGE)
    has_properties: ClassVar[bool] = False
    plain_types = library.types["plain"]
    top_types: ClassVar[frozenset[str]] = frozenset({"Object"})
    literals = library.literals
    platform_names: ClassVar[dict[str, str]] = known.PLATFORM_NAMES
    conversions = library.conversions
    nullable: ClassVar[frozenset[str]] = frozenset({"String", "Class"})

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self._jdk = Library(self)

    # names

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type that is imported by its name, of the package, or imported with all others."""
        del arity
        self._evaluation.types.depend_on(file, scope, name)
        for item in self.imports_of(file, name):
            found = self.absolute(file, f"{item.module}.{item.name}")
            if found:
                return {value: max(how, Strategy.IMPORT) for value, how in found.items()}
            if not self.names_type(item.module):
                return {External(f"{item.module}.{item.name}"): Strategy.IMPORT}
        if not self._evaluation.types.rows(_LANGUAGE, name):
            return {}
        package = self._evaluation.types.table(file).package
        found = self._evaluation.types.in_namespace(file, package, name, -1)
        if found:
            return found
        self._evaluation.types.depend_on(file, scope, "*")
        for item in file.facts.imports:
            if item.name == "*":
                merge(found, self.absolute(file, f"{item.module}.{name}"), Strategy.IMPORT)
        return found

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A static member that is imported."""
        self._evaluation.types.depend_on(file, scope, name)
        found: Result = {}
        for item in self.imports_of(file, name):
            if self.names_type(item.module):
                merge(found, self._imported_member(file, item, item.name))
        if not found:
            self._evaluation.types.depend_on(file, scope, "*")
            for item in file.facts.imports:
                if item.name == "*" and self.names_type(item.module):
                    merge(found, self._imported_member(file, item, name))
        return found

    def names_type(self, whole: str) -> bool:
        """True if a name with dots means a type, which begins with a capital letter.

        All that has the last word of a package's name would be read to find no type of that name.
        """
        return whole.rpartition(".")[2][:1].isupper()

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type by a name with its package."""
        del scope, arity
        return self.absolute(file, whole) if self.names_type(whole) else {}

    def imported(self, file: SourceFile, number: int) -> Result:
        """The type, member or package that an import names."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        item = file.facts.imports[number]
        if item.name != "*":
            found = self.absolute(file, f"{item.module}.{item.name}")
            if not found and self.names_type(item.module):
                found = self._imported_member(file, item, item.name)
            return found or {External(f"{item.module}.{item.name}"): Strategy.IMPORT}
        return self.absolute(file, item.module) or self.imported_package(_LANGUAGE, item.module)

    # external types

    def external_type(self, name: str, arguments: tuple[Values, ...]) -> Values:
        """The objects of an external type; functional interfaces are functions."""
        short = name.rpartition(".")[2]
        whole: Values = (External(short),)
        if short in known.FUNCTIONS:
            count, has_result = known.FUNCTIONS[short]
            given = TupleValue(arguments[:count] or ((),) * count)
            result = arguments[-1] if has_result and arguments else ()
            return (ExternalInstance(CALLABLE, ((given,), result, whole)),)
        if short in known.SAME_TYPE:
            one = arguments[0] if arguments else ()
            given = TupleValue((one,) * known.SAME_TYPE[short])
            result = one if short != "Comparator" else (ExternalInstance("int"),)
            return (ExternalInstance(CALLABLE, ((given,), result, whole)),)
        return (ExternalInstance(simple_name(name), arguments),)

    def inherited(self, receiver: Instance | ClassValue, name: str, external: str) -> Result:
        """A member that a class has from its bases in the library, at last from `Object`."""
        classes = self._evaluation.classes
        given = classes.given(receiver)
        for item in classes.ancestors(receiver.path, receiver.scope):
            if item.external and self._jdk.has(item.external, name):
                member = External(f"{item.external}.{name}", item.arguments)
                return substituted({member: Strategy.RECEIVER}, given)
        found = self._of_other(receiver, name)
        if found:
            return found
        if name in known.OF_ENUMS and classes.kind_of(receiver.path, receiver.scope) == "enum":
            own = Instance(receiver.path, receiver.scope)
            return {External(f"{known.ENUM}.{name}", ((own,),)): Strategy.RECEIVER}
        if self._jdk.has(TOP, name):
            return {External(f"{TOP}.{name}"): Strategy.RECEIVER}
        return super().inherited(receiver, name, external)

    def _of_other(self, receiver: Instance | ClassValue, name: str) -> Result:
        """A property by its accessor, and the only object of a class, of another language."""
        file = self._evaluation.file(receiver.path)
        if file is None or self._evaluation.beside(file) is None:
            return {}
        if name == known.INSTANCE and isinstance(receiver, ClassValue):
            return {Instance(receiver.path, receiver.scope): Strategy.DECLARED}
        for other in properties_of(name):
            members = self._evaluation.classes.members(receiver, other).items()
            properties: Result = {
                member: how
                for member, how in members
                if isinstance(member, MemberValue) and not self._is_function(member)
            }
            if properties:
                return properties
        return self._named_for_java(receiver, name)

    def _is_function(self, member: MemberValue) -> bool:
        file = self._evaluation.file(member.path)
        return file is None or file.declarations[member.declaration].kind in FUNCTIONS

    def _named_for_java(self, receiver: Instance | ClassValue, name: str) -> Result:
        """A member that its class, or a base of it, gives another name for Java."""
        found: Result = {}
        for item in self._evaluation.classes.ancestors(receiver.path, receiver.scope):
            file = self._evaluation.file(item.path) if not item.external else None
            if file is None or self._evaluation.beside(file) is None:
                continue
            owner = file.code.scopes[item.scope].declaration
            table = self._evaluation.types.table(file)
            inner = [
                number
                for number in table.of_kind.get((owner, "class"), ())
                if known.COMPANION in file.declarations[number].modifiers
            ]
            for holder in (owner, *inner):
                scope = file.scope_of_declaration.get(holder, item.scope)
                self._evaluation.types.depend_on(file, scope, name)
                for number in renamed_members(file).get((holder, name), ()):
                    found[MemberValue(file.path, number, receiver)] = Strategy.RECEIVER
        return found

    def implied(self, file: SourceFile, number: int) -> Result:
        """A name after `case`: a constant of the enum that the value is of, or any other one."""
        case = file.cached("case labels", _case_labels).get(number, NONE)
        found: Result = {}
        for value in self._evaluation.evaluate(file, case):
            if isinstance(value, Instance):
                name = file.expressions[number].name
                merge(found, self._evaluation.classes.members(value, name), Strategy.DECLARED)
            elif isinstance(value, ExternalInstance) and value.name in self.library.types["cases"]:
                merge(found, self._evaluation.names.look_up(file, number))
        return {value: how for value, how in found.items() if isinstance(value, MemberValue)}

    # external members

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of an external object or type; an array has a length."""
        if name == "length" and isinstance(value, ExternalInstance) and value.name == ARRAY:
            return {ExternalInstance("int"): Strategy.SCOPE}
        if isinstance(value, External) and not value.arguments:
            found = self._of_facade(file, value.name, name)
            if found:
                return found
        return super().member_of_external(file, number, value, name)

    def _of_facade(self, file: SourceFile, whole: str, name: str) -> Result:
        """A function or property outside of types of Kotlin, by the class of its file."""
        package, _, own = whole.rpartition(".")
        packages = {package}
        if not package:
            packages = {item.module for item in file.facts.imports if item.name == "*"}
            packages.add(self._evaluation.types.table(file).package)
        found: Result = {}
        for other in self._evaluation.types.declaring(_LANGUAGE, own):
            is_seen = self._evaluation.types.table(other).package in packages
            if not is_seen or other.language == _LANGUAGE or facade_of(other) != own:
                continue
            for written in (name, *properties_of(name)):
                self._evaluation.types.depend_on(other, 0, written)
            for number in facade_members(other).get(name, ()):
                self._evaluation.types.depend_on(other, 0, other.declarations[number].name)
                found[MemberValue(other.path, number)] = Strategy.IMPORT
        return found

    def _imported_member(self, file: SourceFile, item: Import, name: str) -> Result:
        """A static member of the type that an import names."""
        found = self.imported_members(self.absolute(file, item.module), name)
        return found or self._of_facade(file, item.module, name)

    def narrowed(self, file: SourceFile, item: Expression) -> Result:
        """The object as one of the base of a class: `A.super`; of an interface itself."""
        if item.of == NONE or file.expressions[item.of].op != Op.SUPER:
            return {}
        found: Result = {}
        for part in item.items:
            for value in self._evaluation.types.instances(file, part.value):
                if isinstance(value, Instance):
                    kind = self._evaluation.classes.kind_of(value.path, value.scope)
                    base = SuperValue(value.path, value.scope, value)
                    found[value if kind in INTERFACES else base] = Strategy.RECEIVER
        return found

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a method of a container, map, stream or optional value returns."""
        owner, _, name = value.name.rpartition(".")
        if owner == known.ENUM and name in known.OF_ENUMS and value.arguments:
            every = (ExternalInstance(ARRAY, value.arguments),)
            constants = value.arguments[0] if name == "valueOf" else every
            return with_strategy(constants, Strategy.DECLARED)
        count = len(file.expressions[number].items)
        found = self._jdk.result(owner, name, value.arguments, count)
        held = () if _is_whole(found) else self.given_by(value, file, number) or ()
        found = _named_as(found, held)
        if found:
            is_generic = held or value.arguments
            return with_strategy(found, Strategy.GENERIC if is_generic else Strategy.DECLARED)
        return super().call_external(value, file, number)

    def result_of(self, file: SourceFile, number: int) -> Values:
        """The result of a function that is an argument; a component of a record is its own."""
        found = dict.fromkeys(super().result_of(file, number))
        components = (v for v in self._evaluation.evaluate(file, number) if isinstance(v, Instance))
        return tuple(found | dict.fromkeys(components))

    def item(self, value: Value) -> Values:
        """The element at an index of an array."""
        if isinstance(value, ExternalInstance) and value.name == ARRAY:
            return self.element(value)
        return ()

    # declared members with a meaning of their own

    def replaces(self, item: Declaration) -> bool:
        """A method overrides a method of a base class unless it is private."""
        return item.kind == "method" and item.access != "private"

    def iterated(self, value: Instance) -> Result:
        """The element of a class's iterator."""
        found: Result = {}
        for made in self.method_results(value, "iterator"):
            merge(found, with_strategy(self.element(made), Strategy.GENERIC))
        return found

    def function_in(self, value: Instance) -> Value | None:
        """The method of a functional interface."""
        member = self._single_method(value)
        functions = () if member is None else self._evaluation.classes.value_of(member)
        return next((v for v in functions if isinstance(v, FunctionValue)), None)

    def _single_method(self, value: Instance) -> MemberValue | None:
        """The only abstract method of an interface."""
        found: list[MemberValue] = []
        for item in self._evaluation.classes.ancestors(value.path, value.scope):
            file = self._evaluation.file(item.path) if not item.external else None
            if file is None:
                continue
            declaration = file.code.scopes[item.scope].declaration
            if declaration == NONE or file.declarations[declaration].kind != "interface":
                return None
            self._evaluation.engine.depend_on(
                file.path, name_key(file.path, file.qualified(item.scope), "")
            )
            for number in self._evaluation.types.table(file).of_kind.get(
                (declaration, "method"), ()
            ):
                row = file.declarations[number]
                if not {"default", "static"} & row.modifiers and row.access != "private":
                    self._evaluation.classes.depend_on_declaration(file, number)
                    found.append(MemberValue(file.path, number, value))
        names = {file_name(self._evaluation.file(item.path), item) for item in found}
        return found[0] if len(names) == 1 else None


def _is_whole(values: Values) -> bool:
    """True for known objects whose type arguments are known, too."""
    return bool(values) and all(
        not isinstance(value, ExternalInstance) or all(value.arguments) for value in values
    )


def _named_as(values: Values, held: Values) -> Values:
    """Containers of what others hold, or those others where the library says nothing."""
    first = values[0] if len(values) == 1 else None
    inner = held[0] if len(held) == 1 else None
    if isinstance(first, ExternalInstance) and isinstance(inner, ExternalInstance):
        return (first._replace(arguments=inner.arguments),)
    return held or values


def _case_labels(file: SourceFile) -> dict[int, int]:
    """The value of the `switch` around each name after `case`."""
    return {
        item.items[1].value: item.items[0].value
        for item in file.expressions
        if item.op == Op.OPERATOR and item.name == "case"
    }


def file_name(file: SourceFile | None, member: MemberValue) -> str:
    """The name of a member."""
    return "" if file is None else file.declarations[member.declaration].name

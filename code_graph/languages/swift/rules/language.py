"""The rules of Swift for the linker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.declared.extended import blocks_of
from code_graph.declared.overloads import MAYBE
from code_graph.declared.substitution import mentions_parameter
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    MemberValue,
    Result,
    SuperValue,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Expression, Op, Role, ScopeKind
from code_graph.facts import MODULE, Declaration
from code_graph.languages.swift.imports import SwiftModules
from code_graph.languages.swift.rules.constraints import STATIC, SwiftConstraints
from code_graph.languages.swift.rules.labels import SwiftOverloads, awaited, labels_of, says_async
from code_graph.languages.swift.rules.library import protocols_of
from code_graph.model import Strategy
from code_graph.projects.tree import Probe

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_LANGUAGE: Final = "swift"
_SELF: Final = "Self"
# types in types that are looked through
_DEEPEST: Final = 4
_OWN: Final = frozenset({"private", "fileprivate"})
_INIT: Final = "init"
_MOST_FILES: Final = 100
_RESULTS: Final = frozenset({"success", "failure"})
# methods of an optional value
_OF_OPTIONAL: Final = frozenset({"map", "flatMap"})
# types that no initialiser makes which nobody wrote
_UNMADE: Final = frozenset({"extension", "protocol"})
# methods of the library's collections that are given an element
_TAKES_ELEMENT: Final = frozenset(
    "append insert contains firstIndex lastIndex remove removeFirst prepend update fill".split()  # noqa: SIM905
)
# parameters of the library's types, as their extensions name them
_GENERIC: Final = frozenset({"Element", "Key", "Value", "Wrapped", "Index", "Iterator", "Bound"})


class SwiftRules(SwiftConstraints):
    """Modules, extensions, protocols, initialisers and labels of Swift."""

    language: ClassVar[str] = _LANGUAGE
    literals: ClassVar[dict[str, str]] = {
        "str": "String",
        "int": "Int",
        "float": "Double",
        "bool": "Bool",
    }
    plain_types: ClassVar[frozenset[str]] = frozenset({"String", "Int", "Double", "Bool"})
    top_types: ClassVar[frozenset[str]] = frozenset({"Any", "AnyObject"})
    joins_overloads: ClassVar[bool] = True
    spreads_lists: ClassVar[bool] = False
    has_labels: ClassVar[bool] = True
    replaces_static: ClassVar[bool] = True
    replacing: ClassVar[frozenset[str]] = frozenset({"constructor", "subscript", "enumerator"})
    joins_constructors: ClassVar[bool] = True
    refers_to_alias: ClassVar[bool] = True
    binds_in_order: ClassVar[bool] = True
    conversions: ClassVar[frozenset[tuple[str, str]]] = frozenset({("Int", "Double")})

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self._overloads = SwiftOverloads(evaluation)
        evaluation.calls.overloads = self._overloads
        finders = evaluation.engine.files.finders
        self._modules = finders.of(SwiftModules)
        self._probe = Probe(finders.projects.tree, evaluation.engine.depend_on_note)

    # modules

    def _module_of(self, path: str) -> str:
        return self._modules.module_of(path, self._probe)

    def _visible(self, file: SourceFile, name: str) -> Iterator[tuple[SourceFile, int, Strategy]]:
        """Names that a file sees unqualified: its own, its module's, those of its imports."""
        own = self._module_of(file.path)
        self._evaluation.types.depend_on(file, 0, "*")
        imported = {item.module.partition(".")[0] for item in file.facts.imports}
        for count, other in enumerate(self._evaluation.types.declaring(_LANGUAGE, name)):
            if count >= _MOST_FILES:
                return
            module = own if other.path == file.path else self._module_of(other.path)
            for number in self._evaluation.types.table(other).members.get((MODULE, name), ()):
                item = other.declarations[number]
                if other.path == file.path:
                    yield other, number, Strategy.SCOPE
                elif module in {own, *imported} and item.access not in _OWN:
                    yield other, number, Strategy.IMPORT

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function or variable of the module or of an imported one."""
        del scope
        found: Result = {}
        for other, number, how in self._visible(file, name):
            if not self._is_type(other, number):
                found[MemberValue(other.path, number)] = how
        return found

    def _is_type(self, file: SourceFile, number: int) -> bool:
        scope = file.scope_of_declaration.get(number, NONE)
        is_class = scope != NONE and file.kind(scope) == ScopeKind.CLASS
        return is_class or file.declarations[number].kind in {"type", "typealias", "extension"}

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type of the module or of an imported one."""
        del arity, scope
        return self._evaluation.engine.unit(
            ("module type", file.path, name), lambda: self._type_of(file, name)
        )

    def _type_of(self, file: SourceFile, name: str) -> Result:
        rows = [row for row in self._visible(file, name) if self._is_type(*row[:2])]
        rows.sort(key=lambda row: row[2])  # the file's own come first
        for other, number, how in rows:
            found: Result = {}
            merge(found, self._meaning(other, number), how)
            if found:
                return found
        return {}

    def _meaning(self, file: SourceFile, number: int) -> Result:
        if file.declarations[number].kind == "extension":
            return {}
        scope = file.scope_of_declaration.get(number, NONE)
        if scope != NONE and file.kind(scope) == ScopeKind.CLASS:
            return {ClassValue(file.path, scope): Strategy.SCOPE}
        self._evaluation.classes.depend_on_declaration(file, number)
        return self._evaluation.types.alias(file, number)

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type or function by a name with its module."""
        del scope, arity
        module, _, name = whole.partition(".")
        if module != self._module_of(file.path):
            found = self._modules.find(module, file.path, self._probe)
            if not found.path or not any(item.module == module for item in file.facts.imports):
                return {}
        return self._type_of(file, name) or self.names_in_module(file, 0, name)

    def own_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """The type around, by the name of its own, or a type parameter that it declares."""
        around = file.class_around(scope) if name == _SELF else scope
        if name != _SELF and file.kind(scope) == ScopeKind.BLOCK:
            return self._asked_type(file, scope, name)
        if around == NONE or file.kind(around) != ScopeKind.CLASS:
            return {}
        if name in _GENERIC and self._extends_external(file, around):
            number = file.code.scopes[around].declaration
            return {TypeParameter(f"{file.path}\0{number}\0{name}", ()): Strategy.SCOPE}
        owner = self._evaluation.classes.canonical(ClassValue(file.path, around))
        other = self._evaluation.file(owner.path)
        own = "" if other is None else other.declarations[other.code.scopes[owner.scope].declaration]
        if name != _SELF and (not own or name != own.name):
            ending = f"\0{name}"
            parameters = self._evaluation.types.parameters_of(owner)
            return {v: Strategy.SCOPE for v in parameters if v.name.endswith(ending)}
        if own and own.kind == "protocol" and name == _SELF and other is not None:
            number = other.code.scopes[owner.scope].declaration
            return {TypeParameter(f"{owner.path}\0{number}\0{_SELF}", ()): Strategy.SCOPE}
        arguments = self.own_arguments(file, around, owner)
        return {ClassValue(owner.path, owner.scope, arguments): Strategy.SCOPE}

    def _asked_type(self, file: SourceFile, scope: int, name: str) -> Result:
        """A type that a protocol asks for, in the conditions behind its head."""
        declaration = file.code.scopes[scope].declaration
        if declaration == NONE or file.declarations[declaration].kind != "protocol":
            return {}
        inner = file.scope_of_declaration.get(declaration, NONE)
        if inner == NONE or file.kind(inner) != ScopeKind.CLASS:
            return {}
        found = self._evaluation.types.nested(ClassValue(file.path, inner), name, -1)
        return {value: how for value, how in found.items() if isinstance(value, TypeParameter)}

    def _extends_external(self, file: SourceFile, scope: int) -> bool:
        """True for an extension of a type from outside, which has parameters of its own."""
        declaration = file.code.scopes[scope].declaration
        number = self._evaluation.types.table(file).clause(declaration, Role.RECEIVER)
        found = self._evaluation.types.of(file, number) if number != NONE else {}
        return any(isinstance(value, External) for value in found)

    def own_name(self, file: SourceFile, scope: int, name: str) -> Result:
        """The type around, by the name of its own."""
        return self.own_type(file, scope, name) if name == _SELF else {}

    def alias_target(self, file: SourceFile, declaration: int) -> Result:
        """The type that an alias in a type stands for; a type that is asked for is a parameter."""
        if file.declarations[declaration].kind != "type":
            return {}
        self._evaluation.classes.depend_on_declaration(file, declaration)
        table = self._evaluation.types.table(file)
        if table.clause(declaration, Role.ALIAS) != NONE:
            return self._evaluation.types.alias(file, declaration)
        name = file.declarations[declaration].name
        return {TypeParameter(f"{file.path}\0{declaration}\0{name}", ()): Strategy.DECLARED}

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """The alias that a name is, which stands for another type."""
        item = file.expressions[number]
        if any(isinstance(value, MemberValue) for value in found):
            return {}
        asked: Result = {}
        for value in found:
            if isinstance(value, TypeParameter):
                path, _, rest = value.name.partition("\0")
                member = MemberValue(path, int(rest.partition("\0")[0]))
                merge(asked, {member: Strategy.DECLARED} if self._is_alias(member) else {})
        if asked or any(isinstance(value, TypeParameter) for value in found):
            return asked
        if not self._names_alias(item.name):
            return {}
        if item.op == Op.MEMBER:
            made: Result = {}
            for value in self._evaluation.evaluate(file, item.of) if item.of != NONE else ():
                if isinstance(value, ClassValue):
                    merge(made, self._alias_in(value, item.name))
            return made
        for scope in file.around(file.code.scope_of[number]):
            kind = file.kind(scope)
            if kind == ScopeKind.CLASS:
                own = self._evaluation.classes.canonical(ClassValue(file.path, scope))
                made = self._alias_in(own, item.name)
            elif kind == ScopeKind.MODULE:
                made = self._alias_of(file, item.name)
            else:
                rows = file.bindings.get((scope, item.name), ())
                made = {
                    MemberValue(file.path, row.declaration): Strategy.SCOPE
                    for row in rows
                    if row.declaration != NONE
                }
            if made:
                kept = {v: how for v, how in made.items() if self._is_alias(v)}
                return kept if len(kept) == len(made) else {}
        return {}

    def _names_alias(self, name: str) -> bool:
        """True if any file gives a type this name."""

        def compute() -> Result:
            rows = self._evaluation.types.declaring(self.language, name)
            is_one = any(
                item.kind == "type" and item.name == name
                for file in rows
                for item in file.declarations
            )
            return {External(name): Strategy.SCOPE} if is_one else {}

        return bool(self._evaluation.engine.shared(("alias name", name), compute))

    def _alias_in(self, owner: ClassValue, name: str) -> Result:
        """The types of a name in a type."""
        for item in self._evaluation.classes.ancestors(owner.path, owner.scope):
            rows = (
                [] if item.external
                else self._evaluation.classes.own_members(item.path, item.scope, name)
            )
            found: Result = {MemberValue(*row): Strategy.DECLARED for row in rows}
            if found:
                return found
        return {}

    def _alias_of(self, file: SourceFile, name: str) -> Result:
        """The types of a name that a file sees; those of other files of its module first."""
        rows = list(self._visible(file, name))
        return {MemberValue(rows[0][0].path, rows[0][1]): rows[0][2]} if rows else {}

    def _is_alias(self, value: Value) -> bool:
        file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
        if file is None or not isinstance(value, MemberValue):
            return False
        return file.declarations[value.declaration].kind == "type"

    def deduced(self, values: Values) -> Values:
        """The objects of types: an argument `T.self` is one for a parameter of `T.Type`."""
        return tuple(
            Instance(value.path, value.scope, value.arguments)
            if isinstance(value, ClassValue)
            else value
            for value in values
        )

    def as_arguments(self, values: Result) -> Result:
        """The objects of types, as parameters of `T.Type` get them."""
        found: Result = {}
        for value, how in values.items():
            is_type = isinstance(value, ClassValue | External)
            objects = self._evaluation.types.objects(value) if is_type else (value,)
            merge(found, with_strategy(objects, how))
        return found

    def type_of_parameter(self, value: TypeParameter, name: str) -> Result:
        """A type that a protocol asks for."""
        found: Result = {}
        for bound in self._evaluation.types.bound_of(value):
            if isinstance(bound, Instance):
                of = ClassValue(bound.path, bound.scope, bound.arguments)
                for one, how in self._evaluation.types.nested(of, name, -1).items():
                    is_open = isinstance(one, TypeParameter)
                    merge(found, {one._replace(bound=(value,)) if is_open else one: how})
        return found

    def projected(self, values: Result) -> Result:
        """Values with the types that protocols ask for, where it is known what conforms to them."""
        if not any(mentions_parameter(value) for value in values):
            return values
        found: Result = {}
        for value, how in values.items():
            merge(found, with_strategy(self._project(value, 0), how))
        return found

    def _project(self, value: Value, depth: int) -> Values:
        if depth > _DEEPEST:
            return (value,)
        if isinstance(value, TypeParameter):
            return self._projection(value, depth)
        if isinstance(value, Instance | ExternalInstance | ClassValue | External):
            arguments = tuple(self._each_projected(row, depth) for row in value.arguments)
            return (value._replace(arguments=arguments),)
        if isinstance(value, TupleValue):
            return (TupleValue(tuple(self._each_projected(row, depth) for row in value.parts)),)
        return (value,)

    def _each_projected(self, values: Values, depth: int) -> Values:
        return tuple(dict.fromkeys(one for v in values for one in self._project(v, depth + 1)))

    def _projection(self, value: TypeParameter, depth: int) -> Values:
        """The type of a name in what another type parameter stands for."""
        name = value.name.rpartition("\0")[2]
        found: list[Value] = []
        for base in value.bound:
            for one in self._project(base, depth + 1):
                if isinstance(one, Instance):
                    of = ClassValue(one.path, one.scope, one.arguments)
                    found += self._type_in(of, name)
        known = [one for one in found if not isinstance(one, TypeParameter)]
        return tuple(dict.fromkeys(known)) or (value,)

    def _type_in(self, of: ClassValue, name: str) -> Values:
        """The objects of a type in another one, which may follow from what implements a protocol."""
        found: list[Value] = []
        for type_ in self._evaluation.types.nested(of, name, -1):
            if isinstance(type_, TypeParameter):
                found += self._witnessed(of, type_)
            else:
                found += self._evaluation.types.objects(type_)
        return tuple(found)

    def _witnessed(self, of: ClassValue, asked: TypeParameter) -> Values:
        """The type that a protocol asks for, by the members that implement it."""
        key = ("witnessed", of, asked.name)
        return plain(self._evaluation.engine.unit(key, lambda: self._by_members(of, asked)))

    def _by_members(self, of: ClassValue, asked: TypeParameter) -> Result:
        path, _, rest = asked.name.partition("\0")
        file = self._evaluation.file(path)
        if file is None:
            return {}
        holder = file.declarations[int(rest.partition("\0")[0])].parent
        receiver = Instance(of.path, of.scope, of.arguments)
        given: dict[str, Values] = {}
        for number, item in enumerate(file.declarations):
            if item.parent != holder or item.kind not in {"method", "property"}:
                continue
            declared = self._declared_types(file, number)
            for member in self._evaluation.classes.members(receiver, item.name):
                other = self._evaluation.file(member.path) if isinstance(member, MemberValue) else None
                if other is None or not isinstance(member, MemberValue):
                    continue
                if (member.path, member.declaration) == (path, number):
                    continue
                own = self._declared_types(other, member.declaration)
                for one, values in zip(declared, own, strict=False):
                    for each in one:
                        self._evaluation.calls.inference.unify(each, values, given)
        return with_strategy(given.get(asked.name, ()), Strategy.GENERIC)

    def _declared_types(self, file: SourceFile, number: int) -> list[Values]:
        """The types of a member: its own or its result's, and those of its parameters."""
        self._evaluation.classes.depend_on_declaration(file, number)
        instances = self._evaluation.types.instances
        result = self._evaluation.types.table(file).clause(number, Role.RESULT, Role.TYPE)
        scope = file.scope_of_declaration.get(number, NONE)
        is_method = file.declarations[number].kind == "method"
        rows = file.parameters.get(scope, ()) if is_method else ()
        found = [plain(instances(file, result)) if result != NONE else ()]
        return found + [plain(instances(file, row.annotation)) for row in rows]

    def associated(self, receiver: Value, path: str, scope: int) -> dict[str, Values]:
        """`Self`, and the types that a protocol asks for, as a type has them."""
        file = self._evaluation.file(path)
        kind = self._evaluation.classes.kind_of(path, scope)
        if file is not None and kind == "extension" and isinstance(receiver, Instance):
            prefix = f"{path}\0{file.code.scopes[scope].declaration}\0"
            names = ("Key", "Value") if len(receiver.arguments) > 1 else ("Element", "Wrapped")
            rows = zip(names, receiver.arguments * len(names), strict=False)
            return {f"{prefix}{name}": values for name, values in rows if values}
        if file is None or kind != "protocol":
            return {}
        if not isinstance(receiver, Instance | ClassValue):
            return {}
        holder = file.code.scopes[scope].declaration
        own = Instance(receiver.path, receiver.scope, receiver.arguments)
        found: dict[str, Values] = {f"{path}\0{holder}\0{_SELF}": (own,)}
        if (receiver.path, receiver.scope) == (path, scope):
            return found
        of = ClassValue(receiver.path, receiver.scope, receiver.arguments)
        for name, number in file.cached("associated types", _associated).get(holder, ()):
            values = self._type_in(of, name)
            known = [one for one in values if not isinstance(one, TypeParameter)]
            if known:
                found[f"{path}\0{number}\0{name}"] = tuple(known)
        return found

    def bound_of_self(self, value: TypeParameter) -> Result:
        """The protocol whose `Self` a type parameter is; the bounds of one with a base."""
        path, _, rest = value.name.partition("\0")
        number, _, name = rest.partition("\0")
        file = self._evaluation.file(path)
        scope = NONE if file is None else file.scope_of_declaration.get(int(number), NONE)
        if name != _SELF or scope == NONE:
            return {}
        return {Instance(path, scope): Strategy.DECLARED}

    def imported(self, file: SourceFile, number: int) -> Result:
        """A module of other repositories; one of this one has no declaration of its own."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        module = file.facts.imports[number].module
        found = self._modules.find(module, file.path, self._probe)
        return {} if found.path else {External(module): Strategy.IMPORT}

    # members

    def belongs_to_type(self, file: SourceFile, number: int, owner: Definition) -> bool:
        """An extension in the module of its type."""
        del number
        return self._module_of(file.path) == self._module_of(owner.path)

    def implied(self, file: SourceFile, number: int) -> Result:
        """`.name`: a member of the type that is expected where it stands."""
        name = file.expressions[number].name
        chains = file.cached("chains", _chains)
        expected = self._evaluation.types.table(file).expected
        whole = number
        while whole not in expected and whole in chains:
            whole = chains[whole]
        found: Result = {}
        for value in self._evaluation.calls.expected_types(file, whole):
            bounds = self._evaluation.types.bound_of(value) if isinstance(value, TypeParameter) else ()
            for one in (value, *bounds):
                merge(found, self.member_of_type(one, name), Strategy.GENERIC)
        found = {v: how for v, how in found.items() if not isinstance(v, External)}
        return self.fitting_use(file, number, found) if len(found) > 1 else found

    def taken(
        self,
        value: External | MemberValue | ClassValue,
        file: SourceFile,
        number: int,
        position: int,
    ) -> Result:
        """The types of an argument: of what a case carries, an element, or as the others are."""
        items = file.expressions[number].items
        if isinstance(value, ClassValue):
            made = self._evaluation.calls.constructors(file, number, value)
            return {} if made else self._stored_in(value, items, position)
        if isinstance(value, MemberValue):
            return self._carried_at(value, items, position)
        if value.arguments and value.name.rpartition(".")[2] in _TAKES_ELEMENT:
            return with_strategy(value.arguments[-1], Strategy.GENERIC)
        found: Result = {}
        for at, item in enumerate(items):
            if at != position and not item.name and not self.is_contextual(file, item.value):
                merge(found, self._evaluation.evaluate(file, item.value), Strategy.GENERIC)
        return {
            v: how
            for v, how in found.items()
            if isinstance(v, Instance) or (isinstance(v, ExternalInstance) and v.arguments)
        }

    def _stored_in(self, value: ClassValue, items: Sequence[Argument], position: int) -> Result:
        """The type of the property that an initialiser sets which nobody wrote.

        A closure behind a call has no label: it is for the last property that is left.
        """
        file = self._evaluation.file(value.path)
        if file is None or position >= len(items):
            return {}
        holder = file.code.scopes[value.scope].declaration
        self._evaluation.calls.depend_on_head(file, value.scope)
        rows = [
            number
            for number, item in enumerate(file.declarations)
            if item.parent == holder and item.kind == "property"
        ]
        label = items[position].name
        named = [number for number in rows if file.declarations[number].name == label]
        left = [] if label else rows[-1:]
        found: Result = {}
        for number in named or left:
            receiver = Instance(value.path, value.scope, value.arguments)
            member = MemberValue(value.path, number, receiver)
            merge(found, self._evaluation.classes.value_of(member))
        return found

    def made_arguments(
        self, file: SourceFile, number: int, value: ClassValue
    ) -> dict[str, Values]:
        """The type arguments of an object by the values of its properties."""
        given: dict[str, Values] = {}
        items = file.expressions[number].items
        for position, item in enumerate(items):
            values = plain(self._evaluation.evaluate(file, item.value))
            for declared in self._stored_in(value, items, position):
                self._evaluation.calls.inference.unify(declared, values, given)
        return given

    def _of_outside(self, receiver: Instance | ClassValue, name: str) -> Result:
        """A member of the type from outside that an extension is of."""
        file = self._evaluation.file(receiver.path)
        if file is None:
            return {}
        declaration = file.code.scopes[receiver.scope].declaration
        self._evaluation.calls.depend_on_head(file, receiver.scope)
        own = file.declarations[declaration].name.rpartition(".")[2]
        found = self.extended_member(own, name)
        if found:
            return dict(found)
        elements = receiver.arguments or (self._elements_of(file, declaration),)
        return {External(f"{own}.{name}", elements): Strategy.RECEIVER} if own else {}

    def _elements_of(self, file: SourceFile, declaration: int) -> Values:
        """The elements of a collection from outside, as its extension says or calls them."""
        for clause in file.clauses.get(declaration, ()):
            if clause.role == Role.TYPE_PARAMETER and clause.name == "Element":
                return plain(self._evaluation.types.instances(file, clause.value))
        return (TypeParameter(f"{file.path}\0{declaration}\0Element", ()),)

    def type_of_external(self, value: External, name: str) -> Result:
        """An iterator of a collection of the library, or a part of one."""
        if name in {"Iterator", "SubSequence", "Indices"}:
            return {External(name, value.arguments): Strategy.GENERIC}
        return {}

    def inherited(self, receiver: Instance | ClassValue, name: str, external: str) -> Result:
        """A member that a type has from outside; each object may be an optional one."""
        if self._evaluation.classes.kind_of(receiver.path, receiver.scope) == "extension":
            return self._of_outside(receiver, name)
        found = super().inherited(receiver, name, external)
        if found and isinstance(receiver, Instance):
            elements = plain(self._evaluation.element({receiver: Strategy.DECLARED}))
            if elements:
                return {External(f"Sequence.{name}", (elements,)): Strategy.RECEIVER}
        if not found and name in _OF_OPTIONAL and isinstance(receiver, Instance):
            return {External(f"Optional.{name}", ((receiver,),)): Strategy.FLOW}
        return found

    def _carried_at(self, value: MemberValue, items: Sequence[Argument], position: int) -> Result:
        """The type of what a case carries, by its label."""
        file = self._evaluation.file(value.path)
        if file is None or not self._is_case(value):
            return {}
        self._evaluation.classes.depend_on_declaration(file, value.declaration)
        clause = self._evaluation.types.table(file).clause(value.declaration, Role.TYPE)
        parts = file.expressions[clause].items if clause != NONE else ()
        label = items[position].name if position < len(items) else ""
        named = [part for part in parts if label and part.name == label]
        at = position if position < len(parts) else len(parts) - 1
        row = named[0] if named else (parts[at] if parts else None)
        return self._evaluation.types.instances(file, row.value) if row is not None else {}

    def is_contextual(self, file: SourceFile, number: int) -> bool:
        """True for `.name`, what is called on it, and lists with such a value."""
        return number in file.cached("contextual", _contextual)

    def member_of_type(self, value: Value, name: str) -> Result:
        """The members that the type of an object itself has."""
        if isinstance(value, Instance):
            of = ClassValue(value.path, value.scope, value.arguments)
            return self.constructed_by(of, name) or self._evaluation.classes.members(of, name)
        if isinstance(value, ExternalInstance):
            return {
                one._replace(receiver=ClassValue(one.receiver.path, one.receiver.scope)): how
                for one, how in self.extended_member(value.name, name).items()
                if isinstance(one, MemberValue) and isinstance(one.receiver, Instance)
            }
        return {}

    def constructed_by(self, value: Value, name: str) -> Result:
        """`self.init`, `super.init`, `Type.init`."""
        if name != _INIT:
            return {}
        if isinstance(value, Instance | ClassValue):
            own = ClassValue(value.path, value.scope, value.arguments)
            return self._evaluation.classes.constructors(own)
        if isinstance(value, SuperValue):
            for item in self._evaluation.classes.ancestors(value.path, value.scope)[1:]:
                if item.external:
                    continue
                base = ClassValue(item.path, item.scope, item.arguments)
                found = self._evaluation.classes.constructors(base)
                if found:
                    return found
        return {}

    def other_callees(self, file: SourceFile, number: int) -> Result:
        """A case of an enum that is made with values, a macro, or what makes an object.

        That is the type for an initialiser that nobody wrote, one of an extension for a type from
        outside, one that a protocol asks for of a type parameter.
        """
        called = file.expressions[number].of
        item = file.expressions[called]
        if item.op not in {Op.NAME, Op.MEMBER, Op.APPLY}:
            return {}
        if item.op != Op.APPLY:
            found = self._evaluation.names.resolve(file, called)
            cases = {v: how for v, how in found.items() if self._is_case(v)}
            if cases:
                return cases
        if item.op == Op.MEMBER and item.name == _INIT:
            return self._made_of(file, number, item)
        made: Result = {}
        for value in self._evaluation.evaluate(file, called):
            merge(made, self._made(file, number, value))
        return made

    def _made_of(self, file: SourceFile, number: int, item: Expression) -> Result:
        """The types of `T.init(…)`, `self.init(…)`, whose initialiser is not written."""
        found: Result = {}
        for value in self._evaluation.evaluate(file, item.of) if item.of != NONE else ():
            if isinstance(value, Instance | ClassValue):
                if self._evaluation.classes.kind_of(value.path, value.scope) in _UNMADE:
                    continue
                made = ClassValue(value.path, value.scope, value.arguments)
                merge(found, {made: Strategy.RECEIVER})
            else:
                merge(found, self._made(file, number, value))
        return found

    def _made(self, file: SourceFile, number: int, value: Value) -> Result:
        """The initialisers of extensions of a type from outside, or of a type parameter's bounds."""
        found: Result = {}
        if isinstance(value, External | ExternalInstance):
            own = value.name.rpartition(".")[2]
            for one in (own, *protocols_of(own)):
                merge(found, self._initialisers(one))
        elif isinstance(value, TypeParameter):
            for bound in self._evaluation.types.bound_of(value):
                if isinstance(bound, Instance):
                    of = ClassValue(bound.path, bound.scope, bound.arguments)
                    merge(found, self._evaluation.classes.constructors(of))
        items = file.expressions[number].items
        return self._evaluation.calls.overloads.choose(file, found, items, number)

    def _initialisers(self, name: str) -> Result:
        """The initialisers that extensions give to a type from outside."""
        return self._evaluation.engine.unit(
            ("initialisers", name), lambda: self._initialisers_of(name)
        )

    def _initialisers_of(self, name: str) -> Result:
        found: Result = {}
        for file in self._evaluation.types.declaring(self.language, name):
            for scope, number in blocks_of(file).get(name, ()):
                if any(isinstance(v, External) for v in self._evaluation.types.of(file, number)):
                    of = ClassValue(file.path, scope)
                    merge(found, self._evaluation.classes.own_constructors(of))
        return found

    def _is_case(self, value: Value) -> bool:
        file = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
        if file is None or not isinstance(value, MemberValue):
            return False
        return file.declarations[value.declaration].kind in {"enumerator", "macro"}

    def carried(self, file: SourceFile, item: Expression) -> Result:
        """A part of what a case carries, as it is declared."""
        of = file.expressions[item.of] if item.of != NONE else None
        if of is None or of.op != Op.MEMBER or not item.name.isdigit():
            return {}
        found: Result = {}
        for value in self._evaluation.evaluate(file, of.of) if of.of != NONE else ():
            if isinstance(value, ExternalInstance) and value.name == "Result":
                at = ("success", "failure").index(of.name) if of.name in _RESULTS else -1
                values = value.arguments[at] if 0 <= at < len(value.arguments) else ()
                merge(found, with_strategy(values, Strategy.GENERIC))
        for value in self._evaluation.names.resolve(file, item.of) if not found else ():
            other = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
            if other is None or not isinstance(value, MemberValue) or not self._is_case(value):
                continue
            self._evaluation.classes.depend_on_declaration(other, value.declaration)
            clause = self._evaluation.types.table(other).clause(value.declaration, Role.TYPE)
            for one in self._evaluation.types.instances(other, clause) if clause != NONE else ():
                if isinstance(one, TupleValue) and int(item.name) < len(one.parts):
                    merge(found, with_strategy(one.parts[int(item.name)], Strategy.DECLARED))
        return found

    def preferred(self, file: SourceFile, call: int, found: Result) -> Result:
        """The functions that give what is expected, of those that fit equally well.

        What is awaited is asynchronous, if it can be.
        """
        if call in file.cached("awaited", awaited):
            waiting = {v: how for v, how in found.items() if self._overloads.is_async(v)}
            found = waiting or found
        if len(found) > 1:
            least = min(map(self._optionals, found))
            found = {v: how for v, how in found.items() if self._optionals(v) == least}
        expected = self._evaluation.calls.expected_types(file, call) if len(found) > 1 else {}
        if not expected:
            return found
        fits = {value: self._fit_of_result(value, expected) for value in found}
        best = max(fits.values())
        return {value: how for value, how in found.items() if fits[value] == best}

    def _optionals(self, value: Value) -> int:
        return self._overloads.optionals(value) if isinstance(value, FunctionValue) else 0

    def _fit_of_result(self, value: Value, expected: Result) -> int:
        file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
        if file is None or not isinstance(value, FunctionValue):
            return MAYBE
        results = self._evaluation.calls.result(value, file)
        return max(
            (self._fit_back(one, other) for one in results for other in expected), default=MAYBE
        )

    def _fit_back(self, value: Value, expected: Value) -> int:
        """A score for a result where a type is expected; one with parameters may become it."""
        fits = self._evaluation.calls.overloads.fits
        found = fits(expected, value)
        return found if mentions_parameter(value) else max(found, fits(value, expected))

    def joined(self, sides: Sequence[Result]) -> Result:
        """The value of an operator of which one side is a text: the other, if the tree has it."""
        for side in sides:
            found = {v: how for v, how in side.items() if isinstance(v, Instance)}
            if found:
                return found
        return {}

    def indexed(self, value: Instance) -> Result:
        """The results of the subscripts of a type."""
        found: Result = {}
        for member in self._evaluation.classes.members(value, "subscript"):
            file = self._evaluation.file(member.path) if isinstance(member, MemberValue) else None
            if file is None or not isinstance(member, MemberValue):
                continue
            scope = file.scope_of_declaration.get(member.declaration, NONE)
            if scope != NONE:
                function = FunctionValue(file.path, scope, value)
                merge(found, self._evaluation.calls.result(function, file), Strategy.DECLARED)
        return found

    def iterated(self, value: Instance) -> Result:
        """The elements of a type: of its iterator, of literals of it, of a set of options."""
        of = ClassValue(value.path, value.scope, value.arguments)
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        external = {item.external.rpartition(".")[2] for item in order if item.external}
        if "OptionSet" in external:
            return {value: Strategy.DECLARED}
        found: Result = {}
        for name in ("Element", "ArrayLiteralElement"):
            for type_ in self._evaluation.types.nested(of, name, -1):
                merge(found, with_strategy(self._evaluation.types.objects(type_), Strategy.DECLARED))
        for made in self._evaluation.classes.constructors(of) if not found else ():
            file = self._evaluation.file(made.path) if isinstance(made, FunctionValue) else None
            rows = [] if file is None else file.parameters.get(made.scope, [])
            head = file.declarations[file.code.scopes[made.scope].declaration] if file else None
            if file is not None and head is not None and "arrayLiteral" in head.parameters:
                for row in rows[:1]:
                    declared = self._evaluation.types.instances(file, row.annotation)
                    merge(found, self._evaluation.element(declared))
        if not found:
            for iterator in self.method_results(value, "makeIterator"):
                if isinstance(iterator, Instance) and iterator != value:
                    merge(found, self.method_results(iterator, "next"))
                elif isinstance(iterator, ExternalInstance) and iterator.arguments:
                    merge(found, with_strategy(iterator.arguments[-1], Strategy.GENERIC))
        return found

    # what a member replaces

    def replaces(self, item: Declaration) -> bool:
        """A method of a class replaces one of its base only if it says so."""
        return "override" in item.modifiers

    def asked_for(
        self, file: SourceFile, number: int, owner: ClassValue
    ) -> Sequence[tuple[str, int]]:
        """What a protocol asks for that its extension implements."""
        if self._evaluation.classes.kind_of(owner.path, owner.scope) != "protocol":
            return []
        item = file.declarations[number]
        if file.declarations[item.parent].kind != "extension":
            return []
        of = Ancestor(owner.path, owner.scope)
        rows = self._evaluation.classes.own_members(owner.path, owner.scope, item.name)
        found = []
        for path, declaration in rows or self.others_replaced(of, item.name):
            other = self._evaluation.file(path)
            if other is not None and self.may_replace(file, number, other, declaration):
                found.append((path, declaration))
        return found

    def ancestors_replaced(
        self, owner: ClassValue, ancestors: Sequence[Ancestor]
    ) -> Sequence[Ancestor]:
        """The bases without the protocols that a base class has implemented."""
        done: set[tuple[str, int]] = set()
        for item in ancestors:
            if item.external or self._evaluation.classes.kind_of(item.path, item.scope) != "class":
                continue
            for one in self._evaluation.classes.ancestors(item.path, item.scope)[1:]:
                if self._evaluation.classes.kind_of(one.path, one.scope) == "protocol":
                    done.add((one.path, one.scope))
        del owner
        return [item for item in ancestors if (item.path, item.scope) not in done]

    def stands_for(self, value: Value, other: Value) -> bool:
        """True for `Self` in a protocol, which is each type that conforms to it."""
        if not isinstance(value, Instance) or not isinstance(other, Instance):
            return False
        is_protocol = self._evaluation.classes.kind_of(value.path, value.scope) == "protocol"
        return is_protocol and self._evaluation.classes.is_subclass(other, value)

    def others_replaced(self, ancestor: Ancestor, name: str) -> Sequence[tuple[str, int]]:
        """The initialisers of a base."""
        found = []
        made = ClassValue(ancestor.path, ancestor.scope)
        for value in self._evaluation.classes.own_constructors(made) if name == _INIT else ():
            file = self._evaluation.file(value.path) if isinstance(value, FunctionValue) else None
            if file is not None and isinstance(value, FunctionValue):
                found.append((value.path, file.code.scopes[value.scope].declaration))
        return found

    def may_replace(self, own: SourceFile, number: int, file: SourceFile, declaration: int) -> bool:
        """True for members of one kind and labels: of a class, or that a protocol asks for."""
        item, other = own.declarations[number], file.declarations[declaration]
        holder = file.declarations[other.parent].kind if other.parent >= 0 else ""
        if holder != "protocol" and "override" not in item.modifiers:
            return False
        if says_async(item) and not says_async(other):
            return False
        is_static = [not STATIC.isdisjoint(one.modifiers) for one in (item, other)]
        if is_static[0] != is_static[1]:
            # a case of an enum may be what is asked for
            return False
        return labels_of(own, number) == labels_of(file, declaration)


def _associated(file: SourceFile) -> dict[int, list[tuple[str, int]]]:
    """The types that protocols ask for, by these."""
    found: dict[int, list[tuple[str, int]]] = {}
    for number, item in enumerate(file.declarations):
        if item.kind == "type" and item.parent >= 0:
            if file.declarations[item.parent].kind == "protocol":
                found.setdefault(item.parent, []).append((item.name, number))
    return found


def _contextual(file: SourceFile) -> frozenset[int]:
    """The expressions that begin with `.name`, and those with one of them."""
    found: set[int] = set()
    for number, item in enumerate(file.expressions):
        if item.op == Op.MEMBER and item.of == NONE:
            found.add(number)
        elif item.op in {Op.CALL, Op.MEMBER} and item.of in found:
            found.add(number)
        elif item.op in {Op.LIST, Op.EITHER} and any(part.value in found for part in item.items):
            found.add(number)
    return frozenset(found)


def _chains(file: SourceFile) -> dict[int, int]:
    """What calls a name or member, or is a member of it."""
    return {
        item.of: number
        for number, item in enumerate(file.expressions)
        if item.op in {Op.CALL, Op.MEMBER} and item.of != NONE
    }

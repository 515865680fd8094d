"""Finds the declarations that names and members of TypeScript and JavaScript refer to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from code_graph.contracts.templates import CALLED, ELEMENT
from code_graph.evaluate.definitions import Definition, Definitions
from code_graph.evaluate.source_file import MOST_BINDINGS, SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    CreatedValue,
    FunctionValue,
    Instance,
    ModuleValue,
    ObjectValue,
    OpenType,
    Result,
    SuperValue,
    SymbolValue,
    TypeVariable,
    Value,
    merge,
    plain,
    through,
)
from code_graph.expressions import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    Expression,
    Op,
    Role,
    ScopeKind,
)
from code_graph.facts import MODULE
from code_graph.languages.ecmascript.rules.members import MAPPED
from code_graph.languages.ecmascript.rules.names import Space
from code_graph.languages.ecmascript.rules.shapes import unwrapped
from code_graph.model import FILE, Strategy

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

_DEEPEST: Final = 8
_TYPED: Final = frozenset(
    {Role.RESULT, Role.TYPE, Role.IMPLEMENTS, Role.ALIAS, Role.TYPE_PARAMETER}
)
_NAMED: Final = frozenset({Op.NAME, Op.MEMBER})
_SPREAD: Final = "*"
_OBJECT: Final = "object"


def list_given(file: SourceFile) -> frozenset[int]:
    """The targets of `exports.a = …` and `module.exports.a = …`, which use nothing."""
    found: set[int] = set()
    for store in file.code.stores:
        target = file.expressions[store.target]
        holder = file.expressions[target.of] if target.of != NONE else target
        if target.op == Op.MEMBER and holder.op in _NAMED and holder.name == "exports":
            found.add(store.target)
    return frozenset(found)


class EcmaScriptDefinitions(Definitions):
    """Follows names and members to declarations, in the space of values or of types."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        super().__init__(evaluation)
        self._ecma = evaluation
        # targets of the linked file's names, by scope, name and space
        self._known: dict[tuple[int, str, bool], list[Definition]] = {}
        self._known_in = 0
        # aliases that are being followed: one may stand for itself
        self._followed: set[tuple[str, int]] = set()

    def of(self, file: SourceFile, number: int) -> list[Definition]:
        """The definitions that a NAME or MEMBER expression refers to."""
        item = file.expressions[number]
        while item.op == Op.APPLY and item.of != NONE:
            number = item.of
            item = file.expressions[number]
        if file.exports and number in file.cached("given", list_given):
            return []
        return super().of(file, number)

    def _of_name(self, file: SourceFile, number: int, item: Expression) -> Iterator[Definition]:
        if not item.line:
            return
        engine = self._ecma.engine
        is_type = number in file.cached("types", _list_types)
        if engine.is_recording(file.path):
            yield from self._found(file, number, item, is_type=is_type)
            return
        if self._known_in != engine.begun:
            self._known, self._known_in = {}, engine.begun
        key = file.code.scope_of[number], item.name, is_type
        if key not in self._known:
            self._known[key] = list(self._found(file, number, item, is_type=is_type))
        yield from self._known[key]

    def _found(
        self, file: SourceFile, number: int, item: Expression, *, is_type: bool
    ) -> Iterator[Definition]:
        order = (Space.TYPE, Space.VALUE) if is_type else (Space.VALUE, Space.TYPE)
        scope = file.code.scope_of[number]
        for space in order:
            rows = self._ecma.names.binding_of(file, scope, item.name, number, space)
            if rows is None:
                continue
            for row in self._with_overloads(file, rows)[:MOST_BINDINGS]:
                yield from self._of_row(file, row, Strategy.SCOPE)
            return
        for space in order:
            found = self._ecma.names.in_globals(file, item.name, space)
            for other, row in found:
                yield from self._of_row(other, row, Strategy.SCOPE)
            if found:
                return

    def _with_overloads(self, file: SourceFile, rows: list[int]) -> list[int]:
        """A binding that a test made means what the name means elsewhere."""
        first = file.code.bindings[rows[0]]
        if first.kind != BindingKind.NARROWED:
            return rows
        every = file.binding_numbers.get((first.scope, first.name), [])
        return [row for row in every if file.code.bindings[row].kind != BindingKind.NARROWED]

    def _of_row(self, file: SourceFile, row: int, strategy: Strategy) -> Iterator[Definition]:
        binding = file.code.bindings[row]
        if binding.kind == BindingKind.IMPORTED:
            targets = self._ecma.names.followed(file, binding.value)
            yield from self._of_targets(targets, max(strategy, Strategy.IMPORT))
        elif binding.declaration != NONE:
            yield Definition(file.path, binding.declaration, strategy)
        elif binding.kind == BindingKind.PARAMETER and binding.line:
            fields = file.cached("parameter fields", _list_fields)
            declaration = fields.get((binding.line, binding.column), NONE)
            if declaration != NONE:
                yield Definition(file.path, declaration, strategy)
        elif binding.kind == BindingKind.DECLARED and _is_body(file, binding.value):
            for value in self._ecma.evaluate(file, binding.value):
                yield from self.of_value(value, strategy)
        elif _is_alias(file, binding) and (file.path, row) not in self._followed:
            self._followed.add((file.path, row))
            found = self.of(file, binding.value)
            self._followed.discard((file.path, row))
            yield from (each._replace(strategy=max(each.strategy, strategy)) for each in found)

    def _of_targets(self, targets: Result, strategy: Strategy) -> Iterator[Definition]:
        for value, how in targets.items():
            weakest = max(strategy, through(how))
            if isinstance(value, SymbolValue):
                file = self._ecma.file(value.path)
                if file is not None:
                    yield from self._of_row(file, value.number, weakest)
            elif isinstance(value, ObjectValue):
                yield from self._of_whole_object(value, weakest)
            else:
                yield from self.of_value(value, weakest)

    def _of_whole_object(self, value: ObjectValue, strategy: Strategy) -> Iterator[Definition]:
        """The declaration that has the members of a literal which a module exports as a whole."""
        file = self._ecma.file(value.path)
        if file is not None and value.kind == _OBJECT:
            declaration = file.cached("objects", _list_objects).get(value.number, NONE)
            if declaration != NONE:
                yield Definition(value.path, declaration, strategy)

    def of_import(self, file: SourceFile, binding: Binding) -> list[Definition]:
        """The definitions that an imported name refers to."""
        targets = self._ecma.names.followed(file, binding.value)
        return self._unique(self._of_targets(targets, Strategy.IMPORT))

    def taken_from(self, file: SourceFile, number: int) -> list[Definition]:
        """The members that a local name was taken from, as in `const { run } = task`."""
        item = file.expressions[number]
        if item.op != Op.NAME or not item.line:
            return []
        scope = file.code.scope_of[number]
        rows = self._ecma.names.binding_of(file, scope, item.name, number, Space.VALUE) or []
        rows = self._with_overloads(file, rows) if rows else rows
        bindings = [file.code.bindings[row] for row in rows[:MOST_BINDINGS]]
        values = [each.value for each in bindings if each.kind != BindingKind.IMPORTED]
        found: list[Definition] = []
        for value in filter(lambda number: number != NONE, values):
            item = file.expressions[value]
            # one with a default is either of two
            parts = [part.value for part in item.items] if item.op == Op.EITHER else [value]
            for part in parts:
                if part != NONE and file.expressions[part].op == Op.MEMBER:
                    found += self.of(file, part)
        return [each._replace(strategy=max(each.strategy, Strategy.FLOW)) for each in found]

    def of_member(self, value: Value, name: str, depth: int = 0) -> Iterator[Definition]:
        """The declarations of a member of a value."""
        if depth > _DEEPEST or name == "constructor":  # an object's is its class
            return
        if isinstance(value, ModuleValue):
            targets = self._ecma.names.exported_targets(value.path, name)
            yield from self._of_targets(targets, Strategy.IMPORT)
        elif isinstance(value, Instance | ClassValue):
            yield from self._of_object(value, name, depth)
        elif isinstance(value, SuperValue) and isinstance(value.receiver, Instance | ClassValue):
            for row in self._ecma.classes.rows(value.receiver, name, skip=True):
                yield from self._of_row(row.file, row.number, Strategy.RECEIVER)
        elif isinstance(value, ObjectValue):
            yield from self._of_literal(value, name, depth)
        elif isinstance(value, CreatedValue):
            yield from self._of_created(value, name, depth)
        elif isinstance(value, TypeVariable | OpenType):
            for bound in self._ecma.limits(value):
                yield from self.of_member(bound, name, depth + 1)
        elif isinstance(value, FunctionValue):
            yield from self._of_function(value, name)

    def of_chain(self, value: Value, names: Sequence[str]) -> Iterator[Definition]:
        """The declarations of the last of some members, each of the one before it.

        Behind a name `()` is what a call of it gives, and `[]` an element.
        """
        values: Result = {value: Strategy.RECEIVER}
        for name in names[:-1]:
            found: Result = {}
            for holder, strategy in values.items():
                member = name.removesuffix(ELEMENT).removesuffix(CALLED)
                merge(found, self._ecma.member(holder, member), strategy)
            found = self._ecma.calls.results(plain(found)) if CALLED in name else found
            values = self._ecma.element(found) if name.endswith(ELEMENT) else found
        for holder, strategy in values.items():
            for each in self.of_member(holder, names[-1]):
                yield each._replace(strategy=max(each.strategy, strategy))

    def _of_object(
        self, value: Instance | ClassValue, name: str, depth: int
    ) -> Iterator[Definition]:
        is_found = False
        if isinstance(value, ClassValue):
            for file, scope in self._ecma.classes.parts(value.path, value.scope):
                if file.kind(scope) == ScopeKind.MODULE:
                    self._ecma.names.depend_on(file, scope, name)
                    for number in file.binding_numbers.get((scope, name), ()):
                        is_found = True
                        yield from self._of_row(file, number, Strategy.RECEIVER)
        for row in self._ecma.classes.rows(value, name):
            is_found = True
            yield from self._of_row(row.file, row.number, Strategy.RECEIVER)
        if is_found:
            return
        for base in chain.from_iterable(self._ecma.classes.outer_bases(value)):
            for one in self.of_member(base, name, depth + 1):
                is_found = True
                yield one
        if is_found:
            return
        yield from self._stored(value, name)
        for literal in self._ecma.classes.prototypes(value) if isinstance(value, Instance) else ():
            yield from self.of_member(literal, name, depth + 1)

    def _stored(self, value: Instance | ClassValue, name: str) -> Iterator[Definition]:
        """A member that is declared where it is first assigned."""
        file = self._ecma.file(value.path)
        if file is None:
            return
        for store in file.stores.get(name, ())[:60]:
            target = file.expressions[store.target]
            if NONE not in {store.declaration, target.of}:
                self._ecma.names.depend_on(file, value.scope, name)
                for each in self._ecma.evaluate(file, target.of):
                    if isinstance(each, Instance | ClassValue) and each[:2] == value[:2]:
                        yield Definition(file.path, store.declaration, Strategy.RECEIVER)

    def _of_function(self, value: FunctionValue, name: str) -> Iterator[Definition]:
        file = self._ecma.file(value.path)
        for store in () if file is None else file.stores.get(name, ()):
            if file is None or store.declaration == NONE:
                continue
            self._ecma.calls.depend_on_head(file, value.scope)
            target = file.expressions[store.target].of
            if target != NONE and any(
                isinstance(each, FunctionValue) and each[:2] == value[:2]
                for each in self._ecma.evaluate(file, target)
            ):
                yield Definition(file.path, store.declaration, Strategy.RECEIVER)

    def _of_created(self, value: CreatedValue, name: str, depth: int) -> Iterator[Definition]:
        file = self._ecma.file(value.path)
        is_found = False
        for store in (
            () if file is None else self._ecma.classes.stores_in_created(file, value, name)
        ):
            is_found = True
            if store.declaration != NONE:
                yield Definition(value.path, store.declaration, Strategy.FLOW)
        for base in {} if file is None or is_found else self._ecma.evaluate(file, value.number):
            for one in self.of_member(base, name, depth + 1):
                is_found = True
                yield one
        for holder in () if is_found else self._ecma.classes.delegates.holders(value, name):
            for held in self._ecma.member(value, holder):
                yield from self.of_member(held, name, depth + 1)

    def _of_literal(self, value: ObjectValue, name: str, depth: int) -> Iterator[Definition]:
        file = self._ecma.file(value.path)
        if file is None:
            return
        if value.kind == MAPPED:
            for source in self._ecma.open_types.sources_of_mapped(value):
                yield from self.of_member(source, name, depth + 1)
            return
        items = file.expressions[value.number].items
        last = -1
        for at, part in enumerate(items):
            if part.name == name:
                last = at
                declaration = self._declared_item(file, value, at)
                if declaration != NONE:
                    yield Definition(file.path, declaration, Strategy.FLOW)
        # a spread after a member may replace it
        for part in items[last + 1 :]:
            if part.name == _SPREAD:
                for inner in self._ecma.evaluate(file, part.value):
                    yield from self.of_member(inner, name, depth + 1)

    def _declared_item(self, file: SourceFile, value: ObjectValue, at: int) -> int:
        declaration = _declared_member(file, value.number, at)
        if declaration != NONE:
            return declaration
        return file.cached("literal members", _list_literal_members).get((value.number, at), NONE)


def _list_literal_members(file: SourceFile) -> dict[tuple[int, int], int]:
    """The declarations of the members of type literals, by expression and position."""
    waiting: dict[tuple[str, int], list[int]] = {}
    for clause in file.code.clauses:
        if clause.role in {Role.TYPE, Role.RESULT}:
            name = file.declarations[clause.declaration].name
            waiting.setdefault((name, clause.value), []).append(clause.declaration)
    for rows in waiting.values():
        rows.reverse()
    found: dict[tuple[int, int], int] = {}
    for number, item in enumerate(file.expressions):
        if item.op != Op.OBJECT:
            continue
        for at, part in enumerate(item.items):
            value = unwrapped(file, part.value)
            rows = waiting.get((part.name, part.value), []) or waiting.get((part.name, value), [])
            if not rows and value != NONE and file.expressions[value].op == Op.CALLABLE:
                rows = waiting.get((part.name, file.expressions[value].of), [])
            if rows:
                found[number, at] = rows.pop()
    return found


def _list_types(file: SourceFile) -> frozenset[int]:
    """The expressions of a file that are types."""
    left = [binding.annotation for binding in file.code.bindings]
    left += [item.annotation for item in file.code.stores]
    left += [
        row.value
        for row in file.code.bindings
        if row.kind == BindingKind.DECLARED and row.declaration == NONE
    ]
    for clause in file.code.clauses:
        if clause.role in _TYPED or (
            clause.role == Role.BASE and file.declarations[clause.declaration].kind != "class"
        ):
            left.append(clause.value)
    for item in file.expressions:
        if item.op in {Op.APPLY, Op.CAST}:
            left += [part.value for part in item.items]
    found: set[int] = set()
    while left:
        number = left.pop()
        if number == NONE or number in found:
            continue
        item = file.expressions[number]
        if item.op in {Op.TYPE_OF, Op.CALL, Op.NEW, Op.FUNCTION}:
            continue
        found.add(number)
        left.append(item.of)
        left += [part.value for part in item.items]
    return frozenset(found)


def _is_alias(file: SourceFile, binding: Binding) -> bool:
    """True for `import A = B.C`, and for a name that a namespace exports another by."""
    is_name = binding.value != NONE and file.expressions[binding.value].op in {Op.NAME, Op.MEMBER}
    is_outside = file.kind(binding.scope) == ScopeKind.MODULE
    return is_name and is_outside and binding.kind == BindingKind.ASSIGNED


def _is_body(file: SourceFile, number: int) -> bool:
    """True if a value is a function or class; that of a type parameter is its default."""
    return number != NONE and file.expressions[number].op == Op.FUNCTION


def _list_fields(file: SourceFile) -> dict[tuple[int, int], int]:
    """The declarations of fields by their places: a parameter with a modifier is one as well."""
    return {
        (row.line, row.column): row.declaration
        for row in file.code.bindings
        if row.declaration != NONE and file.kind(row.scope) == ScopeKind.CLASS
    }


def objects_around(file: SourceFile) -> dict[int, int]:
    """The literal that each declared member of a literal is in; those of an alias are its own."""
    own = set(file.cached("parameter fields", _list_fields).values())
    members = [
        *file.cached("literal members", _list_literal_members).items(),
        *file.cached("object members", _list_object_members).items(),
    ]
    return {declaration: number for (number, _), declaration in members if declaration not in own}


def declaration_scopes(file: SourceFile) -> list[int]:
    """The scopes that tell apart declarations of one name: functions without names have some."""
    scopes = [0] * len(file.declarations)
    for binding in file.code.bindings:
        if binding.declaration != NONE and file.kind(binding.scope) != ScopeKind.CLASS:
            scopes[binding.declaration] = binding.scope
    for declaration, number in objects_around(file).items():
        scopes[declaration] = len(file.code.scopes) + number
    for number, item in enumerate(file.declarations):
        if "static" in item.modifiers:
            scopes[number] = NONE  # beside a member of objects with its name
        elif item.kind == "test":  # two may have one title
            scopes[number] = file.scope_of_declaration.get(number, 0)
    return scopes


def _declared_member(file: SourceFile, number: int, at: int) -> int:
    """The declaration of a member of a literal; NONE for one without."""
    return file.cached("object members", _list_object_members).get((number, at), NONE)


def _list_objects(file: SourceFile) -> dict[int, int]:
    """The declarations that have the members of literals, by expression."""
    found: dict[int, int] = {}
    for (number, _), member in file.cached("object members", _list_object_members).items():
        parent = file.declarations[member].parent
        if parent != MODULE and file.declarations[parent].kind == _OBJECT:
            found.setdefault(number, parent)
    return found


def _list_object_members(file: SourceFile) -> dict[tuple[int, int], int]:
    """The declarations of the members of literals, by expression and position.

    A literal in another comes before it, and is declared as what its own members are in.
    """
    found: dict[tuple[int, int], int] = {}
    holders: dict[int, int] = {}
    for number, item in enumerate(file.expressions):
        if item.op != Op.OBJECT:
            continue
        for at, part in enumerate(item.items):
            declaration = _declared_item(file, part, holders)
            if declaration == NONE:
                continue
            found[number, at] = declaration
            parent = file.declarations[declaration].parent
            if parent != MODULE and file.declarations[parent].kind == _OBJECT:
                holders.setdefault(number, parent)
    return {**_list_entries(file, holders), **found}


def _list_entries(file: SourceFile, holders: dict[int, int]) -> dict[tuple[int, int], int]:
    """The declarations of values in literals, by expression and position; their literals are held.

    Those of a literal without functions are known by the name that it is bound to.
    """
    entries: dict[tuple[int, str], list[int]] = {}
    for number, item in enumerate(file.declarations):
        if item.parent != MODULE and file.declarations[item.parent].kind == _OBJECT:
            entries.setdefault((item.parent, item.name), []).append(number)
    if not entries:
        return {}
    for binding in file.code.bindings:
        if binding.declaration != NONE and file.declarations[binding.declaration].kind == _OBJECT:
            holders.setdefault(unwrapped(file, binding.value), binding.declaration)
    found: dict[tuple[int, int], int] = {}
    for number in sorted(holders.keys() - {NONE}):
        literal = file.expressions[number]
        for at, part in enumerate(literal.items if literal.op == Op.OBJECT else ()):
            rows = entries.get((holders[number], part.name))
            if rows:
                found[number, at] = rows.pop(0) if len(rows) > 1 else rows[0]  # named twice
    return found


def _declared_item(file: SourceFile, part: Argument, holders: dict[int, int]) -> int:
    """The declaration of a member: a function's own one, or that of the object it is."""
    if part.value == NONE:
        return NONE
    value = file.expressions[part.value]
    found = NONE
    if value.op == Op.FUNCTION:
        found = file.code.scopes[value.of].declaration
    elif value.op == Op.OBJECT:
        found = holders.get(part.value, NONE)
    elif value.op == Op.CALL:  # what is called with an object
        inner = (holders.get(each.value, NONE) for each in value.items)
        found = next((each for each in inner if each != NONE), NONE)
    is_named = found != NONE and file.declarations[found].name == part.name
    return found if is_named else NONE


__all__ = ["FILE", "EcmaScriptDefinitions", "declaration_scopes", "objects_around"]

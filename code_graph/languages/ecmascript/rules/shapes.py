"""Structural types: required members, assignability of values, and narrowing by tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    CallableValue,
    ClassValue,
    ExternalInstance,
    FunctionValue,
    Instance,
    ObjectValue,
    OpenType,
    Result,
    TupleValue,
    TypeVariable,
    Value,
    merge,
)
from code_graph.expressions import NONE, BindingKind, Expression, Op, Role, ScopeKind
from code_graph.languages.ecmascript.rules import library
from code_graph.languages.ecmascript.rules.names import Space
from code_graph.languages.ecmascript.rules.types import Given, literal, literal_text
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

OPTIONAL: Final = "?"
# members that are signatures, and parts of literals that are no members
_UNNAMED: Final = frozenset({"()", "new", "[]", "*", "constructor"})
_ITERATORS: Final = frozenset({"[Symbol.iterator]", "[Symbol.asyncIterator]"})
_MOST_NAMES: Final = 60
_SPREAD: Final = "*"
# types in types that are compared, or kept in a type argument
MOST_NESTED: Final = 2
_MOST_COMPARED: Final = 24
_NOT: Final = "not"
_BOOL: Final = "builtins.bool"
_NEVER: Final = ExternalInstance("builtins.never")
_TRUTHS: Final = frozenset({"true", "false"})
_PREDICATES: Final = frozenset({"is", "asserts"})


class Shapes:
    """Finds the members that types require."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        self._evaluation = evaluation

    def lacking(self, value: Value, file: SourceFile, number: int) -> bool:
        """True if a value is without a member that a type requires."""
        return any(self.lacks(value, literal_text(name)) for name in self._required(file, number))

    def _required(self, file: SourceFile, number: int) -> Result:
        if number == NONE:
            return {}
        key = ("required", file.path, number)
        return self._evaluation.engine.unit(key, lambda: self._of_type(file, number))

    def _of_type(self, file: SourceFile, number: int) -> Result:
        item = file.expressions[number]
        found: Result = {}
        if item.op == Op.APPLY and item.of != NONE:
            found = self._required(file, item.of)
        elif item.op == Op.NAME:
            scope = file.code.scope_of[number]
            rows = self._evaluation.names.binding_of(file, scope, item.name, number, Space.TYPE)
            for row in rows or ():
                found |= self._of_binding(file, row)
        elif item.op == Op.OBJECT:
            found = _named(part.name for part in item.items if not is_optional(file, part.value))
        elif item.op == Op.OPERATOR and item.name == "&":
            for part in item.items:
                found |= self._required(file, part.value)
        elif item.op == Op.EITHER:
            found = self._of_each(file, item)
        return found

    def _of_each(self, file: SourceFile, item: Expression) -> Result:
        """The requirements of each type of a union."""
        first, *others = (self._required(file, part.value) for part in item.items)
        return {name: how for name, how in first.items() if all(name in other for other in others)}

    def _of_binding(self, file: SourceFile, number: int) -> Result:
        binding = file.code.bindings[number]
        found: Result = {}
        if binding.kind == BindingKind.IMPORTED:
            targets = self._evaluation.names.followed(file, binding.value)
            for other, row in self._evaluation.names.types_of_targets(targets):
                found |= self._of_binding(other, row)
        elif binding.declaration != NONE:
            scope = file.scope_of_declaration.get(binding.declaration, NONE)
            if scope != NONE:
                return self._of_class(file.path, scope)
            for clause in file.clauses.get(binding.declaration, ()):
                if clause.role == Role.ALIAS:
                    found |= self._required(file, clause.value)
        return found

    def _of_class(self, path: str, scope: int) -> Result:
        key = ("required members", path, scope)
        return self._evaluation.engine.unit(key, lambda: self._of_members(path, scope))

    def _of_members(self, path: str, scope: int) -> Result:
        found: Result = {}
        for file, part in self._evaluation.classes.parts(path, scope):
            if file.kind(part) != ScopeKind.CLASS:
                continue
            self._evaluation.names.depend_on(file, part, "")
            declaration = file.code.scopes[part].declaration
            for name in file.names_in.get(part, ()):
                rows = file.bindings[part, name]
                if not any(is_optional(file, row.annotation) for row in rows):
                    found |= _named((name,))
            self._evaluation.depend_on_class(file, part)
            for clause in file.clauses.get(declaration, ()) if declaration != NONE else ():
                if clause.role == Role.BASE:
                    found |= self._required(file, clause.value)
        return found

    def lacks(self, value: Value, name: str) -> bool:
        """True if a value is known to be without a member."""
        if isinstance(value, ObjectValue):
            return self._literal_lacks(value, name)
        if isinstance(value, Instance):
            return literal(name) not in self._of_class(value.path, value.scope)
        return isinstance(value, ExternalInstance) and library.is_primitive(value)

    def _literal_lacks(self, value: ObjectValue, name: str) -> bool:
        file = self._evaluation.file(value.path)
        if file is None:
            return False
        items = file.expressions[value.number].items
        if value.kind == "type":
            return literal(name) not in self._required(file, value.number)
        for part in items:
            if part.name == name:
                return False
            if part.name == _SPREAD:
                inner = self._evaluation.evaluate(file, part.value)
                if not inner or not all(self.lacks(each, name) for each in inner):
                    return False
        return value.kind == "object"

    # true if a value is of a type

    def fits(
        self, value: Value, declared: Result, inferred: Given | None = None, depth: int = 0
    ) -> bool | None:
        """True if a value is of one of some types; None if that is not known.

        On the way, what type variables of the types stand for is added to `inferred`.
        """
        if not declared:
            return True
        known: bool | None = False
        for each in declared:
            one = self._fits_one(value, each, inferred, depth)
            if one:
                if inferred is not None:
                    self._evaluation.calls.unify((each,), (value,), inferred, depth)
                return True
            known = None if one is None else known
        return known

    def _fits_one(
        self, value: Value, declared: Value, inferred: Given | None, depth: int
    ) -> bool | None:
        found: bool | None = None
        if isinstance(declared, TypeVariable):
            found = True
        elif isinstance(declared, ExternalInstance):
            found = self._fits_external(value, declared)
        elif isinstance(declared, CallableValue):
            found = self._fits_signature(value)
        elif isinstance(declared, TupleValue):
            found = self._fits_tuple(value, declared, inferred, depth)
        elif isinstance(declared, Instance) or (
            isinstance(declared, ObjectValue) and declared.kind == "type"
        ):
            found = self._fits_members(value, declared, depth)
        return found

    def _fits_external(self, value: Value, declared: ExternalInstance) -> bool | None:
        text = literal_text(declared)
        if isinstance(value, ExternalInstance):
            if value.name == declared.name:
                own = literal_text(value)
                is_either = value.name == _BOOL and not own
                return None if text and is_either else not text or own == text
            return False if _is_plain(value) or _is_plain(declared) else None
        if isinstance(value, TupleValue):
            return declared.name == "Array"
        if isinstance(value, Instance) and literal_text(value):
            return literal_text(value) == text if text else None
        is_own = isinstance(value, Instance | ObjectValue | FunctionValue | CallableValue)
        is_function = declared.name == "Function"
        if is_function:
            return isinstance(value, FunctionValue | CallableValue | ClassValue)
        return False if is_own and _is_plain(declared) else None

    def _fits_signature(self, value: Value) -> bool | None:
        if isinstance(value, FunctionValue | CallableValue):
            return True
        if isinstance(value, Instance | ObjectValue):
            return bool(self._evaluation.member(value, "()"))
        return False if isinstance(value, ExternalInstance | TupleValue) else None

    def _fits_tuple(
        self, value: Value, declared: TupleValue, inferred: Given | None, depth: int
    ) -> bool | None:
        if not isinstance(value, TupleValue):
            return None if isinstance(value, OpenType | TypeVariable) else False
        if len(value.parts) != len(declared.parts):
            return False
        known: bool | None = True
        for mine, theirs in zip(value.parts, declared.parts, strict=True):
            limit: Result = dict.fromkeys(theirs, Strategy.DECLARED)
            each = {self.fits(one, limit, inferred, depth + 1) for one in mine}
            if False in each:
                return False
            known = None if None in each else known
        return known

    def _fits_members(
        self, value: Value, declared: Instance | ObjectValue, depth: int
    ) -> bool | None:
        """True if a value has the members of a type, and none that can't be."""
        classes = self._evaluation.classes
        is_object = isinstance(declared, Instance) and isinstance(value, Instance)
        if is_object and classes.is_subclass(value, declared):
            text = literal_text(declared)
            return not text or literal_text(value) == text
        if not isinstance(value, Instance | ObjectValue):
            is_other = isinstance(value, ExternalInstance | FunctionValue | TupleValue)
            return False if is_other and self.needed(declared) else None
        if any(self.lacks(value, name) for name in self.needed(declared)):
            return False
        if depth > MOST_NESTED:
            return None
        for name in list(dict.fromkeys(classes.keys_of(declared)))[:_MOST_COMPARED]:
            theirs, mine = (
                self._evaluation.member(declared, name),
                self._evaluation.member(value, name),
            )
            if theirs and mine and self._differ(mine, theirs, depth):
                return False
        return True

    def _differ(self, mine: Result, theirs: Result, depth: int) -> bool:
        """True if no value of a member is of its type."""
        return all(self.fits(each, theirs, None, depth + 1) is False for each in mine)

    def needed(self, declared: Instance | ObjectValue) -> list[str]:
        """The names of the members that an object of a type must have."""
        if isinstance(declared, Instance):
            rows = self._of_class(declared.path, declared.scope)
        else:
            file = self._evaluation.file(declared.path)
            rows = {} if file is None else self._required(file, declared.number)
        return [literal_text(each) for each in rows]


def is_optional(file: SourceFile, number: int) -> bool:
    """True if a type says that what has it may be left out."""
    item = file.expressions[number] if number != NONE else None
    return item is not None and item.op == Op.OPERATOR and item.name == OPTIONAL


def unwrapped(file: SourceFile, number: int) -> int:
    """The type of what may be left out, of others the type itself."""
    if not is_optional(file, number):
        return number
    items = file.expressions[number].items
    return items[0].value if items else NONE


def _is_plain(value: ExternalInstance) -> bool:
    return library.is_primitive(value) or value.name in {"Array", "Promise", "Function"}


def _named(names: Iterator[str] | tuple[str, ...]) -> Result:
    found = (literal(name) for name in names if name not in _UNNAMED and _is_fixed(name))
    return dict.fromkeys(list(found)[:_MOST_NAMES], Strategy.SCOPE)


def _is_fixed(name: str) -> bool:
    """True unless another constant may have the value that a name is computed from."""
    return name[:1] != "[" or name in _ITERATORS


class EcmaScriptNarrowing:
    """Evaluates names where a test shows their types."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        self._evaluation = evaluation

    def value(self, file: SourceFile, number: int) -> Result:
        """The values of what is tested that the test lets pass."""
        item = file.expressions[number] if number != NONE else Expression(Op.OPAQUE)
        if item.op == Op.EITHER:
            found: Result = {}
            for part in item.items:
                merge(found, self.value(file, part.value))
            return found
        values = self._evaluation.evaluate(file, item.of)
        if item.op != Op.CAST or not item.items:
            return values
        tested = item.items[0]
        test = file.expressions[tested.value]
        holds = tested.name != _NOT
        if test.op == Op.OBJECT:
            return self._tagged(file, values, test, holds=holds)
        if test.op == Op.CALLABLE and test.of == NONE:
            return {v: how for v, how in values.items() if _is_callable(v) == holds} or values
        if test.op == Op.CALL:
            shown = self._predicates(file, test)
        elif test.op == Op.LITERAL:
            shown = self._evaluation.instances(file, tested.value)
        else:
            shown = self._evaluation.names.as_instance(
                self._evaluation.evaluate(file, tested.value)
            )
        return self._kept(values, shown, holds=holds)

    def _kept(self, values: Result, shown: Result, *, holds: bool) -> Result:
        if not shown:
            return values
        classes = self._evaluation.classes
        kept = {
            value: strategy
            for value, strategy in values.items()
            if any(classes.is_subclass(value, other) for other in shown) == holds
            or (not holds and isinstance(value, TypeVariable))
        }
        if kept:
            return kept
        # nothing is left only where the test is of less than the type
        return self._met(values, shown) if holds else values

    def _met(self, values: Result, shown: Result) -> Result:
        """Values of a tested type, and of their own one unless the tested type derives from it."""
        found = dict(shown)
        for value, strategy in values.items():
            own: Result = {value: strategy}
            is_own = isinstance(value, Instance | ObjectValue)
            if is_own and not any(
                isinstance(each, Instance) and self._evaluation.shapes.fits(each, own)
                for each in shown
            ):
                merge(found, own)
        return found

    def _tagged(self, file: SourceFile, values: Result, test: Expression, *, holds: bool) -> Result:
        part = test.items[0]
        if file.expressions[part.value].op == Op.LITERAL:
            return self._true(values, part.name, holds=holds)
        tested = {literal_text(each) for each in self._evaluation.evaluate(file, part.value)}
        text = tested.pop() if len(tested) == 1 else ""
        if not text:
            return values
        found: Result = {}
        for value, strategy in values.items():
            texts = {literal_text(each) for each in self._evaluation.member(value, part.name)}
            is_known = bool(texts) and "" not in texts
            if not is_known or (text in texts if holds else texts != {text}):
                merge(found, {value: strategy})
        return found or values

    def _true(self, values: Result, name: str, *, holds: bool) -> Result:
        """The values of which a member may be true, or may not."""
        found: Result = {}
        for value, strategy in values.items():
            members = self._evaluation.member(value, name)
            if holds and members and all(each == _NEVER for each in members):
                continue
            texts = {literal_text(each) for each in members}
            # of other types nobody knows whether the member is there
            if not texts <= _TRUTHS or str(holds).lower() in texts or not texts:
                merge(found, {value: strategy})
        return found or values

    def _predicates(self, file: SourceFile, call: Expression) -> Result:
        found: Result = {}
        for value in self._evaluation.evaluate(file, call.of):
            if isinstance(value, FunctionValue | CallableValue):
                merge(found, self.predicate(value))
        return found

    def predicate(self, value: FunctionValue | CallableValue) -> Result:
        """The type that a function shows of its argument by giving true."""
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        numbers: list[int] = []
        if isinstance(value, CallableValue):
            numbers.append(file.expressions[value.number].of)
        else:
            self._evaluation.depend_on_class(file, value.scope)
            declaration = file.code.scopes[value.scope].declaration
            clauses = file.clauses.get(declaration, ()) if declaration != NONE else ()
            numbers += [clause.value for clause in clauses if clause.role == Role.RESULT]
            for row in file.results.get(value.scope, ())[:1]:
                if row.value != NONE and file.expressions[row.value].op == Op.CAST:
                    numbers += [part.value for part in file.expressions[row.value].items]
        found: Result = {}
        for number in numbers:
            item = file.expressions[number] if number != NONE else Expression(Op.OPAQUE)
            while item.op == Op.OPERATOR and item.name in _PREDICATES and item.items:
                last = item.items[-1].value
                if item.name == "is":
                    merge(found, self._evaluation.instances(file, last), Strategy.DECLARED)
                    break
                item = file.expressions[last] if last != NONE else Expression(Op.OPAQUE)
        return found


def _is_callable(value: Value) -> bool:
    if isinstance(value, ExternalInstance):
        return value.name in {"Function", "typing.Callable"}
    return isinstance(value, FunctionValue | CallableValue | ClassValue | TypeVariable)

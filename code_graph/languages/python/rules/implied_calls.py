"""Calls that Python's syntax and builtins make: operators, subscripts, loops, `with`, `str(x)`.

The methods are looked up in the classes of the operands, as the interpreter does; what an object
of another package does is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import PARAMETERS, SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    merge,
)
from code_graph.expressions import NONE, Binding, BindingKind, Expression, Op
from code_graph.languages.python.rules.external_calls import bases_of_made
from code_graph.languages.python.rules.fixtures import is_of_tests
from code_graph.languages.python.rules.hooks import IMPLIED, LibraryHooks
from code_graph.languages.python.rules.placed_members import PlacedMembers
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

# the methods of a call, the first that a class has: `str(x)` calls `__repr__` if it must
_TEXT: Final = ("__str__", "__repr__")
_BUILTINS: Final[dict[str, tuple[str, ...]]] = {
    "abs": ("__abs__",),
    "aiter": ("__aiter__",),
    "anext": ("__anext__",),
    "bool": ("__bool__", "__len__"),
    "bytes": ("__bytes__",),
    "complex": ("__complex__", "__float__"),
    "dir": ("__dir__",),
    "divmod": ("__divmod__",),
    "float": ("__float__", "__index__"),
    "format": ("__format__", *_TEXT),
    "hash": ("__hash__",),
    "int": ("__int__", "__index__"),
    "iter": ("__iter__", "__getitem__"),
    "len": ("__len__",),
    "next": ("__next__",),
    "repr": ("__repr__",),
    "reversed": ("__reversed__", "__iter__"),
    "round": ("__round__",),
    "str": _TEXT,
}
# builtins that go through each of their arguments
_ITERATING: Final = frozenset(
    {
        *("all", "any", "dict", "enumerate", "filter", "frozenset", "list", "map"),
        *("max", "min", "set", "sorted", "sum", "tuple", "zip"),
    }
)
# of these the first argument is called with elements of the others
_CALLING: Final = frozenset({"filter", "map"})
# of these each argument is asked how long it is
_MEASURING: Final = frozenset({"list", "sorted", "tuple"})
_PRINTING: Final = "print"
# these make a class of a name, its bases and its members
_MAKING: Final = frozenset({"type", "new_class"})
_OF_MAKING: Final = 2
# builtins that give no object of the repository
_PLAIN_CALLS: Final = frozenset(
    {
        *("bool", "bytes", "dict", "dir", "divmod", "float", "frozenset", "hash", "int", "len"),
        *("list", "open", "range", "repr", "set", "sorted", "str", "tuple"),
    }
)
# names of functions and members that call methods of their arguments
_KNOWN: Final = frozenset({*_BUILTINS, *_ITERATING, *_MAKING, _PRINTING, "format", "join"})
_COMPARING: Final = {
    "Eq": ("__eq__", "__eq__"),
    "NotEq": ("__ne__", "__ne__"),
    "Lt": ("__lt__", "__gt__"),
    "LtE": ("__le__", "__ge__"),
    "Gt": ("__gt__", "__lt__"),
    "GtE": ("__ge__", "__le__"),
}
_FORMATTING: Final = {
    "FormattedValue": ("__format__", *_TEXT),
    "Str": _TEXT,
    "Repr": ("__repr__",),
}
_UNARY: Final = 1
# operations that may call something, beside calls
IMPLYING: Final = frozenset({Op.INDEX, Op.ELEMENT, Op.ENTER, Op.OPERATOR, Op.PART})
_NUMBERS: Final = frozenset({"range"})
_STEPS: Final = (("__iter__", "__next__"), ("__aiter__", "__anext__"))
_EDGES: Final = ("__enter__", "__exit__", "__aenter__", "__aexit__")
_LITERAL: Final = frozenset({Op.LITERAL, Op.TEXT})
# operations that make values of no class of the repository
_MADE: Final = _LITERAL | {Op.TUPLE, Op.LIST, Op.SET, Op.DICT, Op.FUNCTION}


class ImpliedCalls:
    """Finds the methods that an expression calls without naming them."""

    operations = IMPLYING

    def __init__(
        self, evaluation: PythonEvaluation, hooks: LibraryHooks, placed: PlacedMembers
    ) -> None:
        """Nothing is looked for yet."""
        self._evaluation = evaluation
        self._hooks = hooks
        self._placed = placed

    def at(self, file: SourceFile, number: int) -> Result:
        """The methods that an expression calls."""
        item = file.expressions[number]
        if item.op == Op.CALL and (
            item.of == NONE or not item.items or file.expressions[item.of].name not in _KNOWN
        ):
            return {}
        found: Result = self._made_by_call(file, item) if item.op == Op.CALL else {}
        for operand, names in self._named(file, number, item):
            if operand == NONE or self._is_plain(file, operand):
                continue
            for value, strategy in self._evaluation.evaluate(file, operand).items():
                if isinstance(value, Instance | ClassValue):
                    merge(found, self._first(value, names), strategy)
        return found

    def _named(
        self, file: SourceFile, number: int, item: Expression
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The operands of an expression, and the methods called on the first."""
        if item.op == Op.INDEX:
            stored, changed = file.cached("stored items", _stored_items)
            if number in stored:
                yield item.of, ("__setitem__",)
            if number not in stored or number in changed:
                yield item.of, ("__getitem__", "__class_getitem__")
        elif item.op == Op.ENTER:
            yield from ((item.of, (name,)) for name in _EDGES)
        elif item.op == Op.ELEMENT or (item.op == Op.PART and item.name == "0"):
            yield from _iterating(item.of)
        elif item.op == Op.OPERATOR:
            yield from self._operating(file, item)
        elif item.op == Op.CALL:
            yield from self._of_builtin(file, item)

    def _operating(
        self, file: SourceFile, item: Expression
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        operands = [part.value for part in item.items]
        name = item.name.removesuffix("=")
        if name in _COMPARING:
            yield from zip(operands, ((each,) for each in _COMPARING[name]), strict=False)
        elif name == "In":
            yield operands[-1], ("__contains__", "__iter__", "__getitem__")
        elif name in _FORMATTING:
            yield operands[0], _FORMATTING[name]
        elif name == "Delete":
            yield operands[0], ("__delitem__",)
        elif name == "Slice":
            yield operands[0], ("__getitem__",)
        elif name == "Mod" and self._is_text(file, operands[0]):
            given = file.expressions[operands[1]] if operands[1] != NONE else None
            is_tuple = given is not None and given.op == Op.TUPLE
            rows = [part.value for part in given.items] if is_tuple and given else operands[1:]
            yield from ((operand, _TEXT) for operand in rows)
        else:
            method = self._evaluation.language.operator_method(name)
            changing = (method.replace("__", "__i", 1),) if item.name.endswith("=") else ()
            yield operands[0], (*changing, method)
            if len(operands) > _UNARY:
                yield operands[1], (method.replace("__", "__r", 1),)

    def _of_builtin(
        self, file: SourceFile, item: Expression
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The methods that a builtin calls of its arguments."""
        named = file.expressions[item.of]
        rows = [part.value for part in item.items if not part.name]
        if named.op == Op.MEMBER:
            if named.name == "format" and self._is_text(file, named.of):
                for part in item.items:
                    yield part.value, ("__format__", *_TEXT)
            elif named.name == "join" and rows:
                yield from _iterating(rows[0])
            return
        if not rows or named.name in _MAKING:
            return
        if External(f"builtins.{named.name}") not in self._evaluation.evaluate(file, item.of):
            return
        if named.name in _BUILTINS:
            yield rows[0], _BUILTINS[named.name]
        elif named.name == _PRINTING:
            yield from ((row, _TEXT) for row in rows)
        else:
            for row in rows[1:] if named.name in _CALLING else rows:
                yield from _iterating(row)
                if named.name in _MEASURING:
                    yield row, ("__len__",)

    def _is_plain(self, file: SourceFile, number: int) -> bool:
        """True for a value that is surely no object of the repository, without evaluation."""
        item = file.expressions[number]
        if item.op != Op.NAME:
            return self._is_made(file, number)
        start = file.code.scope_of[number]
        scope = self._evaluation.names.way_at(file, start, item.name, number).holder
        if scope == NONE:
            return False
        known = file.cached("plain names", _no_names)
        if (scope, item.name) not in known:
            rows = file.bindings[scope, item.name]
            known[scope, item.name] = all(self._is_plain_binding(file, row) for row in rows)
        return known[scope, item.name]

    def _is_plain_binding(self, file: SourceFile, row: Binding) -> bool:
        """True if a name gets nothing, or no object of the repository."""
        if row.kind == BindingKind.ASSIGNED:
            return row.annotation == NONE != row.value and self._is_made(file, row.value)
        if row.kind not in PARAMETERS or file.parameters[row.scope][0] is row:
            return False  # the first one may be the object of a method
        if row.annotation != NONE or row.value != NONE or is_of_tests(file):
            return False
        is_declared = file.code.scopes[row.scope].declaration != NONE
        return is_declared and row.scope not in file.function_expressions

    def _is_made(self, file: SourceFile, number: int) -> bool:
        """True for literals, numbers of a range, and what a builtin makes that gives no others."""
        item = file.expressions[number]
        if item.op == Op.ELEMENT and item.of != NONE:
            return self._is_builtin_call(file, item.of, _NUMBERS)
        return item.op in _MADE or self._is_builtin_call(file, number, _PLAIN_CALLS)

    def _is_builtin_call(self, file: SourceFile, number: int, names: frozenset[str]) -> bool:
        item = file.expressions[number]
        if item.op != Op.CALL or item.of == NONE:
            return False
        named = file.expressions[item.of]
        if named.op != Op.NAME or named.name not in names:
            return False
        start = file.code.scope_of[item.of]
        return self._evaluation.names.way(file, start, named.name).holder == NONE

    def _is_text(self, file: SourceFile, number: int) -> bool:
        item = file.expressions[number] if number != NONE else None
        if item is None or item.op in _LITERAL:
            return item is not None and (item.op == Op.TEXT or item.name == "str")
        values = self._evaluation.evaluate(file, number)
        return any(
            isinstance(value, ExternalInstance) and value.name == "builtins.str" for value in values
        )

    def _first(self, value: Instance | ClassValue, names: tuple[str, ...]) -> Result:
        """The first of some methods that the class of a value has, which an operator calls."""
        if isinstance(value, ClassValue):
            return self._of_class(value, names)
        for name in names:
            found = self._methods(value, name)
            if found and name in {"__iter__", "__aiter__"}:
                self._add_steps(found, dict(_STEPS)[name])
            if found:
                return found
        found = {}
        for name in names:
            if name in IMPLIED:
                merge(found, self._hooks.of_object(value, name), Strategy.FRAMEWORK)
        return found

    def _add_steps(self, found: Result, name: str) -> None:
        """Add the steps of the iterators that methods give."""
        for method, strategy in [*found.items()]:
            if isinstance(method, FunctionValue):
                for made, how in self._evaluation.calls.result(method).items():
                    if isinstance(made, Instance):
                        merge(found, self._methods(made, name), max(strategy, how))

    def _methods(self, value: Instance, name: str) -> Result:
        members = self._evaluation.classes.member_of_instance(value, name)
        return {item: how for item, how in members.items() if isinstance(item, FunctionValue)}

    def _of_class(self, value: ClassValue, names: tuple[str, ...]) -> Result:
        """The methods of a class's own class; of itself, if it is subscripted."""
        found: Result = {}
        for made in self._evaluation.classes.metaclasses(value):
            if isinstance(made, ClassValue):
                merge(found, self._first(Instance(made.path, made.scope), names))
        if not found and "__class_getitem__" in names:
            members = self._evaluation.classes.member_of_class(value, "__class_getitem__")
            found = {item: how for item, how in members.items() if isinstance(item, FunctionValue)}
        return found

    def at_class(self, file: SourceFile, scope: int) -> Result:
        """The functions that the statement of a class calls of its bases and their classes."""
        classes = self._evaluation.classes
        found = self._made_of(classes.bases(file.path, scope))
        merge(found, self._made_as(ClassValue(file.path, scope)))
        return found

    def _made_by_call(self, file: SourceFile, item: Expression) -> Result:
        """The functions that `type(name, bases, members)` calls, as a class statement does."""
        found: Result = {}
        if file.expressions[item.of].name not in _MAKING or len(item.items) < _OF_MAKING:
            return found
        bases = self._evaluation.element(bases_of_made(self._evaluation, file, item.items))
        merge(found, self._made_of(bases))
        for base in bases:
            if isinstance(base, ClassValue):
                merge(found, self._made_as(base))
        return found

    def _made_of(self, bases: Result) -> Result:
        """The functions of its bases that the making of a class calls."""
        found: Result = {}
        for base in bases:
            if isinstance(base, ClassValue):
                inherited = self._evaluation.classes.member_of_class(base, "__init_subclass__")
                for member, how in inherited.items():
                    if isinstance(member, FunctionValue):
                        found[member] = max(how, Strategy.FLOW)
        return found

    def _made_as(self, owner: ClassValue) -> Result:
        """The functions of its class that the making of a class calls."""
        found: Result = {}
        for made in self._evaluation.classes.metaclasses(owner):
            if isinstance(made, ClassValue):
                for name in ("__prepare__", "__new__", "__init__"):
                    merge(found, self._methods(Instance(made.path, made.scope), name))
        return found

    def at_member(self, file: SourceFile, number: int) -> Result:
        """The methods of descriptors that a member is, and those for members that are not there."""
        item = file.expressions[number]
        is_stored = number in file.cached("stored members", _stored_members)
        found: Result = {}
        for value, strategy in self._evaluation.holders(file, item.of).items():
            if isinstance(value, Instance | ClassValue):
                merge(found, self._described(value, item.name, is_stored=is_stored), strategy)
        return found

    def _described(self, value: Instance | ClassValue, name: str, *, is_stored: bool) -> Result:
        classes = self._evaluation.classes
        order = classes.ancestors(value.path, value.scope)
        own: Result = {}
        for item in order:
            file = None if item.external else self._evaluation.file(item.path)
            if file is not None and (item.scope, name) in file.bindings:
                own = classes.own_member(item.path, item.scope, name)
                break
        found: Result = {}
        for held, strategy in own.items():
            if isinstance(held, Instance):
                method = "__set__" if is_stored else "__get__"
                merge(found, self._methods(held, method), strategy)
                for placed, how in self._placed.of(held).items():
                    if isinstance(placed, Instance):
                        merge(found, self._methods(placed, method), how)
        return found

    def at_unknown_member(self, file: SourceFile, number: int) -> Result:
        """The methods that are asked for members which an object lacks."""
        item = file.expressions[number]
        if item.name.startswith("__"):
            return {}
        name = "__setattr__" if number in file.cached("stored members", _stored_members) else ""
        found: Result = {}
        for value, strategy in self._evaluation.holders(file, item.of).items():
            if isinstance(value, Instance):
                merge(found, self._methods(value, name or "__getattr__"), strategy)
        return found


def _no_names(_: SourceFile) -> dict[tuple[int, str], bool]:
    return {}


def _iterating(operand: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    yield operand, ("__iter__", "__aiter__", "__getitem__")


def _stored_items(file: SourceFile) -> tuple[set[int], set[int]]:
    """The subscripts of assignments, and the ones read before."""
    stored = {store.target for store in file.code.stores}
    changed = {
        item.items[0].value
        for item in file.expressions
        if item.op == Op.OPERATOR and item.items and item.name.endswith("=")
    }
    return stored, stored & changed


def _stored_members(file: SourceFile) -> set[int]:
    return {store.target for store in file.code.stores}

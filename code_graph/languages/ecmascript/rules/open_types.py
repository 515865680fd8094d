"""Types that are computed from others: indexed accesses, conditional and mapped types.

While an operand is a type variable the type stays open; it is computed when the variable is given,
and by what the variable is limited to where a member of it is asked for before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ExternalInstance,
    ObjectValue,
    OpenType,
    Result,
    TupleValue,
    TypeVariable,
    Value,
    Values,
    merge,
    plain,
)
from code_graph.expressions import NONE, BindingKind, Expression, Op
from code_graph.languages.ecmascript.rules.types import Given, is_unknown, literal, literal_text
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

_MAPPED: Final = "mapped"
_STRING: Final = "builtins.str"
_MOST_KEYS: Final = 48
INDEX: Final = "[]"
NEVER: Final = ExternalInstance("builtins.never")


class OpenTypes:
    """Computes types as far as their operands are known."""

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        self._evaluation = evaluation

    def computed(self, value: OpenType) -> Result:
        """The computed value of an open type; itself while its operands are not known."""
        return self._evaluation.engine.unit(("computed", value), lambda: self._computed(value))

    def _computed(self, value: OpenType) -> Result:
        file = self._evaluation.file(value.path)
        if file is None or not plain({value: Strategy.DECLARED}):
            return {}
        item, given = file.expressions[value.number], dict(value.given)
        if item.op == Op.INDEX:
            return self._index(file, item, given, value)
        if item.op == Op.APPLY:
            return self._applied(file, item, given, value)
        if item.name == "keyof":
            return self._keyof(file, item, given, value)
        return self._conditional(file, item, given, value)

    def within(self, file: SourceFile, number: int, given: Given) -> Result:
        """The objects of a type in which type variables are given."""
        types = self._evaluation.types
        return types.replaced(types.instances(file, number), given)

    def limited(self, value: OpenType) -> Result:
        """An open type replaced by the constraints of its variables."""
        return self._evaluation.engine.unit(("limited", value), lambda: self._limited(value))

    def _limited(self, value: OpenType) -> Result:
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        item, given = file.expressions[value.number], dict(value.given)
        found: Result = {}
        if item.op == Op.OPERATOR and item.name == "keyof":
            merge(found, {ExternalInstance(_STRING): Strategy.DECLARED})
        elif item.op == Op.OPERATOR:
            for part in item.items[2:]:
                merge(found, self.within(file, part.value, given), Strategy.DECLARED)
        else:
            operands = [item.of, *(part.value for part in item.items)]
            for each in [v for number in operands for v in self.within(file, number, given)]:
                if isinstance(each, TypeVariable):
                    bound = plain(self._evaluation.types.bound(each))
                    if each not in bound:
                        given[each] = bound
            if given != dict(value.given):
                rows = tuple(sorted(given.items(), key=lambda row: row[0]))
                merge(found, self.computed(value._replace(given=rows)))
        found.pop(value, None)
        return found

    def _index(self, file: SourceFile, item: Expression, given: Given, value: OpenType) -> Result:
        """`T["k"]`, `T[number]`, `T[K]`."""
        objects = self.within(file, item.of, given)
        keys: Result = {}
        if item.name:
            keys = {literal(item.name): Strategy.DECLARED}
        elif item.items:
            keys = self.within(file, item.items[0].value, given)
        if any(map(is_unknown, (*objects, *keys))):
            return {value: Strategy.DECLARED}
        found: Result = {}
        for each in objects:
            if item.name and not item.name.isdigit():
                merge(found, self._evaluation.member(each, item.name), Strategy.DECLARED)
            else:
                merge(found, self._indexed(each, keys), Strategy.GENERIC)
        return found

    def _keyof(self, file: SourceFile, item: Expression, given: Given, value: OpenType) -> Result:
        """`keyof T`: the names of members, where all of them are known."""
        objects = self.within(file, item.items[0].value, given)
        if any(map(is_unknown, objects)):
            return {value: Strategy.DECLARED}
        found: Result = {}
        for each in objects:
            merge(found, self._names(each), Strategy.DECLARED)
        if not found or literal(INDEX) in found:
            return {ExternalInstance(_STRING): Strategy.DECLARED}
        return found

    def _indexed(self, value: Value, keys: Result) -> Result:
        found: Result = {}
        for key in keys:
            text = literal_text(key)
            if text.isdigit() and isinstance(value, TupleValue):
                part = value.parts[int(text)] if int(text) < len(value.parts) else ()
                merge(found, dict.fromkeys(part, Strategy.GENERIC))
            elif text:
                merge(found, self._evaluation.member(value, text))
        if found:
            return found
        if isinstance(value, ExternalInstance | TupleValue):
            return self._evaluation.element({value: Strategy.DECLARED})
        return self._evaluation.classes.values_of(value)

    def _applied(self, file: SourceFile, item: Expression, given: Given, value: OpenType) -> Result:
        """`ReturnType<T>`, `Awaited<T>` and others of the library."""
        rows = tuple(plain(self.within(file, part.value, given)) for part in item.items)
        if any(is_unknown(each) for row in rows for each in row):
            return {value: Strategy.DECLARED}
        name = file.expressions[item.of].name
        return dict.fromkeys(self._evaluation.language.typed(name, rows), Strategy.DECLARED)

    def _conditional(
        self, file: SourceFile, item: Expression, given: Given, value: OpenType
    ) -> Result:
        """`A extends B ? C : D`, for each type of a union."""
        check, extends, yes, no = (part.value for part in item.items)
        tested = self.within(file, check, given)
        if any(map(is_unknown, tested)):
            return {value: Strategy.DECLARED}
        found: Result = {}
        if not tested:
            merge(found, self.within(file, yes, given))
            merge(found, self.within(file, no, given))
            return found
        declared = self.within(file, extends, given)
        names = [
            v for v in self._evaluation.types.instances(file, check) if isinstance(v, TypeVariable)
        ]
        for each in tested:
            more: dict[TypeVariable, Values] = dict.fromkeys(names, (each,))
            inferred: dict[TypeVariable, Values] = {}
            fits = self._evaluation.shapes.fits(each, declared, inferred)
            if fits is not False:
                merge(found, self.within(file, yes, {**given, **more, **inferred}))
            if fits is not True:
                merge(found, self.within(file, no, {**given, **more}))
        found.pop(NEVER, None)
        return found

    # mapped types

    def mapped(self, file: SourceFile, number: int, item: Expression) -> Result:
        """`{ [K in T]: V }`; `{ [K in keyof T]: T[K] }` has the members of `T` themselves."""
        keys, value = item.items[0].value, item.items[1].value
        if NONE not in {keys, value} and len(item.items) == 2:
            of, last = file.expressions[keys], file.expressions[value]
            if _is_keyof(of) and last.op == Op.INDEX:
                return self._evaluation.types.instances(file, of.items[0].value)
        return {ObjectValue(file.path, number, (), _MAPPED): Strategy.DECLARED}

    def member_of_mapped(self, value: ObjectValue, name: str) -> Result:
        """A member of an object of a mapped type."""
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        item, given = file.expressions[value.number], dict(value.given)
        found: Result = {}
        for key in self._keys_named(file, item, given, name):
            merge(found, self._value_at(file, item, given, (key,)))
        return found

    def values_of_mapped(self, value: ObjectValue) -> Result:
        """The values of any member of an object of a mapped type."""
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        item, given = file.expressions[value.number], dict(value.given)
        keys = plain(self._keys(file, item, given))
        return self._value_at(file, item, given, keys) if keys else {}

    def names_of_mapped(self, value: ObjectValue) -> Iterator[str]:
        """The names of the members of a mapped type, as far as they are known."""
        file = self._evaluation.file(value.path)
        if file is None:
            return
        item = file.expressions[value.number]
        for key in self._keys(file, item, dict(value.given)):
            text = literal_text(key)
            if text:
                yield text

    def sources_of_mapped(self, value: ObjectValue) -> Result:
        """The objects whose members a mapped type has, with other types."""
        file = self._evaluation.file(value.path)
        if file is None:
            return {}
        keys = file.expressions[value.number].items[0].value
        if keys == NONE or not _is_keyof(file.expressions[keys]):
            return {}
        of = file.expressions[keys].items[0].value
        return self.within(file, of, dict(value.given))

    def _value_at(self, file: SourceFile, item: Expression, given: Given, keys: Values) -> Result:
        more: dict[TypeVariable, Values] = dict(given)
        variable = self._variable(file, item)
        if variable is not None:
            more[variable] = keys
        return self.within(file, item.items[1].value, more)

    def _variable(self, file: SourceFile, item: Expression) -> TypeVariable | None:
        """The name that stands for a key."""
        number = next((part.value for part in item.items if part.value != NONE), NONE)
        for scope in file.around(file.code.scope_of[number]) if number != NONE else ():
            for name in file.names_in.get(scope, ()):
                row = file.bindings[scope, name][0]
                if row.kind == BindingKind.DECLARED and row.declaration == NONE:
                    return TypeVariable(file.path, scope, name)
        return None

    def _keys(self, file: SourceFile, item: Expression, given: Given) -> Result:
        """The types of the keys."""
        keys = item.items[0].value
        if keys == NONE:
            return {}
        of = file.expressions[keys]
        if not _is_keyof(of):
            return self.within(file, keys, given)
        found: Result = {}
        for value in self.within(file, of.items[0].value, given):
            if isinstance(value, TypeVariable):
                for bound in self._evaluation.types.bound(value):
                    merge(found, self._names(bound))
            else:
                merge(found, self._names(value))
        return found

    def _names(self, value: Value) -> Result:
        found: Result = {}
        for name in self._evaluation.classes.keys_of(value):
            if len(found) >= _MOST_KEYS:
                break
            merge(found, {literal(name): Strategy.DECLARED})
        return found

    def _keys_named(
        self, file: SourceFile, item: Expression, given: Given, name: str
    ) -> Iterator[Value]:
        """The keys whose member has a name."""
        alias = item.items[2].value if len(item.items) > 2 else NONE
        keys = item.items[0].value
        if alias == NONE and keys != NONE and _is_keyof(file.expressions[keys]):
            yield literal(name)
            return
        variable = self._variable(file, item)
        for key in self._keys(file, item, given):
            if alias != NONE and variable is not None:
                named = self.within(file, alias, {**given, variable: (key,)})
                if any(literal_text(each) in {name, ""} and each != NEVER for each in named):
                    yield key
            elif literal_text(key) == name:
                yield key
            elif is_unknown(key) or (isinstance(key, ExternalInstance) and not literal_text(key)):
                yield literal(name)


def _is_keyof(item: Expression) -> bool:
    return item.op == Op.OPERATOR and item.name == "keyof" and bool(item.items)

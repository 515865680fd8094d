"""JavaScript's standard library and React, as far as repository values pass through.

What carries values has rows in `library.toml`: arrays, maps, sets, promises, iteration, hooks,
wrappers of components. Everything else gives an external value, from which no edge leads back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.declared.effects import Effect, LibraryEffects, LibraryTable, LibraryUse
from code_graph.evaluate.rules import LanguageRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    CreatedValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ModuleValue,
    ObjectValue,
    Result,
    TupleValue,
    Value,
    Values,
    is_none,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import Op
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

TABLE: Final = LibraryTable.of("ecmascript")
# between the name of an external type and that of a method, which is bound to its first argument
METHOD: Final = "::"
_TYPE: Final = "type"
_BIND: Final = "::bind"
# the name by which a file of CommonJS knows what it exports
_EXPORTS: Final = "exports"


class EcmaScriptLanguage(LibraryEffects, LanguageRules):
    """Imports, globals and external values."""

    library = TABLE

    def __init__(self, evaluation: EcmaScriptEvaluation) -> None:
        self._evaluation: EcmaScriptEvaluation = evaluation

    def literal(self, kind: str) -> str:
        """The type of a kind of literal."""
        return TABLE.literals.get(kind) or f"builtins.{kind}"

    def imported(self, file: SourceFile, number: int) -> Result:
        """The target of an import."""
        return self._evaluation.names.followed(file, number)

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The module that an import names."""
        return self._evaluation.modules.find(file.facts.imports[number].module, file.path)

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """A global object or function, or what the file itself exports."""
        if name == _EXPORTS and file.exports:
            return {ModuleValue(file.path): Strategy.SCOPE}
        return {External(name): Strategy.SCOPE}

    def typed(self, name: str, given: tuple[Values, ...]) -> Values:
        """The objects of an external type."""
        name = plain_name(name)
        use = LibraryUse(ExternalInstance(name, given))
        found = self.first_of((row.gives for row in TABLE.rows({_TYPE}, name, 0)), use)
        return (ExternalInstance(self.short_name(name), given),) if found is None else found

    def short_name(self, name: str) -> str:
        """The name by which an external type is known, which may have several."""
        return TABLE.synonyms.get(name, name)

    def element(self, value: Value) -> Values:
        """The elements of an external object in an iteration."""
        if not isinstance(value, ExternalInstance) or not value.arguments:
            return ()
        return self.first_of(TABLE.elements(value.name), LibraryUse(value)) or ()

    def member_of_external(self, value: Value, name: str) -> Result:
        """A member of something external: a method that is bound to it, or a part of it."""
        if isinstance(value, External):
            return {External(f"{value.name}.{name}"): Strategy.FLOW}
        if isinstance(value, TupleValue):
            parts = dict.fromkeys(each for part in value.parts for each in part)
            value = ExternalInstance("Array", (tuple(parts),))
        if not isinstance(value, ExternalInstance):
            return {}
        if not value.arguments:
            return {External(f"{value.name}.{name}"): Strategy.FLOW}
        if any(TABLE.has(value.name, each) for each in (f".{name}", "*")):
            held = self.given_by(External(f"{value.name}{METHOD}.{name}", ((value,),)))
            return with_strategy(held or (), Strategy.GENERIC)
        return {External(f"{value.name}{METHOD}{name}", ((value,),)): Strategy.GENERIC}

    # calls

    def called(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a call of something external returns, or `new` of it makes."""
        receiver, name = _bound(value), plain_name(value.name)
        if receiver is not None and not isinstance(receiver, ExternalInstance):
            results = self._evaluation.calls.results((receiver,))
            return {receiver: Strategy.FLOW} if name.endswith(_BIND) else results
        if name == "Object.create":
            return self._created(file, number)
        is_new = file.expressions[number].op == Op.NEW
        given = self.given_by(value, file, number)
        if given is not None:
            return with_strategy(given, Strategy.FLOW if is_new else Strategy.GENERIC)
        if receiver is not None:
            return {}
        made = ExternalInstance(self.short_name(name), value.arguments)
        return {made if is_new else ExternalInstance(f"{name}()"): Strategy.FLOW}

    def _created(self, file: SourceFile, number: int) -> Result:
        """`Object.create(a)`: an object that has the members of another one."""
        found: Result = {}
        for item in file.expressions[number].items[:1]:
            for value, strategy in self._evaluation.evaluate(file, item.value).items():
                if isinstance(value, Instance):
                    merge(found, {value: max(strategy, Strategy.GENERIC)})
                elif isinstance(value, ObjectValue | CreatedValue):
                    merge(found, {CreatedValue(file.path, item.value): Strategy.GENERIC})
        return found or {ExternalInstance("Object.create()"): Strategy.FLOW}

    def _use(self, value: External, file: SourceFile | None, number: int) -> LibraryUse:
        receiver = _bound(value)
        if isinstance(receiver, ExternalInstance):
            return self.use_in(file, number, receiver)
        is_new = file is not None and file.expressions[number].op == Op.NEW
        return self.use_in(file, number, ExternalInstance("new" if is_new else "none"))

    def _effects(self, value: External, use: LibraryUse) -> Iterator[Effect]:
        name, types = plain_name(value.name), {use.object.name}
        if _bound(value) is not None:
            name, types = name.rpartition(METHOD)[2], types | {"any"}
        return TABLE.rows(types, name, len(use.items))

    def result_of(self, file: SourceFile, number: int) -> Values:
        """The result of a function that is an argument."""
        return self._called(plain(self._evaluation.evaluate(file, number)))

    # values of templates

    def _called(self, values: Values) -> Values:
        return plain(self._evaluation.calls.results(values))

    def _instance(self, values: Values) -> Values:
        return plain(self._evaluation.names.as_instance(with_strategy(values, Strategy.GENERIC)))

    def _parameters(self, values: Values) -> Values:
        rows = [self._evaluation.context.parameters(value) for value in values]
        return (TupleValue(tuple(rows[0])),) if rows else ()

    def _properties(self, values: Values) -> Values:
        """The first parameters of functions, which components get their properties by."""
        rows = [self._evaluation.context.parameters(value) for value in values]
        return tuple(part for row in rows for part in (row[0] if row else ()))

    def _fitting(self, values: Values, types: Values) -> Values:
        """The types of a union that are of some types."""
        return self._chosen(values, types, wrong=False)

    def _other(self, values: Values, types: Values) -> Values:
        """The types of a union that are not of some types."""
        return self._chosen(values, types, wrong=True)

    def _chosen(self, values: Values, types: Values, *, wrong: bool) -> Values:
        declared = with_strategy(types, Strategy.DECLARED)
        fits = self._evaluation.shapes.fits
        return tuple(v for v in values if not types or fits(v, declared) is not wrong)

    def _initial(self, values: Values) -> Values:
        """Values that a function may give instead."""
        rows = (self._called((v,)) if isinstance(v, FunctionValue) else (v,) for v in values)
        return tuple(value for row in rows for value in row)

    def _setter(self, values: Values) -> Values:
        made = ExternalInstance("react.Setter", (values,))
        return (External(f"{made.name}{METHOD}call", ((made,),)),)

    def _flat(self, values: Values) -> Values:
        """Elements of lists, and what is no list itself."""
        found: Result = {}
        for value in values:
            is_list = isinstance(value, TupleValue) or (
                isinstance(value, ExternalInstance) and value.name in TABLE.types["lists"]
            )
            held: Result = {value: Strategy.GENERIC}
            merge(found, self._evaluation.element(held) if is_list else held)
        return plain(found)

    def _values(self, values: Values) -> Values:
        found: Result = {}
        for value in values:
            merge(found, self._evaluation.classes.values_of(value))
        return plain(found)

    def _last(self, values: Values) -> Values:
        """The last parts of pairs."""
        rows = (v.parts[-1] for v in values if isinstance(v, TupleValue) and v.parts)
        return tuple(dict.fromkeys(value for row in rows for value in row))

    def _entries(self, values: Values) -> Values:
        """A map of pairs, of which the first says what they are."""
        pairs = (v.parts[:2] for v in values if isinstance(v, TupleValue) and len(v.parts) > 1)
        return (ExternalInstance("Map", next(pairs, ())),)

    def _together(self, values: Values) -> Values:
        """The values that promises in a list give together."""
        found: list[Value] = []
        for value in values:
            if isinstance(value, TupleValue):
                found.append(TupleValue(tuple(map(self._awaited, value.parts))))
            else:
                held = plain(self._evaluation.element({value: Strategy.GENERIC}))
                found.append(ExternalInstance("Array", (self._awaited(held),)))
        return tuple(found)

    def _shown(self, values: Values) -> Values:
        """The values that a predicate lets pass."""
        predicate = self._evaluation.narrowing.predicate
        rows = [plain(predicate(v)) for v in values if isinstance(v, FunctionValue)]
        return rows[-1] if rows else ()

    def _awaited(self, values: Values) -> Values:
        return plain(awaited(with_strategy(values, Strategy.GENERIC)))

    def _promise(self, values: Values) -> Values:
        return (promise(with_strategy(values, Strategy.GENERIC)),)

    def _all_of(self, *rows: Values) -> Values:
        return tuple(dict.fromkeys(value for row in rows for value in row))

    functions: ClassVar = {
        "Promise": _promise,
        "all_of": _all_of,
        "awaited": _awaited,
        "called": _called,
        "entries": _entries,
        "fitting": _fitting,
        "flat": _flat,
        "initial": _initial,
        "instance": _instance,
        "last": _last,
        "other": _other,
        "parameters": _parameters,
        "properties": _properties,
        "setter": _setter,
        "shown": _shown,
        "together": _together,
        "values": _values,
    }


def _bound(value: External) -> Value | None:
    """The object that a method is bound to."""
    is_bound = METHOD in value.name and value.arguments and value.arguments[0]
    return value.arguments[0][0] if is_bound else None


def is_primitive(value: ExternalInstance) -> bool:
    """True for a type of literals."""
    return value.name.startswith("builtins.") or is_none(value)


def plain_name(name: str) -> str:
    """An external name without the default export and the global object in it."""
    for head in ("React.", "globalThis.", "window."):
        if name.startswith(head):
            name = ("react." if head == "React." else "") + name[len(head) :]
    return name.replace(".default.", ".")


def declares(name: str) -> bool:
    """True for a global name whose meaning is known here."""
    types = TABLE.types
    is_type = name in TABLE.synonyms or name in types["iterated"] or name in types["own"]
    return is_type or TABLE.has(_TYPE, name)


def is_computed(name: str) -> bool:
    """True if an external type is computed from what its arguments are."""
    rows = (row.gives for row in TABLE.rows({_TYPE}, name, 0))
    return any(gives is not None and not gives.is_variable for gives in rows)


def awaited(values: Result) -> Result:
    """The values that awaiting values gives."""
    found: Result = {}
    for value, strategy in values.items():
        if isinstance(value, ExternalInstance) and value.name == "Promise":
            inner = value.arguments[-1] if value.arguments else ()
            merge(found, with_strategy(inner, max(strategy, Strategy.GENERIC)))
        else:
            merge(found, {value: strategy})
    return found


def promise(values: Result) -> Value:
    """A promise of values."""
    return ExternalInstance("Promise", (plain(awaited(values)),))


def based(value: Value) -> Values:
    """The objects of an external class that another one extends."""
    if isinstance(value, External):
        return (ExternalInstance(plain_name(value.name), value.arguments),)
    if isinstance(value, ObjectValue | ExternalInstance | Instance):
        return (value,)
    return ()

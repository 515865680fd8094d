"""Calls of the standard library of JavaScript and of React: what they give and pass on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    CreatedValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ObjectValue,
    Result,
    TupleValue,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import Argument
from code_graph.languages.ecmascript.rules.library import (
    ARRAYS,
    CALLBACK,
    COMPONENTS,
    ELEMENT,
    ITERATED,
    LISTS,
    METHOD,
    NUMBER,
    OWN_RESULT,
    PASSING,
    REFS,
    SAME_LIST,
    STRING,
    awaited,
    plain_name,
    promise,
)
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation


class ExternalCall:
    """A call of something external."""

    def __init__(
        self,
        all_: EcmaScriptEvaluation,
        file: SourceFile | None,
        items: Sequence[Argument],
        value: External,
    ) -> None:
        self.all = all_
        self.file = file
        self.items = items
        self.value = value
        self.name = plain_name(value.name)
        # a method is bound to the object that is its first argument
        self.method = ""
        self.receiver: Value | None = None
        self.type_arguments = value.arguments
        name, mark, method = self.name.partition(METHOD)
        if mark and value.arguments and value.arguments[0]:
            self.name, self.method = name, method
            self.receiver = value.arguments[0][0]
            self.type_arguments = value.arguments[1:]

    def argument(self, at: int) -> Result:
        """The values of an argument."""
        if at >= len(self.items) or self.file is None:
            return {}
        item = self.items[at]
        values = self.all.evaluate(self.file, item.value)
        return self.all.element(values) if item.name == "*" else values

    def result_of(self, at: int) -> Result:
        """The result of a function that is an argument."""
        return self.all.calls.results(plain(self.argument(at)))

    def given(self) -> Values:
        """The first type argument."""
        return self.type_arguments[0] if self.type_arguments else ()

    def result(self) -> Result:
        """The values that the call returns."""
        if self.method:
            return self._method()
        special = _SPECIAL.get(self.name)
        if special is not None:
            return special(self)
        if self.name in PASSING:
            return {v: max(how, Strategy.GENERIC) for v, how in self.argument(0).items()}
        if self.name in OWN_RESULT:
            at = OWN_RESULT[self.name]
            return {v: max(how, Strategy.GENERIC) for v, how in self.result_of(at).items()}
        return {ExternalInstance(f"{self.name}()"): Strategy.FLOW}

    def _method(self) -> Result:
        receiver = self.receiver
        if isinstance(receiver, ExternalInstance):
            if receiver.arguments:
                return _of_container(self, receiver)
        elif receiver is not None:
            if self.method == "bind":
                return {receiver: Strategy.FLOW}
            return self.all.calls.results((receiver,))
        return {}

    def callback(self) -> tuple[Values, ...]:
        """The arguments that an external function passes to its callback."""
        found: tuple[Values, ...] = ()
        if self.method:
            receiver = self.receiver
            if isinstance(receiver, ExternalInstance) and receiver.arguments:
                found = _to_callback(self, receiver)
        elif self.name == "react.useReducer":
            found = (plain(self.argument(1)),)
        elif self.name == "Array.from":
            found = plain(self.all.element(self.argument(0))), (NUMBER,)
        elif self.name == "react.memo":
            found = (self.given(),)
        elif self.name == "react.forwardRef" and self.type_arguments:
            found = (self.type_arguments[-1],)
        return found


def _of_container(call: ExternalCall, receiver: ExternalInstance) -> Result:
    if receiver.name == "Promise":
        return _of_promise(call, receiver)
    if receiver.name == "Map":
        return _of_map(call, receiver)
    return _of_list(call, receiver) if receiver.name in ITERATED else {}


def _of_promise(call: ExternalCall, receiver: ExternalInstance) -> Result:
    if call.method == "finally":
        return {receiver: Strategy.GENERIC}
    given: Result = {}
    if call.method == "catch":
        merge(given, with_strategy(receiver.arguments[-1], Strategy.GENERIC))
    merge(given, call.result_of(0))
    merge(given, call.result_of(1))
    return {promise(given): Strategy.GENERIC}


def _of_map(call: ExternalCall, receiver: ExternalInstance) -> Result:
    keys, values = receiver.arguments[0], receiver.arguments[-1]
    found: Values = ()
    if call.method == "get":
        found = values
    elif call.method == "set":
        found = (receiver,)
    elif call.method in {"values", "keys"}:
        found = (ExternalInstance("Iterator", (values if call.method == "values" else keys,)),)
    elif call.method == "entries":
        found = (ExternalInstance("Iterator", ((TupleValue((keys, values)),),)),)
    return with_strategy(found, Strategy.GENERIC)


def _of_list(call: ExternalCall, receiver: ExternalInstance) -> Result:
    special = _OF_LIST.get(call.method)
    found: Values = ()
    if special is not None:
        found = special(call, receiver)
    elif call.method in ELEMENT:
        found = receiver.arguments[0]
    elif call.method in SAME_LIST:
        found = (receiver,)
    return with_strategy(found, Strategy.GENERIC)


def _mapped(call: ExternalCall, receiver: ExternalInstance) -> Values:
    given = call.result_of(0)
    if call.method == "flatMap":
        given = _flattened(call.all, given)
    return (ExternalInstance(receiver.name, (plain(given),)),)


def _reduced(call: ExternalCall, receiver: ExternalInstance) -> Values:
    if call.given():
        return call.given()
    found = dict(call.argument(1))
    if len(call.items) == 1:
        merge(found, with_strategy(receiver.arguments[0], Strategy.GENERIC))
    merge(found, call.result_of(0))
    return plain(found)


def _flat(call: ExternalCall, receiver: ExternalInstance) -> Values:
    values = dict.fromkeys(receiver.arguments[0], Strategy.GENERIC)
    return (ExternalInstance("Array", (plain(_flattened(call.all, values)),)),)


def _numbered(_call: ExternalCall, receiver: ExternalInstance) -> Values:
    pair = TupleValue(((NUMBER,), receiver.arguments[0]))
    return (ExternalInstance("Iterator", ((pair,),)),)


def _joined(call: ExternalCall, receiver: ExternalInstance) -> Values:
    more = plain(_flattened(call.all, call.argument(0)))
    values = tuple(dict.fromkeys((*receiver.arguments[0], *more)))
    return (receiver._replace(arguments=(values,)),)


def _shown(call: ExternalCall, receiver: ExternalInstance) -> Values:
    """The elements that a predicate lets pass."""
    shown: Values = ()
    for value in call.argument(0):
        if isinstance(value, FunctionValue):
            shown = plain(call.all.narrowing.predicate(value))
    return shown or receiver.arguments[0]


def _filtered(call: ExternalCall, receiver: ExternalInstance) -> Values:
    return (receiver._replace(arguments=(_shown(call, receiver),)),)


def _to_array(_call: ExternalCall, receiver: ExternalInstance) -> Values:
    return (ExternalInstance("Array", (receiver.arguments[0],)),)


_OF_LIST: Final[dict[str, Callable[[ExternalCall, ExternalInstance], Values]]] = {
    "map": _mapped,
    "flatMap": _mapped,
    "reduce": _reduced,
    "reduceRight": _reduced,
    "flat": _flat,
    "entries": _numbered,
    "concat": _joined,
    "filter": _filtered,
    "find": _shown,
    "findLast": _shown,
    "toArray": _to_array,
}


def _to_callback(call: ExternalCall, receiver: ExternalInstance) -> tuple[Values, ...]:
    """The arguments that a method of a container passes to its callback."""
    first, last = receiver.arguments[0], receiver.arguments[-1]
    found: tuple[Values, ...] = ()
    if receiver.name == "Promise":
        found = (last,) if call.method == "then" else ()
    elif receiver.name == "react.Setter":
        found = (first,)
    elif receiver.name in COMPONENTS:
        found = (last, first) if call.method == "setState" else ()
    elif receiver.name == "Map":
        found = (last, first, (receiver,)) if call.method == "forEach" else ()
    elif call.method in CALLBACK:
        found = first, (NUMBER,), (receiver,)
    elif call.method in {"sort", "toSorted"}:
        found = first, first
    elif call.method in {"reduce", "reduceRight"}:
        initial = call.given() or (plain(call.argument(1)) if len(call.items) > 1 else first)
        found = initial, first, (NUMBER,), (receiver,)
    return found


def _flattened(all_: EcmaScriptEvaluation, values: Result) -> Result:
    """Elements of lists, and what is no list itself."""
    found: Result = {}
    for value, strategy in values.items():
        is_list = isinstance(value, TupleValue) or (
            isinstance(value, ExternalInstance) and value.name in LISTS
        )
        merge(found, all_.element({value: strategy}) if is_list else {value: strategy})
    return found


def _ref(call: ExternalCall) -> Result:
    values = call.given() or plain(call.argument(0))
    return {ExternalInstance("react.Ref", (values,)): Strategy.GENERIC}


def _state(call: ExternalCall) -> Result:
    values = call.given()
    if not values:
        for value in call.argument(0):
            if isinstance(value, FunctionValue):
                values += plain(call.all.calls.result(value))
            else:
                values += (value,)
    setter = External(
        f"react.Setter{METHOD}call", ((ExternalInstance("react.Setter", (values,)),),)
    )
    return {TupleValue((values, (setter,))): Strategy.GENERIC}


def _reducer(call: ExternalCall) -> Result:
    values = plain(call.argument(1)) or plain(call.result_of(0))
    return {TupleValue((values, ())): Strategy.GENERIC}


def _context(call: ExternalCall) -> Result:
    values = call.given() or plain(call.argument(0))
    return {ExternalInstance("react.Context", (values,)): Strategy.GENERIC}


def _use_context(call: ExternalCall) -> Result:
    found: Result = {}
    for value in call.argument(0):
        if isinstance(value, ExternalInstance) and value.name == "react.Context":
            merge(found, with_strategy(value.arguments[0], Strategy.GENERIC))
    return found


def _injected(call: ExternalCall) -> Result:
    """An object of the class by which a container is asked for one, as `inject(Till)` does."""
    given = call.given()
    if given:
        return with_strategy(given, Strategy.GENERIC)
    found: Result = {}
    for value in call.argument(0):
        if isinstance(value, ClassValue):
            found[Instance(value.path, value.scope)] = Strategy.GENERIC
    return found or {ExternalInstance(f"{call.name}()"): Strategy.FLOW}


def _listed(call: ExternalCall) -> Result:
    """`Array.from(a)`, `Array.from(a, f)`."""
    values = call.result_of(1) if len(call.items) > 1 else call.all.element(call.argument(0))
    return {ExternalInstance("Array", (plain(values),)): Strategy.GENERIC}


def _array_of(call: ExternalCall) -> Result:
    found: Result = {}
    for at in range(len(call.items)):
        merge(found, call.argument(at))
    return {ExternalInstance("Array", (plain(found),)): Strategy.GENERIC}


def _values_of(call: ExternalCall) -> Result:
    found: Result = {}
    for value in call.argument(0):
        merge(found, call.all.classes.values_of(value))
    return {ExternalInstance("Array", (plain(found),)): Strategy.GENERIC}


def _entries_of(call: ExternalCall) -> Result:
    found: Result = {}
    for value in call.argument(0):
        merge(found, call.all.classes.values_of(value))
    pair = TupleValue(((STRING,), plain(found)))
    return {ExternalInstance("Array", ((pair,),)): Strategy.GENERIC}


def _keys_of(_call: ExternalCall) -> Result:
    return {ExternalInstance("Array", ((STRING,),)): Strategy.GENERIC}


def _from_entries(call: ExternalCall) -> Result:
    found: Result = {}
    for value in call.all.element(call.argument(0)):
        if isinstance(value, TupleValue) and value.parts:
            merge(found, with_strategy(value.parts[-1], Strategy.GENERIC))
    return {ExternalInstance("Record", ((), plain(found))): Strategy.GENERIC}


def _assigned(call: ExternalCall) -> Result:
    found: Result = {}
    for at in range(len(call.items)):
        merge(found, call.argument(at), Strategy.GENERIC)
    return found


def _created(call: ExternalCall) -> Result:
    """`Object.create(a)`: an object that has the members of another one."""
    found: Result = {}
    for value, strategy in call.argument(0).items():
        if isinstance(value, Instance):
            merge(found, {value: max(strategy, Strategy.GENERIC)})
        elif isinstance(value, ObjectValue | CreatedValue) and call.file is not None:
            made = CreatedValue(call.file.path, call.items[0].value)
            merge(found, {made: Strategy.GENERIC})
    return found or {ExternalInstance("Object.create()"): Strategy.FLOW}


def _resolved(call: ExternalCall) -> Result:
    return {promise(call.argument(0)): Strategy.GENERIC}


def _together(call: ExternalCall) -> Result:
    """`Promise.all(a)`."""
    found: Result = {}
    for value, strategy in call.argument(0).items():
        if isinstance(value, TupleValue):
            parts = tuple(
                plain(awaited(dict.fromkeys(part, Strategy.GENERIC))) for part in value.parts
            )
            merge(found, {TupleValue(parts): strategy})
        else:
            inner = awaited(call.all.element({value: strategy}))
            merge(found, {ExternalInstance("Array", (plain(inner),)): strategy})
    return {ExternalInstance("Promise", (plain(found),)): Strategy.GENERIC}


def _any_of(call: ExternalCall) -> Result:
    return {promise(awaited(call.all.element(call.argument(0)))): Strategy.GENERIC}


_SPECIAL: Final[dict[str, Callable[[ExternalCall], Result]]] = {
    **dict.fromkeys(REFS, _ref),
    "react.useState": _state,
    "react.useReducer": _reducer,
    "react.createContext": _context,
    "react.useContext": _use_context,
    "Array.from": _listed,
    "Array.of": _array_of,
    "Object.values": _values_of,
    "Object.entries": _entries_of,
    "Object.keys": _keys_of,
    "Object.fromEntries": _from_entries,
    "Object.assign": _assigned,
    "Object.create": _created,
    "Promise.resolve": _resolved,
    "Promise.all": _together,
    "Promise.race": _any_of,
    "Promise.any": _any_of,
    **dict.fromkeys(
        (
            "@angular/core.inject",
            "@angular/core.Injector.get",
            "@angular/core/testing.TestBed.inject",
            "@angular/core/testing.TestBed.get",
            "@nestjs/core.ModuleRef.get",
            "@nestjs/testing.TestingModule.get",
            "inversify.Container.get",
            "tsyringe.container.resolve",
            "typedi.Container.get",
        ),
        _injected,
    ),
}


def made(call: ExternalCall) -> Result:
    """The values that `new` of something external creates."""
    given = call.type_arguments
    if not given and call.items:
        first = call.argument(0)
        if call.name == "Set":
            given = (plain(call.all.element(first)),)
        elif call.name == "Map":
            pairs = [v for v in call.all.element(first) if isinstance(v, TupleValue)]
            if pairs and len(pairs[0].parts) > 1:
                given = (pairs[0].parts[0], pairs[0].parts[1])
    return {ExternalInstance(ARRAYS.get(call.name, call.name), given): Strategy.FLOW}

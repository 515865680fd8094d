"""What the standard library of JavaScript and React give, as far as repository values pass through.

Only what carries values is listed: arrays, maps, sets, promises, iteration, hooks, wrappers of
components. Everything else gives an external value, from which no edge leads back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from repo_mcp.graph.evaluate.source_file import SourceFile
from repo_mcp.graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ObjectValue,
    Result,
    TupleValue,
    TypeVariable,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from repo_mcp.graph.model import Strategy
from repo_mcp.graph.rules.ecmascript.parts import EcmaScriptParts
from repo_mcp.languages.code import Argument

_SAME: Final = frozenset(
    """
    Partial Required Readonly NonNullable Pick Omit Extract Exclude NoInfer react.PropsWithChildren
    react.PropsWithRef react.Attributes
    """.split()  # noqa: SIM905 a list of words reads better
)
_ARRAYS: Final = {
    **dict.fromkeys(("ReadonlyArray", "ArrayLike", "ConcatArray"), "Array"),
    "ReadonlySet": "Set",
    "WeakSet": "Set",
    "ReadonlyMap": "Map",
    "WeakMap": "Map",
    "PromiseLike": "Promise",
}
_LISTS: Final = frozenset({"Array", "Set", "Iterator"})
_ITERATED: Final = frozenset(
    """
    Array Set Iterator Iterable IterableIterator Generator AsyncGenerator AsyncIterable
    AsyncIterator AsyncIterableIterator ArrayIterator SetIterator MapIterator
    """.split()  # noqa: SIM905 as above
)
_ELEMENT: Final = frozenset({"pop", "shift", "find", "findLast", "at", "item"})
_SAME_LIST: Final = frozenset(
    """
    filter slice concat reverse sort splice toSorted toReversed toSpliced fill copyWithin with
    push unshift add values keys union intersection difference take drop
    """.split()  # noqa: SIM905 as above
)
_PASSING: Final = frozenset(
    """
    react.memo react.forwardRef react.lazy react.useCallback react.startTransition
    react.useDeferredValue react.useEffectEvent react.cache Object.freeze Object.seal
    structuredClone mobx-react-lite.observer mobx-react.observer
    """.split()  # noqa: SIM905 as above
)
_OWN_RESULT: Final = frozenset({"react.useMemo", "react.use", "react.useSyncExternalStore"})
_REFS: Final = frozenset({"react.useRef", "react.createRef"})
REF_TYPES: Final = frozenset(
    {"react.Ref", "react.RefObject", "react.MutableRefObject", "react.ForwardedRef"}
)
COMPONENT_TYPES: Final = frozenset(
    {
        "react.FC",
        "react.FunctionComponent",
        "react.VFC",
        "react.ComponentType",
        "react.MemoExoticComponent",
        "react.ForwardRefRenderFunction",
        "react.ForwardRefExoticComponent",
    }
)
_CALLBACK: Final = frozenset(
    """
    map filter forEach find findIndex findLast findLastIndex some every flatMap
    """.split()  # noqa: SIM905 as above
)
_AWAITED: Final = frozenset({"Promise"})
_NUMBER: Final = ExternalInstance("builtins.float")
_TEXT: Final = ExternalInstance("builtins.str")


def plain_name(name: str) -> str:
    """An external name without the default export and the global object in it."""
    for head in ("React.", "globalThis.", "window."):
        if name.startswith(head):
            name = ("react." if head == "React." else "") + name[len(head) :]
    return name.replace(".default.", ".")


def typed(all_: EcmaScriptParts, name: str, given: tuple[Values, ...]) -> Values:
    """The objects of an external type."""
    first = given[0] if given else ()
    if name in _SAME:
        return first
    if name == "Awaited":
        return plain(awaited(dict.fromkeys(first, Strategy.GENERIC)))
    if name == "ReturnType":
        return plain(all_.calls.results(first))
    if name == "InstanceType":
        return plain(all_.names.as_instance(dict.fromkeys(first, Strategy.GENERIC)))
    if name == "Parameters":
        rows = [all_.context.parameters(value) for value in first]
        return (TupleValue(tuple(rows[0])),) if rows else ()
    if name in {
        "react.ComponentProps",
        "react.ComponentPropsWithoutRef",
        "react.ComponentPropsWithRef",
    }:
        rows = [all_.context.parameters(value) for value in first]
        return tuple(part for row in rows for part in (row[0] if row else ()))
    return (ExternalInstance(_ARRAYS.get(name, name), given),)


def awaited(values: Result) -> Result:
    """What awaiting values gives."""
    found: Result = {}
    for value, strategy in values.items():
        if isinstance(value, ExternalInstance) and value.name in _AWAITED:
            inner = value.arguments[-1] if value.arguments else ()
            merge(found, with_strategy(inner, max(strategy, Strategy.GENERIC)))
        else:
            merge(found, {value: strategy})
    return found


def promise(values: Result) -> Value:
    """A promise of values."""
    return ExternalInstance("Promise", (plain(awaited(values)),))


def element(value: Value) -> Values:
    """What an iteration over an external object gives."""
    if isinstance(value, ExternalInstance) and value.arguments:
        if value.name == "Map":
            return (TupleValue((value.arguments[0], value.arguments[-1])),)
        if value.name in _ITERATED:
            return value.arguments[0]
        if value.name == "NodeListOf":
            return value.arguments[0]
    return ()


def member(value: ExternalInstance | TupleValue, name: str) -> Result:
    """A member of an external object: a method that is bound to it, or a part of it."""
    if isinstance(value, TupleValue):
        value = ExternalInstance(
            "Array", (tuple(dict.fromkeys(each for part in value.parts for each in part)),)
        )
    if name == "current" and value.name in REF_TYPES and value.arguments:
        return with_strategy(value.arguments[0], Strategy.GENERIC)
    if value.name == "Record" and value.arguments:
        return with_strategy(value.arguments[-1], Strategy.GENERIC)
    if value.arguments:
        return {External(f"{value.name}#{name}", ((value,),)): Strategy.GENERIC}
    return {External(f"{value.name}.{name}"): Strategy.FLOW}


class Call:
    """A call of something external."""

    def __init__(
        self,
        all_: EcmaScriptParts,
        file: SourceFile | None,
        items: Sequence[Argument],
        value: External,
    ) -> None:
        self.all = all_
        self.file = file
        self.items = items
        self.value = value
        self.name = plain_name(value.name)

    def argument(self, at: int) -> Result:
        """The values of an argument."""
        if at >= len(self.items) or self.file is None:
            return {}
        item = self.items[at]
        values = self.all.evaluate(self.file, item.value)
        return self.all.element(values) if item.name == "*" else values

    def result_of(self, at: int) -> Result:
        """What a function that is an argument gives."""
        return self.all.calls.results(plain(self.argument(at)))

    def result(self) -> Result:
        """What the call gives."""
        if "#" in self.name:
            receiver = self.value.arguments[0][0]
            method = self.name.rpartition("#")[2]
            if isinstance(receiver, ExternalInstance):
                return self._method(receiver, method)
            if method == "bind":
                return {receiver: Strategy.FLOW}
            return self.all.calls.results((receiver,))
        special = _SPECIAL.get(self.name)
        if special is not None:
            return special(self)
        if self.name in _PASSING:
            return {v: max(how, Strategy.GENERIC) for v, how in self.argument(0).items()}
        if self.name in _OWN_RESULT:
            return {v: max(how, Strategy.GENERIC) for v, how in self.result_of(0).items()}
        return {ExternalInstance(f"{self.name}()"): Strategy.FLOW}

    def given(self) -> Values:
        """The first type argument."""
        return self.value.arguments[0] if self.value.arguments else ()

    def _method(self, receiver: ExternalInstance, method: str) -> Result:
        last = receiver.arguments[-1]
        kind = receiver.name
        if kind in REF_TYPES or kind == "react.Context":
            return {}
        if kind == "Promise":
            return self._of_promise(receiver, method)
        if kind == "Map":
            return self._of_map(receiver, method)
        if kind in _ITERATED:
            return self._of_list(receiver, method)
        if kind == "react.Setter":
            return {}
        del last
        return {ExternalInstance(f"{kind}.{method}()"): Strategy.FLOW}

    def _of_promise(self, receiver: ExternalInstance, method: str) -> Result:
        if method == "finally":
            return {receiver: Strategy.GENERIC}
        given: Result = {}
        if method == "catch":
            merge(given, with_strategy(receiver.arguments[-1], Strategy.GENERIC))
        merge(given, self.result_of(0))
        if len(self.items) > 1:
            merge(given, self.result_of(1))
        return {promise(given): Strategy.GENERIC}

    def _of_map(self, receiver: ExternalInstance, method: str) -> Result:
        keys, values = receiver.arguments[0], receiver.arguments[-1]
        if method == "get":
            return with_strategy(values, Strategy.GENERIC)
        if method == "set":
            return {receiver: Strategy.GENERIC}
        if method in {"values", "keys"}:
            inner = values if method == "values" else keys
            return {ExternalInstance("Iterator", (inner,)): Strategy.GENERIC}
        if method == "entries":
            return {
                ExternalInstance("Iterator", ((TupleValue((keys, values)),),)): Strategy.GENERIC
            }
        return {}

    def _of_list(self, receiver: ExternalInstance, method: str) -> Result:
        values = receiver.arguments[0]
        if method in _ELEMENT:
            return with_strategy(values, Strategy.GENERIC)
        if method in {"map", "flatMap"}:
            given = self.result_of(0)
            if method == "flatMap":
                given = _flattened(self.all, given)
            return {ExternalInstance(receiver.name, (plain(given),)): Strategy.GENERIC}
        if method in {"reduce", "reduceRight"}:
            found = dict(self.argument(1)) if len(self.items) > 1 else {}
            if len(self.items) < 2:
                merge(found, with_strategy(values, Strategy.GENERIC))
            given_type = self.given()
            del given_type
            merge(found, self.result_of(0))
            return {v: max(how, Strategy.GENERIC) for v, how in found.items()}
        if method == "flat":
            inner = _flattened(self.all, dict.fromkeys(values, Strategy.GENERIC))
            return {ExternalInstance("Array", (plain(inner),)): Strategy.GENERIC}
        if method == "entries":
            pair = TupleValue(((_NUMBER,), values))
            return {ExternalInstance("Iterator", ((pair,),)): Strategy.GENERIC}
        if method == "next":
            return {}
        if method in _SAME_LIST:
            grown = receiver
            if method == "concat":
                more = plain(_flattened(self.all, self.argument(0)))
                grown = receiver._replace(arguments=(tuple(dict.fromkeys((*values, *more))),))
            elif method == "filter":
                grown = self._filtered(receiver)
            return {grown: Strategy.GENERIC}
        if method == "toArray":
            return {ExternalInstance("Array", (values,)): Strategy.GENERIC}
        return {}

    def _filtered(self, receiver: ExternalInstance) -> ExternalInstance:
        shown: Values = ()
        for value in self.argument(0):
            if isinstance(value, FunctionValue):
                shown = plain(self.all.narrowing.predicate(value))
        return receiver._replace(arguments=(shown,)) if shown else receiver

    def callback(self) -> tuple[Values, ...]:
        """What an external function passes to a function that it is given."""
        if "#" in self.name:
            receiver = self.value.arguments[0][0]
            method = self.name.rpartition("#")[2]
            if isinstance(receiver, ExternalInstance):
                return self._to_callback(receiver, method)
        if self.name == "react.useReducer":
            return (plain(self.argument(1)),)
        if self.name == "Array.from":
            return (plain(self.all.element(self.argument(0))), (_NUMBER,))
        if self.name in {"react.memo", "react.forwardRef"}:
            given = self.value.arguments
            return (given[-1] if self.name.endswith("Ref") and given else self.given(),)
        return ()

    def _to_callback(self, receiver: ExternalInstance, method: str) -> tuple[Values, ...]:
        first, last = receiver.arguments[0], receiver.arguments[-1]
        if receiver.name == "Promise":
            return (last,) if method == "then" else ()
        if receiver.name == "react.Setter":
            return (first,)
        if receiver.name == "Map":
            return (last, first, (receiver,)) if method == "forEach" else ()
        if method in _CALLBACK:
            return (first, (_NUMBER,), (receiver,))
        if method in {"sort", "toSorted"}:
            return (first, first)
        if method in {"reduce", "reduceRight"}:
            initial = self.given() or (plain(self.argument(1)) if len(self.items) > 1 else first)
            return (initial, first, (_NUMBER,), (receiver,))
        return ()


def _flattened(all_: EcmaScriptParts, values: Result) -> Result:
    """Elements of lists, and what is no list itself."""
    found: Result = {}
    for value, strategy in values.items():
        is_list = isinstance(value, TupleValue) or (
            isinstance(value, ExternalInstance) and value.name in _LISTS
        )
        merge(found, all_.element({value: strategy}) if is_list else {value: strategy})
    return found


def _ref(call: Call) -> Result:
    values = call.given() or plain(call.argument(0))
    return {ExternalInstance("react.Ref", (values,)): Strategy.GENERIC}


def _state(call: Call) -> Result:
    values = call.given()
    if not values:
        for value in call.argument(0):
            if isinstance(value, FunctionValue):
                values += plain(call.all.calls.result(value))
            else:
                values += (value,)
    setter = External("react.Setter#call", ((ExternalInstance("react.Setter", (values,)),),))
    return {TupleValue((values, (setter,))): Strategy.GENERIC}


def _reducer(call: Call) -> Result:
    values = plain(call.argument(1)) or plain(call.result_of(0))
    return {TupleValue((values, ())): Strategy.GENERIC}


def _context(call: Call) -> Result:
    values = call.given() or plain(call.argument(0))
    return {ExternalInstance("react.Context", (values,)): Strategy.GENERIC}


def _use_context(call: Call) -> Result:
    found: Result = {}
    for value in call.argument(0):
        if isinstance(value, ExternalInstance) and value.name == "react.Context":
            merge(found, with_strategy(value.arguments[0], Strategy.GENERIC))
    return found


def _listed(call: Call) -> Result:
    """`Array.from(a)`, `Array.from(a, f)`."""
    values = call.result_of(1) if len(call.items) > 1 else call.all.element(call.argument(0))
    return {ExternalInstance("Array", (plain(values),)): Strategy.GENERIC}


def _array_of(call: Call) -> Result:
    found: Result = {}
    for at in range(len(call.items)):
        merge(found, call.argument(at))
    return {ExternalInstance("Array", (plain(found),)): Strategy.GENERIC}


def _values_of(call: Call) -> Result:
    found: Result = {}
    for value in call.argument(0):
        merge(found, call.all.classes.values_of(value))
    return {ExternalInstance("Array", (plain(found),)): Strategy.GENERIC}


def _entries_of(call: Call) -> Result:
    found: Result = {}
    for value in call.argument(0):
        merge(found, call.all.classes.values_of(value))
    pair = TupleValue(((_TEXT,), plain(found)))
    return {ExternalInstance("Array", ((pair,),)): Strategy.GENERIC}


def _keys_of(_call: Call) -> Result:
    return {ExternalInstance("Array", ((_TEXT,),)): Strategy.GENERIC}


def _from_entries(call: Call) -> Result:
    found: Result = {}
    for value in call.all.element(call.argument(0)):
        if isinstance(value, TupleValue) and value.parts:
            merge(found, with_strategy(value.parts[-1], Strategy.GENERIC))
    return {ExternalInstance("Record", ((), plain(found))): Strategy.GENERIC}


def _assigned(call: Call) -> Result:
    found: Result = {}
    for at in range(len(call.items)):
        merge(found, call.argument(at), Strategy.GENERIC)
    return found


def _resolved(call: Call) -> Result:
    return {promise(call.argument(0)): Strategy.GENERIC}


def _together(call: Call) -> Result:
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


def _any_of(call: Call) -> Result:
    return {promise(awaited(call.all.element(call.argument(0)))): Strategy.GENERIC}


_SPECIAL: Final[dict[str, Callable[[Call], Result]]] = {
    **dict.fromkeys(_REFS, _ref),
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
    "Promise.resolve": _resolved,
    "Promise.all": _together,
    "Promise.race": _any_of,
    "Promise.any": _any_of,
}


def made(call: Call) -> Result:
    """What `new` of something external gives."""
    given = call.value.arguments
    if not given and call.items:
        first = call.argument(0)
        if call.name == "Set":
            given = (plain(call.all.element(first)),)
        elif call.name == "Map":
            pairs = [v for v in call.all.element(first) if isinstance(v, TupleValue)]
            if pairs and len(pairs[0].parts) > 1:
                given = (pairs[0].parts[0], pairs[0].parts[1])
    return {ExternalInstance(_ARRAYS.get(call.name, call.name), given): Strategy.FLOW}


__all__ = ["Call", "ClassValue", "Instance", "ObjectValue", "TypeVariable"]


def based(value: Value) -> Values:
    """The objects of an external class that another one extends."""
    if isinstance(value, External):
        return (ExternalInstance(plain_name(value.name), value.arguments),)
    if isinstance(value, ObjectValue | ExternalInstance | Instance):
        return (value,)
    return ()

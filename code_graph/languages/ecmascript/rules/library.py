"""Results of JavaScript's standard library and React, as far as repository values pass through.

Only what carries values is listed: arrays, maps, sets, promises, iteration, hooks, wrappers of
components. Everything else gives an external value, from which no edge leads back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Instance,
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
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.ecmascript.rules.evaluation import EcmaScriptEvaluation

_SAME: Final = frozenset(
    """
    Partial Required Readonly NonNullable Pick Omit Extract Exclude NoInfer react.PropsWithChildren
    react.PropsWithRef react.Attributes
    """.split()  # noqa: SIM905 a list of words reads better
)
# between the name of an external type and that of a method
METHOD: Final = "::"
ARRAYS: Final = {
    **dict.fromkeys(("ReadonlyArray", "ArrayLike", "ConcatArray"), "Array"),
    "ReadonlySet": "Set",
    "WeakSet": "Set",
    "ReadonlyMap": "Map",
    "WeakMap": "Map",
    "PromiseLike": "Promise",
}
# the types of literals that have names of their own
KINDS: Final = {"list": "Array", "none": "none"}
LISTS: Final = frozenset({"Array", "Set", "Iterator"})
ITERATED: Final = frozenset(
    """
    Array Set Iterator Iterable IterableIterator Generator AsyncGenerator AsyncIterable
    AsyncIterator AsyncIterableIterator ArrayIterator SetIterator MapIterator
    """.split()  # noqa: SIM905 as above
)
ELEMENT: Final = frozenset({"pop", "shift", "find", "findLast", "at", "item"})
SAME_LIST: Final = frozenset(
    """
    filter slice concat reverse sort splice toSorted toReversed toSpliced fill copyWithin with
    push unshift add values keys union intersection difference take drop
    """.split()  # noqa: SIM905 as above
)
PASSING: Final = frozenset(
    """
    react.memo react.forwardRef react.lazy react.useCallback react.startTransition
    react.useDeferredValue react.useEffectEvent react.cache Object.freeze Object.seal
    structuredClone mobx-react-lite.observer mobx-react.observer
    """.split()  # noqa: SIM905 as above
)
# functions that give what one of their arguments does, and its place
OWN_RESULT: Final = {"react.useMemo": 0, "react.use": 0, "react.useSyncExternalStore": 1}
REFS: Final = frozenset({"react.useRef", "react.createRef"})
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
COMPONENTS: Final = frozenset({"react.Component", "react.PureComponent"})
# members of a component by the type arguments of its class
_OF_COMPONENT: Final = {"props": 0, "state": 1}
CALLBACK: Final = frozenset(
    """
    map filter forEach find findIndex findLast findLastIndex some every flatMap
    """.split()  # noqa: SIM905 as above
)
_AWAITED: Final = frozenset({"Promise"})
# what the language and its hosts have, whatever a file of declarations adds to it
_OWN: Final = frozenset(
    """
    Object Function String Number Boolean Symbol BigInt Date RegExp Error Math JSON Reflect Proxy
    Intl Record Promise Map Set require module exports arguments undefined globalThis console
    window document
    """.split()  # noqa: SIM905 as above
)
NUMBER: Final = ExternalInstance("builtins.float")
STRING: Final = ExternalInstance("builtins.str")


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
    return name in _OWN or name in ARRAYS or name in ITERATED or name in _SAME or name in _TYPES


def typed(all_: EcmaScriptEvaluation, name: str, given: tuple[Values, ...]) -> Values:
    """The objects of an external type."""
    first = given[0] if given else ()
    if name in {"Extract", "Exclude"} and len(given) > 1:
        return _chosen(all_, first, given[1], is_kept=name == "Extract")
    if name in _SAME:
        return first
    special = _TYPES.get(name)
    if special is not None:
        return special(all_, first)
    return (ExternalInstance(ARRAYS.get(name, name), given),)


def _chosen(all_: EcmaScriptEvaluation, values: Values, types: Values, *, is_kept: bool) -> Values:
    """The types of a union that are of some types, or are not."""
    declared = with_strategy(types, Strategy.DECLARED)
    if not types:
        return values
    wrong = not is_kept
    return tuple(each for each in values if all_.shapes.fits(each, declared, {}) is not wrong)


def _awaited_type(all_: EcmaScriptEvaluation, values: Values) -> Values:
    del all_
    return plain(awaited(dict.fromkeys(values, Strategy.GENERIC)))


def _result_type(all_: EcmaScriptEvaluation, values: Values) -> Values:
    return plain(all_.calls.results(values))


def _instance_type(all_: EcmaScriptEvaluation, values: Values) -> Values:
    return plain(all_.names.as_instance(dict.fromkeys(values, Strategy.GENERIC)))


def _parameters_type(all_: EcmaScriptEvaluation, values: Values) -> Values:
    rows = [all_.context.parameters(value) for value in values]
    return (TupleValue(tuple(rows[0])),) if rows else ()


def _properties_type(all_: EcmaScriptEvaluation, values: Values) -> Values:
    rows = [all_.context.parameters(value) for value in values]
    return tuple(part for row in rows for part in (row[0] if row else ()))


_TYPES: Final[dict[str, Callable[[EcmaScriptEvaluation, Values], Values]]] = {
    "Awaited": _awaited_type,
    "ReturnType": _result_type,
    "InstanceType": _instance_type,
    "Parameters": _parameters_type,
    "react.ComponentProps": _properties_type,
    "react.ComponentPropsWithoutRef": _properties_type,
    "react.ComponentPropsWithRef": _properties_type,
}


def is_computed(name: str) -> bool:
    """True if an external type is computed from what its arguments are."""
    return name in _TYPES or name in {"Extract", "Exclude"}


def awaited(values: Result) -> Result:
    """The values that awaiting values gives."""
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
    """The elements of an external object in an iteration."""
    if isinstance(value, ExternalInstance) and value.arguments:
        if value.name == "Map":
            return (TupleValue((value.arguments[0], value.arguments[-1])),)
        if value.name in ITERATED:
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
    if value.name in COMPONENTS and name in _OF_COMPONENT:
        at = _OF_COMPONENT[name]
        return (
            with_strategy(value.arguments[at], Strategy.GENERIC)
            if at < len(value.arguments)
            else {}
        )
    if name == "current" and value.name in REF_TYPES and value.arguments:
        return with_strategy(value.arguments[0], Strategy.GENERIC)
    if value.name == "Record" and value.arguments:
        return with_strategy(value.arguments[-1], Strategy.GENERIC)
    if value.arguments:
        return {External(f"{value.name}{METHOD}{name}", ((value,),)): Strategy.GENERIC}
    return {External(f"{value.name}.{name}"): Strategy.FLOW}


def based(value: Value) -> Values:
    """The objects of an external class that another one extends."""
    if isinstance(value, External):
        return (ExternalInstance(plain_name(value.name), value.arguments),)
    if isinstance(value, ObjectValue | ExternalInstance | Instance):
        return (value,)
    return ()

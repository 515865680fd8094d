"""Values of expressions: declarations of the repository, and externals.

A result is a dict from each possible value to the weakest strategy on the way to it, in the order
in which they were found. Values are small tuples, cut where they have many parts. A `kind` keeps
those with equal fields apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from code_graph.model import Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_VALUES: Final = 48  # possible values that are followed: more say nothing
# members of one name: a call chooses among them, as among those of a visitor
MOST_MEMBERS: Final = 400
_DEEPEST: Final = 4

_NONE: Final = "none"  # the literal, as all languages call it


class ModuleValue(NamedTuple):
    """A file as a module; or a folder without a file of its own, as a namespace."""

    path: str
    is_folder: bool = False


class ClassValue(NamedTuple):
    """A class itself; `scope` is its body."""

    path: str
    scope: int
    arguments: tuple[Values, ...] = ()


class Instance(NamedTuple):
    """An object of a class, with the types that its type parameters have."""

    path: str
    scope: int
    arguments: tuple[Values, ...] = ()
    kind: str = "instance"


class FunctionValue(NamedTuple):
    """A function, bound to its receiver if it was taken from an object."""

    path: str
    scope: int
    receiver: Value | None = None
    kind: str = "function"


class External(NamedTuple):
    """Something outside of the repository, by its qualified name: `os.path.join`.

    As a type it may have arguments: `Optional[T]`.
    """

    name: str
    arguments: tuple[Values, ...] = ()


class ExternalInstance(NamedTuple):
    """An object of an external class, with its type arguments: `list` with its elements."""

    name: str
    arguments: tuple[Values, ...] = ()
    kind: str = "external instance"


class TupleValue(NamedTuple):
    """A tuple with known parts."""

    parts: tuple[Values, ...]


class RecordValue(NamedTuple):
    """A mapping or an object with known keys; the keys of a mapping are not members."""

    parts: tuple[tuple[str, Values], ...]
    is_mapping: bool = False


class SuperValue(NamedTuple):
    """`super()` in a class: members are looked up after it, for this receiver."""

    path: str
    scope: int
    receiver: Value | None
    kind: str = "super"


class TypeParameter(NamedTuple):
    """A type parameter without a type argument; `bound` are its bounds."""

    name: str
    bound: Values


class TypeVariable(NamedTuple):
    """A type parameter by the scope that binds it, where its bounds are read."""

    path: str
    scope: int
    name: str


class ObjectValue(NamedTuple):
    """An object literal or a type literal, by its expression; members are evaluated on demand.

    `given` are the types of type variables in it.
    """

    path: str
    number: int
    given: tuple[tuple[TypeVariable, Values], ...] = ()
    kind: str = "object"  # or "type", "mapped"


class CallableValue(NamedTuple):
    """The type of a function, by its expression; `given` as for objects."""

    path: str
    number: int
    given: tuple[tuple[TypeVariable, Values], ...] = ()
    kind: str = "callable"


class OpenType(NamedTuple):
    """A type computed from open type parameters, by its expression."""

    path: str
    number: int
    given: tuple[tuple[TypeVariable, Values], ...] = ()
    kind: str = "open"


class CreatedValue(NamedTuple):
    """A prototype clone, by the expression of its prototype: `Object.create(a)`.

    What the function around stores in it, it has as well.
    """

    path: str
    number: int
    kind: str = "created"


class SymbolValue(NamedTuple):
    """A binding of a file, by its number, that is not evaluated yet."""

    path: str
    number: int
    kind: str = "symbol"


class Ancestor(NamedTuple):
    """A class in the lookup order of another, with its type arguments; or an external one."""

    path: str
    scope: int
    arguments: tuple[Values, ...] = ()
    external: str = ""


class MemberValue(NamedTuple):
    """A declared member or variable, by its declaration, of the object it was taken from."""

    path: str
    declaration: int
    receiver: Value | None = None
    kind: str = "member"


Value: TypeAlias = (
    ModuleValue
    | ClassValue
    | Instance
    | FunctionValue
    | External
    | ExternalInstance
    | TupleValue
    | RecordValue
    | SuperValue
    | TypeParameter
    | TypeVariable
    | ObjectValue
    | CallableValue
    | OpenType
    | CreatedValue
    | SymbolValue
    | MemberValue
)
# tuples of classes: a union would be made anew by each check, and these are many
_APPLIED: Final = (ClassValue, Instance, External, ExternalInstance)
_GIVEN: Final = (ObjectValue, CallableValue, OpenType)
_BOUND: Final = (FunctionValue, SuperValue, MemberValue)
# values inside of values: without their strategies
Values: TypeAlias = tuple[Value, ...]
Result: TypeAlias = dict[Value, Strategy]


class Injection(NamedTuple):
    """Functions that a framework calls, and the line and column that say so."""

    place: tuple[int, int]
    functions: Result


def merge(
    into: Result, more: Result, least: Strategy = Strategy.SCOPE, most: int = MOST_VALUES
) -> None:
    """Add results, weakened to `least`, up to a number of values."""
    for value, strategy in more.items():
        weakest = max(strategy, least)
        known = into.get(value)
        if known is None:
            if len(into) < most:
                into[value] = weakest
        elif weakest < known:
            into[value] = weakest


def through(module: Strategy) -> Strategy:
    """The strategy for members of a module; of an unsure version they are unsure."""
    return module if module is Strategy.VERSION else Strategy.SCOPE


def plain(result: Result) -> Values:
    """The values alone, cut where they are nested too deeply."""
    return tuple(value for value in result if is_within(value, _DEEPEST))


def with_strategy(values: Values, strategy: Strategy) -> Result:
    """A result of values that were all found in one way."""
    return dict.fromkeys(values, strategy)


def is_none(value: Value) -> bool:
    """True for none, null or nil, a placeholder for later values."""
    return isinstance(value, ExternalInstance) and value.name == _NONE


def parts_of(value: Value) -> tuple[Values, ...]:
    """The values that a value is made of: its type arguments, or the parts of a tuple."""
    if isinstance(value, _APPLIED):
        return value.arguments
    if isinstance(value, TupleValue):
        return value.parts
    if isinstance(value, _GIVEN):
        return tuple(part for _, part in value.given)
    if isinstance(value, RecordValue):
        return tuple(part for _, part in value.parts)
    return ()


def with_parts(value: Value, change: Callable[[Value], Values]) -> Value:
    """A value with each of its parts changed, each result once."""
    if isinstance(value, _APPLIED):
        if not value.arguments:
            return value
        return value._replace(arguments=tuple(_changed(part, change) for part in value.arguments))
    if isinstance(value, TupleValue):
        return TupleValue(tuple(_changed(part, change) for part in value.parts))
    if isinstance(value, RecordValue):
        parts = tuple((name, _changed(part, change)) for name, part in value.parts)
        return value._replace(parts=parts)
    return value


def _changed(values: Values, change: Callable[[Value], Values]) -> Values:
    return tuple(dict.fromkeys(part for item in values for part in change(item)))


def is_within(value: Value, left: int) -> bool:
    """True if values are nested in a value up to a depth."""
    inner = parts_of(value)
    if isinstance(value, _BOUND) and value.receiver is not None:
        inner = ((value.receiver,),)
    for values in inner:
        for item in values:
            if not left or not is_within(item, left - 1):
                return False
    return True

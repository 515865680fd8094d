"""Records: immutable values with named fields, declared like data classes and made much faster.

    class Span(Record):
        first: int
        last: int = 0

To the rest of Python a record is a frozen data class with slots: `dataclasses.replace`, `fields`
and `asdict` take it, and so does `match`. But `dataclass` writes and compiles six methods when the
class is made, which takes up to a millisecond, and a process makes dozens of classes to answer one
question. Here methods are shared, and `__init__` is compiled when as many are made as that takes.

There is no inheritance between records. `class Span(Record, frozen=False)` can be changed, is made
in a third of the time, and has no hash but its own. A default that is made anew for each record is
`field(factory=list)`. `__slots__` are more attributes, which are no fields.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, TypeVar, cast, dataclass_transform

from index_format.tuples import WITHOUT_CONSTRUCTOR, values_by_name

_T = TypeVar("_T")
_FACTORY: Final = "_make_"


class _Fresh:
    """A default that is made anew for each record."""

    __slots__ = ("factory",)

    def __init__(self, factory: Callable[[], object]) -> None:
        self.factory = factory


def field(*, factory: Callable[[], _T]) -> _T:
    """A field whose default is what `factory` makes."""
    return cast("_T", _Fresh(factory))


class _StandardFields:
    """`__dataclass_fields__`, made when it is asked for: it makes data classes of records."""

    def __get__(self, record: object, owner: _RecordType) -> dict[str, Any]:
        import dataclasses  # noqa: PLC0415 most processes never ask

        fields = []
        for name in owner.__match_args__:
            given: Any = owner.defaults_by_name.get(name, dataclasses.MISSING)
            if isinstance(given, _Fresh):
                given = dataclasses.field(default_factory=given.factory)
            else:
                given = dataclasses.field(default=given)
            fields.append((name, owner.__annotations__[name], given))
        made = dataclasses.make_dataclass(owner.__name__, fields)
        found: dict[str, Any] = {field.name: field for field in dataclasses.fields(made)}
        owner.__dataclass_fields__ = found  # type: ignore[attr-defined] # in place of this object
        return found


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _RecordType(type):
    """The class of record classes."""

    __match_args__: tuple[str, ...]
    defaults_by_name: dict[str, object]

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, frozen: bool = True
    ) -> _RecordType:
        """Make slots of the annotated names, and keep their defaults for `__init__`."""
        if any(isinstance(base, _RecordType) and base.__bases__ != (object,) for base in bases):
            raise TypeError(f"{name}: a record has no subclasses")
        annotations: dict[str, str] = namespace.get("__annotations__", {})
        names = tuple(name for name, kind in annotations.items() if "ClassVar[" not in kind)
        namespace["__slots__"] = (*names, *namespace.get("__slots__", ()))
        namespace["__match_args__"] = names
        namespace["defaults_by_name"] = {
            field: namespace.pop(field) for field in names if field in namespace
        }
        namespace["_values"] = staticmethod(_values_of(names))
        namespace["_turns"] = count()
        if not frozen:
            namespace |= {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
            namespace.setdefault("__hash__", None)
        return super().__new__(cls, name, bases, namespace)


def _values_of(names: tuple[str, ...]) -> Callable[[object], tuple[object, ...]]:
    """The fields of a record, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


class Record(metaclass=_RecordType):
    """The base of all records."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[Any] = _StandardFields()
    _values: ClassVar[staticmethod[[object], tuple[object, ...]]]
    _turns: ClassVar[Iterator[int]]

    def __init__(self, /, *given: object, **named: object) -> None:
        """Set the fields; once that has been done often, write `__init__` for the class."""
        kind = type(self)
        if next(self._turns) < WITHOUT_CONSTRUCTOR:
            values = values_by_name(kind.__match_args__, kind.defaults_by_name, given, named)
            if values is not None:
                _set_fields(self, values)
                return
        kind.__init__ = _written_init(kind)  # type: ignore[method-assign] # from now on
        kind.__init__(self, *given, **named)

    def __eq__(self, other: object) -> bool:
        """True if both are of one class and have equal fields."""
        if type(self) is not type(other):
            return NotImplemented
        return self._values(self) == self._values(other)

    def __hash__(self) -> int:
        """Of all fields."""
        return hash(self._values(self))

    def __repr__(self) -> str:
        """As it is made."""
        shown = ", ".join(f"{name}={value!r}" for name, value in values_of(self).items())
        return f"{type(self).__qualname__}({shown})"

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse."""
        _refuse(name)

    def __delattr__(self, name: str) -> None:
        """Refuse."""
        _refuse(name)

    def __reduce__(self) -> tuple[object, ...]:
        """For copies."""
        return type(self), self._values(self)


def values_of(record: Record) -> dict[str, Any]:
    """Fields and values of a record, in the order of the fields."""
    return {name: getattr(record, name) for name in type(record).__match_args__}


if TYPE_CHECKING:  # checkers know what it takes
    from dataclasses import replace as replace  # noqa: PLC0414 that is how a name is exported
else:

    def replace(record: Record, /, **changes: object) -> Record:
        """The record with other values in some fields, as `dataclasses.replace` makes it."""
        return type(record)(**(values_of(record) | changes))


def _refuse(name: str) -> NoReturn:
    raise AttributeError(f"cannot change the field {name!r} of a record")


def _set_fields(record: Record, values: dict[str, object]) -> None:
    """Do what a written `__init__` does."""
    kind = type(record)
    assign = kind.__setattr__ if "__setattr__" in vars(kind) else object.__setattr__
    for name in kind.__match_args__:
        value = values[name]
        if isinstance(value, _Fresh) and value is kind.defaults_by_name.get(name):
            value = value.factory()
        assign(record, name, value)
    if hasattr(kind, "__post_init__"):
        kind.__post_init__(record)


def _written_init(kind: _RecordType) -> Callable[..., None]:
    """The `__init__` of a class: sets each slot, then calls `__post_init__` if there is one."""
    known: dict[str, object] = {"__builtins__": {}}
    # mutable records are set as by anybody, which takes a third of the time
    assign = "self.{0} = {1}" if "__setattr__" in vars(kind) else "_set_{0}(self, {1})"
    parameters, body = ["self"], []
    for name in kind.__match_args__:
        known[f"_set_{name}"] = kind.__dict__[name].__set__
        value = name
        parameters.append(name)
        if name in kind.defaults_by_name:
            default = known[f"_default_{name}"] = kind.defaults_by_name[name]
            parameters[-1] = f"{name}=_default_{name}"
            if isinstance(default, _Fresh):
                known[f"{_FACTORY}{name}"] = default.factory
                value = f"{_FACTORY}{name}() if {name} is _default_{name} else {name}"
        body.append(f" {assign.format(name, value)}")
    if hasattr(kind, "__post_init__"):
        body.append(" self.__post_init__()")
    text = f"def __init__({', '.join(parameters)}):\n" + "\n".join(body or [" pass"])
    exec(text, known)  # noqa: S102 the text has names of fields alone
    made = cast("Callable[..., None]", known["__init__"])
    made.__module__ = sys.intern(kind.__module__)
    return made

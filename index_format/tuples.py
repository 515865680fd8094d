"""Named tuples, declared as those of `typing` and made much faster.

`typing.NamedTuple` compiles the annotation of each field, and the constructor, when the class is
made. Here annotations stay texts, and the constructor is compiled when as many tuples are made as
that takes. Type checkers see the standard one.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import count

from index_format.annotations import TYPE_CHECKING, Any, Final, TypeVar, cast

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 that is how a name is exported

# a constructor takes as long to compile as so many tuples or records take to be made without one;
# of most classes a process makes fewer
WITHOUT_CONSTRUCTOR: Final = 40
# the C accessor of a field; a property where Python has none
_tuplegetter: Final[Any] = collections._tuplegetter  # type: ignore[attr-defined] # noqa: SLF001 what `namedtuple` takes


_T = TypeVar("_T")


def make_rows(kind: type[_T], *columns: Iterable[object]) -> Iterator[_T]:
    """Tuples of a class by the columns of all its fields, without a call in Python for each."""
    new: Any = tuple.__new__
    made: Callable[[Iterable[object]], _T] = partial(new, kind)
    return map(made, zip(*columns, strict=True))


class _Methods:
    """Methods of all named tuples; the first argument is a declared class."""

    def _replace(self: Any, /, **changes: object) -> Any:  # noqa: ANN401 of the declared class
        """The tuple with other values in some fields."""
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"got unexpected field names: {[*changes]}")
        return made

    def _asdict(self: Any) -> dict[str, Any]:
        """Fields and values."""
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self: Any) -> str:
        """As it is made."""
        pairs = zip(self._fields, self, strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __getnewargs__(self: Any) -> tuple[Any, ...]:
        """For copies."""
        return tuple(self)

    def _make(cls: Any, values: Iterable[object]) -> Any:  # noqa: ANN401, N805 a class method below
        """A tuple of these values."""
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"expected {len(cls._fields)} arguments, got {len(made)}")
        return made


_SHARED = {name: value for name, value in vars(_Methods).items() if callable(value)} | {
    "_make": classmethod(_Methods._make)
}


class _Declaration(type):
    """Makes a class of tuples of each subclass of `NamedTuple`, which is no base of it."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:  # noqa: ANN401 another class, as said
        """The class of tuples with the annotated names."""
        if not bases:
            return super().__new__(cls, name, bases, namespace)
        names = tuple(namespace.get("__annotations__", ()))
        defaults = {field: namespace[field] for field in names if field in namespace}
        fields = {field: _tuplegetter(at, "") for at, field in enumerate(names)}
        known = {"_fields": names, "_field_defaults": defaults, "__match_args__": names}
        turns = count()

        def new(kind: type[Any], /, *given: object, **named: object) -> Any:  # noqa: ANN401 as above
            if next(turns) < WITHOUT_CONSTRUCTOR:
                values = values_by_name(names, defaults, given, named)
                if values is not None:
                    return tuple.__new__(kind, map(values.__getitem__, names))
            made.__new__ = written = _written_new(names, defaults)
            written.__qualname__ = f"{name}.__new__"  # errors say it
            return written(kind, *given, **named)

        own = {**fields, **known, "__new__": new, "__slots__": ()}
        made: Any = type(name, (tuple,), {**_SHARED, **namespace, **own})
        return made


def values_by_name(
    names: tuple[str, ...],
    defaults: Mapping[str, object],
    given: tuple[object, ...],
    named: Mapping[str, object],
) -> dict[str, object] | None:
    """The values of all fields, from arguments of a constructor; none if those are not right."""
    if len(given) > len(names):
        return None
    placed = dict(zip(names, given, strict=False))
    values = {**defaults, **placed, **named}
    is_whole = len(values) == len(names) and placed.keys().isdisjoint(named)
    return values if is_whole and all(map(values.__contains__, names)) else None


def _written_new(names: tuple[str, ...], defaults: dict[str, object]) -> Callable[..., Any]:
    known: dict[str, object] = {f"_default_{name}": value for name, value in defaults.items()}
    known |= {"__builtins__": {}, "_new": tuple.__new__}
    parameters = [f"{name}=_default_{name}" if name in defaults else name for name in names]
    values = "".join(f"{name}, " for name in names)
    text = f"lambda {', '.join(['_kind', *parameters])}: _new(_kind, ({values}))"
    return cast("Callable[..., Any]", eval(text, known))  # noqa: S307 the text has names of fields alone


if not TYPE_CHECKING:

    class NamedTuple(metaclass=_Declaration):
        """The base of declarations."""

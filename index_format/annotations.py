"""Names of `typing` for annotations, without loading it: that takes a fifth of a server's start.

Checkers see `typing` itself. At runtime annotations are texts, so that any object will do for what
they name. Code that looks into annotations, or asks for a protocol, imports `typing`.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:  # with their own names, which exports them
    from typing import (
        Any as Any,
        AnyStr as AnyStr,
        Final as Final,
        Literal as Literal,
        NoReturn as NoReturn,
        Protocol as Protocol,
        TypeVar as TypeVar,
        cast as cast,
        dataclass_transform as dataclass_transform,
    )
else:

    class _Name:
        """Stands for a name with arguments, or in a union."""

        def __getitem__(self, arguments):
            return self

        def __or__(self, other):
            return self

        __ror__ = __or__

    class Protocol:
        """The base of what classes may fulfil."""

        def __class_getitem__(cls, parameters):
            return cls

    Any = AnyStr = Final = Literal = NoReturn = _Name()

    def TypeVar(name, *bounds, **options):
        return _Name()

    def cast(type_, value):
        return value

    def dataclass_transform(**options):
        return lambda decorated: decorated

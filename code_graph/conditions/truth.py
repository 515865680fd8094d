"""Truth of three values: a condition may hold, may not, or is not known."""

from __future__ import annotations

from enum import IntEnum


class Truth(IntEnum):
    """Kleene's values: the lesser of two is their conjunction, the greater their disjunction."""

    FALSE = 0
    UNKNOWN = 1
    TRUE = 2

    @property
    def negated(self) -> Truth:
        """True of what is false; what is unknown stays so."""
        return Truth(Truth.TRUE - self)

    @classmethod
    def of(cls, value: object) -> Truth:
        """The truth of a value, of which None is unknown."""
        if value is None:
            return cls.UNKNOWN
        return cls.TRUE if value else cls.FALSE

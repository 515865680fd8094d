"""External types by their names, in languages whose declared types are complete."""

from __future__ import annotations

import re
from typing import Final

_BUILDER: Final = frozenset(
    {"append", "appendCodePoint", "insert", "delete", "deleteCharAt", "replace", "reverse"}
)
# methods of library types that give the object itself
_FLUENT: Final = {
    "StringBuilder": _BUILDER,
    "StringBuffer": _BUILDER,
    "StringJoiner": frozenset({"add"}),
}
# types that nothing inherits from
FINAL: Final = frozenset(
    """
    String StringBuilder StringBuffer Boolean Byte Character Double Float Integer Long Short
    Optional Pattern Matcher StringJoiner Scanner
    """.split()  # noqa: SIM905 a list of words reads better
)
_CHAIN: Final = re.compile(r"((?:\w+\.)*(\w+))((?:\.\w+\(\))+)")


def is_closed(owner: str) -> bool:
    """True for a type, unless it is the result of an unknown call."""
    owner = type_of_chain(owner)
    return bool(owner) and "(" not in owner


def type_of_chain(owner: str) -> str:
    """The type of a chain of calls that return the receiver: that of its first object."""
    chain = _CHAIN.fullmatch(owner)
    if chain is None:
        return owner
    own = _FLUENT.get(chain[2], frozenset())
    return chain[1] if own.issuperset(chain[3][1:-2].split("().")) else owner


def is_module(owner: str) -> bool:
    """False: functions are members of types."""
    del owner
    return False

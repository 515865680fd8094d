"""Tells what is written of a call: the name before its own, and the number of its arguments."""

from __future__ import annotations

from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, Op
from index_format.tuples import NamedTuple

# the object that the code is in, in languages where that is a plain name
_OWN: Final = frozenset({"self", "cls", "super"})
# what stands between an object and its last name: `users[0]`, `await user()`, `(user as User)`
_AROUND: Final = frozenset({Op.CALL, Op.NEW, Op.APPLY, Op.AWAIT, Op.CAST, Op.INDEX})
_SPREADS: Final = frozenset({"*", "**"})
# a block that is handed on beside the arguments
_BLOCK: Final = "&"


class CallShape(NamedTuple):
    """The fields of an unresolved use that only the text of its call tells."""

    receiver: str = ""
    arguments: int = -1
    named_arguments: int = 0


def written_call(file: SourceFile, number: int) -> CallShape:
    """The receiver and the arguments of a call."""
    item = file.expressions[number]
    names = [argument.name for argument in item.items if argument.name != _BLOCK]
    receiver = _receiver(file, item.of)
    if not _SPREADS.isdisjoint(names):
        return CallShape(receiver)
    named = sum(map(bool, names))
    return CallShape(receiver, len(names) - named, named)


def _receiver(file: SourceFile, number: int) -> str:
    """The last name of the object whose member an expression is; none of the own object."""
    item = file.expressions[number]
    while item.op == Op.APPLY and item.of != NONE:
        item = file.expressions[item.of]
    number = item.of if item.op == Op.MEMBER else NONE
    while number != NONE:
        item = file.expressions[number]
        if item.op in {Op.NAME, Op.MEMBER}:
            return "" if item.name in _OWN else item.name
        number = item.of if item.op in _AROUND else NONE
    return ""

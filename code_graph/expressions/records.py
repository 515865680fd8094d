"""Packs symbolic code into a record of strings and columns, and back.

    names        a table of distinct strings; columns refer to them by number
    scopes       count, kinds, steps back to the parent, declarations
    expressions  count, operators, then for all expressions whose operator has such a field: steps
                 back to `of`, scopes of functions, names, numbers of items, lines (steps), columns
    items        count, steps back from the expression to the value, names
    places       of the runs of expressions in one scope: how many runs, lengths, scopes (steps)
    bindings     count, scopes, regions (steps), names, kinds, `at` (steps), steps back from `at` to
                 value and annotation, lines (steps), columns, declarations
    stores, results, clauses, exports, contracts   count, and a column for each field

A step back of 0 and a declaration of 0 stand for NONE. `unpack_code` raises ValueError for numbers
that point outside their table, so that the linker need not check any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, pairwise, repeat
from typing import Any, Final

from code_graph.expressions.model import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    Clause,
    Code,
    Contract,
    Export,
    Expression,
    MemberStore,
    Op,
    Result,
    Scope,
)
from index_format.native import (
    pack_column,
    pack_signed,
    pack_steps,
    unpack_column,
    unpack_signed,
    unpack_steps,
)
from index_format.tuples import make_rows

_OPERATORS: Final = len(Op)


def _table(*operators: Op) -> tuple[bool, ...]:
    return tuple(number in operators for number in range(_OPERATORS))


HAS_OF: Final = _table(
    *(Op.MEMBER, Op.CALL, Op.NEW, Op.INDEX, Op.APPLY, Op.AWAIT, Op.ELEMENT, Op.ENTER, Op.PART),
    *(Op.CAST, Op.CALLABLE, Op.TYPE_OF),
)
HAS_SCOPE: Final = _table(Op.FUNCTION)
HAS_NAME: Final = _table(*(Op.NAME, Op.MEMBER, Op.INDEX, Op.LITERAL, Op.TEXT, Op.PART, Op.OPERATOR))
HAS_ITEMS: Final = _table(
    *(Op.CALL, Op.NEW, Op.INDEX, Op.APPLY, Op.TUPLE, Op.LIST, Op.SET, Op.DICT, Op.OBJECT),
    *(Op.EITHER, Op.CAST, Op.OPERATOR, Op.CALLABLE, Op.SUPER, Op.OPAQUE),
)
HAS_PLACE: Final = _table(Op.NAME, Op.MEMBER, Op.THIS, Op.SUPER, Op.FUNCTION, Op.NEW)


class _Names:
    """Numbers strings, the frequent ones first; equal counts in the order of their first use."""

    def __init__(self, code: Code) -> None:
        counted = Counter(item.name for item in code.expressions if HAS_NAME[item.op])
        counted.update(item.name for item in code.bindings)
        counted.update(inner.name for item in code.expressions for inner in item.items)
        counted.update(item.name for item in code.clauses)
        for item in code.exports:
            counted.update((item.name, item.local, item.module))
        for contract in code.contracts:
            counted.update((contract.kind, contract.key))
        self.table = [name for name, _ in counted.most_common()]
        self._number_of = {name: number for number, name in enumerate(self.table)}

    def column(self, names: Iterable[str]) -> bytes:
        return pack_column([*map(self._number_of.__getitem__, names)])


def pack_code(code: Code) -> list[Any]:
    """The record of symbolic code."""
    names = _Names(code)
    parts = [
        _pack_scopes(code.scopes),
        _pack_expressions(code.expressions, names),
        _pack_places(code.scope_of),
        _pack_bindings(code.bindings, names),
        _pack_stores(code.stores, len(code.expressions)),
        [
            len(code.results),
            pack_column([item.scope for item in code.results]),
            pack_column([item.kind for item in code.results]),
            _pack_values([item.value for item in code.results]),
        ],
        [
            len(code.clauses),
            pack_steps([item.declaration for item in code.clauses]),
            pack_column([item.role for item in code.clauses]),
            _pack_values([item.value for item in code.clauses]),
            names.column(item.name for item in code.clauses),
        ],
        [
            len(code.exports),
            names.column(item.name for item in code.exports),
            names.column(item.local for item in code.exports),
            names.column(item.module for item in code.exports),
            _pack_values([item.value for item in code.exports]),
        ],
        _pack_contracts(code.contracts, names),
    ]
    return [names.table, *parts]


def unpack_code(record: list[Any]) -> Code:
    """Symbolic code from its record."""
    table, scopes, expressions, places, bindings, stores, *heads, contracts = record
    results, clauses, exports = heads
    if not isinstance(table, list) or any(item.__class__ is not str for item in table):
        raise ValueError("not a table of names")
    scope_table = _unpack_scopes(scopes)
    found = _unpack_expressions(expressions, table, len(scope_table))
    scope_of = _unpack_places(places, len(found), len(scope_table))
    values = _Values(len(found))
    count, *columns = results
    all_results = make_rows(
        Result,
        _below(unpack_column(columns[0], count), len(scope_table)),
        unpack_column(columns[1], count),
        values.unpack(columns[2], count),
    )
    count, *columns = clauses
    all_clauses = make_rows(
        Clause,
        unpack_steps(columns[0], count),
        unpack_column(columns[1], count),
        values.unpack(columns[2], count),
        _named(table, columns[3], count),
    )
    count, *columns = exports
    texts = (_named(table, column, count) for column in columns[:3])
    return Code(
        scope_table,
        found,
        scope_of,
        _unpack_bindings(bindings, table, len(found), len(scope_table)),
        _unpack_stores(stores, values),
        tuple(all_results),
        tuple(all_clauses),
        tuple(make_rows(Export, *texts, values.unpack(columns[3], count))),
        _unpack_contracts(contracts, table),
    )


def _pack_scopes(scopes: Sequence[Scope]) -> list[Any]:
    return [
        len(scopes),
        pack_column([scope.kind for scope in scopes]),
        pack_column(
            [0 if scope.parent == NONE else at - scope.parent for at, scope in enumerate(scopes)]
        ),
        pack_column([scope.declaration + 1 for scope in scopes]),
    ]


def _unpack_scopes(record: list[Any]) -> tuple[Scope, ...]:
    count, kinds, back, declarations = record
    steps = unpack_column(back, count)
    if not count or any(not 0 < step <= at for at, step in enumerate(steps[1:], 1)) or steps[0]:
        raise ValueError("a scope without its parent")
    parents = [at - step if step else NONE for at, step in enumerate(steps)]
    numbers = [number - 1 for number in unpack_column(declarations, count)]
    return tuple(make_rows(Scope, unpack_column(kinds, count), parents, numbers))


def _pack_expressions(expressions: Sequence[Expression], names: _Names) -> list[Any]:
    rows = list(enumerate(expressions))
    placed = [item for item in expressions if HAS_PLACE[item.op]]
    listed = [(at, item.items) for at, item in rows if HAS_ITEMS[item.op]]
    flat = [(at - item.value if item.value != NONE else 0) for at, all_ in listed for item in all_]
    return [
        len(expressions),
        bytes([item.op for item in expressions]),
        pack_column([_back(at, item.of) for at, item in rows if HAS_OF[item.op]]),
        pack_steps([item.of for item in expressions if HAS_SCOPE[item.op]]),
        names.column(item.name for item in expressions if HAS_NAME[item.op]),
        pack_column([len(items) for _, items in listed]),
        pack_steps([item.line for item in placed]),
        pack_column([item.column for item in placed]),
        len(flat),
        pack_column(flat),
        names.column(item.name for _, items in listed for item in items),
    ]


def _back(at: int, number: int) -> int:
    return 0 if number == NONE else at - number


def _unpack_expressions(record: list[Any], table: list[str], scopes: int) -> tuple[Expression, ...]:
    count, operators, backs, functions, names, lengths, lines, columns, items, *values = record
    if operators.__class__ is not bytes or len(operators) != count:
        raise ValueError("not the operators of all expressions")
    have = [len(operators.translate(None, others)) for others in _WITHOUT]
    of = _spread(operators, HAS_OF, unpack_column(backs, have[0]), 0)
    ofs = [at - back if back else NONE for at, back in enumerate(of)]
    if any(not NONE <= number < at for at, number in enumerate(ofs)):
        raise ValueError("an operand that is no earlier expression")
    for at, number in zip(
        (at for at, op in enumerate(operators) if HAS_SCOPE[op]),
        _below(unpack_steps(functions, have[1]), scopes),
        strict=True,
    ):
        ofs[at] = number
    return tuple(
        make_rows(
            Expression,
            operators,
            ofs,
            _spread(operators, HAS_NAME, _named(table, names, have[2]), ""),
            _spread(
                operators,
                HAS_ITEMS,
                _unpack_items(operators, unpack_column(lengths, have[3]), items, values, table),
                (),
            ),
            _spread(operators, HAS_PLACE, unpack_steps(lines, have[4]), 0),
            _spread(operators, HAS_PLACE, unpack_column(columns, have[4]), 0),
        )
    )


# of each field, the operators of expressions that have none
_WITHOUT: Final = [
    bytes(number for number in range(256) if number >= _OPERATORS or not flags[number])
    for flags in (HAS_OF, HAS_SCOPE, HAS_NAME, HAS_ITEMS, HAS_PLACE)
]


def _spread(
    operators: bytes, flags: tuple[bool, ...], values: Iterable[Any], default: object
) -> list[Any]:
    """A value for each expression: the next one where its operator has the field."""
    take = iter(values).__next__
    return [take() if flags[op] else default for op in operators]


def _unpack_items(
    operators: bytes, lengths: list[int], count: int, record: list[Any], table: list[str]
) -> list[tuple[Argument, ...]]:
    backs, names = record
    if sum(lengths) != count:
        raise ValueError("not the items of all lists")
    ends = [at for at, op in enumerate(operators) if HAS_ITEMS[op]]
    owners = chain.from_iterable(map(repeat, ends, lengths))
    values = [
        owner - back if back else NONE
        for owner, back in zip(owners, unpack_column(backs, count), strict=True)
    ]
    if any(value < NONE for value in values):
        raise ValueError("an item that is no expression")
    rows = list(make_rows(Argument, values, _named(table, names, count)))
    found, begin = [], 0
    for length in lengths:
        found.append(tuple(rows[begin : begin + length]))
        begin += length
    return found


def _pack_places(scope_of: Sequence[int]) -> list[Any]:
    starts = [at for at, scope in enumerate(scope_of) if not at or scope != scope_of[at - 1]]
    lengths = [end - begin for begin, end in pairwise([*starts, len(scope_of)])]
    return [len(starts), pack_column(lengths), pack_steps([scope_of[at] for at in starts])]


def _unpack_places(record: list[Any], count: int, scopes: int) -> tuple[int, ...]:
    runs, lengths, numbers = record
    sizes = unpack_column(lengths, runs)
    if sum(sizes) != count:
        raise ValueError("not the scopes of all expressions")
    places = _below(unpack_steps(numbers, runs), scopes)
    return tuple(chain.from_iterable(map(repeat, places, sizes)))


def _pack_bindings(bindings: Sequence[Binding], names: _Names) -> list[Any]:
    return [
        len(bindings),
        pack_column([item.scope for item in bindings]),
        pack_steps([item.region for item in bindings]),
        names.column(item.name for item in bindings),
        pack_column([item.kind for item in bindings]),
        pack_steps([item.at for item in bindings]),
        pack_column(
            [
                item.value + 1 if item.kind == BindingKind.IMPORTED else _back(item.at, item.value)
                for item in bindings
            ]
        ),
        pack_signed(_back(item.at, item.annotation) for item in bindings),
        pack_steps([item.line for item in bindings]),
        pack_column([item.column for item in bindings]),
        pack_column([item.declaration + 1 for item in bindings]),
    ]


def _unpack_bindings(
    record: list[Any], table: list[str], expressions: int, scopes: int
) -> tuple[Binding, ...]:
    count, *columns = record
    owners, regions, names, kinds, ats, values, annotations, lines, places, declared = columns
    kind_of = unpack_column(kinds, count)
    at = _below(unpack_steps(ats, count), expressions + 1)
    given = [
        value - 1 if kind == BindingKind.IMPORTED else place - value if value else NONE
        for kind, place, value in zip(kind_of, at, unpack_column(values, count), strict=True)
    ]
    typed = [
        place - back if back else NONE
        for place, back in zip(at, unpack_signed(annotations, count), strict=True)
    ]
    if any(not NONE <= number < expressions for number in typed) or min(given, default=0) < NONE:
        raise ValueError("a binding to no expression")
    return tuple(
        make_rows(
            Binding,
            _below(unpack_column(owners, count), scopes),
            _below(unpack_steps(regions, count), scopes),
            _named(table, names, count),
            kind_of,
            at,
            given,
            typed,
            unpack_steps(lines, count),
            unpack_column(places, count),
            [number - 1 for number in unpack_column(declared, count)],
        )
    )


def _pack_stores(stores: Sequence[MemberStore], expressions: int) -> list[Any]:
    del expressions
    return [
        len(stores),
        pack_steps([item.target for item in stores]),
        _pack_values([item.value for item in stores]),
        _pack_values([item.annotation for item in stores]),
        pack_column([item.declaration + 1 for item in stores]),
    ]


def _unpack_stores(record: list[Any], values: _Values) -> tuple[MemberStore, ...]:
    count, targets, given, annotations, declarations = record
    return tuple(
        make_rows(
            MemberStore,
            values.check(unpack_steps(targets, count)),
            values.unpack(given, count),
            values.unpack(annotations, count),
            [number - 1 for number in unpack_column(declarations, count)],
        )
    )


def _pack_contracts(contracts: Sequence[Contract], names: _Names) -> list[Any]:
    return [
        len(contracts),
        pack_column([item.role for item in contracts]),
        names.column(item.kind for item in contracts),
        names.column(item.key for item in contracts),
        pack_column([item.declaration + 1 for item in contracts]),
        pack_steps([item.place[0] for item in contracts]),
        pack_column([item.place[1] for item in contracts]),
        pack_steps([item.handler[0] for item in contracts]),
        pack_column([item.handler[1] for item in contracts]),
    ]


def _unpack_contracts(record: list[Any], table: list[str]) -> tuple[Contract, ...]:
    count, roles, kinds, keys, declarations, lines, columns, handlers, places = record
    return tuple(
        make_rows(
            Contract,
            unpack_column(roles, count),
            _named(table, kinds, count),
            _named(table, keys, count),
            [number - 1 for number in unpack_column(declarations, count)],
            zip(unpack_steps(lines, count), unpack_column(columns, count), strict=True),
            zip(unpack_steps(handlers, count), unpack_column(places, count), strict=True),
        )
    )


def _pack_values(numbers: Sequence[int]) -> bytes:
    return pack_steps(numbers)


class _Values:
    """Checks numbers of expressions."""

    def __init__(self, expressions: int) -> None:
        self._expressions = expressions

    def unpack(self, data: bytes, count: int) -> list[int]:
        return self.check(unpack_steps(data, count))

    def check(self, numbers: list[int]) -> list[int]:
        if any(not NONE <= number < self._expressions for number in numbers):
            raise ValueError("a number of no expression")
        return numbers


def _below(numbers: list[int], limit: int) -> list[int]:
    if any(not 0 <= number < limit for number in numbers):
        raise ValueError("a number outside its table")
    return numbers


def _named(table: list[str], data: bytes, count: int) -> Iterable[str]:
    look_up: Callable[[int], str] = table.__getitem__
    return map(look_up, unpack_column(data, count))

"""Packs facts into records of strings and columns, one record for each kind of fact, and back.

    places        count, the names of all declarations as one text, and the columns of name length,
                  start line (steps), lines spanned, and parent (signed, as far before the
                  declaration; the declaration itself stands for the module)
    declarations  language, status, cuts, count, signatures, parameters, returns, docs, contexts,
                  traits, bases, and the columns of name's line after the start (signed), name's
                  column, parameter count; what the places hold is not repeated
    imports       count, modules, names, aliases, lines (steps), owners (steps)
    uses          count, the first declarations of the names (steps), lines (steps)

A table of distinct values is stored with the column of their numbers; a trait is the combination
of kind, scope, conditionality, access and modifiers, which many declarations share. In a signature
the name, the parameters and the return type are replaced by marks, because they are stored anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, Final, Generic, TypeVar

from code_graph.facts.columns import DeclarationColumns, Trait
from code_graph.facts.model import (
    MODULE,
    DeclarationSpan,
    Facts,
    Import,
    Use,
    last_part,
    normalize_name,
    number_names,
    shorten,
)
from index_format.native import (
    check_column,
    find_endings,
    find_range,
    find_ranges,
    find_scopes,
    pack_column,
    pack_signed,
    pack_steps,
    unpack_column,
    unpack_signed,
    unpack_steps,
)

T = TypeVar("T", bound=Hashable)

# characters of a documentation text
MAX_DOC: Final = 200
_VERBATIM: Final = "\0"
_NAME: Final = "\1"
_PARAMETERS: Final = "\2"
_RETURNS: Final = "\3"


def pack_places(columns: DeclarationColumns) -> list[Any]:
    """The record of what search results need of declarations: small, so that it decodes fast."""
    names, parents = columns.names, columns.parents
    return [
        len(names),
        "".join(names),
        pack_column([*map(len, names)]),
        pack_steps(columns.start_lines),
        pack_column([*map(int.__sub__, columns.end_lines, columns.start_lines)]),
        pack_signed(
            [0 if parent == MODULE else number - parent for number, parent in enumerate(parents)]
        ),
    ]


def pack_declarations(facts: Facts, columns: DeclarationColumns) -> list[Any]:
    """The record of the file, and of its declarations what their places don't hold.

    Of a documentation text only the first line is kept.
    """
    names, parameters, returns = columns.names, columns.parameters, columns.returns
    return [
        facts.language,
        facts.status,
        [len(facts.cuts), pack_steps(facts.cuts)],
        len(names),
        _pack_table([*map(_fold_signature, columns.signatures, names, parameters, returns)]),
        _pack_table(parameters),
        _pack_table(returns),
        [first_line(doc) if doc else "" for doc in columns.docs],
        _pack_table(columns.contexts),
        _pack_traits(columns.traits),
        _pack_table(columns.bases),
        pack_signed([*map(int.__sub__, columns.name_lines, columns.start_lines)]),
        pack_column(columns.name_columns),
        pack_column(columns.parameter_counts),
    ]


def unpack_declarations(places: list[Any], record: list[Any], *, shown: bool = True) -> Facts:
    """The file and its declarations from their two records.

    Unless they are `shown`, signatures, documentation and contexts are empty.
    """
    count, text, lengths, starts, spans, parents = places
    names = _Names(text, lengths, count).all()
    language, status, cuts, details, signatures, parameters, returns, stored_docs, *rest = record
    contexts, traits, bases, name_lines, columns_of_names, counts = rest
    if details != count:
        raise ValueError("declarations without places, or places without declarations")
    given = _unpack_table(parameters, count)
    types = _unpack_table(returns, count)
    texts = docs = around = [""] * count
    if shown:
        texts = [*map(_unfold_signature, _unpack_table(signatures, count), names, given, types)]
        docs, around = strings(stored_docs), _unpack_table(contexts, count)
    begins = unpack_steps(starts, count)
    back = unpack_signed(parents, count)
    columns = DeclarationColumns(
        _map_table(_unpack_traits, traits, count),
        names,
        begins,
        [*map(int.__add__, begins, unpack_column(spans, count))],
        [*map(int.__add__, begins, unpack_signed(name_lines, count))],
        unpack_column(columns_of_names, count),
        [number - step if step else MODULE for number, step in enumerate(back)],
        texts,
        docs,
        around,
        _map_table(lambda found: tuple(strings(found)), bases, count),
        given,
        unpack_column(counts, count),
        types,
    )
    if any(len(column) != count for column in columns):
        raise ValueError("columns of different lengths")
    language, status = strings([language, status])
    return Facts(language, status, columns.rows(), cuts=tuple(unpack_steps(cuts[1], cuts[0])))


def without_cuts(record: list[Any]) -> list[Any]:
    """The record of declarations of a file that is not to be split."""
    language, status, _, *rest = record
    return [language, status, [0, pack_steps([])], *rest]


class DeclarationSpans:
    """Names and lines of a file's declarations, unpacked as far as they are asked for."""

    __slots__ = ("_names", "_parents", "_spans", "_starts")

    def __init__(self, record: list[Any]) -> None:
        count, text, lengths, self._starts, self._spans, self._parents = record
        self._names = _Names(text, lengths, count)

    @property
    def columns(self) -> tuple[str, bytes, bytes, bytes, bytes, int]:
        """Names and lengths, starts, spans, parents and the count, as they are stored."""
        names = self._names
        return names.text, names.lengths, self._starts, self._spans, self._parents, len(names)

    def between(self, first: int, last: int) -> list[DeclarationSpan]:
        """The declarations that overlap a range of lines, shorter ones last."""
        names = self._names
        check_column(self._parents, len(names))
        found = find_ranges(
            names.text, names.lengths, self._starts, self._spans, len(names), first, last
        )
        qualify = self._qualify
        return [DeclarationSpan(name, begin, end, at, qualify) for at, begin, end, name in found]

    def named(self, name: str) -> list[DeclarationSpan]:
        """The declarations of a normalized name, in order."""
        count, numbers = len(self._names), self._names.named(name)
        if numbers:
            check_column(self._parents, count)
        return [
            DeclarationSpan(
                self._names[at],
                *find_range(self._starts, self._spans, count, at),
                at,
                self._qualify,
            )
            for at in numbers
        ]

    def _qualify(self, number: int) -> str:
        """The qualified name of a declaration; damaged parents end it early."""
        names = self._names
        parts = find_scopes(names.text, names.lengths, self._parents, len(names), number)
        return ".".join(reversed(parts))


class _Names:
    """The names of a file's declarations, each cut out of one text when it is needed."""

    __slots__ = ("_count", "_edges", "lengths", "text")

    def __init__(self, text: object, lengths: bytes, count: int) -> None:
        if text.__class__ is not str or count.__class__ is not int:
            raise ValueError("no text of names")
        check_column(lengths, count)
        self.text = str(text)
        self.lengths = lengths
        self._count = count
        self._edges: list[int] | None = None

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> str:
        edges = self._all_edges()
        return self.text[edges[number] : edges[number + 1]]

    def all(self) -> list[str]:
        """Every name, in order."""
        return [self.text[begin:end] for begin, end in pairwise(self._all_edges())]

    def named(self, name: str) -> list[int]:
        """The numbers of names whose last part, normalized, is `name`."""
        if not self.text.isascii():  # normalized, a character may become two
            numbers: Iterable[int] = range(self._count)
        elif name.isascii():
            ending = name.encode("ascii")
            numbers = find_endings(self.text.encode("ascii"), self.lengths, self._count, ending)
        else:
            numbers = ()
        return [number for number in numbers if _is_named(self[number], name)]

    def _all_edges(self) -> list[int]:
        """Where each name begins, and the end; most files have few, for which arrays are slower."""
        if self._edges is None:
            lengths = unpack_column(self.lengths, self._count)
            self._edges = [*accumulate(lengths, initial=0)]
            if self._edges[-1] != len(self.text):
                raise ValueError("names that are longer or shorter than their text")
        return self._edges


def _is_named(item: str, name: str) -> bool:
    return normalize_name(last_part(item)) == name


def pack_imports(items: Sequence[Import]) -> list[Any]:
    """The record of imports."""
    return [
        len(items),
        _pack_table([item.module for item in items]),
        _pack_table([item.name for item in items]),
        _pack_table([item.alias for item in items]),
        pack_steps([item.line for item in items]),
        pack_steps([item.owner for item in items]),
    ]


def unpack_imports(record: list[Any]) -> tuple[Import, ...]:
    """Imports from their record."""
    count, modules, names, aliases, lines, owners = record
    columns = (_unpack_table(column, count) for column in (modules, names, aliases))
    numbers = (unpack_steps(column, count) for column in (lines, owners))
    return tuple(map(Import, *columns, *numbers))


def pack_uses(items: Sequence[Use], names: Sequence[str]) -> list[Any]:
    """The record of uses of names; these are all that the file declares."""
    numbers = number_names(names)
    if not numbers.keys() >= {item.name for item in items}:
        raise ValueError("a use of no declaration")
    return [
        len(items),
        pack_steps([numbers[item.name] for item in items]),
        pack_steps([item.line for item in items]),
    ]


def unpack_uses(places: list[Any], record: list[Any]) -> tuple[Use, ...]:
    """Uses from their record, and the record of the places of declarations."""
    declared, text, lengths, *_ = places
    count, numbers, lines = record
    names = _Names(text, lengths, declared).all()
    found = unpack_steps(numbers, count)
    if min(found, default=0) < 0:
        raise ValueError("a use of no declaration")
    return tuple(map(Use, map(names.__getitem__, found), unpack_steps(lines, count)))


def _pack_table(values: Sequence[Any]) -> list[Any]:
    if values and values.count(values[0]) == len(values):  # so it is for most columns of a header
        return [[values[0]], pack_column([0] * len(values))]
    table = ValueTable(values)
    return [table.values, table.column(values)]


def _unpack_table(stored: list[Any], count: int) -> list[str]:
    table, column = stored
    return look_up(strings(table), column, count)


def _map_table(convert: Callable[[Any], Any], stored: list[Any], count: int) -> list[Any]:
    table, column = stored
    return look_up([convert(value) for value in table], column, count)


def _pack_traits(items: Sequence[Trait]) -> list[Any]:
    """The table of traits: few are distinct, and only of these modifiers are sorted."""
    values, column = _pack_table(items)
    return [[(*others, tuple(sorted(modifiers))) for *others, modifiers in values], column]


def _unpack_traits(stored: list[Any]) -> Trait:
    kind, scope_kind, is_conditional, access, modifiers = stored
    kind, scope_kind, access = strings([kind, scope_kind, access])
    if not isinstance(is_conditional, bool):
        raise ValueError("not a boolean")  # noqa: TRY004 damaged bytes, not a caller's mistake
    return kind, scope_kind, is_conditional, access, frozenset(strings(modifiers))


def _fold_signature(text: str, name: str, parameters: str, returns: str) -> str:
    if not (parameters or returns) and text.isprintable():  # so it has no marks
        return text.replace(name, _NAME, 1) if name else text
    short = text.replace(parameters, _PARAMETERS, 1) if parameters else text
    head, found, tail = short.rpartition(returns) if returns else (short, "", "")
    short = f"{head}{_RETURNS}{tail}" if found else short
    short = short.replace(name, _NAME, 1) if name else short
    if f"{text}{name}{returns}".isprintable():  # so no mark is but those that were put there
        return short
    is_same = _unfold_signature(short, name, parameters, returns) == text
    return short if is_same else _VERBATIM + text


def _unfold_signature(short: str, name: str, parameters: str, returns: str) -> str:
    if short.startswith(_VERBATIM):
        return short[1:]
    short = short.replace(_NAME, name, 1).replace(_RETURNS, returns, 1)
    return short.replace(_PARAMETERS, parameters, 1)


def first_line(doc: str) -> str:
    """The stored part of a documentation text: its first line."""
    return shorten(doc.partition("\n")[0], MAX_DOC)


class ValueTable(Generic[T]):
    """Distinct values, the frequent ones first, and the number of each."""

    def __init__(self, values: Iterable[T]) -> None:
        """Number the values by frequency; equal counts stay in order of first appearance."""
        self.values = [value for value, _ in Counter(values).most_common()]
        self._numbers = {value: number for number, value in enumerate(self.values)}

    def column(self, values: Iterable[T]) -> bytes:
        """The numbers of these values."""
        return pack_column([*map(self._numbers.__getitem__, values)])


def look_up(table: Sequence[T], data: bytes, count: int) -> list[T]:
    """The values for a column of their numbers."""
    return [table[number] for number in unpack_column(data, count)]


def strings(value: object) -> list[str]:
    """The value itself; raises if it is not a list of strings."""
    if not isinstance(value, list) or any(item.__class__ is not str for item in value):
        raise ValueError("not a list of strings")
    return value

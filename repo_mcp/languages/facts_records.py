"""Facts as records of strings and bytes and back: one record of columns for each kind of fact.

    places        count, names, traits, and the columns of start line (steps), lines spanned, name's
                  line after the start (signed), parent (signed, as far before the declaration; the
                  declaration itself stands for the module)
    declarations  language, status, cuts, signatures, parameters, returns, docs, contexts, bases,
                  and the columns of name's column and parameter count
    imports       count, modules, names, aliases, lines (steps), owners (steps)
    references    count, words, names, qualifiers and roles by the words' numbers, how many of these
                  threes, the references' threes, lines (steps), columns, owners (steps)

A table of values stands with its column; a trait is what a declaration shares with many others:
kind, scope, whether conditional, access, modifiers. In a signature the name, the parameters and
what is returned are replaced by marks, because they are stored anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from repo_mcp.languages.facts import MODULE, Declaration, Facts, Import, Place, Reference
from repo_mcp.languages.facts_columns import (
    Table,
    looked_up,
    pack,
    pack_signed,
    pack_steps,
    signed,
    strings,
    unpack,
    unpack_array,
    unpack_signed,
    unpack_steps,
)

_AS_IT_IS: Final = "\0"
_NAME: Final = "\1"
_PARAMETERS: Final = "\2"
_RETURNS: Final = "\3"


def of_places(facts: Facts) -> list[Any]:
    """What is stored of where declarations are: little, so that a look at it takes little."""
    items = facts.declarations
    return [
        len(items),
        [item.name for item in items],
        _tabled([_traits(item) for item in items]),
        pack_steps([item.start_line for item in items]),
        pack([item.end_line - item.start_line for item in items]),
        pack_signed(item.name_line - item.start_line for item in items),
        pack_signed(
            0 if item.parent == MODULE else number - item.parent
            for number, item in enumerate(items)
        ),
    ]


def of_declarations(facts: Facts) -> list[Any]:
    """What else is stored of the file and its declarations."""
    items = facts.declarations
    return [
        facts.language,
        facts.status,
        [len(facts.cuts), pack_steps(facts.cuts)],
        _tabled([_folded(item) for item in items]),
        _tabled([item.parameters for item in items]),
        _tabled([item.returns for item in items]),
        [item.doc for item in items],
        _tabled([item.decl_context for item in items]),
        _tabled([item.bases for item in items]),
        pack([item.name_column for item in items]),
        pack([item.parameter_count for item in items]),
    ]


def to_declarations(places: list[Any], record: list[Any]) -> Facts:
    """The file and its declarations as they were stored."""
    count, names, traits, starts, spans, name_lines, parents = places
    language, status, cuts, signatures, parameters, returns, docs, *rest = record
    contexts, bases, columns, counts = rest
    names, docs = strings(names), strings(docs)
    given = _untabled(parameters, count)
    types = _untabled(returns, count)
    begins = unpack_steps(starts, count)
    back = unpack_signed(parents, count)
    shared = _each(_traits_of, traits, count)
    rows = zip(
        (trait[0] for trait in shared),
        names,
        begins,
        map(int.__add__, begins, unpack(spans, count)),
        map(int.__add__, begins, unpack_signed(name_lines, count)),
        unpack(columns, count),
        [number - step if step else MODULE for number, step in enumerate(back)],
        map(_unfolded, _untabled(signatures, count), names, given, types),
        docs,
        (trait[1] for trait in shared),
        (trait[2] for trait in shared),
        _untabled(contexts, count),
        (trait[3] for trait in shared),
        (trait[4] for trait in shared),
        _each(lambda found: tuple(strings(found)), bases, count),
        given,
        unpack(counts, count),
        types,
        strict=True,
    )
    language, status = strings([language, status])
    declarations = tuple(Declaration(*row) for row in rows)
    return Facts(language, status, declarations, cuts=tuple(unpack_steps(cuts[1], cuts[0])))


def to_places(record: list[Any], first: int, last: int) -> list[Place]:
    """What of the declarations lies between two lines, or around them; the shorter ones last."""
    count, names, (kinds, column), starts, stored_spans, name_lines, parents = record
    begins = np.cumsum(signed(unpack_array(starts, count)))
    spans = unpack_array(stored_spans, count)
    touching = ((begins <= last) & (begins + spans >= first)).nonzero()[0]
    if not len(touching):
        return []
    touching = touching[np.argsort(-spans[touching], kind="stable")]
    back = signed(unpack_array(parents, count))
    columns = (
        looked_up([_kind_of(kind) for kind in kinds], column, count),
        begins.tolist(),
        (begins + spans).tolist(),
        (begins + signed(unpack_array(name_lines, count))).tolist(),
    )
    return [
        Place(columns[0][at], _qualified(names, back, at), *(column[at] for column in columns[1:]))
        for at in touching.tolist()
    ]


def _qualified(names: list[Any], back: npt.NDArray[np.int64], number: int) -> str:
    """The name of a declaration after the names of those that hold it."""
    parts = [names[number]]
    while back[number]:
        number -= int(back[number])
        if not 0 <= number < len(names) or len(parts) > len(names):
            raise ValueError("declarations that hold each other, or a parent that is not there")
        parts.append(names[number])
    return ".".join(reversed(strings(parts)))


def of_imports(items: Sequence[Import]) -> list[Any]:
    """What is stored of imports."""
    return [
        len(items),
        _tabled([item.module for item in items]),
        _tabled([item.name for item in items]),
        _tabled([item.alias for item in items]),
        pack_steps([item.line for item in items]),
        pack_steps([item.owner for item in items]),
    ]


def to_imports(record: list[Any]) -> tuple[Import, ...]:
    """Imports as they were stored."""
    count, modules, names, aliases, lines, owners = record
    columns = (_untabled(column, count) for column in (modules, names, aliases))
    numbers = (unpack_steps(column, count) for column in (lines, owners))
    return tuple(map(Import, *columns, *numbers))


def of_references(items: Sequence[Reference]) -> list[Any]:
    """What is stored of references."""
    uses = [item[:3] for item in items]
    table = Table(uses)
    words = Table(word for use in table.values for word in use)
    return [
        len(items),
        words.values,
        [words.column(use[part] for use in table.values) for part in range(3)],
        len(table.values),
        table.column(uses),
        pack_steps([item.line for item in items]),
        pack([item.column for item in items]),
        pack_steps([item.owner for item in items]),
    ]


def to_references(record: list[Any]) -> tuple[Reference, ...]:
    """References as they were stored."""
    count, words, parts, kinds, uses, lines, columns, owners = record
    words = strings(words)
    table = list(zip(*(looked_up(words, part, kinds) for part in parts), strict=True))
    rows = zip(
        looked_up(table, uses, count),
        unpack_steps(lines, count),
        unpack(columns, count),
        unpack_steps(owners, count),
        strict=True,
    )
    return tuple(
        Reference(name, qualifier, role, line, column, owner)
        for (name, qualifier, role), line, column, owner in rows
    )


def _tabled(values: Sequence[Any]) -> list[Any]:
    table = Table(values)
    return [table.values, table.column(values)]


def _untabled(stored: list[Any], count: int) -> list[str]:
    table, column = stored
    return looked_up(strings(table), column, count)


def _each(read: Callable[[Any], Any], stored: list[Any], count: int) -> list[Any]:
    table, column = stored
    return looked_up([read(value) for value in table], column, count)


def _kind_of(stored: list[Any]) -> str:
    (kind,) = strings(stored[:1])
    return kind


def _traits(item: Declaration) -> tuple[str, str, bool, str, tuple[str, ...]]:
    modifiers = tuple(sorted(item.modifiers))
    return item.kind, item.scope_kind, item.is_conditional, item.access, modifiers


def _traits_of(stored: list[Any]) -> tuple[str, str, bool, str, frozenset[str]]:
    kind, scope_kind, is_conditional, access, modifiers = stored
    kind, scope_kind, access = strings([kind, scope_kind, access])
    if not isinstance(is_conditional, bool):
        raise ValueError("neither true nor false")  # noqa: TRY004 it is about bytes, not a caller
    return kind, scope_kind, is_conditional, access, frozenset(strings(modifiers))


def _folded(item: Declaration) -> str:
    text, name, parameters, returns = item.signature, item.name, item.parameters, item.returns
    short = text.replace(parameters, _PARAMETERS, 1) if parameters else text
    head, found, tail = short.rpartition(returns) if returns else (short, "", "")
    short = f"{head}{_RETURNS}{tail}" if found else short
    short = short.replace(name, _NAME, 1) if name else short
    return short if _unfolded(short, name, parameters, returns) == text else _AS_IT_IS + text


def _unfolded(short: str, name: str, parameters: str, returns: str) -> str:
    if short.startswith(_AS_IT_IS):
        return short[1:]
    short = short.replace(_NAME, name, 1).replace(_RETURNS, returns, 1)
    return short.replace(_PARAMETERS, parameters, 1)

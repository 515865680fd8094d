"""The declarations of one file as columns, a sequence for each field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, overload

from code_graph.facts.model import Declaration
from index_format.tuples import NamedTuple

# kind, kind of the enclosing scope, conditionality, access and modifiers: many share all of them
Trait: TypeAlias = tuple[str, str, bool, str, frozenset[str]]

NO_MODIFIERS: Final = frozenset[str]()


class DeclarationColumns(NamedTuple):
    """A value of each declaration in each column."""

    traits: Sequence[Trait]
    names: Sequence[str]
    start_lines: Sequence[int]
    end_lines: Sequence[int]
    name_lines: Sequence[int]
    name_columns: Sequence[int]
    parents: Sequence[int]
    signatures: Sequence[str]
    docs: Sequence[str]
    contexts: Sequence[str]
    bases: Sequence[tuple[str, ...]]
    parameters: Sequence[str]
    parameter_counts: Sequence[int]
    returns: Sequence[str]

    def rows(self) -> tuple[Declaration, ...]:
        """The declarations themselves."""
        kinds, scopes, conditions, access, modifiers = (
            zip(*self.traits, strict=True) if self.traits else [()] * 5
        )
        return tuple(
            map(
                Declaration,
                kinds,
                self.names,
                self.start_lines,
                self.end_lines,
                self.name_lines,
                self.name_columns,
                self.parents,
                self.signatures,
                self.docs,
                scopes,
                conditions,
                self.contexts,
                access,
                modifiers,
                self.bases,
                self.parameters,
                self.parameter_counts,
                self.returns,
            )
        )


class Declarations(Sequence[Declaration]):
    """Declarations as columns, which make a record when it is asked for."""

    __slots__ = ("_rows", "columns")

    def __init__(self, columns: DeclarationColumns) -> None:
        """Keep the columns, all of one length."""
        self.columns: Final = columns
        self._rows: tuple[Declaration, ...] | None = None

    def __len__(self) -> int:
        """Count of declarations."""
        return len(self.columns.names)

    @overload
    def __getitem__(self, number: int) -> Declaration: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Declaration, ...]: ...
    def __getitem__(self, number: int | slice) -> Declaration | tuple[Declaration, ...]:
        """One declaration, or some."""
        return self._all()[number]

    def __iter__(self) -> Iterator[Declaration]:
        """All in order."""
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        """True if the same declarations are in the same order, in whatever form."""
        if isinstance(other, Declarations):
            return self._all() == other._all()
        return self._all() == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        """Of all declarations."""
        return hash(self._all())

    def __repr__(self) -> str:
        """The declarations."""
        return repr(self._all())

    def _all(self) -> tuple[Declaration, ...]:
        if self._rows is None:
            self._rows = self.columns.rows()
        return self._rows


def columns_of(items: Sequence[Declaration]) -> DeclarationColumns:
    """The columns of declarations."""
    if isinstance(items, Declarations):
        return items.columns
    return DeclarationColumns(
        [
            (item.kind, item.scope_kind, item.is_conditional, item.access, item.modifiers)
            for item in items
        ],
        [item.name for item in items],
        [item.start_line for item in items],
        [item.end_line for item in items],
        [item.name_line for item in items],
        [item.name_column for item in items],
        [item.parent for item in items],
        [item.signature for item in items],
        [item.doc for item in items],
        [item.decl_context for item in items],
        [item.bases for item in items],
        [item.parameters for item in items],
        [item.parameter_count for item in items],
        [item.returns for item in items],
    )

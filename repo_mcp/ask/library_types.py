"""Tells uses of members of library types that no type of the repository can stand for.

A call of `append` on a list of Python's is none of a method `append` that a class here has, unless
the class, or one that inherits from it, has a base from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from code_graph.language import load
from code_graph.language_table import language_named
from code_graph.query.edges import edges_into, edges_of_parts, unresolved_of
from code_graph.query.model import PlacedEdge, Symbol
from code_graph.query.snapshot import MOST_PARTS, GraphSnapshot
from code_graph.store.terms import last_name
from repo_mcp.ask.unseen_users import BASE_TYPES, closure_of

_MEMBERS: Final = frozenset({"method", "constructor"})
_CLASS: Final = "class"
_TYPE: Final = "type"
_IMPLICIT: Final = "implicit"
# bases that nothing which has other members is a subtype of, by their last names
_PLAIN: Final = frozenset(
    {"object", "Object", "Serializable", "Cloneable", "Comparable", "Runnable", "Callable"}
    | {"AutoCloseable", "Closeable", "ABC", "Generic", "NamedTuple", "Enum"}
)
_RAISED: Final = ("Error", "Exception", "Warning", "Throwable")


def judge_of_library_uses(graph: GraphSnapshot, symbol: Symbol) -> Callable[[PlacedEdge], bool]:
    """A test of uses of external members: true for those that can't be uses of a method here."""
    language = language_named(symbol.language)
    if not language.closed_types or symbol.node_type not in _MEMBERS:
        return lambda _: False
    holder = _holder(graph, symbol)
    inherits = not (language.has_implicit_interfaces or language.implements_traits)
    bases: frozenset[str] | None = frozenset()
    if holder is not None and _is_added(graph, symbol, holder):
        return lambda _: False
    if holder is None or inherits:
        bases = None if holder is None else _outer_bases(graph, holder)

    def is_outside(edge: PlacedEdge) -> bool:
        owner = edge.external.replace("::", ".").rpartition(".")[0]
        # code of another language says by its own rules which owners are types
        known = language_named(graph.symbol_at(edge.source_chunk).language).closed_types
        if not known:
            return False
        if _rule(known, "is_module")(owner):
            return True
        if not _rule(known, "is_closed")(owner):
            return False
        is_final = last_name(owner) in _final_types(known)
        return is_final or (bases is not None and not _is_one_of(owner, bases))

    return is_outside


def _is_added(graph: GraphSnapshot, symbol: Symbol, holder: Symbol) -> bool:
    """True for a member that code calls on other types: of an implicit class, an extension."""
    around, declared = graph.declaration(holder), graph.declaration(symbol)
    is_implicit = around is not None and _IMPLICIT in around.modifiers
    return is_implicit or (declared is not None and f".{symbol.name}" in declared.signature)


def _final_types(module: str) -> frozenset[str]:
    names: frozenset[str] = load(f"{module}:FINAL")
    return names


def _rule(module: str, name: str) -> Callable[[str], bool]:
    rule: Callable[[str], bool] = load(f"{module}:{name}")
    return rule


def _holder(graph: GraphSnapshot, symbol: Symbol) -> Symbol | None:
    """The class that has a method, if it is one."""
    owners = graph.lookup(symbol.owner, 2)
    kind = owners[0].node_type if owners else ""
    is_named = kind == _TYPE and language_named(symbol.language).has_implicit_interfaces
    return owners[0] if kind == _CLASS or is_named else None


def _outer_bases(graph: GraphSnapshot, holder: Symbol) -> frozenset[str] | None:
    """The last names of the bases from outside that a class has, or one that inherits from it.

    None if a base is not known.
    """
    names: set[str] = set()

    def heirs(number: int) -> Iterator[int]:
        page = edges_into(graph, number, BASE_TYPES, limit=MOST_PARTS)
        return (edge.source for edge in page.edges)

    def bases(number: int) -> Iterator[int]:
        for edge in edges_of_parts(graph, number, BASE_TYPES):
            if edge.external:
                names.add(last_name(edge.external))
            else:
                yield edge.target

    types = closure_of(closure_of([holder.id], heirs), bases)
    is_known = len(types) < MOST_PARTS and not any(
        use.type in BASE_TYPES.types for number in types for use in unresolved_of(graph, number)
    )
    return frozenset(names) if is_known else None


def _is_one_of(owner: str, bases: frozenset[str]) -> bool:
    """True if an object of a class with these bases may be one of a type from outside."""
    name = last_name(owner)
    for base in bases:
        is_raised = base.endswith(_RAISED)
        if (is_raised and name.endswith(_RAISED)) or base == name:
            return True
        if not is_raised and base not in _PLAIN:
            return True
    return False

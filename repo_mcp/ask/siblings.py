"""Finds the places that one more of a kind needs: those that the others of the kind have.

The kind of a type is what it extends or implements; of a member, it is the type that holds it. The
part of a name that sets it apart from the others (Slack of SlackNotifier beside MailNotifier) is
looked for in any spelling, in code, texts and paths.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from code_graph.paths.path_kinds import is_test, rank_path
from code_graph.query.choice import choose_target
from code_graph.query.edges import edges_into, edges_out_of
from code_graph.query.model import TYPES, Symbol
from code_graph.query.neighbours import SUBTYPES
from code_graph.query.snapshot import GraphSnapshot
from index_format.tuples import NamedTuple
from repo_mcp.repository.symbol_places import SymbolPlace, cited_place

_MOST_SIBLINGS: Final = 200
# siblings whose places are compared: each is a search
MOST_COMPARED: Final = 8
_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# words that the names of a kind share where nothing else makes them one
_WORDS_ALIKE: Final = 2
# lines of an entry in a table or a list of cases
_ENTRY: Final = 12
# a name of fewer letters stands for too much
_SHORTEST: Final = 3


# numbered lines by the path of their file
LinesByPath = Mapping[str, Sequence[tuple[int, str]]]


class SiblingKind(NamedTuple):
    """A symbol, what makes it one of a kind, and the others of the kind."""

    example: Symbol
    head: SymbolPlace
    siblings: Sequence[Symbol]


class SiblingPlace(NamedTuple):
    """Lines of a file with the example's name, and the number of siblings that are named, too."""

    path: str
    lines: Sequence[tuple[int, str]]
    siblings: int = 0


class SiblingPlaces(NamedTuple):
    """Where the example stands: beside its siblings, in files like theirs, and elsewhere."""

    shared: Sequence[SiblingPlace]
    # files whose paths have the name, with the number of siblings that have such a file
    own: Sequence[SiblingPlace]
    # with the whole name
    elsewhere: Sequence[SiblingPlace]


def find_kind(graph: GraphSnapshot, name: str) -> SiblingKind | None:
    """The kind that a name is of, or the kind that it is the head of; None for neither."""
    target = choose_target(graph, name).target
    symbol = None if target is None else target.symbol
    if symbol is None:
        return None
    below = _subtypes(graph, symbol) if symbol.node_type in TYPES else []
    if below:
        return SiblingKind(_telling(below), cited_place(graph, symbol), below)
    edges = edges_out_of(graph, symbol.id, SUBTYPES, limit=_MOST_SIBLINGS).edges
    bases = [base for edge in edges if (base := graph.symbol(edge.target)) is not None]
    kinds = [(base, _subtypes(graph, base)) for base in bases]
    # the base that fewest others have says most about what it is
    kinds = sorted((item for item in kinds if len(item[1]) > 1), key=lambda item: len(item[1]))
    if kinds:
        base, siblings = kinds[0]
        return SiblingKind(symbol, cited_place(graph, base), siblings)
    return _members(graph, symbol) or _named_alike(graph, symbol)


def _subtypes(graph: GraphSnapshot, symbol: Symbol) -> list[Symbol]:
    """The types that extend or implement a symbol, those of tests left out."""
    edges = edges_into(graph, symbol.id, SUBTYPES, limit=_MOST_SIBLINGS).edges
    found = {edge.source: graph.symbol_at(edge.source_chunk) for edge in edges}
    return [item for item in found.values() if not is_test(item.path) and item.id != symbol.id]


def _telling(siblings: Sequence[Symbol]) -> Symbol:
    """The one that is the example where none was named: of a file of its own, if one is."""
    files: dict[str, int] = defaultdict(int)
    for item in siblings:
        files[item.path] += 1
    return min(siblings, key=lambda item: (files[item.path], item.path, item.start_line))


def _named_alike(graph: GraphSnapshot, symbol: Symbol) -> SiblingKind | None:
    """Types of the same folder that begin, or end, with more than one of the words of its name."""
    words = _PARTS.findall(symbol.simple_name)
    if symbol.node_type not in TYPES or len(words) <= _WORDS_ALIKE:
        return None
    folder = symbol.path.rpartition("/")[0]
    count = len(graph.snapshot.file_starts) - 1
    paths = (graph.path_of(number) for number in range(count))
    near = [path for path in paths if path.rpartition("/")[0] == folder]
    types = [item for path in near for item, _ in graph.outline(path) if item.node_type in TYPES]
    begin, end = "".join(words[:_WORDS_ALIKE]), "".join(words[-_WORDS_ALIKE:])
    by_begin = [item for item in types if item.simple_name.startswith(begin)]
    by_end = [item for item in types if item.simple_name.endswith(end)]
    for mark, alike in ((f"{begin}…", by_begin), (f"…{end}", by_end)):
        if len(alike) > 1:
            head = cited_place(graph, symbol)._replace(name=mark, kind="names alike")
            return SiblingKind(symbol, head, alike)
    return None


def _members(graph: GraphSnapshot, symbol: Symbol) -> SiblingKind | None:
    """The members beside a member of a type that lists its values."""
    rows = graph.outline(symbol.path)
    own = next((at for at, (item, _) in enumerate(rows) if item.id == symbol.id), None)
    declared = None if own is None else rows[own][1]
    if declared is None or declared.parent < 0:
        return None
    holder = rows[declared.parent + 1][0]
    siblings = [
        item
        for item, other in rows
        if other is not None
        and other.parent == declared.parent
        and item.node_type == symbol.node_type
    ]
    return SiblingKind(symbol, cited_place(graph, holder), siblings) if len(siblings) > 1 else None


def tell_apart(names: Iterable[str], example: str) -> Mapping[str, str]:
    """By name the part that sets it apart from the others.

    The words with which the example begins or ends as most of them do are left out.
    """
    words = {name: [part.lower() for part in _PARTS.findall(name)] for name in names}
    own = words.setdefault(example, [part.lower() for part in _PARTS.findall(example)])
    most = len(words) // 2
    first = _common([parts for name, parts in words.items() if name != example], own, most)
    backwards = [parts[::-1] for name, parts in words.items() if name != example]
    last = _common(backwards, own[::-1], most)
    head, tail = own[:first], own[len(own) - last :] if last else []

    def telling(name: str) -> str:
        parts, folded = _PARTS.findall(name), words[name]
        begin = first if folded[:first] == head else 0
        end = len(parts) - (last if last and folded[-last:] == tail else 0)
        part = "_".join(parts[begin:end])
        return part if len(part) >= _SHORTEST else name

    return {name: telling(name) for name in words}


def most_alike(names: Iterable[str], example: str) -> list[str]:
    """The example and the other names, those with most of its words first."""
    own = {part.lower() for part in _PARTS.findall(example)}

    def unlike(name: str) -> int:
        return -len(own & {part.lower() for part in _PARTS.findall(name)})

    others = (name for name in dict.fromkeys(names) if name != example)
    return [example, *sorted(others, key=unlike)]


def _common(others: Sequence[Sequence[str]], own: Sequence[str], most: int) -> int:
    """The number of first words that as many of the others as `most` have, too."""
    for count in range(len(own) - 1, 0, -1):
        if sum(parts[:count] == own[:count] for parts in others) >= max(most, 1):
            return count
    return 0


def any_spelling(name: str) -> str:
    """An expression for a name in camel case, with underscores, dashes, dots or blanks."""
    parts = _PARTS.findall(name)
    return r"[-_. ]?".join(map(re.escape, parts)) if parts else re.escape(name)


def compare_places(
    example: str, parts: Mapping[str, str], lines_with: Mapping[str, LinesByPath]
) -> SiblingPlaces:
    """The places of the example among those of all.

    `parts` sets the names apart, and `lines_with` has the lines with each part. A part may be a
    common word: then what counts are lines near one of a sibling, and those with the whole name.
    """
    part = parts[example]
    whole = part if len(_PARTS.findall(part)) > 1 else example
    telling = re.compile(any_spelling(whole), re.IGNORECASE)
    others = [lines for other, lines in lines_with.items() if other != part]
    # beside one other alone a common word may stand by chance
    needed = min(2, max(len(others) - 1, 1))
    analogs = [_neutral(path, other) for other, paths in lines_with.items() for path in paths]
    shared: list[SiblingPlace] = []
    own: list[SiblingPlace] = []
    elsewhere: list[SiblingPlace] = []
    for path, lines in lines_with[part].items():
        neutral = _neutral(path, part)
        like = analogs.count(neutral) - 1 if neutral != path.lower() else 0
        near = [[number for number, _ in other.get(path, ())] for other in others]
        close = {at: sum(_is_near(at, numbers) for numbers in near) for at, _ in lines}
        beside = [line for line in lines if close[line[0]] >= needed or telling.search(line[1])]
        if like:
            own.append(SiblingPlace(path, lines, like))
        elif any(close[at] >= needed for at, _ in beside):
            shared.append(SiblingPlace(path, beside, max(close.values())))
        elif named := [line for line in lines if telling.search(line[1])]:
            elsewhere.append(SiblingPlace(path, named))

    def order(place: SiblingPlace) -> tuple[int, int, str]:
        return rank_path(place.path), -place.siblings, place.path

    return SiblingPlaces(*(sorted(places, key=order) for places in (shared, own, elsewhere)))


def _is_near(line: int, numbers: Sequence[int]) -> bool:
    """True if one of the ascending numbers is within an entry of a table from a line."""
    at = bisect_left(numbers, line - _ENTRY)
    return at < len(numbers) and numbers[at] <= line + _ENTRY


def _neutral(path: str, part: str) -> str:
    """A path without the telling part of a name: those of siblings are equal."""
    return re.sub(any_spelling(part), "\0", path, flags=re.IGNORECASE).lower()

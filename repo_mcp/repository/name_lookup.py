"""Finds declarations by name in the text index, for answers before the graph is linked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from code_graph import LANGUAGES
from code_graph.facts import (
    FAILED,
    MODULE,
    OVERLOAD,
    DamagedFactsError,
    Declaration,
    Facts,
    decode_declarations,
    last_part,
)
from code_graph.language_table import implicit_names
from code_graph.paths.globs import is_below
from code_graph.paths.name_places import (
    line_in_place,
    name_in_place,
    plain_name,
    titles_in,
    with_dots,
    without_parameters,
)
from code_graph.paths.path_kinds import is_test, rank_path
from code_graph.store.schema import FACTS
from index_format import Snapshot
from index_format.analysis.words import terms_of_words
from index_format.tuples import NamedTuple
from repo_mcp.stored import paths_declaring

# a name with one is the title of a test
_BLANK: Final = " "
# languages whose files of a folder are one package, of its name
_JOINED: Final = frozenset(row.name for row in LANGUAGES if row.joins_folders)
# what stands between the names of a declaration and of what it is in
_JOINTS: Final = ".:#->/"
# files that are looked at for one name
_MOST_FILES: Final = 300


class DeclaredSymbol(NamedTuple):
    """A declaration and its names around it, in a file of the text index."""

    path: str
    name: str  # with the names of the declarations around it
    declaration: Declaration
    language: str


def owner_in(name: str) -> str:
    """The name of what a declaration is in, as a name says it: `b` of `a::b.c`."""
    return last_part(name.removesuffix(last_part(name)).rstrip(_JOINTS))


def declared_symbols(snapshot: Snapshot, text: str) -> list[DeclaredSymbol]:
    """Declarations that a name, `path:name` or `path:line` may mean, the likeliest first."""
    text = without_parameters(text)
    place = line_in_place(text)
    if place is not None and snapshot.file(place[0]) is not None:
        rows = [
            item
            for item in _declared_in(snapshot, place[0])
            if item.declaration.start_line <= place[1] <= item.declaration.end_line
        ]
        return sorted(rows, key=_length)[:1]
    paths = _paths_with(snapshot, last_part(text))
    found = _meant(text, (item for path in paths for item in _declared_in(snapshot, path)))
    return found or (_titled(snapshot, text) if _BLANK in text else [])


def _titled(snapshot: Snapshot, text: str) -> list[DeclaredSymbol]:
    """Tests by their title, alone or behind the names around it."""
    files = [{*paths_declaring(snapshot, word)} for word in dict.fromkeys(terms_of_words(text))]
    paths = sorted(set.intersection(*files))[:_MOST_FILES] if files else ()
    rows = (item for path in paths for item in _declared_in(snapshot, path))
    named = (item for item in rows if item.declaration.name in {*titles_in(text)})
    return sorted((item for item in named if item.name.endswith(text)), key=_unlikeliness)


def declared_among(facts: Mapping[str, bytes], text: str) -> list[DeclaredSymbol]:
    """Declarations that a name or dotted name may mean, in files of which these are the facts."""
    rows = (item for path, data in facts.items() for item in _declared_by(path, data))
    return _meant(without_parameters(text), rows)


def _meant(text: str, rows: Iterable[DeclaredSymbol]) -> list[DeclaredSymbol]:
    inside, last = name_in_place(text), last_part(text)
    name = with_dots(inside[1] if inside else text)
    named = [
        item
        for item in rows
        if _is_named(item.declaration.name, last)
        and (inside is None or is_below(item.path, inside[0]))
    ]
    found = [item for item in named if _may_be(item, name)]
    found = found or [item for item in named if _has_parts(item, name)]
    return sorted(found, key=_unlikeliness)


def _has_parts(item: DeclaredSymbol, name: str) -> bool:
    """True if the names around a declaration have all parts of a name in order, and others, too.

    Code writes no name of a companion, of an inline namespace or of an enumeration of C.
    """
    around = iter(item.name.split("."))
    return all(part in around for part in plain_name(name, implicit_names()).split("."))


def _paths_with(snapshot: Snapshot, name: str) -> Sequence[str]:
    """The first files that declare a name: code before tests, then by path."""
    paths = paths_declaring(snapshot, name)
    return sorted(paths, key=lambda path: (is_test(path), path))[:_MOST_FILES]


def _declared_in(snapshot: Snapshot, path: str) -> Iterator[DeclaredSymbol]:
    return _declared_by(path, snapshot.attachment(path, FACTS))


def _declared_by(path: str, data: bytes) -> Iterator[DeclaredSymbol]:
    try:
        facts = decode_declarations(data) if data else Facts("", FAILED)
    except DamagedFactsError:
        return
    rows = facts.declarations
    for item in rows:
        names, at = [item.name], item.parent
        while at != MODULE:
            names.append(rows[at].name)
            at = rows[at].parent
        yield DeclaredSymbol(path, ".".join(reversed(names)), item, facts.language)


def _is_named(name: str, last: str) -> bool:
    """True of a name, and of a method that is named with its type, which another file declares."""
    return name == last or last_part(name) == last


def _may_be(item: DeclaredSymbol, name: str) -> bool:
    """True if a dotted name ends with the names around a declaration, behind its module if any."""
    whole, wanted = item.name.split("."), name.split(".")
    if len(wanted) <= len(whole):
        return whole[-len(wanted) :] == wanted
    folders = item.path.rpartition(".")[0].removesuffix("/__init__").split("/")
    module = wanted[: -len(whole)]
    if item.language in _JOINED and folders[-len(module) :] != module:
        folders = folders[:-1]
    return wanted[-len(whole) :] == whole and folders[-len(module) :] == module


def _unlikeliness(item: DeclaredSymbol) -> tuple[int, bool, int, str]:
    is_overload = OVERLOAD in item.declaration.modifiers
    return rank_path(item.path), is_overload, -_length(item), item.path


def _length(item: DeclaredSymbol) -> int:
    return item.declaration.end_line - item.declaration.start_line

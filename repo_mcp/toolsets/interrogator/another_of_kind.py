"""The places that one more of a kind needs, and the commit that brought the newest of the kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from code_graph.paths.path_kinds import is_test, rank_path
from index_format import Snapshot
from index_format.tuples import NamedTuple
from repo_mcp.answers.verdicts import ABSENT, PARTLY, Verdict
from repo_mcp.ask import (
    MOST_COMPARED,
    LinesByPath,
    SiblingKind,
    SiblingPlace,
    SiblingPlaces,
    any_spelling,
    compare_places,
    find_kind,
    most_alike,
    tell_apart,
)
from repo_mcp.budget import Budget
from repo_mcp.history import first_commit
from repo_mcp.repository import OpenGraph, OpenIndex, OutdatedFiles
from repo_mcp.search import ExactEngine, ExactQuery
from repo_mcp.text.cutting import cut
from repo_mcp.text.plurals import counted, with_rest
from repo_mcp.toolsets.interrogator.answer_part import AnswerPart, rows_that_fit
from repo_mcp.toolsets.kit.index_warnings import graph_warnings
from repo_mcp.toolsets.kit.services import Context, ToolServices

# lines with a name that are read
_MOST_LINES: Final = 3_000
_WIDEST: Final = 140
_MOST_NAMED: Final = 20
# data files of one kind that are named
_MOST_FOLDED: Final = 60
# lines of a file with their text
_MOST_SHOWN: Final = 6


# places of all symbols of a kind
_Members = frozenset[tuple[str, int]]


class _FoundKind(NamedTuple):
    kind: SiblingKind | None

    def outdated(self) -> OutdatedFiles:
        """None: lines are read from the files as they are."""
        return OutdatedFiles()


class AnotherOfKind:
    """Answers which places one more of a kind needs."""

    def __init__(self, services: ToolServices) -> None:
        self._services = services
        self._engine = ExactEngine(services.repository.sandbox, services.distributed)

    def answer(self, names: Sequence[str], each: int, context: Context) -> Iterator[AnswerPart]:
        """A part for each name; a kind that several names are of is shown once."""
        shown: dict[_Members, str] = {}
        for name in names:
            yield self._answer_one(name, each, shown, context)

    def _answer_one(
        self, name: str, most: int, shown_kinds: dict[_Members, str], context: Context
    ) -> AnswerPart:
        """The places of the named one, or of one of those that have the name as their base."""
        services, budget = self._services, context.budget
        title = f"another of the kind of {name}"

        def ask(opened: OpenGraph, _: OpenIndex) -> _FoundKind:
            return _FoundKind(None if opened.graph is None else find_kind(opened.graph, name))

        found, opened, index = services.ask_graph([name], ask, _FoundKind.outdated, budget)
        warnings = [*index.warnings, *([] if opened.graph is None else graph_warnings(opened))]
        kind = found.kind
        if kind is None or index.snapshot is None:
            lacks = f"no type or list of values is known that {name} is one of"
            verdict = Verdict(ABSENT if opened.is_whole else PARTLY, lacks)
            return AnswerPart(title, verdict, (), warnings)
        members = frozenset((item.path, item.start_line) for item in (kind.example, *kind.siblings))
        same = shown_kinds.setdefault(members, name)
        if same != name:
            return AnswerPart(title, Verdict(), [f"{kind.head.name}, as for {same}"], warnings)
        compared = _compared(kind)
        example = kind.example.simple_name
        parts = tell_apart(compared, example)
        lines = {part: self._lines(part, index.snapshot, budget) for part in parts.values()}
        rows = [*_head(kind), *self._newest(kind, context)]
        room = most - sum(len(row) + 1 for row in rows)
        places = compare_places(example, parts, lines)
        has_code = services.repository.languages.has_code
        rows += rows_that_fit(_place_rows(example, places, has_code), room)
        every = (*places.shared, *places.own, *places.elsewhere)
        shown = [f"{place.path}:{number}" for place in every for number, _ in place.lines]
        verdict = Verdict()
        if not (places.shared or places.own):
            verdict = Verdict(PARTLY, "no place is known that others of the kind have, too")
        if not opened.is_whole:
            verdict = Verdict(PARTLY, "not all files are linked: the kind may have more")
        return AnswerPart(title, verdict, rows, warnings, shown, index.generation)

    def _lines(self, part: str, snapshot: Snapshot, budget: Budget) -> LinesByPath:
        """The lines with a name in any spelling, as a word or a part of one."""
        pattern = any_spelling(part)
        query = ExactQuery(
            (pattern,),
            regex=True,
            ignore_case=True,
            limit=_MOST_LINES,
            counted=False,
            rank=rank_path,
        )
        by_path: dict[str, list[tuple[int, str]]] = {}
        for match in self._engine.find(snapshot, query, budget).matches:
            by_path.setdefault(match.path, []).append((match.line, match.text))
        return by_path

    def _newest(self, kind: SiblingKind, context: Context) -> Iterator[str]:
        """The commit that brought the file of the newest one, with what it changed."""
        services = self._services
        files = [*dict.fromkeys(item.path for item in [kind.example, *kind.siblings])]
        # of one file it says nothing
        if len(files) == 1 or not services.repository.settings.history_commits:
            return
        added = [
            (entry.date, path, entry)
            for path in files[:MOST_COMPARED]
            if (entry := first_commit(services.histories, path, context.budget)) is not None
        ]
        if added:
            _, path, entry = max(added, key=lambda item: item[:2])
            yield f"the newest of the kind with a file of its own, {path}, came with:"
            yield from (f" {row}" for row in entry.as_text())


def _compared(kind: SiblingKind) -> list[str]:
    """The names whose places are compared: the example's, and those most like it."""
    names = (item.simple_name for item in kind.siblings)
    return most_alike(names, kind.example.simple_name)[:MOST_COMPARED]


def _head(kind: SiblingKind) -> Iterator[str]:
    """The kind and those of it."""
    head = kind.head
    yield f"kind: {head.name} ({head.kind}, {head.path}:{head.first})"
    rows = [f"{item.simple_name} ({item.path}:{item.start_line})" for item in kind.siblings]
    listed = with_rest(rows[:_MOST_NAMED], len(rows) - _MOST_NAMED)
    yield f"{counted(len(rows), 'symbol')} of it: {'; '.join(listed)}"


def _place_rows(name: str, places: SiblingPlaces, has_code: Callable[[str], bool]) -> Iterator[str]:
    """The places by what they tell; code beside siblings with its lines."""
    yield f"{name} stands beside others of the kind in:"
    for place, like in _folded(places.shared, has_code):
        yield f" {place.path} ({counted(place.siblings, 'other')}){like}"
        # documents and tests are named, code is read
        most = _MOST_SHOWN if has_code(place.path) and not is_test(place.path) else 0
        for number, text in place.lines[:most]:
            yield f"  {number}: {cut(' '.join(text.split()), _WIDEST)}"
        left = place.lines[most:]
        yield from [f"  {'also ' if most else ''}{_numbers(left)}"] if left else []
    if places.own:
        yield "its own files, as others have them:"
    for place, like in _folded(places.own, has_code):
        yield f" {place.path} ({counted(place.siblings, 'other')}): {_numbers(place.lines)}{like}"
    if places.elsewhere:
        yield "named elsewhere:"
    for place, like in _folded(places.elsewhere, has_code):
        yield f" {place.path}: {_numbers(place.lines)}{like}"


def _folded(
    places: Sequence[SiblingPlace], has_code: Callable[[str], bool]
) -> Iterator[tuple[SiblingPlace, str]]:
    """The places; of data files of a type in one folder, or of one name, the first and the others.

    Such are the texts of several languages.
    """
    in_folder = Counter(_folder_and_type(place.path) for place in places)
    groups: dict[tuple[str, str], list[SiblingPlace]] = {}
    for place in places:
        key = _folder_and_type(place.path)
        if has_code(place.path):
            key = place.path, ""
        elif in_folder[key] == 1:
            key = "", place.path.rpartition("/")[2]
        groups.setdefault(key, []).append(place)
    for (folder, _), (first, *others) in groups.items():
        differ = [_without(place.path, folder) for place in others]
        listed = ", ".join(with_rest(differ[:_MOST_FOLDED], len(differ) - _MOST_FOLDED))
        yield first, f", also {listed}" if listed else ""


def _folder_and_type(path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return folder, name.rpartition(".")[2]


def _without(path: str, folder: str) -> str:
    """The path in a folder; of files of one name in several the last folders before it."""
    return path.removeprefix(f"{folder}/") if folder else "/".join(path.split("/")[-3:-1])


def _numbers(lines: Sequence[tuple[int, str]]) -> str:
    """The numbers of lines, some of very many."""
    numbers = [str(number) for number, _ in lines]
    return ", ".join(with_rest(numbers[:_MOST_NAMED], len(numbers) - _MOST_NAMED))

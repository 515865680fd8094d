"""The answer about one symbol: as much of its summary as fits, for tools, commands and pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import accumulate
from typing import Final

from code_graph.facts import last_part
from code_graph.query.model import FUNCTIONS, TYPES, Symbol
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.answers.lines import AnswerLine, NumberedLines
from repo_mcp.answers.symbols import MOST_UNKNOWN, SymbolAnswer, SymbolUseRow
from repo_mcp.ask.complete_uses import Doubt
from repo_mcp.ask.reaching_tests import TestsOfFile
from repo_mcp.ask.symbol_summary import (
    SymbolCall,
    SymbolRelations,
    SymbolSummary,
    find_external,
)
from repo_mcp.repository.symbol_places import SymbolPlace
from repo_mcp.repository.word_lines import lines_by_path
from repo_mcp.text.cutting import SYMBOL_CHARS, cut
from repo_mcp.text.plurals import counted, with_rest

# shares of the usual lengths of lists, of which the first that fits is taken
_SCALES: Final = (0.7, 0.5, 0.35, 0.2, 0.1)
# so many times longer are lists of callers in an answer without anything else
_ALONE: Final = 4
_MOST_CALLERS: Final = 16
_LAST_CUT: Final = 3
_MOST_TESTS: Final = 8
# by `missing`, and by the number of lines
_SAID_ELSEWHERE: Final = frozenset({Doubt.NOT_LINKED, Doubt.MANY_LINES})
_NEAREST: Final = 3
_FEWEST_FILES: Final = 5
_MOST_NAMES: Final = 12
_MOST_SUBTYPES: Final = 40
_MOST_CALLEES: Final = 24
_MOST_OUTLINE: Final = 30
_MOST_CODE: Final = 60
_MOST_OTHERS: Final = 5
_MOST_LINES: Final = 8
# of a short answer
_FEWEST_MAKERS: Final = 4
# a word of so many further lines is common: they say nothing about the symbol
_MOST_LISTED: Final = 40
_LONGEST_DOC: Final = 300
# characters of the line of a use that may be none
_WIDEST: Final = 70
# bytes between two calls, and beside a line
_BETWEEN: Final = 2
_NUMBERED: Final = 8
# lines below a function's first one that say more than a call of it
_SMALL: Final = 3


def symbol_answer(
    summary: SymbolSummary,
    most: int = SYMBOL_CHARS,
    missing: str = "",
    *,
    callers_only: bool = False,
) -> SymbolAnswer:
    """The summary as an answer whose text has about `most` bytes, if it can be so short.

    Of a long function calls tell more than the lines that begin it: they get the room that is left.
    """
    largest = max(1.0, most / SYMBOL_CHARS) * (_ALONE if callers_only else 1)
    found = _scaled(summary, largest, missing, callers_only=callers_only)
    for scale in _SCALES:
        if _size(found) <= most:
            break
        found = _scaled(summary, largest * scale, missing, callers_only=callers_only)
    if not callers_only and _is_long(summary):
        _fill_room(found, summary, most)
    return found


def _is_long(summary: SymbolSummary) -> bool:
    """True for a function whose lines are not all there."""
    definition = summary.definition
    return definition.place.kind in FUNCTIONS and not definition.is_whole


def _fill_room(found: SymbolAnswer, summary: SymbolSummary, most: int) -> None:
    """Add the calls of a long function, in their order, and then lines of it, while they fit."""
    definition, relations = summary.definition, summary.relations
    calls = () if relations is None else relations.callees
    room = max(0, most - _size(found))
    room += sum(_bytes(row) + _BETWEEN for row in (*found.callees, *found.external_callees))
    rows = _call_rows(calls, found.path)
    if sum(_bytes(row) + _BETWEEN for row in rows) > room:
        rows = [_callee(call, found.path, is_short=True) for call in calls]
    # what one line of code says, as an accessor, is left out first
    first = sorted(range(len(calls)), key=lambda at: (_is_small(calls[at]), at))
    first = first[: _fitting([rows[at] for at in first], room, _BETWEEN)]
    room -= sum(_bytes(rows[at]) + _BETWEEN for at in first)
    own = [at for at in sorted(first) if calls[at].target.path]
    found.callees = [rows[at] for at in own]
    found.external_callees = [rows[at] for at in sorted(first) if at not in own]
    lines = [text for _, text in definition.code]
    end = len(found.code.lines)
    end += _fitting(lines[end:], room, _NUMBERED)
    found.code = _numbered(definition.code[:end])


def _is_small(call: SymbolCall) -> bool:
    target = call.target
    return not target.path or target.last - target.first < _SMALL


def _size(found: SymbolAnswer) -> int:
    return _bytes("\n".join(found.as_text()))


def _bytes(row: str) -> int:
    return len(row.encode("utf-8", "surrogatepass"))


def _fitting(rows: Sequence[str], room: int, more: int) -> int:
    """The number of the first rows that fit, each with so many bytes beside it."""
    ends = accumulate(_bytes(row) + more for row in rows)
    return sum(1 for end in ends if end <= room)


def _call_rows(calls: Sequence[SymbolCall], home: str) -> list[str]:
    """The calls as rows; a path that was named before goes on as the name of its file."""
    known: set[str] = set()
    rows: list[str] = []
    for call in calls:
        rows.append(_callee(call, home, is_short=call.target.path in known))
        known.add(call.target.path)
    return rows


def _scaled(
    summary: SymbolSummary, scale: float, missing: str, *, callers_only: bool
) -> SymbolAnswer:
    """An answer whose lists have a share of their usual lengths."""

    def most(usual: int) -> int:
        return max(1, int(usual * scale))

    definition, relations = summary.definition, summary.relations
    place = definition.place
    lines = definition.head if _is_long(summary) else most(_MOST_CODE)
    rows = () if callers_only else definition.code[:lines]
    is_whole = definition.is_whole and len(rows) == len(definition.code)
    members = () if callers_only else definition.outline[: most(_MOST_OUTLINE)]
    unseen = 0 if callers_only else len(definition.outline) - len(members)
    relations = (
        None if relations is None else _chosen(relations, place.kind, callers_only=callers_only)
    )
    found = SymbolAnswer(
        name=place.name,
        kind=place.kind,
        language=definition.language,
        path=place.path,
        start_line=place.first,
        end_line=place.last,
        code=_numbered(rows),
        doc="" if is_whole or callers_only else definition.doc[:_LONGEST_DOC],
        outline=[*members, *([f"… {counted(unseen, 'more member')}"] if unseen else [])],
        parts=_by_file(summary.parts, most(_MOST_OTHERS)),
        overloads=_by_file(summary.overloads, most(_MOST_OTHERS)),
        others=[_other(item) for item in summary.others[: min(most(_MOST_OTHERS), _MOST_LINES)]],
        other_count=len(summary.others),
        namesakes=[_other(item) for item in summary.namesakes],
        missing=missing,
        complete_list=False,
    )
    cut = unseen > 0 or (definition.is_whole and not is_whole)
    cut = cut and not callers_only
    if relations is not None:
        _fill(found, relations, most)
        found.handed = _by_file(relations.handed, most(_MOST_CALLERS))
        found.demanded = _demanded(relations.demanded, place, max(_MOST_NAMES, most(_MOST_OUTLINE)))
        found.makers = _by_file(relations.makers, max(_FEWEST_MAKERS, most(_MOST_CALLERS)))
        cut = cut or _is_cut(found, relations, most)
    found.truncated = cut
    found.complete_list = found.complete_list and not found.uses_are_cut
    return found


def _numbered(rows: Sequence[tuple[int, str]]) -> NumberedLines:
    """The lines, with a mark where some are missing."""
    before = rows[0][0] - 1 if rows else 0
    lines: list[AnswerLine] = []
    for number, text in rows:
        lines.append(AnswerLine(number, text, after_gap=number != before + 1))
        before = number
    return NumberedLines(lines)


def _fill(found: SymbolAnswer, relations: SymbolRelations, most: Callable[[int], int]) -> None:
    """Set the fields of relations; `most` gives the length of a list from its usual one."""
    # the last list that is cut
    callers = max(most(_MOST_CALLERS), min(_MOST_CALLERS, most(_LAST_CUT * _MOST_CALLERS)))
    found.callers = _first_distinct(relations.callers, callers)
    found.caller_count = len(relations.callers)
    found.not_compiled = relations.left_out
    if len(found.callers) < found.caller_count:
        folders = Counter(use.path.partition("/")[0] for use in relations.callers)
        found.caller_folders = [f"{name} {count}" for name, count in folders.most_common()]
    tests = _of_first_symbols(relations.tests, most(_MOST_TESTS))
    found.tests = [*map(_without_text, tests)]
    found.test_count = len(relations.tests)
    found.override_uses = [*relations.override_uses[: most(_MOST_NAMES)]]
    found.override_use_count = len(relations.override_uses)
    if relations.unknown_uses <= MOST_UNKNOWN:
        found.possible = _use_places(relations.possible, most(_MOST_NAMES))
        # nothing can run what nothing uses
        perhaps = () if relations.is_unused else relations.possible_tests
        found.possible_tests = _tests_by_file(perhaps, most(_MOST_TESTS), most(_NEAREST))
    calls = relations.callees[: most(_MOST_CALLEES)]
    own = sum(1 for call in calls if call.target.path)
    found.callees = [_callee(call, found.path) for call in calls[:own]]
    found.external_callees = [_callee(call, found.path) for call in calls[own:]]
    found.callee_count = len(relations.callees)
    unknown = relations.unknown_callees
    found.unknown_callees = with_rest(
        unknown[: most(_MOST_NAMES)], len(unknown) - most(_MOST_NAMES)
    )
    found.subtypes = _by_file(relations.subtypes, _most_subtypes(found.kind, most))
    found.subtype_count = len(relations.subtypes)
    found.further_subtypes = _by_file(relations.further_subtypes, most(_MOST_NAMES))
    found.further_subtype_count = len(relations.further_subtypes)
    found.bases = _by_file(relations.bases, most(_MOST_NAMES))
    found.overrides_nothing = relations.overrides_nothing
    found.is_not_overridden = relations.is_not_overridden
    found.is_not_extended = relations.is_not_extended
    found.reached_by, found.reached_files = relations.reached_by, relations.reached_files
    found.reach_is_cut = relations.reach_cut
    listed, most_tests = {(use.path, use.symbol) for use in tests}, most(_MOST_TESTS)
    reaching = [*_without(relations.reaching_tests, listed)]
    if relations.reach_cut:
        # of a search that ended at its bound, the number of further tests says nothing
        nearest = (item._replace(tests=item.tests[:_NEAREST], left=0) for item in reaching)
        reaching = [*nearest][: max(most_tests, _FEWEST_FILES)]
    most_files = max(most_tests, _FEWEST_FILES)
    found.reaching_tests = _tests_by_file(reaching, most_files, most(_NEAREST))
    helpers = () if relations.reaching_tests else relations.reaching_helpers
    found.reaching_helpers = _by_file(helpers, most(_MOST_OTHERS))
    found.unknown_uses, found.external_uses = relations.unknown_uses, relations.external_uses
    found.unsure_versions = relations.unsure_versions
    _fill_lines(found, relations, most)


def _fill_lines(
    found: SymbolAnswer, relations: SymbolRelations, most: Callable[[int], int]
) -> None:
    """Set the fields of lines with the name that no edge shows."""
    if relations.other_lines is not None:
        lines = relations.other_lines.code
        most_lines = min(most(_MOST_LINES), _MOST_NAMES) if len(lines) <= _MOST_LISTED else 0
        found.other_lines = lines_by_path(lines[:most_lines])
        found.other_line_count = len(lines)
        found.complete_list = relations.is_complete
        found.doubts = [item for item in relations.doubts if item not in _SAID_ELSEWHERE]
        found.patched = lines_by_path(relations.other_lines.replaced[: most(_MOST_NAMES)])
        found.lines_of_name = {**relations.of_name.counts}
        found.of_namesakes = [*relations.of_name.namesakes]
    # of more, those that are listed say nothing
    if relations.unknown_uses + found.external_uses <= MOST_UNKNOWN:
        most_external = min(most(_MOST_OTHERS), _MOST_NAMES)
        found.external = _use_places(relations.external, most_external, found.external_uses)


def _is_cut(found: SymbolAnswer, relations: SymbolRelations, most: Callable[[int], int]) -> bool:
    """True if a list of relations is not whole."""
    return (
        relations.truncated
        or found.uses_are_cut
        or len(found.callees) + len(found.external_callees) < found.callee_count
        or len(relations.subtypes) > _most_subtypes(found.kind, most)
    )


def _most_subtypes(kind: str, most: Callable[[int], int]) -> int:
    """The length of the list: of a type, which is asked about for its subtypes, it is cut last."""
    return max(_MOST_SUBTYPES, most(_MOST_SUBTYPES)) if kind in TYPES else most(_MOST_NAMES)


def _chosen(relations: SymbolRelations, kind: str, *, callers_only: bool) -> SymbolRelations:
    """All relations, or those of places that use the symbol, a type's subtypes among them."""
    if not callers_only:
        return relations
    return relations._replace(
        callees=(),
        unknown_callees=(),
        subtypes=relations.subtypes if kind in TYPES else (),
        further_subtypes=relations.further_subtypes if kind in TYPES else (),
        bases=(),
        overrides_nothing=False,
        is_not_overridden=False,
        reached_by=0,
        reached_files=0,
        reaching_tests=(),
        possible_tests=(),
        reaching_helpers=(),
        demanded=(),
        makers=(),
    )


def _without_text(use: SymbolUseRow) -> SymbolUseRow:
    return SymbolUseRow(
        path=use.path,
        line=use.line,
        symbol=use.symbol,
        edge_type=use.edge_type,
        confidence=use.confidence,
    )


def _first_distinct(uses: Sequence[SymbolUseRow], most: int) -> list[SymbolUseRow]:
    """All uses, or of more than `most` the first whose line is as none before: it says the same."""
    if len(uses) <= most:
        return [*uses]
    first: dict[str, SymbolUseRow] = {}
    for use in uses:
        first.setdefault(" ".join(use.text.split()), use)
    return [*first.values()][:most]


def _of_first_symbols(uses: Sequence[SymbolUseRow], most: int) -> list[SymbolUseRow]:
    """The uses in the first symbols, or at the top of files, that have any."""
    first = [*dict.fromkeys((use.path, use.symbol or use.line) for use in uses)][:most]
    return [use for use in uses if (use.path, use.symbol or use.line) in first]


def _other(place: SymbolPlace) -> str:
    uses = f", {counted(place.uses, 'use')}" if place.uses else ""
    return f"{place.name} ({place.path}:{place.first}{uses})"


def _callee(call: SymbolCall, home: str, *, is_short: bool = False) -> str:
    """A call with its line and the place of the declaration; of a short one its file alone."""
    target = call.target
    line = str(call.line) if call.path == home else f"{call.path}:{call.line}"
    if not target.path:
        return f"{line} {target.name}"
    sure = "" if call.confidence == "exact" else f", {call.confidence}"
    path = target.path.rpartition("/")[2] if is_short else target.path
    place = f":{target.first}" if target.path == home else f"{path}:{target.first}"
    return f"{line} {target.name} ({place}{sure})"


def _by_file(places: Sequence[SymbolPlace], most: int) -> list[str]:
    """Names with lines, by file, and a mark if there are more."""
    groups: dict[str, list[str]] = {}
    for place in places[:most]:
        row = f"{place.name} {place.first}" if place.path else place.name
        groups.setdefault(place.path or "external", []).append(row)
    shown = (f"{path}: {', '.join(rows)}" for path, rows in groups.items())
    return with_rest(shown, len(places) - most)


def _without(
    files: Sequence[TestsOfFile], listed: Collection[tuple[str, str]]
) -> Iterator[TestsOfFile]:
    """The files with tests that are not listed yet, by path and name."""
    for item in files:
        left = [test for test in item.tests if (test.path, test.name) not in listed]
        if left or item.left:
            yield item._replace(tests=left)


def _tests_by_file(files: Sequence[TestsOfFile], most: int, nearest: int) -> list[str]:
    """A row for each file: the nearest tests, the number of the others, and why it is there."""
    rows: list[str] = []
    for item in files[:most]:
        # a file named after its type says that already
        of_type = f"{item.path.rpartition('/')[2].partition('.')[0]}."
        tests = item.tests[:nearest]
        shown = [f"{test.name.removeprefix(of_type)} {test.first}" for test in tests]
        left = len(item.tests) - len(shown) + item.left
        notes = [f" (named after {item.companion}, on the way)"] if item.companion else []
        notes += [" (others mock it)"] if item.is_mocking else []
        rows.append(f"{item.path}: {', '.join(with_rest(shown, left))}{''.join(notes)}")
    return with_rest(rows, len(files) - most)


def _demanded(members: Sequence[SymbolPlace], owner: SymbolPlace, most: int) -> list[str]:
    """Members with lines: those of the type itself by their own names, then inherited ones."""
    own = [item for item in members if item.path == owner.path]
    inherited = [item for item in members if item.path != owner.path]
    rows = [f"{last_part(item.name)} {item.first}" for item in own[:most]]
    listed = with_rest(rows, len(own) - most)
    return [", ".join(listed)] * bool(listed) + _by_file(inherited, most)


def name_external(graph: GraphSnapshot, symbol: Symbol, types: Sequence[int]) -> list[str]:
    """Places that use a symbol's name on values from outside, and a mark if there are more."""
    found = find_external(graph, symbol, types)
    return _use_places(found.uses, _MOST_OTHERS, found.total)


def _use_places(uses: Sequence[SymbolUseRow], most: int, total: int = 0) -> list[str]:
    """Places with functions around them and lines, each once, and a mark if there are more.

    `total` is the number of uses if not all of them are given.
    """
    places = Counter((use.path, use.line, use.symbol, use.text) for use in uses)
    rows = [
        f"{path}:{line}{f' in {name}' if name else ''}{f': {cut(text, _WIDEST)}' if text else ''}"
        for path, line, name, text in places
    ]
    shown = sum([*places.values()][:most])
    more = total - shown if total else len(rows) - most
    return with_rest(rows[:most], more)

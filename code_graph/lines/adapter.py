"""Adapter of the languages that are read by lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, islice
from typing import Final

from code_graph.facts.model import (
    MODULE,
    SKIPPED,
    Declaration,
    Facts,
    Import,
    Use,
    context_inside,
    number_names,
    sort_uses,
)
from code_graph.hints import identifiers_in
from code_graph.language import load
from code_graph.language_table import language_named
from code_graph.lines.rules import FILLER, Blocks, LineRules, Unit
from code_graph.treesitter.source import head_line, one_line
from index_format.tuples import NamedTuple

# raise it when equal text gives other facts
VERSION: Final = 6
_MAX_CHARACTERS: Final = 4 << 20
# a file with more is data
_MOST_UNITS: Final = 20_000
_MOST_USES: Final = 100_000
_LONGEST_DOC: Final = 4_000
_AROUND_A_NAME: Final = "\"'`[] \t\r"
_MARKS: Final = re.compile(
    r"^\s*(?:/\*+!?|\*+/|\*+|//+!?|#+|--+|%+|;+|\(\*|\{-+\s*\|?|<!--)?[ \t]?|(?:\*/|-\}|-->)\s*$"
)


def adapter(language: str) -> LineAdapter:
    """The adapter of a language."""
    rules: LineRules = load(language_named(language).outline)
    return LineAdapter(rules)


class _UnitPlace(NamedTuple):
    """A unit in the text: offsets, and the groups of its pattern."""

    start: int
    end: int
    head_end: int
    name_start: int
    name: str
    unit: Unit
    # the place of the unit among the rules: of two with one beginning the first counts
    order: int
    parameters: str
    bases: tuple[str, ...]
    returns: str


class LineAdapter:
    """Adapter of one language."""

    version = VERSION

    def __init__(self, rules: LineRules) -> None:
        """Keep the rules."""
        self.name = rules.name
        self._rules = rules

    def supports_path(self, path: str) -> bool:
        """True if the row of the language names the file's ending or its name."""
        return path.lower().endswith(language_named(self.name).endings)

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """The declarations by their patterns."""
        return self.facts(path, text).declarations

    def facts(self, path: str, text: str) -> Facts:  # noqa: ARG002 of all adapters
        """Declarations, the files that are named, and uses of the file's own names."""
        if len(text) > _MAX_CHARACTERS:
            return Facts(self.name, SKIPPED)
        rules = self._rules
        blanked = blanked_by(rules)(text)
        starts = [*accumulate((len(row) + 1 for row in text.split("\n")), initial=0)]
        found = _nested(sorted(_units(rules, text, blanked), key=_place))
        rows = text.split("\n")
        plain = blanked.split("\n")
        declared: list[Declaration] = []
        cuts: list[int] = []
        line, first, doc = 0, 0, ""
        for one, parent in found:
            item = _declaration(one, declared, parent, starts, text)
            if item.start_line != line:  # many may be on one line
                line = item.start_line
                first, doc = _comment_above(rows, plain, line)
            item.doc = doc
            declared.append(item)
            is_outside = parent == MODULE or declared[parent].kind not in rules.functions
            if is_outside and one.unit.kind not in rules.unused:
                cuts.append(first)
        return Facts(
            self.name,
            declarations=tuple(declared),
            imports=tuple(_imports(rules, text, blanked, starts)),
            cuts=tuple(sorted(set(cuts))),
            uses=_uses(rules, blanked, found, starts, declared),
        )

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """Lines at which units begin."""
        return self.facts(path, text).cuts

    def symbol_hints(self, prompt: str) -> Sequence[str]:
        """Names of code in a prompt."""
        return identifiers_in(prompt)


class _Blanking:
    """Blanks comments, and fills texts, at the same length."""

    def __init__(self, rules: LineRules) -> None:
        groups = [f"(?P<comment>{'|'.join(rules.comments)})"] if rules.comments else []
        groups += [f"(?P<text>{'|'.join(rules.texts)})"] if rules.texts else []
        self._pattern = re.compile("|".join(groups), re.MULTILINE) if groups else None

    def __call__(self, text: str) -> str:
        # a pattern's `$` is before a line feed
        text = text.replace("\r\n", " \n")
        return text if self._pattern is None else self._pattern.sub(_blanked, text)


def _blanked(found: re.Match[str]) -> str:
    text = found[0]
    if found.lastgroup == "comment":
        return _NOT_BLANK.sub(" ", text)
    if len(text) < _QUOTES:
        return text
    return text[0] + _NOT_BLANK.sub(FILLER, text[1:-1]) + text[-1]


_QUOTES: Final = 2
_NOT_BLANK: Final = re.compile(r"[^\n]")


@cache
def blanked_by(rules: LineRules) -> _Blanking:
    """The pattern that blanks comments and texts of a language."""
    return _Blanking(rules)


@cache
def _compiled(rules: LineRules) -> tuple[tuple[Unit, re.Pattern[str]], ...]:
    flags = re.MULTILINE | (re.IGNORECASE if rules.ignores_case else re.NOFLAG)
    return tuple((unit, re.compile(unit.pattern, flags)) for unit in rules.units)


def _units(rules: LineRules, text: str, blanked: str) -> Iterator[_UnitPlace]:
    """All that matches, in the order of the rules."""
    blocks = Blocks(blanked, rules)
    written = Blocks(text, rules)
    count = 0
    for order, (unit, pattern) in enumerate(_compiled(rules)):
        name, end = "", 0
        for match in pattern.finditer(blanked):
            count += 1
            if count > _MOST_UNITS:
                return
            if unit.is_once and match["name"] == name and match.start("name") < end:
                continue  # it is in the one before, whose end is known
            name = match["name"]
            for place in _of_match(unit, order, match, written, blocks, rules.word):
                end = place.end
                yield place


def _of_match(
    unit: Unit, order: int, match: re.Match[str], written: Blocks, blocks: Blocks, word: str
) -> Iterator[_UnitPlace]:
    groups, text = match.groupdict(), written.text
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    begin, stop = match.span("name")
    end = max(stop, min(unit.end(blocks, start, match.end()), len(text)))
    end = written.trimmed(end) if end > match.end() else end
    given = [
        "" if groups.get(key) is None else one_line(text[slice(*match.span(key))])
        for key in ("parameters", "bases", "returns")
    ]
    bases = tuple(part for part in re.split(r"\s*,\s*|\s+with\s+", given[1]) if part)
    named = [(begin, stop)]
    if unit.is_list:
        named = [(begin + w.start(), begin + w.end()) for w in re.finditer(word, text[begin:stop])]
    for first, last in named:
        shown = text[first:last]
        if not re.search(rf"(?:{word})\Z", shown):  # else a mark at its end is part of it
            shown = shown.rstrip(_AROUND_A_NAME)
        first += len(shown) - len(shown.lstrip(_AROUND_A_NAME))  # noqa: PLW2901 its name
        name = one_line(shown.lstrip(_AROUND_A_NAME))
        if name:
            name = unit.prefix + name
            head = min(end, blocks.line_end(match.end()))
            yield _UnitPlace(start, end, head, first, name, unit, order, given[0], bases, given[2])


def _nested(found: Sequence[_UnitPlace]) -> list[tuple[_UnitPlace, int]]:
    """The units that may be where they are, each with the number of the one around it."""
    kept: list[tuple[_UnitPlace, int]] = []
    around: list[int] = []
    taken: set[int] = set()
    once: set[tuple[str, str, int]] = set()
    for one in found:
        while around and _is_beside(kept[around[-1]][0], one):
            around.pop()
        parent = around[-1] if around else MODULE
        kind = kept[parent][0].unit.kind if parent != MODULE else ""
        allowed = one.unit.inside
        key = one.unit.kind, one.name, parent
        if parent != MODULE and one.name_start <= kept[parent][0].name_start:
            continue  # a word of the head
        if one.name_start in taken or (allowed is not None and kind not in allowed):
            continue
        if one.unit.is_once and key in once:
            continue
        once.add(key)
        taken.add(one.name_start)
        kept.append((one, parent))
        around.append(len(kept) - 1)
    return kept


def _is_beside(before: _UnitPlace, one: _UnitPlace) -> bool:
    """True if a unit is not in the one before it: behind it, or another name of the same list."""
    return before.end <= one.start or (before.start == one.start and before.unit == one.unit)


def _written(one: _UnitPlace) -> str:
    """The name as the file itself has it."""
    return one.name.removeprefix(one.unit.prefix)


def _place(one: _UnitPlace) -> tuple[int, int, int]:
    return one.start, one.order, one.name_start


def _declaration(
    one: _UnitPlace, declared: Sequence[Declaration], parent: int, starts: Sequence[int], text: str
) -> Declaration:
    holder = declared[parent] if parent != MODULE else None
    first = bisect_right(starts, one.start)
    name_line = bisect_right(starts, one.name_start)
    last = max(first, name_line, bisect_right(starts, max(one.end - 1, one.start)))
    count = len([part for part in one.parameters.strip("()").split(",") if part.strip()])
    return Declaration(
        kind=one.unit.kind,
        name=one.name,
        start_line=first,
        end_line=last,
        name_line=name_line,
        name_column=one.name_start - starts[name_line - 1],
        parent=parent,
        signature=head_line(text, one.start, one.head_end),
        scope_kind="module" if holder is None else "class",
        decl_context=context_inside(holder),
        modifiers=frozenset(one.unit.modifiers),
        bases=one.bases,
        parameters=one.parameters,
        parameter_count=count if one.parameters else 0,
        returns=one.returns,
    )


def _comment_above(rows: Sequence[str], plain: Sequence[str], line: int) -> tuple[int, str]:
    """The line at which the comment above a line begins, or the line itself; and its text."""
    at = line - 1
    while at and rows[at - 1].strip() and not plain[at - 1].strip():
        at -= 1
    text = "\n".join(_MARKS.sub("", row).rstrip() for row in rows[at : line - 1])
    return at + 1, text.strip()[:_LONGEST_DOC]


def _imports(rules: LineRules, text: str, blanked: str, starts: Sequence[int]) -> Iterator[Import]:
    """The files and packages that the file names."""
    if not rules.imports:
        return
    flags = re.MULTILINE | (re.IGNORECASE if rules.ignores_case else re.NOFLAG)
    for match in re.finditer(rules.imports, blanked, flags):
        groups = match.groupdict()
        module = text[slice(*match.span("module"))].strip("\"'<>` ")
        name, alias = (
            "" if groups.get(key) is None else text[slice(*match.span(key))]
            for key in ("name", "alias")
        )
        if module:
            yield Import(module, name, alias, bisect_right(starts, match.start("module")), MODULE)


def _uses(
    rules: LineRules,
    blanked: str,
    found: Sequence[tuple[_UnitPlace, int]],
    starts: Sequence[int],
    declarations: Sequence[Declaration],
) -> tuple[Use, ...]:
    """The words elsewhere that are names of the file's units."""
    fold = str.lower if rules.ignores_case else str
    used = {fold(_written(one)) for one, _ in found if one.unit.kind not in rules.unused}
    numbers = number_names([item.name for item in declarations])
    written = {fold(_written(one)): one.name for one, _ in reversed(found)}
    name_starts = {one.name_start for one, _ in found}
    names = used & written.keys()
    words = re.finditer(rules.word, blanked) if names else iter(())
    mentions = (
        (written[fold(word[0])], bisect_right(starts, word.start()))
        for word in words
        if fold(word[0]) in names and word.start() not in name_starts
    )
    return sort_uses({(numbers[name], line, name) for name, line in islice(mentions, _MOST_USES)})

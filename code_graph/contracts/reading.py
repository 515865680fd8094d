"""Makes the contracts of a file: which texts it gives and uses, and what it hands to libraries."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, Final

from code_graph.contracts.calls import WrittenArgument, WrittenCall, WrittenText
from code_graph.contracts.descriptions import (
    Descriptions,
    FrameworkRule,
    KeyPrefix,
    descriptions_of,
)
from code_graph.contracts.keys import ANY, METHODS, ROUTE, join_routes, plain_key, route_key
from code_graph.expressions import NONE, Code, Contract, ContractRole, FileCode
from code_graph.facts import Declaration, Facts
from code_graph.language import Language
from code_graph.language_table import language_named

_MOST: Final = 4_000
# kinds of declarations that a name in a text may mean
_CALLED: Final = frozenset({"function", "method"})
_BASE: Final = re.compile(r"(?:[\w$]+\s*(?:\.|::|\\))*([\w$]+)")
_METHOD: Final = re.compile(rf"(?i:{'|'.join(METHODS)}|all|any|use|match)")
_ANY_METHODS: Final = frozenset({"all", "any", "use", "match"})
# words of a route that stand for the class or function around
_CLASS: Final = "[controller]"
_FUNCTION: Final = "[action]"
_SUFFIX: Final = "controller"


def is_described(language: str) -> bool:
    """True if files of a language may have contracts."""
    folders = language_named(language).frameworks
    return bool(folders) and bool(descriptions_of(folders))


def add_contracts(text: str, facts: Facts, code: FileCode | None) -> FileCode | None:
    """The code of a file with its contracts; None where there is neither."""
    if not is_described(facts.language):
        return code
    found = read_contracts(text, facts)
    if not found:
        return code
    if code is None:
        code = FileCode(Code(), len(facts.declarations), len(facts.imports))
    fields = {name: getattr(code.code, name) for name in Code.__annotations__}
    return code._replace(code=Code(**{**fields, "contracts": found}))


def read_contracts(text: str, facts: Facts) -> tuple[Contract, ...]:
    """The contracts of a text, in the order of their places."""
    language = language_named(facts.language)
    found = _Reading(text, facts, language, descriptions_of(language.frameworks)).contracts()
    return tuple(sorted(set(found), key=lambda item: (item.line, item.column, item)))[:_MOST]


class _Reading:
    """Reads one file."""

    def __init__(
        self, text: str, facts: Facts, language: Language, descriptions: Descriptions
    ) -> None:
        self._text = text
        self._data = text.encode("utf-8", "surrogatepass")
        self._facts = facts
        self._written = WrittenText(text, language)
        self._descriptions = descriptions
        self._applies: dict[tuple[tuple[str, ...], frozenset[str]], bool] = {}
        # what keys begin with, by the number of a class and by the name of a variable
        self._of_classes: dict[int, str] = {}
        self._of_variables: dict[str, str] = {}

    def contracts(self) -> list[Contract]:
        """All contracts."""
        known = self._descriptions
        found: list[Contract] = []
        calls: list[tuple[WrittenCall, FrameworkRule]] = []
        for call in self._written.calls(known.words(self._text, self._data), self._is_wanted):
            for rule in self._rules(call.name, call.receiver, is_decorator=call.is_decorator):
                if isinstance(rule, KeyPrefix):
                    self._take_prefix(rule, call)
                else:
                    calls.append((call, rule))
        for call, rule in calls:
            found += self._of_call(call, rule)
        whole = (
            (known.patterns, self._of_pattern),
            (known.declarations, self._of_declarations),
            (known.bases, self._of_bases),
        )
        for rules, read in whole:
            for each in rules:
                if self._fits(each.imports, each.words):
                    found += read(each)
        return found

    def _is_wanted(self, name: str, receiver: str, is_decorator: bool) -> bool:  # noqa: FBT001 IsWanted
        return bool(self._rules(name, receiver, is_decorator=is_decorator))

    def _rules(
        self, name: str, receiver: str, *, is_decorator: bool
    ) -> list[FrameworkRule | KeyPrefix]:
        """The rules for a call; one in the head of a declaration may be of either kind."""
        known = self._descriptions
        found = known.decorators.get(name, ()) if is_decorator else ()
        return [
            rule
            for rule in found or known.calls.get(name, ())
            if self._fits(rule.imports, rule.words)
            and (not rule.receivers or receiver in rule.receivers)
        ]

    def _fits(self, imports: tuple[str, ...], words: frozenset[str]) -> bool:
        """True if the file imports one of these modules, and has one of these words."""
        known = self._applies.get((imports, words))
        if known is None:
            known = (not words or any(word in self._text for word in words)) and (
                not imports
                or any(
                    item.module.startswith(imports) or f"{item.module}.{item.name}" in imports
                    for item in self._facts.imports
                )
            )
            self._applies[imports, words] = known
        return known

    def _take_prefix(self, rule: KeyPrefix, call: WrittenCall) -> None:
        given = call.argument(rule.key)
        text = given.text if given is not None else ""
        if text is None:
            return
        if call.is_decorator:
            number = self._declared_behind(call.end)
            if number != NONE and text:
                self._of_classes[number] = self._with_class(text, number)
            return
        text = join_routes(self._of_variables.get(call.receiver, ""), text)
        target = call.argument(rule.target)
        names = [call.variable] if not rule.target else []
        if target is not None and target.names:
            names = [self._word(target.names[0]).lower()]
        self._of_variables.update((name, text) for name in names if name and text)

    def _of_call(self, call: WrittenCall, rule: FrameworkRule) -> Iterator[Contract]:
        place = self._place(call.start)
        own = self._declared_behind(call.end) if call.is_decorator else self._around(place[0])
        if rule.role == ContractRole.RUNS and not rule.handler:
            yield from self._run_here(own, place)
            return
        if rule.role == ContractRole.RUNS:
            for given in call.handlers(rule.handler):
                for offset in given.names:
                    yield Contract(rule.role, "", "", own, *place, *self._place(offset))
                yield from self._named(given, own)
            return
        handler = self._handler(call, rule)
        for key in self._keys(call, rule, own):
            yield Contract(rule.role, rule.kind, key, own, *place, *handler)

    def _run_here(self, own: int, place: tuple[int, int]) -> Iterator[Contract]:
        """The declaration behind a decorator, which hands it to a library."""
        rows = self._facts.declarations
        if own != NONE:
            head = rows[own].name_line, rows[own].name_column
            yield Contract(ContractRole.RUNS, "", "", rows[own].parent, *place, *head)

    def _of_bases(self, rule: FrameworkRule) -> Iterator[Contract]:
        """The members of a class that its base calls."""
        rows = self._facts.declarations
        holders = {
            number
            for number, item in enumerate(rows)
            if item.bases and any(last_name(base) in rule.bases for base in item.bases)
        }
        for item in rows if holders else ():
            if item.parent in holders and _is_among(item.name, rule.members):
                yield from self._run(item.parent, item)

    def _run(self, source: int, item: Declaration) -> Iterator[Contract]:
        """A library calls a declaration."""
        place = item.name_line, item.name_column
        yield Contract(ContractRole.RUNS, "", "", source, *place, *place)

    def _named(self, given: WrittenArgument, own: int) -> Iterator[Contract]:
        """A handler whose name is a text: a function of this file."""
        wanted = {text.lstrip(":") for text in given.texts}
        for item in self._facts.declarations if wanted and not given.names else ():
            if item.name in wanted and item.kind in _CALLED:
                yield from self._run(own, item)

    def _handler(self, call: WrittenCall, rule: FrameworkRule) -> tuple[int, int]:
        for given in call.handlers(rule.handler):
            if given.names:
                return self._place(given.names[-1])
        return 0, 0

    def _keys(self, call: WrittenCall, rule: FrameworkRule, own: int) -> Iterator[str]:
        """The keys of a call: one for each method, and text in a list."""
        given = call.argument(rule.key)
        for text in self._texts(call, rule, given):
            if text in rule.excluded:
                continue
            if rule.kind != ROUTE:
                key = plain_key(rule.kind, text)
                if key:
                    yield key
                continue
            whole = text
            if rule.role == ContractRole.GIVES or call.is_decorator:
                whole = self._below(text, call, own)
            for method in _methods(call, rule):
                key = route_key(method, whole)
                if key:
                    yield key

    def _texts(
        self, call: WrittenCall, rule: FrameworkRule, given: WrittenArgument | None
    ) -> list[str]:
        if given is None:
            return [""] if call.is_decorator and rule.kind == ROUTE else []
        if given.text is None:
            return []
        return [given.text] if len(given.texts) <= 1 or "{}" in given.text else [*given.texts]

    def _below(self, text: str, call: WrittenCall, own: int) -> str:
        """A path below that of its class, or of the variable that it is called on."""
        if not call.is_decorator:
            return join_routes(self._of_variables.get(call.receiver, ""), text)
        text = join_routes(self._of_variables.get(call.receiver, ""), text)
        at = own
        rows = self._facts.declarations
        while at != NONE:
            at = rows[at].parent
            if at in self._of_classes:
                text = join_routes(self._of_classes[at], text)
                break
        if own != NONE:
            text = text.replace(_FUNCTION, rows[own].name)
        return text

    def _with_class(self, text: str, number: int) -> str:
        name = self._facts.declarations[number].name.lower()
        return text.replace(_CLASS, name.removesuffix(_SUFFIX))

    def _of_pattern(self, rule: FrameworkRule) -> Iterator[Contract]:
        pattern = _compiled(rule.pattern)
        for start, end in self._stretches(rule):
            for item in pattern.finditer(self._text, start, end):
                if rule.role == ContractRole.RUNS:
                    place = self._place(item.start("key"))
                    yield Contract(rule.role, "", "", self._around(place[0]), *place, *place)
                    continue
                text = item["key"]
                key = "" if text in rule.excluded else plain_key(rule.kind, text)
                if key:
                    place = self._place(item.start("key"))
                    own = self._around(place[0])
                    yield Contract(rule.role, rule.kind, key, own, *place)

    def _stretches(self, rule: FrameworkRule) -> Iterator[tuple[int, int]]:
        """The parts of the text that an expression is looked for in."""
        if rule.within:
            within = _compiled(rf"(?i:[\"'`]{rule.within})")
            if _quick(within.pattern).search(self._data):
                for start, end, is_comment in self._written.spans:
                    if not is_comment and within.match(self._text, start, end):
                        yield start, end
            return
        if not _compiled(rule.pattern).search(self._text):
            return
        at = 0
        for start, end, is_comment in self._written.spans:
            if is_comment:
                yield at, start
                at = end
        yield at, len(self._text)

    def _of_declarations(self, rule: FrameworkRule) -> Iterator[Contract]:
        for number, item in enumerate(self._facts.declarations):
            if rule.role == ContractRole.RUNS:
                if item.kind in rule.declarations and _is_among(item.name, rule.members):
                    yield from self._run(item.parent, item)
                continue
            if item.kind in rule.declarations:
                key = plain_key(rule.kind, item.name)
                if key and key not in rule.excluded:
                    place = item.name_line, item.name_column
                    yield Contract(rule.role, rule.kind, key, number, *place)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(item.end() for item in re.finditer(r"\n", self._text))]

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1]

    def _word(self, offset: int) -> str:
        found = re.compile(r"[\w$]+").match(self._text, offset)
        return "" if found is None else found[0]

    @cached_property
    def _heads(self) -> list[tuple[tuple[int, int], int]]:
        """The places of all names of declarations, ascending, with the declarations."""
        rows = enumerate(self._facts.declarations)
        return sorted(((item.name_line, item.name_column), number) for number, item in rows)

    def _declared_behind(self, offset: int) -> int:
        """The first declaration whose name stands behind an offset."""
        at = bisect_right(self._heads, (self._place(offset), NONE))
        return self._heads[at][1] if at < len(self._heads) else NONE

    def _around(self, line: int) -> int:
        """The innermost declaration that has a line."""
        found, size = NONE, 0
        for number, item in self._by_start[: bisect_right(self._starts, line)]:
            length = item[1] - item[0]
            if line <= item[1] and (found == NONE or length <= size):
                found, size = number, length
        return found

    @cached_property
    def _by_start(self) -> list[tuple[int, tuple[int, int]]]:
        rows = enumerate(self._facts.declarations)
        spans = [(number, (item.start_line, item.end_line)) for number, item in rows]
        return sorted(spans, key=lambda row: (row[1][0], row[0]))

    @cached_property
    def _starts(self) -> list[int]:
        return [row[1][0] for row in self._by_start]


def _methods(call: WrittenCall, rule: FrameworkRule) -> list[str]:
    """The methods of a route."""
    for one in rule.method:
        if one == "name":
            found = [*_METHOD.finditer(call.name)]
            if found:
                return [_method(found[-1][0])]
        elif isinstance(one, int) or not one.isupper():
            given = call.argument((one,))
            told = () if given is None else given.texts
            if told:
                known = [_method(text) for text in told if _METHOD.fullmatch(text)]
                return known or [ANY]
        else:
            return [one]
    return [ANY]


def _method(name: str) -> str:
    return ANY if name.lower() in _ANY_METHODS else name.upper()


def _is_among(name: str, names: frozenset[str]) -> bool:
    """True if a name is one of some, or begins as one that ends with a star does."""
    return name in names or any(
        one[-1] == "*" and name.startswith(one[:-1]) for one in names if one
    )


def last_name(base: str) -> str:
    """The name of a base as it is written, without what stands before and its arguments."""
    found = _BASE.match(base)
    return base if found is None else found[1]


@cache
def _quick(pattern: str) -> Any:  # noqa: ANN401 re2 brings no types
    """An expression for bytes, many times as fast."""
    import re2  # type: ignore[import-untyped] # noqa: PLC0415 where files are lowered alone

    return re2.compile(pattern.encode())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)

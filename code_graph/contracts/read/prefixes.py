"""Mount prefixes: of classes, groups, blocks and mounted files."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Final

from code_graph.contracts.descriptions import KeyPrefix, compiled
from code_graph.contracts.keys import (
    CONTROLLER,
    ENDPOINT,
    FILES,
    MOUNT,
    join_routes,
    path_segments,
)
from code_graph.contracts.read.calls import WrittenCall
from code_graph.contracts.read.source import BRACKETS, ContractSource
from code_graph.contracts.read.values import LONGEST_NAME
from code_graph.expressions import NONE, NOWHERE, Contract, ContractRole

# a variable of a file that is given a list
_LIST: Final = re.compile(
    r"^(\w+)(?:[ \t]*:[^=\n]+)?[ \t]*\+?=[ \t]*\[[^\n]*\n(?:[ \t)#\]][^\n]+\n|\n)*(?=\])",
    re.MULTILINE,
)
# a variable that is handed to a function, which may be of another file
_HANDED: Final = r"(?<![\w$.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)\((?:\s*&?[\w.]+\s*,)*\s*&?{}\s*[,)]"
_TAKEN: Final = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)\((?:\s*&?[\w.]+\s*,)*\s*\Z")
_FIRST: Final = re.compile(r"[\w$]+")
# a macro with a list, and the names that are in it
_MACRO: Final = re.compile(r"!\[([^\]]{0,4000})\]")
_LAST_PARTS: Final = re.compile(r"[A-Za-z_]\w*(?=\s*(?:,|\Z))")
# a function that is written behind the arguments of a call
_LAMBDA_BEHIND: Final = re.compile(r"\s*\{")
_DO_BEHIND: Final = re.compile(r"\bdo\b(?:[ \t]*\|[^|\n]*\|)?[ \t]*(?:#[^\n]*)?\n")
_INDENT: Final = re.compile(r"[ \t]*")
# kinds of prefixes that expressions find
_BLOCK: Final = "block"
_OF_PATTERNS: Final = frozenset({"route", _BLOCK})
LONGEST_BLOCK: Final = 40_000
# words of a route that stand for the class or function around
_CLASS: Final = "[controller]"
_FUNCTION: Final = "[action]"


class KeyPrefixes:
    """The beginnings of a file's paths and names."""

    def __init__(self, source: ContractSource, beginnings: Sequence[KeyPrefix]) -> None:
        """Nothing begins with anything yet; `beginnings` have expressions for names of modules."""
        self._source = source
        self._beginnings = beginnings
        # what keys begin with, by the number of a class and by the name of a variable
        self._of_classes: dict[int, str] = {}
        self._of_variables: dict[str, list[str]] = {}
        self.mounts: list[Contract] = []
        # of the calls that say a prefix
        self.places: set[tuple[int, int]] = set()
        # what the rest of a chain begins with, by the call that says so
        self._of_groups: dict[int, list[str]] = {}
        # what names of routes begin with, by variable; and the stretches whose routes are below
        self._names_of: dict[str | int, str] = {}
        self._blocks: list[tuple[int, int, str]] = []

    def take_patterns(self) -> None:
        """Take the prefixes that expressions find: of a class by a field, and of blocks."""
        text = self._source.text
        for rule in self._beginnings:
            if rule.kind not in _OF_PATTERNS or not self._source.fits(rule.imports, rule.words):
                continue
            places = compiled(rule.pattern).finditer(text) if self._source.has(rule.pattern) else ()
            for item in places:
                number = self._source.around(self._source.place(item.end())[0])
                if rule.kind == _BLOCK:
                    end = self._end_of_lines(item.start(), item.end())
                    self._blocks.append((item.start(), end, rule.ends[0]))
                elif number != NONE:
                    self._of_classes.setdefault(self._source.class_around(number), item["key"])

    def begins_group(self, start: int) -> bool:
        """True for a call that sets the prefix of the rest of its chain."""
        return start in self._of_groups

    def take(self, rule: KeyPrefix, call: WrittenCall) -> None:
        """Take the prefix that a call says."""
        given = call.argument(rule.key)
        text = given.text if given is not None else in_chain(call.chain, rule.key)
        if text is None or (rule.general and text[:1] != "/" and not call.is_decorator):
            return
        if not rule.general:
            self.places.add(self._source.place(call.start))
        if rule.kind:
            number = self._source.declared_behind(call.end) if call.is_decorator else NONE
            self._names_of[call.variable if number == NONE else number] = text
            return
        if call.is_decorator:
            number = self._source.declared_behind(call.end)
            if number != NONE and text:
                self._of_classes[number] = self._with_class(text, number)
            return
        if rule.block:
            end = rule.ends[0] if rule.ends else ""
            self._blocks.append((call.start, self._end_of(call), f"{text.rstrip('/')}{end}"))
        texts = [join_routes(before, text) for before in self._before(call)]
        texts = [f"{one.rstrip('/')}{end}" for one in texts for end in rule.ends or ("",)]
        if not rule.target and not (rule.general and rule.block):
            self._of_groups[call.start] = texts
        if rule.file:
            self._mount_file(call, texts, rule)
            return
        if not rule.target and not (rule.general and rule.block):
            self._begin_variable(call.variable, texts)
            if not call.variable and not rule.block:
                self._mount_taken(call, texts)
        self._mount_targets(call, rule, texts)

    def _mount_targets(self, call: WrittenCall, rule: KeyPrefix, texts: list[str]) -> None:
        """Mount the arguments of a call below its prefix."""
        for target in call.handlers(rule.target):
            offsets = target.names or target.called
            if rule.general and [self._source.word(at) for at in offsets[-1:]] == ["require"]:
                continue
            if not rule.calling and target.parts[:1] == target.called[-1:] != ():
                offsets = target.called[-1:]  # what makes it is called: `nest(path, users())`
            for at in self._in_macro(offsets[0]) if offsets else ():  # `routes![show, list]`
                self._begin_variable(self._source.word(at).lower(), texts)
                self._mount(call.start, texts, at)
            if offsets:
                self._begin_variable(self._source.word(offsets[0]).lower(), texts)
                self._mount(call.start, texts, offsets[-1])
                break

    def _in_macro(self, offset: int) -> Iterator[int]:
        """The last parts of the names in the list of a macro."""
        word = self._source.word(offset)
        found = _MACRO.match(self._source.text, offset + len(word))
        for item in _LAST_PARTS.finditer(found[1]) if found is not None else ():
            yield offset + len(word) + 2 + item.start()

    def begin_class(self, number: int, text: str) -> None:
        """Take the path of a class by its number."""
        self._of_classes[number] = text

    def _begin_variable(self, name: str, texts: list[str]) -> None:
        if name and any(texts):
            known = self._of_variables.setdefault(name, [])
            known += [text for text in texts if text not in known]

    def _mount_taken(self, call: WrittenCall, texts: list[str]) -> None:
        """An argument of the call has the prefix: `users.register(v1.Group("/users"))`."""
        start = call.start - len(call.chain)
        taken = _TAKEN.search(self._source.text, max(start - LONGEST_NAME, 0), start)
        if taken is not None:
            self._mount(call.start, texts, taken.start(1) + taken[1].rfind(".") + 1)

    def hand_on(self) -> None:
        """Variables with a prefix are handed to functions, which may be of other files."""
        for name, texts in self._of_variables.items():
            if any(texts):
                handed = re.compile(_HANDED.format(re.escape(name)), re.IGNORECASE)
                for item in handed.finditer(self._source.text):
                    self._mount(item.start(), texts, item.start(1) + item[1].rfind(".") + 1)

    def _mount_file(self, call: WrittenCall, texts: list[str], rule: KeyPrefix) -> None:
        """The routes of a file that a text names are below a path."""
        named = [text for given in call.handlers(rule.file) for text in given.texts[:1]]
        if named and any(texts):
            self._mount(call.start, texts, -1)
            place = self._source.place(call.start)
            self.mounts.append(Contract(ContractRole.USES, FILES, named[0], NONE, place))

    def _end_of(self, call: WrittenCall) -> int:
        """The end of the arguments of a call, however long they are."""
        opening = call.start + len(call.name)
        if self._source.text[opening : opening + 1] not in {"(", "<"}:
            return max(call.end, self._end_of_lines(call.start, call.end))
        opening = self._source.text.find("(", opening)
        depth = 0
        spans = iter(self._source.written.spans)
        begin, end, _ = next(spans, (len(self._source.text), 0, False))
        for item in BRACKETS.finditer(self._source.text, opening, opening + LONGEST_BLOCK):
            while end <= item.start() and begin < len(self._source.text):
                begin, end, _ = next(
                    spans, (len(self._source.text), len(self._source.text) + 1, False)
                )
            if begin <= item.start() < end:
                continue
            depth += 1 if item[0] in "([{" else -1
            if not depth and not _LAMBDA_BEHIND.match(self._source.text, item.end()):
                return max(item.end(), self._end_of_lines(call.start, item.end()))
        return max(call.end, self._end_of_lines(call.start, call.end))

    def _end_of_lines(self, start: int, end: int) -> int:
        """The end of the lines between `do` behind a call and its `end`; 0 without any."""
        text = self._source.text
        begin = text.rfind("\n", 0, start + 1) + 1
        line = text.find("\n", end - 1)
        if not _DO_BEHIND.search(text, begin, line + 1):
            return 0
        indent = _INDENT.match(text, begin)
        ends = _end_at("" if indent is None else indent[0]).search(text, line)
        return 0 if ends is None else ends.start()

    def _mount(self, start: int, texts: list[str], offset: int) -> None:
        """Routes that another file gives are below a path; no offset for one named by a text."""
        place = self._source.place(start)
        for text in texts:
            segments = path_segments(text)
            if segments:
                key = f"/{'/'.join(segments)}"
                own = self._source.around(place[0])
                handler = NOWHERE if offset < 0 else self._source.place(offset)
                self.mounts.append(Contract(ContractRole.GIVES, MOUNT, key, own, place, handler))

    def _before(self, call: WrittenCall) -> list[str]:
        """The beginnings of the paths of a call, by its receiver or the list that it is in."""
        found = self._of_groups.get(call.group) or self._of_variables.get(call.receiver)
        if found is None and call.chain:
            first = _FIRST.match(call.chain)
            found = None if first is None else self._of_variables.get(first[0].lower())
        if found is None and not call.chain:
            found = self._of_variables.get(self._list_around(call.start))
        return found or [""]

    def _list_around(self, offset: int) -> str:
        """The variable of the list that an offset is in."""
        at = bisect_right(self._lists, (offset,)) - 1
        return self._lists[at][2] if at >= 0 and offset < self._lists[at][1] else ""

    @cached_property
    def _lists(self) -> list[tuple[int, int, str]]:
        """Lists that are assigned to variables of the file: begin, end and name."""
        return [
            (item.start(), item.end(), item[1].lower())
            for item in _LIST.finditer(self._source.text)
        ]

    def below(self, text: str, call: WrittenCall, own: int) -> list[str]:
        """A path below the prefix of its class or of the receiver."""
        texts = [join_routes(before, text) for before in self._before(call)]
        if not call.is_decorator:
            return [self.in_blocks(text, call.start) for text in texts]
        at = own
        rows = self._source.facts.declarations
        if own in self._of_classes:  # `@Path("/x")` beside `@GET`
            texts = [join_routes(self._of_classes[own], text) for text in texts]
        while at != NONE:
            at = rows[at].parent
            if at in self._of_classes:
                texts = [join_routes(self._of_classes[at], text) for text in texts]
                break
        if own != NONE and not call.receiver:  # a function that is mounted by its name
            mounted = self._of_variables.get(rows[own].name.lower(), [""])
            texts = [join_routes(before, text) for before in mounted for text in texts]
        if own != NONE:
            texts = [text.replace(_FUNCTION, rows[own].name) for text in texts]
        return texts

    def in_blocks(self, text: str, offset: int) -> str:
        """A path below the prefixes of the blocks around an offset."""
        for start, end, before in sorted(self._blocks, reverse=True):
            if start < offset < end:
                text = join_routes(before, text)
        return text

    def _with_class(self, text: str, number: int) -> str:
        name = self._source.facts.declarations[number].name.lower()
        return text.replace(_CLASS, name.removesuffix(CONTROLLER))

    def below_class(self, text: str, offset: int) -> str:
        """A path of a pattern below the prefix of the class of the declaration behind it."""
        number = self._source.declared_behind(offset)
        parent = NONE if number == NONE else self._source.facts.declarations[number].parent
        return join_routes(self._of_classes.get(parent, ""), text)

    def named(self, name: str, receiver: str, own: int) -> str:
        """The name of a route, qualified by its class, its variable or the file."""
        rows = self._source.facts.declarations
        parent = NONE if own == NONE else rows[own].parent
        before = self._names_of.get(parent) if parent != NONE else None
        if before is not None:
            return f"{before}{name}"
        before = self.of_names(receiver)
        return f"{before}.{name}" if before else name

    def of_names(self, receiver: str) -> str:
        """The prefix of names of routes, of a variable or of the file."""
        return self._names_of.get(receiver) or self.beginning(ENDPOINT).rstrip(".")

    def beginning(self, kind: str) -> str:
        """The name of a module that all texts of a file begin with."""
        for rule in self._beginnings:
            if rule.kind == kind:
                found = compiled(rule.pattern).search(self._source.text)
                if found is not None:
                    return f"{found['key']}."
        return ""


@cache
def _end_at(indent: str) -> re.Pattern[str]:
    return re.compile(rf"^{indent}end\b", re.MULTILINE)


def in_chain(chain: str, names: Iterable[int | str]) -> str:
    """The text that a call before is given: `Route::prefix("v1")->group(…)`."""
    for name in names:
        found = re.search(rf"\b{name}\(\s*[\"']([^\"']*)[\"']", chain)
        if found is not None:
            return found[1]
    return ""

"""Makes the contracts of a file: which texts it gives and uses, and what it hands to libraries."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any, Final

from code_graph.contracts.calls import WrittenArgument, WrittenCall, WrittenText
from code_graph.contracts.descriptions import (
    Arguments,
    Descriptions,
    FrameworkRule,
    KeyPrefix,
    descriptions_of,
)
from code_graph.contracts.keys import (
    ACTION,
    ANY,
    BINDING,
    CONTROLLER,
    ENDPOINT,
    FILES,
    HANDED,
    HOLE,
    METHODS,
    MOUNT,
    ROUTE,
    SETTING,
    TABLE,
    TEMPLATE,
    TESTED,
    TEXT,
    WRAPPER,
    action_key,
    begins_as_path,
    fill_holes,
    join_routes,
    named_action,
    path_segments,
    plain_key,
    route_key,
)
from code_graph.contracts.templates import CALLED, template_names
from code_graph.expressions import NONE, Code, Contract, ContractRole, FileCode
from code_graph.facts import Declaration, Facts
from code_graph.language import Language
from code_graph.language_table import language_named
from index_format.records import replace

_MOST: Final = 4_000
# texts of a list in one argument
_MOST_TEXTS: Final = 64
# kinds of declarations that a name in a text may mean
_CALLED: Final = frozenset({"function", "method"})
_BASE: Final = re.compile(r"(?:[\w$]+\s*(?:\.|::|\\))*([\w$]+)")
# languages of which a file may be a template as a whole
_TEMPLATES: Final = frozenset({"html"})
_KIND: Final = "class"
_METHOD: Final = re.compile(rf"(?i:{'|'.join(METHODS)}|all|any|use|match)")
# a variable of a file that is given a list
_LIST: Final = re.compile(
    r"^(\w+)(?:[ \t]*:[^=\n]+)?[ \t]*\+?=[ \t]*\[[^\n]*\n(?:[ \t)#\]][^\n]+\n|\n)*(?=\])",
    re.MULTILINE,
)
# `.Methods("GET", http.MethodPost)` behind a route
_METHODS_BEHIND: Final = re.compile(r"\s*\.\s*[mM]ethods\(([^()]*)\)")
_METHOD_WORD: Final = re.compile(rf"(?:Method)?((?i:{'|'.join(METHODS)}))")
# the first argument of a call is the text of a path
_PATH_FIRST: Final = re.compile(r"\s*[fF]?[\"'`](?:\$?\{[^{}\n]*\})?/\w")
_METHOD_NAMED: Final = re.compile(rf"(?:\bhttp\.Method|[\"'])((?i:{'|'.join(METHODS)}))\b")
_ANY_METHODS: Final = frozenset({"all", "any", "use", "match"})
# `->name("users.show")` behind a route
_NAME_BEHIND: Final = re.compile(
    r"(?:\s*(?:\.|->)\s*(?!name\b)\w+\((?:[^()]|\([^()]*\))*\))*\s*(?:\.|->)\s*[nN]ame\(\s*[\"']([\w.:-]+)[\"']"
)
_LONGEST_CHAIN: Final = 400
# a constant that is a path, or a function that makes one
_PATH_CONSTANT: Final = re.compile(
    r"=\s*(?:\(?[\w\s,:$=]{0,80}\)?\s*=>\s*)?(?:[\"'](/[\w/{}:.$-]+)[\"']"
    r"|`((?:\$\{[^{}`\n]+\})*/[^`\n]+)`|\w+\s*\+\s*[\"'](/[\w/{}:.$-]+)[\"'])"
    r"|(?<=[A-Z])\s*=\s*\"([A-Za-z][\w.:-]{2,60})\""
)
# kinds whose texts may be constants of other files
_OF_CONSTANTS: Final = frozenset({ROUTE, SETTING})
# names of constants that are paths
_NAMES_A_PATH: Final = re.compile(r"[A-Z]{2}\Z|(?:Ur[il]|Path|Endpoint|Route)s?\Z")
# a variable that is handed to a function, which may be of another file
_HANDED: Final = r"(?<![\w$.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)\((?:\s*&?[\w.]+\s*,)*\s*&?{}\s*[,)]"
_TAKEN: Final = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)\((?:\s*&?[\w.]+\s*,)*\s*\Z")
# parameters that are the method of a request
_NAMES_A_METHOD: Final = ("method", "verb", "httpMethod", "requestMethod")
# a text that ends with a variable
_ENDS_WITH: Final = re.compile(
    r"(?:`[^`\n]*|[fF][\"'][^\"'\n]*)\{(\w+)\}[`\"']|[^\n;]*\+\s*(\w+)\s*(?:;|$)", re.MULTILINE
)
# functions that put values into a text
_FORMATS: Final = re.compile(r"(?i)(?:printf|format)\Z")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# a constant that is put in at the beginning of a text, and in that of another
_PUT_IN: Final = re.compile(r"\A\$?\{(\w+)\}|(?<=\})\$\{(\w+)\}")
_DEEPEST: Final = 4
# the key of a rule whose text is the name of the declaration
_DECLARED: Final = "declared"
_NAMED: Final = re.compile(r"(?<![\w$.])([A-Za-z_]\w*)(?:\s*:\s*[\w.]+)?\s*\Z")
_LONGEST_NAME: Final = 80
_WORD: Final = re.compile(r"[\w$]+")
_BRACKETS: Final = re.compile(r"[()\[\]{}]")
_LONGEST_BLOCK: Final = 40_000
# words of a route that stand for the class or function around
_CLASS: Final = "[controller]"
_FUNCTION: Final = "[action]"


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
    return code._replace(code=replace(code.code, contracts=found))


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
        self._of_variables: dict[str, list[str]] = {}
        self._mounts: list[Contract] = []
        # what names of routes begin with, by variable; and the stretches whose routes are below
        self._names_of: dict[str, str] = {}
        self._blocks: list[tuple[int, int, str]] = []
        # texts of variables, and functions that hand a parameter on
        self._constants: dict[str, list[tuple[int, str]]] = {}
        self._wrappers: dict[str, tuple[int, FrameworkRule]] = {}

    def contracts(self) -> list[Contract]:
        """All contracts."""
        known = self._descriptions
        found: list[Contract] = []
        calls: list[tuple[WrittenCall, FrameworkRule]] = []
        for call in self._written.calls(known.words(self._text, self._data), self._is_wanted):
            for rule in self._rules(call.name, call.receiver, is_decorator=call.is_decorator):
                if rule.without and call.calls_inside(self._text, rule.without):
                    continue
                if not isinstance(rule, KeyPrefix):
                    calls.append((call, rule))
                elif not rule.calling or call.calls_inside(self._text, rule.calling):
                    self._take_prefix(rule, call)
        self._hand_on()
        self._begin_classes()
        found += [
            row for call, rule in calls if not rule.in_tests for row in self._of_call(call, rule)
        ]
        told = {row.place for row in found}
        for call, rule in calls:
            if rule.in_tests and self._place(call.start) not in told:
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
        return [*found, *self._mounts, *self._of_wrappers(), *self._of_texts()]

    def _is_wanted(
        self,
        name: str,
        receiver: str,
        is_decorator: bool,  # noqa: FBT001 IsWanted
        opening: int,
    ) -> bool:
        rules = self._rules(name, receiver, is_decorator=is_decorator)
        if any(isinstance(rule, KeyPrefix) or not rule.in_tests for rule in rules):
            return True
        return bool(rules and receiver) and _PATH_FIRST.match(self._text, opening) is not None

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
            and (not rule.receivers or _is_among(receiver, rule.receivers))
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
        text = given.text if given is not None else _in_chain(call.chain, rule.key)
        if text is None:
            return
        if rule.kind:
            self._names_of[call.variable] = text
            return
        if call.is_decorator:
            number = self._declared_behind(call.end)
            if number != NONE and text:
                self._of_classes[number] = self._with_class(text, number)
            return
        if rule.block:
            self._blocks.append((call.start, self._end_of(call), text))
        texts = [join_routes(before, text) for before in self._before(call)]
        if rule.file:
            self._mount_file(call, texts, rule)
            return
        if not rule.target:
            self._begin_variable(call.variable, texts)
            if not call.variable and not rule.block:
                self._mount_taken(call, texts)
        for target in call.handlers(rule.target):
            offsets = target.names or target.called
            if not rule.calling and target.parts[:1] == target.called[-1:] != ():
                offsets = target.called[-1:]  # what makes it is called: `nest(path, users())`
            if offsets:
                self._begin_variable(self._word(offsets[0]).lower(), texts)
                self._mount(call.start, texts, offsets[-1])
                break

    def _begin_variable(self, name: str, texts: list[str]) -> None:
        if name and any(texts):
            known = self._of_variables.setdefault(name, [])
            known += [text for text in texts if text not in known]

    def _mount_taken(self, call: WrittenCall, texts: list[str]) -> None:
        """A function is called with what has the prefix: `users.register(v1.Group("/users"))`."""
        start = call.start - len(call.chain)
        taken = _TAKEN.search(self._text, max(start - _LONGEST_NAME, 0), start)
        if taken is not None:
            self._mount(call.start, texts, taken.start(1) + taken[1].rfind(".") + 1)

    def _hand_on(self) -> None:
        """Variables with a prefix are handed to functions, which may be of other files."""
        for name, texts in self._of_variables.items():
            if any(texts):
                handed = re.compile(_HANDED.format(re.escape(name)), re.IGNORECASE)
                for item in handed.finditer(self._text):
                    self._mount(item.start(), texts, item.start(1) + item[1].rfind(".") + 1)

    def _mount_file(self, call: WrittenCall, texts: list[str], rule: KeyPrefix) -> None:
        """The routes of a file that a text names are below a path."""
        named = [text for given in call.handlers(rule.file) for text in given.texts[:1]]
        if named and any(texts):
            self._mount(call.start, texts, -1)
            place = self._place(call.start)
            self._mounts.append(Contract(ContractRole.USES, FILES, named[0], NONE, *place))

    def _end_of(self, call: WrittenCall) -> int:
        """The end of the arguments of a call, however long they are."""
        opening = self._text.find("(", call.start)
        depth = 0
        spans = iter(self._written.spans)
        begin, end, _ = next(spans, (len(self._text), 0, False))
        for item in _BRACKETS.finditer(self._text, opening, opening + _LONGEST_BLOCK):
            while end <= item.start() and begin < len(self._text):
                begin, end, _ = next(spans, (len(self._text), len(self._text) + 1, False))
            if begin <= item.start() < end:
                continue
            depth += 1 if item[0] in "([{" else -1
            if not depth:
                return item.end()
        return call.end

    def _mount(self, start: int, texts: list[str], offset: int) -> None:
        """Routes that another file gives are below a path; no offset for one named by a text."""
        place = self._place(start)
        for text in texts:
            segments = path_segments(text)
            if segments:
                key = f"/{'/'.join(segments)}"
                row = Contract(ContractRole.GIVES, MOUNT, key, self._around(place[0]), *place)
                line, column = (0, 0) if offset < 0 else self._place(offset)
                self._mounts.append(row._replace(handler_line=line, handler_column=column))

    def _before(self, call: WrittenCall) -> list[str]:
        """The beginnings of the paths of a call, by its receiver or the list that it is in."""
        found = self._of_variables.get(call.receiver)
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
        return [(item.start(), item.end(), item[1].lower()) for item in _LIST.finditer(self._text)]

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
        if rule.role == ContractRole.USES and rule.kind in _OF_CONSTANTS and not rule.in_tests:
            yield from self._of_constant(call, rule, own)
        handler = self._handler(call, rule)
        kind = TESTED if rule.in_tests else rule.kind
        for key in self._keys(call, rule, own):
            yield Contract(rule.role, kind, key, own, *place, *handler)
        name = self._endpoint(call, rule, own)
        if name:
            yield Contract(rule.role, ENDPOINT, name, own, *place, *handler)
        action, offset = self._action(call, rule)
        if action:
            held = (0, 0) if offset < 0 else self._place(offset)
            yield Contract(ContractRole.USES, ACTION, action, own, *place, *held)

    def _endpoint(self, call: WrittenCall, rule: FrameworkRule, own: int) -> str:
        """The name of a route."""
        for one in rule.names:
            if isinstance(one, str) and one[0] == "=":
                name = one[1:]
            elif one == "path":  # Rails names a route as its path
                given = call.argument((0,))
                name = _path_name("" if given is None else given.text or "")
                method = self._methods(call, rule)[0]
                name = name if not name or method in {"GET", ANY} else f"{method} {name}"
            elif one == "function":
                name = self._facts.declarations[own].name if own != NONE else ""
            elif one == "after":
                behind = _NAME_BEHIND.match(self._text, call.end, call.end + _LONGEST_CHAIN)
                name = "" if behind is None else behind[1]
            else:
                given = call.argument((one,))
                name = "" if given is None else given.text or ""
            if name:
                before = self._names_of.get(call.receiver) or self._beginning(ENDPOINT).rstrip(".")
                return plain_key(ENDPOINT, f"{before}.{name}" if before else name)
        return ""

    def _action(self, call: WrittenCall, rule: FrameworkRule) -> tuple[str, int]:
        """The method of a controller that a route is for, and where its class is named."""
        given = call.argument(rule.action)
        if given is None or not given.texts:
            return "", -1
        if given.names:  # `[Items::class, "show"]`
            at = given.names[0]
            named = _NAMED.search(self._text[max(at - _LONGEST_NAME, 0) : at].rstrip(": "))
            holder = self._word(at) if named is None else named[1]
            offset = at if named is None else max(at - _LONGEST_NAME, 0) + named.start(1)
            return action_key(holder, given.texts[-1]), offset
        return named_action(given.texts[-1]), -1

    def _of_constant(self, call: WrittenCall, rule: FrameworkRule, own: int) -> Iterator[Contract]:
        """A request whose path is a constant, of another file: the linker looks it up."""
        given = call.argument(rule.key)
        if given is None:
            return
        offset = given.names[0] if self._is_variable(given) else NONE
        if given.called and given.parts == given.called[:1] and "/" not in (given.text or ""):
            offset = given.called[0]  # a function that makes the path
        elif self._whole(given, call.start):
            return
        name = "" if offset == NONE else self._word(offset)
        if not name or (name[:1].islower() and not _NAMES_A_PATH.search(name)):
            return
        for key in self._methods(call, rule) if rule.kind == ROUTE else [ANY]:
            place = self._place(call.start)
            yield Contract(rule.role, rule.kind, key, own, *place, *self._place(offset))

    def _of_texts(self) -> Iterator[Contract]:
        """Constants that are paths, for requests of other files."""
        found = [*_PATH_CONSTANT.finditer(self._text)]
        heads = dict(self._heads) if found else {}
        for item in found:
            begin = max(item.start() - _LONGEST_NAME, 0)
            named = _NAMED.search(self._text[begin : item.start()])
            place = (0, 0) if named is None else self._place(begin + named.start(1))
            if place in heads:
                text = item[4] or fill_holes(self._filled(item[1] or item[2] or item[3]))
                yield Contract(ContractRole.GIVES, TEXT, text, heads[place], *place)

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
        if rule.role == ContractRole.GIVES:
            for number in holders:
                place = rows[number].name_line, rows[number].name_column
                key = plain_key(rule.kind, _HUMP.sub("_", rows[number].name))
                yield Contract(rule.role, rule.kind, key, number, *place)
            return
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
        if _DECLARED in rule.key and own != NONE:
            yield plain_key(rule.kind, self._facts.declarations[own].name)
            return
        constant = next((one for one in rule.key if isinstance(one, str) and one[0] == "/"), "")
        if constant:  # `root to: "pages#home"`
            yield route_key(rule.method[0] if isinstance(rule.method[0], str) else ANY, constant)
            return
        for text in self._texts(call, rule, given):
            is_no_path = rule.in_tests and not begins_as_path(text)
            if text in rule.excluded or is_no_path or not _compiled(rule.begins).match(text):
                continue
            if rule.kind != ROUTE:
                key = plain_key(rule.kind, text)
                if key:
                    yield key
                continue
            is_given = rule.role == ContractRole.GIVES or call.is_decorator
            below = self._below(text, call, own) if is_given else [self._filled(text)]
            below += [f"{one.rstrip('/$')}{end}" for end in rule.ends for one in below]
            for whole in below:
                for method in self._methods(call, rule):
                    key = route_key(method, whole)
                    if key:
                        yield key

    def _methods(self, call: WrittenCall, rule: FrameworkRule) -> list[str]:
        """The methods of a route."""
        for one in rule.method:
            if one in {"name", "before"}:
                named = _METHOD.findall(call.name if one == "name" else call.chain)
                if named:
                    return [_method(named[-1])]
            elif one == "after":
                behind = _METHODS_BEHIND.match(self._text, call.end)
                named = [] if behind is None else _METHOD_NAMED.findall(behind[1])
                if named:
                    return [_method(name) for name in named]
            elif isinstance(one, int) or not one.isupper():
                told = self._told_methods(call, one)
                if told:
                    return told
            elif (
                any(self._is_variable(item) for item in call.arguments[1:])
                and "method" in rule.method
            ):
                return [ANY]  # options that are made elsewhere
            else:
                return [one]
        return [ANY]

    def _told_methods(self, call: WrittenCall, one: int | str) -> list[str]:
        """The methods that an argument names, or the object of options that a variable has."""
        given = call.argument((one,))
        if given is None and isinstance(one, str):
            for item in call.arguments[1:]:
                if self._is_variable(item):
                    texts = self._options(self._word(item.names[0]), call.start).get(one)
                    return [_method(texts)] if texts and _METHOD.fullmatch(texts) else []
        told = () if given is None else given.texts
        known = [_method(text) for text in told if _METHOD.fullmatch(text)]
        if given is not None and not told:  # `http.MethodPost`, `HttpMethod.POST`
            words = (self._word(offset) for offset in given.names)
            named = (_METHOD_WORD.fullmatch(word) for word in words)
            known = [_method(item[1]) for item in named if item is not None]
        return known or ([ANY] if told else [])

    def _is_variable(self, given: WrittenArgument) -> bool:
        return len(given.parts) == 1 and given.text is None and len(given.names) == 1

    def _options(self, name: str, offset: int) -> dict[str, str]:
        """The texts of the object that a variable was given last before an offset."""
        found: dict[str, str] = {}
        for item in _assignment(name).finditer(self._text, 0, offset):
            given = self._written.value(item.end())
            if given is not None and given.inner:
                found = dict(given.inner)
        return found

    def _texts(
        self, call: WrittenCall, rule: FrameworkRule, given: WrittenArgument | None
    ) -> list[str]:
        if given is None:
            return [""] if call.is_decorator and rule.kind == ROUTE else []
        text = self._whole(given, call.start)
        is_request = rule.kind == ROUTE and rule.role == ContractRole.USES
        if text is None and rule.in_tests:
            return []
        if text is None or (is_request and not fill_holes(text).replace(HOLE, "")):
            self._note_wrapper(call, rule, given)
            return []
        is_one = len(given.texts) <= 1 or HOLE in text
        return [text] if is_one else [*given.texts[:_MOST_TEXTS]]

    def _whole(self, given: WrittenArgument, offset: int) -> str | None:
        """The text of an argument, with the texts that its variables were given in this file."""
        if not any(isinstance(part, int) for part in given.parts):
            return given.text
        parts = [self._told(part, offset) for part in given.parts]
        if all(part is None for part in parts):
            return given.text
        return "".join(HOLE if part is None else part for part in parts)

    def _filled(self, text: str, depth: int = 0) -> str:
        """A text with the constants of the file that are put in: `${API}/users`."""
        if depth == _DEEPEST:
            return text

        def known(item: re.Match[str]) -> str:
            told = next((text for _, text in self._assigned(item[1] or item[2])), None)
            return item[0] if told is None else self._filled(told, depth + 1)

        return _PUT_IN.sub(known, text)

    def _told(self, part: str | int, offset: int) -> str | None:
        """A part of a text; of a variable the one that it was given before, or else first."""
        if isinstance(part, str):
            return part
        name = self._word(part)
        if self._text[part - 1 : part] == ".":
            name = f".{name}"
        known = self._constants.get(name)
        if known is None:
            known = [*self._assigned(name)] or [*self._assigned(name.lstrip("."))]
            self._constants[name] = known
        before = [text for at, text in known if at < offset]
        return before[-1] if before else next((text for _, text in known), None)

    def _assigned(self, name: str) -> Iterator[tuple[int, str]]:
        """The texts that a variable is given, with the places."""
        pattern = _assignment(name)
        for item in pattern.finditer(self._text):
            given = self._written.value(item.end())
            if given is None:
                continue
            if any(isinstance(part, str) and part != HOLE for part in given.parts):
                parts = (part if isinstance(part, str) else HOLE for part in given.parts)
                yield item.start(), "".join(parts)
            elif given.text and any(_FORMATS.search(self._word(at)) for at in given.called):
                yield item.start(), given.text

    def _note_wrapper(self, call: WrittenCall, rule: FrameworkRule, given: WrittenArgument) -> None:
        """Take note of a function that hands one of its parameters on as the text."""
        own = self._around(self._place(call.start)[0])
        if own != NONE and len(given.parts) == 1 and isinstance(given.parts[0], int):
            name = self._word(given.parts[0])
            known = self._methods(call, rule) if rule.kind == ROUTE else [ANY]
            told = rule if known == [ANY] else replace(rule, method=(known[0],))
            if not self._wrap(own, name, told):
                self._wrap(own, self._last_of(name, call.start), told)

    def _last_of(self, name: str, offset: int) -> str:
        """The variable that the text of another one ends with: `url = base + path`."""
        found = ""
        for item in _assignment(name).finditer(self._text, 0, offset):
            ends = _ENDS_WITH.match(self._text, item.end())
            found = found if ends is None else ends[1] or ends[2]
        return found

    def _wrap(self, own: int, parameter: str, rule: FrameworkRule) -> bool:
        row = self._facts.declarations[own]
        at = _parameter_index(row.parameters, parameter) if parameter else -1
        is_handed = rule.role == ContractRole.USES and at >= 0 and row.name not in rule.calls
        if is_handed:
            methods = (_parameter_index(row.parameters, name) for name in _NAMES_A_METHOD)
            taken = [one for one in methods if one >= 0]
            method = (*taken[:1], *rule.method)
            handed = replace(rule, key=(at,), receivers=frozenset(), method=method)
            self._wrappers.setdefault(row.name, (own, handed))
        return is_handed

    def _of_wrappers(self) -> Iterator[Contract]:
        """The texts that functions of this file are called with, which hand them on."""
        seen: set[str] = set()
        while seen != {*self._wrappers}:  # one may hand a parameter on to another
            names = sorted({*self._wrappers} - seen)
            seen.update(names)
            found = rf"(?<![\w$])(?:{'|'.join(map(re.escape, names))})(?![\w$])"
            words = ((item.start(), item.end()) for item in re.finditer(found, self._text))
            for call in [*self._written.calls(words, lambda *_: True)]:
                number, rule = self._wrappers[call.name]
                if self._facts.declarations[number].name_line != self._place(call.start)[0]:
                    yield from self._of_call(call, rule)
        for number, rule in self._wrappers.values():
            if rule.kind == ROUTE and rule.key in {(0,), (1,)}:
                row = self._facts.declarations[number]
                method = next((one for one in rule.method if str(one).isupper()), ANY)
                key = str(ANY if 0 in rule.method or 1 in rule.method else method)
                place = row.name_line, row.name_column
                yield Contract(ContractRole.GIVES, WRAPPER, key, number, *place)

    def _below(self, text: str, call: WrittenCall, own: int) -> list[str]:
        """A path below that of its class, or of the variable that it is called on."""
        texts = [join_routes(before, text) for before in self._before(call)]
        if not call.is_decorator:
            return [self._in_blocks(text, call.start) for text in texts]
        at = own
        rows = self._facts.declarations
        while at != NONE:
            at = rows[at].parent
            if at in self._of_classes:
                texts = [join_routes(self._of_classes[at], text) for text in texts]
                break
        if own != NONE:
            texts = [text.replace(_FUNCTION, rows[own].name) for text in texts]
        return texts

    def _in_blocks(self, text: str, offset: int) -> str:
        """A path below those of the blocks that an offset is in."""
        for start, end, before in sorted(self._blocks, reverse=True):
            if start < offset < end:
                text = join_routes(before, text)
        return text

    def _with_class(self, text: str, number: int) -> str:
        name = self._facts.declarations[number].name.lower()
        return text.replace(_CLASS, name.removesuffix(CONTROLLER))

    def _of_template(self, text: str, begin: int) -> Iterator[Contract]:
        """The members that a template names; one in a file of code is of the class behind it."""
        own = NONE
        if self._facts.language not in _TEMPLATES:
            own = self._class_behind(begin + len(text))
            if own == NONE:
                return
        for item in template_names(text):
            place = self._place(begin + item.offset)
            mark = CALLED if item.is_called else ""
            yield Contract(ContractRole.USES, BINDING, f"{item.chain}{mark}", own, *place)

    def _class_behind(self, offset: int) -> int:
        """The class that a decorator, which has an offset, stands before."""
        number = self._declared_behind(offset)
        return number if number != NONE and self._facts.declarations[number].kind == _KIND else NONE

    def _of_pattern(self, rule: FrameworkRule) -> Iterator[Contract]:
        pattern = _compiled(rule.pattern)
        if rule.unless and "{key}" not in rule.unless and _compiled(rule.unless).search(self._text):
            return
        for start, end in self._stretches(rule):
            for item in pattern.finditer(self._text, start, end):
                if rule.role == ContractRole.RUNS:
                    place = self._place(item.start("key"))
                    yield Contract(rule.role, "", "", self._around(place[0]), *place, *place)
                    continue
                told = item.groupdict()
                if told.get("name"):
                    own = self._around(self._place(item.start())[0])
                    if own != NONE:
                        self._wrap(own, told["name"], rule)
                elif told.get("key"):
                    yield from self._matched(rule, item, told)

    def _matched(
        self, rule: FrameworkRule, item: re.Match[str], told: dict[str, str | None]
    ) -> Iterator[Contract]:
        text = told["key"] or ""
        if rule.kind == TEMPLATE and text.isupper():  # a constant of the file
            text = next((known for _, known in self._assigned(text)), "")
        if rule.kind == BINDING:
            yield from self._of_binding(rule, item, text)
            return
        if rule.resource:
            yield from self._of_resource(rule, item, told)
            return
        if rule.begins and not _compiled(rule.begins).match(text):
            return
        if rule.kind == HANDED:
            key = route_key((told.get("method") or ANY).upper(), self._filled(text))
        elif rule.kind == ROUTE:
            text = f"{text}{HOLE}" if told.get("more") else text
            method = told.get("method") or next((one for one in rule.method if one), ANY)
            key = route_key(str(method).upper(), self._below_class(text, item.end()))
        else:
            key = plain_key(rule.kind, text)
            method = (told.get("method") or "GET").upper()
            if rule.kind == ENDPOINT and method in METHODS[1:]:
                key = f"{method} {key}"
            key = f"{self._beginning(rule.kind)}{key}" if key else ""
        if rule.unless and key:
            used = rule.unless.replace("{key}", re.escape(text))
            key = "" if re.search(used, self._text) else key
        if key and text not in rule.excluded:
            place = self._place(item.start("key"))
            named = self._place(item.start("handler")) if told.get("handler") else (0, 0)
            own = self._declared_behind(item.end()) if rule.comments else self._around(place[0])
            if rule.kind == TABLE and rule.role == ContractRole.GIVES:
                own = self._class_around(own)
            yield Contract(rule.role, rule.kind, key, own, *place, *named)

    def _of_binding(
        self, rule: FrameworkRule, item: re.Match[str], text: str
    ) -> Iterator[Contract]:
        """The names in a template, or the component that names its template's file."""
        if rule.role == ContractRole.USES:
            yield from self._of_template(text, item.start("key"))
            return
        place, own = self._place(item.start("key")), self._class_behind(item.end())
        if own != NONE:
            yield Contract(rule.role, rule.kind, text, own, *place)

    def _class_around(self, own: int) -> int:
        """The class that names its table in a field; any other declaration stays."""
        rows = self._facts.declarations
        is_field = own != NONE and rows[own].start_line == rows[own].end_line
        return rows[own].parent if is_field and rows[own].parent != NONE else own

    def _of_resource(
        self, rule: FrameworkRule, item: re.Match[str], told: dict[str, str | None]
    ) -> Iterator[Contract]:
        """The routes of a resource, each with a place of its own for its action."""
        text = told["key"] or ""
        place = self._place(item.start("key"))
        own = self._around(place[0])
        holder = told.get("handler")
        held = self._place(item.start("handler")) if holder else (0, 0)
        path = self._in_blocks(f"/{text.replace('.', '/{}/')}", item.start())
        chosen = _chosen_actions(told.get("only"), told.get("but"))
        for number, (method, end, action, *named) in enumerate(rule.resource):
            if not chosen(action):
                continue
            row = Contract(rule.role, rule.kind, "", own, place[0], place[1] + number)
            yield row._replace(key=route_key(method, f"{path}{end.rstrip('/')}"))
            name = _resource_name(text, action, *named)
            name = name if method == "GET" or not named else f"{method} {name}"
            yield row._replace(kind=ENDPOINT, key=name)
            key = action_key(holder or text, action)
            action_row = row._replace(role=ContractRole.USES, kind=ACTION, key=key)
            yield action_row._replace(handler_line=held[0], handler_column=held[1])

    def _below_class(self, text: str, offset: int) -> str:
        """A path of a pattern below that of the class of what is declared behind it."""
        number = self._declared_behind(offset)
        parent = NONE if number == NONE else self._facts.declarations[number].parent
        return join_routes(self._of_classes.get(parent, ""), text)

    def _begin_classes(self) -> None:
        """The paths of classes whose annotation is a comment."""
        for rule in self._descriptions.patterns:
            if rule.comments and rule.kind == ROUTE and self._fits(rule.imports, rule.words):
                for start, end in self._stretches(rule):
                    for item in _compiled(rule.pattern).finditer(self._text, start, end):
                        number = self._declared_behind(item.end())
                        if number != NONE and self._facts.declarations[number].kind == "class":
                            self._of_classes[number] = item["key"]

    def _beginning(self, kind: str) -> str:
        """The name of a module that all texts of a file begin with."""
        for rule in self._descriptions.beginnings:
            if rule.kind == kind:
                found = _compiled(rule.pattern).search(self._text)
                if found is not None:
                    return f"{found['key']}."
        return ""

    def _stretches(self, rule: FrameworkRule) -> Iterator[tuple[int, int]]:
        """The parts of the text that an expression is looked for in."""
        if rule.inside:
            for item in _compiled(rule.inside).finditer(self._text):
                yield from _at_depth(self._text, item.end())
            return
        if rule.comments:
            yield from (
                (start, end) for start, end, is_comment in self._written.spans if is_comment
            )
            return
        if rule.within:
            within = _compiled(rf"(?i:[\"'`]{rule.within})")
            if _quick(within.pattern).search(self._data):
                for start, end, is_comment in self._written.spans:
                    if not is_comment and within.match(self._text, start, end):
                        yield start, end
            return
        if _compiled(rule.pattern).search(self._text):
            yield from self._between_comments()

    def _between_comments(self) -> Iterator[tuple[int, int]]:
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
                key = self._key_of(rule, item)
                if key and key not in rule.excluded:
                    place = item.name_line, item.name_column
                    yield Contract(rule.role, rule.kind, key, number, *place)

    def _key_of(self, rule: FrameworkRule, item: Declaration) -> str:
        if rule.kind != ACTION:
            return plain_key(rule.kind, item.name)
        holder = "" if item.parent < 0 else self._facts.declarations[item.parent].name
        return action_key(holder, item.name) if holder.lower().endswith(CONTROLLER) else ""

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(item.end() for item in re.finditer(r"\n", self._text))]

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1]

    def _word(self, offset: int) -> str:
        found = _WORD.match(self._text, offset)
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


def _method(name: str) -> str:
    return ANY if name.lower() in _ANY_METHODS else name.upper()


def _in_chain(chain: str, names: Arguments) -> str:
    """The text that a call before is given: `Route::prefix("v1")->group(…)`."""
    for name in names:
        found = re.search(rf"\b{name}\(\s*[\"']([^\"']*)[\"']", chain)
        if found is not None:
            return found[1]
    return ""


def _path_name(path: str) -> str:
    """The name that Rails makes of a path: `/users/new` is `users_new`."""
    words = path.strip("/")
    return words.replace("/", "_").replace("-", "_") if re.fullmatch(r"[\w/-]+", words) else ""


def _resource_name(text: str, action: str, form: str = "") -> str:
    """The name of a route of a resource: `items.show`, or of Rails by its form, `edit_item`."""
    if not form:
        return f"{text}.{action}"
    one = re.sub(r"s\Z", "", re.sub(r"(?<=[sxh])es\Z", "", re.sub(r"ies\Z", "y", text)))
    return form.replace("many", text).replace("one", one)


def _chosen_actions(only: str | None, but: str | None) -> Callable[[str], bool]:
    """The actions of a resource that are left."""
    named = frozenset(re.findall(r"\w+", only or but or ""))
    return lambda action: not named or (action in named) == bool(only)


def _is_among(name: str, names: frozenset[str]) -> bool:
    """True if a name is one of some, or begins or ends as one with a star does."""
    return name in names or any(
        (one[-1] == "*" and name.startswith(one[:-1])) or (one[0] == "*" and name.endswith(one[1:]))
        for one in names
        if "*" in one
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


def _at_depth(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The stretches behind an opening brace that are in no other bracket."""
    depth, begin = 1, start
    for item in _BRACKETS.finditer(text, start, start + _LONGEST_BLOCK):
        if item[0] in "([{":
            if depth == 1:
                yield begin, item.start()
            depth += 1
            continue
        depth -= 1
        if depth == 0:
            yield begin, item.start()
            return
        if depth == 1:
            begin = item.end()


@cache
def _assignment(name: str) -> re.Pattern[str]:
    """A variable or field that is given a value; not where it is compared."""
    begin = r"" if name.startswith(".") else r"(?<![\w$.])"
    return re.compile(
        rf"{begin}{re.escape(name)}(?:\s*:\s*[\w.<>\[\]* ]+?)?"
        r"\s*(?::=|=(?![=>]))\s*(?:await\s+)?"
    )


def _parameter_index(parameters: str, name: str) -> int:
    """The position of a parameter among those of a signature; an object of its own has none."""
    found, depth = [""], 0
    for character in parameters.strip()[1:-1]:
        depth += character in "([{<"
        depth -= character in ")]}>"
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    found = [item for item in found if item.strip() not in {"self", "cls", "&self", "&mut self"}]
    for at, item in enumerate(found):
        if re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", item.partition("=")[0]):
            return at
    return -1

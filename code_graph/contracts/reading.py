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
from code_graph.contracts.keys import (
    ACTION,
    ANY,
    CONTROLLER,
    HOLE,
    METHODS,
    MOUNT,
    ROUTE,
    TEMPLATE,
    TESTED,
    TEXT,
    action_key,
    begins_as_path,
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
# a constant that is a path
_PATH_CONSTANT: Final = re.compile(r"=\s*[\"'](/[\w/{}:.$-]+)[\"']")
_NAMED: Final = re.compile(r"(?<![\w$.])([A-Za-z_]\w*)(?:\s*:\s*[\w.]+)?\s*\Z")
_LONGEST_NAME: Final = 80
_ENDS_IN_CAPITALS: Final = re.compile(r"[A-Z]{2}\Z")
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
        texts = [join_routes(before, text) for before in self._before(call)]
        if not rule.target:
            self._begin_variable(call.variable, texts)
        for target in call.handlers(rule.target):
            offsets = target.names or target.called
            if not rule.calling and target.parts[:1] == target.called[-1:] != ():
                offsets = target.called[-1:]  # what makes it is called: `nest(path, users())`
            if offsets:
                self._begin_variable(self._word(offsets[0]).lower(), texts)
                self._mount(call, texts, offsets[-1])
                break

    def _begin_variable(self, name: str, texts: list[str]) -> None:
        if name and any(texts):
            known = self._of_variables.setdefault(name, [])
            known += [text for text in texts if text not in known]

    def _mount(self, call: WrittenCall, texts: list[str], offset: int) -> None:
        """Routes that another file gives are below a path."""
        place = self._place(call.start)
        for text in texts:
            segments = path_segments(text)
            if segments:
                key = f"/{'/'.join(segments)}"
                row = Contract(ContractRole.GIVES, MOUNT, key, self._around(place[0]), *place)
                line, column = self._place(offset)
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
        if rule.role == ContractRole.USES and rule.kind == ROUTE and not rule.in_tests:
            yield from self._of_constant(call, rule, own)
        handler = self._handler(call, rule)
        kind = TESTED if rule.in_tests else rule.kind
        for key in self._keys(call, rule, own):
            yield Contract(rule.role, kind, key, own, *place, *handler)
        action = self._action(call, rule)
        if action:
            yield Contract(ContractRole.USES, ACTION, action, own, *place)

    def _action(self, call: WrittenCall, rule: FrameworkRule) -> str:
        """The method of a controller that a route is for."""
        given = call.argument(rule.action)
        if given is None or not given.texts:
            return ""
        if given.names:  # `[Items::class, "show"]`
            at = given.names[0]
            named = _NAMED.search(self._text[max(at - _LONGEST_NAME, 0) : at].rstrip(": "))
            holder = self._word(at) if named is None else named[1]
            return action_key(holder, given.texts[-1])
        return named_action(given.texts[-1])

    def _of_constant(self, call: WrittenCall, rule: FrameworkRule, own: int) -> Iterator[Contract]:
        """A request whose path is a constant, of another file: the linker looks it up."""
        given = call.argument(rule.key)
        if given is None or not self._is_variable(given) or self._whole(given, call.start):
            return
        if self._word(given.names[0])[:1].islower() and not _ENDS_IN_CAPITALS.search(
            self._word(given.names[0])
        ):
            return
        for method in self._methods(call, rule):
            place = self._place(call.start)
            yield Contract(rule.role, rule.kind, method, own, *place, *self._place(given.names[0]))

    def _of_texts(self) -> Iterator[Contract]:
        """Constants that are paths, for requests of other files."""
        found = [*_PATH_CONSTANT.finditer(self._text)]
        heads = dict(self._heads) if found else {}
        for item in found:
            begin = max(item.start() - _LONGEST_NAME, 0)
            named = _NAMED.search(self._text[begin : item.start()])
            place = (0, 0) if named is None else self._place(begin + named.start(1))
            if place in heads:
                yield Contract(ContractRole.GIVES, TEXT, item[1], heads[place], *place)

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
            if text in rule.excluded or (rule.in_tests and not begins_as_path(text)):
                continue
            if rule.kind != ROUTE:
                key = plain_key(rule.kind, text)
                if key:
                    yield key
                continue
            is_given = rule.role == ContractRole.GIVES or call.is_decorator
            below = self._below(text, call, own) if is_given else [text]
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
        if text is None and rule.in_tests:
            return []
        if text is None:
            self._note_wrapper(call, rule, given)
            return []
        return [text] if len(given.texts) <= 1 or HOLE in text else [*given.texts]

    def _whole(self, given: WrittenArgument, offset: int) -> str | None:
        """The text of an argument, with the texts that its variables were given in this file."""
        if not any(isinstance(part, int) for part in given.parts):
            return given.text
        parts = [self._told(part, offset) for part in given.parts]
        if all(part is None for part in parts):
            return given.text
        return "".join(HOLE if part is None else part for part in parts)

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
            if given is not None and any(
                isinstance(part, str) and part != HOLE for part in given.parts
            ):
                parts = (part if isinstance(part, str) else HOLE for part in given.parts)
                yield item.start(), "".join(parts)

    def _note_wrapper(self, call: WrittenCall, rule: FrameworkRule, given: WrittenArgument) -> None:
        """Take note of a function that hands one of its parameters on as the text."""
        own = self._around(self._place(call.start)[0])
        if own != NONE and len(given.parts) == 1 and isinstance(given.parts[0], int):
            self._wrap(own, self._word(given.parts[0]), rule)

    def _wrap(self, own: int, parameter: str, rule: FrameworkRule) -> None:
        row = self._facts.declarations[own]
        at = _parameter_index(row.parameters, parameter)
        if rule.role == ContractRole.USES and at >= 0 and row.name not in rule.calls:
            handed = replace(rule, key=(at,), receivers=frozenset())
            self._wrappers.setdefault(row.name, (own, handed))

    def _of_wrappers(self) -> Iterator[Contract]:
        """The texts that functions of this file are called with, which hand them on."""
        if not self._wrappers:
            return
        names = "|".join(map(re.escape, sorted(self._wrappers)))
        places = re.finditer(rf"(?<![\w$])(?:{names})(?![\w$])", self._text)
        words = ((item.start(), item.end()) for item in places)
        for call in self._written.calls(words, lambda *_: True):
            number, rule = self._wrappers[call.name]
            if self._facts.declarations[number].name_line != self._place(call.start)[0]:
                yield from self._of_call(call, rule)

    def _below(self, text: str, call: WrittenCall, own: int) -> list[str]:
        """A path below that of its class, or of the variable that it is called on."""
        texts = [join_routes(before, text) for before in self._before(call)]
        if not call.is_decorator:
            return texts
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
            yield Contract(ContractRole.USES, TEMPLATE, f"{item.chain}{mark}", own, *place)

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
        if rule.kind == TEMPLATE and rule.role == ContractRole.USES:
            yield from self._of_template(text, item.start("key"))
            return
        if rule.kind == TEMPLATE:
            place, own = self._place(item.start("key")), self._class_behind(item.end())
            if own != NONE:
                yield Contract(rule.role, rule.kind, text, own, *place)
            return
        if rule.resource:
            place = self._place(item.start("key"))
            yield from self._of_resource(rule, text, place)
            return
        if rule.kind == ROUTE:
            method = told.get("method") or next((one for one in rule.method if one), ANY)
            key = route_key(str(method).upper(), self._below_class(text, item.end()))
        else:
            key = plain_key(rule.kind, text)
            key = f"{self._beginning(rule.kind)}{key}" if key else ""
        if rule.unless and key:
            used = rule.unless.replace("{key}", re.escape(text))
            key = "" if re.search(used, self._text) else key
        if key and text not in rule.excluded:
            place = self._place(item.start("key"))
            named = self._place(item.start("handler")) if told.get("handler") else (0, 0)
            yield Contract(rule.role, rule.kind, key, self._around(place[0]), *place, *named)

    def _of_resource(
        self, rule: FrameworkRule, text: str, place: tuple[int, int]
    ) -> Iterator[Contract]:
        """The routes of a resource, each with a place of its own for its action."""
        own = self._around(place[0])
        for number, (method, end, action) in enumerate(rule.resource):
            row = Contract(rule.role, rule.kind, "", own, place[0], place[1] + number)
            yield row._replace(key=route_key(method, f"/{text}{end.rstrip('/')}"))
            key = action_key(text, action)
            yield row._replace(role=ContractRole.USES, kind=ACTION, key=key)

    def _below_class(self, text: str, offset: int) -> str:
        """A path of a pattern below that of the class of what is declared behind it."""
        number = self._declared_behind(offset)
        parent = NONE if number == NONE else self._facts.declarations[number].parent
        return join_routes(self._of_classes.get(parent, ""), text)

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

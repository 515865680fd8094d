"""Makes the contracts of a file: which texts it gives and uses, and what it hands to libraries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from string import ascii_letters, digits
from typing import Final

from code_graph.contracts.conventions import GENERAL
from code_graph.contracts.descriptions import (
    Descriptions,
    FrameworkRule,
    KeyPrefix,
    descriptions_of,
)
from code_graph.contracts.keys import (
    ACTION,
    ANY,
    ASKED,
    CONTROLLER,
    ENDPOINT,
    LIKELY,
    NAMED_ROUTE,
    ROUTE,
    ROUTE_NAME,
    SETTING,
    TABLE,
    TEMPLATE,
    TESTED,
    action_key,
    plain_key,
    underscored,
)
from code_graph.contracts.read.calls import WrittenArgument, WrittenCall
from code_graph.contracts.read.made_paths import MadePaths
from code_graph.contracts.read.patterns import PatternReader
from code_graph.contracts.read.prefixes import KeyPrefixes
from code_graph.contracts.read.routes import INNER, CallKeys
from code_graph.contracts.read.source import ContractSource
from code_graph.contracts.read.values import TextValues, is_variable
from code_graph.contracts.read.wrappers import Wrappers
from code_graph.expressions import NONE, NOWHERE, Code, Contract, ContractRole, FileCode
from code_graph.facts import Declaration, Facts
from code_graph.language import Language
from code_graph.language_table import language_named
from index_format.records import replace

_MOST: Final = 4_000
# a type whose functions have no bodies
_INTERFACE: Final = "interface"
_CALLED: Final = frozenset({"function", "method"})
_BASE: Final = re.compile(r"(?:[\w$]+\s*(?:\.|::|\\))*([\w$]+)")
# the first argument of a call is the text of a path
_PATH_FIRST: Final = re.compile(r"\s*[fF]?[\"'`](?:\$?\{[^{}\n]*\})?/\w")
# or that of a server, something put together, a constant, or a variable that is called so
_LIKE_PATH_FIRST: Final = re.compile(
    r"\s*(?:(?:&?[\w.:]+!?\(\s*)?(?:[\w.$]+\s*\+\s*|[\"'][\w.-]+[\"']\s*,\s*)?[fF$@]*[\"'`]"
    r"(?:[A-Z]{3,7} |https?://[^\s\"'`]{0,80}|\$?\{[^{}\n]*\}|\$\w+)?/(?:[\w:{<*$]|[\"'`])"
    r"|(?i:[\w.$]*(?:path|url|uri|endpoint|route))\s*[,)]"
    r"|[\w.]*(?:Method\w+|[\"'](?i:get|post|put|patch|delete|head|options)[\"'])\s*,"
    r"|(?:\w+\.)*[A-Z][A-Z0-9_]+\s*[,)])"
)
# members of a variable, the first of several behind `this`
_MEMBER: Final = re.compile(r"\s*([A-Za-z_$][\w$]*)\.([\w$]+\.)*[\w$]+\s*[,()]")
_THIS: Final = "this"
_OWN_MEMBERS: Final = ("this.", "self.")
_WORDS: Final = frozenset(f"{ascii_letters}{digits}_$")
# kinds whose texts may be constants of other files
_OF_CONSTANTS: Final = frozenset({ROUTE, SETTING, TEMPLATE})
# names of constants that are paths
_NAMES_A_PATH: Final = re.compile(r"[A-Z]{2}\Z|(?:Ur[il]|Path|Endpoint|Route)s?\Z")


def is_described(language: str) -> bool:
    """True if files of a language may have contracts."""
    folders = _folders(language_named(language))
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
    found = _Reading(text, facts, language, descriptions_of(_folders(language))).contracts()
    return tuple(sorted(set(found), key=lambda item: (item.place, item)))[:_MOST]


def _folders(language: Language) -> str:
    """The folders of descriptions for a language: code has general ones, too."""
    is_code = language.frameworks and language.rules
    return f"{language.frameworks} {GENERAL}" if is_code else language.frameworks


class _Reading:
    """Reads one file."""

    def __init__(
        self, text: str, facts: Facts, language: Language, descriptions: Descriptions
    ) -> None:
        self._descriptions = descriptions
        self._source = source = ContractSource(text, facts, language, descriptions)
        self._values = values = TextValues(source)
        self._prefixes = prefixes = KeyPrefixes(source, descriptions.beginnings)
        self._wrappers = wrappers = Wrappers(source, values)
        self._keys = CallKeys(source, values, prefixes, wrappers)
        self._patterns = PatternReader(source, values, prefixes, wrappers)
        self._made_paths = MadePaths(source)

    def contracts(self) -> list[Contract]:
        """All contracts."""
        known = self._descriptions
        calls = [*self._calls()]
        self._prefixes.take_patterns()
        self._prefixes.hand_on()
        self._patterns.begin_classes(known.patterns)
        found = self._of_calls(calls)
        whole = (
            (known.patterns, self._patterns.of_rule),
            (known.declarations, self._of_declarations),
            (known.bases, self._of_bases),
        )
        for rules, read in whole:
            for each in rules:
                if self._source.fits(each.imports, each.words):
                    found += read(each)
        found += self._prefixes.mounts
        for call, rule in self._wrappers.calls():
            found += self._of_call(call, rule)
        found = _without_repeated(found)
        found += self._made_paths.functions()
        return [*found, *self._wrappers.given(), *self._values.path_constants()]

    def _calls(self) -> Iterator[tuple[WrittenCall, FrameworkRule]]:
        """The calls that rules name; a call that sets a prefix takes effect at once."""
        text = self._source.text
        words = self._descriptions.words(text, self._source.data)
        roots: dict[int, tuple[str, int]] = {}
        for one in self._source.written.calls(words, self._is_wanted):
            receiver, group = self._root(one, roots)
            call = one._replace(receiver=receiver, group=group)
            rules = self._rules(call.name, call.receiver, is_decorator=call.is_decorator)
            if call.is_decorator:
                rules = self._of_declared(rules, call)
            is_described = any(map(_says_text, rules))
            for rule in rules:
                if isinstance(rule, KeyPrefix) and rule.general and is_described:
                    continue
                if rule.in_tests and not call.receiver:
                    continue
                if rule.without and call.calls_inside(text, rule.without):
                    continue
                if not isinstance(rule, KeyPrefix):
                    yield call, rule
                elif not rule.calling or call.calls_inside(text, rule.calling):
                    self._prefixes.take(rule, call)
            begins = self._prefixes.begins_group(call.start)
            roots[call.end] = receiver, call.start if begins else group

    def _of_declared(
        self, rules: list[FrameworkRule | KeyPrefix], call: WrittenCall
    ) -> list[FrameworkRule | KeyPrefix]:
        """The rules of a decorator: on a class it sets the mount prefix, on a method the path."""
        number = self._source.declared_behind(call.end)
        is_called = number != NONE and self._source.facts.declarations[number].kind in _CALLED
        of_kind = FrameworkRule if is_called else KeyPrefix
        texts = [rule for rule in rules if not _is_run(rule)]
        told = [rule for rule in texts if _says_text(rule)] or texts
        is_both = len({type(rule) for rule in told}) > 1
        return [
            rule
            for rule in rules
            if not is_both or isinstance(rule, of_kind) or not any(rule is one for one in told)
        ]

    def _root(self, call: WrittenCall, roots: Mapping[int, tuple[str, int]]) -> tuple[str, int]:
        """The name before a call, or that before the chain of known calls that it is in.

        With it is where the call of the chain stands that says what paths begin with. Comments may
        stand between the calls of a chain.
        """
        text, at = self._source.text, self._source.code_before(call.start)
        if not text.endswith((".", "->"), 0, at):
            return call.receiver, NONE
        before = at - (2 if text.endswith("->", 0, at) else 1)
        at = self._source.code_before(before)
        known, group = roots.get(at, ("", NONE))
        if call.receiver and not text[at:before].strip():
            return call.receiver, group
        return known if at in roots else self._source.word_before(at).lower(), group

    def _of_calls(self, calls: Sequence[tuple[WrittenCall, FrameworkRule]]) -> list[Contract]:
        """The contracts of calls; some rules count where no other says anything."""
        found = [
            row
            for call, rule in calls
            if not (rule.in_tests or rule.general)
            for row in self._of_call(call, rule)
        ]
        told = {row.place for row in found}
        for call, rule in calls:
            if rule.in_tests and self._source.place(call.start) not in told:
                found += self._of_call(call, rule)
        told = {row.place for row in found if row.role != ContractRole.RUNS and row.kind != TESTED}
        told |= self._prefixes.places
        kinds = {(row.place, row.kind) for row in found}
        for call, rule in calls:
            place = self._source.place(call.start)
            is_told = place in told if rule.kind == ROUTE else (place, rule.kind) in kinds
            if rule.general and not is_told:
                read = self._likely if rule.kind == ROUTE else self._of_call
                found += read(call, rule)
        return found

    def _is_wanted(
        self,
        name: str,
        receiver: str,
        is_decorator: bool,  # noqa: FBT001 IsWanted
        opening: int,
    ) -> bool:
        rules = self._rules(name, receiver, is_decorator=is_decorator)
        return any(
            (is_decorator and rule.general) or self._is_near(rule, receiver, opening)
            for rule in rules
        )

    def _is_near(self, rule: FrameworkRule | KeyPrefix, receiver: str, opening: int) -> bool:
        """False for a call that a rule which takes any does not mean, as it has no path."""
        if isinstance(rule, KeyPrefix) or rule.kind != ROUTE:
            return True
        if rule.general:
            return (
                not rule.begins
                or bool(rule.behind)
                or _LIKE_PATH_FIRST.match(self._source.text, opening) is not None
                or self._is_of_table(opening)
            )
        is_path = not rule.in_tests or _PATH_FIRST.match(self._source.text, opening) is not None
        return is_path and (bool(receiver) or not rule.in_tests)

    def _rules(
        self, name: str, receiver: str, *, is_decorator: bool
    ) -> list[FrameworkRule | KeyPrefix]:
        """The rules for a call; one in the head of a declaration may be of either kind."""
        known = self._descriptions
        found = known.decorators.get(name, ()) if is_decorator else ()
        return [
            rule
            for rule in found or known.calls.get(name, ())
            if self._source.fits(rule.imports, rule.words)
            and (not rule.receivers or _is_among(receiver, rule.receivers))
            and not (rule.strangers and _is_among(receiver, rule.strangers))
        ]

    def _of_call(self, call: WrittenCall, rule: FrameworkRule) -> Iterator[Contract]:
        place = self._source.place(call.start)
        own = (
            self._source.declared_behind(call.end)
            if call.is_decorator
            else self._source.around(place[0])
        )
        if rule.role == ContractRole.RUNS:
            yield from self._runs(call, rule, own)
            return
        if rule.role == ContractRole.USES and rule.kind in _OF_CONSTANTS and not rule.in_tests:
            yield from self._of_constant(call, rule, own)
        for method, place_of in self._keys.inner(call, rule):
            for key in self._keys.keys(call, replace(rule, method=(method,)), own):
                yield Contract(rule.role, rule.kind, key, own, place, place_of)
        if INNER in rule.method:
            return
        handler = self._handler(call, rule)
        kind, role = TESTED if rule.in_tests else rule.kind, rule.role
        if rule.clients and self._is_client(own, rule.clients):
            role = ContractRole.USES
        for key in self._keys.keys(call, rule, own):
            yield Contract(role, kind, key, own, place, handler)
        name = self._keys.endpoint(call, rule, own)
        if name:
            yield Contract(rule.role, ENDPOINT, name, own, place, handler)
        action, offset = self._keys.action(call, rule)
        if action:
            held = NOWHERE if offset < 0 else self._source.place(offset)
            yield Contract(ContractRole.USES, ACTION, action, own, place, held)

    def _runs(self, call: WrittenCall, rule: FrameworkRule, own: int) -> Iterator[Contract]:
        """The handlers of a call, or the declaration behind a decorator."""
        place = self._source.place(call.start)
        if not rule.handler:
            yield from self._run_here(own, place)
            return
        for given in call.handlers(rule.handler):
            for offset in given.names:
                yield Contract(rule.role, "", "", own, place, self._source.place(offset))
            yield from self._named(given, own)

    def _likely(self, call: WrittenCall, rule: FrameworkRule) -> Iterator[Contract]:
        """A route if an argument is a function, else a request; the linker decides for names."""
        place = self._source.place(call.start)
        own = self._source.around(place[0])
        is_given = rule.role == ContractRole.GIVES
        if call.is_decorator:
            yield from self._decorated(call, rule)
            return
        if not is_given and call.receiver:
            yield from self._of_constant(call, rule, own)
        if is_given:
            yield from self._named_route(call, rule, own)
        handler, inner = self._handed(call, rule), [*self._keys.inner(call, rule)]
        for method, place_of in inner:
            for key in self._keys.keys(call, replace(rule, method=(method,)), own):
                yield Contract(rule.role, LIKELY, key, own, place, place_of)
        if inner:
            return
        if (is_given and handler is None) or (
            not is_given and (handler == NOWHERE or not call.receiver)
        ):
            return
        handler = handler or NOWHERE
        kind = LIKELY if is_given else ASKED
        for key in self._keys.keys(call, rule, own):
            yield Contract(rule.role, kind, key, own, place, handler)

    def _handed(self, call: WrittenCall, rule: FrameworkRule) -> tuple[int, int] | None:
        """The place of the name that may be a function behind a path; None if there is none."""
        before = max((one for one in rule.key if isinstance(one, int)), default=-1) + 1
        rest = [item for item in call.arguments[before:] if not item.name]
        if call.is_decorator or any(item.is_function for item in rest):
            return NOWHERE
        names = [item.names[-1] for item in rest[-1:] if item.names and not item.texts]
        names = names or [at for item in rest[-1:] for at in self._made(item)]
        return self._source.place(names[0]) if names else None

    def _made(self, given: WrittenArgument) -> list[int]:
        """The class whose object an argument makes: `Items()`, `new Items(db)`."""
        made = () if given.is_function else given.called[-1:]
        return [*made] if made and self._source.word(made[0])[:1].isupper() else []

    def _decorated(self, call: WrittenCall, rule: FrameworkRule) -> Iterator[Contract]:
        """The route of a decorated function; one without a body is a request."""
        own, rows = self._source.declared_behind(call.end), self._source.facts.declarations
        if own == NONE or rows[own].kind not in _CALLED or rule.role != ContractRole.GIVES:
            return
        yield from self._named_route(call, rule, own)
        is_client = self._is_client(own)
        role, kind = (ContractRole.USES, ASKED) if is_client else (rule.role, LIKELY)
        for key in self._keys.keys(call, rule, own):
            yield Contract(role, kind, key, own, self._source.place(call.start))

    def _is_client(self, own: int, words: Sequence[str] = ("",)) -> bool:
        """True for a function of an interface, if the file has one of these words."""
        rows = self._source.facts.declarations
        parent = NONE if own == NONE else rows[own].parent
        is_declared = parent != NONE and rows[parent].kind == _INTERFACE
        return is_declared and any(word in self._source.text for word in words)

    def _of_constant(self, call: WrittenCall, rule: FrameworkRule, own: int) -> Iterator[Contract]:
        """A request whose path is a constant, of another file: the linker looks it up."""
        offset = self._constant(call, rule)
        place = self._source.place(call.start)
        for key in self._keys.methods(call, rule) if rule.kind == ROUTE else [ANY]:
            if offset != NONE:
                yield Contract(rule.role, rule.kind, key, own, place, self._source.place(offset))
        if offset != NONE and rule.kind == ROUTE:
            yield from self._made_paths.given(offset, own, place)

    def _named_route(self, call: WrittenCall, rule: FrameworkRule, own: int) -> Iterator[Contract]:
        """A route whose path is a constant of another file, by the name of the constant."""
        offset, handler = self._constant(call, rule), self._handed(call, rule)
        if offset == NONE or handler is None:
            return
        place = self._source.place(call.start)
        yield Contract(ContractRole.USES, ROUTE_NAME, "", own, place, self._source.place(offset))
        for method in self._keys.methods(call, rule):
            key = f"{method} {self._source.word(offset)}"
            yield Contract(rule.role, NAMED_ROUTE, key, own, place, handler)

    def _constant(self, call: WrittenCall, rule: FrameworkRule) -> int:
        """The offset of the name of a constant that has the text of a call, if one has."""
        given = call.argument(rule.key)
        if given is None:
            return NONE
        offset = given.names[0] if is_variable(given) else NONE
        made = given.called[:1] if given.parts == given.called[:1] else ()
        is_own = bool(made) and self._source.text.endswith(_OWN_MEMBERS, 0, made[0])
        if made and (is_own or "/" not in (given.text or "")):
            offset = made[0]  # a function that makes the path
        elif self._values.whole(given, call.start):
            return NONE
        name = "" if offset == NONE else self._source.word(offset)
        is_named = not name[:1].islower() or _NAMES_A_PATH.search(name) is not None
        is_function = offset in given.called and name in self._names
        is_known = is_named or is_function or is_own or self._is_of_table(self._chain(offset))
        return offset if name and is_known else NONE

    def _chain(self, offset: int) -> int:
        """Where the names begin at whose end one stands: `routes.users.list`."""
        text = self._source.text
        while offset > 1 and text[offset - 1] == "." and text[offset - 2] in _WORDS:
            offset -= 1 + len(self._source.word_before(offset - 1))
        return offset

    def _is_of_table(self, offset: int) -> bool:
        """True for a member of an imported or declared name: it may be a table of paths."""
        found = _MEMBER.match(self._source.text, offset)
        return found is not None and (
            found[1] in self._names or (found[1] == _THIS and bool(found[2]))
        )

    @cached_property
    def _names(self) -> frozenset[str]:
        """The imported names of a file, and its top-level declarations."""
        facts = self._source.facts
        declared = {item.name for item in facts.declarations if item.parent == NONE}
        imported = {item.alias or item.name or item.module for item in facts.imports}
        return frozenset(declared | imported)

    def _run_here(self, own: int, place: tuple[int, int]) -> Iterator[Contract]:
        """The declaration behind a decorator, which hands it to a library."""
        rows = self._source.facts.declarations
        if own != NONE:
            parent = rows[own].parent
            yield Contract(ContractRole.RUNS, "", "", parent, place, self._source.head(own))

    def _of_bases(self, rule: FrameworkRule) -> Iterator[Contract]:
        """The members of a class that its base calls."""
        rows = self._source.facts.declarations
        holders = {
            number
            for number, item in enumerate(rows)
            if item.bases and any(last_name(base) in rule.bases for base in item.bases)
        }
        if rule.role == ContractRole.GIVES:
            for number, item in enumerate(rows if rule.members else ()):
                if item.parent in holders and _is_among(item.name, rule.members):
                    key = plain_key(rule.kind, item.name)
                    yield Contract(rule.role, rule.kind, key, number, self._source.head(number))
            for number in () if rule.members else holders:
                name = rows[number].name
                key = plain_key(rule.kind, underscored(name) if rule.kind == TABLE else name)
                yield Contract(rule.role, rule.kind, key, number, self._source.head(number))
            return
        for number, item in enumerate(rows if holders else ()):
            if item.parent in holders and _is_among(item.name, rule.members):
                yield self._run(item.parent, number)

    def _run(self, source: int, number: int) -> Contract:
        """A library calls a declaration."""
        place = self._source.head(number)
        return Contract(ContractRole.RUNS, "", "", source, place, place)

    def _named(self, given: WrittenArgument, own: int) -> Iterator[Contract]:
        """A handler whose name is a text: a function of this file."""
        wanted = {text.lstrip(":") for text in given.texts}
        rows = self._source.facts.declarations if wanted and not given.names else ()
        for number, item in enumerate(rows):
            if item.name in wanted and item.kind in _CALLED:
                yield self._run(own, number)

    def _handler(self, call: WrittenCall, rule: FrameworkRule) -> tuple[int, int]:
        for given in call.handlers(rule.handler):
            names = given.names or self._made(given)
            if names:
                return self._source.place(names[-1])
        return NOWHERE

    def _of_declarations(self, rule: FrameworkRule) -> Iterator[Contract]:
        for number, item in enumerate(self._source.facts.declarations):
            if rule.role == ContractRole.RUNS:
                if item.kind in rule.declarations and _is_among(item.name, rule.members):
                    yield self._run(item.parent, number)
                continue
            if item.kind in rule.declarations:
                key = self._key_of(rule, item)
                if key and key not in rule.excluded:
                    yield Contract(rule.role, rule.kind, key, number, self._source.head(number))

    def _key_of(self, rule: FrameworkRule, item: Declaration) -> str:
        if rule.kind != ACTION:
            return plain_key(rule.kind, item.name)
        if item.parent < 0:
            return ""
        holder = self._source.facts.declarations[item.parent]
        names = (holder.name, *(last_name(base) for base in holder.bases))
        is_controller = any(name.lower().endswith(CONTROLLER) for name in names)
        return action_key(holder.name, item.name) if is_controller else ""


def _without_repeated(rows: list[Contract]) -> list[Contract]:
    """Contracts without requests of general rules that a description tells of, too."""
    told = {
        (row.place[0] + behind, row.key.partition(" ")[2])
        for row in rows
        if row.kind == ROUTE and row.role == ContractRole.USES
        for behind in (0, 1)
    }
    return [
        row
        for row in rows
        if row.kind != ASKED or (row.place[0], row.key.partition(" ")[2]) not in told
    ]


def _says_text(rule: FrameworkRule | KeyPrefix) -> bool:
    """True for a framework's rule about a text."""
    return not (rule.general or rule.in_tests or _is_run(rule))


def _is_run(rule: FrameworkRule | KeyPrefix) -> bool:
    """True for a rule about functions that a library calls."""
    return isinstance(rule, FrameworkRule) and rule.role == ContractRole.RUNS


def _is_among(name: str, names: frozenset[str]) -> bool:
    """True for one of these names, or for a name that a star matches."""
    return name in names or any(
        (one[-1] == "*" and name.startswith(one[:-1])) or (one[0] == "*" and name.endswith(one[1:]))
        for one in names
        if "*" in one
    )


def last_name(base: str) -> str:
    """The last name of a base, without its qualifier and arguments."""
    found = _BASE.match(base)
    return base if found is None else found[1]

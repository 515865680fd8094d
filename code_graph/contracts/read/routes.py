"""Keys of what a call names: paths with methods, names of routes, methods of controllers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.contracts.descriptions import FrameworkRule, compiled
from code_graph.contracts.keys import (
    ANY,
    ENDPOINT,
    HOLE,
    METHODS,
    MODELLED,
    ROUTE,
    action_key,
    begins_as_path,
    fill_holes,
    named_action,
    plain_key,
    route_key,
    underscored,
)
from code_graph.contracts.read.calls import WrittenArgument, WrittenCall
from code_graph.contracts.read.prefixes import KeyPrefixes, in_chain
from code_graph.contracts.read.source import ContractSource
from code_graph.contracts.read.values import LONGEST_NAME, NAMED, TextValues, is_variable
from code_graph.contracts.read.wrappers import Wrappers
from code_graph.expressions import NONE, NOWHERE, ContractRole

_METHOD: Final = re.compile(rf"(?i:{'|'.join(METHODS)}|all|any|use|match)")
# `.Methods("GET", http.MethodPost)` behind a route
_METHODS_BEHIND: Final = re.compile(r"\s*\.\s*[mM]ethods\(([^()]*)\)")
_METHOD_WORD: Final = re.compile(rf"(?:Method)?((?i:{'|'.join(METHODS)}))")
_METHOD_NAMED: Final = re.compile(rf"(?:\bhttp\.Method|[\"'])((?i:{'|'.join(METHODS)}))\b")
# `.url("/users").post(body)`
_VERB_BEHIND: Final = re.compile(
    rf"(?:\s*\.\s*\w+\((?:[^()]|\([^()]*\))*\))*?\s*\.\s*((?i:{'|'.join(METHODS)}))\("
)
_ANY_METHODS: Final = frozenset({"all", "any", "use", "match"})
# `->name("users.show")` behind a route
_NAME_BEHIND: Final = re.compile(
    r"(?:\s*(?:\.|->)\s*(?!name\b)\w+\((?:[^()]|\([^()]*\))*\))*\s*(?:\.|->)\s*[nN]ame\(\s*[\"']([\w.:-]+)[\"']"
)
_LONGEST_CHAIN: Final = 400
# texts of a list in one argument
_MOST_TEXTS: Final = 64
# places of the method of a route that are no arguments
_AROUND: Final = frozenset({"name", "before", "behind", "after"})
# methods that are called in the argument behind the path
INNER: Final = "inner"
# a route whose path the chain of calls has that it is in
GROUP: Final = "group"
# the key of a rule whose text is the name of the declaration
_DECLARED: Final = "declared"


class CallKeys:
    """The keys of a file's calls."""

    def __init__(
        self,
        source: ContractSource,
        values: TextValues,
        prefixes: KeyPrefixes,
        wrappers: Wrappers,
    ) -> None:
        """The parts of one file."""
        self._source = source
        self._values = values
        self._prefixes = prefixes
        self._wrappers = wrappers

    def keys(self, call: WrittenCall, rule: FrameworkRule, own: int) -> Iterator[str]:
        """The keys of a call: one for each method, and text in a list."""
        given = call.argument(rule.key)
        if _DECLARED in rule.key and own != NONE:
            name = self._source.facts.declarations[own].name
            yield plain_key(rule.kind, name)
            if rule.kind == MODELLED:  # of `OrderItem` it is `orderitem` or `order_item`
                yield plain_key(rule.kind, underscored(name))
            return
        constant = next((one for one in rule.key if isinstance(one, str) and one[0] == "/"), "")
        if constant:  # `root to: "pages#home"`
            yield route_key(rule.method[0] if isinstance(rule.method[0], str) else ANY, constant)
            return
        texts = self._texts(call, rule, given)
        if rule.behind:
            text = in_chain(call.chain, sorted(rule.behind))
            texts = [text] if text else []
        for text in texts:
            is_no_path = rule.in_tests and not begins_as_path(text)
            if text in rule.excluded or is_no_path or not compiled(rule.begins).match(text):
                continue
            if rule.kind != ROUTE:
                key = plain_key(rule.kind, text)
                if key:
                    yield key
                continue
            is_given = rule.role == ContractRole.GIVES or call.is_decorator
            alone = call._replace(group=NONE) if rule.behind else call
            below = (
                self._prefixes.below(text, alone, own) if is_given else [self._values.filled(text)]
            )
            below += [f"{one.rstrip('/$')}{end}" for end in rule.ends for one in below]
            below = [_above(text, one) for one in below] if self._is_above(call, rule) else below
            for whole in below:
                for method in self.methods(call, rule):
                    key = route_key(method, whole)
                    if key:
                        yield key

    def _is_above(self, call: WrittenCall, rule: FrameworkRule) -> bool:
        """True for a path beside one object: `get :search, on: :collection`."""
        given = call.argument(rule.above[:1])
        return given is not None and rule.above[1] in given.texts

    def _texts(
        self, call: WrittenCall, rule: FrameworkRule, given: WrittenArgument | None
    ) -> list[str]:
        if given is None:
            is_whole = call.is_decorator or (
                GROUP in rule.key and (call.group != NONE or bool(rule.ends))
            )
            return [""] if is_whole and rule.kind == ROUTE else []
        text = self._values.whole(given, call.start)
        is_request = rule.kind == ROUTE and rule.role == ContractRole.USES
        if text is None and rule.in_tests:
            return []
        if text is None or (is_request and not fill_holes(text).replace(HOLE, "")):
            self._wrappers.note(call, rule, given, self.methods(call, rule))
            return []
        is_one = len(given.texts) <= 1 or HOLE in text
        return [text] if is_one else [*given.texts[:_MOST_TEXTS]]

    def methods(self, call: WrittenCall, rule: FrameworkRule) -> list[str]:
        """The methods of a route."""
        for one in rule.method:
            if one == INNER:
                continue
            if one in _AROUND:
                named = self._named_around(call, str(one))
                if named:
                    return named
            elif isinstance(one, int) or not one.isupper():
                told = self._told_methods(call, one)
                if told:
                    return told
            elif any(is_variable(item) for item in call.arguments[1:]) and "method" in rule.method:
                return [ANY]  # options that are made elsewhere
            else:
                return [one]
        return [ANY]

    def _named_around(self, call: WrittenCall, where: str) -> list[str]:
        """The methods that the name of a call says, or the calls before and behind it."""
        if where == "behind":
            found = _VERB_BEHIND.match(self._source.text, call.end, call.end + _LONGEST_CHAIN)
            return [] if found is None else [_method(found[1])]
        if where == "after":
            behind = _METHODS_BEHIND.match(self._source.text, call.end)
            named = [] if behind is None else _METHOD_NAMED.findall(behind[1])
            return [_method(name) for name in named]
        named = _METHOD.findall(call.name if where == "name" else call.chain)
        return [_method(name) for name in named[-1:]]

    def inner(
        self, call: WrittenCall, rule: FrameworkRule
    ) -> Iterator[tuple[str, tuple[int, int]]]:
        """The methods that are called in the argument of a route, each with its handler.

        So `route("/x", get(show).delete(remove))` and `web::get().to(show)` have them.
        """
        before = max((one for one in rule.key if isinstance(one, int)), default=-1) + 1
        rest = [item for item in call.arguments[before:] if not item.name][:1]
        for given in rest if INNER in rule.method else ():
            named = ((at, _METHOD_WORD.fullmatch(self._source.word(at))) for at in given.called)
            methods = [(at, word[1]) for at, word in named if word is not None]
            for number, (at, word) in enumerate(methods):
                until = methods[number + 1][0] if number + 1 < len(methods) else call.end
                names = [offset for offset in given.names if at < offset < until]
                handler = self._source.place(names[0]) if names else NOWHERE
                if names or given.is_function or "|" in self._source.text[at:until]:
                    yield _method(word), handler

    def _told_methods(self, call: WrittenCall, one: int | str) -> list[str]:
        """The methods that an argument names, or the object of options that a variable has."""
        given = call.argument((one,))
        if given is None and isinstance(one, str):
            for item in call.arguments[1:]:
                if is_variable(item):
                    texts = self._values.options(self._source.word(item.names[0]), call.start).get(
                        one
                    )
                    return [_method(texts)] if texts and _METHOD.fullmatch(texts) else []
        told = () if given is None else given.texts
        either = [  # `is_new ? "POST" : "PUT"` reads as an option with the name of the first
            text for item in call.arguments for key, text in item.inner if key in told
        ]
        known = [_method(text) for text in (*told, *either) if _METHOD.fullmatch(text)]
        if given is not None and not told:  # `http.MethodPost`, `HttpMethod.POST`
            words = (self._source.word(offset) for offset in given.names)
            named = (_METHOD_WORD.fullmatch(word) for word in words)
            known = [_method(item[1]) for item in named if item is not None]
        return known or ([ANY] if told else [])

    def endpoint(self, call: WrittenCall, rule: FrameworkRule, own: int) -> str:
        """The name of a route."""
        for one in rule.names:
            if isinstance(one, str) and one[0] == "=":
                name = one[1:]
            elif one == "path":  # Rails names a route as its path
                given = call.argument((0,))
                name = _path_name("" if given is None else given.text or "")
                method = self.methods(call, rule)[0]
                name = name if not name or method in {"GET", ANY} else f"{method} {name}"
            elif one == "function":
                name = self._source.facts.declarations[own].name if own != NONE else ""
            elif one == "after":
                behind = _NAME_BEHIND.match(self._source.text, call.end, call.end + _LONGEST_CHAIN)
                name = "" if behind is None else behind[1]
            else:
                given = call.argument((one,))
                name = "" if given is None else given.text or ""
            if name:
                return plain_key(ENDPOINT, self._prefixes.named(name, call.receiver, own))
        return ""

    def action(self, call: WrittenCall, rule: FrameworkRule) -> tuple[str, int]:
        """The method of a controller that a route is for, and where its class is named."""
        given = call.argument(rule.action)
        if given is None or not given.texts:
            return "", -1
        if given.names:  # `[Items::class, "show"]`
            at = given.names[0]
            named = NAMED.search(self._source.text[max(at - LONGEST_NAME, 0) : at].rstrip(": "))
            holder = self._source.word(at) if named is None else named[1]
            offset = at if named is None else max(at - LONGEST_NAME, 0) + named.start(1)
            return action_key(holder, given.texts[-1].lstrip(":")), offset
        return named_action(given.texts[-1]), -1


def _above(text: str, path: str) -> str:
    """A path without the segment before a text at its end."""
    return f"{path.removesuffix(text)}../{text}"


def _method(name: str) -> str:
    return ANY if name.lower() in _ANY_METHODS else name.upper()


def _path_name(path: str) -> str:
    """The name that Rails makes of a path: `/users/new` is `users_new`."""
    words = path.strip("/")
    return words.replace("/", "_").replace("-", "_") if re.fullmatch(r"[\w/-]+", words) else ""

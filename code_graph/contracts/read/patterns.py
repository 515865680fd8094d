"""Contracts of expressions that are looked for in the text of a file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from code_graph.contracts.descriptions import FrameworkRule, compiled
from code_graph.contracts.keys import (
    ACTION,
    ANY,
    ASKED,
    BINDING,
    ENDPOINT,
    HANDED,
    HOLE,
    LIKELY,
    METHODS,
    MODELLED,
    ROUTE,
    TABLE,
    TEMPLATE,
    action_key,
    plain_key,
    route_key,
    underscored,
)
from code_graph.contracts.read.prefixes import LONGEST_BLOCK, KeyPrefixes
from code_graph.contracts.read.source import BRACKETS, ContractSource
from code_graph.contracts.read.values import TextValues
from code_graph.contracts.read.wrappers import Wrappers
from code_graph.contracts.templates import CALLED, template_names
from code_graph.expressions import NONE, NOWHERE, Contract, ContractRole

_KIND: Final = re.compile(r"_(?:controller|view|html|json)\Z")
_LONGEST_TEXT: Final = 4_000
# languages of which a file may be a template as a whole
_TEMPLATES: Final = frozenset({"html"})


class PatternReader:
    """Looks for the expressions of descriptions in a file."""

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

    def begin_classes(self, rules: Iterable[FrameworkRule]) -> None:
        """Take the paths of classes whose annotation is a comment."""
        for rule in rules:
            if rule.comments and rule.kind == ROUTE and self._source.fits(rule.imports, rule.words):
                for start, end in self._stretches(rule):
                    for item in compiled(rule.pattern).finditer(self._source.text, start, end):
                        number = self._source.declared_behind(item.end())
                        if (
                            number != NONE
                            and self._source.facts.declarations[number].kind == "class"
                        ):
                            self._prefixes.begin_class(number, item["key"])

    def of_rule(self, rule: FrameworkRule) -> Iterator[Contract]:
        """The contracts of all places where the expression of a rule matches."""
        pattern = compiled(rule.pattern)
        if rule.unless and "{key}" not in rule.unless and self._source.has(rule.unless):
            return
        if rule.nested:
            yield from self._of_nested(rule)
            return
        for start, end in self._stretches(rule):
            for item in pattern.finditer(self._source.text, start, end):
                if rule.role == ContractRole.RUNS:
                    place = self._source.place(item.start("key"))
                    yield Contract(rule.role, "", "", self._source.around(place[0]), place, place)
                    continue
                told = item.groupdict()
                if told.get("name"):
                    own = self._source.around(self._source.place(item.start())[0])
                    if own != NONE:
                        self._wrappers.wrap(own, told["name"], rule)
                elif told.get("key") or (told.get("key") == "" and rule.kind == ROUTE):
                    yield from self._matched(rule, item, told)

    def _of_nested(self, rule: FrameworkRule) -> Iterator[Contract]:
        """The keys of a file that is written by indentation: `app.store.path`."""
        around: list[tuple[int, str]] = []
        for item in compiled(rule.pattern).finditer(self._source.text):
            indent = len(item["indent"])
            while around and around[-1][0] >= indent:
                around.pop()
            around.append((indent, item["key"]))
            key = plain_key(rule.kind, ".".join(name for _, name in around))
            place = self._source.place(item.start("key"))
            if key:
                yield Contract(rule.role, rule.kind, key, self._source.around(place[0]), place)

    def _matched(
        self, rule: FrameworkRule, item: re.Match[str], told: dict[str, str | None]
    ) -> Iterator[Contract]:
        text = told["key"] or ""
        if rule.kind == TEMPLATE and text.isupper():  # a constant of the file
            text = next((known for _, known in self._values.assigned(text)), "")
        if rule.kind == BINDING:
            yield from self._of_binding(rule, item, text)
            return
        if rule.resource:
            yield from self._of_resource(rule, item, told)
            return
        if rule.begins and not compiled(rule.begins).match(text):
            return
        key = self._key_of(rule, item, told, text)
        if rule.unless and key:
            used = rule.unless.replace("{key}", re.escape(text))
            key = "" if re.search(used, self._source.text) else key
        if key and text not in rule.excluded:
            place = self._source.place(item.start("key"))
            named = self._source.place(item.start("handler")) if told.get("handler") else NOWHERE
            own = (
                self._source.declared_behind(item.end())
                if rule.comments
                else self._source.around(place[0])
            )
            if rule.kind in {TABLE, MODELLED} and rule.role == ContractRole.GIVES:
                own = self._source.class_around(own)
            kind = rule.kind
            if rule.general and kind == ROUTE:
                kind = LIKELY if rule.role == ContractRole.GIVES else ASKED
            row = Contract(rule.role, kind, key, own, place, named)
            yield row
            if rule.kind == ROUTE and told.get("action"):
                yield from _of_action(rule, row, told["handler"] or "", told["action"] or "")

    def _key_of(
        self, rule: FrameworkRule, item: re.Match[str], told: dict[str, str | None], text: str
    ) -> str:
        """The key of a match, by its kind."""
        if rule.kind == HANDED:
            return route_key((told.get("method") or ANY).upper(), self._values.filled(text))
        if rule.kind == ROUTE:
            text = f"{text}{HOLE}" if told.get("more") else text
            text = _with_slashes(text) if rule.slashes else text
            if rule.role == ContractRole.GIVES:
                text = self._prefixes.in_blocks(text, item.start())
            method = told.get("method") or next((one for one in rule.method if one), ANY)
            return route_key(str(method).upper(), self._prefixes.below_class(text, item.end()))
        text = f"{text}.{told['action']}" if told.get("action") else text
        if rule.form:
            holder = told.get("holder") or self._holder(item.start())
            text = rule.form.replace("{holder}", _word_of(holder)).replace("{key}", text)
        key = plain_key(rule.kind, text)
        method = (told.get("method") or "GET").upper()
        if rule.kind == ENDPOINT and method in METHODS[1:]:
            key = f"{method} {key}"
        return f"{self._prefixes.beginning(rule.kind)}{key}" if key else ""

    def _holder(self, offset: int) -> str:
        """The class or module around an offset."""
        rows = self._source.facts.declarations
        own = self._source.around(self._source.place(offset)[0])
        while own != NONE and rows[own].parent != NONE:
            own = rows[own].parent
        return rows[own].name if own != NONE else ""

    def _of_resource(
        self, rule: FrameworkRule, item: re.Match[str], told: dict[str, str | None]
    ) -> Iterator[Contract]:
        """The routes of a resource, each with a place of its own for its action."""
        text = told["key"] or ""
        place = self._source.place(item.start("key"))
        own = self._source.around(place[0])
        holder = told.get("handler")
        held = self._source.place(item.start("handler")) if holder else NOWHERE
        path = self._prefixes.in_blocks(f"/{text.replace('.', '/{}/')}", item.start())
        chosen = _chosen_actions(told.get("only"), told.get("but"))
        for number, (method, end, action, *named) in enumerate(rule.resource):
            if not chosen(action):
                continue
            row = Contract(rule.role, rule.kind, "", own, (place[0], place[1] + number))
            yield row._replace(key=route_key(method, f"{path}{end.rstrip('/')}"))
            name = _resource_name(text, action, *named)
            name = _named_by(rule, holder or text, action) or name
            name = name if method == "GET" or not named else f"{method} {name}"
            yield row._replace(kind=ENDPOINT, key=name)
            key = action_key(holder or text, action)
            yield row._replace(role=ContractRole.USES, kind=ACTION, key=key, handler=held)

    def _of_binding(
        self, rule: FrameworkRule, item: re.Match[str], text: str
    ) -> Iterator[Contract]:
        """The names in a template, or the component that names its template's file."""
        if rule.role == ContractRole.USES:
            yield from self._of_template(text, item.start("key"))
            return
        place, own = self._source.place(item.start("key")), self._source.class_behind(item.end())
        if own != NONE:
            yield Contract(rule.role, rule.kind, text, own, place)

    def _of_template(self, text: str, begin: int) -> Iterator[Contract]:
        """The members that a template names; one in a file of code is of the class behind it."""
        own = NONE
        if self._source.facts.language not in _TEMPLATES:
            own = self._source.class_behind(begin + len(text))
            if own == NONE:
                return
        for item in template_names(text):
            place = self._source.place(begin + item.offset)
            mark = CALLED if item.is_called else ""
            yield Contract(ContractRole.USES, BINDING, f"{item.chain}{mark}", own, place)

    def _stretches(self, rule: FrameworkRule) -> Iterator[tuple[int, int]]:
        """The parts of the text that an expression is looked for in."""
        if rule.inside:
            for item in compiled(rule.inside).finditer(self._source.text):
                yield from _at_depth(self._source.text, item.end())
            return
        if rule.comments:
            yield from (
                (start, end) for start, end, is_comment in self._source.written.spans if is_comment
            )
            return
        if rule.within:
            within = compiled(rf"(?i:[\"'`]{rule.within})")
            if self._source.has(within.pattern):
                for start, end, is_comment in self._source.written.spans:
                    if not is_comment and within.match(self._source.text, start, end):
                        yield start, end
                yield from self._over_lines(within)
            return
        if self._source.has(rule.pattern):
            yield from self._source.between_comments()

    def _over_lines(self, within: re.Pattern[str]) -> Iterator[tuple[int, int]]:
        """The texts over several lines, in languages that have them between plain quotes."""
        text, spans = self._source.text, self._source.written.spans
        for item in within.finditer(text):
            start, before = item.start(), bisect_right(spans, (item.start() + 1,)) - 1
            if before < 0 or spans[before][1] <= start:
                end = text.find(item[0][0], item.end(), start + _LONGEST_TEXT)
                if end > 0:
                    yield start, end


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


def _of_action(rule: FrameworkRule, row: Contract, holder: str, action: str) -> Iterator[Contract]:
    """The method of a controller that a route names, and the name of the route by both."""
    key = action_key(holder, action)
    yield row._replace(role=ContractRole.USES, kind=ACTION, key=key, handler=NOWHERE)
    name = _named_by(rule, holder, action)
    if name:
        yield row._replace(kind=ENDPOINT, key=name)


def _named_by(rule: FrameworkRule, holder: str, action: str) -> str:
    """The name of a route as a rule makes it of a controller and its method."""
    form = next((one for one in rule.names if isinstance(one, str) and "{" in one), "")
    return form.replace("{holder}", _word_of(holder)).replace("{action}", action)


def _word_of(holder: str) -> str:
    """The word of a controller or a view, without that for its kind: `item` of `Shop.ItemView`."""
    word = underscored(re.split(r"[\\/.]", holder)[-1]).lower()
    return _KIND.sub("", word)


def _with_slashes(text: str) -> str:
    """The path of texts and names with slashes between them: `"items" / IntNumber`."""
    parts = (part.strip() for part in text.split("/"))
    return "/".join(
        ["", *(part.strip("\"'") if part[:1] in "\"'" else HOLE for part in parts if part)]
    )


def _at_depth(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The stretches behind an opening brace that are in no other bracket."""
    depth, begin = 1, start
    for item in BRACKETS.finditer(text, start, start + LONGEST_BLOCK):
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

"""Functions that hand a parameter on as the text of a rule, and their calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.contracts.descriptions import FrameworkRule
from code_graph.contracts.keys import ANY, ROUTE, WRAPPER
from code_graph.contracts.read.calls import WrittenArgument, WrittenCall
from code_graph.contracts.read.source import ContractSource
from code_graph.contracts.read.values import TextValues
from code_graph.expressions import NONE, Contract, ContractRole
from index_format.records import replace

# parameters that are the method of a request
_NAMES_A_METHOD: Final = ("method", "verb", "httpMethod", "requestMethod")


class Wrappers:
    """The functions of a file that hand a parameter on as the text of a rule."""

    def __init__(self, source: ContractSource, values: TextValues) -> None:
        """None is known yet."""
        self._source = source
        self._values = values
        self._wrappers: dict[str, tuple[int, FrameworkRule]] = {}

    def note(
        self, call: WrittenCall, rule: FrameworkRule, given: WrittenArgument, methods: list[str]
    ) -> None:
        """Take note of a function that hands one of its parameters on as the text."""
        own = self._source.around(self._source.place(call.start)[0])
        if own != NONE and len(given.parts) == 1 and isinstance(given.parts[0], int):
            name = self._source.word(given.parts[0])
            is_any = rule.kind != ROUTE or methods == [ANY]
            told = rule if is_any else replace(rule, method=(methods[0],))
            if not self.wrap(own, name, told):
                self.wrap(own, self._values.last_of(name, call.start), told)

    def wrap(self, own: int, parameter: str, rule: FrameworkRule) -> bool:
        """Take note of a declaration by one of its parameters; false if it is not there."""
        row = self._source.facts.declarations[own]
        at = _parameter_index(row.parameters, parameter) if parameter else -1
        is_handed = rule.role == ContractRole.USES and at >= 0 and row.name not in rule.calls
        if is_handed:
            methods = (_parameter_index(row.parameters, name) for name in _NAMES_A_METHOD)
            taken = [one for one in methods if one >= 0]
            method = (*taken[:1], *rule.method)
            handed = replace(rule, key=(at,), receivers=frozenset(), method=method, general=False)
            self._wrappers.setdefault(row.name, (own, handed))
        return is_handed

    def calls(self) -> Iterator[tuple[WrittenCall, FrameworkRule]]:
        """Calls of these functions in their file; reading one may tell of others."""
        seen: set[str] = set()
        while seen != {*self._wrappers}:  # one may hand a parameter on to another
            names = sorted({*self._wrappers} - seen)
            seen.update(names)
            found = rf"(?<![\w$])(?:{'|'.join(map(re.escape, names))})(?![\w$])"
            words = ((item.start(), item.end()) for item in re.finditer(found, self._source.text))
            for call in [*self._source.written.calls(words, lambda *_: True)]:
                number, rule = self._wrappers[call.name]
                if (
                    self._source.facts.declarations[number].name_line
                    != self._source.place(call.start)[0]
                ):
                    yield call, rule

    def given(self) -> Iterator[Contract]:
        """Functions that request the path which they are given, for calls in other files."""
        for number, rule in self._wrappers.values():
            if rule.kind == ROUTE and rule.key in {(0,), (1,), (2,)}:
                method = next((one for one in rule.method if str(one).isupper()), ANY)
                key = str(ANY if 0 in rule.method or 1 in rule.method else method)
                yield Contract(ContractRole.GIVES, WRAPPER, key, number, self._source.head(number))


def _parameter_index(parameters: str, name: str) -> int:
    """The position of a parameter in a signature; the receiver has none."""
    for at, item in enumerate(split_parameters(parameters)):
        if re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", item.partition("=")[0]):
            return at
    return -1


def split_parameters(parameters: str) -> list[str]:
    """The parameters of a signature, without the object of a method."""
    found, depth = [""], 0
    for character in parameters.strip()[1:-1]:
        depth += character in "([{<"
        depth -= character in ")]}>"
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [item for item in found if item.strip() not in {"self", "cls", "&self", "&mut self"}]

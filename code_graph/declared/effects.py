"""Effects of a library's functions: what they give, and what they pass to functions as arguments.

A language lists them in its `library.toml`:

    [types]
    maps = "Map MutableMap"

    [elements]
    maps = "Entry<k, v>"

    [[functions]]
    of = "maps"
    names = "filter take drop"
    gives = "self"
    passes = "e"

`types` are groups of types. `elements` says what a loop over one gives; of others that is the last
type argument. `functions` are those of any type, or of the types `of`; `members` are properties; the
first row counts. Values are types with arguments, as `List<r>`, `(k, v)` for a tuple and `[e]` for
a list of the language, or stand for: `self` the object (`self<r>` one of its type), `e` an element
of it, `k` and `v` its first and last type argument, `r` the result of the last argument, which is a
function, `a` the first argument, `el(…)` elements. Without arguments those of `r` and `a` are none.
Where `passes` is empty, nothing is passed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any, ClassVar, Final, TypeAlias

from code_graph.declared.rules import DeclaredRules
from code_graph.declared.types import ARRAY
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Result,
    TupleValue,
    Value,
    Values,
    plain,
    with_strategy,
)
from code_graph.formats.toml import read_toml
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

_TOKEN: Final = re.compile(r"\w+|[<>()\[\],]")
_CLOSING: Final = {"<": ">", "(": ")", "[": "]"}
_RESULT: Final = "r"
_SELF: Final = "self"
# what stands for arguments
_GIVEN: Final = frozenset({_RESULT, "a"})
_VARIABLES: Final = _GIVEN | {_SELF, "e", "k", "v"}
_ELEMENTS: Final = "el"


class Template(NamedTuple):
    """A value with places to fill: a variable, or a type, a tuple, a list or elements of others."""

    name: str
    parts: Sequence[Template] = ()
    # "<" for type arguments, "(" for a tuple or elements, "[" for a list
    shape: str = ""


class EffectRow(NamedTuple):
    """What functions of some types give and pass; those of any type have none."""

    types: frozenset[str]
    gives: Template | None
    # None where it is not known
    passes: Sequence[Template] | None


# gives the values of a variable
Fill: TypeAlias = Callable[[str], Values]


class Library:
    """The effects of a language's library."""

    def __init__(self, rows: Mapping[str, Any]) -> None:
        """Read the rows of a `library.toml`."""
        self.types = {name: frozenset(text.split()) for name, text in rows.get("types", {}).items()}
        self._elements = {
            name: read_template(text)
            for group, text in rows.get("elements", {}).items()
            for name in self._named(group)
        }
        self._functions = self._by_name(rows.get("functions", ()))
        self._members = self._by_name(rows.get("members", ()))

    def _named(self, names: str) -> frozenset[str]:
        """The types of names, of which some are groups."""
        return frozenset().union(*(self.types.get(name, {name}) for name in names.split()))

    def _by_name(self, rows: Sequence[Mapping[str, str]]) -> Mapping[str, Sequence[EffectRow]]:
        by_name: dict[str, list[EffectRow]] = {}
        for row in rows:
            gives = read_template(row["gives"]) if "gives" in row else None
            passes = [*map(read_template, row["passes"].split())] if "passes" in row else None
            effect = EffectRow(self._named(row.get("of", "")), gives, passes)
            for name in row["names"].split():
                by_name.setdefault(name, []).append(effect)
        return by_name

    @classmethod
    def of(cls, language: str) -> Library:
        """The library of a language, by the name of its folder."""
        folder = resources.files("code_graph.languages") / language
        return cls(read_toml((folder / "library.toml").read_bytes()))

    def element(self, type_: str) -> Template | None:
        """An element of a type that has another one than its last type argument."""
        return self._elements.get(type_)

    def function(self, type_: str, name: str) -> EffectRow | None:
        """The effect of a function of a type."""
        return _row(self._functions, type_, name)

    @property
    def names(self) -> frozenset[str]:
        """The names of all functions."""
        return frozenset(self._functions)

    def passes(self, name: str) -> bool:
        """True if it is known what functions of a name pass to a function literal."""
        return any(row.passes is not None for row in self._functions.get(name, ()))

    def member(self, type_: str, name: str) -> EffectRow | None:
        """The effect of a property of a type."""
        return _row(self._members, type_, name)


def _row(rows: Mapping[str, Sequence[EffectRow]], type_: str, name: str) -> EffectRow | None:
    known = (row for row in rows.get(name, ()) if not row.types or type_ in row.types)
    return next(known, None)


def read_template(text: str) -> Template:
    """The template that a text writes; raises `ValueError` for another text."""
    tokens = _TOKEN.findall(text)
    template = _template(tokens)
    if tokens:
        raise ValueError(f"{text!r} is no value: write it as List<r>, (k, v), [e] or a name")
    return template


def _template(tokens: list[str]) -> Template:
    """The first template of some tokens, which are taken."""
    name = tokens.pop(0) if tokens else ""
    if name in _CLOSING:
        return Template("", _parts(tokens, _CLOSING[name]), name)
    if not name.isidentifier():
        tokens.insert(0, name)
        return Template("")
    if tokens[:1] in (["<"], ["("]):
        shape = tokens.pop(0)
        return Template(name, _parts(tokens, _CLOSING[shape]), shape)
    return Template(name)


def _parts(tokens: list[str], end: str) -> list[Template]:
    parts: list[Template] = []
    while tokens and tokens[0] != end:
        parts.append(_template(tokens))
        if tokens[:1] == [","]:
            tokens.pop(0)
    if tokens:
        tokens.pop(0)
    return parts


def _is_given(template: Template) -> bool:
    """True if a template has a place for an argument."""
    return template.name in _GIVEN or any(map(_is_given, template.parts))


class LibraryRules(DeclaredRules):
    """External types whose functions are rows of a library."""

    library: ClassVar[Library]

    def short_name(self, name: str) -> str:
        """The name by which rows know an external type."""
        return name.rpartition(".")[2]

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A property of an external object, or something that is external itself."""
        if isinstance(value, ExternalInstance) and value.arguments:
            row = self.library.member(self.short_name(value.name), name)
            if row is not None and row.gives is not None:
                values = self._filled(row.gives, lambda of: self._variable(of, value))
                return with_strategy(values, Strategy.GENERIC)
        return super().member_of_external(file, number, value, name)

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a function of the library gives."""
        values = self.given_by(value, file, number)
        if values:
            return with_strategy(values, Strategy.GENERIC)
        return super().call_external(value, file, number)

    def given_by(self, value: External, file: SourceFile, number: int) -> Values:
        """The values that a function gives by its row; none without one."""
        owner, _, name = value.name.rpartition(".")
        row = self.library.function(self.short_name(owner), name)
        gives = None if row is None else row.gives
        # of an object of which nothing is known no more than what it is given
        if gives is None or not (value.arguments or gives.name in _GIVEN):
            return ()
        if _is_given(gives) and not file.expressions[number].items:
            return ()
        return self._filled(gives, self._in_call(value, file, number))

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a function of the library passes to a function literal."""
        owner, _, name = value.name.rpartition(".")
        row = self.library.function(self.short_name(owner), name)
        if row is None or row.passes is None or not value.arguments:
            return super().callback_parameters(value, file, number, position)
        fill = self._in_call(value, file, number)
        return tuple(self._filled(template, fill) for template in row.passes)

    def element(self, value: Value) -> Values:
        """The value of a loop over an external object."""
        if not isinstance(value, ExternalInstance) or not value.arguments:
            return ()
        return self._variable("e", value)

    def _in_call(self, value: External, file: SourceFile, number: int) -> Fill:
        """What stands for variables in a call of a function of an object."""
        owner = ExternalInstance(self.short_name(value.name.rpartition(".")[0]), value.arguments)
        items = file.expressions[number].items

        def fill(name: str) -> Values:
            if name == _RESULT:
                return self.result_of(file, items[-1].value) if items else ()
            if name == "a":
                return plain(self._evaluation.evaluate(file, items[0].value)) if items else ()
            return self._variable(name, owner)

        return fill

    def _variable(self, name: str, value: ExternalInstance) -> Values:
        """The values that a name stands for, of an object of the library."""
        if name == _SELF:
            return (value,)
        if name == "e":
            template = self.library.element(self.short_name(value.name))
            if template is not None:
                return self._filled(template, lambda of: self._variable(of, value))
        if not value.arguments:
            return ()
        return value.arguments[0] if name == "k" else value.arguments[-1]

    def _filled(self, template: Template, fill: Fill) -> Values:
        """The values of a template; none where a type has no arguments that it should have."""
        if not template.name:
            parts = tuple(self._filled(part, fill) for part in template.parts)
            return (TupleValue(parts) if template.shape == "(" else ExternalInstance(ARRAY, parts),)
        if template.name == _ELEMENTS:
            values = self._filled(template.parts[0], fill)
            return plain(self._evaluation.element(with_strategy(values, Strategy.GENERIC)))
        if template.name in _VARIABLES and not template.parts:
            return fill(template.name)
        parts = tuple(self._filled(part, fill) for part in template.parts)
        if template.name == _SELF:
            return tuple(
                ExternalInstance(value.name, parts)
                for value in fill(_SELF)
                if isinstance(value, ExternalInstance)
            )
        return (ExternalInstance(template.name, parts),)

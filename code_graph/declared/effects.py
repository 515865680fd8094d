"""Effects of a library's functions: their results, and the arguments that they pass on.

A language lists them in its `library.toml`:

    [types]
    maps = "Map MutableMap"

    [elements]
    maps = "Entry<x1, x2>"

    [effects.maps]
    "e -> self" = "filter take"
    "-> x2" = "get replace/2"

`types` are groups of types: of `pointers`, members are those of what they hold. `elements` says
what a loop over a type gives; of others that is the last type argument. Effects are those of
functions of a type, of a group, of `any` type, of a `generic` one, which has type arguments, or of
`none`. The function passes what stands before the arrow and gives what stands after it: a side that
is empty is not known, and `()` passes nothing. `*` are all functions, `replace/2` those called with
two arguments. The first row counts for which a call has all values. `conversions` are the bases of
types, `literals` and `synonyms` other names of them.

A value is a type with arguments, as `List<x>`, or stands for others, by a position or else the
last: `x` is a type argument of the object, `a` an argument of the call, `r` the result of a
function that is an argument, `t` a type argument written at the call. `all` are all arguments,
`self` is the object and `self<…>` another one of its type, `e` an element of it, `element<…>`
elements of others, `tuple<…>` a tuple, and `r|e` is `e` where `r` has no values. Names of other
values that a language makes are in `functions` of its rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import resources
from typing import Any, ClassVar, Final

from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.declared.rules import DeclaredRules
from code_graph.declared.types import CALLABLE
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    FunctionValue,
    Result,
    TupleValue,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Op
from code_graph.formats.toml import read_toml
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

_VARIABLE: Final = re.compile(r"([xart])(\d?)|self|e|all")
_TYPE: Final = re.compile(r"\w[\w. ]*|\[\]")
_ARROW: Final = "->"
_EITHER: Final = "|"
_NOTHING: Final = "()"
_EVERY: Final = "*"
_SPREAD: Final = "*"
_NONE: Final = "none"
_ANY: Final = "any"
_GENERIC: Final = "generic"
_SECTIONS: Final = frozenset(
    {"conversions", "effects", "elements", "literals", "synonyms", "types"}
)


class Template(NamedTuple):
    """A value with places to fill: a variable, or a type, tuple or choice of others."""

    name: str
    parts: Sequence[Template] = ()
    # of a variable
    position: int = -1
    is_variable: bool = False


class Effect(NamedTuple):
    """The values that functions of some types give and pass, None where they are not known."""

    types: frozenset[str]
    gives: Template | None
    passes: Sequence[Template] | None


class LibraryTable:
    """The types of a language's library, and the effects of its functions."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Read a `library.toml`; raises `ValueError` for what is no effect or section."""
        unknown = sorted(table.keys() - _SECTIONS)
        if unknown:
            raise ValueError(f"unknown section {unknown[0]!r}: there are {sorted(_SECTIONS)}")
        self.types: dict[str, frozenset[str]] = {}
        for name, text in table.get("types", {}).items():
            self.types[name] = self._named(text)
        self.pointers = self.types.get("pointers", frozenset())
        self.literals: Mapping[str, str] = table.get("literals", {})
        self.synonyms: Mapping[str, str] = table.get("synonyms", {})
        self.conversions = frozenset(
            (type_, base)
            for group, bases in table.get("conversions", {}).items()
            for type_ in self._named(group)
            for base in self._named(bases)
        )
        self._elements = [
            (self._named(group), read_template(text))
            for group, text in table.get("elements", {}).items()
        ]
        self._rows: dict[str, list[Effect]] = {}
        for group, effects in table.get("effects", {}).items():
            types = self._named(group)
            for text, names in effects.items():
                effect = read_effect(types, text)
                for name in names.split():
                    self._rows.setdefault(name, []).append(effect)
        self.names = frozenset(self._rows)

    def _named(self, names: str) -> frozenset[str]:
        """The types of names; a name may be a group."""
        return frozenset(type_ for name in names.split() for type_ in self.types.get(name, {name}))

    @classmethod
    def of(cls, language: str) -> LibraryTable:
        """The table of a language, by the name of its folder."""
        folder = resources.files("code_graph.languages") / language
        return cls(read_toml((folder / "library.toml").read_bytes()))

    def elements(self, type_: str) -> Iterator[Template]:
        """The templates of an element of a type."""
        names = {type_, _ANY}
        return (template for types, template in self._elements if not names.isdisjoint(types))

    def rows(self, names: set[str], name: str, count: int) -> Iterator[Effect]:
        """The effects that a function of types may have, called with so many arguments."""
        for key in (f"{name}/{count}", name, _EVERY):
            for effect in self._rows.get(key, ()):
                if not names.isdisjoint(effect.types):
                    yield effect

    def has(self, type_: str, name: str) -> bool:
        """True if a row for functions of a name has the name of a type, alone or in a group."""
        return any(type_ in effect.types for effect in self._rows.get(name, ()))

    def passes(self, name: str) -> bool:
        """True if it is known what functions of a name pass."""
        return any(effect.passes is not None for effect in self._rows.get(name, ()))


def read_effect(types: frozenset[str], text: str) -> Effect:
    """The effect that a text writes; raises `ValueError` for another text."""
    passed, arrow, given = (part.strip() for part in text.partition(_ARROW))
    if not arrow:
        raise ValueError(f"{text!r} is no effect: write it as 'e -> self'")
    passes = None if not passed else [*map(read_template, split_types(passed.strip(_NOTHING)))]
    return Effect(types, read_template(given) if given else None, passes)


def read_template(text: str) -> Template:
    """The template that a text writes; raises `ValueError` for another text."""
    name, is_open, rest = text.strip().partition("<")
    choices = [*split_types(text, _EITHER)]
    if len(choices) > 1:
        return Template(_EITHER, [*map(read_template, choices)])
    variable = _VARIABLE.fullmatch(name)
    if variable and not is_open:
        return Template(variable[1] or name, (), int(variable[2] or 0) - 1, is_variable=True)
    if not _TYPE.fullmatch(name) or rest[-1:] != (">" if is_open else ""):
        raise ValueError(f"{text!r} is no value: write it as List<x>, tuple<x1, x2> or a name")
    return Template(name, [*map(read_template, split_types(rest[:-1]))])


def split_types(text: str, separator: str = ",") -> Iterator[str]:
    """The types of a list, each as it is written."""
    depth, start = 0, 0
    for at, mark in enumerate(text):
        depth += (mark == "<") - (mark == ">")
        if mark == separator and not depth:
            yield text[start:at]
            start = at + 1
    if text:
        yield text[start:]


class LibraryUse(NamedTuple):
    """An object of the library, and a call of one of its functions."""

    object: ExternalInstance
    file: SourceFile | None = None
    # arguments, and type arguments as they are written
    items: Sequence[Argument] = ()
    written: Sequence[int] = ()

    def has(self, template: Template) -> bool:
        """True if there is a value for each place of a template."""
        if template.parts:
            is_enough = any if template.name == _EITHER else all
            return is_enough(map(self.has, template.parts))
        if not template.is_variable or template.name == "all":
            return True
        counts = {"a": len(self.items), "r": len(self.items), "t": len(self.written)}
        return counts.get(template.name, len(self.object.arguments)) > max(template.position, 0)


class LibraryEffects:
    """Values of calls whose effects are rows."""

    library: ClassVar[LibraryTable]
    # values that templates of a name make of those in them, beside types of the library
    functions: ClassVar[Mapping[str, Callable[..., Values]]] = {}
    _evaluation: Any

    def result_of(self, file: SourceFile, number: int) -> Values:
        """The result of a function that is an argument."""
        found: Result = {}
        for value in self._evaluation.evaluate(file, number):
            if isinstance(value, FunctionValue):
                merge(found, self._evaluation.calls.result(value, file))
            elif isinstance(value, ExternalInstance) and value.name == CALLABLE:
                merge(found, with_strategy(value.arguments[1], Strategy.GENERIC))
        return plain(found)

    def short_name(self, name: str) -> str:
        """The name by which rows know an external type."""
        return name.rpartition(".")[2]

    def given_by(
        self, value: External, file: SourceFile | None = None, number: int = NONE
    ) -> Values | None:
        """The values that a function gives in a call, or a property; None if nothing says it."""
        use = self._use(value, file, number)
        return self.first_of((effect.gives for effect in self._effects(value, use)), use)

    def passed_by(
        self, value: External, file: SourceFile | None = None, number: int = NONE
    ) -> tuple[Values, ...] | None:
        """The arguments that a function passes to another one; None if nothing says it."""
        use = self._use(value, file, number)
        for effect in self._effects(value, use):
            if effect.passes is not None and all(map(use.has, effect.passes)):
                return tuple(self._filled(template, use) for template in effect.passes)
        return None

    def element(self, value: Value) -> Values:
        """The value of a loop over an external object."""
        if not isinstance(value, ExternalInstance) or not value.arguments:
            return ()
        given = self.first_of(self.library.elements(self.short_name(value.name)), LibraryUse(value))
        return value.arguments[-1] if given is None else given

    def first_of(self, templates: Iterable[Template | None], use: LibraryUse) -> Values | None:
        """The values of the first template that a use has values for."""
        known = (self._filled(each, use) for each in templates if each and use.has(each))
        return next(known, None)

    def _effects(self, value: External, use: LibraryUse) -> Iterator[Effect]:
        _, is_member, name = value.name.rpartition(".")
        names = {use.object.name, _ANY if is_member else _NONE}
        if value.arguments:
            names.add(_GENERIC)
        return self.library.rows(names, name, len(use.items))

    def _use(self, value: External, file: SourceFile | None, number: int) -> LibraryUse:
        owner = ExternalInstance(self.short_name(value.name.rpartition(".")[0]), value.arguments)
        return self.use_in(file, number, owner)

    def use_in(self, file: SourceFile | None, number: int, owner: ExternalInstance) -> LibraryUse:
        """The call of a function of an object at an expression; of a property, without one."""
        if file is None:
            return LibraryUse(owner)
        call = file.expressions[number]
        of = file.expressions[call.of] if call.of != NONE else call
        written = [part.value for part in of.items] if of.op == Op.APPLY else []
        items = [part for part in call.items if part.value != NONE]
        return LibraryUse(owner, file, items, written)

    def _filled(self, template: Template, use: LibraryUse) -> Values:
        """The values of a template in a use that has them."""
        if template.is_variable:
            return self._variable(template, use)
        if template.name == _EITHER:
            choices = (self._filled(part, use) for part in template.parts if use.has(part))
            return next(filter(None, choices), ())
        parts = tuple(self._filled(part, use) for part in template.parts)
        if template.name == "tuple":
            return (TupleValue(parts),)
        if template.name == "element":
            return plain(self._evaluation.element(with_strategy(parts[0], Strategy.GENERIC)))
        if template.name in self.functions:
            return self.functions[template.name](self, *parts)
        name = use.object.name if template.name == "self" else template.name
        return (ExternalInstance(name, parts),)

    def _variable(self, template: Template, use: LibraryUse) -> Values:
        values: Result = {}
        file, name, at = use.file, template.name, template.position
        if name in {"self", "e"}:
            return self.element(use.object) if name == "e" else (use.object,)
        if name == "x":
            return use.object.arguments[at]
        if file is not None and name == "r":
            return self.result_of(file, use.items[at].value)
        if file is not None and name == "t":
            values = self._evaluation.types.instances(file, use.written[at])
        elif file is not None:
            for item in use.items if name == "all" else (use.items[at],):
                given = self._evaluation.evaluate(file, item.value)
                merge(values, self._evaluation.element(given) if item.name == _SPREAD else given)
        return plain(values)


class LibraryRules(LibraryEffects, DeclaredRules):
    """External types with functions whose effects are rows."""

    _evaluation: DeclaredEvaluation
    # if members of the library are read, and not only called
    has_properties: ClassVar[bool] = True

    def member_of_external(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A property of an external object, or an external name."""
        held = self.held_member(file, number, value, name)
        if held:
            return held
        if self.has_properties and isinstance(value, External | ExternalInstance):
            arguments = value.arguments if isinstance(value, ExternalInstance) else ()
            is_called = number in self._evaluation.types.table(file).called
            values = self.given_by(External(f"{value.name}.{name}", arguments))
            if values and not is_called:
                return with_strategy(values, Strategy.GENERIC)
        return super().member_of_external(file, number, value, name)

    def holds_member(self, value: ExternalInstance, name: str) -> bool:
        """True if a pointer, or another holder of one object, has the members of this object."""
        type_ = self.short_name(value.name)
        return type_ in self.library.pointers and not self.library.has(type_, name)

    def held_member(self, file: SourceFile, number: int, value: Value, name: str) -> Result:
        """A member of the object behind a pointer, if the repository has one."""
        found: Result = {}
        if isinstance(value, ExternalInstance) and self.holds_member(value, name):
            for inner in value.arguments[0] if value.arguments else ():
                merge(found, self._evaluation.names.member_of(file, number, inner, name))
        return found if any(not isinstance(item, External) for item in found) else {}

    def call_external(self, value: External, file: SourceFile, number: int) -> Result:
        """The values that a function of the library gives."""
        values = self.given_by(value, file, number)
        if values:
            return with_strategy(values, Strategy.GENERIC)
        return super().call_external(value, file, number)

    def callback_parameters(
        self, value: External, file: SourceFile, number: int, position: int
    ) -> tuple[Values, ...]:
        """The arguments that a function of the library passes to a function."""
        given = self.passed_by(value, file, number)
        if given is None:
            return super().callback_parameters(value, file, number, position)
        return given

"""Languages of one platform: their code uses each other's types as its own.

Each file is evaluated by the rules of its own language. What another language takes from it is
named as that one names it: an `int` of Java is an `Int` of Kotlin.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from code_graph.evaluate.engine import Engine, UnitsApart
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    Result,
    Value,
    with_parts,
)
from code_graph.language import load
from code_graph.language_table import language_named

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.declared.rules import DeclaredRules


class Platform:
    """The evaluations of languages that see each other, each made when its first file is met."""

    def __init__(self, engine: Engine) -> None:
        """Nothing is evaluated yet."""
        self._engine = engine
        self._made: dict[str, DeclaredEvaluation] = {}

    def add(self, evaluation: DeclaredEvaluation) -> None:
        """Add an evaluation that exists already."""
        self._made[evaluation.language] = evaluation

    def evaluation(self, language: str) -> DeclaredEvaluation:
        """The evaluation of a language."""
        found = self._made.get(language)
        if found is None:
            rules: type[DeclaredRules] = load(language_named(language).rules)
            own = UnitsApart(self._engine, language)
            found = self._made[language] = rules.parts.evaluation(own, rules, language, self)
        return found


def named_by(found: Result, given: Mapping[str, str], own: Mapping[str, str]) -> Result:
    """Values with `given` names of the platform's types, in the names of another language.

    Both say how the platform calls their types; names that neither has are the same everywhere.
    """
    if given == own:
        return found
    return {_named(value, given, own): how for value, how in found.items()}


def _named(value: Value, given: Mapping[str, str], own: Mapping[str, str]) -> Value:
    if isinstance(value, External | ExternalInstance):
        value = value._replace(name=_translated(value.name, given, own))
    return with_parts(value, lambda part: (_named(part, given, own),))


def _translated(name: str, given: Mapping[str, str], own: Mapping[str, str]) -> str:
    common = given.get(name, name)
    return _names_of(tuple(own.items())).get(common, common)


@cache
def _names_of(own: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The first name that a language has for each type of the platform."""
    found: dict[str, str] = {}
    for name, common in own:
        found.setdefault(common, name)
    return found

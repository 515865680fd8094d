"""The evaluation of the languages: one for those that declare types, one for those that do not."""

from __future__ import annotations

from collections.abc import Callable

from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.declared.platform import Platform
from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.engine import Engine, UnitsApart
from code_graph.evaluate.evaluators import Finder, Resolver
from code_graph.evaluate.source_file import SourceFile
from code_graph.language import Language, load
from code_graph.language_table import language_named
from code_graph.link.places import LinkContext, Places
from index_format.tuples import NamedTuple


class Family(NamedTuple):
    """The evaluation of languages that share values, and what visits the places of a file."""

    resolver: Resolver
    definitions: Finder
    places: Callable[[LinkContext, SourceFile], Places] = Places


def make_family(engine: Engine, language: str) -> Family | None:
    """The evaluation of a language; None for one without rules."""
    row = language_named(language)
    make: Callable[[Engine, Language], Family] | None = load(row.family) if row.family else None
    return None if make is None else make(engine, row)


def _evaluation_of(engine: Engine, name: str, platform: Platform | None) -> DeclaredEvaluation:
    language = language_named(name)
    own = engine if platform is None else UnitsApart(engine, name)
    if platform is None and language.platform:
        platform = Platform(lambda other, beside: _evaluation_of(engine, other, beside))
    rules: type[DeclaredRules] = load(language.rules)
    evaluation = rules.parts.evaluation(own, rules, name, platform)
    if platform is not None:
        platform.add(evaluation)
    return evaluation


def declared_family(engine: Engine, language: Language) -> Family:
    """The evaluation of a language that declares types, with those of its platform beside it."""
    evaluation = _evaluation_of(engine, language.name, None)
    rules = evaluation.rules
    return Family(evaluation, rules.parts.definitions(evaluation, rules))

"""The evaluators of languages: one for languages with declared types, one for the others."""

from __future__ import annotations

from collections.abc import Callable

from code_graph.declared.platform import Platform
from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.definitions import Finder
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluation import Evaluation
from code_graph.evaluate.evaluators import Resolver
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


def undeclared_family(engine: Engine, language: Language) -> Family:
    """The evaluation of a language that declares few types."""
    evaluation: Evaluation = load(language.rules)(engine)
    return Family(evaluation, evaluation.parts.definitions(evaluation))


def declared_family(engine: Engine, language: Language) -> Family:
    """The evaluation of a language that declares types, with those of its platform beside it."""
    rules: type[DeclaredRules] = load(language.rules)
    platform = Platform(engine) if language.platform else None
    evaluation = rules.parts.evaluation(engine, rules, language.name, platform)
    if platform is not None:
        platform.add(evaluation)
    return Family(evaluation, rules.parts.definitions(evaluation, evaluation.rules))

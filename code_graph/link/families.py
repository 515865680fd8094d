"""The evaluation of the languages: one for those that declare types, one for those that do not."""

from __future__ import annotations

from collections.abc import Callable

from code_graph.declared.definitions import DeclaredDefinitions
from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.language import Language, load
from code_graph.language_table import language_named
from code_graph.link.evaluators import Finder, Resolver
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


def declared_family(engine: Engine, language: Language) -> Family:
    """The evaluation of a language that declares types."""
    evaluation = DeclaredEvaluation(engine, load(language.rules))
    finder: DeclaredDefinitions = (
        load(language.definitions)(evaluation)
        if language.definitions
        else DeclaredDefinitions(evaluation)
    )
    return Family(evaluation, finder)

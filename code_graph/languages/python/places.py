"""The evaluation of Python, and what makes the edges of its files."""

from __future__ import annotations

from code_graph.evaluate.definitions import Definitions
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluation import Evaluation
from code_graph.language import Language, load
from code_graph.link.families import Family
from code_graph.link.places import Places


def family(engine: Engine, language: Language) -> Family:
    """The evaluation of Python."""
    evaluation = Evaluation(engine, load(language.rules))
    return Family(evaluation, Definitions(evaluation), Places)

"""A part of the evaluation of a language, such as its names, members or calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.declared.rules import DeclaredRules


class EvaluationPart:
    """A part of an evaluation, with the rules of its language; `Parts` lists them."""

    def __init__(self, evaluation: DeclaredEvaluation, rules: DeclaredRules) -> None:
        self._evaluation = evaluation
        self._rules = rules

"""The edges of a Python file, and what makes them for each place."""

from __future__ import annotations

from code_graph.evaluate.definitions import Definitions
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluation import Evaluation
from code_graph.evaluate.values import ClassValue
from code_graph.language import Language, load
from code_graph.link.families import Family
from code_graph.link.places import Places, names_in
from code_graph.model import EdgeType


class PythonPlaces(Places):
    """The edges of one Python file."""

    def _accepted(self, number: int, scope: int) -> None:
        """The classes of a function's parameters, where these are named and no alias of them."""
        file = self._file
        for row in file.parameters.get(scope, ()):
            for part in names_in(file, row.annotation):
                meant = {found[:2] for found in self._definitions.of(file, part)}
                for value, strategy in self._evaluation.evaluate(file, part).items():
                    if not isinstance(value, ClassValue):
                        continue
                    for found in self._definitions.of_value(value, strategy):
                        if found[:2] in meant:
                            self._add(number, found, EdgeType.ACCEPTS, file.place(part))


def family(engine: Engine, language: Language) -> Family:
    """The evaluation of Python."""
    evaluation = Evaluation(engine, load(language.rules))
    return Family(evaluation, Definitions(evaluation), PythonPlaces)

"""The evaluation of Python, and what makes the edges of its files."""

from __future__ import annotations

from code_graph.evaluate.classes import Classes
from code_graph.evaluate.definitions import Definitions
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluation import Evaluation
from code_graph.evaluate.values import (
    Ancestor,
    ClassValue,
    Instance,
    ModuleValue,
    Result,
    SuperValue,
    merge,
)
from code_graph.language import Language, load
from code_graph.languages.python.rules.language import PythonLanguage
from code_graph.link.families import Family
from code_graph.link.places import Places
from code_graph.model import Strategy


class PythonClasses(Classes):
    """Members of classes, with those of models and of their managers."""

    _evaluation: PythonEvaluation

    def _outside(self, base: Ancestor, owner: Instance | ClassValue | None, name: str) -> Result:
        """A member of an external base, which may depend on the class that inherits it."""
        found = self._evaluation.language.inherited(owner, base.external, name)
        return found or super()._outside(base, owner, name)

    def _described(self, value: Instance, owner: Instance | ClassValue) -> Result:
        """An object that a class holds, which may put descriptors in its own place."""
        calls, language = self._evaluation.calls, self._evaluation.language
        found = calls.call_member(value, "__get__", direct=True)
        for descriptor, how in () if found else language.placed.of(value).items():
            if isinstance(descriptor, Instance):
                merge(found, calls.call_member(descriptor, "__get__"), how)
        return found or {language.held_by(value, owner): Strategy.SCOPE}


class PythonEvaluation(Evaluation):
    """Evaluates the expressions of Python."""

    language: PythonLanguage

    def __init__(self, engine: Engine, language: type[PythonLanguage]) -> None:
        super().__init__(engine, language)
        self.classes = PythonClasses(self)
        self._members[ClassValue] = self.classes.member_of_class
        self._members[Instance] = self.classes.member_of_instance
        self._members[SuperValue] = self.classes.member_of_super

    def module_member(self, module: ModuleValue, name: str) -> Result:
        """A name of a module, or a module inside of it."""
        found = super().module_member(module, name)
        return found or self.language.submodule(module.path, name)


def family(engine: Engine, language: Language) -> Family:
    """The evaluation of Python."""
    evaluation = PythonEvaluation(engine, load(language.rules))
    return Family(evaluation, Definitions(evaluation), Places)

"""Which evaluation and which rules the files of each language have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from code_graph.evaluate.definitions import Definition, Definitions
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluation import Evaluation
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, External, Result, Value
from code_graph.expressions import Binding
from code_graph.model import Strategy
from code_graph.rules.c.language import CRules
from code_graph.rules.cpp.language import CppRules
from code_graph.rules.csharp.language import CSharpRules
from code_graph.rules.declared.definitions import DeclaredDefinitions
from code_graph.rules.declared.evaluation import DeclaredEvaluation
from code_graph.rules.go.interfaces import GoDefinitions
from code_graph.rules.go.language import GoRules
from code_graph.rules.java.language import JavaRules
from code_graph.rules.python.language import PythonLanguage
from code_graph.rules.rust.language import RustRules
from code_graph.rules.swift.language import SwiftRules


class Resolver(Protocol):
    """What evaluates the expressions of a language."""

    # whether what nothing else resolves is followed through parameters and containers
    follows: bool
    # whether a decorator is called where it stands
    calls_decorators: bool
    # whether making an object calls its class
    constructs: bool

    def file(self, path: str) -> SourceFile | None:
        """A file of the tree."""
        ...

    def evaluate(self, file: SourceFile, number: int) -> Result:
        """The possible values of an expression."""
        ...

    def callees(self, file: SourceFile, number: int) -> Result:
        """What a call calls."""
        ...

    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """What is called if values are."""
        ...

    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The constructors that a call of a class runs, as far as the class declares them."""
        ...

    def imported(self, file: SourceFile, number: int) -> Result:
        """What an import names."""
        ...


class Finder(Protocol):
    """What finds declarations in a language."""

    def of(self, file: SourceFile, number: int) -> list[Definition]:
        """What a name or member refers to."""
        ...

    def of_import(self, file: SourceFile, binding: Binding) -> list[Definition]:
        """What an imported name refers to."""
        ...

    def of_value(self, value: Value, strategy: Strategy) -> Iterator[Definition]:
        """The declaration of a value."""
        ...

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The members of bases that a member replaces."""
        ...

    def implemented(self, file: SourceFile, number: int) -> Sequence[Definition | External]:
        """The interfaces that a type implements without saying so."""
        ...


class Family(NamedTuple):
    """The evaluation of languages that share values."""

    resolver: Resolver
    definitions: Finder


def make_family(engine: Engine, language: str) -> Family | None:
    """The evaluation of a language; None for one without rules."""
    if language == "python":
        python = Evaluation(engine, PythonLanguage)
        return Family(python, Definitions(python))
    rules = _DECLARED.get(language)
    if rules is None:
        return None
    evaluation = DeclaredEvaluation(engine, rules)
    finder = DeclaredDefinitions(evaluation)
    if isinstance(evaluation.rules, GoRules):
        finder = GoDefinitions(evaluation, evaluation.rules)
    return Family(evaluation, finder)


_DECLARED: Final = {
    "csharp": CSharpRules,
    "java": JavaRules,
    "go": GoRules,
    "c": CRules,
    "rust": RustRules,
    "swift": SwiftRules,
    "cpp": CppRules,
}

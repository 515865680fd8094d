"""The rules of TypeScript and JavaScript for the linker, and where their imports lead."""

from __future__ import annotations

from typing import Final

from repo_mcp.graph.evaluate.engine import Engine
from repo_mcp.graph.evaluate.lookups import question_of
from repo_mcp.graph.evaluate.parts import Parts
from repo_mcp.graph.evaluate.source_file import SourceFile
from repo_mcp.graph.evaluate.values import (
    External,
    ExternalInstance,
    Instance,
    ModuleValue,
    Result,
    TupleValue,
    Value,
    Values,
)
from repo_mcp.graph.model import Strategy
from repo_mcp.graph.projects.model import Outcome
from repo_mcp.graph.projects.tree import Probe
from repo_mcp.graph.rules.ecmascript import external_calls, library
from repo_mcp.graph.rules.ecmascript.parts import EcmaScriptParts
from repo_mcp.languages.code import Argument, ScopeKind

LANGUAGES: Final = frozenset({"typescript", "tsx", "javascript"})


class EcmaScriptLanguage:
    """Imports, globals and external values."""

    def __init__(self, evaluation: Parts) -> None:
        self._all = evaluation

    @property
    def _ecma(self) -> EcmaScriptParts:
        return self._all  # type: ignore[return-value]

    def imported(self, file: SourceFile, number: int) -> Result:
        """What an import leads to."""
        return self._ecma.names.followed(file, number)

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The module that an import names."""
        return self._ecma.modules.find(file.facts.imports[number].module, file.path)

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """A global object or function."""
        del file
        return {External(name): Strategy.SCOPE}

    def skips(self, file: SourceFile, scope: int, start: int) -> bool:
        """Members of a class are no names in it."""
        del start
        return file.kind(scope) == ScopeKind.CLASS

    def receiver(self, file: SourceFile, function: int) -> Result:
        """No parameter is a receiver."""
        del file, function
        return {}

    def submodule(self, path: str, name: str) -> Result:
        """No module is inside of another."""
        del path, name
        return {}

    def instances(self, value: Value) -> Values:
        """The objects of a class."""
        return tuple(self._ecma.names.as_instance({value: Strategy.SCOPE}))

    def call_external(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """What a call of something external gives."""
        del number
        return external_calls.Call(self._ecma, file, arguments, External(name)).result()

    def member_of_external(self, value: Value, name: str) -> Result:
        """A member of something external."""
        if isinstance(value, ExternalInstance | TupleValue):
            return library.member(value, name)
        return (
            {External(f"{value.name}.{name}"): Strategy.FLOW} if isinstance(value, External) else {}
        )

    def decorated(self, name: str, value: Value) -> Result | None:
        """Decorators are not followed."""
        del name, value
        return None

    def element(self, value: Value) -> Values:
        """What an iteration over an external value gives."""
        return library.element(value)

    def item(self, value: Value, key: str) -> Values:
        """What a key of an external value gives."""
        del key
        return tuple(self._ecma.classes.values_of(value))

    def keyed_member(self, value: Instance, key: str) -> Result:  # noqa: ARG002 the protocol's
        """Nothing: what a key gives is evaluated with the object."""
        return {}

    def function_kinds(self, file: SourceFile, declaration: int) -> frozenset[str]:
        """Whether a function is static or an accessor."""
        item = file.declarations[declaration]
        return frozenset({"static"} if "static" in item.modifiers else ())

    def type_parameters(self, file: SourceFile, scope: int) -> list[str]:
        """The names of type parameters."""
        return [item.name for item in self._ecma.types.variables_of_scope(file, scope)]

    def callback_arguments(self, value: Value, file: SourceFile, number: int) -> tuple[Values, ...]:
        """What an external function passes to a function that a call gives to it."""
        if isinstance(value, External):
            items = file.expressions[number].items
            return external_calls.Call(self._ecma, file, items, value).callback()
        return ()

    def operator_method(self, name: str) -> str:
        """Operators call no methods."""
        return name


class Modules:
    """The modules that specifiers mean, seen from their files."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._modules = engine.files.finders.ecmascript
        self._tree = engine.files.finders.projects.tree
        self._known: dict[tuple[str, str], tuple[Result, tuple[tuple[str, int], ...]]] = {}

    def find(self, specifier: str, path: str) -> Result:
        """The module of a specifier in a file: a file of the tree, or an external one."""
        folder = path.rpartition("/")[0]
        known = self._known.get((specifier, folder))
        if known is None:
            notes: list[str] = []
            found = self._found(specifier, path, Probe(self._tree, notes.append))
            questions = tuple(question_of(note) for note in dict.fromkeys(notes))
            known = self._known[specifier, folder] = found, questions
        for asked, key in known[1]:
            self._engine.ask(asked, key)
        return known[0]

    def _found(self, specifier: str, path: str, probe: Probe) -> Result:
        found = self._modules.find(specifier, path, probe)
        if found.outcome == Outcome.FILE and found.path in self._engine.files.paths:
            return {ModuleValue(found.path): Strategy.IMPORT}
        if found.outcome == Outcome.EXTERNAL:
            return {External(specifier.removeprefix("node:")): Strategy.IMPORT}
        return {}

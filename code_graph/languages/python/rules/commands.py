"""Commands that code runs by their names: those of a group of click, and of Django's management.

`runner.invoke(cli, ["rows", path])` runs the function that `@cli.command()` makes the command
`rows`; `call_command("clear")` the method `handle` of the module `management/commands/clear.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.contracts.keys import FILES
from code_graph.evaluate.dependencies import language_key, names_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, FunctionValue, Instance, Result, merge
from code_graph.expressions import NONE, Expression, Op
from code_graph.languages.python.rules.parameter_sets import texts_of
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

# members of a runner, or of a group itself, that take a group and the words of a command line
_INVOKING: Final = frozenset({"invoke", "main"})
_GROUPING: Final = frozenset({"command", "group"})
_ADDING: Final = "add_command"
_MANAGING: Final = "call_command"
_FOLDER: Final = "management/commands/"
_COMMAND: Final = "Command"
_RUN: Final = ("add_arguments", "handle")
# endings of functions' names that click leaves out of the names of commands
_ENDINGS: Final = ("_command", "_cmd", "_group", "_grp")
_LISTS: Final = frozenset({Op.LIST, Op.TUPLE})
_WORDS: Final = "args"
# of a group: the command that is run where no word names one
_DEFAULT: Final = "default"
_MOST_WORDS: Final = 12


class NamedCommands:
    """Finds the functions that a call runs by the names of commands."""

    def __init__(self, evaluation: PythonEvaluation) -> None:
        """Nothing is looked for yet."""
        self._evaluation = evaluation

    def of(self, file: SourceFile, number: int) -> Result:
        """The functions that a call runs, by the texts that it is given."""
        item = file.expressions[number]
        name = file.last_name(item.of) if item.of != NONE else ""
        if name == _MANAGING:
            return self._managed(file, item)
        if name in _INVOKING:
            return self._invoked(file, item)
        return {}

    def _invoked(self, file: SourceFile, item: Expression) -> Result:
        plain = [part.value for part in item.items if not part.name]
        named = [part.value for part in item.items if part.name == _WORDS]
        if not plain or not (named or plain[1:]):
            return {}
        reached = self._evaluation.evaluate(file, plain[0])
        found: Result = {}
        for texts in self._words(file, [*named, *plain[1:]][0]):
            step: Result = {}
            for group in reached:
                if isinstance(group, FunctionValue):
                    for word in texts:
                        merge(step, self._command(group, word), Strategy.FRAMEWORK)
            if not step:
                break
            merge(found, step)
            reached = step
        return found or self._defaults(reached)

    def _words(self, file: SourceFile, number: int) -> list[list[str]]:
        """The words that a command line begins with, without options; what varies ends them.

        Each is one of some texts, where all that it may be is written beside it.
        """
        item = file.expressions[number] if number != NONE else None
        if item is None:
            return []
        if item.op == Op.OPERATOR and item.name == "Add" and item.items:
            return self._words(file, item.items[0].value)
        if item.op == Op.NAME:
            value = self._only_value(file, number)
            return self._words(file, value) if value != NONE else []
        if item.op == Op.TEXT:  # one word: of texts with blanks no more is known
            return [[item.name]]
        found: list[list[str]] = []
        for part in item.items if item.op in _LISTS else ():
            texts = [] if part.name else texts_of(self._evaluation, file, part.value)
            if not texts:
                break
            if not texts[0].startswith("-"):
                found.append(texts)
        return found[:_MOST_WORDS]

    def _only_value(self, file: SourceFile, number: int) -> int:
        """The list that a name is bound to first, before anything is added to it."""
        value = self._evaluation.names.sole_value(file, number)
        return value if value != NONE and file.expressions[value].op in _LISTS else NONE

    def _defaults(self, groups: Result) -> Result:
        """The commands that groups run where no word names one: `default="query"` says which."""
        found: Result = {}
        for group in groups:
            file = self._evaluation.file(group.path) if isinstance(group, FunctionValue) else None
            if file is None or not isinstance(group, FunctionValue):
                continue
            declaration = file.code.scopes[group.scope].declaration
            for clause in file.clauses.get(declaration, ()) if declaration != NONE else ():
                item = file.expressions[clause.value] if clause.value != NONE else None
                for part in item.items if item is not None and item.op == Op.CALL else ():
                    if part.name == _DEFAULT and part.value != NONE:
                        word = file.expressions[part.value].name
                        merge(found, self._command(group, word), Strategy.FRAMEWORK)
        return found

    def _command(self, group: FunctionValue, word: str) -> Result:
        """The command of a group that a word names."""
        found: Result = {}
        key = ("commands", group.path, group.scope)
        for value in self._evaluation.engine.unit(key, lambda: self._commands(group)):
            if isinstance(value, FunctionValue) and word in self._names(value):
                found[value] = Strategy.FRAMEWORK
        return found

    def _commands(self, group: FunctionValue) -> Result:
        """The functions that the file of a group makes its commands."""
        file = self._evaluation.file(group.path)
        found: Result = {}
        if file is None:
            return found
        engine = self._evaluation.engine
        engine.depend_on(file.path, names_key(file.path))
        for scope in file.scope_of_declaration.values():  # any may become one
            if file.parent(scope) != NONE and file.function_around(file.parent(scope)) == 0:
                self._evaluation.calls.depend_on_head(file, scope)
        for clause in file.decorators:
            item = file.expressions[clause.value]
            number = item.of if item.op == Op.CALL else clause.value
            scope = file.scope_of_declaration.get(clause.declaration, NONE)
            if scope != NONE and self._is_member(file, number, _GROUPING, group):
                found[FunctionValue(file.path, scope)] = Strategy.FRAMEWORK
        for number in file.calls.get(_ADDING, ()):
            item = file.expressions[number]
            if item.items and self._is_member(file, item.of, frozenset({_ADDING}), group):
                for value in self._evaluation.evaluate(file, item.items[0].value):
                    if isinstance(value, FunctionValue):
                        found[value] = Strategy.FRAMEWORK
        return found

    def _is_member(
        self, file: SourceFile, number: int, names: frozenset[str], group: FunctionValue
    ) -> bool:
        """True for one of some members of a group."""
        named = file.expressions[number] if number != NONE else None
        if named is None or named.op != Op.MEMBER or named.name not in names:
            return False
        return any(
            isinstance(value, FunctionValue) and value[:2] == group[:2]
            for value in self._evaluation.evaluate(file, named.of)
        )

    def _names(self, command: FunctionValue) -> Iterator[str]:
        """The names that a command may have: as its decorator says, or by its function."""
        file = self._evaluation.file(command.path)
        declaration = NONE if file is None else file.code.scopes[command.scope].declaration
        if file is None or declaration == NONE:
            return
        for clause in file.clauses.get(declaration, ()):
            item = file.expressions[clause.value] if clause.value != NONE else None
            if item is None or item.op != Op.CALL or file.last_name(item.of) not in _GROUPING:
                continue
            for part in item.items[:1]:
                given = file.expressions[part.value] if part.value != NONE else None
                if given is not None and given.op == Op.TEXT and part.name in {"", "name"}:
                    yield given.name
                    return
        name = file.declarations[declaration].name
        yield name.replace("_", "-")
        for ending in _ENDINGS:
            if name.endswith(ending):
                yield name.removesuffix(ending).replace("_", "-")

    def _managed(self, file: SourceFile, item: Expression) -> Result:
        """The methods of the command of Django that a text names, or of an object that is one."""
        number = item.items[0].value if item.items and not item.items[0].name else NONE
        if number == NONE:
            return {}
        made: Result = {}
        texts = texts_of(self._evaluation, file, number)
        for path in (path for text in texts for path in self._modules(text)):
            other = self._evaluation.file(path)
            if other is not None:
                merge(made, self._evaluation.names.exported(other, _COMMAND))
        if not texts:
            made = self._evaluation.evaluate(file, number)
        found: Result = {}
        for value in made:
            if isinstance(value, ClassValue | Instance):
                for name in _RUN:
                    members = self._evaluation.classes.member_of_instance(
                        Instance(value.path, value.scope), name
                    )
                    merge(found, members, Strategy.FRAMEWORK)
        return found

    def _modules(self, name: str) -> list[str]:
        engine = self._evaluation.engine
        engine.depend_on("", language_key(FILES, name))
        end = f"{_FOLDER}{name}.py"
        return [
            path for path in engine.files.by_stem.get(name, ()) if f"/{path}".endswith(f"/{end}")
        ]

"""Types of C# as they are written: what surely fits no argument, before any type is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.declared.declared_names import last_of
from code_graph.declared.overloads import MatchedArgument, OverloadArgument
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, FunctionValue, Instance, Value
from code_graph.expressions import NONE, BindingKind, Op
from code_graph.identity import split_parameters
from code_graph.languages.csharp.rules import library as known
from code_graph.languages.csharp.rules.lambdas import Lambdas
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_FUNCTIONS: Final = frozenset({known.FUNC, known.ACTION})
_BY_REFERENCE: Final = frozenset({"ref", "out"})
_SIMPLE: Final = frozenset({Op.NAME, Op.MEMBER})


class ArgumentForm(NamedTuple):
    """An argument as it is written: a function, a literal, a reference or an expression."""

    name: str
    # empty where there is none
    kind: str = ""
    # the number of parameters of a function; NONE if it may take any
    takes: int = NONE
    literal: str = ""


class WrittenTypes:
    """Compares arguments with the text of parameters."""

    def __init__(self, evaluation: DeclaredEvaluation, lambdas: Lambdas) -> None:
        self._evaluation = evaluation
        self._lambdas = lambdas

    def form(self, argument: OverloadArgument) -> ArgumentForm:
        """The form of an argument of a call."""
        item, name = argument.item, argument.name
        if item is None:
            return ArgumentForm(name)
        if argument.is_function:
            takes_any = self._lambdas.body(argument.file, argument.number).takes_any
            return ArgumentForm(name, "function", NONE if takes_any else len(argument.parameters))
        if item.op == Op.OPERATOR and item.name in _BY_REFERENCE:
            return ArgumentForm(name, "reference")
        if item.op not in {Op.LITERAL, Op.TEXT} or item.name == "none":
            return ArgumentForm(name, "expression")
        kind = "str" if item.op == Op.TEXT else item.name
        return ArgumentForm(name, "literal", literal=known.LIBRARY.literals.get(kind, kind))

    def may_fit(
        self,
        value: FunctionValue,
        matches: Iterable[MatchedArgument],
        arguments: Sequence[ArgumentForm],
    ) -> bool:
        """False if an argument surely does not fit its parameter."""
        owner = self._evaluation.file(value.path)
        if owner is None:
            return False
        declaration = owner.code.scopes[value.scope].declaration
        by_reference = passed_by_reference(owner, declaration)
        rows = owner.parameters.get(value.scope, [])
        if self._evaluation.calls.is_called_as_extension(value) and not self._may_extend(
            owner, declaration, rows[0].annotation, value.receiver
        ):
            return False
        for parameter, position in matches:
            argument = arguments[position]
            if not argument.kind:
                continue
            if (argument.kind == "reference") != (parameter.name in by_reference):
                return False
            annotation = parameter.annotation
            is_single = parameter.kind != BindingKind.VARIADIC and annotation != NONE
            if is_single and _is_out(argument, owner, annotation):
                return False
        return True

    def _may_extend(
        self, owner: SourceFile, declaration: int, annotation: int, receiver: Value | None
    ) -> bool:
        """False if the class of an object has no base of the name that an extension is for."""
        if not isinstance(receiver, Instance) or annotation == NONE:
            return True
        name = last_of(owner, annotation)
        table = self._evaluation.types.table(owner)
        is_open = not name or name in known.TYPES["tops"] or name in table.bounds(declaration)
        if is_open or (0, name) in owner.bindings:
            return True
        for item in self._evaluation.classes.ancestors(receiver.path, receiver.scope):
            if item.external:
                base = item.external.rpartition(".")[2]
                if base == name or (base, name) in known.CONVERSIONS or base not in known.ALONE:
                    return True
            elif self._evaluation.name_of(ClassValue(item.path, item.scope)) == name:
                return True
        return False


def _is_out(argument: ArgumentForm, owner: SourceFile, annotation: int) -> bool:
    """True if an anonymous function or a literal is not of a written type."""
    declared = owner.expressions[annotation]
    count = _arity(owner, annotation)
    word = declared.name if declared.op == Op.NAME and not declared.line else ""
    if argument.kind == "function":
        return bool(word) or (count != NONE and argument.takes not in {NONE, count})
    if argument.kind != "literal":
        return False
    if count != NONE:
        return True
    kind = argument.literal
    is_constant = kind == "int" and word in known.OF_CONSTANTS
    fits = word in {"", "object", kind} or word in known.NUMBERS.get(kind, ())
    return not fits and not is_constant


def passed_by_reference(file: SourceFile, declaration: int) -> frozenset[str]:
    """The names of the parameters of a declaration that are passed by reference."""
    return file.cached("modes of parameters", _modes).get(declaration, frozenset())


def may_be_null(file: SourceFile, declaration: int) -> frozenset[str]:
    """The names of the parameters of a declaration whose written types may be null."""
    return file.cached("nullable parameters", _nullable).get(declaration, frozenset())


def _arity(file: SourceFile, number: int) -> int:
    """The number of parameters that a written type of functions takes, or NONE for other types."""
    item = file.expressions[number]
    if item.op == Op.APPLY and item.of != NONE:
        of = file.expressions[item.of]
        if of.op in _SIMPLE and of.name in known.TYPES["transparent"] and len(item.items) == 1:
            return _arity(file, item.items[0].value) if item.items[0].value != NONE else NONE
        if of.op in _SIMPLE and of.name in _FUNCTIONS:
            return len(item.items) - (of.name == known.FUNC)
    return 0 if item.op in _SIMPLE and item.name == known.ACTION else NONE


def _modes(file: SourceFile) -> dict[int, frozenset[str]]:
    """The names of the parameters of each declaration that are passed by reference."""
    found: dict[int, frozenset[str]] = {}
    for number, item in enumerate(file.declarations):
        if "ref " in item.parameters or "out " in item.parameters:
            names = set()
            for text in split_parameters(item.parameters):
                words = text.partition("=")[0].split()
                if _BY_REFERENCE.intersection(words[:-1]):
                    names.add(words[-1].removeprefix("@"))
            found[number] = frozenset(names)
    return found


def _nullable(file: SourceFile) -> dict[int, frozenset[str]]:
    found: dict[int, frozenset[str]] = {}
    for number, item in enumerate(file.declarations):
        if "?" in item.parameters:
            texts = (text.partition("=")[0] for text in split_parameters(item.parameters))
            rows = [text.split() for text in texts]
            found[number] = frozenset(
                row[-1].removeprefix("@") for row in rows if row[1:] and row[-2].endswith("?")
            )
    return found

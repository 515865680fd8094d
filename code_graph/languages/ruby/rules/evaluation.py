"""The evaluation of Ruby: constants, `self`, blocks and what methods give to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from posixpath import dirname, join, normpath
from typing import ClassVar, Final

from code_graph.evaluate.calls import Calls
from code_graph.evaluate.dependencies import path_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluation import Evaluation, LanguageParts
from code_graph.evaluate.rules import LanguageRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    FunctionValue,
    Instance,
    ModuleValue,
    Result,
    TupleValue,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import (
    NONE,
    Argument,
    Binding,
    BindingKind,
    Expression,
    Op,
    ResultKind,
)
from code_graph.languages.ruby.rules.definitions import RubyDefinitions
from code_graph.languages.ruby.rules.library import CORE
from code_graph.languages.ruby.rules.types import LANGUAGE, NEW, RubyClasses, external, table_of
from code_graph.model import Strategy

_LITERALS: Final = {
    "str": "String",
    "int": "Integer",
    "float": "Float",
    "list": "Array",
    "tuple": "Array",
    "strings": "Array",
    "symbols": "Array",
    "dict": "Hash",
    "regex": "Regexp",
    "symbol": "Symbol",
    "object": "Object",
}
_MAIN: Final = ExternalInstance("main")
# classes that may be meant by what is asked of a name
_MOST_CLASSES: Final = 12
_ATTRIBUTE: Final = ExternalInstance("")
_CONSTRUCTOR: Final = "initialize"
# methods of arrays whose block gets the elements, that give one, that give others of the same kind
_GIVING: Final = frozenset(
    """
    each map select reject find detect each_with_index each_with_object any? all? none? sort_by
    min_by max_by group_by partition flat_map collect filter filter_map sum count take_while
    drop_while find_index reverse_each each_slice delete_if keep_if each_entry inject reduce tap
    then find_all uniq index
    """.split()  # noqa: SIM905 a list of words reads better
)
_ONE: Final = frozenset(
    "first last find detect pop shift sample min max min_by max_by delete_at fetch".split()  # noqa: SIM905 as above
)
_SAME: Final = frozenset(
    """
    select reject sort sort_by uniq compact reverse dup to_a filter find_all each flatten take drop
    shuffle freeze rotate
    """.split()  # noqa: SIM905 as above
)
_OWN: Final = frozenset({"dup", "clone", "freeze", "itself", "tap", "then"})


class RubyCalls(Calls):
    """Results of methods, and values that they give to their blocks."""

    _evaluation: RubyEvaluation

    def _call_one(
        self, file: SourceFile, number: int, value: Value, items: Sequence[Argument]
    ) -> Result:
        if isinstance(value, ClassValue):
            is_made = file.last_name(file.expressions[number].of) == NEW
            return self.construct_plain(value) if is_made else {value: Strategy.FLOW}
        if isinstance(value, FunctionValue | External):
            return super()._call_one(file, number, value, items)
        return {value: Strategy.FLOW}  # of an attribute

    def parameter(self, file: SourceFile, binding: Binding) -> Result:
        """A parameter; without other evidence, by the members that are used on it."""
        found = super().parameter(file, binding)
        if found or binding.kind != BindingKind.PARAMETER:
            return found
        key = ("asked", file.path, binding.scope, binding.name)
        return self._evaluation.engine.unit(key, lambda: self._evaluation.having(file, binding))

    def _callback_parameter(
        self, file: SourceFile, number: int, value: FunctionValue, at: int
    ) -> Result:
        """The value that a method gives to a parameter of its block."""
        del file, number
        owner = self._evaluation.file(value.path)
        found: Result = {}
        for item in () if owner is None else owner.results.get(value.scope, ()):
            if owner is not None and item.kind == ResultKind.YIELD:
                for given in self._evaluation.evaluate(owner, item.value):
                    if isinstance(given, TupleValue):
                        values: Values = given.parts[at] if at < len(given.parts) else ()
                        merge(found, with_strategy(values, Strategy.GENERIC))
                    elif not at:
                        merge(found, {given: Strategy.GENERIC})
        return found


class RubyLanguage(LanguageRules):
    """The rules of Ruby."""

    literals = _LITERALS
    containers = frozenset({"Array", "Hash"})
    adding: ClassVar[dict[str, int]] = {
        **dict.fromkeys(("append", "add", "push"), 0),
        **dict.fromkeys(("insert", "store"), 1),
    }
    extending = frozenset({"update"})

    def __init__(self, evaluation: RubyEvaluation) -> None:
        self._evaluation = evaluation

    def imported(self, file: SourceFile, number: int) -> Result:
        """The file that is required."""
        module = file.facts.imports[number].module
        names = [module] if module.endswith(".rb") else [f"{module}.rb"]
        folder = dirname(file.path)
        places = [join(folder, names[0])] if module.startswith(".") else []
        while not places or (folder and not module.startswith(".")):
            places += [join(folder, "lib", names[0]), join(folder, names[0])]
            if not folder:
                break
            folder = dirname(folder)
        if folder != "" or not module.startswith("."):
            places += [join("lib", names[0]), names[0]]
        for place in dict.fromkeys(map(normpath, places)):
            self._evaluation.engine.depend_on(place, path_key(place))
            if place in self._evaluation.engine.files.paths:
                return {ModuleValue(place): Strategy.IMPORT}
        return {}

    def receiver(self, file: SourceFile, function: int) -> Result:
        """`self`, the first parameter of each method."""
        around = file.class_of(function)
        if around == NONE:
            return {}
        owner = self._evaluation.whole(file.path, around)
        declaration = file.code.scopes[function].declaration
        if declaration != NONE and "static" in file.declarations[declaration].modifiers:
            return {owner: Strategy.RECEIVER}
        return {Instance(owner.path, owner.scope): Strategy.RECEIVER}

    def member_of_external(self, value: Value, name: str) -> Result:
        """A method of an array or of something else that no file declares."""
        if value == _MAIN:
            return self._evaluation.top_level(name)
        if isinstance(value, External | ExternalInstance):
            return {External(f"{value.name}.{name}"): Strategy.FLOW}
        return {}

    def has_member(self, external: str, name: str) -> bool | None:
        """Unknown: a method may be added to any class."""
        del external
        return False if name == _CONSTRUCTOR else None

    def call_external(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """An element of an array, or an array of others."""
        last = name.rpartition(".")[2]
        if last == "new":
            return {ExternalInstance(name.rpartition(".")[0]): Strategy.FLOW}
        item = file.expressions[file.expressions[number].of]
        receiver = self._evaluation.evaluate(file, item.of) if item.op == Op.MEMBER else {}
        if last in {"map", "collect", "filter_map"}:
            return {ExternalInstance("Array", (self._results(file, arguments),)): Strategy.FLOW}
        if last in _ONE:
            return self._evaluation.element(receiver)
        return dict(receiver) if last in _SAME | _OWN else {}

    def _results(self, file: SourceFile, arguments: tuple[Argument, ...]) -> Values:
        found: Result = {}
        for part in arguments:
            for value in self._evaluation.evaluate(file, part.value) if part.name == "&" else ():
                if isinstance(value, FunctionValue):
                    merge(found, self._evaluation.calls.result(value))
        return plain(found)

    def callback_arguments(self, value: Value, file: SourceFile, number: int) -> tuple[Values, ...]:
        """The elements of an array, for a block."""
        del value
        item = file.expressions[file.expressions[number].of]
        if item.op != Op.MEMBER or item.name not in _GIVING:
            return ()
        receiver = self._evaluation.evaluate(file, item.of)
        if item.name in {"tap", "then"}:
            return (plain(receiver),)
        return (plain(self._evaluation.element(receiver)),)


class RubyEvaluation(Evaluation):
    """Evaluates the expressions of Ruby."""

    parts = LanguageParts(
        RubyLanguage, classes=RubyClasses, calls=RubyCalls, definitions=RubyDefinitions
    )
    classes: RubyClasses

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._handlers[Op.THIS] = self._this

    def callees(self, file: SourceFile, number: int) -> Result:
        """The methods that are called; reading an attribute calls nothing."""
        found: Result = {}
        is_made = file.last_name(file.expressions[number].of) == NEW
        for value, how in self.evaluate(file, file.expressions[number].of).items():
            is_called = isinstance(value, FunctionValue | External) or (
                is_made and isinstance(value, ClassValue)
            )
            merge(found, {value if is_called else _ATTRIBUTE: how})
        return found

    def declaring(self, name: str) -> Iterator[SourceFile]:
        """The files that declare a class, constant or function."""
        return filter(None, map(self.file, self.engine.declaring(LANGUAGE, name)))

    def named(self, name: str) -> Result:
        """The class or the constant of a qualified name."""
        return self.engine.unit(("named", name), lambda: self._named(name))

    def _named(self, name: str) -> Result:
        found: Result = {}
        for file in self.declaring(name):
            table = table_of(file)
            for scope in table.types.get(name, ()):
                return {ClassValue(file.path, scope): Strategy.SCOPE}
            for row in table.constants.get(name, ()):
                merge(found, self.names.value_of(file, row))
        return found

    def whole(self, path: str, scope: int) -> ClassValue:
        """A class by the first of its bodies."""
        file = self.file(path)
        name = "" if file is None else table_of(file).names.get(scope, "")
        for value in self.named(name) if name else ():
            if isinstance(value, ClassValue):
                return value
        return ClassValue(path, scope)

    def constant_in(self, owner: ClassValue, name: str) -> Result:
        """A constant of a class or of its bases."""
        for item in self.classes.ancestors(owner.path, owner.scope):
            file = self.file(item.path) if item.path else None
            outer = "" if file is None else table_of(file).names.get(item.scope, "")
            found = self.named(f"{outer}::{name}") if outer else {}
            if found:
                return found
        return {}

    def qualified_constants(self, file: SourceFile, number: int, name: str) -> Iterator[str]:
        """The qualified names that a constant may have where it is used."""
        names = table_of(file).names
        for scope in file.around(file.code.scope_of[number]):
            if scope in names:
                yield f"{names[scope]}::{name}"
        yield name

    def having(self, file: SourceFile, binding: Binding) -> Result:
        """The only class whose objects have all members that are asked of a name."""
        asked = {
            name.removesuffix("=")
            for scope, name in file.cached("asked", _asked).get(binding.name, ())
            if file.is_inside(scope, binding.scope)
        }
        # in order: what is looked at is what the answer depends on
        names = sorted(asked - CORE)
        found: dict[ClassValue, None] = {}
        for name in names:
            having = dict.fromkeys(islice(self._declaring_member(name), _MOST_CLASSES + 1))
            if not having:
                return {}
            found = found if found and len(found) <= len(having) else having
        if not found or len(found) > _MOST_CLASSES:
            return {}
        rest = [item for item in found if all(self._has(item, name) for name in names)]
        # of a class and its subclasses, the class
        least = [item for item in rest if not any(self._is_below(item, other) for other in rest)]
        if len(least) != 1:
            return {}
        return {Instance(least[0].path, least[0].scope): Strategy.FLOW}

    def _declaring_member(self, name: str) -> Iterator[ClassValue]:
        for file in self.declaring(f".{name}"):
            for scope in table_of(file).members.get(name, ()):
                yield self.whole(file.path, scope)

    def _has(self, value: ClassValue, name: str) -> bool:
        return any(
            True
            for item in self.classes.ancestors(value.path, value.scope)
            if item.path
            for _ in self.classes.rows(item.path, item.scope, name, is_static=False)
        )

    def _is_below(self, value: ClassValue, other: ClassValue) -> bool:
        if value == other:
            return False
        order = self.classes.ancestors(value.path, value.scope)
        return any((item.path, item.scope) == (other.path, other.scope) for item in order)

    def top_level(self, name: str) -> Result:
        """The functions of this name outside of classes, which every object has."""
        found: Result = {}
        for file in self.declaring(f"#{name}"):
            for row in file.bindings.get((0, name), ()):
                merge(found, self.names.value_of(file, row))
        return found if len(found) == 1 else dict.fromkeys(found, Strategy.FLOW)

    def constructors(self, file: SourceFile, number: int, value: ClassValue) -> Result:
        """The `initialize` that a new object runs, of the class or of a base."""
        del file, number
        made = Instance(value.path, value.scope)
        found = self.classes.member_of_instance(made, _CONSTRUCTOR)
        return {item: how for item, how in found.items() if isinstance(item, FunctionValue)}

    def _name(self, file: SourceFile, number: int, item: Expression) -> Result:
        if not item.name[:1].isupper():
            return super()._name(file, number, item)
        for qualified in self.qualified_constants(file, number, item.name):
            found = self.named(qualified)
            if found:
                return found
        around = file.class_around(file.code.scope_of[number])
        if around != NONE and number not in _heads(file):
            found = self.constant_in(self.whole(file.path, around), item.name)
            if found:
                return found
        return external(item.name)

    def _this(self, file: SourceFile, number: int, _: Expression) -> Result:
        scope = file.class_around(file.code.scope_of[number])
        if scope == NONE:
            return {_MAIN: Strategy.SCOPE}
        return {self.whole(file.path, scope): Strategy.RECEIVER}

    def _function(self, file: SourceFile, _: int, item: Expression) -> Result:
        return {FunctionValue(file.path, item.of): Strategy.SCOPE}


def _asked(file: SourceFile) -> dict[str, list[tuple[int, str]]]:
    """The members that are asked of each name, with the scope of the name."""
    found: dict[str, list[tuple[int, str]]] = {}
    for item in file.expressions:
        of = file.expressions[item.of] if item.op == Op.MEMBER and item.of != NONE else None
        if of is not None and of.op == Op.NAME and not item.name.startswith("@"):
            found.setdefault(of.name, []).append((file.code.scope_of[item.of], item.name))
    return found


def _heads(file: SourceFile) -> frozenset[int]:
    """The expressions that name bases, of which no bases are asked."""
    return file.cached("heads", _find_heads)


def _find_heads(file: SourceFile) -> frozenset[int]:
    found: set[int] = set()
    left = [clause.value for clause in file.code.clauses]
    while left:
        number = left.pop()
        if number != NONE:
            found.add(number)
            left.append(file.expressions[number].of)
    return frozenset(found)

"""The rules of Python for the linker."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, TypeGuard

from code_graph.evaluate.dependencies import names_key
from code_graph.evaluate.rules import LanguageRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Injection,
    Instance,
    ModuleValue,
    Result,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    is_none,
    merge,
    plain,
    through,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Binding, Op, Role, ScopeKind
from code_graph.languages.python.rules import builtins as known, models
from code_graph.languages.python.rules.classes import PROPERTY
from code_graph.languages.python.rules.commands import NamedCommands
from code_graph.languages.python.rules.external_calls import ExternalCalls
from code_graph.languages.python.rules.fixtures import PytestFixtures
from code_graph.languages.python.rules.hooks import LibraryHooks
from code_graph.languages.python.rules.implied_calls import ImpliedCalls
from code_graph.languages.python.rules.imports import PythonImports
from code_graph.languages.python.rules.placed_members import PlacedMembers
from code_graph.model import FILE, Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

_UNIONS: Final = frozenset({"typing.Optional", "typing.Union"})
_WRAPPERS: Final = frozenset(
    {
        "typing.Final",
        "typing.ClassVar",
        "typing.Required",
        "typing.NotRequired",
        "typing.ReadOnly",
        "typing.Annotated",
        "typing.TypeGuard",
        "typing.Unpack",
        "dataclasses.InitVar",
    }
)
_AWAITABLE: Final = frozenset({"Awaitable", "Coroutine", "Future", "Task"})
_PAIR: Final = 2
# modules of `import *` that are looked through one by one for a name
_MANY_STARRED: Final = 8
# members of Django's classes of managers and query sets that make one of the other
_CLASSES_OF_QUERIES: Final = (".from_queryset", ".as_manager")
_OPERATORS: Final = {
    "Add": "__add__",
    "Sub": "__sub__",
    "Mult": "__mul__",
    "Div": "__truediv__",
    "FloorDiv": "__floordiv__",
    "Mod": "__mod__",
    "Pow": "__pow__",
    "LShift": "__lshift__",
    "RShift": "__rshift__",
    "BitOr": "__or__",
    "BitXor": "__xor__",
    "BitAnd": "__and__",
    "MatMult": "__matmul__",
    "USub": "__neg__",
    "UAdd": "__pos__",
    "Invert": "__invert__",
}


class PythonLanguage(LanguageRules):
    """Imports, builtins, typing and decorators of Python."""

    containers = known.CONTAINERS
    adding: ClassVar[dict[str, int]] = {
        **dict.fromkeys(("append", "add", "appendleft", "push"), 0),
        **dict.fromkeys(("insert", "setdefault"), 1),
    }
    extending = frozenset({"extend", "update"})
    value_or_stored = "setdefault"

    def __init__(self, evaluation: PythonEvaluation) -> None:
        self._evaluation = evaluation
        self._calls = ExternalCalls(evaluation)
        self._imports = PythonImports(evaluation.engine)
        self._fixtures = PytestFixtures(evaluation, self._imports)
        self._commands = NamedCommands(evaluation)
        self._hooks = LibraryHooks(evaluation)
        self.placed = PlacedMembers(evaluation)
        self.implied = ImpliedCalls(evaluation, self._hooks, self.placed)

    def literal(self, kind: str) -> str:
        """The type of a kind of literal."""
        return kind if kind == "none" else f"builtins.{kind}"

    def imported(self, file: SourceFile, number: int) -> Result:
        """The module or the name that an import binds."""
        if not 0 <= number < len(file.facts.imports):
            return {}
        item = file.facts.imports[number]
        if not item.name:
            first = item.module.partition(".")[0]
            whole = item.module if item.alias != first else first
            return self._module(file, whole)
        if item.name == "*":
            return {}
        found: Result = {}
        for module, how in self._module(file, item.module).items():
            if isinstance(module, ModuleValue):
                merge(found, self._member_of_module(file, module, item.name), through(how))
            elif isinstance(module, External):
                merge(found, {External(f"{module.name}.{item.name}"): Strategy.IMPORT})
        return found

    def _member_of_module(self, file: SourceFile, module: ModuleValue, name: str) -> Result:
        if module.path == file.path:  # `from . import x` in a package's own `__init__`
            return self.submodule(module.path, name)
        return self._evaluation.module_member(module, name)

    def _module(self, file: SourceFile, dotted: str) -> Result:
        found = self._imports.find(dotted, file.path)
        if found:
            return found
        return {} if dotted.startswith(".") else {External(dotted): Strategy.IMPORT}

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The module that an import names, of which it may bind a member."""
        item = file.facts.imports[number]
        return self._module(file, item.module)

    def injected(self, file: SourceFile, binding: Binding) -> Result:
        """The value of a fixture of pytest, or what a mark gives."""
        found = self._fixtures.value(self._fixtures.of(file, binding))
        for number in () if found else self._fixtures.given(file, binding):
            merge(found, self._evaluation.evaluate(file, number), Strategy.ARGUMENT)
        return found or self._fixtures.spread(file, binding)

    def called_inside(self, file: SourceFile, number: int) -> Result:
        """The commands that a call names, and the hooks of its object."""
        return self._commands.of(file, number) or self._hooks.of(file, number)

    def called_for(self, file: SourceFile, declaration: int) -> Iterator[Injection]:
        """The fixtures of a test or of another fixture, and those of all tests of a file."""
        if declaration == FILE:
            yield Injection((1, 0), self._fixtures.automatic(file))
            return
        item = file.declarations[declaration]
        yield Injection((item.name_line, item.name_column), self._fixtures.used(file, declaration))
        scope = file.scope_of_declaration.get(declaration, NONE)
        for binding in file.parameters.get(scope, ()):
            yield Injection((binding.line, binding.column), self._fixtures.of(file, binding))

    def submodule(self, path: str, name: str) -> Result:
        """A module inside of a package or folder."""
        is_folder = not path.endswith((".py", ".pyi", ".pyw"))
        return self._imports.inside(path, name, is_folder=is_folder)

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """A name from `import *`, or a builtin."""
        found = self._starred(file, name)
        if not found and name in known.NAMES:
            found = {External(f"builtins.{name}"): Strategy.SCOPE}
        return found

    def _starred(self, file: SourceFile, name: str) -> Result:
        """A name that the last `import *` which has it binds."""
        found: Result = {}
        for module, strategy in self.star_modules(file, name).items():
            other = self._evaluation.file(module.path) if isinstance(module, ModuleValue) else None
            if other is not None:
                merge(found, self._evaluation.names.exported(other, name), strategy)
        return found

    def star_modules(self, file: SourceFile, name: str) -> Result:
        """The modules that bind a name which a file has by `import *`, perhaps of others.

        These are several where each is imported under a condition.
        """
        if not file.cached("starred", _starred_modules):
            return {}
        key = ("starred", file.path, name)
        return self._evaluation.engine.unit(key, lambda: self._find_starred(file, name))

    def _find_starred(self, file: SourceFile, name: str) -> Result:
        found: Result = {}
        sure = file.cached("sure stars", _sure_stars)
        for module, dotted in self._starred_modules(file, name):
            merge(found, self._offering(module, name))
            if found and dotted in sure:
                break
        if len(found) > 1:
            return dict.fromkeys(found, Strategy.FLOW)
        return found

    def _starred_modules(self, file: SourceFile, name: str) -> Iterator[tuple[ModuleValue, str]]:
        """The modules of `import *` that may have a name, and their names, the last one first."""
        names = file.cached("starred", _starred_modules)
        if len(names) > _MANY_STARRED:
            key = ("starred modules", file.path)
            modules = self._evaluation.engine.unit(key, lambda: self._find_modules(file, names))
            index = file.cached("starred names", lambda _: self._index_names(modules))
            places = {**index.get(name, {}), **index.get("*", {})}
            yield from ((module, names[0]) for module in sorted(places, key=places.__getitem__))
            return
        for dotted in names:
            for module in self._module(file, dotted):
                if isinstance(module, ModuleValue) and module.path != file.path:
                    yield module, dotted

    def _find_modules(self, file: SourceFile, names: Sequence[str]) -> Result:
        """The modules of many `import *`, and the question which names each has."""
        found: Result = {}
        for dotted in names:
            for module in self._module(file, dotted):
                if isinstance(module, ModuleValue) and module.path != file.path:
                    self._evaluation.engine.depend_on(module.path, names_key(module.path))
                    found[module] = Strategy.IMPORT
        return found

    def _index_names(self, modules: Result) -> dict[str, dict[ModuleValue, int]]:
        """The modules that bind each name, with their places; by "*", those with `import *`."""
        found: dict[str, dict[ModuleValue, int]] = {}
        for place, module in enumerate(modules):
            other = self._evaluation.file(module.path) if isinstance(module, ModuleValue) else None
            if other is None or not isinstance(module, ModuleValue) or module.is_folder:
                continue
            starred = other.cached("starred", _starred_modules)
            for name in (*other.names_in.get(0, ()), *(["*"] if starred else ())):
                found.setdefault(name, {})[module] = place
        return found

    def _offering(self, module: ModuleValue, name: str) -> Result:
        """The modules that bind a name, if this one offers it to `import *`."""
        other = None if module.is_folder else self._evaluation.file(module.path)
        if other is None:
            return {}
        self._evaluation.engine.depend_on(other.path, names_key(other.path))
        self._evaluation.names.depend_on(other, 0, "__all__")
        listed = other.cached("listed", _listed)
        if name not in listed if listed is not None else name.startswith("_"):
            return {}
        if (0, name) in other.bindings:
            return {module: Strategy.IMPORT}
        return self.star_modules(other, name)

    def skips(self, file: SourceFile, scope: int, start: int) -> bool:
        """Names of a class are seen in its own body only."""
        if file.kind(scope) != ScopeKind.CLASS:
            return False
        return file.function_around(start) != scope

    def receiver(self, file: SourceFile, function: int) -> Result:
        """`self` or `cls`, if a function is a method."""
        around = file.class_of(function)
        if around == NONE:
            return {}
        declaration = file.code.scopes[function].declaration
        kinds = self.function_kinds(file, declaration) if declaration != NONE else frozenset()
        if "static" in kinds:
            return {}
        name = file.declarations[declaration].name if declaration != NONE else ""
        is_class = "class" in kinds or name in {"__new__", "__init_subclass__", "__class_getitem__"}
        if is_class:
            return {ClassValue(file.path, around): Strategy.RECEIVER}
        return {Instance(file.path, around): Strategy.RECEIVER}

    def keyed_member(self, value: Instance, key: str) -> Result:
        """An item of a `TypedDict`."""
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        if key and any(item.external.endswith(".TypedDict") for item in order):
            return self._evaluation.classes.member_of_instance(value, key)
        return {}

    def function_kinds(self, file: SourceFile, declaration: int) -> frozenset[str]:
        """The kinds of a function by its decorators: property, static, class, setter."""
        found: set[str] = set()
        for clause in file.clauses.get(declaration, ()):
            if clause.role == Role.DECORATOR and clause.value != NONE:
                found.update(self._kinds_of(file, clause.value))
        return frozenset(found)

    def _kinds_of(self, file: SourceFile, number: int) -> Iterator[str]:
        item = file.expressions[number]
        if item.op == Op.CALL and item.of != NONE:
            item = file.expressions[item.of]
        name = item.name
        if name == "staticmethod":
            yield "static"
        elif name == "classmethod":
            yield "class"
        elif name in {"property", "cached_property", "abstractproperty"}:
            yield "property"
        elif name in {"setter", "deleter", "getter"} and item.op == Op.MEMBER:
            yield "property"
            yield name
        elif name == "overload":
            yield "overload"
        elif name in {"contextmanager", "asynccontextmanager"}:
            yield "context"

    def type_parameters(self, file: SourceFile, scope: int) -> list[str]:
        """Type parameters of a class: its own, or those of `Generic[T]` and other bases."""
        declaration = file.code.scopes[scope].declaration
        clauses = file.clauses.get(declaration, ())
        found = [item.name for item in clauses if item.role == Role.TYPE_PARAMETER]
        if found:
            return found
        names: dict[str, None] = {}
        for clause in clauses:
            if clause.role == Role.BASE and clause.value != NONE:
                item = file.expressions[clause.value]
                if item.op == Op.APPLY:
                    for part in item.items:
                        for value in self._evaluation.instances(file, part.value):
                            if isinstance(value, TypeParameter):
                                names[value.name] = None
        return list(names)

    def operator_method(self, name: str) -> str:
        """The method that an operator calls."""
        found = _OPERATORS.get(name.removesuffix("="), name)
        return found.replace("__", "__i", 1) if name.endswith("=") else found

    def instances(self, value: Value) -> Values:
        """The objects of a type."""
        found: Values = ()
        if isinstance(value, ClassValue):
            found = (Instance(value.path, value.scope, value.arguments),)
        elif isinstance(value, External):
            found = self._typed(value.name, value.arguments)
        elif isinstance(value, ExternalInstance) and value.name == "typing.TypeVar":
            found = self._type_variable(value)
        elif is_none(value):
            found = (value,)
        elif isinstance(value, TupleValue):
            every = (item for values in value.parts for item in values)
            found = tuple(inner for item in every for inner in self.instances(item))
        elif isinstance(value, TypeParameter):
            found = (value,)
        return found

    def _type_variable(self, value: ExternalInstance) -> Values:
        return value.arguments[0] if value.arguments else ()

    def _typed(self, name: str, given: tuple[Values, ...]) -> Values:
        for prefix in ("typing_extensions.", "collections.abc."):
            if name.startswith(prefix):
                name = "typing." + name[len(prefix) :]
        if name in _UNIONS:
            return tuple(dict.fromkeys(item for values in given for item in values))
        if name in _WRAPPERS:
            return given[0] if given else ()
        if name in {"builtins.type", "typing.Type"}:
            made: Result = {}
            for item in given[0] if given else ():
                if isinstance(item, Instance):
                    made[ClassValue(item.path, item.scope, item.arguments)] = Strategy.DECLARED
                else:
                    made[ExternalInstance("builtins.type", ((item,),))] = Strategy.DECLARED
            return plain(made)
        if name in {"builtins.tuple", "typing.Tuple"} and given:
            if len(given) == _PAIR and not given[1]:
                return (ExternalInstance("builtins.tuple", (given[0],)),)
            return (TupleValue(given),)
        return (ExternalInstance(name, given),)

    def call_external(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """The values that a call of the standard library or of another package returns."""
        if name.endswith(".__new__") and arguments:
            return self._made(file, arguments)
        if name.endswith(_CLASSES_OF_QUERIES):
            return self._of_queries(name, file, number, arguments)
        special = self._calls.call(name, file, number, arguments)
        if special is not None:
            return special
        items = [item.value for item in arguments if not item.name and item.value != NONE]
        given = self._evaluation.evaluate(file, items[0]) if items else {}
        if name in known.MAPPINGS:
            return self._mapping(file, arguments, given)
        if name in known.PICKING and len(items) > 1:
            return self._evaluation.evaluate_all(file, items)
        return self._passed_on(name, given)

    def _of_queries(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """`Manager.from_queryset(Q)`, a class that is as both; `Q.as_manager()`, an object."""
        found: Result = {}
        of = file.expressions[file.expressions[number].of].of
        numbers = [of, *(item.value for item in arguments)]
        for value in self._evaluation.evaluate_all(
            file, [each for each in numbers if each != NONE]
        ):
            if isinstance(value, ClassValue):
                is_object = name.endswith(_CLASSES_OF_QUERIES[1])
                found[Instance(value.path, value.scope) if is_object else value] = Strategy.FLOW
        return found

    def _made(self, file: SourceFile, arguments: tuple[Argument, ...]) -> Result:
        """`object.__new__(cls)`: an object of the class."""
        found: Result = {}
        for value, strategy in self._evaluation.evaluate(file, arguments[0].value).items():
            if isinstance(value, ClassValue):
                merge(found, {Instance(value.path, value.scope, value.arguments): strategy})
        return found

    def callback_arguments(self, value: Value, file: SourceFile, number: int) -> tuple[Values, ...]:
        """The arguments that `sorted`, `map`, `filter` and container methods pass to a callback."""
        item = file.expressions[number]
        name = value.name if isinstance(value, External | ExternalInstance) else ""
        last = name.rpartition(".")[2]
        if name in known.CALLING:
            rows = [part for part in item.items if not part.name]
            rows = rows[1:] if last in {"map", "filter", "reduce", "starmap"} else rows
            given = tuple(self._calls.elements_of(file, tuple(rows)))
            return (given[0], given[0]) if last == "reduce" and given else given
        if last == "sort" and item.of != NONE:
            of = file.expressions[item.of].of
            return (plain(self._evaluation.element(self._evaluation.evaluate(file, of))),)
        return ()

    def _passed_on(self, name: str, given: Result) -> Result:
        """The values of a call that depend on its first argument alone."""
        found: Result = {}
        if name in known.COLLECTING:
            values = plain(self._evaluation.element(given))
            found = {ExternalInstance(known.COLLECTING[name], (values,)): Strategy.GENERIC}
        elif name in known.PICKING:
            found = self._evaluation.element(given)
        elif name in known.PASSING:
            found = {value: max(how, Strategy.GENERIC) for value, how in given.items()}
        elif name in known.READING:
            found = {ExternalInstance(PROPERTY, (plain(given),)): Strategy.SCOPE}
        elif name in known.RUNNING:
            for value in given:
                if isinstance(value, ExternalInstance) and value.arguments:
                    merge(found, with_strategy(value.arguments[-1], Strategy.GENERIC))
        else:
            found = {ExternalInstance(name): Strategy.FLOW}
        return found

    def _mapping(self, file: SourceFile, arguments: tuple[Argument, ...], given: Result) -> Result:
        values: Result = {}
        for value in given:
            pairs = [v for v in self._evaluation.element({value: Strategy.FLOW}) if _is_pair(v)]
            mapped = (
                tuple(item for pair in pairs for item in pair.parts[1])
                if pairs
                else self._evaluation.containers.mapped(value)
            )
            merge(values, dict.fromkeys(mapped, Strategy.FLOW))
        for item in arguments:
            if item.name and item.name not in {"*", "**"}:
                merge(values, self._evaluation.evaluate(file, item.value))
        return {ExternalInstance("builtins.dict", ((), plain(values))): Strategy.GENERIC}

    def member_of_external(self, value: Value, name: str) -> Result:
        """A member of an external object or of a container."""
        if isinstance(value, TupleValue | ExternalInstance) and _holds(value):
            return self._of_container(value, name)
        if isinstance(value, ExternalInstance | External):
            return {External(f"{value.name}.{name}"): Strategy.FLOW}
        return {}

    def inherited(self, owner: Instance | ClassValue | None, external: str, name: str) -> Result:
        """The manager of a model, and what managers and query sets give: objects of the model."""
        if owner is None:
            return {}
        if external in models.MODELS and name in models.MANAGERS_OF_MODEL:
            made = Instance(owner.path, owner.scope)
            return {ExternalInstance(models.MANAGER, ((made,),)): Strategy.GENERIC}
        if external not in models.MANAGERS or not isinstance(owner, Instance):
            return {}
        found: Result = {}
        if owner.arguments:
            given = ExternalInstance(external, owner.arguments)
            found = self.member_of_external(given, name)
        if external in models.QUERIES and name in models.NARROWED:  # one of its own class
            given = ExternalInstance("typing.Callable", ((), (owner,)))
            return {**found, given: Strategy.GENERIC}
        return found

    def held_by(self, value: Instance, owner: Instance | ClassValue) -> Instance:
        """A manager, with the model that holds it."""
        if value.arguments or not self._is_model(owner):
            return value
        order = self._evaluation.classes.ancestors(value.path, value.scope)
        if not any(item.external in models.MANAGERS for item in order):
            return value
        return value._replace(arguments=((Instance(owner.path, owner.scope),),))

    def _is_model(self, owner: Instance | ClassValue) -> bool:
        order = self._evaluation.classes.ancestors(owner.path, owner.scope)
        return any(item.external in models.MODELS for item in order)

    def has_member(self, external: str, name: str) -> bool | None:
        """True if a class of the standard library has a member; None if that is unknown."""
        if external in known.EMPTY:
            return False
        module, _, short = external.rpartition(".")
        owner = getattr(builtins, short, None) if module == "builtins" else None
        return hasattr(owner, name) if isinstance(owner, type) else None

    def _of_container(self, value: Value, name: str) -> Result:
        """A method of a container, as something that gives what the method returns."""
        values: Values = ()
        if isinstance(value, TupleValue):
            value = ExternalInstance(
                "builtins.tuple", (tuple(i for part in value.parts for i in part),)
            )
        assert isinstance(value, ExternalInstance)  # noqa: S101 the caller made sure
        last = value.arguments[-1]
        short = value.name.rpartition(".")[2].lower()
        if value.name in models.MANAGERS:
            values = models.given(name, last)
        elif "dict" in short or "mapping" in short:
            if name in known.VALUE_OF_MAPPING:
                given = ((), last, ())  # with a place for the default
                return {ExternalInstance("typing.Callable", given): Strategy.GENERIC}
            if name == "values":
                values = (ExternalInstance("typing.Iterable", (last,)),)
            elif name == "keys":
                values = (ExternalInstance("typing.Iterable", (value.arguments[0],)),)
            elif name == "items":
                pair = TupleValue((value.arguments[0], last))
                values = (ExternalInstance("typing.Iterable", ((pair,),)),)
            elif name == "copy":
                values = (value,)
        elif name in known.ELEMENT_OF:
            values = last
        elif name in known.SAME:
            values = (value,)
        if not values:
            return {External(f"{value.name}.{name}"): Strategy.GENERIC}
        return {ExternalInstance("typing.Callable", ((), values)): Strategy.GENERIC}


def _starred_modules(file: SourceFile) -> list[str]:
    """The modules of which a file imports all names, the last one first, each once."""
    stars = (item.module for item in reversed(file.facts.imports) if item.name == "*")
    return list(dict.fromkeys(stars))


def _sure_stars(file: SourceFile) -> set[str]:
    """The modules of `import *` that no condition decides about."""
    found = set()
    for binding in file.bindings.get((0, "*"), ()):
        if binding.region == 0 and 0 <= binding.value < len(file.facts.imports):
            found.add(file.facts.imports[binding.value].module)
    return found


def _listed(file: SourceFile) -> set[str] | None:
    """The names in `__all__` of a module; None if it has none, or one that is computed."""
    found: set[str] = set()
    rows = file.bindings.get((0, "__all__"), ())
    for number in (*file.calls.get("extend", ()), *file.calls.get("append", ())):
        member = file.expressions[file.expressions[number].of]
        if member.of != NONE and file.expressions[member.of].name == "__all__":
            return None
    for binding in rows:
        item = file.expressions[binding.value] if binding.value != NONE else None
        if item is None or item.op not in {Op.LIST, Op.TUPLE}:
            return None
        parts = [file.expressions[part.value] for part in item.items if part.value != NONE]
        found.update(part.name for part in parts if part.op == Op.TEXT)
    return found if rows else None


def _is_pair(value: Value) -> TypeGuard[TupleValue]:
    return isinstance(value, TupleValue) and len(value.parts) == _PAIR


def _holds(value: Value) -> bool:
    return isinstance(value, TupleValue) or (
        isinstance(value, ExternalInstance) and bool(value.arguments)
    )

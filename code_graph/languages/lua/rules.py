"""The evaluation of Lua: tables by where they are made, with their metatables.

A table is an ObjectValue: the expression that makes it. Its members are what is stored in them
wherever its file has it. One that has no member of a name has that of its metatable's `__index`.
A method's `self` is the table that has the method, so objects and their class have one value where
no constructor tells them apart. A table that a call makes, and that then gets functions, inherits
from the tables that the call was given: so do the classes of all libraries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname
from typing import TYPE_CHECKING, Final

from code_graph.contracts.keys import FILES
from code_graph.evaluate.calls import Calls
from code_graph.evaluate.definitions import Definition, Definitions
from code_graph.evaluate.dependencies import body_key, language_key
from code_graph.evaluate.evaluation import Evaluation
from code_graph.evaluate.names import NameLookup
from code_graph.evaluate.own_results import OwnResults
from code_graph.evaluate.rules import LanguageRules
from code_graph.evaluate.source_file import SourceFile, Way
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    FunctionValue,
    ModuleValue,
    ObjectValue,
    Result,
    TupleValue,
    TypeVariable,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Argument, Expression, Op
from code_graph.languages.lua.lower import BASE, CLASS, ITEM, META, SELF
from code_graph.link.families import Family
from code_graph.model import Strategy
from code_graph.projects.tree import shared_depth

if TYPE_CHECKING:
    from code_graph.evaluate.engine import Engine
    from code_graph.language import Language

LANGUAGE: Final = "lua"
_INDEX: Final = "__index"
_CALL: Final = "__call"
_NEW: Final = "new"
# functions that a library's constructor runs
_INITIALIZERS: Final = ("init", "initialize", "_init", "__init", "new")
_MOST_STORES: Final = 60
_MOST_FILES: Final = 12
# calls that give what they are given, or call it
_GIVING: Final = frozenset({"assert", "coroutine.wrap", "setmetatable"})
_CALLING: Final = frozenset({"coroutine.create", "coroutine.wrap", "pcall", "xpcall"})
_LISTING: Final = frozenset({"ipairs", "next", "pairs"})
_STANDARD: Final = frozenset(
    """
    ... _G _VERSION arg assert bit32 collectgarbage coroutine debug dofile error getfenv getmetatable
    io ipairs load loadfile loadstring math module next os package pairs pcall print rawequal rawget
    rawlen rawset require select setfenv setmetatable string table tonumber tostring type unpack utf8
    warn xpcall
    """.split()  # noqa: SIM905 a list of words reads better
)


def family(engine: Engine, language: Language) -> Family:
    """The evaluation of Lua."""
    del language
    evaluation = LuaEvaluation(engine, LuaLanguage)
    return Family(evaluation, LuaDefinitions(evaluation))


def shared_in_lua(file: SourceFile) -> dict[str, object]:
    """The globals of a file, the members that it stores (`.name`), and those of globals (`a.b`)."""
    found: dict[str, object] = {row.name: 1 for row in file.code.bindings if not row.scope}
    for name, stores in file.stores.items():
        scopes = [file.function_around(file.code.scope_of[row.target]) for row in stores]
        found[f".{name}"] = sorted({file.qualified(scope) for scope in scopes})
        for row in stores:
            path = _global_path(file, row.target)
            if path:
                found[path] = found[f".{name}"]
    return found


def _global_path(file: SourceFile, number: int) -> str:
    """The names of `a.b.c` where `a` is a global; else empty."""
    path, root = file.path_of(number), number
    while file.expressions[root].op == Op.MEMBER and file.expressions[root].of != NONE:
        root = file.expressions[root].of
    item = file.expressions[root]
    if item.op != Op.NAME or root == number:
        return ""
    around = (scope for scope in file.around(file.code.scope_of[root]) if scope)
    return "" if any((scope, item.name) in file.bindings for scope in around) else path


def _holders(file: SourceFile) -> dict[int, tuple[int, str]]:
    """The table that each function is stored in, by the function's scope, and under which name."""
    found: dict[int, tuple[int, str]] = {}
    for row in file.code.stores:
        made = file.expressions[row.value] if row.value != NONE else None
        if made is not None and made.op == Op.FUNCTION:
            target = file.expressions[row.target]
            found[made.of] = target.of, target.name
    for number, item in enumerate(file.expressions):
        for part in item.items if item.op == Op.OBJECT else ():
            if part.value != NONE and file.expressions[part.value].op == Op.FUNCTION:
                found[file.expressions[part.value].of] = number, part.name
    return found


def _made_tables(file: SourceFile) -> frozenset[int]:
    """The calls whose result then gets functions, by the names that hold it."""
    filled = {
        file.path_of(file.expressions[row.target].of)
        for row in file.code.stores
        if row.value != NONE and file.expressions[row.value].op == Op.FUNCTION
    }
    named = [(row.name, row.value) for row in file.code.bindings]
    named += [(file.path_of(row.target), row.value) for row in file.code.stores]
    return frozenset(
        value
        for name, value in named
        if name in filled and value != NONE and file.expressions[value].op == Op.CALL
    )


def _declared_tables(file: SourceFile) -> dict[int, int]:
    """The declarations of tables, by the expressions that make them."""
    found: dict[int, int] = {}
    for row in (*file.code.bindings, *file.code.stores):
        number = row.value if row.declaration != NONE else NONE
        while number != NONE:
            found.setdefault(number, row.declaration)
            item = file.expressions[number]
            is_given = item.op == Op.CALL and file.last_name(item.of) == "setmetatable"
            parts = item.items if is_given else item.items[-1:] if item.op == Op.EITHER else ()
            number = parts[0].value if parts else NONE
    return found


class LuaNames(NameLookup):
    """Looks names up: a local is seen below it alone, so `local type = type` names a global."""

    def way_at(self, file: SourceFile, scope: int, name: str, at: int) -> Way:
        """The path to the innermost scope that binds a name above an expression."""
        way = self.way(file, scope, name)
        while way.holder > 0 and file.bindings[way.holder, name][0].at > at:
            outer = self.way(file, file.parent(way.holder), name)
            way = outer._replace(
                is_crossing=way.is_crossing or outer.is_crossing,
                dependencies=(*way.dependencies, *outer.dependencies),
            )
        return way

    def look_up(self, file: SourceFile, scope: int, name: str, at: int) -> Result:
        """The meanings of a name at an expression of a scope."""
        way = self.way_at(file, scope, name, at)
        self._evaluation.engine.depend_on_all(way.dependencies)
        if way.holder == NONE:
            return self._evaluation.language.undeclared(file, name)
        if way.is_crossing:
            return self._from_inside(file, way.holder, name)
        return self._reaching(file, way.holder, name, at, scope)


class LuaCalls(Calls):
    """Results of functions, and what `self` is."""

    _evaluation: LuaEvaluation

    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The functions among values; of a table that of its metatable."""
        for value, strategy in functions.items():
            if not isinstance(value, ObjectValue):
                yield value, strategy
            for found, how in self._evaluation.metamethod(value, _CALL).items():
                yield found, max(strategy, how)

    def _call_one(
        self, file: SourceFile, number: int, value: Value, items: Sequence[Argument]
    ) -> Result:
        if not isinstance(value, ObjectValue):
            return super()._call_one(file, number, value, items)
        found = self.call(file, number, self._evaluation.metamethod(value, _CALL), items)
        if not found or self._evaluation.made_of(value):
            merge(found, {value: Strategy.FLOW})
        return found

    def _inferred(self, file: SourceFile, value: FunctionValue) -> Result:
        own = OwnResults(self._evaluation, file, value)
        found: Result = {}
        for item in file.results.get(value.scope, ()):
            values = own.of(item.value) or self._evaluation.every_result(file, item.value)
            merge(found, values, Strategy.RESULT)
        rows = file.parameters.get(value.scope, ())
        first = rows[0].name if rows else ""
        for store in file.stores.get(META, ()) if value.receiver is not None else ():
            if file.expressions[store.value].name == first:
                return {self._given(file, value, made): how for made, how in found.items()}
        return found

    def _given(self, file: SourceFile, function: FunctionValue, made: Value) -> Value:
        """A table that a method makes, whose metatable is what the method was called on."""
        if not isinstance(made, ObjectValue) or made.path != file.path or made.given:
            return made
        is_own = file.is_inside(file.code.scope_of[made.number], function.scope)
        variable = TypeVariable(file.path, function.scope, SELF)
        given = ((variable, plain({function.receiver: Strategy.FLOW})),)
        return made._replace(given=given) if is_own and function.receiver else made


class LuaEvaluation(Evaluation):
    """Evaluates the expressions of Lua."""

    calls: LuaCalls
    language: LuaLanguage

    def __init__(self, engine: Engine, language: type[LuaLanguage]) -> None:
        super().__init__(engine, language)
        self.names = LuaNames(self)
        self.calls = LuaCalls(self)
        self._members[ObjectValue] = self.member_of_table

    # tables

    def own(self, value: Value, name: str) -> Result:
        """What a table itself has under a name."""
        if not isinstance(value, ObjectValue):
            return {}
        key = ("own", value.path, value.number, name)
        return self.engine.unit(key, lambda: self._own(value, name))

    def _own(self, value: ObjectValue, name: str) -> Result:
        file = self.file(value.path)
        found: Result = {}
        self.engine.depend_on("", language_key(LANGUAGE, f".{name}"))
        made = [] if file is None else [*file.expressions[value.number].items]
        for part in made if file and file.expressions[value.number].op == Op.OBJECT else ():
            if part.name == name:
                merge(found, self.evaluate(file, part.value))
        merge(found, {} if file is None else self._stored(file, value, name))
        least = Strategy.FLOW if len(found) > 1 else Strategy.SCOPE
        return {each: max(how, least) for each, how in found.items()}

    def _stored(self, file: SourceFile, value: ObjectValue, name: str) -> Result:
        """What a file stores in a table."""
        found: Result = {}
        for row in file.stores.get(name, ())[:_MOST_STORES]:
            around = file.function_around(file.code.scope_of[row.target])
            self.engine.depend_on(file.path, body_key(file.path, file.qualified(around)))
            for holder, how in self.evaluate(file, file.expressions[row.target].of).items():
                if isinstance(holder, ObjectValue) and holder[:2] == value[:2]:
                    merge(found, self.evaluate(file, row.value), how)
        return found

    def member_of_table(self, value: ObjectValue, name: str) -> Result:
        """A member of a table, or of what its metatable indexes."""
        return self.engine.unit(("member", value, name), lambda: self._of_table(value, name))

    def _of_table(self, value: ObjectValue, name: str) -> Result:
        found = dict(self.own(value, name))
        for base, how in {} if found else self.bases(value).items():
            merge(found, self.member(base, name), max(how, Strategy.RECEIVER))
        for worn in () if found else self.wearers(value):
            merge(found, self.own(worn, name), Strategy.FLOW)
        return found or self.stored_elsewhere(value, name)

    def stored_elsewhere(self, value: ObjectValue, name: str) -> Result:
        """What other files store in a table."""
        found: Result = {}
        paths = self.engine.files.declaring(LANGUAGE, f".{name}")
        for path in paths if len(paths) <= _MOST_FILES else ():
            file = self.file(path) if path != value.path else None
            merge(found, {} if file is None else self._stored(file, value, name), Strategy.FLOW)
        return found

    def metatables(self, value: ObjectValue) -> Result:
        """The metatables of a table."""
        found: Result = {}
        for _, given in value.given:
            merge(found, with_strategy(given, Strategy.FLOW))
        merge(found, {} if found else self.own(value, META))
        for made in self.made_of(value):
            merge(found, self.metatables(made) if isinstance(made, ObjectValue) else {})
        return found

    def metamethod(self, value: Value, name: str) -> Result:
        """A function of a table's metatables, bound to the table."""
        found: Result = {}
        for meta in self.metatables(value) if isinstance(value, ObjectValue) else ():
            for each, how in self.member(meta, name).items():
                merge(found, {_bound(each, value): max(how, Strategy.FLOW)})
        return found

    def made_of(self, value: ObjectValue) -> Result:
        """What the call gives that makes a table."""
        file = self.file(value.path)
        if file is None or file.expressions[value.number].op != Op.CALL:
            return {}
        return _first(self.results_of(file, value.number))

    def bases(self, value: ObjectValue) -> Result:
        """The tables that one looks members up in which it lacks."""
        return self.engine.unit(("bases", value), lambda: self._bases(value))

    def _bases(self, value: ObjectValue) -> Result:
        found: Result = dict(self.own(value, BASE))
        file = self.file(value.path)
        for meta, how in self.metatables(value).items():
            index = self.own(meta, _INDEX)
            is_made = isinstance(meta, ObjectValue) and bool(self.made_of(meta))
            merge(found, {meta: how} if is_made or not index else index, how)
        made = self.made_of(value)
        if file is not None and file.expressions[value.number].op == Op.CALL:
            item = file.expressions[value.number]
            called = file.expressions[item.of] if item.of != NONE else item
            numbers = [part.value for part in item.items] + [called.of]
            for number in numbers:
                merge(found, self.evaluate(file, number), Strategy.FLOW)
        merge(found, made, Strategy.FLOW)
        return {
            each: how
            for each, how in found.items()
            if isinstance(each, ObjectValue) and each[:2] != value[:2]
        }

    def wearers(self, value: ObjectValue) -> Result:
        """The tables of its file that have a table as their metatable."""
        key = ("wearers", value.path, value.number)
        return self.engine.unit(key, lambda: self._wearers(value))

    def _wearers(self, value: ObjectValue) -> Result:
        file = self.file(value.path)
        found: Result = {}
        for row in () if file is None else file.stores.get(META, ())[:_MOST_STORES]:
            if any(each[:2] == value[:2] for each in self.evaluate(file, row.value)):
                merge(found, self.evaluate(file, file.expressions[row.target].of))
        return {each: how for each, how in found.items() if isinstance(each, ObjectValue)}

    def elements(self, values: Result) -> Result:
        """What tables hold under unknown names."""
        found: Result = {}
        for value in values:
            file = self.file(value.path) if isinstance(value, ObjectValue) else None
            if file is not None:
                parts = [part.value for part in file.expressions[value.number].items]
                merge(found, self.evaluate_all(file, parts), Strategy.GENERIC)
                merge(found, self.own(value, ITEM), Strategy.GENERIC)
        return found

    # names

    def named(self, name: str) -> Result:
        """A global, or a member of one, that any file declares."""
        return self.engine.unit(("global", name), lambda: self._named(name))

    def _named(self, name: str) -> Result:
        self.engine.depend_on("", language_key(LANGUAGE, name))
        paths = self.engine.files.declaring(LANGUAGE, name)
        found: Result = {}
        for file in filter(None, map(self.file, paths[:_MOST_FILES])):
            for row in file.stores.get(name.rpartition(".")[2], ()) if "." in name else ():
                if _global_path(file, row.target) == name:
                    around = file.function_around(file.code.scope_of[row.target])
                    self.engine.depend_on(file.path, body_key(file.path, file.qualified(around)))
                    merge(found, self.evaluate(file, row.value))
            if "." not in name or name.startswith(CLASS):
                merge(found, self.names.exported(file, name))
        least = Strategy.FLOW if len(paths) == 1 or name.startswith(CLASS) else Strategy.ALIKE
        return {value: max(how, least) for value, how in found.items()}

    # expressions

    def _mapping(self, file: SourceFile, number: int, _: Expression) -> Result:
        return {ObjectValue(file.path, number): Strategy.SCOPE}

    def _member(self, file: SourceFile, number: int, item: Expression) -> Result:
        found: Result = {}
        for holder, how in self.evaluate(file, item.of).items():
            for value, strategy in self.member(holder, item.name).items():
                merge(found, {_bound(value, holder) if item.items else value: strategy}, how)
        path = "" if found else _global_path(file, number)
        return found or (self.named(path) if path else {})

    def _member_of_external(self, value: External, name: str) -> Result:
        full = f"{value.name}.{name}".removeprefix("_G.")
        if full == name:
            return self.language.undeclared_name(name)
        return self.named(full) or {External(full): Strategy.IMPORT}

    def _call(self, file: SourceFile, number: int, item: Expression) -> Result:
        del item
        if number in file.cached("made tables", _made_tables) and not any(
            isinstance(value, External) and value.name in {"require", *_GIVING}
            for value in self.callees(file, number)
        ):
            return {ObjectValue(file.path, number): Strategy.SCOPE}
        return _first(self.results_of(file, number))

    def results_of(self, file: SourceFile, number: int) -> Result:
        """All results of a call, of several as a tuple."""
        return self.engine.unit(("results", file.path, number), lambda: self._results(file, number))

    def _results(self, file: SourceFile, number: int) -> Result:
        item = file.expressions[number]
        found = self.calls.call(file, number, self.callees(file, number), item.items)
        called = file.expressions[item.of] if item.of != NONE else item
        is_new = called.op == Op.MEMBER and called.name == _NEW
        for value in self.evaluate(file, called.of) if is_new else ():
            if isinstance(value, ObjectValue) and (not found or self.made_of(value)):
                merge(found, {value: Strategy.FLOW})
        return found

    def every_result(self, file: SourceFile, number: int) -> Result:
        """The values of an expression, all results of a call."""
        is_call = number != NONE and file.expressions[number].op == Op.CALL
        if is_call and number not in file.cached("made tables", _made_tables):
            return self.results_of(file, number)
        return self.evaluate(file, number)

    def _part(self, file: SourceFile, _: int, item: Expression) -> Result:
        found: Result = {}
        for value, how in self.every_result(file, item.of).items():
            if isinstance(value, TupleValue):
                merge(found, self._part_of(value, item.name), how)
            elif isinstance(value, ExternalInstance) and value.arguments:
                merge(found, with_strategy(value.arguments[-1], Strategy.FLOW), how)
            elif item.name == "0":
                merge(found, {value: how})
        return found

    def _element(self, file: SourceFile, _: int, item: Expression) -> Result:
        of = file.expressions[item.of] if item.of != NONE else item
        if of.op == Op.CALL and file.path_of(of.of) in _LISTING and of.items:
            listed = self.evaluate(file, of.items[0].value)
            return self.elements(listed) if item.name == "1" else {}
        found: Result = {}
        for value, how in self.every_result(file, item.of).items():
            if isinstance(value, FunctionValue):
                for given in self.calls.result(value):
                    at = self._part_of(given, item.name) if isinstance(given, TupleValue) else {}
                    merge(found, at or ({given: how} if item.name == "0" else {}), how)
        return found

    def _index(self, file: SourceFile, _: int, item: Expression) -> Result:
        return self.elements(self.evaluate(file, item.of))

    def called_inside(self, file: SourceFile, number: int) -> Result:
        """What `pcall` calls, and the initializer that a library's constructor calls."""
        item = file.expressions[number]
        name = file.path_of(item.of) if item.of != NONE else ""
        if name in _CALLING and item.items:
            called = self.evaluate(file, item.items[0].value)
            return {value: Strategy.FLOW for value in called if isinstance(value, FunctionValue)}
        called = file.expressions[item.of] if item.of != NONE else item
        of = called.of if called.op == Op.MEMBER and called.name == _NEW else item.of
        for value in self.evaluate(file, of):
            for name in _INITIALIZERS if isinstance(value, ObjectValue) else ():
                found = self.member(value, name)
                if found:
                    return dict.fromkeys(found, Strategy.FRAMEWORK)
        return {}


class LuaLanguage(LanguageRules):
    """The rules of Lua."""

    def __init__(self, evaluation: LuaEvaluation) -> None:
        self._evaluation = evaluation

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """A global: of the standard library, of any file, or of the program that runs the code."""
        del file
        return self.undeclared_name(name)

    def undeclared_name(self, name: str) -> Result:
        """A global."""
        found = {} if name in _STANDARD else self._evaluation.named(name)
        return found or ({} if name.startswith(CLASS) else {External(name): Strategy.SCOPE})

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The file that is required."""
        path = self._find(file, file.facts.imports[number].module)
        return {ModuleValue(path): Strategy.IMPORT} if path else {}

    def _find(self, file: SourceFile, module: str) -> str:
        key = ("module", dirname(file.path), module)
        return self._evaluation.engine.unit(key, lambda: self._nearest(file, module), "")

    def _nearest(self, file: SourceFile, module: str) -> str:
        """The nearest file whose path ends as a module is named."""
        place = module.removesuffix(".lua").replace(".", "/").strip("/")
        for stem, ending in ((place.rpartition("/")[2], ""), ("init", "/init")):
            self._evaluation.engine.depend_on("", language_key(FILES, stem))
            paths = [
                path
                for path in self._evaluation.engine.files.by_stem.get(stem, ())
                if f"/{path}".endswith(f"/{place}{ending}.lua")
            ]
            if paths:
                return min(paths, key=lambda path: (-shared_depth(path, file.path), len(path)))
        return ""

    def receiver(self, file: SourceFile, function: int) -> Result:
        """The table that a method is in; of a metamethod a table that has this metatable."""
        of, name = file.cached("holders", _holders).get(function, (NONE, ""))
        found: Result = {}
        for value in self._evaluation.evaluate(file, of) if of != NONE else ():
            if isinstance(value, ObjectValue):
                worn = self._evaluation.wearers(value) if name.startswith("__") else {}
                merge(found, worn or {value: Strategy.RECEIVER}, Strategy.RECEIVER)
        is_own = file.parameters[function][0].name == SELF or name.startswith("__")
        return found if is_own else {}

    def instances(self, value: Value) -> Values:
        """The objects of a class, which are told apart from it by nothing."""
        return (value,) if isinstance(value, ObjectValue) else ()

    def member_of_external(self, value: Value, name: str) -> Result:
        """A method of a text, or of something else that no file makes."""
        if isinstance(value, ExternalInstance) and value.name == "builtins.str":
            return self._evaluation.member(External("string"), name)
        return {}

    def call_external(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """What functions of the standard library give."""
        given = [part.value for part in arguments]
        first = given[0] if given else NONE
        if name == "require":
            return self._required(file, first)
        if name in _GIVING:
            return dict(self._evaluation.every_result(file, first))
        if name in _CALLING:
            functions = self._evaluation.evaluate(file, first)
            called = self._evaluation.calls.call(file, number, functions, arguments[1:])
            parts = [each.parts if isinstance(each, TupleValue) else ((each,),) for each in called]
            truth = (ExternalInstance("builtins.bool"),)
            return {TupleValue((truth, *each)): Strategy.RESULT for each in parts}
        return {}

    def _required(self, file: SourceFile, number: int) -> Result:
        """What a module returns; one that returns nothing has the globals of its file."""
        item = file.expressions[number] if number != NONE else None
        if item is not None and item.op == Op.OPERATOR:  # `require(here .. ".part")`
            item = file.expressions[item.items[-1].value]
        if item is None or item.op != Op.TEXT:
            return {}
        path = self._find(file, item.name)
        other = self._evaluation.file(path) if path else None
        if other is None:
            return {External(item.name): Strategy.IMPORT}
        self._evaluation.engine.depend_on(path, body_key(path, ""))
        found: Result = {}
        for row in other.results.get(0, ()):
            merge(found, self._evaluation.every_result(other, row.value), Strategy.IMPORT)
        return found or {ModuleValue(path): Strategy.IMPORT}


class LuaDefinitions(Definitions):
    """Follows names and members to declarations."""

    _evaluation: LuaEvaluation

    def of_value(self, value: Value, strategy: Strategy) -> Iterator[Definition]:
        """The declaration of a function or a table."""
        file = self._evaluation.file(value.path) if isinstance(value, ObjectValue) else None
        if file is None or not isinstance(value, ObjectValue):
            yield from super().of_value(value, strategy)
        elif value.number in (tables := file.cached("tables", _declared_tables)):
            yield Definition(value.path, tables[value.number], strategy)

    def _of_name(self, file: SourceFile, number: int, item: Expression) -> Iterator[Definition]:
        found = [*super()._of_name(file, number, item)]
        yield from found
        for value, how in {} if found else self._evaluation.evaluate(file, number).items():
            yield from self.of_value(value, how)

    def _of_member(self, file: SourceFile, item: Expression) -> Iterator[Definition]:
        for holder, strategy in self._evaluation.holders(file, item.of).items():
            for found in self.of_member(holder, item.name):
                yield found._replace(strategy=max(found.strategy, strategy))

    def of_member(self, value: Value, name: str) -> Iterator[Definition]:
        """The declarations of a member of a value."""
        for found, how in self._evaluation.member(value, name).items():
            yield from self.of_value(found, how)

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The functions of bases that a function of a table replaces."""
        scope = file.scope_of_declaration.get(number, NONE)
        of, name = file.cached("holders", _holders).get(scope, (NONE, ""))
        return [
            found._replace(strategy=Strategy.RECEIVER)
            for value in (self._evaluation.evaluate(file, of) if of != NONE else ())
            for base in (self._evaluation.bases(value) if isinstance(value, ObjectValue) else ())
            for found in self.of_member(base, name)
            if found[:2] != (file.path, number)
        ]

    def implemented(self, file: SourceFile, number: int) -> list[Definition]:
        """The tables that a declared table inherits from."""
        tables = file.cached("tables", _declared_tables)
        return [
            found
            for made, declaration in tables.items()
            if declaration == number
            for base, how in self._evaluation.bases(ObjectValue(file.path, made)).items()
            for found in self.of_value(base, how)
        ]


def _bound(value: Value, holder: Value) -> Value:
    if isinstance(value, FunctionValue) and value.receiver is None:
        return value._replace(receiver=holder)
    return value


def _first(results: Result) -> Result:
    """The first of the results of a call."""
    found: Result = {}
    for value, how in results.items():
        is_tuple = isinstance(value, TupleValue)
        first = with_strategy(value.parts[0], Strategy.RESULT) if is_tuple else {value: how}
        merge(found, first, how)
    return found

"""The evaluation of Lua: tables by where they are made, with their metatables.

A table is an ObjectValue: the expression that makes it. Any code may store members in it; others
are those of its metatable's `__index`. The `self` of a method is the table that has the method, so
objects and their class are two values only where a file makes both. A table that a call makes, and
that then gets functions, inherits from the tables that the call was given: so do the classes of all
libraries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from code_graph.contracts.keys import FILES
from code_graph.evaluate.calls import Calls
from code_graph.evaluate.definitions import Definition, Definitions
from code_graph.evaluate.dependencies import body_key, language_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.evaluation import Evaluation, LanguageParts
from code_graph.evaluate.names import NameLookup
from code_graph.evaluate.rules import LanguageRules
from code_graph.evaluate.source_file import SourceFile, Way
from code_graph.evaluate.values import (
    External,
    ExternalInstance,
    ModuleValue,
    ObjectValue,
    Result,
    TupleValue,
    Value,
    merge,
    plain,
)
from code_graph.expressions import NONE, Argument, Expression, Op
from code_graph.languages.lua.lower import ITEM, META, SELF
from code_graph.model import Strategy
from code_graph.projects.tree import shared_depth

LANGUAGE: Final = "lua"
_NEW: Final = "new"
_REQUIRE: Final = "require"
# functions that a library's constructor runs
_INITIALIZERS: Final = ("init", "initialize", "_init", "__init", _NEW)
_MOST_STORES: Final = 60
# files that store members of one name: it tells something of few
_MOST_FILES: Final = 12
_STANDARD: Final = frozenset(
    """
    ... _G _VERSION arg assert bit32 collectgarbage coroutine debug dofile error getfenv
    getmetatable io ipairs load loadfile loadstring math module next os package pairs pcall print
    rawequal rawget rawlen rawset require select setfenv setmetatable string table tonumber tostring
    type unpack utf8 warn xpcall
    """.split()  # noqa: SIM905 a list of words reads better
)
_LITERALS: Final = {"bool": "boolean", "float": "number", "str": "string", "tuple": "table"}
# values in which any file may store members
_Table: TypeAlias = ObjectValue | External


def shared_in_lua(file: SourceFile) -> dict[str, object]:
    """The globals of a file, and the members that it stores in tables, with a dot before them."""
    shared: dict[str, object] = {row.name: 1 for row in file.code.bindings if not row.scope}
    for name, stores in file.stores.items():
        shared[f".{name}"] = sorted({_around(file, row.target) for row in stores})
    return shared


def _around(file: SourceFile, number: int) -> str:
    """The qualified name of the function around an expression."""
    return file.qualified(file.function_around(file.code.scope_of[number]))


def _is(file: SourceFile, number: int, op: Op) -> bool:
    return number != NONE and file.expressions[number].op == op


def _holders(file: SourceFile) -> dict[int, tuple[int, str]]:
    """The expression of the table that has each function, by the function's scope, and its name."""
    targets = [(row.value, file.expressions[row.target]) for row in file.code.stores]
    held = [(value, (target.of, target.name)) for value, target in targets]
    for number, item in enumerate(file.expressions):
        if item.op == Op.OBJECT:
            held += [(part.value, (number, part.name)) for part in item.items]
    return {file.expressions[value].of: by for value, by in held if _is(file, value, Op.FUNCTION)}


def _classes(file: SourceFile) -> frozenset[int]:
    """The calls whose results get functions, by the names that hold both."""
    held = file.cached("holders", _holders).values()
    filled = {file.path_of(of) for of, _ in held if not _is(file, of, Op.OBJECT)}
    values = [(row.name, row.value) for row in file.code.bindings]
    values += [(file.path_of(row.target), row.value) for row in file.code.stores]
    return frozenset(
        value for name, value in values if name in filled and _is(file, value, Op.CALL)
    )


def _declared(file: SourceFile) -> dict[int, int]:
    """The declarations of tables, by the expressions that make them."""
    declarations: dict[int, int] = {}
    rows = [(row.value, row.declaration) for row in file.code.bindings]
    rows += [(row.value, row.declaration) for row in file.code.stores]
    for number, declaration in rows:
        if declaration != NONE:
            is_either = _is(file, number, Op.EITHER)  # `M = M or {}`
            last = file.expressions[number].items[-1].value if is_either else number
            declarations.setdefault(last, declaration)
    return declarations


class LuaNames(NameLookup):
    """Looks names up: a local is seen below it alone, so `local type = type` reads a global."""

    def way_at(self, file: SourceFile, scope: int, name: str, at: int) -> Way:
        """The path to the innermost scope that binds a name above an expression."""
        way = self.way(file, scope, name)
        while way.holder > 0 and file.bindings[way.holder, name][0].at > at:
            outer = self.way(file, file.parent(way.holder), name)
            way = outer._replace(is_crossing=way.is_crossing or outer.is_crossing)
        return way


class LuaCalls(Calls):
    """Calls of tables by their metatables."""

    _evaluation: LuaEvaluation

    def targets(self, functions: Result) -> Iterator[tuple[Value, Strategy]]:
        """The functions among values; of a table `__call` of its metatable."""
        for value, strategy in functions.items():
            if not isinstance(value, ObjectValue):
                yield value, strategy
                continue
            for meta in self._evaluation.metatables(value):
                for function, how in self._evaluation.member(meta, "__call").items():
                    yield function, max(strategy, how, Strategy.FLOW)

    def _call_one(
        self, file: SourceFile, number: int, value: Value, items: Sequence[Argument]
    ) -> Result:
        if not isinstance(value, ObjectValue):
            return super()._call_one(file, number, value, items)
        results: Result = {}
        functions = dict(self.targets({value: Strategy.FLOW}))
        for function, how in functions.items():
            merge(results, super()._call_one(file, number, function, items), how)
        if not functions or self._evaluation.made_by_call(value):
            merge(results, {value: Strategy.FLOW})  # an object of the class
        return results


class LuaLanguage(LanguageRules):
    """The rules of Lua."""

    literals = _LITERALS

    def __init__(self, evaluation: LuaEvaluation) -> None:
        self._evaluation = evaluation
        self._engine = evaluation.engine

    def undeclared(self, file: SourceFile, name: str) -> Result:
        """A global."""
        del file
        return self._evaluation.named(name)

    def module_of_import(self, file: SourceFile, number: int) -> Result:
        """The file that is required."""
        return self._find(file, file.facts.imports[number].module)

    def _find(self, file: SourceFile, module: str) -> Result:
        """The nearest file whose path ends as a module is named."""
        place = module.removesuffix(".lua").replace(".", "/").strip("/")
        for stem, ending in ((place.rpartition("/")[2], ".lua"), ("init", "/init.lua")):
            self._engine.depend_on("", language_key(FILES, stem))
            paths = self._engine.files.by_stem.get(stem, ())
            matching = [path for path in paths if f"/{path}".endswith(f"/{place}{ending}")]
            if matching:
                best = min(matching, key=lambda path: (-shared_depth(path, file.path), len(path)))
                return {ModuleValue(best): Strategy.IMPORT}
        return {}

    def receiver(self, file: SourceFile, function: int) -> Result:
        """The table that a method is in; of a metamethod one that has this metatable."""
        of, name = file.cached("holders", _holders).get(function, (NONE, ""))
        tables: Result = {}
        is_special = name.startswith("__")
        if is_special or file.parameters[function][0].name == SELF:
            for value in self._evaluation.evaluate(file, of):
                if isinstance(value, ObjectValue):
                    wearers = self._evaluation.wearers(value) if is_special else {}
                    merge(tables, wearers or {value: Strategy.RECEIVER}, Strategy.RECEIVER)
        return tables

    def called_inside(self, file: SourceFile, number: int) -> Result:
        """The initializer that the constructor of a library's class calls."""
        item = file.expressions[number]
        called = file.expressions[item.of]
        for value in self._evaluation.evaluate(file, called.of if called.name == _NEW else item.of):
            for name in _INITIALIZERS if isinstance(value, ObjectValue) else ():
                initializers = self._evaluation.member(value, name)
                if initializers:
                    return dict.fromkeys(initializers, Strategy.FRAMEWORK)
        return {}

    def member_of_external(self, value: Value, name: str) -> Result:
        """A member of the first result of a call, or of a text."""
        if isinstance(value, TupleValue):
            return self._evaluation.member(value.parts[0][0], name) if value.parts[0] else {}
        is_text = isinstance(value, ExternalInstance) and value.name == "string"
        return self._evaluation.member(External("string"), name) if is_text else {}

    def call_external(
        self, name: str, file: SourceFile, number: int, arguments: tuple[Argument, ...]
    ) -> Result:
        """The values of a module; one that returns nothing has the globals of its file."""
        del number
        if name != _REQUIRE or not arguments:
            return {}
        item = file.expressions[arguments[0].value]
        if item.op == Op.OPERATOR:  # `require(here .. ".part")`
            item = file.expressions[item.items[-1].value]
        modules = self._find(file, item.name) if item.op == Op.TEXT else {}
        values: Result = {}
        for module in modules:
            other = self._evaluation.file(module.path) if isinstance(module, ModuleValue) else None
            if other is not None:
                self._engine.depend_on(other.path, body_key(other.path, ""))
                rows = [row.value for row in other.results.get(0, ())]
                merge(values, self._evaluation.evaluate_all(other, rows), Strategy.IMPORT)
        return values or modules or {External(item.name): Strategy.IMPORT}


class LuaDefinitions(Definitions):
    """Follows names and members to declarations."""

    _evaluation: LuaEvaluation

    def of_value(self, value: Value, strategy: Strategy) -> Iterator[Definition]:
        """The declaration of a function or a table."""
        yield from super().of_value(value, strategy)
        file = self._evaluation.file(value.path) if isinstance(value, ObjectValue) else None
        declared = {} if file is None else file.cached("declared", _declared)
        if isinstance(value, ObjectValue) and value.number in declared:
            yield Definition(value.path, declared[value.number], strategy)

    def _of_name(self, file: SourceFile, number: int, item: Expression) -> Iterator[Definition]:
        definitions = [*super()._of_name(file, number, item)]
        yield from definitions
        for value, how in {} if definitions else self._evaluation.evaluate(file, number).items():
            if how <= Strategy.IMPORT:  # another name of it, and no object or result
                yield from self.of_value(value, how)

    def of_member(self, value: Value, name: str) -> Iterator[Definition]:
        """The declarations of a member of a value."""
        for member, how in self._evaluation.member(value, name).items():
            yield from self.of_value(member, how)

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The functions of bases that a function of a table replaces."""
        scope = file.scope_of_declaration.get(number, NONE)
        of, name = file.cached("holders", _holders).get(scope, (NONE, ""))
        replaced: Iterator[Definition] = (
            definition._replace(strategy=max(how, definition.strategy))
            for value in self._evaluation.evaluate(file, of)
            for base, how in self._evaluation.bases(value).items()
            for definition in self.of_member(base, name)
            if definition[:2] != (file.path, number)
        )
        return self._unique(replaced)

    def implemented(self, file: SourceFile, number: int) -> list[Definition]:
        """The tables that a declared table inherits from."""
        declared = file.cached("declared", _declared).items()
        return [
            definition
            for made, owner in declared
            if owner == number
            and ObjectValue(file.path, made) in self._evaluation.evaluate(file, made)
            for base, how in self._evaluation.bases(ObjectValue(file.path, made)).items()
            for definition in self.of_value(base, how)
        ]


class LuaEvaluation(Evaluation):
    """Evaluates the expressions of Lua."""

    parts = LanguageParts(LuaLanguage, LuaNames, calls=LuaCalls, definitions=LuaDefinitions)

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._members[ObjectValue] = self.member_of_table
        self._handlers[Op.OPERATOR] = self._either

    def own(self, value: Value, name: str) -> Result:
        """The values that its file puts into a table under a name; without one, under any."""
        file = self.file(value.path) if isinstance(value, ObjectValue) else None
        if file is None or not isinstance(value, ObjectValue):
            return {}
        key = ("own", value, name)
        return self.engine.unit(key, lambda: self._own(file, value, name))

    def _own(self, file: SourceFile, value: ObjectValue, name: str) -> Result:
        self.engine.depend_on("", language_key(LANGUAGE, f".{name}"))
        maker = file.expressions[value.number]
        parts = maker.items if maker.op == Op.OBJECT else ()
        named = [part.value for part in parts if name in {part.name, ITEM}]
        members = self.evaluate_all(file, named)
        merge(members, self._stored(file, value, name))
        least = Strategy.FLOW if len(members) > 1 else Strategy.SCOPE
        return {member: max(how, least) for member, how in members.items()}

    def _stored(self, file: SourceFile, value: _Table, name: str) -> Result:
        """The values that a file stores in a table."""
        members: Result = {}
        for row in file.stores.get(name, ())[:_MOST_STORES]:
            self.engine.depend_on(file.path, body_key(file.path, _around(file, row.target)))
            how = self.evaluate(file, file.expressions[row.target].of).get(value)
            if how is not None:
                merge(members, self.evaluate(file, row.value), how)
        return members

    def stored_elsewhere(self, value: _Table, name: str) -> Result:
        """The values that other files store in a table."""
        paths = self.engine.declaring(LANGUAGE, f".{name}")
        members: Result = {}
        for path in paths if len(paths) <= _MOST_FILES else ():
            file = self.file(path) if path != getattr(value, "path", "") else None
            merge(members, self._stored(file, value, name) if file else {}, Strategy.FLOW)
        return members

    def member_of_table(self, value: ObjectValue, name: str) -> Result:
        """A member of a table, or of the tables that its metatable indexes."""
        return self.engine.unit(("member", value, name), lambda: self._of_table(value, name))

    def _of_table(self, value: ObjectValue, name: str) -> Result:
        members = dict(self.own(value, name))
        for base, how in {} if members else self.bases(value).items():
            merge(members, self.member(base, name), max(how, Strategy.RECEIVER))
        for wearer in () if members else self.wearers(value):  # constructors store in these
            merge(members, self.own(wearer, name), Strategy.FLOW)
        return members or self.stored_elsewhere(value, name)

    def made_by_call(self, value: ObjectValue) -> Result:
        """The values of the call that makes a table."""
        file = self.file(value.path)
        call = None if file is None else file.expressions[value.number]
        if file is None or call is None or call.op != Op.CALL:
            return {}
        return self.calls.call(file, value.number, self.callees(file, value.number), call.items)

    def metatables(self, value: ObjectValue) -> Result:
        """The metatables of a table."""
        tables = dict(self.own(value, META))
        for result in self.made_by_call(value):
            merge(tables, self.own(result, META), Strategy.FLOW)
        return tables

    def bases(self, value: Value) -> Result:
        """The tables that a table falls back to."""
        if not isinstance(value, ObjectValue):
            return {}
        return self.engine.unit(("bases", value), lambda: self._bases(value))

    def _bases(self, value: ObjectValue) -> Result:
        bases: Result = {}
        for meta, how in self.metatables(value).items():
            index = self.own(meta, "__index")
            is_table = any(isinstance(base, ObjectValue) for base in index)
            merge(bases, index if is_table else {meta: how}, how)  # a function asks the metatable
        file = self.file(value.path)
        if file is not None and file.expressions[value.number].op == Op.CALL:
            merge(bases, self.made_by_call(value), Strategy.FLOW)
            item = file.expressions[value.number]
            given = [file.expressions[item.of].of, *(part.value for part in item.items)]
            merge(bases, self.evaluate_all(file, given), Strategy.FLOW)
        bases.pop(value, None)
        return {base: how for base, how in bases.items() if isinstance(base, ObjectValue)}

    def wearers(self, value: ObjectValue) -> Result:
        """The tables of its file that have a table as their metatable."""
        return self.engine.unit(("wearers", value), lambda: self._wearers(value))

    def _wearers(self, value: ObjectValue) -> Result:
        file = self.file(value.path)
        tables: Result = {}
        if file is None:
            return tables
        for row in file.stores.get(META, ())[:_MOST_STORES]:
            if value in self.evaluate(file, row.value):
                merge(tables, self.evaluate(file, file.expressions[row.target].of))
        return tables

    def named(self, name: str) -> Result:
        """A global: of the standard library, of any file, or of the program that runs the code."""
        values: Result = {}
        if name not in _STANDARD:
            paths = self.engine.declaring(LANGUAGE, name)[:_MOST_FILES]
            least = Strategy.FLOW if len(paths) == 1 else Strategy.ALIKE
            for file in filter(None, map(self.file, paths)):
                merge(values, self.names.exported(file, name), least)
        return values or {External(name): Strategy.SCOPE}

    def _mapping(self, file: SourceFile, number: int, item: Expression) -> Result:
        del item
        return {ObjectValue(file.path, number): Strategy.SCOPE}

    def _member_of_external(self, value: External, name: str) -> Result:
        if value.name == "_G":
            return self.named(name)
        stored = self.stored_elsewhere(value, name)
        return stored or {External(f"{value.name}.{name}"): Strategy.IMPORT}

    def _call(self, file: SourceFile, number: int, item: Expression) -> Result:
        functions = self.callees(file, number)
        is_module = External(_REQUIRE) in functions
        if number in file.cached("classes", _classes) and not is_module:
            return {ObjectValue(file.path, number): Strategy.SCOPE}
        results = self.calls.call(file, number, functions, item.items)
        called = file.expressions[item.of]
        for value in self.evaluate(file, called.of) if called.name == _NEW else ():
            if isinstance(value, ObjectValue) and (not results or self.made_by_call(value)):
                merge(results, {value: Strategy.FLOW})
        return results

    def _element(self, file: SourceFile, _: int, item: Expression) -> Result:
        iterator = file.expressions[item.of]
        elements: Result = {}
        listed = iterator.items[0].value if iterator.op == Op.CALL and iterator.items else NONE
        for value in self.evaluate(file, listed):  # `pairs(t)`
            merge(elements, self.own(value, ITEM), Strategy.GENERIC)
        return {TupleValue(((), plain(elements))): Strategy.GENERIC}

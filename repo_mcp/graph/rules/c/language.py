"""The rules of C for the linker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from repo_mcp.graph.evaluate.definitions import Definition
from repo_mcp.graph.evaluate.lookups import name_key
from repo_mcp.graph.evaluate.source_file import SourceFile
from repo_mcp.graph.evaluate.values import (
    ClassValue,
    FunctionValue,
    MemberValue,
    ModuleValue,
    Result,
    Value,
    merge,
)
from repo_mcp.graph.model import Strategy
from repo_mcp.graph.rules.declared.rules import DeclaredRules
from repo_mcp.graph.rules.native.includes import Includes, Row, as_members, of_file
from repo_mcp.languages.code import NONE, Op, ScopeKind
from repo_mcp.languages.facts import MODULE, Declaration

if TYPE_CHECKING:
    from repo_mcp.graph.rules.declared.evaluation import DeclaredEvaluation

_TAGGED: Final = frozenset({"struct", "union", "enum"})
_TAG: Final = "struct"
_FUNCTIONS: Final = frozenset({"function", "macro"})
# functions that may be called through one member
_MOST_STORED: Final = 40
_HEADERS: Final = (".h", ".inc")


class CRules(DeclaredRules):
    """Linkage, includes, tags and tables of functions of C."""

    constructs: ClassVar[bool] = False
    checks_arguments: ClassVar[bool] = False
    sees_members: ClassVar[bool] = False
    top_types: ClassVar[frozenset[str]] = frozenset({"void"})

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        super().__init__(evaluation)
        self._includes = Includes(evaluation)

    # names

    def names_in_module(self, file: SourceFile, scope: int, name: str) -> Result:
        """A function, macro or variable of the file, or one that others declare for it."""
        del scope
        own = [number for number in self._declared(file, name) if not self._is_type(file, number)]
        made = [number for number in own if file.declarations[number].kind != "prototype"]
        if made:
            return {MemberValue(file.path, made[0]): Strategy.SCOPE}
        rows = list(self._others(file, name))
        best = self._defined(rows)
        if best:
            return as_members(self._chosen(file, best, rows))
        if own:
            return {MemberValue(file.path, own[0]): Strategy.SCOPE}
        prototypes = [(path, number) for path, number, item in rows if item.kind == "prototype"]
        return as_members(self._includes.nearest(file, prototypes[:1]))

    def _chosen(
        self, file: SourceFile, best: list[Row], rows: list[tuple[str, int, Declaration]]
    ) -> list[tuple[Row, Strategy]]:
        """The definition that is meant; one of several that a single header declares."""
        found = self._includes.nearest(file, best)
        headers = {path for path, _, item in rows if item.kind == "prototype"}
        if len(headers) == 1 and all(how == Strategy.NAME for _, how in found):
            return [(found[0][0], Strategy.OVERLOAD)]
        return found

    def _declared(self, file: SourceFile, name: str) -> list[int]:
        return self._all.types.table(file).members.get((MODULE, name), [])

    def _is_type(self, file: SourceFile, number: int) -> bool:
        return file.declarations[number].kind in {*_TAGGED, "typedef"}

    def _others(self, file: SourceFile, name: str) -> Iterator[tuple[str, int, Declaration]]:
        """What other files declare by a name, as far as its linkage lets a file see it."""
        for other in self._includes.declaring(name):
            is_header = other.path.endswith(_HEADERS) or self._is_included(file, other)
            for number in self._declared(other, name) if other is not file else ():
                item = other.declarations[number]
                is_local = "static" in item.modifiers or item.kind == "macro"
                if not self._is_type(other, number) and (is_header or not is_local):
                    yield other.path, number, item

    def _is_included(self, file: SourceFile, other: SourceFile) -> bool:
        return bool(file.facts.imports) and other.path in self._includes.included(file)

    def _defined(self, rows: list[tuple[str, int, Declaration]]) -> list[Row]:
        """Definitions: those with external linkage before what headers define."""
        groups: dict[bool, list[Row]] = {}
        seen: set[str] = set()
        for path, number, item in rows:
            if item.kind != "prototype" and path not in seen:
                seen.add(path)
                is_local = "static" in item.modifiers or item.kind == "macro"
                groups.setdefault(is_local, []).append((path, number))
        return groups.get(False) or groups.get(True) or []

    # types

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type by the name of a typedef, or by its tag."""
        del scope, arity
        if name.startswith(f"{_TAG} "):
            return self._tagged(file, name.removeprefix(f"{_TAG} "))
        return self._typed(file, name, frozenset({"typedef"}))

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type by its tag."""
        del scope, arity
        first, _, name = whole.partition(".")
        return self._tagged(file, name) if first == _TAG else {}

    def _tagged(self, file: SourceFile, name: str) -> Result:
        key = ("tag", file.path, name)
        return self._all.engine.unit(key, lambda: self._typed(file, name, _TAGGED))

    def _typed(self, file: SourceFile, name: str, kinds: frozenset[str]) -> Result:
        rows = [(file.path, number) for number in self._of_kinds(file, name, kinds)]
        if not rows:
            for other in self._includes.declaring(name):
                if other.path.endswith(_HEADERS):
                    rows += [(other.path, n) for n in self._of_kinds(other, name, kinds)][:1]
        found: Result = {}
        for (path, number), how in self._includes.nearest(file, rows[:_MOST_STORED])[:1]:
            other_file = self._all.file(path)
            if other_file is not None:
                merge(found, self._meaning(other_file, number), how)
        return found

    def _of_kinds(self, file: SourceFile, name: str, kinds: frozenset[str]) -> list[int]:
        rows = file.declarations
        return [n for n in self._declared(file, name) if rows[n].kind in kinds]

    def _meaning(self, file: SourceFile, number: int) -> Result:
        """What a type is: a struct, or what a typedef stands for."""
        self._all.classes.ask_declaration(file, number)
        scope = file.scope_of_declaration.get(number, NONE)
        if scope != NONE and file.kind(scope) == ScopeKind.CLASS:
            return {ClassValue(file.path, scope): Strategy.SCOPE}
        return self._all.types.alias(file, number)

    # calls through members

    def extensions(self, file: SourceFile, number: int) -> Result:
        """A macro that is called, or the functions that are stored in a called member."""
        called = file.expressions[number].of
        if file.expressions[called].op not in {Op.NAME, Op.MEMBER}:
            return {}
        found: Result = {}
        for value, how in self._all.names.resolve(file, called).items():
            other = self._all.file(value.path) if isinstance(value, MemberValue) else None
            if other is None or not isinstance(value, MemberValue):
                continue
            item = other.declarations[value.declaration]
            if item.kind == "macro":
                merge(found, {value: how})
            elif item.kind == "field":
                merge(found, self._stored(file, other, value.declaration), most=_MOST_STORED)
        return found

    def _stored(self, file: SourceFile, owner: SourceFile, declaration: int) -> Result:
        """The functions that are stored in a member of a type, here or in any file."""
        key = ("stored", owner.path, declaration)
        found = self._all.engine.unit(key, lambda: self._stored_in(owner, declaration))
        if found or file is owner:
            return found
        return {}

    def _stored_in(self, owner: SourceFile, declaration: int) -> Result:
        name = owner.declarations[declaration].name
        found: Result = {}
        for file in self._includes.declaring(f"{name} stored"):
            for store in file.stores.get(name, ()):
                if len(found) >= _MOST_STORED:
                    return found
                value = file.expressions[store.value] if store.value != NONE else None
                if (
                    value is not None
                    and value.op == Op.NAME
                    and self._is_of(file, store.target, owner.path, declaration)
                ):
                    merge(found, self._function(file, store.value), most=_MOST_STORED)
        return found

    def _is_of(self, file: SourceFile, target: int, path: str, declaration: int) -> bool:
        """Whether a MEMBER is one of a type."""
        self._all.engine.ask(file.path, name_key(file.path, "", file.expressions[target].name))
        return any(
            isinstance(value, MemberValue)
            and (value.path, value.declaration) == (path, declaration)
            for value in self._member(file, target)
        )

    def _member(self, file: SourceFile, number: int) -> Result:
        """What a MEMBER of a value or, in a table, of a type means."""
        item = file.expressions[number]
        found = self._all.names.resolve(file, number)
        if any(isinstance(value, MemberValue) for value in found) or item.of == NONE:
            return found
        found = {}
        for value in self._all.types.of(file, item.of):
            if isinstance(value, ClassValue):
                merge(found, self._all.classes.members(value, item.name))
        return found

    def _function(self, file: SourceFile, number: int) -> Result:
        values = self._all.names.values(self._all.names.resolve(file, number))
        return {v: Strategy.NAME for v in values if isinstance(v, FunctionValue)}

    # includes

    def imported(self, file: SourceFile, number: int) -> Result:
        """The file that an include means."""
        return self._includes.find(file, number)

    def of_package(self, value: ModuleValue, strategy: Strategy) -> Iterator[Definition]:
        """An included file."""
        yield from of_file(value, strategy)

    def replaces(self, item: Declaration) -> bool:
        """No member replaces another."""
        del item
        return False

    def is_plain(self, name: str) -> bool:
        """Types without a declaration are not told apart."""
        del name
        return False

    def constructed_by(self, value: Value, name: str) -> Result:
        """Nothing is constructed by a call."""
        del value, name
        return {}

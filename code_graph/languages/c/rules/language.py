"""The rules of C for the linker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import name_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ClassValue,
    External,
    FunctionValue,
    MemberValue,
    ModuleValue,
    Result,
    Value,
    merge,
)
from code_graph.expressions import NONE, Op, ScopeKind
from code_graph.facts import MODULE, Declaration
from code_graph.languages.c.rules.includes import Includes, Row, as_members, of_file
from code_graph.languages.c.rules.library import STANDARD
from code_graph.languages.c.rules.linkage import (
    DEFINITION,
    HEADERS,
    LOCAL,
    PROTOTYPE,
    STRUCT,
    TAG,
    TAGGED,
    TYPEDEF,
    linkage_of,
    stored,
    stored_as,
    written_number,
)
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

# functions that may be called through one member
_MOST_STORED: Final = 40


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
        made = [number for number in own if file.declarations[number].kind != PROTOTYPE]
        if made:
            how = Strategy.OVERLOAD if self._has_variants(file, name, made) else Strategy.SCOPE
            return {MemberValue(file.path, made[0]): how}
        found = self._defined(file, name)
        if found:
            return found
        if own:
            return {MemberValue(file.path, own[0]): Strategy.SCOPE}
        return self._numbered(file, name, PROTOTYPE, self._paths(file, name, PROTOTYPE)[:1])

    def _has_variants(self, file: SourceFile, name: str, made: Sequence[int]) -> bool:
        """True if a name has several definitions: by conditions, or in a file of each platform."""
        if len(made) > 1:
            return True
        only = file.declarations[made[0]]
        if name in STANDARD and only.decl_context.startswith("#"):
            return True  # the library's, unless it lacks one
        if only.kind != "function" or "static" in only.modifiers or name == "main":
            return False
        return any(path != file.path for path in self._includes.sharing(name, DEFINITION))

    def _declared(self, file: SourceFile, name: str) -> list[int]:
        return self._evaluation.types.table(file).members.get((MODULE, name), [])

    def _is_type(self, file: SourceFile, number: int) -> bool:
        return file.declarations[number].kind in {*TAGGED, TYPEDEF}

    def _defined(self, file: SourceFile, name: str) -> Result:
        """Definitions in other files: with external linkage, then in headers."""
        for linkage in (DEFINITION, LOCAL):
            found = self._numbered(file, name, linkage, self._paths(file, name, linkage))
            if found:
                return found
        return {}

    def _paths(self, file: SourceFile, name: str, linkage: str) -> list[str]:
        """The files that share a name with a file, and its includes."""
        found = [path for path in self._includes.sharing(name, linkage) if path != file.path]
        if found and name in STANDARD:
            found = self._replacing(file, name, linkage, found)
        if linkage == DEFINITION or not file.facts.imports:
            return found
        for path in self._includes.included_sources(file):
            other = self._evaluation.file(path)
            if other is not None:
                self._evaluation.types.depend_on(other, 0, name)
                if self._of_linkage(other, name, linkage):
                    found.append(path)
        return found

    def _replacing(
        self, file: SourceFile, name: str, linkage: str, paths: Sequence[str]
    ) -> list[str]:
        """The files whose declaration of a name of the library a file sees in its place.

        A tree that is its own library declares its functions in headers.
        """
        headers = self._includes.sharing(name, PROTOTYPE)
        if linkage != LOCAL and any(path.endswith(HEADERS) for path in headers):
            return [*paths]
        included = self._includes.included(file)
        return [path for path in paths if path in included]

    def _of_linkage(self, file: SourceFile, name: str, linkage: str) -> list[int]:
        """The declarations of a file that others who include it see in this way."""
        rows = file.declarations
        return [
            n for n in self._declared(file, name) if linkage_of(rows[n], is_seen=True) == linkage
        ]

    def _numbered(self, file: SourceFile, name: str, linkage: str, paths: list[str]) -> Result:
        """The meant declarations among the ones of these files.

        Which files they are in says enough to choose: only the chosen ones are looked into.
        """
        nearest = self._includes.nearest(file, [(path, NONE) for path in paths])
        if linkage != PROTOTYPE and all(how == Strategy.NAME for _, how in nearest):
            headers = set(self._paths(file, name, PROTOTYPE)) if nearest else set()
            if len(headers) == 1:  # one of several definitions that a single header declares
                nearest = [(nearest[0][0], Strategy.OVERLOAD)]
        found: list[tuple[Row, Strategy]] = []
        for (path, _), how in nearest:
            other = self._evaluation.file(path)
            numbers = [] if other is None else self._of_linkage(other, name, linkage)
            least = Strategy.OVERLOAD if len(numbers) > 1 and linkage != PROTOTYPE else how
            found += [((path, number), max(how, least)) for number in numbers[:1]]
        return as_members(found)

    # types

    def types_in_module(self, file: SourceFile, scope: int, name: str, arity: int) -> Result:
        """A type by the name of a typedef, or by its tag."""
        del scope, arity
        if name.startswith(f"{STRUCT} "):
            return self._tagged(file, name.removeprefix(f"{STRUCT} "))
        # a struct without a tag is declared under the name of its typedef
        return self._typed(file, name, frozenset({TYPEDEF})) or self._tagged(file, name)

    def qualified(self, file: SourceFile, scope: int, whole: str, arity: int) -> Result:
        """A type by its tag."""
        del scope, arity
        first, _, name = whole.partition(".")
        return self._tagged(file, name) if first == STRUCT else {}

    def _tagged(self, file: SourceFile, name: str) -> Result:
        key = ("tag", file.path, name)
        return self._evaluation.engine.unit(key, lambda: self._typed(file, name, TAGGED))

    def _typed(self, file: SourceFile, name: str, kinds: frozenset[str]) -> Result:
        found: Result = {}
        for value, how in self._declared_types(file, name, kinds):
            other = self._evaluation.file(value.path)
            if other is not None:
                merge(found, self._meaning(other, value.declaration), how)
        return found

    def _declared_types(
        self, file: SourceFile, name: str, kinds: frozenset[str]
    ) -> list[tuple[MemberValue, Strategy]]:
        """The nearest declaration of a type, if there is one."""
        paths = [file.path]
        if not self._of_kinds(file, name, kinds):
            linkage = TYPEDEF if TYPEDEF in kinds else TAG
            paths = self._in_sources(file, name, kinds)
            paths = paths or self._includes.sharing(name, linkage)[:_MOST_STORED]
        for (path, _), how in self._includes.nearest(file, [(path, NONE) for path in paths])[:1]:
            other = self._evaluation.file(path)
            for number in [] if other is None else self._of_kinds(other, name, kinds)[:1]:
                return [(MemberValue(path, number), how)]
        return []

    def _in_sources(self, file: SourceFile, name: str, kinds: frozenset[str]) -> list[str]:
        """The first included file with a declaration of a type that others do not see."""
        for path in self._includes.included_sources(file) if file.facts.imports else ():
            other = self._evaluation.file(path)
            if other is not None:
                self._evaluation.types.depend_on(other, 0, name)
                if self._of_kinds(other, name, kinds):
                    return [path]
        return []

    def _of_kinds(self, file: SourceFile, name: str, kinds: frozenset[str]) -> list[int]:
        rows = file.declarations
        return [n for n in self._declared(file, name) if rows[n].kind in kinds]

    def _meaning(self, file: SourceFile, number: int) -> Result:
        """The type behind a name: a struct, or the target of a typedef."""
        self._evaluation.classes.depend_on_declaration(file, number)
        scope = file.scope_of_declaration.get(number, NONE)
        if scope != NONE and file.kind(scope) == ScopeKind.CLASS:
            return {ClassValue(file.path, scope): Strategy.SCOPE}
        return self._evaluation.types.alias(file, number)

    def written(self, file: SourceFile, number: int, found: Result) -> Result:
        """The typedef that a name is, which stands for another type."""
        item = file.expressions[number]
        if item.op != Op.NAME or any(not isinstance(v, ClassValue | External) for v in found):
            return {}
        rows = self._declared_types(file, item.name, frozenset({TYPEDEF}))
        if not rows and not any(isinstance(value, ClassValue) for value in found):
            rows = self._declared_types(file, item.name, frozenset({"enum"}))  # without a tag
        return dict(rows)

    def written_type(self, file: SourceFile, declaration: int) -> Result:
        """The number that a declaration is of, as files of C++ see it, too."""
        return written_number(file.declarations[declaration])

    # calls through members

    def other_callees(self, file: SourceFile, number: int) -> Result:
        """A macro that is called, or the functions that are stored in a called member."""
        called = file.expressions[number].of
        if file.expressions[called].op not in {Op.NAME, Op.MEMBER}:
            return {}
        found: Result = {}
        for value, how in self._evaluation.names.resolve(file, called).items():
            other = self._evaluation.file(value.path) if isinstance(value, MemberValue) else None
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
        found = self._evaluation.engine.unit(key, lambda: self._stored_in(owner, declaration))
        if found or file.path == owner.path:
            return found
        return {}

    def _stored_in(self, owner: SourceFile, declaration: int) -> Result:
        member = owner.declarations[declaration]
        holder = owner.declarations[member.parent].name if member.parent != MODULE else ""
        found: Result = {}
        for name in dict.fromkeys((stored(member.name, holder), stored(member.name, ""))):
            for file in self._evaluation.types.declaring("c", name):
                for store in file.stores.get(member.name, ()):
                    if len(found) >= _MOST_STORED:
                        return found
                    if stored_as(file, store) == name and self._is_of(
                        file, store.target, owner.path, declaration
                    ):
                        merge(found, self._function(file, store.value), most=_MOST_STORED)
        return found

    def _is_of(self, file: SourceFile, target: int, path: str, declaration: int) -> bool:
        """True if a MEMBER belongs to a type."""
        self._evaluation.engine.depend_on(
            file.path, name_key(file.path, "", file.expressions[target].name)
        )
        return any(
            isinstance(value, MemberValue)
            and (value.path, value.declaration) == (path, declaration)
            for value in self._member(file, target)
        )

    def _member(self, file: SourceFile, number: int) -> Result:
        """The members that a MEMBER of a value or, in a table, of a type means."""
        item = file.expressions[number]
        found = self._evaluation.names.resolve(file, number)
        if any(isinstance(value, MemberValue) for value in found) or item.of == NONE:
            return found
        found = {}
        for value in self._evaluation.types.of(file, item.of):
            if isinstance(value, ClassValue):
                merge(found, self._evaluation.classes.members(value, item.name))
        return found

    def _function(self, file: SourceFile, number: int) -> Result:
        values = self._evaluation.names.values(self._evaluation.names.resolve(file, number))
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

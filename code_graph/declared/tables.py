"""Declarations of a file by name, and expected types, in languages with declared types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final

from code_graph.declared.declared_names import last_of
from code_graph.evaluate.source_file import SourceFile, grouped
from code_graph.expressions import NONE, BindingKind, Clause, Op, Role, ScopeKind
from code_graph.facts import MODULE
from index_format.tuples import NamedTuple

NAMESPACES: Final = frozenset({"namespace", "package", "module"})
_NO_BOUNDS: Final[Mapping[str, Sequence[int]]] = MappingProxyType({})
_TYPE_ROLES: Final = frozenset(
    {
        Role.BASE,
        Role.IMPLEMENTS,
        Role.RESULT,
        Role.TYPE,
        Role.TYPE_PARAMETER,
        Role.RECEIVER,
        Role.ALIAS,
        Role.MEMBER_OF,
        Role.RAISES,
    }
)
# operators some of whose operands are types
_WITH_TYPES: Final = frozenset({Op.NEW, Op.CAST, Op.APPLY, Op.CALLABLE})
# operators whose place says what their operands are
_PASSED_ON: Final = frozenset({Op.EITHER, Op.LIST, Op.TUPLE})
# operators whose operands are types where they are a type themselves
_COMPOUND: Final = frozenset({Op.APPLY, Op.LIST, Op.TUPLE, Op.EITHER, Op.MEMBER, Op.CALLABLE})


class TypeRow(NamedTuple):
    """A type that a file declares; `chain` are the names around it, with their arities."""

    declaration: int
    name: str
    arity: int
    namespace: str
    # the declaration of the type or function around it, or MODULE
    holder: int


class Expected(NamedTuple):
    """The context that gives the type of a value."""

    kind: str  # annotation, call, store, result, part
    number: int  # of the type, the call, the target, the tuple; or the scope of the function
    position: int = 0  # -1 for an element of a list


class DeclarationTable:
    """The declarations of one file by name."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file

    @cached_property
    def type_places(self) -> frozenset[int]:
        """The expressions that stand for types."""
        file, code = self._file, self._file.code
        left = [item.annotation for item in code.bindings]
        left += [item.annotation for item in code.stores]
        left += [item.value for item in code.clauses if item.role in _TYPE_ROLES]
        left += self.decorators
        for item in [item for item in code.expressions if item.op in _WITH_TYPES]:
            if item.op in {Op.NEW, Op.CALLABLE} or (item.op == Op.APPLY and not item.items):
                left.append(item.of)
            if item.op != Op.NEW:
                left += [part.value for part in item.items]
        found: set[int] = set()
        while left:
            number = left.pop()
            if number == NONE or number in found:
                continue
            found.add(number)
            item = file.expressions[number]
            if item.op in _COMPOUND:
                left += [item.of, *(part.value for part in item.items)]
        return frozenset(found)

    @cached_property
    def decorators(self) -> frozenset[int]:
        """The names of attributes or annotations."""
        found: set[int] = set()
        for clause in self._file.decorators:
            if clause.value != NONE:
                item = self._file.expressions[clause.value]
                found.add(item.of if item.op == Op.CALL and item.of != NONE else clause.value)
        return frozenset(found)

    @cached_property
    def arities(self) -> dict[int, int]:
        """The number of type arguments, by the number of the name that has them."""
        return {
            item.of: len(item.items)
            for item in self._file.expressions
            if item.op == Op.APPLY and item.of != NONE
        }

    @cached_property
    def called(self) -> frozenset[int]:
        """The called names and members."""
        found: set[int] = set()
        for item in self._file.expressions:
            if item.op == Op.CALL and item.of != NONE:
                inner = self._file.expressions[item.of]
                found.add(inner.of if inner.op == Op.APPLY else item.of)
        return frozenset(found)

    @cached_property
    def members(self) -> dict[tuple[int, str], list[int]]:
        """The declarations in each declaration by name, in the order of the text."""
        numbered = enumerate(self._file.declarations)
        return grouped(((item.parent, item.name), number) for number, item in numbered)

    @cached_property
    def of_kind(self) -> dict[tuple[int, str], list[int]]:
        """The declarations in each declaration by kind."""
        numbered = enumerate(self._file.declarations)
        return grouped(((item.parent, item.kind), number) for number, item in numbered)

    @cached_property
    def types(self) -> dict[str, list[TypeRow]]:
        """The types outside of functions, by name."""
        found: dict[str, list[TypeRow]] = defaultdict(list)
        for number in self._type_declarations():
            item = self._file.declarations[number]
            namespace, holder = self._around(item.parent)
            row = TypeRow(number, item.name, self.arity(number), namespace, holder)
            found[item.name].append(row)
        return dict(found)

    def _type_declarations(self) -> Iterator[int]:
        for number, scope in self._file.scope_of_declaration.items():
            kind = self._file.declarations[number].kind
            is_class = self._file.kind(scope) == ScopeKind.CLASS
            if kind not in NAMESPACES and (is_class or kind in {"delegate", "type", "typedef"}):
                yield number

    def _around(self, number: int) -> tuple[str, int]:
        """The namespace around a declaration, and the type or function around it, if any."""
        rows, holder = self._file.declarations, MODULE
        names: list[str] = []
        while number != MODULE and len(names) <= len(rows):
            if rows[number].kind in NAMESPACES:
                names.append(rows[number].name)
            elif holder == MODULE:
                holder = number
            number = rows[number].parent
        return ".".join(reversed(names)) or self.package, holder

    @cached_property
    def package(self) -> str:
        """The package that a file says it belongs to, in one or several parts; it may say none."""
        return ".".join(self.packages)

    @cached_property
    def packages(self) -> Sequence[str]:
        """The parts in which a file says its package: `package a.b` and `package c` of Scala."""
        rows = self._file.declarations
        return [row.name for row in rows if row.kind == "package" and row.parent == MODULE]

    def namespace_of(self, declaration: int) -> str:
        """The namespace that a declaration is in."""
        return self._around(declaration)[0]

    def arity(self, declaration: int) -> int:
        """The number of a declaration's type parameters."""
        return len(self.type_parameter_names(declaration))

    def type_parameter_names(self, declaration: int) -> list[str]:
        """The names of a declaration's type parameters."""
        return list(self.bounds(declaration))

    def bounds(self, declaration: int) -> Mapping[str, Sequence[int]]:
        """The type parameters of a declaration with their bounds."""
        return self._bounds.get(declaration, _NO_BOUNDS)

    @cached_property
    def _bounds(self) -> dict[int, dict[str, list[int]]]:
        found: dict[int, dict[str, list[int]]] = {}
        for item in self._file.code.clauses:
            if item.role == Role.TYPE_PARAMETER:
                rows = found.setdefault(item.declaration, {}).setdefault(item.name, [])
                if item.value != NONE:
                    rows.append(item.value)
        return found

    def clauses(self, declaration: int) -> list[Clause]:
        """The clauses in the head of a declaration."""
        return self._file.clauses.get(declaration, [])

    def clause(self, declaration: int, *roles: Role) -> int:
        """The first expression of the head of a declaration (base, type, …) in a role, or NONE."""
        for item in self.clauses(declaration):
            if item.role in roles and item.value != NONE:
                return item.value
        return NONE

    @cached_property
    def expected(self) -> dict[int, Expected]:
        """Contextual typing: for a function or object, the call or binding that gives its type."""
        found: dict[int, Expected] = {}
        for number, value in self._takers():
            found.setdefault(number, value)
        expressions = self._file.expressions
        for number in reversed(range(len(expressions))):
            item = expressions[number]
            if number not in found:
                continue
            for position, part in enumerate(item.items if item.op in _PASSED_ON else ()):
                one = found[number]
                if item.op != Op.EITHER:
                    one = Expected("part", number, -1 if item.op == Op.LIST else position)
                found.setdefault(part.value, one)
        return found

    def _takers(self) -> Iterator[tuple[int, Expected]]:
        file, code = self._file, self._file.code
        for number, item in enumerate(code.expressions):
            if item.op in {Op.CALL, Op.NEW}:
                for position, part in enumerate(item.items):
                    yield part.value, Expected("call", number, position)
            elif item.op == Op.CAST and item.of != NONE and item.items:
                yield item.of, Expected("annotation", item.items[0].value)
        for store in code.stores:
            yield store.value, Expected("store", store.target)
        for result in code.results:
            yield result.value, Expected("result", file.function_around(result.scope), result.kind)
        for binding in code.bindings:
            if binding.annotation != NONE and binding.kind != BindingKind.IMPORTED:
                yield binding.value, Expected("annotation", binding.annotation)


def shared_names(file: SourceFile) -> dict[str, object]:
    """The names by which other files find the declarations of a file.

    Types outside of others, methods that extend a type, namespaces, and usings for all files; each
    with what the file says of it.
    """
    table = DeclarationTable(file)
    found: dict[str, list[object]] = defaultdict(list)
    for name, rows in table.types.items():
        for row in rows:
            if row.holder == MODULE:
                item = file.declarations[row.declaration]
                is_part = "partial" in item.modifiers
                found[name].append((row.namespace, row.arity, item.kind, is_part))
    for clause in file.code.clauses:
        if clause.role == Role.RECEIVER and clause.declaration != NONE:
            scope = file.scope_of_declaration.get(clause.declaration, 0)
            name = file.declarations[clause.declaration].name
            found[name].append(("extends", file.qualified(scope)))
        elif clause.role == Role.IMPLEMENTS and clause.value != NONE:
            block = file.declarations[clause.declaration]
            trait = last_of(file, clause.value) if block.kind == "impl" else ""
            if trait:
                found[f"{trait}{IMPLEMENTED}"].append(block.name)
    for item in file.declarations:
        if item.kind in NAMESPACES:
            around = table.namespace_of(item.parent) if item.parent != MODULE else ""
            whole = f"{around}.{item.name}" if around and item.kind != "package" else item.name
            found[whole].append("namespace")
    if file.code.exports:
        aliases = [(item.alias, item.module) for item in file.facts.imports]
        modules = [(item.name, item.module) for item in file.code.exports]
        found[GLOBAL_USING].append((modules, aliases))
    return {name: sorted(map(repr, rows)) for name, rows in found.items()}


# the end of the name by which the blocks that implement a trait are found
IMPLEMENTED: Final = "\0impl"
# the name by which files with usings for all files are found
GLOBAL_USING: Final = "global using"


def table_of(file: SourceFile) -> DeclarationTable:
    """The declarations of a file by name, made once."""
    found = file.table
    if isinstance(found, DeclarationTable):
        return found
    made = file.table = DeclarationTable(file)
    return made

"""One file prepared for evaluation: its code with lookups by scope, name and declaration."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, Final, TypeVar

from code_graph.expressions import (
    NONE,
    Binding,
    BindingKind,
    Clause,
    Code,
    Export,
    Expression,
    MemberStore,
    Op,
    Result,
    Role,
    ScopeKind,
)
from code_graph.facts import Declaration, Facts
from code_graph.model import FILE
from index_format.tuples import NamedTuple

K = TypeVar("K")
V = TypeVar("V")

_HOLDERS: Final = frozenset(
    {ScopeKind.MODULE, ScopeKind.CLASS, ScopeKind.FUNCTION, ScopeKind.BLOCK}
)
PARAMETERS: Final = frozenset(
    {
        BindingKind.PARAMETER,
        BindingKind.VARIADIC,
        BindingKind.KEYWORDS,
        BindingKind.KEYWORD_ONLY,
    }
)
_OWNERS: Final = frozenset({ScopeKind.FUNCTION, ScopeKind.CLASS, ScopeKind.MODULE})
_CALLING: Final = frozenset({Op.CALL, Op.NEW})
_NAMING: Final = frozenset({Op.NAME, Op.MEMBER, Op.APPLY})
_LOOP: Final = ScopeKind.LOOP
# a place after all expressions of a file
END: Final = 1 << 60
# bindings of one name that are considered for one use: a generated function has thousands
MOST_BINDINGS: Final = 256
_BOUND_AT: Final = attrgetter("at")


def grouped(rows: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of each key, in order."""
    found: dict[K, list[V]] = defaultdict(list)
    for key, value in rows:
        found[key].append(value)
    return dict(found)


class Way(NamedTuple):
    """The lookup of a name: the scope that binds it or NONE, and the dependencies on the way."""

    holder: int
    # true if a function or class is between the use and that scope
    is_crossing: bool
    dependencies: tuple[tuple[str, int], ...]
    # true if that is the class whose body the use is in
    is_of_class: bool = False


class SourceFile:
    """Facts and code of one file, indexed for the linker."""

    def __init__(self, path: str, facts: Facts, code: Code | None, fingerprint: bytes) -> None:
        self.path = path
        self.facts = facts
        self.fingerprint = fingerprint
        self.language = facts.language
        self.code = code or Code()
        self.expressions: Sequence[Expression] = self.code.expressions
        self.declarations: Sequence[Declaration] = facts.declarations
        scopes = self.code.scopes
        self._kinds = [scope.kind for scope in scopes]
        self._parents = [scope.parent for scope in scopes]
        # values that the rules of a language derive from it at first use
        self.table: object = None
        # of names, by the scope from which they are looked up
        self.ways: dict[tuple[int, str], Way] = {}
        # the keys of dependencies on names, by scope
        self.keys: dict[tuple[int, str], int] = {}
        self._functions: dict[int, int] = {}
        self._owners: dict[int, int] = {}
        self._classes: dict[int, int] = {}
        self._qualified: dict[int, str] = {}
        self._loops: dict[tuple[int, int], int] = {}
        self._made: dict[str, Any] = {}

    def release(self) -> None:
        """Drop what refers to the file itself, so that its memory is freed with its last use.

        All of it is made again if it is needed.
        """
        self.table = None
        self._made.clear()

    @cached_property
    def depths(self) -> list[int]:
        """The number of scopes around each scope."""
        found: list[int] = []
        for parent in self._parents:  # stands before what is in it
            found.append(0 if parent == NONE else found[parent] + 1)
        return found

    @cached_property
    def bindings(self) -> dict[tuple[int, str], list[Binding]]:
        """The bindings of each name in each scope, in the order of the text and of their places."""
        return grouped(((item.scope, item.name), item) for item in self.code.bindings)

    @cached_property
    def declaring(self) -> dict[tuple[int, str], list[int]]:
        """The declarations that the bindings of each name in each scope are."""
        declaring = (item for item in self.code.bindings if item.declaration != NONE)
        return grouped(((item.scope, item.name), item.declaration) for item in declaring)

    @cached_property
    def binding_numbers(self) -> dict[tuple[int, str], list[int]]:
        """The numbers of the bindings of each name in each scope."""
        numbered = enumerate(self.code.bindings)
        return grouped(((item.scope, item.name), number) for number, item in numbered)

    @cached_property
    def exports(self) -> dict[str, list[Export]]:
        """The file's exports by name; "*" for all names of other modules."""
        return grouped((item.name, item) for item in self.code.exports)

    @cached_property
    def names_in(self) -> dict[int, list[str]]:
        """The names bound in each scope, each once."""
        found: dict[int, dict[str, None]] = defaultdict(dict)
        for item in self.code.bindings:
            found[item.scope][item.name] = None
        return {scope: list(names) for scope, names in found.items()}

    @cached_property
    def parameters(self) -> dict[int, list[Binding]]:
        """The parameters of each function, in order."""
        return grouped((row.scope, row) for row in self.code.bindings if row.kind in PARAMETERS)

    @cached_property
    def scope_of_declaration(self) -> dict[int, int]:
        """The scope of each declaration that has one."""
        scopes = self.code.scopes
        return {
            scope.declaration: number
            for number, scope in enumerate(scopes)
            if scope.declaration != NONE
        }

    @cached_property
    def clauses(self) -> dict[int, list[Clause]]:
        """The clauses in the head of each declaration."""
        return grouped((item.declaration, item) for item in self.code.clauses)

    @cached_property
    def receivers(self) -> dict[int, int]:
        """The declaration of each name of a receiver's type, and of the types around that."""
        found: dict[int, int] = {}
        for clause in self.code.clauses:
            number = clause.value if clause.role == Role.RECEIVER else NONE
            while number != NONE and self.expressions[number].op in _NAMING:
                found[number] = clause.declaration
                number = self.expressions[number].of
        return found

    @cached_property
    def decorators(self) -> list[Clause]:
        """The decorators of the file."""
        return [item for item in self.code.clauses if item.role == Role.DECORATOR]

    @cached_property
    def bases(self) -> list[Clause]:
        """The bases that classes of the file name."""
        return [item for item in self.code.clauses if item.role == Role.BASE and item.value != NONE]

    @cached_property
    def results(self) -> dict[int, list[Result]]:
        """The results of each function."""
        return grouped((self.function_around(item.scope), item) for item in self.code.results)

    @cached_property
    def stores(self) -> dict[str, list[MemberStore]]:
        """The values stored in members, by the members' names."""
        targets = ((self.expressions[item.target], item) for item in self.code.stores)
        return grouped((to.name, item) for to, item in targets if to.op == Op.MEMBER)

    @cached_property
    def calls(self) -> dict[str, list[int]]:
        """The calls in the file by the last name of the callee."""
        return grouped(
            (self.last_name(item.of), number)
            for number, item in enumerate(self.expressions)
            if item.op in _CALLING and item.of != NONE
        )

    @cached_property
    def argument_of(self) -> dict[int, int]:
        """The call that a function expression is an argument of, by the expression's number."""
        return {
            part.value: number
            for number, item in enumerate(self.expressions)
            if item.op in _CALLING
            for part in item.items
            if part.value != NONE and self.expressions[part.value].op == Op.FUNCTION
        }

    @cached_property
    def function_expressions(self) -> dict[int, int]:
        """The expression of each function without a declaration, by its scope."""
        return {
            item.of: number
            for number, item in enumerate(self.expressions)
            if item.op == Op.FUNCTION
        }

    def cached(self, name: str, make: Callable[[SourceFile], V]) -> V:
        """Something that the rules of a language make of a file alone, made once."""
        if name not in self._made:
            self._made[name] = make(self)
        found: V = self._made[name]
        return found

    def last_name(self, number: int) -> str:
        """The name at the end of an expression: `c` of `a.b.c`; empty for others."""
        item = self.expressions[number]
        while item.op == Op.APPLY and item.of != NONE:
            item = self.expressions[item.of]
        return item.name if item.op in {Op.NAME, Op.MEMBER} else ""

    def kind(self, scope: int) -> int:
        """The kind of a scope."""
        return self._kinds[scope]

    def parent(self, scope: int) -> int:
        """The scope around a scope; NONE for the module."""
        return self._parents[scope]

    def around(self, scope: int) -> Iterator[int]:
        """A scope and the scopes around it."""
        parents = self._parents
        while scope != NONE:
            yield scope
            scope = parents[scope]

    def is_inside(self, scope: int, outer: int) -> bool:
        """True if a scope is this one or inside of it."""
        parents = self._parents
        while scope > outer:
            scope = parents[scope]
        return scope == outer

    def function_around(self, scope: int) -> int:
        """The innermost function or class body around a place, or the module."""
        found = self._functions.get(scope)
        if found is None:
            rows = (item for item in self.around(scope) if self._kinds[item] in _OWNERS)
            found = self._functions[scope] = next(rows, 0)
        return found

    def holder(self, scope: int) -> int:
        """The innermost scope around a place that names something of its own."""
        for number in self.around(scope):
            if self._kinds[number] in _OWNERS or self.code.scopes[number].declaration != NONE:
                return number
        return 0

    def class_around(self, scope: int) -> int:
        """The class whose method contains a place, also in functions inside of it; or NONE."""
        found = self._classes.get(scope)
        if found is None:
            rows = (item for item in self.around(scope) if self._kinds[item] == ScopeKind.CLASS)
            found = self._classes[scope] = next(rows, NONE)
        return found

    def class_of(self, scope: int) -> int:
        """The class whose method a function is; NONE for others."""
        around = NONE if scope == NONE else self.code.scopes[scope].parent
        around = NONE if around == NONE else self.function_around(around)
        return around if around != NONE and self._kinds[around] == ScopeKind.CLASS else NONE

    def method_around(self, scope: int) -> int:
        """The method of a class that contains a place, also in functions inside of it; or NONE."""
        last = NONE
        for number in self.around(scope):
            kind = self.kind(number)
            if kind == ScopeKind.FUNCTION:
                last = number
            elif kind == ScopeKind.CLASS:
                return last
        return NONE

    def owner(self, scope: int) -> int:
        """The declaration that a scope's code belongs to, or FILE."""
        found = self._owners.get(scope)
        if found is None:
            rows = (self.code.scopes[number].declaration for number in self.around(scope))
            found = next((each for each in rows if each != NONE), FILE)
            self._owners[scope] = found
        return found

    @cached_property
    def declared_at(self) -> dict[tuple[int, int], int]:
        """The declarations by line and column of their names."""
        rows = enumerate(self.declarations)
        return {(item.name_line, item.name_column): number for number, item in rows}

    @cached_property
    def name_at(self) -> dict[tuple[int, int], int]:
        """The names and members by line and column."""
        rows = enumerate(self.expressions)
        return {
            (item.line, item.column): number
            for number, item in rows
            if item.line and item.op in _NAMING
        }

    def path_of(self, number: int) -> str:
        """The names of `a.b.c`, as far as they are known."""
        names: list[str] = []
        while number != NONE and self.expressions[number].op in _NAMING:
            names.append(self.expressions[number].name)
            number = self.expressions[number].of
        return ".".join(reversed(names))

    def place(self, number: int) -> tuple[int, int]:
        """Line and column of an expression's name, or of the first name in it."""
        for _ in range(64):
            item = self.expressions[number]
            if item.line:
                return item.line, item.column
            inner = item.of if item.of != NONE and item.op != Op.FUNCTION else NONE
            if inner == NONE:
                inner = next((part.value for part in item.items if part.value != NONE), NONE)
            if inner == NONE:
                break
            number = inner
        return 0, 0

    def qualified(self, scope: int) -> str:
        """The names of the declarations around a scope and its own, joined by dots."""
        found = self._qualified.get(scope)
        if found is None:
            # a declaration may have several scopes, one in the other
            numbers = dict.fromkeys(
                self.code.scopes[number].declaration for number in self.around(scope)
            )
            names = [self.declarations[number].name for number in numbers if number != NONE]
            found = self._qualified[scope] = ".".join(reversed(names))
        return found

    def reaching(self, scope: int, name: str, at: int, region: int) -> list[Binding]:
        """The bindings of a name in a scope that a use may see, the last one first.

        One that surely ran before the use hides those before it; one later in a loop around the
        use is seen too. Of each, only so many are looked at as are next to the use.
        """
        rows = self.bindings.get((scope, name), [])
        if len(rows) == 1:
            return rows
        inside = set(self._until(region, scope))
        found: list[Binding] = []
        here = bisect_right(rows, at, key=_BOUND_AT)
        for item in reversed(rows[max(here - MOST_BINDINGS, 0) : here]):
            found.append(item)
            if item.region in inside and item.kind != BindingKind.DELETED:
                break
        loop = self._outermost_loop(region, scope)
        if loop != NONE or not found:
            for item in rows[here : here + MOST_BINDINGS]:
                if item.kind == BindingKind.NARROWED:
                    continue
                if not found or (loop != NONE and self._outermost_loop(item.region, scope) == loop):
                    found.append(item)
        return found

    def bound_before(self, scope: int, name: str, at: int, region: int) -> list[Binding]:
        """The bindings of a name above a use, the last one first; items are seen from anywhere."""
        rows = self.bindings.get((scope, name), [])
        here = bisect_right(rows, at, key=_BOUND_AT)
        inside = set(self._until(region, scope)) if here > 1 else {scope}
        found: list[Binding] = []
        for item in reversed(rows[max(here - MOST_BINDINGS, 0) : here]):
            found.append(item)
            if here == 1 or item.region in inside:
                break
        return found or [item for item in rows if item.declaration != NONE][:MOST_BINDINGS]

    def _outermost_loop(self, region: int, scope: int) -> int:
        """The outermost loop around a place in the scope that holds a name, or NONE."""
        key = region, scope
        found = self._loops.get(key)
        if found is None:
            rows = (item for item in self._until(region, scope) if self._kinds[item] == _LOOP)
            found = self._loops[key] = next(reversed([*rows]), NONE)
        return found

    def _until(self, region: int, scope: int) -> Iterator[int]:
        """A scope and the scopes around it, up to the scope that holds a name."""
        for number in self.around(region):
            yield number
            if number == scope:
                return


def holds_names(kind: int) -> bool:
    """True if names are bound in scopes of a kind."""
    return kind in _HOLDERS

"""C++ name lookup through enclosing namespaces, `using` and namespace aliases.

Which files declare a whole name is known by its key, and which of them is meant by their paths and
by includes: only the chosen files are looked into.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import imports_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    MOST_MEMBERS,
    ClassValue,
    External,
    MemberValue,
    Result,
    merge,
)
from code_graph.expressions import NONE, BindingKind, ScopeKind
from code_graph.languages.c.rules.includes import HEADERS, Includes, Row, as_members
from code_graph.languages.c.rules.linkage import PROTOTYPE, TYPES, VALUES, shared
from code_graph.languages.cpp.parameters import types_key
from code_graph.languages.cpp.rules.shared import (
    FUNCTIONS,
    TYPE,
    VALUE,
    is_inline,
    is_seen,
    named,
    shared_whole,
    whole_names,
)
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation

_LANGUAGE: Final = "cpp"
# files that may declare a name which a macro hides
_MOST_FILES: Final = 80
# types that the library has since C++20
_LATER: Final = frozenset(
    """
    endian expected identity jthread mdspan out_ptr_t partial_ordering remove_cvref remove_cvref_t
    source_location span stop_token strong_ordering type_identity type_identity_t unwrap_ref_decay
    unwrap_ref_decay_t unwrap_reference unwrap_reference_t weak_ordering
    """.split()  # noqa: SIM905 a list of words reads better
)
_BY_LINKAGE: Final = {TYPE: TYPES, VALUE: VALUES}


class Namespaces:
    """Names in namespaces, as the files of a tree see them."""

    def __init__(self, evaluation: DeclaredEvaluation, includes: Includes) -> None:
        self._evaluation = evaluation
        self._engine = evaluation.engine
        self._includes = includes

    # where a place is

    def around(self, file: SourceFile, scope: int) -> str:
        """The namespace that a scope is in, with dots."""
        known = file.cached("namespaces", _no_namespaces)
        found = known.get(scope)
        if found is None:
            found = known[scope] = _namespace(file, scope)
        return found

    # meanings of names

    def meaning(self, file: SourceFile, scope: int, name: str, kind: str) -> Result:
        """Declarations of a name in the namespaces around a scope and in used ones."""
        return self._meaning(self._named(file, scope, name, kind), kind)

    def near(self, file: SourceFile, name: str, kind: str) -> Result:
        """The only declaration of a name among the includes of a file."""
        is_declared = self._is_declared(name, kind)
        return self._meaning(self._included(file, name, kind), kind) if is_declared else {}

    def near_types(self, file: SourceFile, name: str) -> Result:
        """The only type of a name, as a member."""
        return self._included(file, name, TYPE) if self._is_declared(name, TYPE) else {}

    def types(self, file: SourceFile, scope: int, name: str) -> Result:
        """The declarations of a type by its name, as members."""
        return self._named(file, scope, name, TYPE)

    def _named(self, file: SourceFile, scope: int, name: str, kind: str) -> Result:
        if not self._is_declared(name, kind):
            return {}
        found = self._inside(file, self.around(file, scope), name, kind)
        return found or self._used(file, scope, name, kind)

    def qualified(self, file: SourceFile, scope: int, whole: str) -> Result:
        """A type or value by a name with its namespace, maybe inside of those around."""
        for found, kind in self._qualified(file, scope, whole, (TYPE, VALUE)):
            meaning = self._meaning(found, kind)
            if meaning:
                return meaning
        return {}

    def qualified_types(self, file: SourceFile, scope: int, whole: str) -> Result:
        """The declarations of a type by a name with its namespace, as members."""
        rows = self._qualified(file, scope, whole, (TYPE,))
        return next((found for found, _ in rows), {})

    def _qualified(
        self, file: SourceFile, scope: int, whole: str, kinds: Sequence[str]
    ) -> Iterator[tuple[Result, str]]:
        first, _, rest = whole.partition(".")
        for alias in self.alias(file, scope, first):
            if isinstance(alias, External):
                whole = f"{alias.name}.{rest}"
        last = whole.rpartition(".")[2]
        kinds = [kind for kind in kinds if self._is_declared(last, kind)]
        for inner in outwards(self.around(file, scope), whole) if kinds else ():
            for kind in kinds:
                found = self._declared(file, inner, kind)
                if found:
                    yield found, kind
        for kind in kinds:
            found = self._included(file, whole, kind)
            if found:
                yield found, kind

    def alias(self, file: SourceFile, scope: int, name: str) -> Result:
        """The target of a namespace alias."""
        for number in file.around(scope):
            for binding in file.bindings.get((number, name), ()):
                if binding.kind == BindingKind.DECLARED and binding.value != NONE:
                    value = file.expressions[binding.value]
                    whole = self._evaluation.types.dotted(file, value)
                    return {External(whole): Strategy.SCOPE} if whole else {}
        return {}

    def _used(self, file: SourceFile, scope: int, name: str, kind: str) -> Result:
        """Declarations of a name by `using`."""
        known = file.cached("usings", _usings)
        for number in file.around(scope) if known else ():
            found = self._used_in(file, number, name, kind)
            if found:
                return found
        return {}

    def _used_in(self, file: SourceFile, scope: int, name: str, kind: str) -> Result:
        """Declarations of a name by the `using` of one scope."""
        rows = file.cached("usings", _usings).get(scope, ())
        # a name of a `using` declaration precedes those of a `using` directive
        for module, _ in sorted((row for row in rows if row[1] in {name, ""}), key=_by_name):
            whole = f"{module}.{name}" if module else name
            for inner in outwards(self.around(file, scope), whole):
                found = self._declared(file, inner, kind)
                if found:
                    return found
        return {}

    def used_in(self, file: SourceFile, scope: int, name: str, kind: str) -> Result:
        """The meaning of a name by the `using` of a function or block."""
        if scope not in file.cached("usings", _usings) or not self._is_declared(name, kind):
            return {}
        return self._meaning(self._used_in(file, scope, name, kind), kind)

    def uses_members(self, file: SourceFile, scope: int, name: str) -> bool:
        """True if a class says by `using` that members of a base are its own, too."""
        return any(own == name for _, own in file.cached("usings", _usings).get(scope, ()))

    def _included(self, file: SourceFile, whole: str, kind: str) -> Result:
        """The only declaration of a last name in a file and its transitive includes.

        A macro may open the namespace of either, and a function be found by its arguments.
        """
        last = whole.rpartition(".")[2]
        key = ("included name", file.path, whole, kind)

        def compute() -> Result:
            if last in file.cached("names used", _names_used):
                return {}
            paths = self._includes.holding(_LANGUAGE, named(last))
            seen = self._includes.reached(file)
            found: dict[str, list[Row]] = {}
            for path in paths if len(paths) <= _MOST_FILES else ():
                other = self._evaluation.file(path) if path in seen else None
                for one in () if other is None else _wholes_of(other, last, kind):
                    if one.endswith(f".{whole}") or f".{whole}".endswith(f".{one}"):
                        found.setdefault(one, []).extend(
                            (path, number) for number in self._visible(file, path, one, kind)
                        )
            rows = [rows for rows in found.values() if rows]
            if len(rows) != 1:
                return {}
            return as_members([(row, Strategy.OVERLOAD) for row in rows[0][:MOST_MEMBERS]])

        return self._engine.unit(key, compute)

    def _visible(self, file: SourceFile, path: str, whole: str, kind: str) -> list[int]:
        if path == file.path:
            return whole_names(file).get((whole, kind), [])
        return self._seen_in(path, whole, kind)

    def _is_declared(self, name: str, kind: str) -> bool:
        """True if any file may declare a name; what it declares is part of the question."""
        if self._includes.holding(_LANGUAGE, named(name)):
            return True
        return any(self._in_c(name, kind))

    def _in_c(self, name: str, kind: str) -> Iterator[list[str]]:
        """The files of C that share a name: all are asked about, for what they may declare."""
        return iter([self._includes.holding("c", shared(name, how)) for how in _BY_LINKAGE[kind]])

    def _inside(self, file: SourceFile, namespace: str, name: str, kind: str) -> Result:
        """Declarations of a name in a namespace or in those around it."""
        key = ("in namespaces", file.path, namespace, name, kind)

        def compute() -> Result:
            unsure: Result = {}
            for whole in outwards(namespace, name):
                found = self._find(file, whole, kind)
                if any(how < Strategy.OVERLOAD for how in found.values()):
                    return found
                unsure = unsure or found
            return unsure

        return self._engine.unit(key, compute)

    def declared(self, file: SourceFile, whole: str) -> Result:
        """The functions and variables of a whole name that a file sees."""
        is_declared = self._is_declared(whole.rpartition(".")[2], VALUE)
        return self._declared(file, whole, VALUE) if is_declared else {}

    def _declared(self, file: SourceFile, whole: str, kind: str) -> Result:
        """Declarations of a qualified name that a file sees."""
        key = ("whole name", file.path, whole, kind)
        return self._engine.unit(key, lambda: self._find(file, whole, kind))

    def _find(self, file: SourceFile, whole: str, kind: str) -> Result:
        """Visible declarations of a qualified name, the own file first."""
        own = self._meant(file, whole, kind)
        if own:
            rows = [((file.path, number), Strategy.SCOPE) for number in own]
            return as_members(self._overloads(file, whole, rows)[:MOST_MEMBERS])
        found: list[tuple[Row, Strategy]] = []
        paths = [(path, NONE) for path in self._sharing(file, whole, kind)]
        for (path, _), how in self._includes.nearest(file, paths):
            if kind == VALUE and not self._sees(file, path, whole):
                if whole.startswith("_"):
                    continue  # such names are the compiler's and its library's
                how = max(how, Strategy.OVERLOAD)  # noqa: PLW2901
            found += [((path, number), how) for number in self._seen_in(path, whole, kind)]
        if len(paths) > 1:
            found = self._overloads(file, whole, found)
        return as_members(found[:MOST_MEMBERS])

    def _sees(self, file: SourceFile, path: str, whole: str) -> bool:
        """True if a file includes another, or a header of C with what that defines."""
        seen = self._includes.reached(file)
        if path in seen:
            return True
        return "." not in whole and any(one in seen for one in self._headers_of_c(whole))

    def _headers_of_c(self, name: str) -> list[str]:
        """The headers that are read as C and declare a function or variable."""
        return self._includes.holding("c", shared(name, PROTOTYPE))

    def _overloads(
        self, file: SourceFile, whole: str, known: list[tuple[Row, Strategy]]
    ) -> list[tuple[Row, Strategy]]:
        """Functions with further declarations of the name in the includes of a file.

        A declaration with values for parameters stands for the definition, which has none.
        """
        types = {self._types(row): row for row, _ in known}
        if "" in types:
            return known  # a variable
        rows = dict(known)
        paths = self._sharing(file, whole, VALUE)
        seen = self._includes.reached(file) if paths else frozenset()
        for path in paths:
            for number in self._seen_in(path, whole, VALUE) if path in seen else ():
                row = path, number
                key = self._types(row)
                if key and key not in types:
                    types[key] = row
                    rows[row] = Strategy.IMPORT
                elif key and self._has_defaults(row) and not self._has_defaults(types[key]):
                    rows[row] = rows.pop(types[key])
                    types[key] = row
        return list(rows.items())

    def _has_defaults(self, row: Row) -> bool:
        file = self._evaluation.file(row[0])
        return file is not None and "=" in file.declarations[row[1]].parameters

    def _types(self, row: Row) -> str:
        """The types of a function's parameters; empty for other values."""
        file = self._evaluation.file(row[0])
        item = None if file is None else file.declarations[row[1]]
        return "" if item is None or item.kind not in FUNCTIONS else types_key(item.parameters)

    def _sharing(self, file: SourceFile, whole: str, kind: str) -> list[str]:
        """The files that share a whole name, headers if there are some.

        A function that is declared and defined is one. Headers that are read as C do not have
        parameters, so they stand behind others.
        """
        paths = self._engine.files.declaring(_LANGUAGE, shared_whole(whole, kind))
        if not paths and "." not in whole:
            paths = sorted({path for found in self._in_c(whole, kind) for path in found})
        others = [path for path in paths if path != file.path]
        return [path for path in others if path.endswith(HEADERS)] or others

    def _seen_in(self, path: str, whole: str, kind: str) -> list[int]:
        file = self._evaluation.file(path)
        rows = [] if file is None else self._meant(file, whole, kind)
        return [n for n in rows if file is not None and is_seen(file, file.declarations[n])]

    def _meant(self, file: SourceFile, whole: str, kind: str) -> list[int]:
        """The declarations of a whole name; without what stands in for a type of the library.

        Where a namespace has both, each is of another branch of a condition; C++17 is what
        compilers take unless they are told.
        """
        found = whole_names(file).get((whole, kind), [])
        if kind == VALUE or not found or whole.rpartition(".")[2] in _LATER:
            return found
        self._engine.depend_on(file.path, imports_key(file.path))
        if whole in file.cached("library types", self._library_types):
            return []
        name = f"std::{whole.rpartition('.')[2]}"
        signatures = [file.declarations[n].signature for n in found] if len(found) > 1 else []
        aliases = [n for n, text in zip(found, signatures, strict=False) if name in text]
        return aliases or found

    def _library_types(self, file: SourceFile) -> frozenset[str]:
        """The whole names that the namespaces of a file have by `using std::…`."""
        rows = file.cached("usings", _usings)
        return frozenset(
            ".".join(filter(None, (self.around(file, scope), name)))
            for scope, used in rows.items()
            for module, name in used
            if module == "std" and name and file.kind(scope) == ScopeKind.MODULE
        )

    def _meaning(self, found: Result, kind: str) -> Result:
        """Declared values as they are, of types the classes: also those behind aliases."""
        if kind == VALUE:
            return found
        result: Result = {}
        for value, how in found.items():
            if isinstance(value, MemberValue):
                merge(result, self._class(value.path, value.declaration), how)
        return result

    def _class(self, path: str, number: int) -> Result:
        file = self._evaluation.file(path)
        if file is None:
            return {}
        self._evaluation.classes.depend_on_declaration(file, number)
        scope = file.scope_of_declaration.get(number, NONE)
        if scope != NONE and file.kind(scope) == ScopeKind.CLASS:
            return {ClassValue(path, scope): Strategy.SCOPE}
        return self._evaluation.types.alias(file, number)


def _wholes_of(file: SourceFile, last: str, kind: str) -> list[str]:
    """The whole names in a file that end with a name."""
    known = file.cached("wholes by last name", _wholes_by_last)
    return known.get((last, kind), [])


def _wholes_by_last(file: SourceFile) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for whole, kind in whole_names(file):
        found.setdefault((whole.rpartition(".")[2], kind), []).append(whole)
    return found


def outwards(namespace: str, name: str) -> Iterator[str]:
    """A name in a namespace, in the one around it, and so on."""
    while namespace:
        yield f"{namespace}.{name}"
        namespace = namespace.rpartition(".")[0]
    yield name


def _by_name(row: tuple[str, str]) -> bool:
    return not row[1]


def _no_namespaces(_: SourceFile) -> dict[int, str]:
    return {}


def _namespace(file: SourceFile, scope: int) -> str:
    names: list[str] = []
    owner = ""
    for number in file.around(scope):
        declaration = file.code.scopes[number].declaration
        if declaration == NONE:
            continue
        item = file.declarations[declaration]
        if item.kind == "namespace" and not is_inline(item):
            names.append(item.name)
        elif not owner and file.kind(number) == ScopeKind.FUNCTION:
            # the qualifier of a function that is defined outside of its class
            owner = item.name.rpartition("::")[0]
    return ".".join(filter(None, (*reversed(names), owner))).replace("::", ".")


def _names_used(file: SourceFile) -> frozenset[str]:
    """The names that a `using` of a file gives: of another library, if none is found."""
    rows = file.cached("usings", _usings).values()
    return frozenset(name for used in rows for _, name in used if name)


def _usings(file: SourceFile) -> dict[int, list[tuple[str, str]]]:
    """The namespaces used in each scope, each with the name if only one is."""
    found: dict[int, list[tuple[str, str]]] = {}
    imports = file.facts.imports
    for binding in file.code.bindings:
        if binding.kind != BindingKind.IMPORTED or not 0 <= binding.value < len(imports):
            continue
        item = imports[binding.value]
        if item.name or "::" in item.module:  # else an include
            module = item.module.replace("::", ".").strip(".")
            own = "" if binding.name == "*" else binding.name
            found.setdefault(binding.scope, []).append((module, own))
    return found

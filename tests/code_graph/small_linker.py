"""A linker for tests: names of the same file, imported names and re-exports of Python files.

What a module says of a name follows imports, so that answers depend on other files' answers.
"""

from __future__ import annotations

from collections.abc import Iterator

import xxhash

from code_graph.expressions import NONE, BindingKind, Code, Expression, Op, Role
from code_graph.facts import MODULE, Declaration, Facts
from code_graph.model import (
    FILE,
    CalledSignature,
    EdgeType,
    ExternalUse,
    GraphEdge,
    LinkedFile,
    LinkedSymbol,
    Strategy,
    UnresolvedUse,
)
from code_graph.tree import LinkFocus, Tree

NO_FACTS = Facts("")
NODE_TYPES = {"def": "function", "function": "function", "class": "class", "method": "method"}


def key_of(module: str, name: str = "") -> int:
    return xxhash.xxh3_64_intdigest(f"{module}:{name}".encode())


def symbol_id(path: str, qualified: str, ordinal: int = 0) -> int:
    return xxhash.xxh3_64_intdigest(f"{path}#{qualified}#{ordinal}".encode())


def module_of(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def path_of(module: str) -> str:
    return module.replace(".", "/") + ".py"


def link_with(tree: Tree) -> SmallLinker:
    return SmallLinker(tree)


class SmallLinker:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._paths = set(tree.paths())

    def project_exports(self) -> list[tuple[int, int]]:
        return []

    def called_signatures(self, path: str) -> tuple[CalledSignature, ...]:
        assert path
        return ()

    def forget(self) -> None:
        pass

    def declared(self, path: str) -> tuple[LinkedSymbol, ...]:
        return tuple(self.link(path).symbols)

    def link(self, path: str, focus: LinkFocus | None = None) -> LinkedFile:
        assert focus is None
        return _Run(self._tree, self._paths, path).linked()


class _Run:
    """Links one file."""

    def __init__(self, tree: Tree, paths: set[str], path: str) -> None:
        self._tree, self._paths, self._path = tree, paths, path
        self._facts = tree.facts(path) or NO_FACTS
        self._dependencies: set[int] = set()
        self._names = qualified_names(self._facts)
        self._ids = ids_of(path, self._facts)
        self._edges: list[GraphEdge] = []
        self._external: list[ExternalUse] = []
        self._unresolved: list[UnresolvedUse] = []

    def linked(self) -> LinkedFile:
        module = module_of(self._path)
        symbols = [LinkedSymbol(FILE, symbol_id(self._path, ""), module, "module")]
        for number, item in enumerate(self._facts.declarations):
            kind = NODE_TYPES.get(item.kind, item.kind)
            public = not item.name.startswith("_")
            name = f"{module}.{self._names[number]}"
            symbols.append(LinkedSymbol(number, self._ids[number], name, kind, public))
            self._contain(number, item)
        for found in self._facts.imports:
            self._import(found.module, found.line)
        for name, qualifier, role, at in uses_in(self._tree.code(self._path) or Code()):
            self._use(name, qualifier, role, at)
        exports = {key_of(module): 1}
        for name in sorted(top_names(self._facts)):
            answer = self._answer(module, name, [])
            exports[key_of(module, name)] = xxhash.xxh3_64_intdigest(str(answer).encode())
        return LinkedFile(
            self._path,
            self._tree.fingerprint(self._path),
            self._path.partition("/")[0] if "/" in self._path else "",
            self._facts.language,
            symbols,
            self._edges,
            self._external,
            self._unresolved,
            sorted(self._dependencies),
            sorted(exports.items()),
        )

    def _contain(self, number: int, item: Declaration) -> None:
        self._edges.append(
            GraphEdge(item.parent, self._ids[number], EdgeType.CONTAINS, Strategy.SCOPE, *_at(item))
        )

    def _import(self, module: str, line: int) -> None:
        self._dependencies.add(key_of(module))
        if path_of(module) in self._paths:
            target = symbol_id(path_of(module), "")
            self._edges.append(GraphEdge(FILE, target, EdgeType.IMPORTS, Strategy.IMPORT, line, 0))
        else:
            self._external.append(ExternalUse(FILE, module, EdgeType.IMPORTS, line, 0))

    def _use(self, name: str, qualifier: str, role: str, at: tuple[int, int, int]) -> None:
        owner, line, column = at
        types = {"call": EdgeType.CALLS, "base": EdgeType.INHERITS}
        kind = types.get(role, EdgeType.REFERENCES)
        source = FILE if owner == MODULE else owner
        known = self._find(name, qualifier)
        if isinstance(known, int):
            strategy = Strategy.FLOW if name.startswith("f") else Strategy.SCOPE
            self._edges.append(GraphEdge(source, known, kind, strategy, line, column))
        elif known:
            self._external.append(ExternalUse(source, known, kind, line, column))
        else:
            self._unresolved.append(UnresolvedUse(source, name, kind, line, column))

    def _find(self, name: str, qualifier: str) -> int | str | None:
        if qualifier:
            modules = {item.module for item in self._facts.imports if not item.name}
            return self._answer(qualifier, name, []) if qualifier in modules else None
        return self._answer(module_of(self._path), name, [])

    def _answer(self, module: str, name: str, asked: list[str]) -> int | str | None:
        """A symbol's id, the name of one outside, or nothing."""
        path = path_of(module)
        if path != self._path:
            self._dependencies.update((key_of(module), key_of(module, name)))
        if module in asked:
            return None
        facts = self._tree.facts(path) if path in self._paths else None
        if facts is None:
            return f"{module}.{name}"
        for number, item in reversed([*enumerate(facts.declarations)]):
            if item.parent == MODULE and item.name == name:
                return ids_of(path, facts)[number]
        for found in facts.imports:
            if found.name == name:
                return self._answer(found.module, name, [*asked, module])
        return None


def uses_in(code: Code) -> Iterator[tuple[str, str, str, tuple[int, int, int]]]:
    """Name, qualifier, role, and place of all names, with the declarations around them."""
    called = {item.of for item in code.expressions if item.op == Op.CALL}
    bases = {item.value: item.declaration for item in code.clauses if item.role == Role.BASE}
    local = {item.name for item in code.bindings if item.kind == BindingKind.PARAMETER}
    for number, item in enumerate(code.expressions):
        before = code.expressions[item.of] if item.op == Op.MEMBER else Expression(Op.OPAQUE)
        is_name = item.op == Op.NAME and item.name not in local
        if (item.op == Op.MEMBER or is_name) and item.line:
            role = "base" if number in bases else "call" if number in called else "read"
            scope = code.scopes[code.scope_of[number]]
            while scope.declaration == NONE and scope.parent != NONE:
                scope = code.scopes[scope.parent]
            owner = bases.get(number, scope.declaration)
            yield item.name, before.name, role, (owner, item.line, item.column)


def top_names(facts: Facts) -> set[str]:
    declared = {item.name for item in facts.declarations if item.parent == MODULE}
    return declared | {item.name for item in facts.imports if item.name}


def qualified_names(facts: Facts) -> list[str]:
    names: list[str] = []
    for item in facts.declarations:
        above = "" if item.parent == MODULE else names[item.parent] + "."
        names.append(above + item.name)
    return names


def ids_of(path: str, facts: Facts) -> list[int]:
    seen: dict[str, int] = {}
    ids = []
    for name in qualified_names(facts):
        seen[name] = seen.get(name, -1) + 1
        ids.append(symbol_id(path, name, seen[name]))
    return ids


def _at(item: Declaration) -> tuple[int, int]:
    return item.name_line, item.name_column

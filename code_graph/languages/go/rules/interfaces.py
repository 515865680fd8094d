"""Implementation of interfaces in Go: types whose methods cover an interface.

A type has the methods of its package with it as receiver, and those of the types that it embeds.
Interfaces are found by one of their methods, so that a type meets only those it may implement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname
from typing import TYPE_CHECKING, Final

from code_graph.declared.definitions import DeclaredDefinitions
from code_graph.evaluate.definitions import Definition
from code_graph.evaluate.dependencies import language_key
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import External, ModuleValue
from code_graph.expressions import NONE
from code_graph.facts import MODULE
from code_graph.languages.go.rules.signatures import (
    ANY,
    FileTypes,
    GoType,
    Method,
    embedding_key,
    interface_key,
    receiver_of,
    type_key,
    types_of,
)
from code_graph.languages.go.rules.standard import STANDARD
from code_graph.model import Strategy
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from code_graph.declared.evaluation import DeclaredEvaluation
    from code_graph.languages.go.rules.language import GoRules

_LANGUAGE: Final = "go"
# before the folder of a package
_FOLDER: Final = "\1"
_LOCAL: Final = re.compile("\1([^:\1]*):([^\\W\\d]\\w*)")
_PACKAGE: Final = re.compile(r'"([^"]*)"\.')
_OWN: Final = re.compile(r"(?<![\w\"/])\.(?=[^\W\d])")
_TESTS: Final = "_test.go"
_KINDS: Final = frozenset({"struct", "type"})
# types in each other, methods of a type, interfaces that one implements
_DEEPEST: Final = 12
_MOST_METHODS: Final = 3_000
_MOST_INTERFACES: Final = 300


class TypeName(NamedTuple):
    """A type by its package: a folder and, for tests, the package's name."""

    folder: str
    package: str
    name: str


class MethodSet(NamedTuple):
    """The methods of a type, with signatures that can be compared."""

    methods: Mapping[str, Method]
    # true if all that it embeds is known
    is_whole: bool


class Interface(NamedTuple):
    """An interface that a type implements, with its methods."""

    path: str
    declaration: int
    methods: Mapping[str, Method]


class Interfaces:
    """Finds the interfaces of types; results are kept for all files of a tree."""

    def __init__(self, evaluation: DeclaredEvaluation, rules: GoRules) -> None:
        self._evaluation = evaluation
        self._rules = rules
        self._tables: dict[str, FileTypes] = {}
        self._folders: dict[tuple[str, str], dict[str, list[tuple[str, GoType]]]] = {}

    def _ask(self, name: str) -> None:
        self._evaluation.engine.depend_on("", language_key(_LANGUAGE, name))

    def table(self, path: str) -> FileTypes:
        """The types of a file; small, so that they are kept when the file is not."""
        found = self._tables.get(path)
        if found is None:
            file = self._evaluation.engine.files.get(path)
            found = FileTypes("", is_test=False, types={}) if file is None else types_of(file)
            self._tables[path] = found
        return found

    def implemented(self, file: SourceFile, name: str) -> list[Interface]:
        """The interfaces that a type of a file implements, in order of their places."""
        table = self.table(file.path)
        own = TypeName(dirname(file.path), table.package, name)
        methods = self.method_set(own, is_test=table.is_test).methods
        found: dict[tuple[str, int], Interface] = {}
        waiting = [interface_key(key) for key in methods]
        outside = (label.rpartition(".")[2] for label in self.standard(file, name))
        waiting += dict.fromkeys(map(embedding_key, outside))
        seen = set(waiting)
        while waiting and len(found) < _MOST_INTERFACES:
            for path, table, label in self._candidates(waiting.pop(0)):
                interface = self._checked(methods, path, table, label)
                if interface is not None and interface[:2] not in found:
                    found[interface[:2]] = interface
                    key = embedding_key(label)
                    if key not in seen:
                        seen.add(key)
                        waiting.append(key)
        return sorted(found.values(), key=lambda item: item[:2])

    def standard(self, file: SourceFile, name: str) -> list[str]:
        """The interfaces of the standard library that a type of a file implements."""
        table = self.table(file.path)
        own = TypeName(dirname(file.path), table.package, name)
        methods = self.method_set(own, is_test=table.is_test).methods
        return [
            label
            for label, wanted in STANDARD.items()
            if all(key in methods and methods[key].signature == wanted[key] for key in wanted)
        ]

    def _candidates(self, key: str) -> Iterator[tuple[str, FileTypes, str]]:
        """The interfaces that are found under a name."""
        self._ask(key)
        for path in self._evaluation.engine.files.declaring(_LANGUAGE, key):
            table = self.table(path)
            for label in table.interfaces.get(key, ()):
                self._evaluation.engine.count(1)
                yield path, table, label

    def _checked(
        self, methods: Mapping[str, Method], path: str, table: FileTypes, label: str
    ) -> Interface | None:
        """An interface if a type has all of its methods."""
        other = TypeName(dirname(path), table.package, label)
        wanted = self.method_set(other, is_test=table.is_test)
        if not wanted.is_whole or not wanted.methods:
            return None
        for name, method in wanted.methods.items():
            mine = methods.get(name)
            if mine is None or not self._agree(mine.signature, method.signature):
                return None
            if not name[:1].isupper() and dirname(mine.path) != dirname(method.path):
                return None
        return Interface(path, table.types[label].declaration, wanted.methods)

    def _agree(self, one: str, other: str) -> bool:
        """True if two signatures may be one; aliases are looked up only where they differ."""
        if one == other or _fits(one, other) or _fits(other, one):
            return True
        if one.count(",") != other.count(","):
            return False
        one, other = self._without_aliases(one), self._without_aliases(other)
        return one == other or _fits(one, other) or _fits(other, one)

    def _without_aliases(self, signature: str) -> str:
        """A signature with what aliases stand for."""
        return _LOCAL.sub(lambda match: self._aliased(match[0], match[1], match[2]), signature)

    def _aliased(self, text: str, folder: str, name: str) -> str:
        self._ask(type_key(folder, name))
        for path, row in self._types_of(TypeName(folder, "", name)).get(name, ()):
            if row.kind == "alias" and row.embedded and row.embedded[0] is not None:
                return self._resolved(row.embedded[0], path)
        return text

    def method_set(
        self, name: TypeName, *, is_test: bool, around: tuple[TypeName, ...] = ()
    ) -> MethodSet:
        """The methods of a type and of its embedded types, nearest first."""
        if name in around or len(around) > _DEEPEST:
            return MethodSet({}, is_whole=True)
        if self._evaluation.engine.is_spent:
            return MethodSet({}, is_whole=False)
        self._ask(type_key(name.folder, name.name))
        rows = self._types_of(name).get(name.name, [])
        rows = [row for row in rows if is_test or not row[0].endswith(_TESTS)]
        self._evaluation.engine.count(len(rows) + sum(len(row.methods) for _, row in rows))
        found: dict[str, Method] = {}
        is_whole = bool(rows) and all(row.kind != "alias" for _, row in rows)
        for path, row in rows:
            for key, method in row.methods.items():
                if len(found) < _MOST_METHODS:
                    signature = self._resolved(method.signature, path)
                    found.setdefault(key, method._replace(signature=signature))
        for path, row in rows:
            for base in row.embedded:
                inner = self._embedded(base, path, is_test=is_test, around=(*around, name))
                is_whole = is_whole and inner.is_whole
                self._evaluation.engine.count(len(inner.methods))
                for key, method in inner.methods.items():
                    if len(found) < _MOST_METHODS:
                        found.setdefault(key, method)
        return MethodSet(found, is_whole)

    def _embedded(
        self, base: str | None, path: str, *, is_test: bool, around: tuple[TypeName, ...]
    ) -> MethodSet:
        """The methods of an embedded type."""
        if base is None:
            return MethodSet({}, is_whole=False)
        package, _, last = base.rpartition(".")
        if package:
            place = self._place(package.strip('"'), path)
            if not place.startswith(_FOLDER):
                known = STANDARD.get(f"{place}.{last}")
                methods = {key: Method(text, "", NONE) for key, text in (known or {}).items()}
                return MethodSet(methods, is_whole=known is not None)
            inner = TypeName(place.removeprefix(_FOLDER), "", last)
            return self.method_set(inner, is_test=False, around=around)
        if not base.startswith("."):
            known = STANDARD.get(base)
            methods = {key: Method(text, "", NONE) for key, text in (known or {}).items()}
            return MethodSet(methods, is_whole=known is not None)
        own = TypeName(dirname(path), self.table(path).package, last)
        return self.method_set(own, is_test=is_test, around=around)

    def _types_of(self, name: TypeName) -> dict[str, list[tuple[str, GoType]]]:
        """The facts on each type of a package; without a name, of the package of imports."""
        key = name.folder, name.package
        found = self._folders.get(key)
        if found is None:
            found = self._folders[key] = {}
            for path in self._rules.package_paths(name.folder):
                table = self.table(path)
                is_seen = table.package == name.package if name.package else not table.is_test
                for label, row in table.types.items() if is_seen else ():
                    found.setdefault(label, []).append((path, row))
        return found

    def _resolved(self, signature: str, path: str) -> str:
        """A signature with the folders of packages in place of their names."""
        if '"' not in signature and "." not in signature:
            return signature
        own = f"{_FOLDER}{dirname(path)}:"
        if self.table(path).package.endswith("_test"):
            own += "test:"
        text = _OWN.sub(own, signature)
        return _PACKAGE.sub(lambda match: f"{self._place(match[1], path)}:", text)

    def _place(self, module: str, path: str) -> str:
        """The folder of an imported package, or its path if it is outside."""
        for value in self._rules.package_of(module, path):
            if isinstance(value, ModuleValue):
                return f"{_FOLDER}{value.path}"
            if isinstance(value, External):
                return value.name
        return module


def _fits(general: str, other: str) -> bool:
    if ANY not in general:
        return False
    pattern = ".+".join(re.escape(part) for part in general.split(ANY))
    return re.fullmatch(pattern, other) is not None


class GoDefinitions(DeclaredDefinitions):
    """Definitions of Go, where a type says nothing of the interfaces that it implements."""

    def __init__(self, evaluation: DeclaredEvaluation, rules: GoRules) -> None:
        super().__init__(evaluation, rules)
        self._interfaces = Interfaces(evaluation, rules)
        self._known: dict[tuple[str, str], list[Interface]] = {}
        self._known_in = 0
        self._engine = evaluation.engine

    def implemented(self, file: SourceFile, number: int) -> list[Definition | External]:
        """The interfaces that a type has all methods of."""
        item = file.declarations[number]
        row = self._interfaces.table(file.path).types.get(item.name)
        if item.parent != MODULE or row is None or row.kind != item.kind or item.kind not in _KINDS:
            return []
        found: list[Definition | External] = [
            Definition(each.path, each.declaration, Strategy.DECLARED)
            for each in self._of_type(file, item.name)
        ]
        imported = {"", *(each.module for each in file.facts.imports)}
        found += [
            External(name)
            for name in self._interfaces.standard(file, item.name)
            if name.rpartition(".")[0] in imported
        ]
        return found

    def replaced(self, file: SourceFile, number: int) -> list[Definition]:
        """The methods of interfaces that a method of a type is."""
        item = file.declarations[number]
        owner = None if item.kind != "method" else self._owner(file, number)
        if owner is None:
            return []
        holder, name = owner
        last = item.name.rpartition(".")[2]
        found: dict[tuple[str, int], Definition] = {}
        for row in self._of_type(holder, name):
            method = row.methods.get(last)
            if method is not None and method.declaration != NONE:
                key = method.path, method.declaration
                found.setdefault(key, Definition(*key, Strategy.DECLARED))
        return list(found.values())

    def _owner(self, file: SourceFile, number: int) -> tuple[SourceFile, str] | None:
        """The file and the name of the type that a method belongs to."""
        parent = file.declarations[number].parent
        if parent >= 0 and file.declarations[parent].kind == "interface":
            return None
        name = receiver_of(file, number)
        return (file, name) if name else None

    def _of_type(self, file: SourceFile, name: str) -> list[Interface]:
        """The interfaces of a type, found once for each file that is linked."""
        if self._known_in != self._engine.begun:
            self._known, self._known_in = {}, self._engine.begun
        key = file.path, name
        if key not in self._known:
            self._known[key] = self._interfaces.implemented(file, name)
        return self._known[key]

"""The types of Go that a file declares, and the signatures of their methods, as text to compare.

A signature is written without names of parameters. A type of the package is `.Name`, one of an
imported package `"path".Name`, a type parameter `?`; so it says the same wherever it stands in the
file, and depends on the file alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, BindingKind, Op, Role
from code_graph.facts import MODULE
from index_format.tuples import NamedTuple

# a type that fits any: a type parameter, or a signature that is too long to be kept
ANY: Final = "?"
_CUT: Final = "…"
_TOKEN: Final = re.compile(r"[^\W\d]\w*|\d+|\.\.\.|<-|[^\s\w]")
_NAME: Final = re.compile(r"[^\W\d]\w*")
_KEYWORDS: Final = frozenset({"chan", "func", "interface", "map", "struct"})
_BEGINNINGS: Final = frozenset({"chan", "func", "interface", "map", "struct", "*", "[", "<-", "("})
_FUNCTION: Final = frozenset({"func"})
_OPEN: Final = {"(": ")", "[": "]", "{": "}"}
_SYNONYMS: Final = {"any": "interface { }", "byte": "uint8", "rune": "int32"}
_BUILTINS: Final = frozenset(
    """
    bool comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 string
    uint uint8 uint16 uint32 uint64 uintptr
    """.split()  # noqa: SIM905 a list of words reads better
)
_METHODS: Final = frozenset({"method", "function"})
_TESTS: Final = "_test.go"
_DEEPEST: Final = 20


class Method(NamedTuple):
    """A method: its signature, and where it is declared."""

    signature: str
    path: str
    declaration: int


class GoType(NamedTuple):
    """A type that a file declares, or declares methods of."""

    kind: str  # of its declaration; empty for a type of another file of the package
    declaration: int
    # the names of embedded types, as signatures have them, or of what an alias stands for; None for
    # one that is not known
    embedded: tuple[str | None, ...]
    methods: Mapping[str, Method]


class FileTypes(NamedTuple):
    """The types of a file by name."""

    package: str
    is_test: bool
    types: Mapping[str, GoType]

    def exports(self, folder: str) -> dict[str, object]:
        """The exports of each type, and of the methods by which interfaces are found."""
        found: dict[str, object] = {}
        for name, row in self.types.items():
            methods = sorted((key, each.signature) for key, each in row.methods.items())
            answer = self.package, self.is_test, row.kind, row.embedded, methods
            found[type_key(folder, name)] = answer
        for key, names in self.interfaces.items():
            found[key] = [(folder, name) for name in names]
        return found

    @property
    def interfaces(self) -> dict[str, list[str]]:
        """The names of interfaces by the names under which they are found."""
        found: dict[str, list[str]] = defaultdict(list)
        for name, row in sorted(self.types.items()):
            if row.kind == "interface":
                found[_key_of(row)].append(name)
        found.pop("", None)
        return dict(found)


def type_key(folder: str, name: str) -> str:
    """The name under which files of a package say what they know of a type."""
    return f"{folder}\0{name}."


def interface_key(name: str) -> str:
    """The name under which an interface with a method is found."""
    return f"{name} interface"


def embedding_key(name: str) -> str:
    """The name under which an interface that has only what it embeds is found."""
    return f"{name} embedded"


def _key_of(row: GoType) -> str:
    """The name under which an interface is found: by a long name, since long names are rare."""
    if row.methods:
        return interface_key(max(sorted(row.methods), key=len))
    names = [each.rpartition(".")[2] for each in row.embedded if each is not None]
    return embedding_key(max(sorted(names), key=len)) if names else ""


def types_of(file: SourceFile) -> FileTypes:
    """The types of a file."""
    return file.cached("go types", _list_types)


def receiver_of(file: SourceFile, number: int) -> str:
    """The name of the type that a method belongs to; empty for a function."""
    for row in file.clauses.get(number, ()):
        if row.role == Role.RECEIVER and row.value != NONE:
            value = file.expressions[row.value]
            for _ in range(_DEEPEST):
                if value.op == Op.NAME or value.of == NONE:
                    break
                value = file.expressions[value.of]
            return value.name if value.op == Op.NAME else ""
    return ""


def _list_types(file: SourceFile) -> FileTypes:
    package = next((row.name for row in file.declarations if row.kind == "package"), "")
    names = _Names(file)
    kinds: dict[str, tuple[str, int]] = {}
    methods: dict[str, dict[str, Method]] = defaultdict(dict)
    embedded: dict[str, list[str | None]] = defaultdict(list)
    for number, item in enumerate(file.declarations):
        parent = item.parent
        if item.kind in {"struct", "interface", "type"} and parent == MODULE:
            kinds.setdefault(item.name, (item.kind, number))
            for row in file.clauses.get(number, ()):
                if row.role == Role.ALIAS:
                    kinds[item.name] = "alias", number
                if row.role in {Role.ALIAS, Role.BASE} and row.value != NONE:
                    embedded[item.name].append(names.of_expression(row.value))
        elif item.kind in _METHODS:
            owner = receiver_of(file, number)
            if parent != MODULE and file.declarations[parent].kind == "interface":
                owner = file.declarations[parent].name
            if owner:
                name = item.name.rpartition(".")[2]
                method = Method(names.signature(number), file.path, number)
                methods[owner].setdefault(name, method)
    found = {
        name: GoType(*kinds.get(name, ("", NONE)), tuple(embedded[name]), methods[name])
        for name in sorted({*kinds, *methods})
    }
    return FileTypes(package, file.path.endswith(_TESTS), found)


class _Names:
    """Names in the types of a file, resolved to their declarations."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._imports: dict[str, str] = {}
        for row in file.code.bindings:
            if row.kind == BindingKind.IMPORTED and 0 <= row.value < len(file.facts.imports):
                self._imports[row.name] = file.facts.imports[row.value].module

    def of_expression(self, number: int) -> str | None:
        """The name of an embedded type; None without a name."""
        item = self._file.expressions[number]
        for _ in range(_DEEPEST):
            if item.op in {Op.NAME, Op.MEMBER} or item.of == NONE:
                break
            item = self._file.expressions[item.of]
        if item.op == Op.NAME:
            return item.name if item.name in _BUILTINS else f".{item.name}"
        if item.op == Op.MEMBER and item.of != NONE:
            first = self._file.expressions[item.of]
            if first.op == Op.NAME and first.name in self._imports:
                return f'"{self._imports[first.name]}".{item.name}'
        return None

    def signature(self, number: int) -> str:
        """Parameters and results of a method."""
        item = self._file.declarations[number]
        if _CUT in item.parameters or _CUT in item.returns:
            return ANY
        open_names = {
            row.name
            for each in (number, item.parent)
            for row in self._file.clauses.get(each, ())
            if row.role == Role.TYPE_PARAMETER
        }
        reader = _TypeText(self._imports, open_names)
        taken = _TOKEN.findall(item.parameters)
        given = _TOKEN.findall(item.returns)
        if given[:1] == ["("]:
            given = given[1:-1]
        return f"({reader.list_of(taken[1:-1])}) ({reader.list_of(given)})"


class _TypeText:
    """Writes the tokens of types in the one form that is compared."""

    def __init__(self, imports: Mapping[str, str], open_names: set[str]) -> None:
        self._imports = imports
        self._open = open_names

    def list_of(self, tokens: Sequence[str], depth: int = 0) -> str:
        """The types of a list of parameters, with or without their names."""
        parts = _split(tokens)
        if any(_is_named(part) for part in parts):
            types: list[Sequence[str]] = []
            for part in reversed(parts):  # of `a, b int` the last one has the type
                types.append(part[1:] if len(part) > 1 else types[-1] if types else part)
            parts = types[::-1]
        return ", ".join(self.one(part, depth) for part in parts)

    def one(self, tokens: Sequence[str], depth: int = 0) -> str:
        """One type."""
        if depth > _DEEPEST:
            return ANY
        found: list[str] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token in _FUNCTION and tokens[at + 1 : at + 2] == ["("]:
                end = _closing(tokens, at + 1)
                taken = self.list_of(tokens[at + 2 : end], depth + 1)
                given = tokens[end + 1 :]
                is_list = given[:1] == ["("] and _closing(given, 0) == len(given) - 1
                inner = given[1:-1] if is_list else given
                found.append(f"func ({taken}) ({self.list_of(inner, depth + 1)})")
                break
            is_qualified = token in self._imports and tokens[at + 1 : at + 2] == ["."]
            if is_qualified and at + 2 < len(tokens):
                found.append(f'"{self._imports[token]}".{tokens[at + 2]}')
                at += 3
                continue
            found.append(self._word(token))
            at += 1
        return " ".join(found)

    def _word(self, token: str) -> str:
        if not _NAME.match(token) or token in _KEYWORDS or token in _BUILTINS:
            return _SYNONYMS.get(token, token)
        if token in self._open:
            return ANY
        return _SYNONYMS.get(token) or f".{token}"


def _split(tokens: Sequence[str]) -> list[Sequence[str]]:
    """Tokens by the commas that are in no bracket."""
    parts: list[Sequence[str]] = []
    start = at = 0
    while at < len(tokens):
        if tokens[at] in _OPEN:
            at = _closing(tokens, at)
        elif tokens[at] == ",":
            parts.append(tokens[start:at])
            start = at + 1
        at += 1
    parts.append(tokens[start:])
    return [part for part in parts if part]


def _closing(tokens: Sequence[str], at: int) -> int:
    """The position of the bracket that closes the one at a position, else of the last token."""
    depth = 0
    for number in range(at, len(tokens)):
        if tokens[number] in _OPEN:
            depth += 1
        elif tokens[number] in ")]}":
            depth -= 1
            if not depth:
                return number
    return len(tokens) - 1


def _is_named(part: Sequence[str]) -> bool:
    """True if a parameter has a name before its type."""
    if len(part) < 2 or not _NAME.match(part[0]) or part[0] in _KEYWORDS:
        return False
    second = part[1]
    if second == "[":  # `a []int` and `a [4]int`, or the generic type `List[int]`
        end = _closing(part, 1)
        return end < len(part) - 1
    return second in _BEGINNINGS or second == "..." or bool(_NAME.match(second))

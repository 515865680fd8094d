"""The library of Java as `library.txt` has it: types by their simple names.

A line of the text is `Name<T>|package|kind|bases|methods|constants`. The kind is `f` for an
interface of one function, which is the method after `*`; that has the type arguments of its
parameters, others have none. A static method stands after `=`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from code_graph.declared.effects import split_types
from code_graph.declared.rules import DeclaredRules
from code_graph.declared.types import ARRAY
from code_graph.evaluate.values import ExternalInstance, Values
from index_format.tuples import NamedTuple

_TEXT: Final = Path(__file__).with_name("library.txt")
_FUNCTION: Final = "f"
_REST: Final = "..."
_NOTHING: Final = "void"
TOP: Final = "Object"


class LibraryMethod(NamedTuple):
    """A method: types of its parameters and its result as they are written."""

    parameters: tuple[str, ...]
    result: str
    is_variadic: bool
    is_static: bool

    def takes(self, count: int) -> bool:
        """True if the method takes this number of arguments."""
        if self.is_variadic:
            return count >= len(self.parameters) - 1
        return count == len(self.parameters)


class LibraryType(NamedTuple):
    """A type with its own members."""

    name: str
    package: str
    parameters: tuple[str, ...]
    bases: tuple[str, ...]
    methods: Mapping[str, tuple[LibraryMethod, ...]]
    constants: Mapping[str, str]
    is_class: bool
    # of an interface that stands for a function
    function: LibraryMethod | None


@cache
def _lines() -> dict[str, str]:
    rows = _TEXT.read_text("utf-8").split("\n")[1:]
    return {row.partition("|")[0].partition("<")[0]: row for row in rows if row}


@cache
def library_type(name: str) -> LibraryType | None:
    """The type of a simple name; None for one that is not of the library."""
    line = _lines().get(name)
    if line is None:
        return None
    head, package, kind, bases, methods, constants = line.split("|")
    parameters = tuple(split_types(head.partition("<")[2].removesuffix(">")))
    found: dict[str, list[LibraryMethod]] = {}
    function: LibraryMethod | None = None
    for text in methods.split():
        own, method = _method(text)
        found.setdefault(own, []).append(method)
        function = method if text.startswith("*") else function
    return LibraryType(
        name,
        package,
        parameters,
        tuple(bases.split()),
        {own: tuple(rows) for own, rows in found.items()},
        dict(text.split(":", 1) for text in constants.split()),
        kind == "c",
        function,
    )


def simple_name(name: str) -> str:
    """The simple name of a type; the whole one if the library has another type of that name."""
    before, _, own = name.rpartition(".")
    found = library_type(own) if before else None
    if found is None or not before[:1].islower() or before.startswith(found.package):
        return own
    return name


def _method(text: str) -> tuple[str, LibraryMethod]:
    name, _, rest = text.lstrip("=*").partition("(")
    given, _, result = rest.rpartition(")")
    parameters = tuple(split_types(given))
    is_variadic = given.endswith(_REST)
    if is_variadic:
        parameters = (*parameters[:-1], parameters[-1].removesuffix(_REST) + "[]")
    return name, LibraryMethod(parameters, result, is_variadic, text.startswith("="))


@cache
def supertypes(name: str) -> frozenset[str]:
    """The simple names of a type and all its bases; empty for one that is not of the library."""
    return frozenset(each.name for each, _ in lines_of(name)) | (
        {TOP} if name in _lines() else set()
    )


def lines_of(name: str) -> Iterator[tuple[LibraryType, str]]:
    """A type and its bases, the nearer first, each as the type below writes it."""
    left, seen = deque([name]), set[str]()
    while left:
        written = left.popleft()
        own = written.partition("<")[0]
        found = library_type(own)
        if found is None or own in seen:
            continue
        seen.add(own)
        yield found, written
        left += found.bases


class Library:
    """Asks what methods of the library give."""

    def __init__(self, rules: DeclaredRules) -> None:
        """The rules give the objects of a type of a name, with its type arguments."""
        self._rules = rules

    def result(self, owner: str, name: str, arguments: tuple[Values, ...], count: int) -> Values:
        """The results of a method for a number of arguments; empty if unknown."""
        left = deque([(simple_name(owner), arguments)])
        seen: set[str] = set()
        while left:
            own, given = left.popleft()
            declared = library_type(own)
            if declared is None or own in seen:
                continue
            seen.add(own)
            bound = dict(zip(declared.parameters, given, strict=False))
            methods = [each for each in declared.methods.get(name, ()) if each.takes(count)]
            results = {each.result for each in methods}
            if len(results) > 1:
                return ()
            if results:
                is_static = any(each.is_static for each in methods)
                return self.written(results.pop(), {} if is_static else bound)
            for base in declared.bases:
                inner = split_types(base.partition("<")[2].removesuffix(">"))
                row = tuple(self.written(text, bound) for text in inner)
                left.append((base.partition("<")[0], row))
        return ()

    def has(self, owner: str, name: str) -> bool:
        """True if a type of the library has a method of a name."""
        short = simple_name(owner)
        return any(name in declared.methods for declared, _ in lines_of(short))

    def written(self, text: str, given: Mapping[str, Values]) -> Values:
        """The objects of a written type; none of an open type parameter."""
        if text.endswith("[]"):
            return (ExternalInstance(ARRAY, (self.written(text[:-2], given),)),)
        name, _, rest = text.partition("<")
        if name in given:
            return given[name]
        if name == _NOTHING or not (name[:1].islower() or name in _lines()):
            return ()
        inner = tuple(self.written(each, given) for each in split_types(rest.removesuffix(">")))
        return self._rules.external_type(name, inner)

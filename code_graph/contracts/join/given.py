"""The contracts that files give, as far as another file may meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from code_graph.contracts.conventions import conventions
from code_graph.contracts.keys import FILES, LIKELY, MOUNT, ROUTE, given_by
from code_graph.evaluate.definitions import Finder
from code_graph.evaluate.dependencies import imports_key, language_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import NONE, BindingKind, Contract
from code_graph.paths.path_kinds import is_test

# files of tests that are looked through for those that a file imports
_MOST_REACHED: Final = 64
# kinds by which a server answers
_ANSWERING: Final = frozenset({ROUTE, LIKELY, MOUNT})
# the kind of a test, and what functions that are one are called
_TEST: Final = "test"
_FUNCTIONS: Final = frozenset({"function", "method"})

# what finds the definitions in files of a language
FindDefinitions = Callable[[str], Finder | None]


class GivenContracts:
    """Looks up the contracts that give a text, and takes note of what was asked."""

    def __init__(self, engine: Engine, finder: FindDefinitions) -> None:
        self._engine = engine
        self._finder = finder
        # the file that edges are made for
        self._path = ""
        self._helps_tests = False

    def begin(self, file: SourceFile) -> None:
        """Look up what another file than this one gives."""
        self._path = file.path
        self._helps_tests = is_test(file.path) and not has_tests(file)

    def of(
        self, kind: str, key: str, *, with_tests: bool = True
    ) -> Iterator[tuple[SourceFile, Contract]]:
        """The contracts of a kind and a key, with their files."""
        for path in self.paths(kind, key):
            file = self._engine.file(path) if with_tests or not is_test(path) else None
            if file is not None:
                yield from ((file, contract) for contract in given_in(file, kind, key))

    def paths(self, kind: str, key: str) -> Iterable[str]:
        """The files that give a key."""
        paths = self._engine.declaring(kind, key)
        return paths if kind not in _ANSWERING else [p for p in paths if not self._is_apart(p)]

    def _is_apart(self, path: str) -> bool:
        """True for tests of another file: what answers there is asked where one reaches the other.

        Each of such files makes its own server.
        """
        other = self._engine.file(path) if path != self._path and is_test(path) else None
        if other is None:
            return False
        self._engine.depend_on(path, imports_key(path))
        if not has_tests(other) or path in self._reached(self._path):
            return False
        return not self._helps_tests or self._path not in self._reached(path)

    def _reached(self, path: str) -> frozenset[str]:
        """A file, and the files of tests that it imports, directly or by others."""
        key = ("tests reached", path)
        return self._engine.unit(key, lambda: self._find_reached(path), frozenset())

    def _find_reached(self, path: str) -> frozenset[str]:
        reached = {path}
        left = [path]
        while left and len(reached) < _MOST_REACHED:
            file = self._engine.file(left.pop())
            for other in () if file is None else self._imported(file):
                if other not in reached and is_test(other):
                    reached.add(other)
                    left.append(other)
        return frozenset(reached)

    def _imported(self, file: SourceFile) -> Iterator[str]:
        """The files that a file imports."""
        finder = self._finder(file.language)
        self._engine.depend_on(file.path, imports_key(file.path))
        if finder is None:
            return
        for binding in file.code.bindings:
            if binding.kind == BindingKind.IMPORTED and binding.value != NONE:
                yield from (found.path for found in finder.of_import(file, binding))
        for number in range(len(file.facts.imports)):
            yield from (found.path for found in finder.of_module(file, number))

    def files_named(self, name: str) -> Iterator[str]:
        """The files of a path, or of a module that a text names.

        One word alone names a file in a folder of pages.
        """
        pages = conventions().pages
        is_path = bool(set("./:") & {*name})
        dotted = name.replace(".", "/").replace("::", "/")
        for likely in dict.fromkeys((name, dotted, f"{name}/index")):
            parts = [part for part in likely.split("/") if part not in {"", ".", "..", "~"}]
            stem = parts[-1].partition(".")[0].lstrip("_") if parts else ""
            self._engine.depend_on("", language_key(FILES, stem))
            known = self._engine.files.by_stem.get(stem, ()) if stem else ()
            paths = [path for path in known if _is_named(path, parts)]
            if paths:
                rooted = [path for path in paths if _root_of(path, parts) in pages]
                yield from rooted or (paths if is_path else ())
                return


def given_in(file: SourceFile, kind: str, key: str) -> list[Contract]:
    """The contracts of a file that give a key."""
    return file.cached("contracts given", lambda it: given_by(it.code)).get((kind, key), [])


def has_tests(file: SourceFile) -> bool:
    """True for a file of tests that declares some, and not only what others need."""
    return is_test(file.path) and any(
        item.kind == _TEST or (item.kind in _FUNCTIONS and item.name.startswith(_TEST))
        for item in file.declarations
    )


def _is_named(path: str, parts: list[str]) -> bool:
    """True if a path ends as a name does, which may leave out endings and the mark of a part."""
    own = path.split("/")
    last = own[-1].lstrip("_")
    names = {own[-1], last, last.rpartition(".")[0], last.partition(".")[0]}
    return own[-len(parts) : -1] == parts[:-1] and parts[-1] in names


def _root_of(path: str, parts: list[str]) -> str:
    """The folder that a name of a file is below."""
    return "".join(path.split("/")[: -len(parts)][-1:])

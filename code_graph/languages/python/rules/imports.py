"""The modules that Python's imports mean in the files of a tree, as values."""

from __future__ import annotations

from posixpath import dirname

from code_graph.evaluate.dependencies import dependency_of
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.values import ModuleValue, Result
from code_graph.languages.python.imports import PythonRoots
from code_graph.model import Strategy
from code_graph.projects.model import ImportOutcome, Resolution
from code_graph.projects.tree import Probe


class PythonImports:
    """Modules by dotted names, as the files of a folder see them."""

    def __init__(self, engine: Engine) -> None:
        """Nothing is looked for yet."""
        self._engine = engine
        self._known: dict[tuple[str, str], tuple[Result, tuple[tuple[str, int], ...]]] = {}

    def find(self, module: str, path: str) -> Result:
        """The module of a dotted name, perhaps with leading dots, imported by a file.

        Of several versions of a package they are all of which nothing tells the right one.
        """
        folder = path.rpartition("/")[0]
        known = self._known.get((module, folder))
        if known is None:
            notes: list[str] = []
            finders = self._engine.files.finders
            probe = Probe(finders.projects.tree, notes.append)
            found = self._values(finders.of(PythonRoots).find(module, path, probe))
            dependencies = tuple(dependency_of(note) for note in dict.fromkeys(notes))
            known = self._known[module, folder] = found, dependencies
        self._engine.count(len(known[1]))
        self._engine.depend_on_all(known[1])
        return known[0]

    def inside(self, path: str, name: str, *, is_folder: bool) -> Result:
        """A module or package inside of a package."""
        if not is_folder and not path.rpartition("/")[2].startswith("__init__."):
            return {}
        base = path if is_folder else dirname(path)
        return self.find(f".{name}", f"{base}/__init__.py" if base else "__init__.py")

    def _values(self, found: Resolution) -> Result:
        how = Strategy.VERSION if found.others else Strategy.IMPORT
        places = (found.path, *found.others)
        if found.outcome == ImportOutcome.FILE:
            return {ModuleValue(one): how for one in places if one in self._engine.files.paths}
        if found.outcome == ImportOutcome.FOLDER:
            return {ModuleValue(found.path, is_folder=True): how}
        return {}

"""Finds the files that modules of JavaScript and TypeScript import, and records each question."""

from __future__ import annotations

from repo_mcp.graph.evaluate.engine import Engine
from repo_mcp.graph.evaluate.lookups import answer_key, path_key
from repo_mcp.graph.evaluate.values import External, ModuleValue, Result
from repo_mcp.graph.model import Strategy
from repo_mcp.graph.projects.catalog import read_projects
from repo_mcp.graph.projects.imports.ecmascript import EcmaScriptModules
from repo_mcp.graph.projects.model import Outcome
from repo_mcp.graph.projects.tree import FILE_KEY, FOLDER_KEY, Probe


class Modules:
    """The modules that specifiers mean, seen from their files."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        manifests = engine.files.manifests
        projects = read_projects(engine.files.paths | manifests.keys(), manifests.get)
        self._modules = EcmaScriptModules(projects)
        self._tree = projects.tree
        self._known: dict[tuple[str, str], tuple[Result, tuple[tuple[str, int], ...]]] = {}

    def find(self, specifier: str, path: str) -> Result:
        """The module of a specifier in a file: a file of the tree, or an external one."""
        folder = path.rpartition("/")[0]
        known = self._known.get((specifier, folder))
        if known is None:
            notes: list[str] = []
            found = self._found(specifier, path, Probe(self._tree, notes.append))
            questions = tuple(_question(note) for note in dict.fromkeys(notes))
            known = self._known[specifier, folder] = found, questions
        for asked, key in known[1]:
            self._engine.ask(asked, key)
        return known[0]

    def _found(self, specifier: str, path: str, probe: Probe) -> Result:
        found = self._modules.find(specifier, path, probe)
        if found.outcome == Outcome.FILE and found.path in self._engine.files.paths:
            return {ModuleValue(found.path): Strategy.IMPORT}
        if found.outcome == Outcome.EXTERNAL:
            return {External(specifier.removeprefix("node:")): Strategy.IMPORT}
        return {}


def _question(note: str) -> tuple[str, int]:
    """The file and the key that stand for a question to the tree or to a table."""
    if note.startswith(FILE_KEY):
        path = note[len(FILE_KEY) :]
        return path, path_key(path)
    if note.startswith(FOLDER_KEY):
        path = note[len(FOLDER_KEY) :]
        return path, path_key(f"{path}/")
    return note, answer_key(note)

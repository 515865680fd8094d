"""Links one file after the other: a file's symbols, and an edge for each place that means one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final

from repo_mcp.graph.evaluate.definitions import Definitions
from repo_mcp.graph.evaluate.engine import Engine
from repo_mcp.graph.evaluate.evaluation import Evaluation
from repo_mcp.graph.evaluate.source_file import SourceFile
from repo_mcp.graph.identity import declaration_ids
from repo_mcp.graph.link.ecmascript_places import EcmaScriptPlaces
from repo_mcp.graph.link.offers import list_offers
from repo_mcp.graph.link.places import Context, Places
from repo_mcp.graph.link.symbols import list_symbols
from repo_mcp.graph.model import LinkedFile
from repo_mcp.graph.projects.catalog import Projects, read_projects
from repo_mcp.graph.rules.ecmascript.definitions import EcmaScriptDefinitions
from repo_mcp.graph.rules.ecmascript.evaluation import EcmaScriptEvaluation
from repo_mcp.graph.rules.ecmascript.language import LANGUAGES as ECMASCRIPT
from repo_mcp.graph.rules.python.language import PythonLanguage
from repo_mcp.graph.tree import Tree
from repo_mcp.languages.code import NONE, ScopeKind

PYTHON: Final = "python"
# Python frames of the deepest evaluation
_FRAMES: Final = 12_000


class GraphLinker:
    """Links the files of a tree; files of one family of languages see each other."""

    def __init__(self, tree: Tree) -> None:
        self._engine = Engine(tree)
        self._ids: dict[str, list[int]] = {}
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))

    def link(self, path: str) -> LinkedFile:
        """The symbols and edges of one file."""
        self._engine.begin_file(path)
        file = self._engine.files.get(path)
        if file is None:
            return LinkedFile(path, b"", "", "")
        places = self._places(file)
        places.visit()
        return LinkedFile(
            path,
            file.fingerprint,
            self._projects.project_of(path).id,
            file.language,
            list_symbols(file, self.ids(path)),
            tuple(sorted(places.edges)),
            tuple(sorted(places.external)),
            tuple(sorted(places.unresolved)),
            self._engine.questions(),
            list_offers(file),
        )

    def _places(self, file: SourceFile) -> Places:
        if file.language in ECMASCRIPT:
            return EcmaScriptPlaces(self._ecmascript, file)
        if file.language != PYTHON:  # there are no rules for its code
            file = SourceFile(file.path, replace(file.facts, code=None), file.fingerprint)
        return Places(self._python, file)

    def ids(self, path: str) -> list[int]:
        """The ids of a file's declarations."""
        known = self._ids.get(path)
        if known is None:
            file = self._engine.files.get(path)
            known = [] if file is None else _ids_of(file)
            self._ids[path] = known
        return known

    @cached_property
    def _projects(self) -> Projects:
        manifests = self._engine.files.manifests
        return read_projects(self._engine.files.paths | manifests.keys(), manifests.get)

    @cached_property
    def _python(self) -> Context:
        evaluation = Evaluation(self._engine, PythonLanguage)
        return Context(self._engine, evaluation, Definitions(evaluation), self.ids)

    @cached_property
    def _ecmascript(self) -> Context:
        evaluation = EcmaScriptEvaluation(self._engine)
        definitions = EcmaScriptDefinitions(evaluation)
        return Context(self._engine, evaluation, definitions, self.ids)


def _ids_of(file: SourceFile) -> list[int]:
    scopes: list[int] | None = None
    if file.language in ECMASCRIPT:  # functions without names hold declarations of their own
        scopes = [0] * len(file.declarations)
        for binding in file.code.bindings:
            if binding.declaration != NONE and file.kind(binding.scope) != ScopeKind.CLASS:
                scopes[binding.declaration] = binding.scope
    return declaration_ids(file.language, file.path, file.declarations, scopes)


def link_all(tree: Tree, paths: Iterable[str]) -> Iterator[LinkedFile]:
    """Link files in the order of their paths."""
    linker = GraphLinker(tree)
    for path in sorted(paths):
        yield linker.link(path)

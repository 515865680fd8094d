"""Usings that project files declare for all files of a project."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname

from code_graph.evaluate.engine import Engine
from code_graph.languages.csharp.imports import GlobalUsings
from code_graph.projects.tree import Probe, ancestors


class ProjectUsings:
    """The usings that project files give to the files in and below their folders."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._finders = engine.files.finders

    def of(self, path: str) -> Iterator[tuple[str, str]]:
        """Names of namespaces or types with their aliases, which are empty for most."""
        probe = Probe(self._finders.projects.tree, self._engine.ask_answer)
        for folder in ancestors(dirname(path)):
            yield from self._finders.of(GlobalUsings).of_folder(folder, probe)

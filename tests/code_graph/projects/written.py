"""Written trees: the text of each file by its path, and everything that can be asked of them."""

from __future__ import annotations

from collections.abc import Mapping

from code_graph.languages.c.imports import IncludePaths
from code_graph.languages.ecmascript.imports import EcmaScriptModules
from code_graph.languages.go.imports import GoPackages
from code_graph.languages.python.imports import PythonRoots
from code_graph.languages.rust.imports import RustModules
from code_graph.languages.swift.imports import SwiftModules
from code_graph.projects.catalog import Projects, read_projects
from code_graph.projects.manifests import READERS
from code_graph.projects.tree import Probe

NAMES = (*READERS, "x.csproj", "x.sln", "x.slnx", "tsconfig.json", "jsconfig.json")


def projects_of(files: Mapping[str, str]) -> Projects:
    return read_projects(files, files.get)


def ids(files: Mapping[str, str]) -> list[str]:
    return [project.id for project in projects_of(files).all]


def use_all(files: dict[str, str]) -> None:
    """Reads the projects and asks every finder for everything that the texts may name."""
    projects = projects_of(files)
    probe = Probe(projects.tree)
    texts = [*files, *files.values(), "a", "a.b", "./a", "@a/b/c", "crate::a", "super::x", "#a", ""]
    python, scripts = PythonRoots(projects), EcmaScriptModules(projects)
    go, rust = GoPackages(projects), RustModules(projects)
    c, swift = IncludePaths(projects), SwiftModules(projects)
    for path in files:
        projects.project_of(path)
        python.module_of(path, probe)
        rust.module_of(path, probe)
        for text in texts:
            for finder in (python, scripts, go, rust, c, swift):
                found = finder.find(text, path, probe)
                assert not found.path or found.path in projects.tree.files | projects.tree.folders

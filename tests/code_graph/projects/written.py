"""Written trees: the text of each file by its path, and everything that can be asked of them."""

from __future__ import annotations

from collections.abc import Mapping

from code_graph.projects.catalog import Projects, read_projects
from code_graph.projects.imports.c import IncludePaths
from code_graph.projects.imports.dotnet import DotnetProjects
from code_graph.projects.imports.ecmascript import EcmaScriptModules
from code_graph.projects.imports.go import GoPackages
from code_graph.projects.imports.jvm import JvmTypes
from code_graph.projects.imports.python import PythonRoots
from code_graph.projects.imports.rust import RustModules
from code_graph.projects.imports.swift import SwiftModules
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
    go, jvm, rust = GoPackages(projects), JvmTypes(projects), RustModules(projects)
    c, swift, dotnet = IncludePaths(projects), SwiftModules(projects), DotnetProjects(projects)
    for path in files:
        projects.project_of(path)
        python.module_of(path, probe)
        rust.module_of(path, probe)
        dotnet.visible_from(path, probe)
        for text in texts:
            for finder in (python, scripts, go, jvm, rust, c, swift):
                found = finder.find(text, path, probe)
                assert not found.path or found.path in projects.tree.files | projects.tree.folders

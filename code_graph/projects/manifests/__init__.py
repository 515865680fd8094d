"""Readers of manifests: text to record; nothing is run and no other file is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from code_graph.projects.manifests import cargo, dotnet, go, jvm, npm, python, swift
from code_graph.projects.model import ProjectKind, ProjectManifest

Reader = Callable[[str, str, str], ProjectManifest]

# in one folder, what is named first is asked for the name first
READERS: Final[dict[str, tuple[ProjectKind, Reader]]] = {
    "pyproject.toml": (ProjectKind.PYTHON, python.read_pyproject),
    "setup.cfg": (ProjectKind.PYTHON, python.read_setup_cfg),
    "setup.py": (ProjectKind.PYTHON, python.read_setup_py),
    "package.json": (ProjectKind.NPM, npm.read_package_json),
    "pnpm-workspace.yaml": (ProjectKind.NPM, npm.read_pnpm_workspace),
    "lerna.json": (ProjectKind.NPM, npm.read_lerna),
    "Cargo.toml": (ProjectKind.CARGO, cargo.read_cargo),
    "go.mod": (ProjectKind.GO, go.read_go_mod),
    "go.work": (ProjectKind.GO, go.read_go_work),
    "Package.swift": (ProjectKind.SWIFT, swift.read_package_swift),
    "pom.xml": (ProjectKind.MAVEN, jvm.read_pom),
    "settings.gradle": (ProjectKind.GRADLE, jvm.read_gradle_settings),
    "settings.gradle.kts": (ProjectKind.GRADLE, jvm.read_gradle_settings),
    "build.gradle": (ProjectKind.GRADLE, jvm.read_gradle_build),
    "build.gradle.kts": (ProjectKind.GRADLE, jvm.read_gradle_build),
    "Directory.Build.props": (ProjectKind.DOTNET, dotnet.read_properties),
    "Directory.Build.targets": (ProjectKind.DOTNET, dotnet.read_properties),
}
READERS_BY_SUFFIX: Final[dict[str, tuple[ProjectKind, Reader]]] = {
    ".csproj": (ProjectKind.DOTNET, dotnet.read_project_file),
    ".fsproj": (ProjectKind.DOTNET, dotnet.read_project_file),
    ".vbproj": (ProjectKind.DOTNET, dotnet.read_project_file),
    ".sln": (ProjectKind.DOTNET, dotnet.read_solution),
    ".slnx": (ProjectKind.DOTNET, dotnet.read_solution),
}
SUFFIXES: Final = tuple(READERS_BY_SUFFIX)
# a broken one of these makes no project of its folder
LISTS_ONLY: Final = frozenset(
    {"pnpm-workspace.yaml", "lerna.json", "go.work", ".sln", ".slnx", ".props", ".targets"}
)


def reader_of(name: str) -> tuple[ProjectKind, Reader] | None:
    """The kind and the reader of a manifest by its file name; None if it is none."""
    return READERS.get(name) or READERS_BY_SUFFIX.get(name[name.rfind(".") :])

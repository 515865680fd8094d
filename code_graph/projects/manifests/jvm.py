"""Reads pom.xml of Maven, and settings.gradle and build.gradle of Gradle."""

from __future__ import annotations

import re
from typing import Final

from code_graph.formats.xml_tree import XmlError, parse_xml
from code_graph.projects.manifests.values import (
    MAX_ITEMS,
    folder_name,
    text_of,
    without_comments,
)
from code_graph.projects.model import ManifestError, ProjectKind, ProjectManifest
from code_graph.projects.tree import join

_ROOT_NAME: Final = re.compile(r"""\brootProject\.name\s*=\s*["']([^"'\n]{1,200})["']""")
_INCLUDE: Final = re.compile(r"""\binclude(?!\w)\s*\(?((?:\s*["'][^"'\n]{1,200}["']\s*,?)+)""")
_PROJECT_DIR: Final = re.compile(
    r"""\bproject\(\s*["']([^"'\n]{1,200})["']\s*\)\s*\.\s*projectDir\s*=\s*"""
    r"""(?:new\s+)?[Ff]ile\(\s*(?:(?:rootDir|settingsDir)\s*,\s*)?["']([^"'\n]{1,300})["']"""
)
_QUOTED: Final = re.compile(r"""["']([^"'\n]{1,300})["']""")


def read_pom(path: str, folder: str, text: str) -> ProjectManifest:
    """The module, and the modules below it."""
    try:
        root = parse_xml(text)
    except XmlError as error:
        raise ManifestError(str(error)) from None
    if root.name != "project":
        raise ManifestError("it is not a project of Maven")
    group = root.text_of("groupId") or root.text_of("parent", "groupId")
    artifact = text_of(root.text_of("artifactId"))
    name = f"{group}:{artifact}" if group else artifact
    modules = [text_of(module.text) for module in root.all("module")][:MAX_ITEMS]
    return ProjectManifest(
        path,
        ProjectKind.MAVEN,
        folder,
        name if artifact else folder_name(folder),
        members=tuple(member for item in modules if item and (member := join(folder, item))),
        version=text_of(root.text_of("version")),
    )


def read_gradle_settings(path: str, folder: str, text: str) -> ProjectManifest:
    """The subprojects that a build includes; `aliases` lead from their folders to their names."""
    plain = without_comments(text)
    name = _ROOT_NAME.search(plain)
    moved = {item[1]: item[2] for item in _PROJECT_DIR.finditer(plain)}
    folders: dict[str, str] = {}
    for found in _INCLUDE.finditer(plain):
        for written in _QUOTED.findall(found[1])[:MAX_ITEMS]:
            project = ":" + written.strip(":")
            where = join(folder, moved.get(project) or moved.get(written) or _default(project))
            if where is not None and len(folders) < MAX_ITEMS:
                folders.setdefault(where, project)
    return ProjectManifest(
        path,
        ProjectKind.GRADLE,
        folder,
        name[1] if name else folder_name(folder),
        members=tuple(folders),
        aliases=folders,
    )


def _default(project: str) -> str:
    return project.strip(":").replace(":", "/")


def read_gradle_build(path: str, folder: str, text: str) -> ProjectManifest:  # noqa: ARG001 one form of readers
    """A project, which a build script makes wherever it is."""
    return ProjectManifest(path, ProjectKind.GRADLE, folder, folder_name(folder))

"""Reads pom.xml of Maven, and settings.gradle and build.gradle of Gradle."""

from __future__ import annotations

import re
from typing import Final

from code_graph.formats.xml_tree import Element, XmlError, parse_xml
from code_graph.projects.manifests.values import (
    MAX_ITEMS,
    folder_name,
    text_of,
    texts_of,
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
# a dependency on another project, by its path or as Gradle's accessors write it
_PROJECT: Final = re.compile(
    r"""\w[ \t]*[( \t]\s*project\(\s*(?:path\s*[:=]\s*)?["'](:[^"'\n]{1,200})["']"""
    r"""|\(\s*(projects\.[\w.]{1,200})"""
)
# the beginning of a block that configures another project
_BLOCK: Final = re.compile(
    r"""^[ \t]*project\(\s*["'](:[^"'\n]{1,200})["']\s*\)\s*\{""", re.MULTILINE
)
_BRACE: Final = re.compile(r"[{}]")
# a property that is the group of the project itself
_OWN_GROUP: Final = frozenset(
    f"${{{name}}}" for name in ("project.groupId", "pom.groupId", "groupId")
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
    sections = [root, *(profile for part in root.all("profiles") for profile in part.children)]
    used = [part.child("dependencies") for part in sections]
    required = [root.child("parent"), *(it for part in used if part for it in part.children)]
    return ProjectManifest(
        path,
        ProjectKind.MAVEN,
        folder,
        name if artifact else folder_name(folder),
        members=tuple(member for item in modules if item and (member := join(folder, item))),
        version=text_of(root.text_of("version")),
        requires=texts_of([_coordinates(item, group) for item in required if item]),
    )


def _coordinates(dependency: Element, group: str) -> str:
    """The name of what a pom.xml depends on; a property that is not known stays as it is."""
    own = text_of(dependency.text_of("groupId"))
    artifact = text_of(dependency.text_of("artifactId"))
    own = group if own in _OWN_GROUP else own
    return f"{own}:{artifact}" if own else artifact


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


def read_gradle_build(path: str, folder: str, text: str) -> ProjectManifest:
    """A project, which a build script makes wherever it is, and those that it depends on."""
    plain, own, last = without_comments(text), list[str](), 0
    configured: dict[str, tuple[str, ...]] = {}
    for block in _BLOCK.finditer(plain):
        if block.start() >= last:
            own.append(plain[last : block.start()])
            last = _end_of_block(plain, block.end())
            inside = _projects_in(plain[block.end() : last])
            configured[block[1]] = (*configured.get(block[1], ()), *inside)
    return ProjectManifest(
        path,
        ProjectKind.GRADLE,
        folder,
        folder_name(folder),
        requires=_projects_in(" ".join((*own, plain[last:]))),
        configured=configured,
    )


def _projects_in(text: str) -> tuple[str, ...]:
    return texts_of([found[1] or found[2] for found in _PROJECT.finditer(text)])


def _end_of_block(text: str, start: int) -> int:
    """The end of a block that has begun; braces in strings are taken for balanced."""
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    return len(text)

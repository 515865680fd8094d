"""Reads pom.xml of Maven, and settings.gradle and build.gradle of Gradle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.formats.xml_tree import Element, XmlError, parse_xml
from code_graph.projects.manifests.values import (
    MAX_ITEMS,
    folder_name,
    text_of,
    without_comments,
)
from code_graph.projects.model import ManifestError, ProjectKind, ProjectManifest
from code_graph.projects.tree import below, join

_ROOT_NAME: Final = re.compile(r"""\brootProject\.name\s*=\s*["']([^"'\n]{1,200})["']""")
_INCLUDE: Final = re.compile(r"""\binclude(?!\w)\s*\(?((?:\s*["'][^"'\n]{1,200}["']\s*,?)+)""")
_PROJECT_DIR: Final = re.compile(
    r"""\bproject\(\s*["']([^"'\n]{1,200})["']\s*\)\s*\.\s*projectDir\s*=\s*"""
    r"""(?:new\s+)?[Ff]ile\(\s*(?:(?:rootDir|settingsDir)\s*,\s*)?["']([^"'\n]{1,300})["']"""
)
_SOURCE_DIRS: Final = re.compile(
    r"""\bsrcDirs?\b\s*(?:\+?=|\()?\s*((?:[\[(]|listOf\(|setOf\(|files?\()?"""
    r"""(?:\s*["'][^"'\n]{1,200}["']\s*,?)+)"""
)
_PROJECT_DEPENDENCY: Final = re.compile(
    r"""\bproject\(\s*(?:path\s*[:=]\s*)?["'](:[^"'\n]{1,200})["']"""
)
# `projects.fooBar.baz` in Kotlin: a subproject as a property
_PROJECT_ACCESSOR: Final = re.compile(r"\bprojects((?:\.[A-Za-z][A-Za-z0-9]{0,100}){1,9})")
_QUOTED: Final = re.compile(r"""["']([^"'\n]{1,300})["']""")
_MAVEN_ROOTS: Final = ("src/main/java", "src/test/java", "src/main/kotlin", "src/test/kotlin")
_BASE: Final = ("${project.basedir}/", "${basedir}/", "${project.baseUri}")


def read_pom(path: str, folder: str, text: str) -> ProjectManifest:
    """The module, its sources, dependencies and the modules below it."""
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
        source_roots=tuple(dict.fromkeys(_pom_roots(root, folder))),
        dependencies=tuple(dict.fromkeys(_pom_dependencies(root, group)))[:MAX_ITEMS],
        members=tuple(member for item in modules if item and (member := join(folder, item))),
        version=text_of(root.text_of("version")),
    )


def _pom_roots(root: Element, folder: str) -> Iterator[str]:
    build = root.child("build")
    written = [] if build is None else [build.text_of("sourceDirectory")]
    if build is not None:
        written.append(build.text_of("testSourceDirectory"))
        written.extend(source.text.strip() for source in build.all("source"))
    for text in (*written, *_MAVEN_ROOTS):
        for prefix in _BASE:
            text = text.removeprefix(prefix)  # noqa: PLW2901 the same text without its base
        where = join(folder, text) if text and "${" not in text else None
        if where is not None:
            yield where


def _pom_dependencies(root: Element, group: str) -> Iterator[str]:
    listed = root.child("dependencies")
    for dependency in listed.children[:MAX_ITEMS] if listed is not None else ():
        owner = dependency.text_of("groupId")
        if owner in ("${project.groupId}", "${pom.groupId}", "${groupId}"):
            owner = group
        yield f"{owner}:{dependency.text_of('artifactId')}"


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
    """The source folders and the projects of the same build that a build script names."""
    plain = without_comments(text)
    written = [item for found in _SOURCE_DIRS.finditer(plain) for item in _QUOTED.findall(found[1])]
    dependencies = [
        *_PROJECT_DEPENDENCY.findall(plain)[:MAX_ITEMS],
        *_PROJECT_ACCESSOR.findall(plain)[:MAX_ITEMS],
    ]
    roots = [below(folder, item.strip("/")) for item in written if "$" not in item]
    return ProjectManifest(
        path,
        ProjectKind.GRADLE,
        folder,
        folder_name(folder),
        source_roots=tuple(dict.fromkeys(roots[:MAX_ITEMS])),
        dependencies=tuple(dict.fromkeys(dependencies)),
    )

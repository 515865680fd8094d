"""Reads project files of .NET, and solutions in both forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.formats.xml_tree import Element, XmlError, parse_xml
from code_graph.projects.manifests.values import MAX_ITEMS, text_of
from code_graph.projects.model import ManifestError, ProjectKind, ProjectManifest
from code_graph.projects.tree import is_within, join

_SOLUTION_LINE: Final = re.compile(
    r'^[ \t]*Project\("[^"\n]{0,60}"\)[ \t]*=[ \t]*"[^"\n]{1,200}"[ \t]*,[ \t]*"([^"\n]{1,400})"',
    re.MULTILINE,
)


def read_project_file(path: str, folder: str, text: str) -> ProjectManifest:
    """The assembly, and files of other folders."""
    root = _root(text, "Project")
    stem = path.rpartition("/")[2].rpartition(".")[0]
    names = [text_of(item.text) for item in root.all("AssemblyName")]
    named = [name for name in names if name and "$(" not in name]
    compiled, referred = (
        [item.attributes.get("Include", "") for item in root.all(name)]
        for name in ("Compile", "ProjectReference")
    )
    return ProjectManifest(
        path,
        ProjectKind.DOTNET,
        folder,
        named[0] if named else stem,
        includes=tuple(dict.fromkeys(_outside(folder, compiled))),
        requires=tuple(_paths(folder, iter(referred))),
    )


def _outside(folder: str, written: list[str]) -> Iterator[str]:
    """Files that are compiled from other folders; folders for globs."""
    items = [item for text in written for item in text.split(";")]
    for item in items[:MAX_ITEMS]:
        plain = item.strip().replace("\\", "/")
        plain = plain.replace("$(MSBuildThisFileDirectory)", "./")
        if "*" in plain:
            plain = plain[: plain.index("*")].rpartition("/")[0]
        where = join(folder, plain) if plain and "$(" not in plain else None
        if where and not is_within(where, folder):
            yield where


def read_properties(path: str, folder: str, text: str) -> ProjectManifest:
    """Properties that the projects below share; only the usings count."""
    _root(text, "Project")
    return ProjectManifest(path, ProjectKind.DOTNET, folder, is_project=False)


def read_solution(path: str, folder: str, text: str) -> ProjectManifest:
    """The projects that a .sln or .slnx lists."""
    if path.endswith(".slnx"):
        listed = [
            item.attributes.get("Path", "") for item in _root(text, "Solution").all("Project")
        ]
    else:
        listed = _SOLUTION_LINE.findall(text)
    members = tuple(_paths(folder, iter(listed)))
    return ProjectManifest(path, ProjectKind.DOTNET, folder, is_project=False, members=members)


def _paths(folder: str, written: Iterator[str]) -> Iterator[str]:
    for count, item in enumerate(written):
        if count == MAX_ITEMS:
            return
        where = join(folder, item.strip().replace("\\", "/")) if item else None
        if where:
            yield where


def _root(text: str, name: str) -> Element:
    try:
        root = parse_xml(text)
    except XmlError as error:
        raise ManifestError(str(error)) from None
    if root.name != name:
        raise ManifestError(f"its root is not {name}")
    return root

"""Written trees: the text of each file by its path."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.graph.projects.catalog import Projects, read_projects


def projects_of(files: Mapping[str, str]) -> Projects:
    return read_projects(files, files.get)


def ids(files: Mapping[str, str]) -> list[str]:
    return [project.id for project in projects_of(files).all]

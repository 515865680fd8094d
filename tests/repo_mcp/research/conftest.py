"""The projects, each indexed once for all tests of a process."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repo_mcp.research.projects import ALL, Project


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Project]:
    made: dict[str, Project] = {}

    def get(language: str) -> Project:
        if language not in made:
            made[language] = Project(tmp_path_factory.mktemp(language), ALL[language])
        return made[language]

    return get


@pytest.fixture
def python(project: Callable[[str], Project]) -> Project:
    return project("python")

"""Two served roots, closed at the end of a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.toolsets.retrieval.two_roots import Make, TwoRoots


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[TwoRoots] = []

    def new(**more: Any) -> TwoRoots:  # noqa: ANN401 any option
        made.append(TwoRoots(tmp_path / f"t{len(made)}", **more))
        return made[-1]

    yield new
    for served in made:
        served.close()


@pytest.fixture
def served(make: Make) -> TwoRoots:
    return make()

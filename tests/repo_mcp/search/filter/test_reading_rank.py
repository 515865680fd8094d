"""The order of files in lists of lines: code, what runs beside it, tests, then prose and data."""

from __future__ import annotations

import pytest

from code_graph import Languages
from repo_mcp.search.filter.file_kinds import reading_rank

CODE = ["src/run.py", "web/till.vue", "Makefile", "api/shop.proto", "types/shop.d.ts"]
BESIDE = ["shop.yaml", "web/till.component.html", "style.css", "examples/a.py"]
TESTS = ["tests/test_run.py", "web/till.spec.ts", "tests/data/a.json"]
LAST = ["README", "docs/use.md", "docs/use.html", "locale/de.po", "poetry.lock", "go.sum"]
LAST += ["CHANGELOG.rst", "vendor/b.go", "web/i18n/de.json"]


@pytest.mark.parametrize(
    ("path", "rank"),
    [(path, rank) for rank, paths in enumerate([CODE, BESIDE, TESTS, LAST]) for path in paths],
)
def test_a_file_ranks_by_its_kind(path: str, rank: int) -> None:
    assert reading_rank(path, Languages()) == rank

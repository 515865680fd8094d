"""The runner's verdict on a mutant, without running the tests of the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.mutants import __main__ as runner

pytestmark = pytest.mark.servers

MUTANT = runner.Mutant("limit", "module.py", "< 5", "< 6", ["tests"])


@pytest.mark.parametrize(
    ("text", "passing", "outcome"),
    [
        ("a < 5", lambda faulty: not faulty, "killed"),
        ("a < 5", lambda _: True, "survived"),
        ("a < 5", lambda _: False, "unclear"),
        ("a < 7", lambda _: True, "stale"),
        ("a < 5 or b < 5", lambda _: True, "stale"),
        (None, lambda _: True, "stale"),
    ],
)
def test_a_mutant_is_killed_where_a_test_fails_over_it_alone(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str | None,
    passing: object,
    outcome: str,
) -> None:
    module = tmp_path / "module.py"
    if text is not None:
        module.write_text(text)

    def run_tests(tree: Path, tests: Sequence[str]) -> tuple[bool, str]:
        assert tree == tmp_path
        assert tests in (["tests"], ["tests::one"])
        passed = passing("< 6" in module.read_text())  # type: ignore[operator]
        return passed, "" if passed else "tests::one"

    monkeypatch.setattr(runner, "run_tests", run_tests)
    assert runner.try_mutant(tmp_path, MUTANT)[0] == outcome
    assert (module.read_text() if module.exists() else None) == text


@pytest.mark.parametrize("mutant", runner.read_table(), ids=lambda mutant: mutant.id)
def test_each_row_of_the_table_fits_this_tree(mutant: runner.Mutant) -> None:
    source = Path(runner._TOP, mutant.file).read_text(encoding="utf-8")
    assert mutant.planted_in(source) is not None
    assert all(Path(runner._TOP, test.partition("::")[0]).exists() for test in mutant.tests)


def test_a_copy_has_this_tree_and_its_compiled_code(tmp_path: Path) -> None:
    runner.copy_tree(tmp_path)
    for name in ("pyproject.toml", "repo_mcp/server.py", "tests/mutants/table.toml"):
        assert (tmp_path / name).is_file()
    assert not (tmp_path / ".git").exists()
    compiled = [path.relative_to(runner._TOP) for path in runner._TOP.glob("*/native/_native*")]
    assert all((tmp_path / path).exists() for path in compiled)

"""Questions about the past and about changes of one root of several."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.app import App
from tests.repo_mcp.changes.reviews import commit
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.workspace.workspaces import roots_of, serve, text_of

pytestmark = pytest.mark.servers
NAMES = {"lib": "lib", "web": "web"}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    for name in NAMES:
        root = tmp_path / name
        commit(root, {"rates.py": "def add_tax(price):\n    return price\n"}, f"tax of {name}")
        commit(root, {"rates.py": f"def add_tax(price):\n    return {name}\n"}, f"rate of {name}")
    with serve(*roots_of(tmp_path, NAMES), data=tmp_path / "data") as app:
        yield app


def head(tmp_path: Path, name: str, at: str = "HEAD") -> str:
    return run_git(tmp_path / name, "rev-parse", "--short=10", at).decode().strip()


def test_sides_have_the_names_of_the_roots(app: App, tmp_path: Path) -> None:
    lib, web = head(tmp_path, "lib"), head(tmp_path, "web")
    before = head(tmp_path, "lib", "HEAD~1"), head(tmp_path, "web", "HEAD~1")
    text = text_of(app, "repo.changes", rev="HEAD~1..HEAD")
    assert text.startswith(f"lib {before[0]}, web {before[1]} → lib {lib}, web {web}: 2 files")


@pytest.mark.parametrize(
    "asked", [{"rev": "HEAD~1..HEAD", "path": "web"}, {"rev": "repo:web HEAD~1..HEAD"}]
)
def test_changes_of_one_root_are_between_its_commits(
    app: App, tmp_path: Path, asked: dict[str, str]
) -> None:
    text = text_of(app, "repo.changes", **asked)
    assert text.startswith(f"{head(tmp_path, 'web', 'HEAD~1')} → {head(tmp_path, 'web')}: 1 file")
    assert "lib" not in text


def test_the_commits_of_one_root(app: App) -> None:
    text = text_of(app, "repo.history", words="rate repo:web")
    assert "rate of web" in text
    assert "rate of lib" not in text


@pytest.mark.parametrize("path", ["web", "web/", "web/rates.py"])
def test_the_past_of_a_symbol_below_a_path(app: App, path: str) -> None:
    text_of(app, "repo.refresh_index")
    text = text_of(app, "repo.history", symbol="add_tax", path=path)
    assert "rate of web" in text
    assert "rate of lib" not in text


def test_a_path_of_no_file_is_said(app: App) -> None:
    text_of(app, "repo.refresh_index")
    text = text_of(app, "repo.history", path="web/src/rates.py")
    assert "nothing found" in text
    assert "there is no file web/src/rates.py now: did you mean web/rates.py" in text
    assert "did you mean" not in text_of(app, "repo.history", path="*.nothing")


def test_a_test_is_named_after_files_of_its_own_root(app: App, tmp_path: Path) -> None:
    named = {"tests/test_rates.py": "def test_it():\n    pass\n", "tests/test_rates.txt": "x\n"}
    for name in NAMES:
        commit(tmp_path / name, named, f"tests of {name}")
    (tmp_path / "lib/rates.py").write_text("def add_tax(price):\n    return price * 2\n")
    assert "complete" in text_of(app, "repo.refresh_index")
    text = text_of(app, "repo.changes")
    assert "lib/tests/test_rates.py" in text
    assert "web/tests" not in text
    assert "test_rates.txt" not in text

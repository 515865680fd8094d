"""The command `index --engine`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.trees import write

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

FILES: dict[str, str | bytes] = {
    f"pkg/m{number}.py": f"def call{number}():\n    return {number}\n" for number in range(90)
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


def test_an_index_that_an_engine_has_built_is_asked_like_any_other(
    root: Path, tmp_path: Path
) -> None:
    data = str(tmp_path / "data")
    done = run("index", "--data-dir", data, "--engine", "local:1", "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["refresh"]["added"] == 90
    assert record["engine"]["tasks"] == 1
    assert record["engine"]["cpu_seconds"] > 0
    assert record["engine"]["made_here"] == 0
    assert not (tmp_path / "data" / "engine").exists()
    found = run("search", "--data-dir", data, "call77", cwd=root)
    assert "pkg/m77.py" in found.stdout


def test_words_come_first_and_the_rest_with_the_graph_in_the_next_run(
    root: Path, tmp_path: Path
) -> None:
    where = ["--data-dir", str(tmp_path / "data"), "--engine", "local:1", "--json"]
    done = run("index", *where, "--words-only", cwd=root)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["engine"]["tasks"] == 1
    found = run("search", "--data-dir", str(tmp_path / "data"), "call77", cwd=root)
    assert "pkg/m77.py" in found.stdout
    done = run("index", *where, "--graph", cwd=root)
    assert done.returncode == 0, done.stderr
    status = run("status", "--data-dir", str(tmp_path / "data"), cwd=root)
    assert "graph" in status.stdout


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--engine", "dask://127.0.0.1:9"], "--store"),
        (["--engine", "local:1", "--words-only", "--graph"], "declarations"),
        (["--engine", "ssh://host:1", "--store", "file:///tmp/x"], "an engine is"),
    ],
)
def test_an_engine_that_can_not_be_meant_is_refused(
    root: Path, tmp_path: Path, options: list[str], reason: str
) -> None:
    done = run("index", "--data-dir", str(tmp_path / "data"), *options, cwd=root)
    assert done.returncode == 2
    assert reason in done.stderr

"""A made monorepo is the same for equal arguments, and as large as was asked for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bench.corpora.monorepo import project_files, projects, write
from code_graph import Languages

FILES = 700


def tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


@pytest.mark.servers
def test_equal_arguments_write_equal_trees(tmp_path: Path) -> None:
    sizes = [write(tmp_path / str(workers), FILES, workers=workers) for workers in (1, 2)]
    one, other = tree(tmp_path / "1"), tree(tmp_path / "2")
    assert one == other
    assert len(one) == FILES
    assert sizes == [sum(map(len, one.values()))] * 2
    write(tmp_path / "seed", FILES, seed=2, workers=1)
    assert tree(tmp_path / "seed").keys() != one.keys()


@pytest.mark.parametrize("files", [1, 3, 500, 5000])
def test_projects_have_as_many_files_as_were_asked_for(files: int) -> None:
    assert sum(project.files for project in projects(files, 1)) == files


def test_files_are_code_of_several_languages_in_folders_of_some_depth() -> None:
    found = {path: text for item in projects(4000, 1) for path, text in project_files(item, 1)}
    assert len(found) == 4000
    languages = Languages()
    named = {languages.language_of(path) for path in found}
    assert len(named) > 6
    depths = [path.count("/") for path in found]
    assert (min(depths), max(depths)) >= (4, 6)
    assert 400 < sum(map(len, found.values())) / len(found) < 1000
    for path, text in found.items():
        if path.endswith(".py"):
            ast.parse(text)

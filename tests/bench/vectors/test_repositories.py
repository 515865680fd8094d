"""The list of repositories: permissive, pinned, and disjoint from all that is measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.answers.history import histories
from bench.graph.projects import projects
from bench.vectors import repositories
from bench.vectors.licences import PERMISSIVE
from bench.vectors.repositories import Repository, is_measured

_LISTED = repositories.read()
_FEWEST = 300
_COMMIT = re.compile(r"[0-9a-f]{40}")


def test_the_list_is_long_and_every_entry_is_pinned_and_permissive() -> None:
    assert len([row for row in _LISTED if row.split == "train"]) >= _FEWEST
    assert {row.split for row in _LISTED} == set(repositories.SPLITS)
    assert all(row.licence in PERMISSIVE for row in _LISTED)
    assert all(_COMMIT.fullmatch(row.commit) for row in _LISTED)


def test_no_repository_is_listed_twice() -> None:
    assert len({row.name.lower() for row in _LISTED}) == len(_LISTED)


def test_the_list_shares_nothing_with_other_benchmarks() -> None:
    assert [row.name for row in _LISTED if is_measured(row.name)] == []


def test_what_other_benchmarks_use_is_known() -> None:
    answers = [row.name for split in ("train", "test") for row in histories(split)]
    linked = [
        row.source.partition(":")[2].rpartition("@")[0]
        for language in ("python", "typescript")
        for row in projects(language)
        if row.source.startswith("git:") and row.split != "tune"
    ]
    packages = ["nginx/nginx", "apache/zookeeper", "ReactiveX/rxjs", "rust-lang/cargo"]
    for name in (*answers, *linked, *packages, "docker/cli", "etcd-io/bbolt", "torvalds/linux"):
        assert is_measured(name), name


def test_a_written_list_reads_as_it_was(tmp_path: Path) -> None:
    rows = [
        Repository("b/two", "validation", "MIT", "0" * 40),
        Repository("A/one", "train", "ISC", "1" * 40),
    ]
    repositories.write(rows, tmp_path / "list.toml")
    assert repositories.read(tmp_path / "list.toml") == [rows[1], rows[0]]


@pytest.mark.parametrize("name", ["uber-go/zap", "python/mypy"])
def test_others_may_be_trained_on(name: str) -> None:
    assert not is_measured(name)

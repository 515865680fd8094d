"""The systems we are compared with do what is said of them, on a tree of a few files."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.ranking import ripgrep_files, whoosh_chunks
from bench.ranking.__main__ import main
from bench.ranking.metrics import Ranked
from bench.ranking.systems import BASELINES
from bench.ranking.tantivy_files import tantivy_files

_NO_RG = pytest.mark.skipif(shutil.which(ripgrep_files.PROGRAM) is None, reason="no ripgrep")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".gitignore").write_text("*\n")
    (tmp_path / ".hidden" / "walk.c").write_text("tree walk\nwalk walk\n")
    (tmp_path / "long.c").write_text("nothing\n" * 250 + "branch\n")
    (tmp_path / "other.c").write_text("walked tree_walk\n")
    return tmp_path


@pytest.mark.servers
@pytest.mark.parametrize(
    "prepare",
    [
        tantivy_files,
        whoosh_chunks.whoosh_chunks,
        pytest.param(ripgrep_files.ripgrep_files, marks=_NO_RG),
    ],
)
def test_each_finds_the_file_of_a_word(
    prepare: Callable[[Path], Callable[[str, int], list[Ranked]]], tree: Path
) -> None:
    search = prepare(tree)
    assert [item.path for item in search("Branch: (unknown)", 50)] == ["long.c"]
    assert search("unknown", 50) == []
    assert search("--", 50) == []


def test_whoosh_answers_with_stretches_of_lines(tree: Path) -> None:
    search = whoosh_chunks.whoosh_chunks(tree)
    assert search("branch", 50) == [Ranked("long.c", 201, 252)]


def test_whoosh_goes_on_until_it_has_named_as_many_files_as_asked() -> None:
    found = [Ranked("a", 1, 200), Ranked("a", 201, 400), Ranked("b"), Ranked("a"), Ranked("c")]
    assert whoosh_chunks.until(found, 2) == found[:4]
    assert whoosh_chunks.until(found, 9) == found


def test_stretches_cover_every_line_once() -> None:
    text = "\n".join(map(str, range(1, 402)))
    rows = list(whoosh_chunks.chunks(text))
    assert [row[:2] for row in rows] == [(1, 200), (201, 400), (401, 401)]
    assert "\n".join(row[2] for row in rows) == text


@pytest.mark.servers
@_NO_RG
def test_ripgrep_counts_whole_words_in_hidden_and_ignored_files(tree: Path) -> None:
    assert ripgrep_files.ripgrep_files(tree)("WALK", 50) == [Ranked(".hidden/walk.c")]


def test_what_ripgrep_prints_is_read() -> None:
    assert ripgrep_files.parsed(b"./a b.c\x003\n./d:1.c\x0012\n") == {"a b.c": 3, "d:1.c": 12}


def test_files_rank_by_the_sum_of_logarithms_then_by_path() -> None:
    assert math.log1p(1) + math.log1p(1) > math.log1p(2)
    counts = [{"one.c": 2, "both.c": 1, "b.c": 1, "a.c": 1}, {"both.c": 1}]
    paths = [item.path for item in ripgrep_files.ranked(counts, 50)]
    assert paths == ["both.c", "one.c", "a.c", "b.c"]
    assert ripgrep_files.ranked(counts, 1) == [Ranked("both.c")]


def test_a_word_asked_twice_is_one_word() -> None:
    assert ripgrep_files.words("Walk the walk_tree, walk!") == ["walk", "the", "walk_tree"]


@pytest.mark.servers
def test_without_its_program_a_system_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert [item.name for item in BASELINES if not item.present] == ["ripgrep"]


@pytest.mark.servers
@pytest.mark.parametrize(
    "more",
    [["--only", "exim"], ["--alone"], ["--depth", "10"], ["--set", "k1=2"], ["--without", "b"]],
)
def test_only_whole_figures_are_kept(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--keep", str(tmp_path), "--record", *more])
    assert "--record needs" in capsys.readouterr().err


@pytest.mark.servers
def test_nothing_is_kept_where_a_system_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit):
        main(["run", "--keep", str(tmp_path), "--record"])
    assert "ripgrep can't be run on this machine" in capsys.readouterr().err

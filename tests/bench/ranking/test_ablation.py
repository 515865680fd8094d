"""Every signal that is switched off is a weight, and the table says what is lost without it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bench.ranking import ablation, judgements, trees
from bench.ranking.__main__ import main
from bench.ranking.judgements import Judgement, Place
from bench.ranking.repositories import Repository, repositories
from repo_mcp.search import DEFAULT_WEIGHTS

_REPOSITORY = repositories(("train",))[0]


@pytest.mark.parametrize("name", ablation._OFF)
def test_each_signal_is_a_weight_that_is_on(name: str) -> None:
    assert getattr(DEFAULT_WEIGHTS, name) != ablation._OFF[name]


@pytest.mark.servers
def test_the_table_has_what_is_lost_without_each_signal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "walk.py").write_text("def other():\n    return 1\n")
    (tree / "other.py").write_text("walk = walk + walk + walk\n")
    item = Judgement(_REPOSITORY.name, "exact", "walk", (Place("walk.py", 1, 2),))

    def read(name: str, _splits: object = ()) -> list[Judgement]:
        return [item] if name == "identifiers" else []

    def prepared(_repository: Repository, _keep: Path) -> Path:
        return tree

    monkeypatch.setattr(ablation, "ProcessPoolExecutor", ThreadPoolExecutor)
    monkeypatch.setattr(judgements, "read", read)
    monkeypatch.setattr(trees, "prepared", prepared)
    monkeypatch.setattr(ablation, "repositories", lambda _splits: [_REPOSITORY])
    main(["ablate", "--keep", str(tmp_path), "--split", "train", "--together", "name", "symbol"])
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[-3:] == ["train", "identifiers", "lines"]
    found = {row[:14].strip(): row[14:].split() for row in rows}
    assert list(found) == ["all", *ablation._OFF, "name symbol"]
    assert float(found["name"][0]) < 0
    assert found["name"] == found["name symbol"]

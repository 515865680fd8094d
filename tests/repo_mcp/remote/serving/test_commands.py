"""Commands on a root that is an address, from a folder that has nothing to do with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.remote.serving.published import TREE, checkout, publish

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    """The options that name a published root."""
    top = tmp_path_factory.mktemp("published")
    root, url = checkout(top / "shop", TREE), (top / "store").as_uri()
    publish(root, url, top / "data")
    return ("--repo-root", url, "--data-dir", str(top / "replica"))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (("search", "pay with a card"), "src/card.py:"),
        (("search", "-F", "open_vault", "src/card.py"), "src/card.py:1:"),
        (("search", "pay", "docs"), ""),
        (("search", "--files", "-g", "*.md"), "README.md\ndocs/umlaut ä.md\n"),
        (("open", "src/card.py:4"), "def pay(card):\n"),
        (("outline", "src/vault.py"), "open_vault"),
        (("symbol", "pay"), "src/cash.py"),
        (("status",), "commit "),
        (("search", "pay", "--rev", "main"), "src/card.py:"),
        (("config",), "file:///"),
    ],
)
def test_a_command_answers_from_what_is_published(
    place: Sequence[str], line: Sequence[str], shown: str, tmp_path: Path
) -> None:
    output = run(*line, *place, cwd=tmp_path)
    assert output.returncode in {0, 1}, output
    assert shown in output.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (("publish", "file:///nowhere/else"), "has no checkout"),
        (("pull", "file:///nowhere/else"), "has no checkout"),
        (("history",), "no checkout of git"),
        (("changes",), "no checkout of git"),
        (("open", "../x"), "outside"),
        (("open", "src/.env"), "secrets"),
        (("search", "-F", "pay", "nosuch"), "no such file or folder"),
        (("search", "pay", "--rev", "v9"), "labels: main"),
    ],
)
def test_what_is_not_there_is_told(
    place: Sequence[str], line: Sequence[str], reason: str, tmp_path: Path
) -> None:
    output = run(*line, *place, cwd=tmp_path)
    assert output.returncode == 2
    assert reason in output.stderr


def test_an_address_that_is_none_is_told(tmp_path: Path) -> None:
    data = ("--data-dir", str(tmp_path / "data"))
    for url, reason in (("nfs://x/y", "not the address"), ((tmp_path / "x").as_uri(), "folder")):
        output = run("search", "pay", "--repo-root", url, *data)
        assert output.returncode == 2
        assert reason in output.stderr

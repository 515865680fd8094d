"""The command `bundle`: text, JSON, limits, exit codes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from repo_mcp.bundle import LocalBundler, Ranker
from repo_mcp.cli.search.ranked import open_engine
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.bundle.bundling import TREE, made, request
from tests.repo_mcp.server_process import UNHURRIED
from tests.repo_mcp.trees import FOREVER, write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

PROMPT = "why does net_price refuse an order"


def run(*given: str, said: str | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*UNHURRIED, "bundle", *given],
        input=said,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def where(tmp_path: Path) -> list[str]:
    root = write(tmp_path / "root", TREE)
    return ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]


def test_it_builds_the_index_if_there_is_none_and_prints_a_page(where: list[str]) -> None:
    done = run(PROMPT, *where)
    assert done.returncode == 0
    assert done.stdout.startswith("# Context bundle\n")
    assert "9: def net_price(order):" in done.stdout
    assert "indexing" in done.stderr


def test_a_bundle_without_the_graph_says_so_until_there_is_one(where: list[str]) -> None:
    told = "this bundle lacks what the symbol graph tells"
    assert told in run(PROMPT, *where).stdout
    assert any(
        told in text for text in json.loads(run(PROMPT, *where, "--json").stdout)["warnings"]
    )
    for command in (["index", "--graph"], ["symbols", "net_price"]):
        subprocess.run(
            [*UNHURRIED, *command, *where], capture_output=True, check=True, timeout=HANG
        )
    done = run(PROMPT, *where)
    assert told not in done.stdout + done.stderr


def test_it_says_the_same_as_the_bundler_itself(where: list[str], tmp_path: Path) -> None:
    told = json.loads(run(PROMPT, *where, "--json", "--audit").stdout)
    assert told["prompt"] == PROMPT
    shop = made(tmp_path / "other")
    parts = services(Options(str(shop.root), str(shop.data)))
    ranker = Ranker(open_engine(parts, PROMPT))
    bundler = LocalBundler(parts.sandbox, parts.languages, ranker)
    asked = request(PROMPT)
    assert told["bundle_id"] == bundler.build(shop.snapshot, asked, FOREVER).bundle_id
    assert told["audit"]["bundler"] == "local"


def test_a_linked_graph_ties_what_is_shown(where: list[str]) -> None:
    before = json.loads(run(PROMPT, *where, "--json", "--audit").stdout)
    linked = [*UNHURRIED, "callers", "net_price", *where]
    subprocess.run(linked, capture_output=True, timeout=HANG, check=True)
    after = json.loads(run(PROMPT, *where, "--json", "--audit").stdout)
    assert (before["audit"]["ties"], after["audit"]["ties"]) == ("names", "graph")


def test_limits_are_kept(where: list[str]) -> None:
    limits = ["--max-files", "1", "--max-lines", "9", "--max-tokens", "200"]
    told = json.loads(run(PROMPT, *where, "--json", *limits).stdout)
    assert told["used"]["files"] == 1
    assert 0 < told["used"]["lines"] <= 9
    assert 0 < told["used"]["tokens"] <= 200


def test_tests_come_along_when_they_are_asked_for(where: list[str]) -> None:
    assert "## `tests/" not in run(PROMPT, *where).stdout
    assert "## `tests/test_prices.py`" in run(PROMPT, *where, "--tests").stdout


def test_a_prompt_can_be_piped_in(where: list[str]) -> None:
    done = run("-", *where, said=PROMPT)
    assert "9: def net_price(order):" in done.stdout


def test_the_last_bundle_is_kept_beside_the_index(where: list[str], tmp_path: Path) -> None:
    done = run(PROMPT, *where)
    assert (tmp_path / "data" / "last_bundle.md").read_text() == done.stdout
    assert json.loads((tmp_path / "data" / "last_bundle.json").read_text())["prompt"] == PROMPT


def test_files_that_changed_are_indexed_again_first(where: list[str], tmp_path: Path) -> None:
    run(PROMPT, *where)
    path = tmp_path / "root/shop/prices.py"
    path.write_text("\n\n" + path.read_text())
    told = json.loads(run(PROMPT, *where, "--json").stdout)
    assert told["excerpts"]
    assert not any("stale" in item for item in told["excerpts"])
    assert any("11: def net_price" in item["text"] for item in told["excerpts"])


def test_finding_nothing_is_said_by_the_exit_code(where: list[str]) -> None:
    assert run("xylophone zeppelin", *where).returncode == 1


def test_a_prompt_without_a_word_is_refused(where: list[str]) -> None:
    done = run("?!", *where)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no word" in done.stderr

"""Of a large tree without a graph, a command has the files with a name linked, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.cli.graph import open_graph
from repo_mcp.repository import repository
from repo_mcp.stored import GRAPH_INDEX
from tests.repo_mcp.cli.graph.graph_process import Commands
from tests.repo_mcp.trees import served, write

pytestmark = pytest.mark.servers
NAMED = ("callers", "Price.gross"), ("callees", "total"), ("refs", "add_tax"), ("symbol", "total")


@pytest.fixture(name="large")
def make_large(shop: Commands, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """The small repository counts as large, and its graph is gone."""
    monkeypatch.setattr(open_graph, "MANY_FILES", 1)
    monkeypatch.setattr(repository, "MANY_FILES", 1)
    return shop


@pytest.mark.parametrize(("command", "name"), NAMED)
def test_its_answer_is_that_of_the_whole_graph(
    large: Commands, monkeypatch: pytest.MonkeyPatch, command: str, name: str
) -> None:
    done = large(command, name)
    assert "files with the name or like it were linked for this answer" in done.err
    facts = large(command, name, "--json").facts
    assert not facts["complete"]
    assert not _has_graph(large.data)
    monkeypatch.setattr(open_graph, "MANY_FILES", 1 << 30)
    monkeypatch.setattr(repository, "MANY_FILES", 1 << 30)
    whole = large(command, name)
    places = [line for line in whole.lines if ":" in line and "each line" not in line]
    assert [line for line in done.lines if line in places] == places
    assert _has_graph(large.data)


def test_what_a_change_reaches_needs_the_whole_graph(large: Commands) -> None:
    assert large("impact", "add_tax").code == 0
    assert _has_graph(large.data)


def test_it_needs_no_declarations_of_all_files(large: Commands) -> None:
    assert large("index", "--words-only").code == 0
    done = large("callers", "Price.gross")
    assert done.code == 0
    assert any(line.startswith("shop/prices.py:18") for line in done.lines)


@pytest.mark.parametrize(
    ("command", "name"), [("symbol", "late"), ("callers", "late"), ("symbols", "late")]
)
def test_that_there_is_no_such_symbol_is_said_of_the_files_as_they_are(
    large: Commands, command: str, name: str
) -> None:
    assert large("index").code == 0
    write(large.root, {"shop/late.py": "def late():\n    return early()\n\n\nlate()\n"})
    done = large(command, name)
    assert done.code == 0
    assert "shop/late.py" in done.out
    assert "no symbol" not in done.err


@pytest.mark.parametrize("command", ["symbol", "callers", "implementations"])
@pytest.mark.parametrize(
    ("name", "near"), [("add_taxx", "shop.tax.add_tax"), ("ad_taks", ""), ("shop.zzqqy", "")]
)
def test_a_name_that_no_file_has_is_absent_and_what_is_near_is_named(
    large: Commands, command: str, name: str, near: str
) -> None:
    done = large(command, name)
    assert done.code == 1
    assert f"no symbol is called '{name}'" in done.err
    assert (f"did you mean {near}?" in done.err) is bool(near)
    assert "for the first time" not in done.err
    facts = large(command, name, "--json").facts
    assert facts["missing"] == name
    assert not _has_graph(large.data)


@pytest.mark.parametrize("command", ["symbols", "symbol", "callers"])
def test_a_graph_that_another_process_links_is_not_waited_for(shop: Commands, command: str) -> None:
    assert shop("index").code == 0
    manager = served(shop.root, shop.data).manager
    with manager.graph_index.store.lock(0):
        done = shop(command, "add_tax")
    assert done.code == 0
    assert any("shop/" in line for line in done.lines)
    assert "files with the name or like it were linked for this answer" in done.err
    assert "another process is writing" not in done.err


def _has_graph(data: Path) -> bool:
    return any((data / GRAPH_INDEX.folder).glob("CURRENT*"))

"""`code_research` as clients see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.indexing.keep.background import BackgroundRefresh
from tests.repo_mcp.research.projects import PYTHON, SWIFT
from tests.repo_mcp.toolsets.swiftindex.calls import Caller, Client
from tests.repo_mcp.trees import FOREVER, write


class Linked(Caller):
    """The tools of a repository whose graph is linked."""

    def link(self) -> None:
        """Index, and wait until the graph follows."""
        self.index()
        background = self.app.services.running().background
        background.refresh(FOREVER)
        assert background.wait_until_linked(FOREVER)


def linked(folder: Path, files: dict[str, str]) -> Linked:
    found = Linked(write(folder / "root", dict(files)), folder / "data")
    found.link()
    return found


@pytest.fixture
def call(tmp_path: Path) -> Linked:
    return linked(tmp_path, PYTHON)


@pytest.mark.requirement("SWI-code_research")
def test_conformances_of_extensions_are_listed(tmp_path: Path) -> None:
    call = linked(tmp_path, SWIFT)
    answer = call.answer("code_research", query="all implementations of Authenticatable")
    text = answer["content"][0]["text"]
    data = answer["structuredContent"]
    assert [row["symbol"] for row in data["hops"][0]["findings"]] == ["User", "Service"]
    assert "Sources/Shop/Extensions.swift:1" in text
    assert "extension" in text


@pytest.mark.requirement("SWI-code_research")
def test_callers_stand_in_chains_and_a_diagram(call: Linked) -> None:
    data = call("code_research", query="what calls User.authenticate()", depth=4)
    assert data["kind"] == "callers"
    assert any(
        "main.main (" in chain and "→ login.start (" in chain and "login.login (" in chain
        for chain in data["chains"]
    )
    assert data["diagram"].startswith("flowchart LR")


@pytest.mark.requirement("SWI-progress")
def test_each_hop_is_reported(call: Linked) -> None:
    client = Client()
    call("code_research", client, query="what calls User.authenticate()", depth=3)
    assert [done for done, _, _ in client.reports][-1] >= 3


def test_the_text_has_the_findings_of_the_data(call: Linked) -> None:
    for focus in (None, "architecture", "dependencies", "patterns", "flow"):
        answer = call.answer("code_research", query="User", depth=5, focus=focus)
        text, data = answer["content"][0]["text"], answer["structuredContent"]
        assert data["summary"] in text
        for hop in data["hops"]:
            assert f"## {hop['title']} ({hop['total']})" in text
            for row in hop["findings"]:
                assert f"- {row['symbol']} ({row['type']})" in text
        assert all(f"- {item}" in text for item in [*data["chains"], *data["not_followed"]])


def test_words_are_searched_for(call: Linked) -> None:
    data = call("code_research", query="prove identity of somebody")
    assert data["kind"] == "search"
    assert data["hops"][0]["findings"][0]["path"] == "shop/auth/types.py"


def test_a_folder_is_looked_at_alone(call: Linked) -> None:
    data = call("code_research", query="architecture", path="shop/auth")
    assert "shop/auth" in data["summary"]


def test_bad_arguments(call: Linked) -> None:
    assert call.error("code_research", query=" ") == "Query cannot be empty"
    assert call.error("code_research", query="User", path="../x").startswith("Path does not exist")
    assert "focus" in call.error("code_research", query="User", focus="other")


def test_depth_beyond_five_is_five(call: Linked) -> None:
    found = call("code_research", query="User", depth=9)
    assert found["depth"] == 5
    assert any("depth is limited to 5" in item for item in found["warnings"])


def test_what_is_not_read_yet_is_not_said_to_be_declared_nowhere(
    call: Linked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "what calls Forgotten.reset()"
    assert "nothing is declared by the name of" in str(call.answer("code_research", query=question))
    write(tmp_path / "root", {"late.py": "def late():\n    pass\n"})
    call.app.services.running().tools.repository.manager.refresh(FOREVER, most_parsed=0)
    for name in ("catch_up", "wait_until_linked", "wait_until_ready"):
        monkeypatch.setattr(BackgroundRefresh, name, lambda *_: False)
    text = str(call.answer("code_research", query=question))
    assert "nothing that was read so far is declared by the name of" in text
    assert "some files are not read or not linked yet" in text
    assert "the declarations of some files are not indexed yet" in text

"""`--content`: answers as text, as data, or both; failures always have text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from repo_mcp.app import App
from repo_mcp.settings import Options
from repo_mcp.toolsets.kit.answers import STRUCTURED, TEXT, narrow
from tests.repo_mcp.toolsets.swiftindex.calls import Client
from tests.repo_mcp.trees import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(
        tmp_path / "root",
        {"a.py": "def needle():\n    return 1\n", "b.png": b"\x89PNG\r\n\x1a\n\0"},
    )


def served(root: Path, content: str) -> App:
    return App(Options(str(root), str(root.parent / "data"), watch=False, content=content))


def ask(app: App, name: str, caller: Client | None = None, **arguments: object) -> dict[str, Any]:
    return app.run_tool(name, arguments, caller or Client())


def kinds(answer: dict[str, Any]) -> list[str]:
    return [item["type"] for item in answer["content"]]


def test_both_forms_are_there_by_default(root: Path) -> None:
    found = ask(served(root, "both"), "repo.outline", path="a.py")
    assert (kinds(found), "structuredContent" in found) == (["text"], True)


def test_text_alone_has_no_data_and_its_tools_no_schema_of_it(root: Path) -> None:
    app = served(root, "text")
    found = ask(app, "repo.outline", path="a.py")
    assert (kinds(found), "structuredContent" in found) == (["text"], False)
    assert found["_meta"]["repo-mcp/request_id"]
    assert not any("outputSchema" in tool for tool in app.tools())


def test_data_alone_has_no_text_and_keeps_other_content(root: Path) -> None:
    app = served(root, "structured")
    assert kinds(ask(app, "repo.outline", path="a.py")) == []
    assert kinds(ask(app, "repo.open_file", path="b.png")) == ["image", "resource_link"]
    opened = ask(app, "repo.open_file", path="a.py")
    assert kinds(opened) == []
    assert opened["structuredContent"]["result"]["text"] == "1: def needle():\n2:     return 1"


@pytest.mark.parametrize("content", ["text", "structured"])
def test_a_failure_has_text(root: Path, content: str) -> None:
    found = ask(served(root, content), "repo.open_file", path="none.py")
    assert (found["isError"], kinds(found)) == (True, ["text"])


def test_a_client_of_a_version_without_data_gets_text(root: Path) -> None:
    old = Client()
    old.reads_structured = False
    assert kinds(ask(served(root, "structured"), "repo.outline", old, path="a.py")) == ["text"]


def test_an_answer_without_data_is_left_as_it_is() -> None:
    answer = {"content": [{"type": "text", "text": "x"}], "isError": False}
    assert narrow(answer, STRUCTURED) == narrow(answer, TEXT) == answer

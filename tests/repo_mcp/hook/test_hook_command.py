"""`repo-mcp hook` as clients start it: an event in, an answer or silence out, and exit code 0."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from repo_mcp import dispatch
from repo_mcp.cli import hook_command
from repo_mcp.errors import Problem
from tests.repo_mcp.hook.hook_tree import FILES, HookTree
from tests.repo_mcp.tree_files import write

PROMPT = {"hook_event_name": "UserPromptSubmit", "transcript_path": "", "prompt": "add_tax?"}


class Hook:
    """The command, with a client's input."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        self._monkeypatch, self._capture = monkeypatch, capsysbinary
        monkeypatch.setattr(hook_command, "_SECONDS", 600.0)
        monkeypatch.setattr(hook_command, "_MOST_SECONDS", 600.0)

    def run(self, *line: str, data: bytes = b"") -> tuple[int, bytes, bytes]:
        """The exit code and what is printed."""
        self._monkeypatch.setattr(sys, "argv", ["repo-mcp", "hook", *line])
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = dispatch.run()
        return code, *self._capture.readouterr()


@pytest.fixture
def hook(
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    tmp_path: Path,
) -> Hook:
    monkeypatch.chdir(tmp_path)
    return Hook(monkeypatch, capsysbinary)


def test_a_prompt_is_answered_for_the_folder_of_its_event(own_shop: HookTree, hook: Hook) -> None:
    data = json.dumps({**PROMPT, "cwd": str(own_shop.root)}).encode()
    code, printed, errors = hook.run(
        "prompt", "--data-dir", str(own_shop.options.data_dir), data=data
    )
    assert (code, errors) == (0, b"")
    output = json.loads(printed)["hookSpecificOutput"]
    assert "- add_tax: function, shop/tax.py:8-11" in output["additionalContext"]
    (logged,) = Path(str(own_shop.options.data_dir), "audit.jsonl").read_text("utf-8").splitlines()
    entry = json.loads(logged)
    assert (entry["tool"], entry["shown"]) == ("hook.prompt", ["shop/tax.py:8-11"])
    assert entry["arguments"] == {"event": "UserPromptSubmit"}


def test_a_search_is_answered(own_shop: HookTree, hook: Hook) -> None:
    event = {
        "hook_event_name": "postToolUse",
        "cwd": str(own_shop.root),
        "tool_input": {"command": "grep -rn add_tax ."},
    }
    line = ["search", "--data-dir", str(own_shop.options.data_dir)]
    code, printed, _ = hook.run(*line, data=json.dumps(event).encode())
    assert code == 0
    assert "- add_tax: function" in json.loads(printed)["additional_context"]


def test_without_an_index_nothing_is_said_and_nothing_made(tmp_path: Path, hook: Hook) -> None:
    root = write(tmp_path / "root", FILES)
    (root / ".git").mkdir()
    before = sorted(root.rglob("*"))
    data = json.dumps({**PROMPT, "cwd": str(root)}).encode()
    assert hook.run("prompt", data=data) == (0, b"", b"")
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"add_tax?",
        json.dumps({**PROMPT, "cwd": "/no/such/folder"}).encode(),
        json.dumps({**PROMPT, "cwd": "\0"}).encode(),
        json.dumps({**PROMPT, "prompt": "/compact"}).encode(),
        json.dumps({"hook_event_name": "Stop"}).encode(),
    ],
)
def test_in_doubt_nothing_is_said(data: bytes, hook: Hook) -> None:
    assert hook.run("prompt", data=data) == (0, b"", b"")


def test_an_error_says_nothing(
    own_shop: HookTree, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise Problem("internal")

    monkeypatch.setattr("repo_mcp.hook.answer.answer_event", fail)
    data = json.dumps({**PROMPT, "cwd": str(own_shop.root)}).encode()
    assert hook.run("prompt", data=data) == (0, b"", b"")


def test_damage_of_the_index_says_nothing(own_shop: HookTree, hook: Hook) -> None:
    for path in Path(str(own_shop.options.data_dir), "graph").iterdir():
        path.write_bytes(b"damaged")
    data = json.dumps({**PROMPT, "cwd": str(own_shop.root)}).encode()
    line = ["prompt", "--data-dir", str(own_shop.options.data_dir)]
    code, printed, errors = hook.run(*line, data=data)
    assert (code, errors) == (0, b"")
    assert b"4 uses" not in printed


def test_a_person_sees_what_a_model_would_be_told(own_shop: HookTree, hook: Hook) -> None:
    where = ["--repo-root", str(own_shop.root), "--data-dir", str(own_shop.options.data_dir)]
    code, printed, _ = hook.run("prompt", "why", "add_tax", *where)
    assert code == 0
    assert printed.startswith(b"<repo-mcp>\n")
    assert hook.run("prompt", "hello", *where)[:2] == (1, b"")
    assert hook.run("search", "def add_tax", *where)[0] == 0

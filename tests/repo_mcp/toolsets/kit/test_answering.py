"""Running a call: every handler exists, is created once, and is audited."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from index_format.late_import import import_object
from repo_mcp.answers.records import AnswerRecord
from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.place.place import Place
from repo_mcp.toolsets.catalog import TOOLSETS, Toolset
from repo_mcp.toolsets.interrogator.declarations import SEARCH
from repo_mcp.toolsets.kit.answering import ToolHandlers, run_call
from repo_mcp.toolsets.kit.answers import Outcome, Shape, warning_texts
from repo_mcp.toolsets.kit.envelope import SHAPE
from repo_mcp.toolsets.kit.services import Context
from repo_mcp.toolsets.kit.spec import Tool, ToolArgument

TOOL = Tool("t.one", "One", "One", (ToolArgument("n", "integer", "A number", default=1),), {})
HERE = f"{__name__}:Handler"
MADE: list[object] = []


class Handler:
    """Fails when it is told to."""

    def __init__(self, services: object) -> None:
        MADE.append(services)

    def __call__(self, arguments: Mapping[str, Any], _: Context) -> Outcome:
        if arguments["n"] == 0:
            raise Problem("not_found", "nothing here")
        if arguments["n"] < 0:
            raise RuntimeError("text of a file")
        return Outcome(
            AnswerRecord(n=arguments["n"]),
            [AnswerWarning("x", "mine")],
            with_notes=arguments["n"] < 9,
        )


@pytest.mark.parametrize("toolset", TOOLSETS, ids=lambda toolset: toolset.name)
def test_every_tool_has_a_handler_and_every_toolset_a_shape(toolset: Toolset) -> None:
    assert set(toolset.handlers) == {tool.name for tool in toolset.tools}
    assert isinstance(import_object(toolset.shape), Shape)
    for row in toolset.handlers.values():
        modes = SEARCH.arguments[1].choices
        targets = [row] if isinstance(row, str) else [row({"mode": mode}) for mode in modes]
        assert all(callable(import_object(target)) for target in targets)


def test_both_exact_modes_have_one_handler() -> None:
    row = TOOLSETS[0].handlers[SEARCH.name]
    assert not isinstance(row, str)
    assert row({"mode": "literal"}) == row({"mode": "regex"}) != row({"mode": "bm25"})


@pytest.fixture
def handlers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToolHandlers:
    MADE.clear()
    monkeypatch.setattr("repo_mcp.toolsets.kit.answering.import_object", lambda _: Handler)
    notes = [AnswerWarning("settings", "a note")]
    return ToolHandlers({TOOL.name: HERE}, "services", AuditLog(str(tmp_path)), notes)


def called(handlers: ToolHandlers, **given: object) -> dict[str, Any]:
    done = run_call(TOOL, given, lambda _: handlers, Context(Budget()), "client 1", SHAPE)
    envelope: dict[str, Any] = done.rendered(SHAPE)["structuredContent"]
    return envelope


def test_a_handler_is_made_once_and_notes_stand_beside_its_answers(handlers: ToolHandlers) -> None:
    assert called(handlers, n=3)["warnings"] == ["a note", "mine"]
    assert called(handlers, n=9)["warnings"] == ["mine"]
    assert MADE == ["services"]


def test_every_call_is_written_down_and_answered(handlers: ToolHandlers) -> None:
    codes = [called(handlers, n=n)["result"].get("code", "") for n in (0, -1, 3)]
    assert codes == ["not_found", "internal", ""]
    entries = handlers.audit.recent().entries
    assert [entry.code for entry in entries] == ["", "internal", "not_found"]
    assert {entry.client for entry in entries} == {"client 1"}


def test_names_without_effect_are_said_also_of_a_call_that_fails(handlers: ToolHandlers) -> None:
    envelope = called(handlers, n=0, m=1)
    assert envelope["warnings"] == ["ignored: 'm'; t.one takes n"]


def test_advice_is_worded_for_clients_of_tools() -> None:
    warning = AnswerWarning("stale", "2 files changed", "refresh")
    assert warning_texts([warning]) == ["2 files changed: call repo.refresh_index"]


def test_without_a_repository_a_call_is_refused(handlers: ToolHandlers) -> None:
    def missing(_: Place) -> ToolHandlers:
        raise Problem("data_link")

    reply = run_call(TOOL, {}, missing, Context(Budget()), "", SHAPE).reply(SHAPE)
    assert (reply.ok, reply.result.code) == (False, "data_link")
    assert handlers.audit.recent().entries == []

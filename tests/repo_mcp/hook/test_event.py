"""Events as clients give them to hooks, and the answers that each of them reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from repo_mcp.hook.event import AnswerForm, HookEvent, format_answer, read_event
from repo_mcp.hook.weights import EventLimits

COMMON = {"session_id": "s", "cwd": "/p"}
TRANSCRIPT = {**COMMON, "transcript_path": None}
GREP = {"pattern": "needle"}
# what clients were seen to send, and the answer that their models were seen to get
EVENTS: dict[str, tuple[dict[str, Any], HookEvent, dict[str, Any]]] = {
    "Claude Code and Codex": (
        {**TRANSCRIPT, "hook_event_name": "UserPromptSubmit", "prompt": "why?"},
        HookEvent("UserPromptSubmit", "/p", AnswerForm.NESTED, "why?"),
        {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "x"}},
    ),
    "Claude Code, a shell": (
        {
            **TRANSCRIPT,
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "grep -n needle a.py"},
            "tool_response": {"stdout": "1:needle", "stderr": "", "interrupted": False},
        },
        HookEvent(
            "PostToolUse",
            "/p",
            AnswerForm.NESTED,
            arguments={"command": "grep -n needle a.py"},
            output="1:needle\n",
        ),
        {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "x"}},
    ),
    "Gemini CLI": (
        {**TRANSCRIPT, "hook_event_name": "BeforeAgent", "prompt": "why?"},
        HookEvent("BeforeAgent", "/p", AnswerForm.NESTED, "why?"),
        {"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "x"}},
    ),
    "Copilot CLI": (
        {**COMMON, "hook_event_name": "UserPromptSubmit", "timestamp": "t", "prompt": "why?"},
        HookEvent("UserPromptSubmit", "/p", AnswerForm.TOP, "why?"),
        {"additionalContext": "x"},
    ),
    "Copilot CLI, a search": (
        {
            **COMMON,
            "hook_event_name": "PostToolUse",
            "tool_name": "Grep",
            "tool_input": GREP,
            "tool_result": {"result_type": "success", "text_result_for_llm": "./a.py"},
        },
        HookEvent(
            "PostToolUse",
            "/p",
            AnswerForm.TOP,
            arguments=GREP,
            output="success\n./a.py",
        ),
        {"additionalContext": "x"},
    ),
    "Copilot CLI, its own names": (
        {"sessionId": "s", "cwd": "/p", "toolName": "grep", "toolArgs": json.dumps(GREP)},
        HookEvent("", "/p", AnswerForm.TOP, arguments=GREP),
        {"additionalContext": "x"},
    ),
    "Cursor": (
        {"hook_event_name": "postToolUse", "cwd": "/p", "tool_name": "Grep", "tool_input": GREP},
        HookEvent("postToolUse", "/p", AnswerForm.SNAKE, arguments=GREP),
        {"additional_context": "x"},
    ),
    "opencode": (
        {"hook_event_name": "chat.message", "cwd": "/p", "prompt": "why?"},
        HookEvent("chat.message", "/p", AnswerForm.TOP, "why?"),
        {"additionalContext": "x"},
    ),
}


@pytest.mark.parametrize("client", EVENTS)
def test_each_client_is_read_and_answered_in_its_form(client: str) -> None:
    given, expected, answer = EVENTS[client]
    event = read_event(json.dumps(given).encode())
    assert event == expected
    assert event is not None
    assert json.loads(format_answer(event, "x")) == answer


def test_an_unknown_client_gets_nothing() -> None:
    event = read_event(b'{"hook_event_name": "Stop", "cwd": "/p", "prompt": "why?"}')
    assert event is not None
    assert format_answer(event, "x") == b""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"why?",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"prompt": "' + b"x" * EventLimits.BYTES + b'"}',
    ],
)
def test_what_is_no_event_is_none(data: bytes) -> None:
    assert read_event(data) is None


def test_fields_of_another_type_are_as_absent_ones() -> None:
    given = {"hook_event_name": 3, "cwd": [], "prompt": {}, "tool_input": 5, "tool_response": 7}
    assert read_event(json.dumps(given).encode()) == HookEvent("", "")

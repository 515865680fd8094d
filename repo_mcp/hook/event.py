"""Reads what a client gives its hook on standard input, and writes what the client expects back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.hook.weights import EventLimits

# fields by the names that clients give them, the first that is there counts
_EVENT: Final = ("hook_event_name", "hookEventName")
_INPUT: Final = ("tool_input", "toolArgs", "toolInput")
_OUTPUT: Final = ("tool_response", "tool_result", "toolResult", "tool_output")
# the field by which clients whose events have the same names differ
_TRANSCRIPT: Final = "transcript_path"


class AnswerForm(Enum):
    """Where a client looks for the text that its model is to read."""

    NESTED = "hookSpecificOutput.additionalContext"
    TOP = "additionalContext"
    SNAKE = "additional_context"
    # no client of which that is known
    UNKNOWN = ""


class HookEvent(NamedTuple):
    """An event of a client, in a folder: a prompt was sent, or a tool has run."""

    # as the client calls it; empty where it gives none
    name: str
    folder: str
    form: AnswerForm = AnswerForm.UNKNOWN
    prompt: str = ""
    arguments: Mapping[str, Any] = {}
    output: str = ""


def read_event(data: bytes) -> HookEvent | None:
    """The event in a hook's input; None for what is none."""
    if len(data) > EventLimits.BYTES:
        return None
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    name = _text(_first(fields, _EVENT))
    return HookEvent(
        name,
        _text(fields.get("cwd")),
        _form_of(name, fields),
        _text(fields.get("prompt")),
        _arguments(_first(fields, _INPUT)),
        _output(_first(fields, _OUTPUT)),
    )


def format_answer(event: HookEvent, text: str) -> bytes:
    """A hook's output that adds a text to what the model reads; nothing for an unknown client.

    Each form stands alone: a client refuses, or does not see, an answer in two of them.
    """
    match event.form:
        case AnswerForm.NESTED:
            inner = {"hookEventName": event.name, AnswerForm.TOP.value: text}
            output: dict[str, object] = {"hookSpecificOutput": inner}
        case AnswerForm.UNKNOWN:
            return b""
        case form:
            output = {form.value: text}
    return json.dumps(output).encode() + b"\n"


def _form_of(name: str, fields: Mapping[str, Any]) -> AnswerForm:
    """The form of answer that the client of an event reads, by what its events have."""
    if name in {"BeforeAgent", "AfterTool"}:
        return AnswerForm.NESTED
    if name in {"UserPromptSubmit", "PostToolUse"}:
        return AnswerForm.NESTED if _TRANSCRIPT in fields else AnswerForm.TOP
    if name in {"chat.message", "tool.execute.after"} or (not name and "sessionId" in fields):
        return AnswerForm.TOP
    return AnswerForm.SNAKE if name == "postToolUse" else AnswerForm.UNKNOWN


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> object:
    return next((fields[name] for name in names if name in fields), None)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _arguments(value: object) -> Mapping[str, Any]:
    """Arguments of a tool, which some clients give as a text of JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _output(value: object) -> str:
    """The text that a tool has given: alone, in blocks, or in one of the fields of an object."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(_output, value))
    if isinstance(value, dict):
        return "\n".join(_output(item) for item in value.values() if not isinstance(item, bool))
    return ""

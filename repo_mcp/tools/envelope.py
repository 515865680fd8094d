"""The one shape of every `repo.*` answer, as data and as text with the same facts."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from repo_mcp.errors import Problem
from repo_mcp.tools.render import rendered

_MAX_WARNINGS: Final = 6
_MAX_WARNING: Final = 200


class Outcome(NamedTuple):
    """What a tool has to say."""

    result: dict[str, Any]
    warnings: Sequence[str] = ()
    # blocks of content besides the text: links to resources, images, sounds
    content: Sequence[dict[str, Any]] = ()


def answered(tool: str, outcome: Outcome) -> dict[str, Any]:
    """A call that was answered."""
    warnings = [text[:_MAX_WARNING] for text in outcome.warnings[:_MAX_WARNINGS]]
    return _called(tool, outcome.result, warnings, ok=True, blocked=False)


def refused(tool: str, problem: Problem) -> dict[str, Any]:
    """A call that was not."""
    result = {"code": problem.code, "reason": problem.reason, "hint": problem.hint}
    return _called(tool, result, [], ok=False, blocked=problem.blocked)


def _called(
    tool: str, result: Mapping[str, Any], warnings: list[str], *, ok: bool, blocked: bool
) -> dict[str, Any]:
    envelope = {
        "request_id": str(uuid.uuid4()),
        "ok": ok,
        "result": result,
        "warnings": warnings,
        "blocked": blocked,
    }
    return {
        "content": [{"type": "text", "text": rendered(tool, envelope)}],
        "structuredContent": envelope,
        "isError": not ok,
    }


def size(value: object) -> int:
    """Bytes that a value takes in an answer, with the comma after it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass")) + 1

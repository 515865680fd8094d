"""The shape of every `repo.*` answer: an envelope with the result, its warnings, and `ok`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.kit.answers import (
    Call,
    Fields,
    Outcome,
    Shape,
    new_id,
    size,
    tool_result,
    warning_texts,
)
from repo_mcp.toolsets.kit.render import rendered


class EnvelopeShape(Shape):
    """Answers of the tools `repo.*`."""

    def answered(self, call: Call, outcome: Outcome) -> Fields:
        """A call that was answered."""
        texts = warning_texts(outcome.warnings)
        envelope = _envelope(call.request_id, outcome.result, texts, ok=True, blocked=False)
        text = rendered(call.tool.name, envelope)
        return tool_result(text, envelope, outcome.content, failed=False)

    def refused(self, call: Call, problem: Problem, warnings: Sequence[AnswerWarning]) -> Fields:
        """A call that was not."""
        result = {"code": problem.code, "reason": problem.reason, "hint": problem.hint}
        texts, blocked = warning_texts(warnings), problem.blocked
        envelope = _envelope(call.request_id, result, texts, ok=False, blocked=blocked)
        return tool_result(rendered(call.tool.name, envelope), envelope, failed=True)


SHAPE = EnvelopeShape()


def size_around(result: Mapping[str, Any], warnings: Iterable[AnswerWarning]) -> int:
    """Bytes that an answer takes apart from what its lists and texts will hold."""
    texts = warning_texts(warnings)
    return size(_envelope("", result, texts, ok=True, blocked=False)) + len(new_id())


def _envelope(
    request_id: str, result: Mapping[str, Any], warnings: list[str], *, ok: bool, blocked: bool
) -> Fields:
    return {
        "request_id": request_id or new_id(),
        "ok": ok,
        "result": result,
        "warnings": warnings,
        "blocked": blocked,
    }

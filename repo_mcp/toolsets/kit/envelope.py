"""The shape of every `repo.*` answer: an envelope with the result, its warnings, and `ok`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
from repo_mcp.toolsets.kit.records import Record


class EnvelopeShape(Shape):
    """Answers of the tools `repo.*`."""

    def answered(self, call: Call, outcome: Outcome) -> Fields:
        """A call that was answered."""
        texts = warning_texts(outcome.warnings)
        result = outcome.result
        lines = result.as_text() if isinstance(result, Record) else ()
        envelope = _envelope(call.request_id, result, texts, ok=True, blocked=False)
        return tool_result(_text(lines, envelope), envelope, outcome.content, failed=False)

    def refused(self, call: Call, problem: Problem, warnings: Sequence[AnswerWarning]) -> Fields:
        """A call that was not."""
        result = {"code": problem.code, "reason": problem.reason, "hint": problem.hint}
        head = "blocked" if problem.blocked else "failed"
        lines = (f"{head} ({problem.code}): {problem.reason}", f"hint: {problem.hint}")
        texts, blocked = warning_texts(warnings), problem.blocked
        envelope = _envelope(call.request_id, result, texts, ok=False, blocked=blocked)
        return tool_result(_text(lines, envelope), envelope, failed=True)


def _text(lines: Iterable[str], envelope: Fields) -> str:
    """The whole envelope as text, for clients that show their model nothing else."""
    warnings = (f"warning: {text}" for text in envelope["warnings"])
    return "\n".join([*lines, *warnings, f"request: {envelope['request_id']}"])


SHAPE = EnvelopeShape()


def size_around(result: Record | Fields, warnings: Iterable[AnswerWarning]) -> int:
    """Bytes that an answer takes apart from what its lists and texts will hold."""
    texts = warning_texts(warnings)
    return size(_envelope("", result, texts, ok=True, blocked=False)) + len(new_id())


def _envelope(
    request_id: str,
    result: Record | Fields,
    warnings: list[str],
    *,
    ok: bool,
    blocked: bool,
) -> Fields:
    return {
        "request_id": request_id or new_id(),
        "ok": ok,
        "result": result,
        "warnings": warnings,
        "blocked": blocked,
    }

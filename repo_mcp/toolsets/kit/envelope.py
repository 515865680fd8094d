"""The shape of every `repo.*` answer: an envelope with the result, its warnings, and `ok`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from repo_mcp.answers.records import AnswerRecord
from repo_mcp.audit.record import new_request_id
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.kit.answers import (
    Fields,
    Outcome,
    Shape,
    ToolCall,
    size,
    tool_result,
    warning_texts,
)

_REQUEST_KEY: Final = "repo-mcp/request_id"
_GENERATION_KEY: Final = "repo-mcp/generation"
_MISSING_KEY: Final = "repo-mcp/missing_segments"
_MOST_MISSING: Final = 100
_ID_LINE: Final = "request_id: "
# as long as every id that is made here
_SOME_ID: Final = new_request_id()


class EnvelopeShape(Shape):
    """Answers of the tools `repo.*`."""

    tells_id = True

    def render_outcome(self, call: ToolCall, outcome: Outcome) -> Fields:
        """The result of a call that succeeded."""
        from repo_mcp.answers.verdicts import is_judged, judge  # noqa: PLC0415 not before a call

        texts = warning_texts(outcome.warnings)
        result = outcome.result
        envelope = _envelope(call.request_id, result, texts, ok=True, blocked=False)
        if is_judged(result):
            verdict = judge(result, outcome.warnings)
            envelope["verdict"] = str(verdict)
            envelope |= {"next": str(verdict.step)} if verdict.step else {}
        text = _text(result.as_text(), envelope)
        answer = tool_result(text, envelope, outcome.content, failed=False)
        meta = _meta(envelope, outcome.generation) | _missing(outcome.warnings)
        return {**answer, "_meta": meta}

    def render_problem(
        self, call: ToolCall, problem: Problem, warnings: Sequence[AnswerWarning]
    ) -> Fields:
        """The result of a call that failed."""
        result = self.failure(problem)
        head = "blocked" if problem.blocked else "failed"
        lines = (f"{head} ({problem.code}): {problem.reason}", f"hint: {problem.hint}")
        texts, blocked = warning_texts(warnings), problem.blocked
        envelope = _envelope(call.request_id, result, texts, ok=False, blocked=blocked)
        answer = tool_result(_text(lines, envelope), envelope, failed=True)
        return {**answer, "_meta": _meta(envelope, 0)}


def _meta(envelope: Fields, generation: int) -> Fields:
    """The metadata of an answer for an audit: the id of the call, and the index that was used."""
    used = {_GENERATION_KEY: generation} if generation else {}
    return {_REQUEST_KEY: envelope["request_id"], **used}


def _missing(warnings: Iterable[AnswerWarning]) -> Fields:
    """The segments that no worker of a cluster has searched."""
    names = [name for item in warnings for name in item.names]
    return {_MISSING_KEY: names[:_MOST_MISSING]} if names else {}


def _text(lines: Iterable[str], envelope: Fields) -> str:
    """The result, the warnings and the id of the call as text."""
    judged = (f"{name}: {envelope[name]}" for name in ("verdict", "next") if name in envelope)
    warnings = (f"warning: {text}" for text in envelope["warnings"])
    return "\n".join([*lines, *judged, *warnings, f"{_ID_LINE}{envelope['request_id']}"])


SHAPE = EnvelopeShape()


def size_around(result: AnswerRecord, warnings: Iterable[AnswerWarning]) -> int:
    """The size in bytes of an answer with this (still incomplete) result."""
    texts = warning_texts(warnings)
    # the text has the id on a line of its own, and `_meta` has it, too
    more = len(f"\n{_ID_LINE}{_SOME_ID}{_SOME_ID}")
    return size(_envelope(_SOME_ID, result, texts, ok=True, blocked=False)) + more


def _envelope(
    request_id: str,
    result: AnswerRecord,
    warnings: list[str],
    *,
    ok: bool,
    blocked: bool,
) -> Fields:
    return {
        "request_id": request_id or new_request_id(),
        "ok": ok,
        "result": result,
        "warnings": warnings,
        "blocked": blocked,
    }

"""The one shape of every `repo.*` answer, as data and as text with the same facts."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from repo_mcp.errors import Problem
from repo_mcp.toolsets.kit.render import rendered

_MAX_WARNINGS: Final = 6
_MAX_WARNING: Final = 240
# what the model reads first; a person is shown it where there is nothing better
_FOR_THE_MODEL: Final[Mapping[str, Any]] = {"audience": ["assistant"], "priority": 1.0}
_COUNTED: Final = frozenset(
    {"total", "total_lines", "matching_lines", "matching_files", "added", "updated", "removed"}
)


class Outcome(NamedTuple):
    """What a tool has to say."""

    result: dict[str, Any]
    warnings: Sequence[str] = ()
    # blocks of content besides the text: links to resources, images, sounds
    content: Sequence[dict[str, Any]] = ()
    # which files and lines are shown, for the audit log: `path:first-last`
    shown: Sequence[str] = ()


def answered(tool: str, outcome: Outcome, request_id: str = "") -> dict[str, Any]:
    """A call that was answered."""
    warnings = said(outcome.warnings)
    envelope = _envelope(request_id, outcome.result, warnings, ok=True, blocked=False)
    return _called(tool, envelope, outcome.content)


def refused(
    tool: str, problem: Problem, request_id: str = "", warnings: Sequence[str] = ()
) -> dict[str, Any]:
    """A call that was not."""
    result = {"code": problem.code, "reason": problem.reason, "hint": problem.hint}
    blocked = problem.blocked
    envelope = _envelope(request_id, result, said(warnings), ok=False, blocked=blocked)
    return _called(tool, envelope, ())


def said(warnings: Iterable[str]) -> list[str]:
    """The warnings that are given, each once, in one line and not too long."""
    shown = (" ".join(text.split())[:_MAX_WARNING] for text in warnings)
    return list(dict.fromkeys(shown))[:_MAX_WARNINGS]


def new_id() -> str:
    """An id that no other request has."""
    return str(uuid.uuid4())


def counts_of(result: Mapping[str, Any]) -> dict[str, int]:
    """How much a result holds: the length of its lists, and what it counts itself, if any."""
    lengths = {name: len(value) for name, value in result.items() if isinstance(value, list)}
    counted = {name: value for name, value in result.items() if name in _COUNTED}
    return {name: count for name, count in {**lengths, **counted}.items() if count}


def size(value: object) -> int:
    """Bytes that a value takes in an answer, with the comma after it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass")) + 1


def size_around(result: Mapping[str, Any], warnings: Iterable[str]) -> int:
    """Bytes that an answer takes apart from what its lists and texts will hold."""
    return size(_envelope("", result, said(warnings), ok=True, blocked=False)) + len(new_id())


def _envelope(
    request_id: str, result: Mapping[str, Any], warnings: list[str], *, ok: bool, blocked: bool
) -> dict[str, Any]:
    return {
        "request_id": request_id or new_id(),
        "ok": ok,
        "result": result,
        "warnings": warnings,
        "blocked": blocked,
    }


def _called(
    tool: str, envelope: dict[str, Any], content: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    text = {"type": "text", "text": rendered(tool, envelope), "annotations": dict(_FOR_THE_MODEL)}
    return {
        "content": [text, *content],
        "structuredContent": envelope,
        "isError": not envelope["ok"],
    }

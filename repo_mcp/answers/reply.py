"""The reply to a call: a record, or a failure, before a face presents it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from index_format.tuples import NamedTuple
from repo_mcp.answers.records import AnswerRecord, string


class Failure(AnswerRecord):
    """The result when `ok` is false."""

    code: str = string("Error code")
    reason: str = string("Reason")
    hint: str = string("What to do instead", default="")


class ToolReply(NamedTuple):
    """A call that was run and written down in the audit log."""

    # the record, or a `Failure`
    result: Any
    warnings: Sequence[str] = ()
    ok: bool = True
    blocked: bool = False
    # empty where a toolset's answers have none
    request_id: str = ""

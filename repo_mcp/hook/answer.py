"""Answers a hook: finds what is to be said about an event, and writes it to the audit log."""

from __future__ import annotations

import time

from repo_mcp.audit.log import AuditLog
from repo_mcp.audit.record import AuditEntry, new_request_id
from repo_mcp.budget import Budget, Clock
from repo_mcp.hook.event import HookEvent
from repo_mcp.hook.fact import Fact
from repo_mcp.hook.question import PROMPT
from repo_mcp.hook.stored import StoredIndex, open_stored
from repo_mcp.settings import Options


def answer_event(
    kind: str,
    event: HookEvent,
    question: str,
    options: Options,
    seconds: float,
    clock: Clock = time.monotonic,
) -> str:
    """The text to say about an event, or an empty one; a text is written to the audit log.

    `question` is what the event asks for. Nothing more is looked up after so many seconds.
    """
    began = clock()
    index = open_stored(options)
    if index is None:
        return ""
    budget = Budget(seconds - (clock() - began), clock=clock)
    if kind == PROMPT:
        from repo_mcp.hook.prompt_facts import prompt_facts  # noqa: PLC0415 each is loaded alone

        text, facts = prompt_facts(index, question, budget)
    else:
        from repo_mcp.hook.search_facts import search_facts  # noqa: PLC0415 as above

        text, facts = search_facts(index, question, event.output, budget)
    if text:
        _record(index, kind, event, facts, clock() - began)
    return text


def _record(
    index: StoredIndex, kind: str, event: HookEvent, facts: list[Fact], seconds: float
) -> None:
    settings = index.settings
    log = AuditLog(settings.data_dir, index.denylist, root=settings.root)
    entry = AuditEntry(
        new_request_id(),
        f"hook.{kind}",
        {"event": event.name},
        ok=True,
        counts={"facts": len(facts)},
        shown=[place for fact in facts for place in fact.shown],
        seconds=seconds,
        generation=index.text.generation,
    )
    log.record(entry)

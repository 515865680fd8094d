"""Answers a hook: finds what is to be said about an event, and writes it to the audit log."""

from __future__ import annotations

import time

from repo_mcp.audit.log import AuditLog
from repo_mcp.audit.record import AuditEntry, new_request_id
from repo_mcp.budget import Budget, Clock
from repo_mcp.hook.endpoint import PROMPT
from repo_mcp.hook.event import HookEvent
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
    """The text to say about an event by what is on the disk, or an empty one.

    `question` is what the event asks for. Nothing more is looked up after so many seconds.
    """
    began = clock()
    index = open_stored(options)
    if index is None:
        return ""
    settings = index.settings
    audit = AuditLog(settings.audit_dir, index.denylist, root=settings.root)
    budget = Budget(seconds - (clock() - began), clock=clock)
    return answer_question(kind, event, question, index, audit, budget)


def answer_question(
    kind: str, event: HookEvent, question: str, index: StoredIndex, audit: AuditLog, budget: Budget
) -> str:
    """The text to say about what an event asks for, or an empty one; a text is written to a log."""
    began = budget.clock()
    if kind == PROMPT:
        from repo_mcp.hook.prompt_facts import prompt_facts  # noqa: PLC0415 each is loaded alone

        text, facts = prompt_facts(index, question, budget)
    else:
        from repo_mcp.hook.search_facts import search_facts  # noqa: PLC0415 as above

        text, facts = search_facts(index, question, event.output, budget)
    if text:
        entry = AuditEntry(
            new_request_id(),
            f"hook.{kind}",
            {"event": event.name},
            ok=True,
            counts={"facts": len(facts)},
            shown=[place for fact in facts for place in fact.shown],
            seconds=budget.clock() - began,
            generation=index.text.generation,
        )
        audit.record(entry)
    return text

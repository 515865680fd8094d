"""The command `hook`, which clients start: an event on standard input, what it calls for as output.

A hook stands between a person and the model, so it fails in silence: without an index, for an event
that it can't read and after an error it prints nothing, and its exit code is 0.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import Final

from repo_mcp.cli.arguments import options
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.console import print_json, print_line, write_bytes
from repo_mcp.hook.event import HookEvent, format_answer, read_event
from repo_mcp.hook.question import question_in
from repo_mcp.hook.weights import EventLimits

_DONE: Final = 0
_NOTHING: Final = 1
_SECONDS: Final = EventLimits.SECONDS
# after so long the process ends as it is, as where a disk does not answer
_MOST_SECONDS: Final = 1.0


def run(args: CommandLine, given: bytes | None = None) -> int:
    """Answer the event that was given, or is on standard input, or what a person has written."""
    if args.words:
        return _show(args)
    if given is None and (sys.stdin is None or sys.stdin.isatty()):
        return complain(
            f"clients start this, and give it an event: try `repo-mcp hook {args.kind} WORDS`"
        )
    limit = threading.Timer(_MOST_SECONDS, os._exit, (_DONE,))
    limit.daemon = True
    limit.start()
    with suppress(Exception):  # no error of a hook may be in a person's way
        data = sys.stdin.buffer.read(EventLimits.BYTES + 1) if given is None else given
        event = read_event(data)
        text = "" if event is None else _text(args, event)
        if event is not None and text:
            write_bytes(format_answer(event, text))
    limit.cancel()
    return _DONE


def _text(args: CommandLine, event: HookEvent) -> str:
    question = question_in(args.kind, event)
    if not question:
        return ""
    if event.folder:
        os.chdir(event.folder)
    from repo_mcp.hook.answer import answer_event  # noqa: PLC0415 a person waits

    return answer_event(args.kind, event, question, options(args), _SECONDS)


def _show(args: CommandLine) -> int:
    """Print what a prompt, or a search for an expression, would call for."""
    words = " ".join(args.words)
    event = HookEvent("", "", prompt=words, arguments={"pattern": words})
    text = _text(args, event)
    if args.json:
        print_json({"additionalContext": text})
    for line in () if args.json else text.splitlines():
        print_line(line)
    return _DONE if text else _NOTHING

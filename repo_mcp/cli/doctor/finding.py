"""A finding of `doctor`: its level, and what to do about it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["ok", "warn", "fail"]


class Finding(NamedTuple):
    """One finding; `todo` is empty if no action is needed."""

    level: Level
    subject: str
    message: str
    todo: str = ""


def ok(subject: str, message: str) -> Finding:
    """A passed check."""
    return Finding("ok", subject, message)


def warn(subject: str, message: str, todo: str) -> Finding:
    """A warning: it works, but not optimally."""
    return Finding("warn", subject, message, todo)


def fail(subject: str, message: str, todo: str) -> Finding:
    """A failed check."""
    return Finding("fail", subject, message, todo)

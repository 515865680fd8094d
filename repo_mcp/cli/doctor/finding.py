"""A finding of `doctor`: its level, and what to do about it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["ok", "warn", "fail"]


class Finding(NamedTuple):
    """One finding; `todo` is empty when nothing is to be done."""

    level: Level
    subject: str
    said: str
    todo: str = ""


def ok(subject: str, said: str) -> Finding:
    """All is well."""
    return Finding("ok", subject, said)


def warn(subject: str, said: str, todo: str) -> Finding:
    """It works, but not as well as it could."""
    return Finding("warn", subject, said, todo)


def fail(subject: str, said: str, todo: str) -> Finding:
    """It does not work."""
    return Finding("fail", subject, said, todo)

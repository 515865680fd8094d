"""A finding of `doctor`: its level, and what to do about it."""

from __future__ import annotations

from typing import Literal

from index_format.tuples import NamedTuple

Level = Literal["ok", "warn", "fail"]


class DoctorFinding(NamedTuple):
    """One finding; `todo` is empty if no action is needed."""

    level: Level
    subject: str
    message: str
    todo: str = ""


def ok(subject: str, message: str) -> DoctorFinding:
    """A passed check."""
    return DoctorFinding("ok", subject, message)


def warn(subject: str, message: str, todo: str) -> DoctorFinding:
    """A warning: it works, but not optimally."""
    return DoctorFinding("warn", subject, message, todo)


def fail(subject: str, message: str, todo: str) -> DoctorFinding:
    """A failed check."""
    return DoctorFinding("fail", subject, message, todo)

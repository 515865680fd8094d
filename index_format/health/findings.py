"""What a check finds: one inconsistency each, how bad it is and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from index_format.errors import CorruptIndexError


class Severity(StrEnum):
    """How much a finding matters."""

    ERROR = "error"  # readers of the current generation fail, or would answer wrongly
    WARNING = "warning"  # only what is not current is damaged
    NOTE = "note"  # nothing is wrong, but something lies about


@dataclass(frozen=True, slots=True)
class Finding:
    """One inconsistency: where it is, what it is, and what to do."""

    severity: Severity
    file: str
    section: str
    offset: int
    problem: str
    remedy: str

    def __str__(self) -> str:
        """All of it on one line."""
        where = f"{self.file}: {self.section} at {self.offset}"
        return f"{self.severity}: {where}: {self.problem}; {self.remedy}"


def damage(error: CorruptIndexError, severity: Severity, remedy: str) -> Finding:
    """The finding that an error of a reader amounts to."""
    problem = f"got {error.got}, expected {error.expected}"
    return Finding(severity, error.file, error.section, error.offset, problem, remedy)

"""Histories that are opened without a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from repo_mcp.answers.history import HistoryResult
from repo_mcp.budget import Budget
from repo_mcp.history import Histories, HistoryAnswer, HistoryQuestion, ask_histories
from repo_mcp.model import AnswerWarning
from repo_mcp.services import Services, services
from repo_mcp.settings import read_options

MOST_CHARS = 100_000
PATIENT = 600.0


class Asked:
    """Asks one root, and keeps what it has opened."""

    def __init__(self, parts: Services, *, stays: bool = True) -> None:
        self.parts = parts
        self.histories = Histories(parts.manager.parts, PATIENT, stays=stays)
        self.warnings: list[AnswerWarning] = []

    def answer(
        self, question: HistoryQuestion, before: HistoryAnswer | None = None
    ) -> HistoryAnswer:
        """The answer, or its page behind the one before."""
        after = before.after if before else {}
        answer, self.warnings = ask_histories(self.histories, question, Budget(), MOST_CHARS, after)
        return answer

    def ask(self, question: HistoryQuestion) -> HistoryResult:
        return self.answer(question).result


@contextmanager
def asked(root: Path, data: Path, *, stays: bool = True, **given: object) -> Iterator[Asked]:
    """A root's history, closed afterwards; one that does not stay indexes nothing in advance."""
    settings: Mapping[str, object] = {"repo_root": root, "data_dir": data, "workers": 1, **given}
    parts = services(read_options([(name, str(value)) for name, value in settings.items()]))
    found = Asked(parts, stays=stays)
    try:
        yield found
    finally:
        found.histories.close()
        parts.manager.close()

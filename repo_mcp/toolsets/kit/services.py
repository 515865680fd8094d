"""What the tools of one repository work with, and how much room an answer has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Budget
from repo_mcp.indexing.fresh.background import BackgroundRefresh
from repo_mcp.model import AnswerWarning, Limits
from repo_mcp.repository import Patience, Repository, tool_patience
from repo_mcp.safety.denylist import Denylist
from repo_mcp.search import RankedEngine
from repo_mcp.toolsets.kit.answers import Fields, Outcome
from repo_mcp.toolsets.kit.envelope import size_around
from repo_mcp.toolsets.kit.records import Record


def _unheard(*_: object) -> None:
    """Nobody listens."""


class Context(NamedTuple):
    """One call; what the client did not ask to be told goes nowhere."""

    budget: Budget
    request_id: str = ""
    # how much is done, of how much (0 where that is not known), and of what
    progress: Callable[[int, int, str], None] = _unheard
    # a level of MCP's and a line for the client's log
    log: Callable[[str, str], None] = _unheard
    # a prompt and how many tokens the answer may take: the client's model's answer, if it gives one
    sample: Callable[[str, int], str | None] = _unheard


# an answer of fewer characters is shown whole by every client that was looked at
_PAGE: Final = 9_900
# a cursor, and a warning that comes late
_LATER: Final = 600

Arguments = Mapping[str, Any]
Handler = Callable[[Arguments, Context], Outcome]


@dataclass(frozen=True, slots=True)
class ToolServices:
    """What the tools of one repository work with."""

    repository: Repository
    background: BackgroundRefresh
    engine: RankedEngine
    audit: AuditLog
    # how long a call waits for the index
    patience: Patience

    @classmethod
    def of(cls, repository: Repository, background: BackgroundRefresh) -> ToolServices:
        """What tools work with by default; calls are kept in the repository's data folder."""
        settings = repository.settings
        return cls(
            repository,
            background,
            RankedEngine(repository.sandbox, repository.languages),
            AuditLog(settings.data_dir, Denylist(settings.deny_globs), root=settings.root),
            tool_patience(settings),
        )

    @property
    def limits(self) -> Limits:
        """Limits in force."""
        return self.repository.settings.limits

    @property
    def notes(self) -> list[AnswerWarning]:
        """What is said of the settings beside every answer."""
        return [AnswerWarning("settings", text) for text in self.repository.settings.notes]

    @property
    def background_notes(self) -> list[AnswerWarning]:
        """Why files are not watched, and what failed last."""
        return [AnswerWarning("background", text) for text in self.background.notes]

    def page(self, asked: int | None, warnings: list[AnswerWarning], usual: int = _PAGE) -> int:
        """How large an answer may be that was asked to have so many characters."""
        most = self.limits.max_total_bytes_per_response
        if asked is None:
            return min(usual, most)
        return self.at_most("max_chars", asked, most, warnings)

    def room(self, page: int, result: Record | Fields, warnings: Iterable[AnswerWarning]) -> int:
        """What of a page is left for what a result does not hold yet."""
        return page - size_around(result, [*self.notes, *warnings]) - _LATER

    @staticmethod
    def at_most(name: str, value: int, most: int, warnings: list[AnswerWarning]) -> int:
        """The value, or what is allowed of it, and then a warning."""
        if value > most:
            text = f"{name} is {most} at most, {value} was asked for"
            warnings.append(AnswerWarning("limited", text))
        return min(value, most)

"""Asks a question of a repository that this process has opened, as `repo.ask` answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from index_format.records import replace
from repo_mcp.answers.asked import AskResult
from repo_mcp.answers.verdicts import NextCall
from repo_mcp.budget import Budget
from repo_mcp.history import Histories
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import COMMAND_WAIT, Repository
from repo_mcp.toolsets.interrogator.ask import Ask
from repo_mcp.toolsets.interrogator.declarations import ASK
from repo_mcp.toolsets.kit.arguments import check_arguments
from repo_mcp.toolsets.kit.services import Context, Past, ToolServices


def ask_repository(
    repository: Repository,
    histories: Histories,
    arguments: Mapping[str, Any],
    budget: Budget,
    tell_step: Callable[[str | NextCall], str],
) -> tuple[AskResult, Sequence[AnswerWarning]]:
    """The answer for a command: one question, by an index that is waited for, without a log."""
    # nothing runs behind the answer: the repository itself brings its index up to date
    tools = ToolServices.of(repository, BackgroundRefresh(repository.manager, None))
    past = Past(repository.manager)
    past.histories = histories
    ask = Ask(replace(tools, wait=COMMAND_WAIT, past=past), tell_step)
    given = {**ASK.inner, **check_arguments(ASK, arguments), "with_tour": False}
    outcome = ask(given, Context(budget))
    return cast("AskResult", outcome.result), outcome.warnings

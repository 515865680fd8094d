"""Asks a question of the roots that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from repo_mcp.answers.history import CommitEntry, HistoryResult
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history.questions import answer_question
from repo_mcp.history.root_question import HistoryAnswer, HistoryQuestion, RootQuestion
from repo_mcp.history.service import Histories
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import DeclaredSymbol

# characters of an answer of which the head alone is used
_LITTLE: Final = 1000


def ask_histories(
    histories: Histories,
    question: HistoryQuestion,
    budget: Budget,
    most_chars: int,
) -> tuple[HistoryAnswer, list[AnswerWarning]]:
    """The answer of the root that a path or commit is of, or the answers of all as one."""
    roots, path = histories.of_path(question.path)
    asked = question._replace(path=path)
    answers: list[HistoryAnswer] = []
    warnings: list[AnswerWarning] = []
    problem: Problem | None = None
    for root in roots:
        try:
            opened = root.open(budget)
            with root.history.reading():
                room = most_chars // len(roots)
                answers.append(answer_question(RootQuestion(asked, opened, budget, room)))
        except Problem as found:
            if found.code == "cancelled":
                raise
            problem = found
            continue
        warnings += [item for item in opened.warnings if item not in warnings]
    if not answers:
        raise problem or Problem("no_history")
    return (answers[0] if len(roots) == 1 else _joined(answers, question.limit)), warnings


def about_declaration(
    question: HistoryQuestion, found: Sequence[DeclaredSymbol], name: str
) -> HistoryQuestion:
    """The question about the lines of the likeliest of these declarations."""
    above = f"{question.path.rstrip('/')}/" if question.path else ""
    found = [item for item in found if f"{item.path}/".startswith(above)]
    if not found:
        raise Problem("symbol_missing", name)
    declared = found[0].declaration
    lines = declared.start_line, declared.end_line
    return question._replace(path=found[0].path, declared=lines)


def last_change(
    histories: Histories,
    path: str,
    lines: tuple[int, int],
    budget: Budget,
) -> CommitEntry | None:
    """The last commit that has changed lines of a file as it is now; None if that is not known.

    It waits for nothing: a history that is not indexed yet is indexed in the background.
    """
    roots, inner = histories.of_path(path)
    opened = roots[0].peek() if len(roots) == 1 else None
    if opened is None or opened.commits is None:
        return None
    asked = HistoryQuestion(path=inner, declared=lines, limit=1)
    try:
        with opened.history.reading():
            question = RootQuestion(asked, opened, budget, _LITTLE)
            found = answer_question(question).result
    except Problem as problem:
        if problem.code == "cancelled":
            raise
        return None
    return found.commits[0] if found.commits else None


def _joined(answers: list[HistoryAnswer], limit: int) -> HistoryAnswer:
    """The answers of several roots as one: commits by their days, the newest first."""
    found = HistoryResult(indexed=sum(item.result.indexed for item in answers))
    results = [item.result for item in answers]
    commits = [entry for result in results for entry in result.commits]
    found.commits = sorted(commits, key=lambda entry: entry.date, reverse=True)[:limit]
    people = [entry for result in results for entry in result.people]
    found.people = sorted(people, key=lambda entry: -entry.commits)[:limit]
    found.truncated = len(commits) > limit or any(result.truncated for result in results)
    one = next((result for result in results if result.message or result.commits), None)
    if one is not None and one.message:
        found.message = one.message
    return HistoryAnswer(found, None, [path for item in answers for path in item.shown])

"""Asks a question of the roots that it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from code_graph.facts import last_part
from repo_mcp.answers.history import CommitEntry, HistoryResult
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history.file_history import FileHistory
from repo_mcp.history.model import CommitHit
from repo_mcp.history.questions import answer_question, last_of_lines
from repo_mcp.history.root_question import (
    ALL_SHOWN,
    AROUND,
    SHOWN_DIGITS,
    CommitPlace,
    HistoryAnswer,
    HistoryQuestion,
    RootQuestion,
    is_about_file,
    size_of,
)
from repo_mcp.history.service import Histories, OpenHistory
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import DeclaredSymbol
from repo_mcp.text.cutting import cut

# revisions of one question
_MOST_REVISIONS: Final = 10
# characters of an answer of which the head alone is used
_LITTLE: Final = 1000
_MOST_OTHERS: Final = 5
_MOST_FILES: Final = 40
# characters of the declaration of an overload
_WIDEST: Final = 110


def ask_histories(
    histories: Histories,
    question: HistoryQuestion,
    budget: Budget,
    most_chars: int,
    after: Mapping[str, CommitPlace] = MappingProxyType({}),
) -> tuple[HistoryAnswer, list[AnswerWarning]]:
    """The answer of the root that a path or commit is of, or the answers of all as one.

    `after` says where the page before ended, by prefixes of roots.
    """
    revisions = [*dict.fromkeys(question.rev.replace(",", " ").split())]
    if len(revisions) > 1:
        return _ask_each(histories, question, revisions, budget, most_chars)
    return _ask_roots(histories, question, budget, most_chars, after)


def _ask_each(
    histories: Histories,
    question: HistoryQuestion,
    revisions: Sequence[str],
    budget: Budget,
    most_chars: int,
) -> tuple[HistoryAnswer, list[AnswerWarning]]:
    """The commits of several revisions, which share the room: what one leaves, others have."""
    if not question.is_of_commits:
        reason = "several revisions are shown as commits: leave out all others but path"
        raise Problem("argument_invalid", reason)
    if len(revisions) > _MOST_REVISIONS:
        raise Problem("argument_invalid", f"rev takes up to {_MOST_REVISIONS} revisions")
    answers: dict[str, HistoryAnswer] = {}
    warnings: list[AnswerWarning] = []
    problem: Problem | None = None

    def ask(revision: str, room: int) -> None:
        asked = question._replace(rev=revision)
        answers[revision], noted = _ask_roots(histories, asked, budget, room, {})
        warnings.extend(item for item in noted if item not in warnings)

    share = most_chars // len(revisions)
    for revision in revisions:
        try:
            ask(revision, share)
        except Problem as found:
            if found.code == "cancelled":
                raise
            problem = problem or found
            warnings.append(AnswerWarning("revision_unread", f"{revision}: {found.reason}"))
    if problem is not None and not answers:
        raise problem
    results = [item.result for item in answers.values()]
    left = most_chars - sum(size_of(entry) for result in results for entry in result.commits)
    cut_short = [revision for revision, item in answers.items() if item.result.truncated]
    for revision in cut_short if left > AROUND * len(cut_short) else ():
        ask(revision, share + left // len(cut_short))
    results = [item.result for item in answers.values()]
    joined = HistoryResult(
        commits=[entry for result in results for entry in result.commits],
        truncated=any(result.truncated for result in results),
        indexed=max(result.indexed for result in results),
    )
    return HistoryAnswer(
        joined, shown=[path for item in answers.values() for path in item.shown]
    ), warnings


def _ask_roots(
    histories: Histories,
    question: HistoryQuestion,
    budget: Budget,
    most_chars: int,
    after: Mapping[str, CommitPlace],
) -> tuple[HistoryAnswer, list[AnswerWarning]]:
    """The answer of each root that the question is about, as one."""
    roots, path = histories.of_path(question.path)
    answers: dict[str, HistoryAnswer] = {}
    warnings = [*_told_of_overloads(question), *_told_of_others(question)]
    problem: Problem | None = None
    for root in roots:
        place = after.get(root.prefix)
        asked = question._replace(path=path, after=place)
        try:
            needs_index = not asked.is_of_file
            if not needs_index:
                with root.history.reading():
                    needs_index = not is_about_file(root.history, asked)
            opened = root.open(budget, needs_index=needs_index)
            with root.history.reading():
                room = most_chars // len(roots)
                given = RootQuestion(asked, opened, budget, room)
                is_done = place == ALL_SHOWN
                answers[root.prefix] = _nothing_more(opened) if is_done else answer_question(given)
                warnings += root.history.gap_warnings()
        except Problem as found:
            if found.code == "cancelled":
                raise
            problem = found
            continue
        warnings += [item for item in opened.warnings if item not in warnings]
    if not answers:
        raise problem or Problem("no_history")
    return _joined(answers, question, after, alone=len(answers) == 1), warnings


def _told_of_overloads(question: HistoryQuestion) -> Iterator[AnswerWarning]:
    """Tell the overloads that the answer is about, and how one of them is asked about."""
    if question.overloads:
        count = len(question.overloads)
        shown = question.overloads[:_MOST_OTHERS]
        named = "; ".join(f"{name} `{cut(text, _WIDEST)}`" for name, text in shown)
        further = f"; {count - len(shown)} more" if count > len(shown) else ""
        text = (
            f"this follows {count} overloads, and each hunk says which it is in: {named}{further};"
            f" one alone is {question.path} with its line, as path:line"
        )
        yield AnswerWarning("symbol_ambiguous", text)


def _told_of_others(question: HistoryQuestion) -> Iterator[AnswerWarning]:
    """Tell the declaration that the answer is about, where others have its name, too."""
    if question.others:
        named = ", ".join(question.others[:_MOST_OTHERS])
        more = len(question.others) - _MOST_OTHERS
        further = f", {more} more" if more > 0 else ""
        text = f"this is about {question.chosen}; of this name are also {named}{further}"
        yield AnswerWarning("symbol_ambiguous", text)


def _nothing_more(opened: OpenHistory) -> HistoryAnswer:
    commits = opened.commits
    return HistoryAnswer(HistoryResult(indexed=0 if commits is None else len(commits.table)))


def about_declaration(
    question: HistoryQuestion, found: Sequence[DeclaredSymbol], name: str
) -> HistoryQuestion:
    """The question about the lines of the likeliest of these declarations."""
    above = f"{question.path.rstrip('/')}/" if question.path else ""
    found = [item for item in found if f"{item.path}/".startswith(above)]
    if not found:
        raise Problem("symbol_missing", name)
    first, *others = found
    own = [first, *(item for item in others if _is_overload(item, first))]
    own.sort(key=lambda item: item.declaration.start_line)
    lines = tuple((item.declaration.start_line, item.declaration.end_line) for item in own)
    places = tuple(_place_of(item) for item in others if item not in own)
    overloads = tuple(map(_as_overload, own)) if len(own) > 1 else ()
    return question._replace(
        path=first.path,
        declared=lines,
        overloads=overloads,
        chosen=_place_of(*own),
        others=places,
    )


def _as_overload(item: DeclaredSymbol) -> tuple[str, str]:
    """A name with its line, and the declaration in one line."""
    declared = item.declaration
    return f"{last_part(item.name)}:{declared.name_line}", declared.signature or declared.name


def _is_overload(item: DeclaredSymbol, other: DeclaredSymbol) -> bool:
    """True of two functions of one name in one file: a question by name is about both."""
    same = item.path == other.path and item.name == other.name
    return same and item.declaration.kind == other.declaration.kind


def _place_of(first: DeclaredSymbol, *others: DeclaredSymbol) -> str:
    """A name with its file and line, and the lines of its overloads there."""
    lines = ", ".join(str(item.declaration.name_line) for item in (first, *others))
    return f"{first.name} ({first.path}:{lines})"


def last_change(
    histories: Histories,
    path: str,
    lines: tuple[int, int],
    budget: Budget,
    walked: int | None = None,
) -> CommitEntry | None:
    """The last commit that has changed lines of a file as it is now; None if that is not known.

    It waits for nothing: a history that is not indexed yet is indexed in the background. Of the
    commits of the file so many are `walked`.
    """
    roots, inner = histories.of_path(path)
    opened = roots[0].peek() if len(roots) == 1 else None
    if opened is None or opened.commits is None:
        return None
    asked = HistoryQuestion(path=inner, declared=(lines,))
    try:
        with opened.history.reading():
            return last_of_lines(RootQuestion(asked, opened, budget, _LITTLE), walked)
    except Problem as problem:
        if problem.code == "cancelled":
            raise
        return None


def first_commit(histories: Histories, path: str, budget: Budget) -> CommitEntry | None:
    """The commit that brought a file, with all files that it has changed; None if not known.

    It waits for nothing, as `last_change`.
    """
    roots, inner = histories.of_path(path)
    opened = roots[0].peek() if len(roots) == 1 else None
    if opened is None or opened.commits is None:
        return None
    index = opened.commits
    with opened.history.reading():
        first = None
        for first in FileHistory(index, inner).commits():  # noqa: B007 the last one is used
            budget.check()
        commit = None if first is None else opened.history.commit(first.identity)
        if first is None or commit is None:
            return None
        is_denied = opened.history.is_denied
        files = [item.path for item in index.files(first.place) if not is_denied(item.path)]
        left = len(files) - _MOST_FILES
        hit = CommitHit(commit, files[:_MOST_FILES], more_files=max(left, 0))
        return RootQuestion(HistoryQuestion(path=inner), opened, budget, _LITTLE).entry(hit)


def _joined(
    answers: Mapping[str, HistoryAnswer],
    question: HistoryQuestion,
    after: Mapping[str, CommitPlace],
    *,
    alone: bool,
) -> HistoryAnswer:
    """The answers of several roots as one, and where the next page begins."""
    taken = _in_one_order(answers, question)
    found = next(iter(answers.values())).result
    shown = [path for item in answers.values() for path in item.shown]
    if not alone:
        results = [item.result for item in answers.values()]
        found = HistoryResult(indexed=sum(result.indexed for result in results))
        commits = [answers[root].result.commits[at] for root, at in taken]
        # a commit that is named has no place among others
        found.commits = commits or [entry for result in results for entry in result.commits]
        people = [entry for result in results for entry in result.people]
        found.people = sorted(people, key=lambda entry: -entry.commits)[: question.limit]
        hashes = {answers[root].places[at][0][:SHOWN_DIGITS] for root, at in taken}
        shown = [path for path in shown if path.rpartition("@")[2] in hashes]
        found.truncated = len(people) > question.limit
    counts = Counter(root for root, _ in taken)
    ends = {root: _end_of(item, counts[root], after.get(root)) for root, item in answers.items()}
    left = {root: place for root, place in ends.items() if place is not None}
    if all(place == ALL_SHOWN for place in ends.values()):
        return HistoryAnswer(found, shown=shown)
    found.truncated = True
    return HistoryAnswer(found, shown=shown, after=left)


def _end_of(item: HistoryAnswer, count: int, before: CommitPlace | None) -> CommitPlace | None:
    """The last commit of a root that was shown, if so many are of this page."""
    if count == len(item.places) and not (item.places and item.result.truncated):
        return ALL_SHOWN
    return item.places[count - 1] if count else before


def _in_one_order(
    answers: Mapping[str, HistoryAnswer], question: HistoryQuestion
) -> list[tuple[str, int]]:
    """The commits of a page, each as its root and its number there, the newest first.

    By words, each root gives its best in turn: scores of different roots do not compare.
    """
    order = {root: number for number, root in enumerate(answers)}
    counts = dict.fromkeys(answers, 0)

    def key(root: str) -> tuple[int, int]:
        at = counts[root]
        return at if question.words else -answers[root].places[at][1], order[root]

    taken: list[tuple[str, int]] = []
    while len(taken) < question.limit:
        ended = [root for root, item in answers.items() if counts[root] == len(item.places)]
        if not question.words and any(
            answers[root].places and answers[root].result.truncated for root in ended
        ):
            break  # its next commits may be newer than those of others
        begun = [root for root in answers if root not in ended]
        if not begun:
            break
        root = min(begun, key=key)
        taken.append((root, counts[root]))
        counts[root] += 1
    return taken

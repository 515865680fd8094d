"""Verdicts say whether an answer ends its question: what is open, and the step that adds most."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.records import AnswerRecord
from repo_mcp.text.doubts import doubt
from repo_mcp.text.plurals import counted

if TYPE_CHECKING:  # an answer loads the records of its own kind alone
    from repo_mcp.answers.changes import ChangesResult
    from repo_mcp.answers.history import HistoryResult
    from repo_mcp.answers.repository import BundleResult, OpenFileResult, SearchResult
    from repo_mcp.answers.symbols import SymbolAnswer
    from repo_mcp.model import AnswerWarning

ANSWERED: Final = "answered"
PARTLY: Final = "partly"
SEVERAL: Final = "several meanings"
ABSENT: Final = "not in this repository"
# those of several parts, the worst first: a part of an answer is more than none
_STATES: Final = (PARTLY, SEVERAL, ABSENT, ANSWERED)
_MOST_OPEN: Final = 3
# the size of an answer that has room for very many uses
_WIDE: Final = 40_000
# by codes of warnings, what is not read yet
_OPEN: Final = {
    "incomplete": "not all files are indexed yet",
    "sparse": "not all tracked files are checked out",
    "linking": "not all symbols are linked yet",
    "out_of_time": "not all files were read in time",
    "missing": "a part of the index could not be read",
    "edges_cut": "some files are not followed to their end",
    "objects_unread": "some of git's objects can't be read",
    "history_partial": "not all commits are indexed yet",
}


class NextCall(NamedTuple):
    """A call of a tool, with all of its arguments; a face without tools has other words for it."""

    tool: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        """The call as a client makes it."""
        return f"{self.tool} {json.dumps(self.arguments, ensure_ascii=False)}"


class Verdict(NamedTuple):
    """The state of an answer; what is open, and where; the call or range that adds most."""

    state: str = ANSWERED
    lacks: str = ""
    step: str | NextCall = ""
    # true if all is known, and only too long for the answer
    is_cut: bool = False
    # true if files that are not read yet change nothing
    is_settled: bool = False

    def __str__(self) -> str:
        """The state and what is open, in a line."""
        return f"{self.state}: {self.lacks}" if self.lacks else self.state

    def as_text(self) -> Iterator[str]:
        """The verdict, and the next step if there is one."""
        yield str(self)
        yield from [f"next: {self.step}"] if self.step else []


def join_verdicts(parts: Sequence[tuple[str, Verdict]]) -> Verdict:
    """The verdict of several parts of an answer, which have titles."""
    if len(parts) == 1:
        return parts[0][1]
    unsettled = [(title, verdict) for title, verdict in parts if verdict.state != ANSWERED]
    if not unsettled:
        return Verdict(step=next((item.step for _, item in parts if item.step), ""))
    state = (
        PARTLY
        if len(unsettled) < len(parts)
        else min((verdict.state for _, verdict in unsettled), key=_STATES.index)
    )
    lacks = f"open in {len(unsettled)} of {counted(len(parts), 'part')}: "
    lacks += "; ".join(f"{title} ({verdict.state})" for title, verdict in unsettled[:_MOST_OPEN])
    return Verdict(state, lacks, next((item.step for _, item in unsettled if item.step), ""))


def is_judged(record: AnswerRecord) -> bool:
    """True for kinds of answers that may lack a part of what was asked for.

    A bundle of places alone, which has no id, has no room for a verdict.
    """
    return type(record).__name__ in _JUDGES and bool(getattr(record, "bundle_id", True))


def judge(record: AnswerRecord, warnings: Iterable[AnswerWarning] = ()) -> Verdict:
    """The verdict about an answer with its warnings.

    What is not read yet may have more, and what is absent so far may be in it.
    """
    judge_kind = _JUDGES.get(type(record).__name__)
    verdict = Verdict() if judge_kind is None else judge_kind(record)
    return verdict if verdict.is_settled else _with_warnings(verdict, warnings)


def judge_tests(answer: SymbolAnswer, warnings: Iterable[AnswerWarning] = ()) -> Verdict:
    """The verdict about the tests that reach a symbol."""
    verdict = Verdict()
    if answer.missing:
        verdict = Verdict(PARTLY, answer.missing)
    elif answer.reach_is_cut or answer.test_count > len(answer.tests):
        verdict = Verdict(PARTLY, "not all tests are listed")
    elif answer.doubts:
        verdict = Verdict(PARTLY, f"other tests may reach it: {answer.doubts[0]}")
    elif answer.reaching_tests or answer.possible_tests:
        verdict = Verdict(PARTLY, "tests reach it by calls whose conditions are not followed")
    elif not (answer.tests or answer.reaching_tests or answer.possible_tests):
        verdict = Verdict(ABSENT, "no test was found that reaches it")
    return _with_warnings(verdict, warnings)


def _with_warnings(verdict: Verdict, warnings: Iterable[AnswerWarning]) -> Verdict:
    """The verdict; what speaks of all files is said of those that are read."""
    open_state = next((_OPEN[item.code] for item in warnings if item.code in _OPEN), "")
    if not open_state or verdict.state not in {ANSWERED, ABSENT}:
        return verdict
    lacks = f"{verdict.lacks} so far; {open_state}" if verdict.lacks else open_state
    return Verdict(PARTLY, lacks, verdict.step)


def _judge_symbol(answer: SymbolAnswer) -> Verdict:
    """The verdict about the uses of a symbol."""
    verdict = _judge_uses(answer)
    # each line with the name is known, whatever other files say
    is_settled = not answer.missing and not answer.other_line_count
    return verdict._replace(is_settled=is_settled)


def _judge_uses(answer: SymbolAnswer) -> Verdict:
    if answer.missing:
        return Verdict(PARTLY, answer.missing)
    if answer.other_line_count > 0:
        lines = counted(answer.other_line_count, "line")
        places = f"open {', '.join(answer.other_lines[:_MOST_OPEN])}" if answer.other_lines else ""
        return Verdict(PARTLY, f"{lines} with the name may be further uses", places)
    if answer.uses_are_cut:
        shown = len(answer.callers) + len(answer.tests)
        total = counted(answer.caller_count + answer.test_count, "use")
        wide = {"name": answer.name, "callers_only": True, "max_chars": _WIDE}
        step = NextCall("repo.symbol", wide)
        return Verdict(PARTLY, f"{shown} of {total} listed", step, is_cut=True)
    if answer.doubts:
        return Verdict(PARTLY, "; ".join(answer.doubts[:_MOST_OPEN]))
    if answer.other_count and not answer.overloads:
        others = "; ".join(answer.others[:_MOST_OPEN])
        return Verdict(SEVERAL, f"this is one of {answer.other_count + 1}, others: {others}")
    return Verdict()


def _judge_search(result: SearchResult) -> Verdict:
    """The verdict about the lines of a search, or about ranked hits."""
    suggested = next((f"search {json.dumps(item.text)}" for item in result.suggestions), "")
    step = f"the same with cursor {result.cursor}" if result.cursor else suggested
    if result.hits is None:
        if not result.files:
            return Verdict(ABSENT, "no line matches", suggested)
        if not (result.truncated or result.left):
            return Verdict()
        left = "; ".join(result.left[:_MOST_OPEN]) or "more lines follow"
        return Verdict(PARTLY, f"not all lines are shown: {left}", step)
    if not result.hits:
        return Verdict(ABSENT, "no passage matches", suggested)
    if not result.confident:
        hits = counted(len(result.hits), "hit")
        return Verdict(PARTLY, doubt(result.terms, result.nowhere, hits), suggested)
    return (
        Verdict(PARTLY, "the best places by words, which need not be all")
        if (result.truncated)
        else Verdict()
    )


def _judge_lines(result: OpenFileResult) -> Verdict:
    """The verdict about lines that were asked for."""
    if result.next_ranges:
        return Verdict(PARTLY, "some lines do not fit", f"open {', '.join(result.next_ranges)}")
    if result.unread:
        return Verdict(PARTLY, f"{result.unread} of {len(result.ranges)} places can't be read")
    if result.next_start_line:
        rest = f"{result.path}:{result.next_start_line}-{result.total_lines}"
        return Verdict(PARTLY, "the file goes on", f"open {rest}")
    return Verdict()


def _judge_history(result: HistoryResult) -> Verdict:
    """The verdict about the commits that fit a question."""
    if result.is_empty:
        return Verdict(ABSENT, "no commit fits")
    return (
        Verdict(PARTLY, "further commits fit", f"the same with cursor {result.cursor}")
        if result.cursor
        else Verdict()
    )


def _judge_bundle(result: BundleResult) -> Verdict:
    """The best places for a task: that there are no others can't be said."""
    if not result.excerpts:
        return Verdict(ABSENT, "no place fits the task")
    return Verdict(PARTLY, "the likeliest places, which need not be all")


def _judge_changes(result: ChangesResult) -> Verdict:
    """The verdict about what a change breaks."""
    if not result.files:
        return Verdict(ABSENT, "nothing differs")
    step = f"the same with cursor {result.cursor}" if result.cursor else ""
    lacks = [*result.notes, *result.left]
    return Verdict(PARTLY, "; ".join(lacks[:_MOST_OPEN]), step) if lacks else Verdict()


# by the name of the record: most processes have a few kinds
_JUDGES: Final[Mapping[str, Callable[[Any], Verdict]]] = {
    "SymbolAnswer": _judge_symbol,
    "SearchResult": _judge_search,
    "OpenFileResult": _judge_lines,
    "HistoryResult": _judge_history,
    "BundleResult": _judge_bundle,
    "ChangesResult": _judge_changes,
}

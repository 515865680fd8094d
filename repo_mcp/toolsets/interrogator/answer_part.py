"""A part of the answer of `repo.ask`: about one name, or to the words of one question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.verdicts import PARTLY, Verdict, judge
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.text.plurals import counted
from repo_mcp.toolsets.kit.answers import Outcome, size

# bytes beside the lines of a part
_AROUND: Final = 200


class AnswerPart(NamedTuple):
    """A title, the verdict, and the facts."""

    title: str
    verdict: Verdict
    lines: Sequence[str] = ()
    warnings: Sequence[AnswerWarning] = ()
    # citations for the audit log
    shown: Sequence[str] = ()
    generation: int = 0
    # its lines with all of a function, if that is longer than its share
    whole: Sequence[str] = ()

    @property
    def size(self) -> int:
        """Bytes of its text."""
        return _AROUND + sum(map(size, self.lines))

    def widened(self, room: int) -> AnswerPart:
        """The part with all of its function, if there is so much more room."""
        wide = self._replace(lines=self.whole, whole=())
        return wide if self.whole and wide.size - self.size <= room else self

    def fitting(self, room: int) -> AnswerPart:
        """The part with as many lines as there is room for."""
        left = room - _AROUND
        for at, line in enumerate(self.lines):
            left -= size(line)
            if left < 0:
                lacks = f"{counted(len(self.lines) - at, 'more line')} do not fit"
                verdict = Verdict(PARTLY, lacks, "the same alone, or with a larger max_chars")
                return self._replace(lines=self.lines[:at], verdict=verdict)
        return self


def part_of(title: str, outcome: Outcome) -> AnswerPart:
    """The answer of another tool as a part."""
    record = outcome.result
    given = [*record.lines_alone()], outcome.warnings, outcome.shown, outcome.generation
    return AnswerPart(title, judge(record, outcome.warnings), *given)


def rows_that_fit(rows: Iterable[str], room: int) -> Iterator[str]:
    """The rows that fit, and the number of the others."""
    every = [*rows]
    for at, row in enumerate(every):
        room -= len(row) + 1
        if room < 0:
            yield f"… {counted(len(every) - at, 'more row')}: max_chars shows more"
            return
        yield row


def refused_part(title: str, problem: Problem) -> AnswerPart:
    """A part that could not be answered; a call that is given up has no answer."""
    if problem.code == "cancelled":
        raise problem
    return AnswerPart(title, Verdict(PARTLY, problem.reason, problem.hint))

"""Numbered lines of a file, as values; faces write or draw them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from index_format.annotations import Final
from index_format.tuples import NamedTuple
from repo_mcp.text.cutting import MORE, heading, numbered_line

# hits of a ranked search in place of passages
FILE: Final = "file"
FUNCTION: Final = "function"
LINE: Final = "line"
# strategies of a bundle: excerpts, and places alone
HYBRID: Final = "hybrid"
REGIONS: Final = "regions"
LEVELS: Final = (FILE, FUNCTION, LINE)


class AnswerLine(NamedTuple):
    """A line with its number; `around` a match, or one that was asked for."""

    number: int
    text: str
    around: bool = False
    # the declaration of it and those after it, empty if they have none; None where that goes on
    heading: str | None = None
    # true if lines that are not blank are missing beside it
    after_gap: bool = False
    before_gap: bool = False

    def rows(self) -> Iterator[str]:
        """The line as text, with its marks."""
        if self.heading is not None:
            yield heading(self.heading)
        if self.after_gap:
            yield MORE
        yield numbered_line(self.number, self.text, around=self.around)
        if self.before_gap:
            yield MORE


class NumberedLines:
    """Lines of an answer, whose text is a value of its JSON."""

    __slots__ = ("lines",)

    def __init__(self, lines: Iterable[AnswerLine] = ()) -> None:
        self.lines: Sequence[AnswerLine] = tuple(lines)

    @classmethod
    def of(cls, texts: Iterable[str], first: int) -> NumberedLines:
        """Lines that follow each other, the first one with this number."""
        return cls(AnswerLine(number, text) for number, text in enumerate(texts, first))

    def __len__(self) -> int:
        """The number of lines."""
        return len(self.lines)

    def __str__(self) -> str:
        """The lines as text, each with its number."""
        return "\n".join(row for line in self.lines for row in line.rows())

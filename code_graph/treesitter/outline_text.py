"""A text without parts that declare nothing, which is parsed sooner; lines and columns are kept."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]


class OutlineText:
    """A text, and what was left out of it."""

    def __init__(self, whole: str, spans: Sequence[Span] = ()) -> None:
        """Leave spans out, which are in order; each begins and ends within a line."""
        self.whole = whole
        self.spans = spans
        parts: list[str] = []
        done = 0
        for begin, end in spans:
            parts += whole[done:begin], stand_in(whole, begin, end)
            done = end
        self.text = "".join((*parts, whole[done:]))

    def uses(self, numbers: Mapping[str, int]) -> Iterator[tuple[int, int, str]]:
        """Number, line and name of each use of these names in what was left out."""
        del numbers
        return iter(())

    def value_places(self) -> Iterator[int]:
        """Where in the text initial values were left out."""
        return iter(())

    def shifts(self) -> Callable[[int], int]:
        """Gives for an offset in the text that in the whole one."""
        starts, steps = [0], [0]
        for begin, end in self.spans:
            left = len(stand_in(self.whole, begin, end))
            steps.append(steps[-1] + end - begin - left)
            starts.append(end - steps[-1])
        return lambda offset: offset + steps[bisect_right(starts, offset) - 1]


# of a text that nothing is left out of
NO_OUTLINE = OutlineText("")


def stand_in(text: str, begin: int, end: int) -> str:
    """As many line ends as a span has, and blanks to the column of its end."""
    last = text.rfind("\n", begin, end) + 1 or begin
    return "\n" * text.count("\n", begin, end) + " " * (end - last)

"""Lines of files as answers show them: with numbers, and long ones cut (`…` marks what is left)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from index_format.annotations import AnyStr, Final
from repo_mcp.text.plurals import counted

Span = tuple[int, int]

# about how long an answer about one symbol is, in characters
SYMBOL_CHARS: Final = 4_000
MORE: Final = "…"
# begins a line that names the declaration of the lines that follow it
HEADING: Final = "@"
_TOP: Final = "(top level)"
# what stands between names of a list, and how it ends where it names only the first
_SEPARATOR: Final = re.compile(r"[,;] ")
_REST: Final = re.compile(r"(?:… |(.+) and )?(\d+) (?:more|others?)")
# longer than what a list that is cut ends with
_MOST_REST: Final = len(", 1000000 more")
# a name may have its place behind it
_BLANKS_OF_NAME: Final = 1
_REFERENCE: Final = re.compile(r"\$(?:(\$)|(\w+)|\{(\w+)\})", re.ASCII)
_NUMBERED: Final = re.compile(r"(\d+)([:-]) ?(.*)", re.DOTALL)


def cut(text: str, longest: int) -> str:
    """The first `longest` characters, with a mark if there are more."""
    return text if len(text) <= longest else f"{text[:longest]} {MORE}"


def cut_words(text: str, longest: int) -> str:
    """The first whole words of at most so many characters, and how many words are missing."""
    if len(text) <= longest:
        return text
    head = text[: longest + 1].rpartition(" ")[0] or text[:longest]
    missing = len(text[len(head) :].split())
    return f"{head} {MORE} {counted(missing, 'more word')}"


def cut_lines(text: str, longest: int, margin: int = 0) -> str:
    """The first lines of at most so many characters, and how many lines are missing.

    Each line has a margin before it. Of a first line that alone is longer, its beginning stays.
    """
    rows = text.split("\n")
    ends = accumulate(len(row) + margin + 1 for row in rows)
    fitting = sum(end <= longest + 1 for end in ends)
    head = rows[:fitting] or [cut(rows[0], longest)]
    missing = len(rows) - len(head)
    return "\n".join([*head, *([f"{MORE} {counted(missing, 'more line')}"] if missing else ())])


def cut_list(text: str, longest: int) -> str:
    """A text of at most so many characters, which ends with a whole word.

    Of a list at its end fewer are named, and the number of others takes in those left out.
    """
    if len(text) <= longest:
        return text
    head = text[: longest - _MOST_REST]
    marks = [found.start() for found in _SEPARATOR.finditer(head)]
    if marks:
        *left, last = _SEPARATOR.split(text[marks[-1] + 2 :])
        counted = _REST.fullmatch(last)
        left += [name for name in ((counted[1] or "") if counted else last,) if name]
        if all(name.count(" ") <= _BLANKS_OF_NAME for name in left):
            more = len(left) + (int(counted[2]) if counted else 0)
            return f"{text[: marks[-1]]}, {more} more"
    words = text[: longest - len(MORE)].rsplit(" ", 1)[0]
    return f"{words} {MORE}" if len(words) < longest - len(MORE) else f"{words}{MORE}"


def cut_around(
    text: str, spans: Sequence[Span], longest: int, before: int
) -> tuple[str, tuple[Span, ...]]:
    """`longest` characters, beginning `before` the first span, with marks for omitted text.

    Also returns the spans' positions in the cut text, without those that were cut off.
    """
    if len(text) <= longest:
        return text, tuple(spans)
    begin = max(spans[0][0] - before, 0) if spans else 0
    end = min(begin + longest, len(text))
    head = f"{MORE} " if begin else ""
    tail = f" {MORE}" if end < len(text) else ""
    moved = len(head) - begin
    kept = [(start + moved, min(stop, end) + moved) for start, stop in spans if start < end]
    return f"{head}{text[begin:end]}{tail}", tuple(kept)


def replaced(
    text: AnyStr, spans: Sequence[Span], pieces: Sequence[AnyStr]
) -> tuple[AnyStr, tuple[Span, ...]]:
    """The text with other text in the places of its spans, and where that is now.

    The other text are the pieces, with that of the span between them.
    """
    parts: list[AnyStr] = []
    moved: list[Span] = []
    size = at = 0
    for begin, end in spans:
        new = text[begin:end].join(pieces)
        first = size + begin - at
        size = first + len(new)
        moved.append((first, size))
        parts += [text[at:begin], new]
        at = end
    parts.append(text[at:])
    return text[:0].join(parts), tuple(moved)


def replacement_pieces(text: str) -> tuple[str, ...] | None:
    """The parts of a replacement between whole matches, which are $0; None if it names groups.

    It is read as ripgrep does: $$ is a dollar sign, and so is one that no name follows.
    """
    pieces, end = [""], 0
    for reference in _REFERENCE.finditer(text):
        pieces[-1] += text[end : reference.start()]
        end = reference.end()
        if reference[1]:
            pieces[-1] += "$"
        elif (reference[2] or reference[3]) == "0":
            pieces.append("")
        else:
            return None
    pieces[-1] += text[end:]
    return tuple(pieces)


def numbered_line(number: int, text: str, *, around: bool = False) -> str:
    """A line with its number; one around a match is marked as such."""
    return f"{number}{'-' if around else ':'} {text}"


def read_numbered(text: str) -> Iterator[tuple[int, str, bool]]:
    """Numbers and lines of a text that `numbered_line` wrote, and whether they are around a match.

    For what is kept as text: answers have their lines as values.
    """
    for row in text.split("\n"):
        found = _NUMBERED.fullmatch(row)
        if found is not None:
            yield int(found[1]), found[3], found[2] == "-"


def stretches(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """First and last of each contiguous run of ascending numbers."""
    if not numbers:
        return ()
    breaks = [(before, after) for before, after in pairwise(numbers) if after > before + 1]
    firsts = [numbers[0], *(after for _, after in breaks)]
    lasts = [*(before for before, _ in breaks), numbers[-1]]
    return tuple(zip(firsts, lasts, strict=True))


def number_lines(rows: Iterable[str], first: int) -> list[str]:
    """Lines with their numbers."""
    return [numbered_line(number, row) for number, row in enumerate(rows, first)]


def heading(name: str) -> str:
    """Names the declaration of the lines that follow; they have none if the name is empty."""
    return f"{HEADING} {name or _TOP}"

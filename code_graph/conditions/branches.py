"""The branches of a file: for each line whether it is compiled, and under what condition."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from code_graph.conditions.definitions import MacroTable
from code_graph.conditions.truth import Truth
from code_graph.language import load
from index_format.tuples import NamedTuple

_LONGEST: Final = 100
_DEEPEST: Final = 200
# branches of a condition that the next one is told with
_MOST_TOLD: Final = 8
_MOST_DIRECTIVES: Final = 50_000

IF: Final = "if"
ELIF: Final = "elif"
ELSE: Final = "else"
END: Final = "endif"
DEFINE: Final = "define"
UNDEFINE: Final = "undef"
INCLUDE: Final = "include"


class Directive(NamedTuple):
    """One directive: what it is, its lines, and the condition, macro or file after it."""

    kind: str
    line: int
    # of one line the same; of one before its lines the line before
    last: int
    text: str = ""


class LineState(NamedTuple):
    """The truth of a line's condition, and its text, empty if there is none."""

    truth: Truth = Truth.TRUE
    condition: str = ""

    @property
    def is_left_out(self) -> bool:
        """True if no build that is asked about compiles the line."""
        return self.truth == Truth.FALSE


EVERY: Final = LineState()


class Branches:
    """The states of a file's lines."""

    def __init__(self, parts: Sequence[tuple[int, LineState]] = ()) -> None:
        """`parts` have the first lines with a state, in order; lines before them have none."""
        self._firsts = [first for first, _ in parts]
        self._states = [state for _, state in parts]

    def at(self, line: int) -> LineState:
        """The state of a line."""
        place = bisect_right(self._firsts, line) - 1
        return self._states[place] if place >= 0 else EVERY

    def __bool__(self) -> bool:
        """True if any line has a condition."""
        return any(state is not EVERY for state in self._states)


class _Frame(NamedTuple):
    """An open condition: the state around it, whether a branch was taken, the branch that is."""

    around: Truth
    taken: Truth
    state: Truth
    # the conditions of its branches so far, as they are told
    told: tuple[str, ...]
    is_guard: bool = False

    @property
    def condition(self) -> str:
        """The condition of the branch that is open, with those that came before it."""
        *before, last = self.told
        parts = [f"!({text})" for text in before]
        return " && ".join([*parts, last] if last else parts)


def conditions_of(text: str, path: str, reader: str) -> Sequence[Directive]:
    """The directives of a file, by the function that its language names."""
    read: Callable[[str, str], Iterator[Directive]] = load(reader)
    return [*zip_first(read(text, path), _MOST_DIRECTIVES)]


def zip_first(directives: Iterator[Directive], most: int) -> Iterator[Directive]:
    """The first of many directives."""
    for _, directive in zip(range(most), directives, strict=False):
        yield directive


def evaluate_branches(
    directives: Sequence[Directive], definitions: MacroTable, around: Truth = Truth.TRUE
) -> Branches:
    """The states of all lines; changes the definitions as the file does.

    `around` is the state of what includes the file.
    """
    parts: list[tuple[int, LineState]] = []
    frames: list[_Frame] = []
    guard = guard_of(directives)
    for place, directive in enumerate(directives):
        state = frames[-1].state if frames else around
        if directive.kind == IF:
            if len(frames) >= _DEEPEST:
                break
            frames.append(_opened(directive, state, definitions, is_guard=place == guard))
        elif directive.kind in {ELIF, ELSE}:
            if frames:
                frames[-1] = _next_branch(frames[-1], directive, definitions)
        elif directive.kind == END:
            if frames:
                frames.pop()
        else:
            _define(directive, state, frames, definitions)
            continue
        parts += [(directive.line, _state_of(frames[:-1])), (directive.last + 1, _state_of(frames))]
    return Branches(parts)


def guard_of(directives: Sequence[Directive]) -> int:
    """The place of the condition that keeps a header from being read twice; -1 without one."""
    for place, directive in enumerate(directives[:-1]):
        following = directives[place + 1]
        if directive.kind == IF:
            name = fallback_of(directive.text)
            is_guard = following.kind == DEFINE and following.text.split()[:1] == [name]
            return place if is_guard and _end_of(directives, place) == len(directives) - 1 else -1
    return -1


def _end_of(directives: Sequence[Directive], begin: int) -> int:
    """The place of the directive that closes a condition of one branch; -1 if none does."""
    depth = 0
    for place in range(begin, len(directives)):
        kind = directives[place].kind
        depth += (kind == IF) - (kind == END)
        if not depth:
            return place
        if depth == 1 and kind in {ELIF, ELSE}:
            break
    return -1


def fallback_of(condition: str) -> str:
    """The macro that a condition says is not defined; empty for another condition."""
    plain = condition.replace(" ", "")
    name = plain.removeprefix("!defined").strip("()")
    return name if plain.startswith("!defined") and name.isidentifier() else ""


def _opened(
    directive: Directive, state: Truth, definitions: MacroTable, *, is_guard: bool
) -> _Frame:
    if is_guard:
        return _Frame(state, Truth.TRUE, state, ("",), is_guard=True)
    truth = definitions.evaluate(directive.text) if state else Truth.FALSE
    return _Frame(state, truth, min(state, truth), (directive.text,))


def _next_branch(frame: _Frame, directive: Directive, definitions: MacroTable) -> _Frame:
    is_open = min(frame.around, frame.taken.negated)
    truth = Truth.TRUE
    if directive.kind == ELIF:
        truth = definitions.evaluate(directive.text) if is_open else Truth.FALSE
    told = (*frame.told[-_MOST_TOLD:], directive.text if directive.kind == ELIF else "")
    return _Frame(frame.around, max(frame.taken, truth), min(is_open, truth), told)


def _state_of(frames: Sequence[_Frame]) -> LineState:
    """The state of lines in these conditions."""
    told = [frame.condition for frame in frames if not frame.is_guard]
    if not told:
        return EVERY
    condition = told[0] if len(told) == 1 else " && ".join(map(_in_brackets, told))
    if len(condition) > _LONGEST:  # the innermost one says most of a line
        condition = f"… && {told[-1]}"[:_LONGEST]
    return LineState(frames[-1].state, condition)


def _in_brackets(condition: str) -> str:
    return f"({condition})" if "||" in condition or "?" in condition else condition


def _define(
    directive: Directive, state: Truth, frames: Sequence[_Frame], definitions: MacroTable
) -> None:
    if directive.kind == INCLUDE:
        definitions.include(directive.text, state)
    elif directive.kind == UNDEFINE:
        definitions.undefine(directive.text.strip(), state)
    else:
        is_fallback = bool(frames) and frames[-1].around == Truth.TRUE
        is_fallback = is_fallback and len(frames[-1].told) == 1
        name = directive.text.split("(", maxsplit=1)[0].split()[:1]
        is_fallback = is_fallback and [fallback_of(frames[-1].told[0])] == name
        definitions.define(directive.text, state, is_fallback=is_fallback)

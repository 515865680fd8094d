"""Lines that differ between two texts, as git says it: compiled, or by this model of it.

`repo_mcp/native/line_diff.c` says how; both give the same hunks.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.native import NATIVE, Buffer

_COMMON_BLOCK: Final = 1024
_MOST_FREQUENT: Final = 1024
_FREQUENT_WINDOW: Final = 100
_LEAST_COST: Final = 256
_LONG_RUN: Final = 20
_RUN_FACTOR: Final = 4
_MOST_SLIDING: Final = 100
_MOST_INDENT: Final = 200
_MOST_BLANK_LINES: Final = 20
_BLANKS: Final = b" \t\n\v\f\r"
_FAR: Final = 1 << 62
_UNIQUE, _COUNTS, _FREQUENT = range(3)
_HUNK: Final = struct.Struct("=8I")


class Hunk(NamedTuple):
    """Lines of both texts, from 0 on to before the ends, and where their bytes are."""

    old: int
    old_end: int
    new: int
    new_end: int
    old_at: int
    old_stop: int
    new_at: int
    new_stop: int


def diff_lines(
    old: Buffer, new: Buffer, *, any_blanks: bool = False, whole: bool = False
) -> list[Hunk]:
    """The hunks that make the new text of the old one.

    With `any_blanks`, lines are equal that differ in blanks alone. With `whole`, hunks are those
    that git shows with lines around them; without, those of blame.
    """
    made = diff_rows(old, new, any_blanks, whole)
    return [Hunk(*row) for row in _HUNK.iter_unpack(made)]


def diff_plainly(
    old: Buffer,
    new: Buffer,
    any_blanks: bool,  # noqa: FBT001 as the compiled function
    whole: bool,  # noqa: FBT001 as above
) -> bytes:
    """Eight numbers of 32 bits for each hunk, in the order of `Hunk`."""
    one, other = bytes(old), bytes(new)
    if not whole:
        one, other = _cut_common_end(one, other)
    before, behind = _Side(one), _Side(other)
    _number_kinds(before, behind, any_blanks=any_blanks)
    first, ends = _common_ends(before.kinds, behind.kinds)
    before.choose(Counter(behind.kinds), first, ends[0])
    behind.choose(Counter(before.kinds), first, ends[1])
    _mark_differences(before, behind)
    _slide_groups(before, behind)
    _slide_groups(behind, before)
    return _hunks(before, behind)


# the hunks as rows of numbers
diff_rows: Final = diff_plainly if NATIVE is None else NATIVE.diff_lines


class _Side:
    """One of the texts: its lines, their kinds, and which have changed."""

    def __init__(self, text: bytes) -> None:
        self.lines = text.split(b"\n")
        self.lines[:-1] = [line + b"\n" for line in self.lines[:-1]]
        if not self.lines[-1]:
            self.lines.pop()
        self.starts = [0, *accumulate(map(len, self.lines))]
        self.count = len(self.lines)
        self.kinds: list[int] = []
        # a mark more at the end, which is also the one before the first line
        self.changed = [False] * (self.count + 1)
        self.places: list[int] = []
        self.compared: list[int] = []

    def choose(self, times: Counter[int], first: int, end: int) -> None:
        """Choose the lines that are compared, by how often the other text has them."""
        most = min(_root(self.count), _MOST_FREQUENT)
        classes = [_UNIQUE] * self.count
        for line in range(first, end):
            found = times[self.kinds[line]]
            classes[line] = _UNIQUE if not found else _FREQUENT if found >= most else _COUNTS
        for line in range(first, end):
            if classes[line] == _COUNTS or (
                classes[line] == _FREQUENT and not _is_noise(classes, line, first, end - 1)
            ):
                self.places.append(line)
                self.compared.append(self.kinds[line])
            else:
                self.changed[line] = True

    def indent(self, line: int) -> int:
        """Columns before the text of a line; -1 for a blank one."""
        columns = 0
        for byte in self.lines[line]:
            if byte not in _BLANKS:
                return columns
            if byte == ord(" "):
                columns += 1
            elif byte == ord("\t"):
                columns += 8 - columns % 8
            if columns >= _MOST_INDENT:
                return _MOST_INDENT
        return -1


def _number_kinds(before: _Side, behind: _Side, *, any_blanks: bool) -> None:
    known: dict[bytes, int] = {}
    for side in (before, behind):
        for line in side.lines:
            key = line.translate(None, _BLANKS) if any_blanks else line
            side.kinds.append(known.setdefault(key, len(known)))


def _common_ends(one: Sequence[int], other: Sequence[int]) -> tuple[int, tuple[int, int]]:
    """The first lines that differ, and those behind the last ones."""
    first, least = 0, min(len(one), len(other))
    while first < least and one[first] == other[first]:
        first += 1
    back = 0
    while back < least - first and one[-1 - back] == other[-1 - back]:
        back += 1
    return first, (len(one) - back, len(other) - back)


def _cut_common_end(one: bytes, other: bytes) -> tuple[bytes, bytes]:
    least, cut = min(len(one), len(other)), 0
    while (
        cut + _COMMON_BLOCK <= least
        and one[len(one) - cut - _COMMON_BLOCK : len(one) - cut]
        == other[len(other) - cut - _COMMON_BLOCK : len(other) - cut]
    ):
        cut += _COMMON_BLOCK
    feed = one.find(b"\n", len(one) - cut)
    cut = 0 if feed < 0 else len(one) - feed - 1
    return one[: len(one) - cut], other[: len(other) - cut]


def _root(number: int) -> int:
    """About the square root."""
    root = 1
    while number > 0:
        root, number = root << 1, number >> 2
    return root


def _is_noise(classes: Sequence[int], at: int, first: int, last: int) -> bool:
    """True if lines around a frequent one are mostly without a counterpart."""
    first, last = max(first, at - _FREQUENT_WINDOW), min(last, at + _FREQUENT_WINDOW)
    absent, frequent = [0, 0], 2
    for number, lines in enumerate((range(at - 1, first - 1, -1), range(at + 1, last + 1))):
        for line in lines:
            if classes[line] == _COUNTS:
                break
            if classes[line] == _UNIQUE:
                absent[number] += 1
            else:
                frequent += 1
        if not absent[number]:
            return False
    return frequent * _RUN_FACTOR < frequent + sum(absent)


# low and high line of both sides, and whether there is no bound on the cost
_Box = tuple[int, int, int, int, bool]
# lines of both sides, and whether the boxes before and behind have no bound on the cost
_Split = tuple[int, int, bool, bool]


def _mark_differences(before: _Side, behind: _Side) -> None:
    """Mark what differs between the compared lines of both sides."""
    one, other = before.compared, behind.compared
    most_cost = max(_root(len(one) + len(other) + 3), _LEAST_COST)
    boxes: list[_Box] = [(0, len(one), 0, len(other), False)]
    while boxes:
        low, high, other_low, other_high, exact = boxes.pop()
        while low < high and other_low < other_high and one[low] == other[other_low]:
            low, other_low = low + 1, other_low + 1
        while low < high and other_low < other_high and one[high - 1] == other[other_high - 1]:
            high, other_high = high - 1, other_high - 1
        if low < high and other_low < other_high:
            box = low, high, other_low, other_high, exact
            x, y, exact_before, exact_behind = _Splitter(one, other, box).split(most_cost)
            boxes.append((x, high, y, other_high, exact_behind))
            boxes.append((low, x, other_low, y, exact_before))
            continue
        for place in before.places[low:high]:
            before.changed[place] = True
        for place in behind.places[other_low:other_high]:
            behind.changed[place] = True


class _Splitter:
    """Splits a box where a short script goes through, searching from both ends."""

    def __init__(self, one: Sequence[int], other: Sequence[int], box: _Box) -> None:
        self.one, self.other = one, other
        self.low, self.high, self.other_low, self.other_high, self.exact = box
        self.ahead: dict[int, int] = {}
        self.back: dict[int, int] = {}

    def split(self, most_cost: int) -> _Split:
        """Where the box is split."""
        begin, end = self.low - self.other_low, self.high - self.other_high
        is_odd = bool((begin - end) & 1)
        ahead, back = [begin, begin], [end, end]
        self.ahead[begin], self.back[end] = self.low, self.high
        cost = 0
        while True:
            cost += 1
            met, has_run = self._go_ahead(ahead, back if is_odd else None)
            if met is None:
                met, other_run = self._go_back(back, None if is_odd else ahead)
                has_run |= other_run
            if met is not None:
                return (*met, True, True)
            if self.exact:
                continue
            if has_run and cost > _LEAST_COST:
                found = self._run_ahead(ahead, cost, begin) or self._run_back(back, cost, end)
                if found is not None:
                    return found
            if cost >= most_cost:
                return self._farthest(ahead, back)

    def _open(self, reach: dict[int, int], bounds: list[int], unreached: int) -> range:
        """The diagonals of one more step, from the highest."""
        if bounds[0] > self.low - self.other_high:
            bounds[0] -= 1
            reach[bounds[0] - 1] = unreached
        else:
            bounds[0] += 1
        if bounds[1] < self.high - self.other_low:
            bounds[1] += 1
            reach[bounds[1] + 1] = unreached
        else:
            bounds[1] -= 1
        return range(bounds[1], bounds[0] - 1, -2)

    def _go_ahead(
        self, bounds: list[int], meeting: list[int] | None
    ) -> tuple[tuple[int, int] | None, bool]:
        one, other, reach, has_run = self.one, self.other, self.ahead, False
        for d in self._open(reach, bounds, -1):
            x = reach[d - 1] + 1 if reach[d - 1] >= reach[d + 1] else reach[d + 1]
            begin = x
            while x < self.high and x - d < self.other_high and one[x] == other[x - d]:
                x += 1
            has_run |= x - begin > _LONG_RUN
            reach[d] = x
            if meeting is not None and meeting[0] <= d <= meeting[1] and self.back[d] <= x:
                return (x, x - d), has_run
        return None, has_run

    def _go_back(
        self, bounds: list[int], meeting: list[int] | None
    ) -> tuple[tuple[int, int] | None, bool]:
        one, other, reach, has_run = self.one, self.other, self.back, False
        for d in self._open(reach, bounds, _FAR):
            x = reach[d - 1] if reach[d - 1] < reach[d + 1] else reach[d + 1] - 1
            begin = x
            while x > self.low and x - d > self.other_low and one[x - 1] == other[x - d - 1]:
                x -= 1
            has_run |= begin - x > _LONG_RUN
            reach[d] = x
            if meeting is not None and meeting[0] <= d <= meeting[1] and x <= self.ahead[d]:
                return (x, x - d), has_run
        return None, has_run

    def _run_ahead(self, bounds: list[int], cost: int, middle: int) -> _Split | None:
        """A long run of equal lines that the search from the beginning has come through."""
        best, found = 0, None
        for d in range(bounds[1], bounds[0] - 1, -2):
            x, y = self.ahead[d], self.ahead[d] - d
            gain = x - self.low + y - self.other_low - abs(d - middle)
            if (
                gain > max(_RUN_FACTOR * cost, best)
                and self.low + _LONG_RUN <= x < self.high
                and self.other_low + _LONG_RUN <= y < self.other_high
                and self.one[x - _LONG_RUN : x] == self.other[y - _LONG_RUN : y]
            ):
                best, found = gain, (x, y, True, False)
        return found

    def _run_back(self, bounds: list[int], cost: int, middle: int) -> _Split | None:
        """The same of the search from the end."""
        best, found = 0, None
        for d in range(bounds[1], bounds[0] - 1, -2):
            x, y = self.back[d], self.back[d] - d
            gain = self.high - x + self.other_high - y - abs(d - middle)
            if (
                gain > max(_RUN_FACTOR * cost, best)
                and self.low < x <= self.high - _LONG_RUN
                and self.other_low < y <= self.other_high - _LONG_RUN
                and self.one[x : x + _LONG_RUN] == self.other[y : y + _LONG_RUN]
            ):
                best, found = gain, (x, y, False, True)
        return found

    def _farthest(self, ahead: list[int], back: list[int]) -> _Split:
        """The place that is farthest from its end."""
        far = far_x = -1
        for d in range(ahead[1], ahead[0] - 1, -2):
            x = min(self.ahead[d], self.high, self.other_high + d)
            if far < 2 * x - d:
                far, far_x = 2 * x - d, x
        near = near_x = _FAR
        for d in range(back[1], back[0] - 1, -2):
            x = max(self.back[d], self.low, self.other_low + d)
            if 2 * x - d < near:
                near, near_x = 2 * x - d, x
        if self.high + self.other_high - near < far - (self.low + self.other_low):
            return far_x, far - far_x, True, False
        return near_x, near - near_x, False, True


class _Group:
    """A group of changed lines of a side, which may be none, and how it moves."""

    def __init__(self, side: _Side) -> None:
        self.side, self.begin, self.end = side, 0, 0
        while side.changed[self.end]:
            self.end += 1

    def next(self) -> bool:
        """Go on to the next one, if there is one."""
        if self.end == self.side.count:
            return False
        self.end += 1
        self.begin = self.end
        while self.side.changed[self.end]:
            self.end += 1
        return True

    def previous(self) -> None:
        """Go back to the one before."""
        if not self.begin:
            return
        self.begin -= 1
        self.end = self.begin
        while self.side.changed[self.begin - 1]:
            self.begin -= 1

    def slide_down(self) -> bool:
        """Move by a line to the end, if the text stays the same."""
        side = self.side
        if self.end >= side.count or side.kinds[self.begin] != side.kinds[self.end]:
            return False
        side.changed[self.begin], side.changed[self.end] = False, True
        self.begin, self.end = self.begin + 1, self.end + 1
        while side.changed[self.end]:
            self.end += 1
        return True

    def slide_up(self) -> bool:
        """Move by a line to the beginning, if the text stays the same."""
        side = self.side
        if not self.begin or side.kinds[self.begin - 1] != side.kinds[self.end - 1]:
            return False
        self.begin, self.end = self.begin - 1, self.end - 1
        side.changed[self.begin], side.changed[self.end] = True, False
        while side.changed[self.begin - 1]:
            self.begin -= 1
        return True


def _slide_groups(side: _Side, other: _Side) -> None:
    """Move groups of changed lines to where they read best."""
    group, beside = _Group(side), _Group(other)
    while True:
        if group.begin != group.end:
            _slide(group, beside)
        if not group.next():
            return
        beside.next()


def _slide(group: _Group, beside: _Group) -> None:
    while True:
        size, aligned = group.end - group.begin, -1
        while group.slide_up():
            beside.previous()
        earliest = group.end
        if beside.end > beside.begin:
            aligned = group.end
        while group.slide_down():
            beside.next()
            if beside.end > beside.begin:
                aligned = group.end
        if size == group.end - group.begin:
            break
    if group.end == earliest:
        return
    if aligned != -1:
        while beside.end == beside.begin and group.slide_up():
            beside.previous()
        return
    best = _best_end(group, size, earliest)
    while group.end > best and group.slide_up():
        beside.previous()


def _best_end(group: _Group, size: int, first: int) -> int:
    """The end of a group of so many lines that reads best, from `first` to where it ends now."""
    best, lowest = -1, (0, 0)
    for end in range(max(first, group.end - size - 1, group.end - _MOST_SLIDING), group.end + 1):
        indent, penalty = map(
            sum, zip(*(_cut(group.side, at) for at in (end, end - size)), strict=True)
        )
        order = (indent > lowest[0]) - (indent < lowest[0])
        if best == -1 or 60 * order + penalty - lowest[1] <= 0:
            best, lowest = end, (indent, penalty)
    return best


def _cut(side: _Side, line: int) -> tuple[int, int]:
    """An indent and a penalty: less where a text may be cut before this line."""
    is_end = line >= side.count
    own = -1 if is_end else side.indent(line)
    before, blank_before = _text_from(side, range(line - 1, -1, -1))
    behind, blank_behind = _text_from(side, range(line + 1, side.count))
    blank_behind = blank_behind + 1 if own == -1 else 0
    own = behind if own == -1 else own
    blank = blank_before + blank_behind
    penalty = 6 * blank_behind - 30 * blank + 21 * is_end + (before == -1 and not blank_before)
    if own in {-1, before} or before == -1:
        return own, penalty
    if own > before:
        return own, penalty + (10 if blank else -4)
    if behind not in {-1, own} and behind > own:
        return own, penalty + (17 if blank else 24)
    return own, penalty + (17 if blank else 23)


def _text_from(side: _Side, lines: range) -> tuple[int, int]:
    """The indent of the first line with text, -1 without, and how many blank ones are before it."""
    blank = 0
    for line in lines:
        indent = side.indent(line)
        if indent != -1:
            return indent, blank
        blank += 1
        if blank == _MOST_BLANK_LINES:
            return 0, blank
    return -1, blank


def _hunks(before: _Side, behind: _Side) -> bytes:
    made = bytearray()
    old = new = 0
    while old < before.count or new < behind.count:
        if not before.changed[old] and not behind.changed[new]:
            old, new = old + 1, new + 1
            continue
        begin = old, new
        while before.changed[old]:
            old += 1
        while behind.changed[new]:
            new += 1
        made += _HUNK.pack(
            begin[0],
            old,
            begin[1],
            new,
            before.starts[begin[0]],
            before.starts[old],
            behind.starts[begin[1]],
            behind.starts[new],
        )
    return bytes(made)

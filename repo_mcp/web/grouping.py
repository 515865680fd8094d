"""The boxes that a picture has room for: tests are one, symbols of one class or file another.

What is left over is one box, too, which says how many it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from code_graph.paths.path_kinds import is_test
from index_format.tuples import NamedTuple
from repo_mcp.text.plurals import counted

# boxes of a picture in all: more are no picture any more
MOST_BOXES: Final = 12
_MOST_NAMED: Final = 20
# levels of folders that are told apart
_DEEPEST: Final = 8
_SEVERAL: Final = 2


class Neighbour(NamedTuple):
    """A symbol or file on one side of a picture; `holder` is the class, file or library of it."""

    key: str
    name: str
    path: str
    holder: str


class BoxGroup(NamedTuple):
    """One box: a single neighbour, or several under a label."""

    members: Sequence[Neighbour]
    label: str = ""

    @property
    def title(self) -> str:
        """The names of its members, as many as a tooltip holds."""
        names = ", ".join(item.name for item in self.members[:_MOST_NAMED])
        more = len(self.members) - _MOST_NAMED
        return f"{names} and {more} more" if more > 0 else names


def share_room(left: int, right: int) -> tuple[int, int]:
    """The numbers of boxes on each side of the one in the middle, for so many that each has."""
    room = MOST_BOXES - 1
    half = room // 2
    first = min(left, max(half, room - right))
    return first, min(right, room - first)


def gather(neighbours: Sequence[Neighbour], room: int, *, in_tests: bool) -> list[BoxGroup]:
    """The boxes of one side, no more than there is room for.

    Tests are told apart where the picture is not about one.
    """
    single = without_tests(neighbours, in_tests=in_tests)
    found = single
    by_folder = (partial(_folder, depth=depth) for depth in range(_DEEPEST, 0, -1))
    kinds: list[Callable[[Neighbour], str]] = [_holder, *by_folder]
    for common in kinds:
        if len(found) <= room:
            return found
        found = _merged(single, common)
    found = sorted(found, key=lambda group: -len(group.members))
    shown, rest = found[: room - 1], found[room - 1 :]
    left = [item for group in rest for item in group.members]
    return [*shown, BoxGroup(left, f"+ {len(left)} more")] if len(rest) > 1 else found


def without_tests(neighbours: Sequence[Neighbour], *, in_tests: bool) -> list[BoxGroup]:
    """A box for each neighbour, and one for all tests, which comes last."""
    tests = [] if in_tests else [item for item in neighbours if item.path and is_test(item.path)]
    if len(tests) < _SEVERAL:
        return [BoxGroup([item]) for item in neighbours]
    keys = {item.key for item in tests}
    others = [BoxGroup([item]) for item in neighbours if item.key not in keys]
    return [*others, BoxGroup(tests, counted(len(tests), "test"))]


def _holder(item: Neighbour) -> str:
    return item.holder


def _folder(item: Neighbour, depth: int) -> str:
    """The folder of a file, no deeper than so many levels; the library of what is outside."""
    names = item.path.split("/")[:-1]
    return "/".join(names[:depth]) or item.holder


def _merged(groups: Sequence[BoxGroup], common: Callable[[Neighbour], str]) -> list[BoxGroup]:
    """Single neighbours that have something in common as one box, at the place of the first."""
    members: dict[str, list[Neighbour]] = {}
    for group in groups:
        first = group.members[0]
        # no name of a symbol is a box of several, nor has a NUL
        name = common(first) if not group.label else f"\0{group.label}"
        members.setdefault(name or f"\0{first.key}", []).extend(group.members)
    labels = {f"\0{group.label}": group.label for group in groups}
    return [
        BoxGroup(items, labels.get(name) or f"{name} ({len(items)})")
        if len(items) > 1
        else BoxGroup(items)
        for name, items in members.items()
    ]

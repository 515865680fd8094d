"""Objects that a repository names and does not give: what they are, and how to get them.

A partial clone has not fetched all objects, and one of a whole clone may be lost or damaged.
Answers go on without them, and name them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Final

from index_format.tuples import NamedTuple

_SHOWN: Final = 3
_DIGITS: Final = 12
# a name with one of these could be taken for another line of an answer
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_MOST_PATH: Final = 200
_PARTIAL: Final = "this clone is partial: `git show REV` fetches what is missing"
_LOST: Final = "`git fsck` tells what is damaged, and `git fetch --refetch` gets it anew"

MISSING: Final = "not there"
DAMAGED: Final = "damaged"
LARGE: Final = "too large"
CROWDED: Final = "behind so many files that differ that it is not compared"
MANY_FILES: Final = "of more files than are compared: it may have changed others, too"
UNNAMED: Final = "read in part: it has names that no file can have"
PACKED: Final = "packed to so little that it is not unpacked"
MANY_LINES: Final = "of more lines than are compared: others of its files may have it, too"
# it is there as it was written, and no other copy would be read
_AS_WRITTEN: Final = frozenset({LARGE, CROWDED, MANY_FILES, MANY_LINES, PACKED, UNNAMED})


def shown_path(path: str) -> str:
    """A path as git shows it: in quotes if it has line ends or other control characters."""
    return json.dumps(path) if _CONTROL.search(path) else path


class ObjectGap(NamedTuple):
    """An object that can't be read: of which path, its type and hash, and why."""

    path: str
    kind: str
    identity: bytes
    reason: str = MISSING
    # true if the clone is one that has only a part of the objects
    is_partial: bool = False

    @property
    def text(self) -> str:
        """The object with the path that has it."""
        named = f"{self.kind} {self.identity.hex()[:_DIGITS]} is {self.reason}"
        begin, cut = self.path[:_MOST_PATH], self.path[_MOST_PATH:]
        return f"{shown_path(begin)}{'…' if cut else ''} ({named})" if begin else named


# takes what is passed over
Skipped = Callable[[ObjectGap], None]


class UnreadObjectError(ValueError):
    """An object that can't be read."""

    def __init__(self, gap: ObjectGap) -> None:
        """Keep the object."""
        super().__init__(gap.text)
        self.gap = gap

    def at(self, path: str) -> UnreadObjectError:
        """The same with the path that has the object."""
        return UnreadObjectError(self.gap._replace(path=path))


def gaps_text(gaps: Iterable[ObjectGap]) -> str:
    """One line that names objects that are missing, and what helps; empty without any."""
    found = [*dict.fromkeys(gaps)]
    if not found:
        return ""
    more = len(found) - _SHOWN
    named = [gap.text for gap in found[:_SHOWN]] + ([f"{more} more"] if more > 0 else [])
    lost = [gap for gap in found if gap.reason not in _AS_WRITTEN]
    helps = _PARTIAL if any(gap.is_partial and gap.reason == MISSING for gap in lost) else _LOST
    return f"not read of .git: {', '.join(named)}" + (f"; {helps}" if lost else "")

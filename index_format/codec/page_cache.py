"""Verified pages of all opened files, as many as one budget allows.

The budget is the process's and not a file's: ten indexes that are served together keep no more
pages than one index of the same size.
"""

from __future__ import annotations

import itertools
from typing import Final

# pages of one generation: two of them are kept
_MOST: Final = 512
# the number of a page within its file takes the lower bits of its key
_PAGE_BITS: Final = 40
_files = itertools.count()


class PageCache:
    """Two generations of pages: those that nobody asked for while many others came are let go."""

    def __init__(self, most: int = _MOST) -> None:
        """Keep up to twice as many pages as `most`."""
        self._most = most
        # `young` is read directly where a call would cost more than what it finds
        self.young: dict[int, bytes] = {}
        self._old: dict[int, bytes] = {}

    def find(self, key: int) -> bytes | None:
        """A page that is kept, from now on among the young ones."""
        data = self.young.get(key) or self._old.get(key)
        if data is not None:
            self.keep(key, data)
        return data

    def keep(self, key: int, data: bytes) -> None:
        """Keep a verified page."""
        if len(self.young) >= self._most:
            self.young, self._old = {}, self.young
        self.young[key] = data

    def __len__(self) -> int:
        """Count of pages that are kept."""
        return len(self.young.keys() | self._old.keys())


PAGES: Final = PageCache()


def new_keys() -> int:
    """The key of the first page of a file that is opened now; no other file gets its keys."""
    return next(_files) << _PAGE_BITS

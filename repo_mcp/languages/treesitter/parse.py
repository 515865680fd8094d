"""Parses within a budget that depends on the text alone, so that every machine stops alike.

Some texts make a grammar follow thousands of readings at once: kilobytes then cost seconds and
gigabytes. Three things stop that, the first two alike everywhere:

* a text with hundreds of unclosed `<` in one statement is not parsed at all;
* the parser reports once per hundred of its steps, and reports are counted. Of 16,000 real files
  in eight languages none needed more than 22 reports per thousand characters;
* as a last resort, the time it took and the memory this process gained.
"""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Language, Point, Tree

_REPORTS_AT_LEAST: Final = 4_000
_REPORTS_PER_THOUSAND: Final = 60
# what is made of a tree costs memory for each of its nodes; real files have up to 700 per thousand
# characters, the large ones 400
_MOST_NODES: Final = 2_000_000
# far beyond what real files of a size need: a tenth of a second per million characters, and memory
# of 25 times their size. It is time of this thread alone, and more than any text took that the
# count lets through, so that a busy machine does not decide
_SECONDS: Final = 5.0
_SECONDS_PER_MILLION: Final = 10.0
_MOST_MEMORY: Final = 300 << 20
# asking for the memory is slow: no more often than this
_SECONDS_PER_LOOK: Final = 0.02

_MOST_OPEN: Final = 400
_STATEMENT: Final = re.compile(r"[;{}]")
# an angle bracket that is none
_OTHER_ANGLES: Final = re.compile(r"<<+|<=|->|=>|>=")


def parse(language: Language, text: str, data: bytes) -> Tree | None:
    """The tree of a text, None if it would take more than any honest text of its size does."""
    from tree_sitter import Parser  # noqa: PLC0415 loaded when the first file is parsed

    if _is_knot(text):
        return None
    view = memoryview(data)

    def read(offset: int, _point: Point) -> memoryview:
        return view[offset:]

    try:
        tree = Parser(language).parse(read, progress_callback=_fuse(len(data)))
    except ValueError:  # how the parser says that it was stopped
        return None
    return tree if tree.root_node.descendant_count <= _MOST_NODES else None


def _is_knot(text: str) -> bool:
    if text.count("<") < _MOST_OPEN:
        return False
    for statement in _STATEMENT.split(text):
        if statement.count("<") - statement.count(">") >= _MOST_OPEN:
            plain = _OTHER_ANGLES.sub("", statement)
            if plain.count("<") - plain.count(">") >= _MOST_OPEN:
                return True
    return False


def _fuse(size: int) -> Callable[[int, bool], bool]:
    """What the parser asks whether to stop."""
    left = max(_REPORTS_AT_LEAST, _REPORTS_PER_THOUSAND * size // 1000)
    now = time.thread_time()
    until = now + _SECONDS + _SECONDS_PER_MILLION * size / 1e6
    look = now + _SECONDS_PER_LOOK
    ceiling = _Memory.ceiling(now)

    def is_too_much(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 the parser's call
        nonlocal left, look
        left -= 1
        now = time.thread_time()
        if now < look:
            return left <= 0
        look = now + _SECONDS_PER_LOOK
        if left <= 0 or now > until:
            return True
        peak = _Memory.peak(now)
        if peak <= ceiling:
            return False
        _Memory.waste(peak - ceiling)
        return True

    return is_too_much


class _Memory:
    """How far this process may grow. The system tells its peak only, which never falls again."""

    _peak = 0
    _looked_at = -1.0
    # what stopped parses added to the peak: free again, and not to be granted twice
    _wasted = 0

    @classmethod
    def peak(cls, now: float) -> int:
        """The most memory this process ever held, in bytes; 0 where the system doesn't tell."""
        if now - cls._looked_at >= _SECONDS_PER_LOOK:
            cls._looked_at = now
            cls._peak = _peak()
        return cls._peak

    @classmethod
    def ceiling(cls, now: float) -> int:
        """The peak that one parse may reach."""
        peak = cls.peak(now)
        return max(peak, peak - cls._wasted + _MOST_MEMORY)

    @classmethod
    def waste(cls, more: int) -> None:
        """Remember that a parse was stopped so far above its ceiling."""
        cls._wasted = max(_MOST_MEMORY, cls._wasted) + more


def _peak() -> int:
    try:
        import resource  # noqa: PLC0415 not on every system
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024

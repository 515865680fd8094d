"""Parses within a budget that depends on the text alone, so that every machine stops alike.

Some texts make a parser follow thousands of alternatives at once: kilobytes then cost seconds and
gigabytes. Three limits prevent that, the first two independent of the machine:

* a text with hundreds of unclosed `<` in one statement is not parsed at all;
* the parser reports once per hundred of its steps, and reports are counted. Of 16,000 real files
  in eight languages none needed more than 22 reports per thousand characters;
* as a last resort, the time that it takes and the memory that this process gains.
"""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING, Final

from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Language, Point, Tree

    from code_graph.treesitter.grammar import Grammar
    from code_graph.treesitter.language_rules import Rules
    from code_graph.treesitter.source import Source

# reports allowed for any text, and for each thousand characters of a longer one
_MIN_REPORTS: Final = 4_000
_REPORTS_PER_THOUSAND: Final = 60
# facts need memory for each node of a tree; real files have up to 700 nodes per thousand
# characters, large ones 400
_MAX_NODES: Final = 2_000_000
# far beyond what real files need: a tenth of a second per million characters, and memory of 25
# times their size. Only this thread's time counts, and the limit is above the time of any text
# within the report limit, so that the result does not depend on a busy machine
_SECONDS: Final = 5.0
_SECONDS_PER_MILLION: Final = 10.0
_MAX_MEMORY: Final = 300 << 20
# least time between two measurements of memory, which are slow
_MEASURE_SECONDS: Final = 0.02
# reports between two looks at the clock, each of which asks the system; a power of two. Of real
# files these take a tenth of a millisecond, of the worst texts a few
_REPORTS_PER_LOOK: Final = 16

_NOT_LOOKED: Final = _REPORTS_PER_LOOK - 1

# unclosed `<` of one statement
_MAX_OPEN: Final = 400
_STATEMENT: Final = re.compile(r"[;{}]")
# operators that contain `<` or `>`
_OTHER_ANGLES: Final = re.compile(r"<<+|<=|->|=>|>=")


class ParsedText(NamedTuple):
    """A syntax tree of a text, with its rules, grammar and source."""

    rules: Rules
    grammar: Grammar
    tree: Tree
    source: Source


def parse(language: Language, text: str, data: bytes) -> Tree | None:
    """The tree of a text, or None if parsing exceeds its budget."""
    from tree_sitter import Parser  # noqa: PLC0415 not before the first file

    if _has_open_angles(text):
        return None
    view = memoryview(data)

    def read(offset: int, _point: Point) -> memoryview:
        return view[offset:]

    try:
        tree = Parser(language).parse(read, progress_callback=_stop_check(len(data)))
    except ValueError:  # raised by the parser when it is stopped
        return None
    return tree if tree.root_node.descendant_count <= _MAX_NODES else None


def _has_open_angles(text: str) -> bool:
    """True if a statement has too many unclosed `<`."""
    if text.count("<") < _MAX_OPEN:
        return False
    for statement in _STATEMENT.split(text):
        if statement.count("<") - statement.count(">") >= _MAX_OPEN:
            plain = _OTHER_ANGLES.sub("", statement)
            if plain.count("<") - plain.count(">") >= _MAX_OPEN:
                return True
    return False


def _stop_check(size: int) -> Callable[[int, bool], bool]:
    """The callback with which the parser checks whether to stop."""
    left = max(_MIN_REPORTS, _REPORTS_PER_THOUSAND * size // 1000)
    now = time.thread_time()
    until = now + _SECONDS + _SECONDS_PER_MILLION * size / 1e6
    next_measurement = now + _MEASURE_SECONDS
    ceiling = _Memory.ceiling(now)
    # a thread's time never passes faster, and takes a call of the system to read; this takes none
    next_look = time.perf_counter() + _MEASURE_SECONDS

    def must_stop(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 the parser's call
        nonlocal left, next_look, next_measurement
        left -= 1
        if left & _NOT_LOOKED and left > 0:
            return False
        if time.perf_counter() < next_look:
            return left <= 0
        now = time.thread_time()
        next_look = time.perf_counter() + max(next_measurement - now, 0.0)
        if now < next_measurement:
            return left <= 0
        next_measurement = now + _MEASURE_SECONDS
        next_look += _MEASURE_SECONDS
        if left <= 0 or now > until:
            return True
        peak = _Memory.peak(now)
        if peak <= ceiling:
            return False
        _Memory.add_wasted(peak - ceiling)
        return True

    return must_stop


class _Memory:
    """Limits the growth of this process; only its peak is known, which never falls."""

    _peak = 0
    _measured_at = -1.0
    # memory that stopped parses added to the peak: free again, so it is not granted twice
    _wasted = 0

    @classmethod
    def peak(cls, now: float) -> int:
        """The peak memory of this process in bytes, or 0 if unknown."""
        if now - cls._measured_at >= _MEASURE_SECONDS:
            cls._measured_at = now
            cls._peak = _peak()
        return cls._peak

    @classmethod
    def ceiling(cls, now: float) -> int:
        """The peak that the next parse may reach."""
        peak = cls.peak(now)
        return max(peak, peak - cls._wasted + _MAX_MEMORY)

    @classmethod
    def add_wasted(cls, more: int) -> None:
        """Add the memory by which a stopped parse exceeded its ceiling."""
        cls._wasted = max(_MAX_MEMORY, cls._wasted) + more


def _peak() -> int:
    try:
        import resource  # noqa: PLC0415 not on every system
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024

"""Prepares, while no search runs, what makes later searches of a tree quick.

A thread of its own takes up the dictionaries of the segments, and of a tree that is searched a lot
the texts, if all of them can be kept: of a larger one, those that searches ask for are worth more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, NamedTuple
from weakref import WeakSet

from index_format.generation.snapshot import LiveSegment
from index_format.segment.reader import SegmentReader
from repo_mcp.log import log_place

_NAME: Final = "reads-ahead"
Step = Callable[[], None]


class Prepare(NamedTuple):
    """What is prepared: the words of a segment, and the text of a file by its path and number."""

    words: Callable[[SegmentReader], None]
    text: Callable[[str, SegmentReader, int], None]


class _RemainingSegments(NamedTuple):
    """Segments of which words and texts are not prepared yet."""

    words: list[LiveSegment]
    texts: list[LiveSegment]


class ReadAhead:
    """What is left to prepare of one tree; for any number of threads."""

    def __init__(self, prepare: Prepare, most: int) -> None:
        """Prepare nothing yet; `most` is how many bytes of text are kept."""
        self._prepare = prepare
        self._most = most
        self._words: WeakSet[SegmentReader] = WeakSet()
        self._texts: WeakSet[SegmentReader] = WeakSet()
        self._changed = threading.Condition()
        self._searches = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def searching(self) -> Iterator[None]:
        """While a search runs, nothing is prepared."""
        with self._changed:
            self._searches += 1
        try:
            yield
        finally:
            with self._changed:
                self._searches -= 1
                self._changed.notify_all()

    def begin(
        self, segments: Iterable[LiveSegment], allowed: Callable[[str], bool], *, texts: bool
    ) -> None:
        """Prepare what was not prepared yet of all segments of a tree; returns at once.

        Of files that `allowed` is false for no text is read, and of none without `texts`.
        """
        with self._changed:
            if self._closed or self._thread is not None:
                return
            every = list(segments)
            # what is new is asked of once, whatever comes of it
            left = _RemainingSegments(
                _new(every, self._words), _new(every, self._texts) if texts else []
            )
            if not left.words and not left.texts:
                return
            steps = self._steps(every, left, allowed)
            self._thread = threading.Thread(
                target=self._work, args=(steps,), name=_NAME, daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """Stop soon."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def join(self) -> None:
        """Wait until nothing is being prepared."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _steps(
        self, every: list[LiveSegment], left: _RemainingSegments, allowed: Callable[[str], bool]
    ) -> Iterator[Step]:
        for segment in left.words:
            yield partial(self._prepare.words, segment.reader)
        if left.texts and sum(map(_size, every)) > self._most:
            return
        for segment in left.texts:
            for number, name in enumerate(segment.reader.files.paths):
                path = name.decode("utf-8", "surrogatepass")
                if number not in segment.dead_files and allowed(path):
                    yield partial(self._prepare.text, path, segment.reader, number)

    def _work(self, steps: Iterator[Step]) -> None:
        try:
            for step in steps:
                if not self._may_go_on():
                    return
                step()
        except Exception as error:  # noqa: BLE001 what is wrong with the index, a search tells
            log_place(error)
        finally:
            with self._changed:
                self._thread = None

    def _may_go_on(self) -> bool:
        with self._changed:
            while self._searches and not self._closed:
                self._changed.wait()
            return not self._closed


def _new(every: Iterable[LiveSegment], known: WeakSet[SegmentReader]) -> list[LiveSegment]:
    """Those that are not known yet; from now on they are."""
    found = [item for item in every if item.reader not in known]
    known.update(item.reader for item in found)
    return found


def _size(segment: LiveSegment) -> int:
    return int(segment.reader.files.sizes().sum())

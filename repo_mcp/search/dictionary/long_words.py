"""Words too long to be indexed: in which files they are, and which of them hold a needle.

They are few, but a needle may lie in any of them. After some searches they are read once from the
files, as long as these are what was indexed, so that later ones need not look into all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format.segment.reader import SegmentReader
from repo_mcp.search.dictionary.needles import Needle
from repo_mcp.search.dictionary.shelf import Check, Shelf, TermPattern, unchecked
from repo_mcp.text.files import decode, fingerprint
from repo_mcp.text.words import MAX_WORD

I64 = npt.NDArray[np.int64]
Read = Callable[[str], bytes | None]

_MOST_BYTES: Final = 8 << 20
_MOST_WORDS: Final = 10_000
_WORD: Final = re.compile(rf"\w{{{MAX_WORD + 1},}}")
_BLANKED: Final = bytes(
    at if at < 0x80 and (chr(at).isalnum() or at == 0x5F) else 0x20 for at in range(256)
)


class LongWords:
    """The long words of one segment, each with the file it is in."""

    def __init__(
        self, reader: SegmentReader, chunks: I64, read: Read, check: Check = unchecked
    ) -> None:
        """Read the files of these chunks; one that is not as it was indexed may hold anything."""
        self._chunks = chunks
        self._owners = np.searchsorted(reader.files.bounds, chunks, side="right") - 1
        self._files = np.unique(self._owners)
        self._unknown = np.zeros(len(self._files), dtype=np.bool_)
        words: list[bytes] = []
        counts: list[int] = []
        room = _MOST_BYTES
        for at, number in enumerate(self._files.tolist()):
            check()
            found = _words(reader, number, read) if room > 0 else None
            self._unknown[at] = found is None
            words += found or []
            counts.append(len(found or []))
            room -= sum(map(len, found or []))
        self._shelf = Shelf(words)
        self._edges = np.array([*accumulate(counts)], dtype=np.int64)

    def chunks(self, needle: Needle, check: Check = unchecked) -> I64:
        """The chunks whose long words may hold it."""
        held = self._unknown.copy()
        numbers = None
        if needle.text:
            # edges of parts are not those of words
            any_case = needle.folded or not needle.text.isascii()
            pattern = TermPattern(needle, edges=needle.whole, any_case=any_case)
            numbers = self._shelf.holding(pattern, _MOST_WORDS, check)
        if numbers is None:
            return self._chunks
        held[np.searchsorted(self._edges, np.array(numbers, dtype=np.int64), side="right")] = True
        return self._chunks[np.isin(self._owners, self._files[held])]


def _words(reader: SegmentReader, number: int, read: Read) -> list[bytes] | None:
    """The distinct long words of a file in small letters; None when it is not as indexed."""
    record = reader.files.record(number)
    data = read(record.path)
    if data is None or fingerprint(data) != record.fingerprint:
        return None
    if data.isascii():
        words = data.translate(_BLANKED).split()
        return [*dict.fromkeys(word.lower() for word in words if len(word) > MAX_WORD)]
    text = decode(data)
    if text is None:
        return None
    long = dict.fromkeys(word.lower() for word in _WORD.findall(text.content))
    return [word.encode("utf-8", "surrogatepass") for word in long]

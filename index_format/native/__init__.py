"""Compiled code that decodes what a search reads most; None where nothing was compiled."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    U8 = npt.NDArray[np.uint8]
    I64 = npt.NDArray[np.int64]

Entry = tuple[int, int, int, int, int, int, int]


class Reading(Protocol):
    """What it does; bytes that no encoder wrote are a ValueError."""

    def entry(
        self, info: bytes | memoryview, text: bytes, term: bytes, size: int, /
    ) -> tuple[tuple[int, int, int, int], Entry | None]:
        """Sums over a dictionary page, and what it says of one term."""

    def blocks(self, rows: U8, at: I64, meta: object, before: I64, /) -> tuple[bytes, bytes]:
        """Chunks and frequencies of full blocks, as bytes of uint32."""

    def tail(self, data: bytes | memoryview, count: int, last: int, /) -> tuple[bytes, bytes]:
        """Chunks and frequencies of so many postings behind the chunk `last`, likewise."""


def _loaded() -> Reading | None:
    """What was compiled; one that was left over from another version of its source is not used."""
    try:
        found = import_module("index_format.native._reading")
    except ImportError:
        return None
    return cast("Reading", found) if found.VERSION == 1 else None  # the same as in `_reading.c`


READING: Final = _loaded()

"""Approximate matching of names in files: the model of names.c."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_BEYOND: Final = 0xC0
# letter case is nothing, and all characters beyond ASCII count as one
_KINDS: Final = bytes(min(byte, _BEYOND) for byte in range(256)).lower()
_FOLLOWING: Final = bytes(range(0x80, _BEYOND))


def find_names(
    text: bytes,
    bounds: npt.NDArray[np.int64],
    wanted: bytes,
    limit: int,
    whole: bool,  # noqa: FBT001 as the compiled function has it
) -> bytes:
    """The files whose names may be within `limit` edits of the wanted one.

    A path ends where the next one begins, and a name that is not whole at its first dot that does
    not begin it. An edit inserts, removes or replaces a character, so that names differ in at most
    two characters for each. Gives number, begin and end of each (int64).
    """
    letters = Counter(wanted.translate(_KINDS, _FOLLOWING))
    least = letters.total() - 2 * limit
    found: list[int] = []
    for file, (path, path_end) in enumerate(pairwise(bounds.tolist())):
        begin = max(text.rfind(b"/", path, path_end) + 1, path)
        dot = -1 if whole else text.find(b".", begin + 1, path_end)
        end = path_end if dot < 0 else dot
        if end - begin >= least:
            named = Counter(text[begin:end].translate(_KINDS, _FOLLOWING))
            if (named - letters).total() + (letters - named).total() <= 2 * limit:
                found += (file, begin, end)
    return np.array(found, dtype=np.int64).tobytes()

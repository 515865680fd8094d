"""Where canonical segments end: a function of paths, sizes and counts of tokens of the live files.

Two rules apply, one within the other. An index with much text is divided into *shares* of it, large
ones first, so that merging one by one takes little room besides what is merged already. Within a
share a segment ends where a path's hash says so once it has many files or tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import xxhash

from index_format import layout
from index_format.model import DEFAULT_LIMITS, Limits

_THOUSAND: Final = 1000


def find_cuts(
    paths: Sequence[bytes],
    limits: Limits = DEFAULT_LIMITS,
    tokens: Sequence[int] = (),
    sizes: Sequence[int] = (),
) -> list[int]:
    """Ends of canonical segments, given all paths in order; the last is `len(paths)`."""
    shares = find_shares(paths, sizes, limits)
    spans = pairwise([0, *shares, len(paths)])
    return [end for begin, stop in spans for end in cut_share(paths, begin, stop, limits, tokens)]


def find_shares(
    paths: Sequence[bytes], sizes: Sequence[int], limits: Limits = DEFAULT_LIMITS
) -> list[int]:
    """Ends of all shares but the last: of the files around each, the one with the least hash.

    So an edit moves an end only if it brings that file out of the stretch, or a lesser one in.
    """
    ends: list[int] = []
    before = np.cumsum(np.asarray(sizes, dtype=np.int64))
    total = int(before[-1]) if len(before) else 0
    if total < limits.min_shared:
        return ends
    for share in layout.SEGMENT_SHARES:
        low = total * (share - layout.SEGMENT_SHARE_SLACK) // _THOUSAND
        high = total * (share + layout.SEGMENT_SHARE_SLACK) // _THOUSAND
        first = max(int(np.searchsorted(before, low)) + 1, ends[-1] + 1 if ends else 1)
        last = max(int(np.searchsorted(before, high, side="right")), first)
        around = range(first, min(last + 1, len(paths)))
        if around:
            ends.append(min(around, key=lambda at: (xxhash.xxh3_64_intdigest(paths[at]), at)))
    return ends


def cut_share(
    paths: Sequence[bytes], begin: int, stop: int, limits: Limits, tokens: Sequence[int]
) -> list[int]:
    """Ends of the canonical segments of the files from `begin` to `stop`; the last is `stop`."""
    boundary, full = (1 << limits.boundary_bits) - 1, (1 << limits.full_bits) - 1
    edges: list[int] = []
    held = 0
    for at in range(begin + 1, stop):
        held += tokens[at - 1] if tokens else 0
        crowded = held >= limits.max_tokens
        mask = full if crowded else boundary
        may_end = crowded or at - begin >= limits.min_files
        hashed = may_end and not xxhash.xxh3_64_intdigest(paths[at]) & mask
        if hashed or at - begin >= limits.max_files:
            edges.append(at)
            begin, held = at, 0
    return [*edges, stop] if stop > begin else edges

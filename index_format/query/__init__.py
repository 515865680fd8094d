"""Questions to a snapshot, answered with arrays: term statistics, postings and scores.

The caller chooses the terms and how they are scored.
"""

from __future__ import annotations

from enum import IntEnum


class Edge(IntEnum):
    """The characters that may adjoin a side of a text within a term."""

    OPEN = 0  # anything
    SOFT = 1  # nothing, or a character beyond ASCII
    CLOSED = 2  # nothing: the term ends there

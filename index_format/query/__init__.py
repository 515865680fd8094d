"""Questions to a snapshot, answered with arrays: term statistics, postings and scores.

The caller chooses the terms and how they are scored. A term has a class on each floor:

- `codec.terms.TermEntry`: its entry in the dictionary of a segment
- `segment.posting_lists.TermPostings`: its postings in a segment
- `generation.snapshot.SegmentPostings`: those with the place of the segment in a snapshot
- `term_view.TermView`: its postings in all segments, as arrays
- `term_scores.FoundTerm`, `TermScores`: with the count of live chunks, and with scores and bounds
- `live_postings.TermBlocks`: live chunks in blocks, as Whoosh's matchers need them
"""

from __future__ import annotations

from enum import IntEnum


class Edge(IntEnum):
    """The characters that may adjoin a side of a text within a term."""

    OPEN = 0  # anything
    SOFT = 1  # nothing, or a character beyond ASCII
    CLOSED = 2  # nothing: the term ends there

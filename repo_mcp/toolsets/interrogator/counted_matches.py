"""Files that match, counted as far as that is little work, and their lines if all are known."""

from __future__ import annotations

from index_format.tuples import NamedTuple
from repo_mcp.search import LIMIT_REACHED, ExactAnswer, FileCount, LineMatch


class CountedMatches(NamedTuple):
    """The files that match, as far as they are counted, and their lines."""

    counts: tuple[FileCount, ...] = ()
    # all lines of these files; None where they are yet to be read
    lines: tuple[LineMatch, ...] | None = ()
    # true if the counts are of all files and lines
    complete: bool = True
    # true if more files may match, and the last one before those that the index has
    ended_early: bool = False
    last: str = ""


def is_limited(found: ExactAnswer) -> bool:
    """True if the search ended at its limit."""
    return any(item.code == LIMIT_REACHED for item in found.warnings)


def of_answer(found: ExactAnswer) -> CountedMatches:
    """The files and lines of a search that has them all, or ran out of time."""
    lines = tuple(found.matches)
    return CountedMatches(found.per_file, lines, found.complete)


def larger(found: ExactAnswer, counted_files: ExactAnswer) -> CountedMatches:
    """The counts of the search that has more files; lines are those of no limit."""
    kept = counted_files if len(counted_files.per_file) >= len(found.per_file) else found
    last = kept.per_file[-1].path if kept.per_file and kept.ended_early else ""
    return CountedMatches(kept.per_file, None, kept.complete, kept.ended_early, last)


def joined(matches: CountedMatches, others: CountedMatches) -> CountedMatches:
    """The files of the index, and those that it has not yet."""
    lines = None
    if matches.lines is not None and others.lines is not None:
        lines = (*matches.lines, *others.lines)
    return matches._replace(
        counts=(*matches.counts, *others.counts),
        lines=lines,
        complete=matches.complete and others.complete,
        ended_early=matches.ended_early or others.ended_early,
    )

"""Matches of an expression that go over line ends, beside the lines that match alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from index_format import Snapshot
from index_format.records import replace
from repo_mcp.budget import Budget
from repo_mcp.model import AnswerWarning
from repo_mcp.search import (
    BLANKS,
    CLASSES,
    ExactAnswer,
    ExactEngine,
    ExactQuery,
    FileCount,
    LineMatch,
    build_matcher,
)
from repo_mcp.text.plurals import verb

# matches over line ends that are looked for, and bytes of files that are read for them
_MOST: Final = 200
_MOST_BYTES: Final = 16 << 20
# lines of a match after the first that are shown
_MOST_BODY: Final = 11


def add_crossing(
    engine: ExactEngine,
    snapshot: Snapshot,
    query: ExactQuery,
    found: ExactAnswer,
    budget: Budget,
    warnings: list[AnswerWarning],
) -> ExactAnswer:
    r"""The lines that match alone, with the matches over line ends that have none of these.

    Where lines match alone, `\s` may be a line end; where none does, a negated class, too.
    """
    crossing = replace(query, line_ends=CLASSES)
    if not query.regex or not _may_cross(query, crossing):
        return found
    alone = bool(found.per_file)
    if alone:
        crossing = replace(query, line_ends=BLANKS)
        if not _may_cross(query, crossing):
            return found
    crossing = crossing if query.limit == 0 else with_bodies(crossing)
    crossing = replace(crossing, limit=_MOST, most_bytes=_MOST_BYTES)
    more = engine.find(snapshot, crossing, budget)
    matches = more.matches
    if alone and matches:
        paths = dict.fromkeys(match.path for match in matches)
        plain = replace(query, context=0, limit=None, columns=False, after_path="")
        lines = engine.find_in(paths, plain, budget).matches
        matches = _apart_from(matches, {(line.path, line.line) for line in lines})
    if not matches:
        return found
    warnings.append(_warning(len(matches), alone=alone, complete=more.complete))
    return _joined(query, found, matches)


def with_bodies(query: ExactQuery) -> ExactQuery:
    """The same query, with the lines of matches that go over several."""
    return replace(query, context=max(query.context, _MOST_BODY))


def _may_cross(query: ExactQuery, crossing: ExactQuery) -> bool:
    """True if an expression that has no line end may match one."""
    return not build_matcher(query).across_lines and build_matcher(crossing).across_lines


def _apart_from(matches: Iterable[LineMatch], alone: set[tuple[str, int]]) -> list[LineMatch]:
    """The matches of which no line matches alone."""
    return [
        match
        for match in matches
        if not any(
            (match.path, line) in alone
            for line in range(match.line, max(tree.end_line for tree in match.trees) + 1)
        )
    ]


def _joined(query: ExactQuery, found: ExactAnswer, more: Sequence[LineMatch]) -> ExactAnswer:
    """An answer with more matches, in order; one that only counts has no lines."""
    counts = Counter({count.path: count.lines for count in found.per_file})
    counts.update(match.path for match in more)
    per_file = tuple(FileCount(path, counts[path]) for path in sorted(counts, key=query.place))
    if query.limit == 0:
        return replace(found, per_file=per_file)
    matches = sorted(
        (*found.matches, *more), key=lambda match: (query.place(match.path), match.line)
    )
    return replace(found, matches=matches, per_file=per_file)


def _warning(count: int, *, alone: bool, complete: bool) -> AnswerWarning:
    least = "" if complete else " or more"
    if alone:
        number = f"{count}{least} of these {verb(count, 'crosses', 'cross')}"
        text = f"{number} a line end, which \\s may be"
    else:
        text = f"no line matches alone; {count}{least} across line ends, which \\s or [^x] may be"
    return AnswerWarning("over_line_ends", text)

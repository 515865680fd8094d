"""State of imported indexes, as records and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from code_graph.scip.occurrences import ScipReport
from index_format.tuples import NamedTuple

_SKIPPED: Final = "are of another text than their file, or not the first for it"


class ScipChanges(NamedTuple):
    """Numbers of imported documents in use, and of those whose files have changed."""

    reports: tuple[ScipReport, ...]
    documents: int
    changed: int


def describe_limits(found: ScipChanges) -> Iterator[str]:
    """A line for everything that keeps indexes from being used as a whole, with what helps."""
    for report in found.reports:
        if report.problem and not report.documents:
            yield f"{report.path} is not used: {report.problem}"
        elif report.problem:
            yield f"{report.path} is damaged, make it again: {report.problem}"
        if report.documents and report.missing == report.documents:
            yield f"{report.path} describes no file of this repository: were its paths made here?"
        elif report.missing:
            yield f"{report.path} describes {report.missing} files that are not indexed here"
        if report.skipped:
            yield f"{report.skipped} documents of {report.path} {_SKIPPED}"
    if found.changed:
        yield (
            f"{found.changed} of {found.documents} files have changed since their SCIP index was"
            " read: their own edges come from here, until the index is made again"
        )

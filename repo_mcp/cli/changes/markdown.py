"""A review as Markdown, for a comment beside the change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from repo_mcp.answers.changes import BreakingEntry, ChangesResult, TestsEntry
from repo_mcp.changes import BREAKS
from repo_mcp.text.plurals import counted

# rows of a list that is not folded
_OPEN: Final = 8
_MOST_NAMES: Final = 6


def review_comment(result: ChangesResult) -> Iterator[str]:
    """The lines of the comment."""
    sure = sum(entry.verdict == BREAKS for entry in result.breaking)
    perhaps = len(result.breaking) - sure
    yield f"**{_code(result.old)} → {_code(result.new)}**: {counted(result.files, 'file')},"
    yield f"{counted(len(result.declarations), 'declaration')} changed,"
    yield f"{counted(sure, 'place')} will break, {counted(perhaps, 'place')} may."
    yield from _listed("May break", [_breaking(entry) for entry in result.breaking])
    yield from _listed(
        "Not used any more",
        [
            f"{entry.declaration} {_code(entry.name)} ({_code(f'{entry.path}:{entry.line}')})"
            for entry in result.unused
        ],
    )
    for heading, sure in (("Tests to run", True), ("Tests that may reach it", False)):
        yield from _listed(heading, [_tests(entry) for entry in result.tests if entry.sure is sure])
    yield from _listed(
        "Usually change along, and have not",
        [
            f"{_code(entry.path)}: {entry.together} of {entry.commits} commits of"
            f" {_code(entry.along_with)}, last {entry.last}"
            for entry in result.companions
        ],
    )
    yield from _listed(
        "Changed declarations",
        [
            f"{entry.kind}: {entry.declaration} {_code(entry.name)}"
            f" ({_code(f'{entry.path}:{entry.line}')})"
            for entry in result.declarations
        ],
    )
    yield from _listed("Notes", [*result.left, *result.notes])


def _listed(heading: str, rows: list[str]) -> Iterator[str]:
    """A list under its heading; a long one is folded."""
    if not rows:
        return
    yield ""
    if len(rows) > _OPEN:
        yield f"<details><summary>{heading} ({len(rows)})</summary>"
    else:
        yield f"**{heading}**"
    yield ""
    yield from (f"- {row}" for row in rows)
    if len(rows) > _OPEN:
        yield ""
        yield "</details>"


def _breaking(entry: BreakingEntry) -> str:
    place = _code(f"{entry.path}:{entry.line}")
    verdict = f"**{entry.verdict}**" if entry.verdict == BREAKS else entry.verdict
    sure = "" if entry.confidence == "exact" else f" ({entry.confidence})"
    shown = f": {_code(entry.text)}" if entry.text else ""
    return f"{verdict} {place} {entry.edge} {_code(entry.uses)}, {entry.reason}{sure}{shown}"


def _tests(entry: TestsEntry) -> str:
    names = entry.names[:_MOST_NAMES]
    more = [f"{len(entry.names) - len(names)} more"] if len(entry.names) > len(names) else []
    named = f" {', '.join([*map(_code, names), *more])}" if names else ""
    return f"{_code(entry.path)}{named}: {entry.reasons[0]}"


def _code(text: str) -> str:
    """Text as code, which nothing in it ends."""
    text = " ".join(text.split())
    longest = max((len(run) for run in _runs(text)), default=0)
    marks = "`" * (longest + 1)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{blank}{text}{blank}{marks}"


def _runs(text: str) -> Iterator[str]:
    run = ""
    for char in text:
        if char == "`":
            run += char
        elif run:
            yield run
            run = ""
    if run:
        yield run

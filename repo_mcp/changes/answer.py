"""Makes the answer about a change, as far as there is room for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

from code_graph.paths.path_kinds import is_test
from repo_mcp.answers.changes import (
    BreakingEntry,
    ChangesResult,
    CompanionEntry,
    ContextEntry,
    TestsEntry,
    UnusedEntry,
)
from repo_mcp.answers.records import AnswerRecord
from repo_mcp.changes.model import BreakingPlace, ReadText
from repo_mcp.changes.review import ChangeReview
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.history import declared_entry
from repo_mcp.safety.redaction import SUSPECT, looks_secret

T = TypeVar("T", bound=AnswerRecord)
# characters around an entry of an answer
_AROUND: Final = 4
# parts of the room that lists may take, in the order in which they are filled
_PARTS: Final = {"breaking": 0.5, "tests": 0.25, "unused": 0.1, "companions": 0.1}
# lines around a place, and before and after changed ones
_LINES_AROUND: Final = 4
_LINES_BESIDE: Final = 2


def changes_result(
    review: ChangeReview, most: int, read: ReadText, *, with_context: bool
) -> ChangesResult:
    """The answer in at most so many characters; `read` gives files of the new side."""
    result = ChangesResult(old=review.old_name, new=review.new_name, files=len(review.files))
    room = _Room(most)
    lists: dict[str, list[AnswerRecord]] = {
        "breaking": [_breaking(item) for item in review.places or ()],
        "tests": [
            TestsEntry(
                path=item.path,
                names=[*item.names],
                reasons=[*item.reasons],
                sure=item.is_sure,
            )
            for item in review.tests
        ],
        "unused": [
            UnusedEntry(name=item.name, declaration=item.kind, path=item.path, line=item.line)
            for item in review.unused or ()
        ],
        "companions": [
            CompanionEntry(
                path=item.path,
                along_with=item.because,
                together=item.together,
                commits=item.of,
                last=datetime.fromtimestamp(item.last, tz=UTC).date().isoformat(),
            )
            for item in review.companions or ()
        ],
    }
    for name, part in _PARTS.items():
        kept = room.fitting(name, lists[name], int(most * part))
        if kept:
            setattr(result, name, kept)
    declared = [declared_entry(item) for item in review.declarations]
    declared.sort(key=lambda entry: is_test(entry.path))
    kept_declared = room.fitting("declarations", declared, room.left)
    if kept_declared:
        result.declarations = kept_declared
    if with_context:
        lines = [*_context(review, read)]
        result.context = room.fitting("context", lines, room.left)
    if review.mentions:
        result.mentions = [*review.mentions]
    if review.uncovered:
        result.uncovered = [*review.uncovered]
    if review.unparsed:
        result.undeclared = [*review.unparsed]
    if review.notes:
        result.notes = [*review.notes]
    if room.cut:
        result.left, result.truncated = room.cut, True
    return result


class _Room:
    """The characters that are left, and which lists were cut."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.cut: list[str] = []

    def fitting(self, name: str, entries: Sequence[T], most: int) -> list[T]:
        """The first entries that fit."""
        most = min(most, self.left)
        kept: list[T] = []
        used = 0
        for entry in entries:
            size = sum(len(row) + 1 for row in entry.as_text()) + _AROUND
            if kept and used + size > most:
                break
            used += size
            kept.append(entry)
        self.left -= used
        if len(kept) < len(entries):
            self.cut.append(f"{len(entries) - len(kept)} more {name}")
        return kept


def _breaking(place: BreakingPlace) -> BreakingEntry:
    entry = BreakingEntry(
        verdict=place.verdict,
        path=place.path,
        line=place.line,
        uses=place.used,
        declared_in=place.used_path,
        reason=place.reason,
        edge=place.kind,
        confidence=place.confidence,
    )
    if place.symbol:
        entry.symbol = place.symbol
    if place.text:
        entry.text = _safe(place.text)
    return entry


def _context(review: ChangeReview, read: ReadText) -> Iterator[ContextEntry]:
    """Changed lines, then the lines around places that may break."""
    for file in review.files:
        if not file.is_binary:
            yield from _hunks(file)
    shown: set[tuple[str, int]] = set()
    for place in review.places or ():
        rows = (read(place.path) or "").split("\n")
        first = max(place.line - _LINES_AROUND, 1)
        lines = range(first, min(place.line + _LINES_AROUND, len(rows)) + 1)
        fresh = [line for line in lines if (place.path, line) not in shown]
        if place.line in fresh:
            shown |= {(place.path, line) for line in fresh}
            text = "\n".join(f" {_safe(rows[line - 1])}" for line in fresh)
            yield ContextEntry(path=place.path, line=fresh[0], text=text)


def _hunks(file: ComparedFile) -> Iterator[ContextEntry]:
    old, new = _rows(file.old), _rows(file.new)
    for hunk in file.lines.hunks:
        before = range(max(hunk.new - _LINES_BESIDE, 0), hunk.new)
        behind = range(hunk.new_end, min(hunk.new_end + _LINES_BESIDE, len(new)))
        rows = [f" {_safe(new[line])}" for line in before if line < len(new)]
        rows += [f"-{_safe(row)}" for row in old[hunk.old : hunk.old_end]]
        rows += [f"+{_safe(row)}" for row in new[hunk.new : hunk.new_end]]
        rows += [f" {_safe(new[line])}" for line in behind]
        yield ContextEntry(path=file.path, line=before.start + 1, text="\n".join(rows))


def _rows(data: bytes | None) -> list[str]:
    rows = (data or b"").decode("utf-8", "replace").split("\n")
    return rows[:-1] if rows and not rows[-1] else rows


def _safe(text: str) -> str:
    text = text.removesuffix("\r")
    return SUSPECT if looks_secret(text) else text

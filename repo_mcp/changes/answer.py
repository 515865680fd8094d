"""Makes the answer about a change, as far as there is room for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from code_graph.paths.path_kinds import rank_path
from index_format.blake2 import blake2b
from index_format.tuples import NamedTuple
from repo_mcp.answers.changes import (
    BreakingEntry,
    ChangesResult,
    CompanionEntry,
    ContextEntry,
    TestsEntry,
    UnusedEntry,
)
from repo_mcp.answers.records import AnswerRecord, plain
from repo_mcp.ask import INCIDENTAL
from repo_mcp.changes.model import BreakingPlace, ReadText
from repo_mcp.changes.review import ChangeReview
from repo_mcp.changes.sides import ComparedFile
from repo_mcp.history import declared_entry
from repo_mcp.safety.redaction import SUSPECT, looks_secret

_DIGEST_BYTES: Final = 6
# characters around an entry of an answer
_AROUND: Final = 4
# parts of the room that lists may take, in the order in which they are filled
_PARTS: Final = {"breaking": 0.5, "tests": 0.25, "unused": 0.1, "companions": 0.1}
# lines around a place, and before and after changed ones
_LINES_AROUND: Final = 4
_LINES_BESIDE: Final = 2


# a list that has more: its name, how many entries were shown, and a digest of the last of them
ListPlace = tuple[str, int, str]


class ChangesPage(NamedTuple):
    """A part of an answer, and where its lists go on."""

    result: ChangesResult
    after: Sequence[ListPlace]
    # an entry that was shown last is not there any more: the list goes on at its number
    is_other: bool = False


def changes_result(
    review: ChangeReview, most: int, read: ReadText, *, with_context: bool
) -> ChangesResult:
    """The answer in at most so many characters; `read` gives files of the new side."""
    return changes_page(review, most, read, with_context=with_context).result


def changes_page(
    review: ChangeReview,
    most: int,
    read: ReadText,
    after: Sequence[ListPlace] = (),
    *,
    with_context: bool,
) -> ChangesPage:
    """The same from where a page before has ended: the lists that were cut go on."""
    result = ChangesResult(old=review.old_name, new=review.new_name, files=len(review.files))
    lists = _lists(review, read, with_context=with_context)
    room = _Room(most, lists)
    if after:
        is_other = room.go_on(result, after)
    else:
        is_other = False
        for name in lists:
            room.fill(result, name, int(most * _PARTS.get(name, 1.0)))
        if review.mentions:
            result.mentions = [*review.mentions]
        if review.owners:
            result.owners = [*review.owners]
        if review.rebuilds:
            result.rebuilds = [*review.rebuilds]
        if review.uncovered:
            result.uncovered = [*review.uncovered]
        if review.unparsed:
            result.undeclared = [*review.unparsed]
        if review.notes:
            result.notes = [*review.notes]
    if room.cut:
        result.left, result.truncated = room.cut, True
    return ChangesPage(result, room.places, is_other)


def _lists(
    review: ChangeReview, read: ReadText, *, with_context: bool
) -> dict[str, list[AnswerRecord]]:
    """The lists of an answer, in the order in which they get room."""
    declared = [declared_entry(item) for item in review.declarations]
    declared.sort(key=lambda entry: rank_path(entry.path))
    return {
        "breaking": [_breaking(item) for item in review.places or ()],
        "tests": [
            TestsEntry(
                path=item.path,
                names=[*item.names],
                reasons=[*item.reasons],
                sure=item.is_sure,
                nearness=item.nearness,
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
                last=item.last,
            )
            for item in review.companions or ()
        ],
        "declarations": [*declared],
        "context": [*_context(review, read)] if with_context else [],
    }


class _Room:
    """The characters that are left for the lists of an answer, and which of these were cut."""

    def __init__(self, most: int, lists: Mapping[str, Sequence[AnswerRecord]]) -> None:
        self._left = most
        self._lists = lists
        self.cut: list[str] = []
        self.places: list[ListPlace] = []

    def fill(self, result: ChangesResult, name: str, most: int, begin: int = 0) -> None:
        """Show the entries of a list that fit, from one on."""
        entries = self._lists[name]
        most = min(most, self._left)
        end, used = begin, 0
        for entry in entries[begin:]:
            size = sum(len(row) + 1 for row in entry.as_text()) + _AROUND
            if end > begin and used + size > most:
                break
            used += size
            end += 1
        self._left -= used
        if end > begin:
            setattr(result, name, entries[begin:end])
        if end < len(entries):
            self.cut.append(_told_left(name, entries[end:]))
            self.places.append((name, end, _digest(entries[end - 1]) if end else ""))

    def go_on(self, result: ChangesResult, after: Sequence[ListPlace]) -> bool:
        """Show the next entries of lists that were cut; true if what was shown last is gone."""
        is_other = False
        for name, count, digest in after:
            entries = self._lists.get(name, ())
            shown = [at for at, entry in enumerate(entries, 1) if _digest(entry) == digest]
            begin = min(shown, key=lambda at: abs(at - count), default=min(count, len(entries)))
            is_other |= bool(digest) and not shown
            if self._left > 0:
                self.fill(result, name, self._left, begin)
            elif begin < len(entries):
                self.cut.append(_told_left(name, entries[begin:]))
                self.places.append((name, begin, digest))
        return is_other


def _told_left(name: str, left: Sequence[AnswerRecord]) -> str:
    """The number of entries that are left out; of tests also how they reach what has changed."""
    tests = [entry for entry in left if isinstance(entry, TestsEntry)]
    far = sum(entry.sure and entry.nearness >= INCIDENTAL for entry in tests)
    unsure = sum(not entry.sure for entry in tests)
    counts = {
        "near": len(tests) - far - unsure,
        "by fixtures or many steps": far,
        "that may reach it": unsure,
    }
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    return f"{len(left)} more {name}{f' ({told})' if told else ''}"


def _digest(entry: AnswerRecord) -> str:
    text = json.dumps(plain(entry), sort_keys=True)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()


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

"""Separates what a prompt is about from its headings, kinds of changes and remarks in passing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s|\s*\*\*[^*]+\*\*:?\s*$")
_QUOTED_REPLY: Final = re.compile(r"\s{0,3}>\s")
_REMARK: Final = re.compile(
    r"\s*(?:[-*]\s+)?\(?(?:by the way|btw|ps|p\.s\.|side ?note|aside|unrelated(?:ly)?|fyi"
    r"|incidentally|note(?: that)?|also,? note|disclaimer|thanks)\b[\s:,.]",
    re.IGNORECASE,
)
_SENTENCE_ENDS: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z(`])")
# a remark of several words in parentheses
_PARENTHESES: Final = re.compile(r"(?<!\w)\((?=[^()\n]*\s[^()\n]*\s)[^()\n]{1,300}\)")
# kinds of changes, as commit messages begin with them
_KINDS: Final = (
    "feat|feature|fix|bugfix|hotfix|docs?|chore|refactor|perf|tests?|build|ci|style|revert|deps"
)
_SCOPE: Final = re.compile(
    rf"\s*(?:#+\s+)?(?:(?:{_KINDS})\b(?:\((?P<scope>[^()\n]{{1,60}})\))?!?:\s+)(?=\S)",
    re.IGNORECASE,
)


class Emphasis(NamedTuple):
    """Prose of a prompt, and what it says in passing."""

    prose: str
    aside: str


def separate_asides(rows: Sequence[str]) -> Emphasis:
    """The prose without headings, kinds of changes and remarks; all of it if nothing is left."""
    prose: list[str] = []
    aside: list[str] = []
    for row in rows:
        is_first = not any(map(str.strip, prose))
        if is_first and (scope := _SCOPE.match(row)):
            # the kind of change says nothing of its place, the scope does
            prose.append(f"{row[scope.end() :]} {scope['scope'] or ''}".strip())
        elif (_HEADING.match(row) and not is_first) or _QUOTED_REPLY.match(row):
            aside.append(row)
        else:
            kept, remarks = _split_sentences(row, is_first=is_first)
            prose.append(kept)
            aside += remarks
    if not any(map(str.isalnum, "".join(prose))):
        return Emphasis("\n".join(rows), "")
    return Emphasis("\n".join(prose), "\n".join(aside))


def _split_sentences(row: str, *, is_first: bool) -> tuple[str, list[str]]:
    """A line without its remarks, and these; the first sentence of a prompt is none."""
    remarks = _PARENTHESES.findall(row)
    plain = _PARENTHESES.sub(" ", row) if remarks else row
    sentences = _SENTENCE_ENDS.split(plain)
    passing = [
        sentence
        for number, sentence in enumerate(sentences)
        if _REMARK.match(sentence) and not (is_first and number == 0)
    ]
    if not remarks and not passing:
        return row, []
    return " ".join(item for item in sentences if item not in passing), [*passing, *remarks]

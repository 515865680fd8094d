"""Splits a prompt into prose, remarks in passing, code and the frames of stack traces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

import xxhash

from index_format.records import Record
from index_format.tuples import NamedTuple
from repo_mcp.question.traces import Frame, parse_traces
from repo_mcp.question.weights import PromptWeights as Weights

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd]+")
# timestamps that the kernel and other programs write before a log line
_STAMP: Final = re.compile(
    r"^\s*(?:<\d>)?(?:\[\s*\d+\.\d+\]|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*"
    r"|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \S+(?: kernel:)?(?: \[\s*\d+\.\d+\])?)[ \t]?"
)
_IN_AND_OUT: Final = re.compile(r"\b[Ii]/[Oo]\b(?!/)")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
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


class Prompt(Record):
    """A parsed prompt: `code` is fenced text and logs, `prose` the rest; both without traces.

    `aside` is what the prose says in passing, and not part of it. `text` is all of it.
    """

    text: str
    prose: str
    aside: str
    code: str
    frames: tuple[Frame, ...]
    fingerprint: str
    is_cut: bool


def parse_prompt(text: str) -> Prompt:
    """The parts of a prompt; any text is valid."""
    whole = clean_prompt(text)
    shown = whole
    if len(whole) > Weights.BEGINNING + Weights.END:
        shown = f"{whole[: Weights.BEGINNING]}\n{whole[-Weights.END :]}"
    # code writes I/O as one word
    shown = _IN_AND_OUT.sub("io", shown)
    rows = [(_STAMP.sub("", row), _STAMP.match(row) is not None) for row in shown.split("\n")]
    trace = parse_traces("\n".join(row for row, _ in rows))
    prose: list[str] = []
    code: list[str] = []
    fenced = False
    for number, (row, logged) in enumerate(rows):
        if _FENCE.match(row):
            fenced = not fenced
        elif number not in trace.rows:
            (code if fenced or logged else prose).append(row)
    kept, aside = separate_asides(prose)
    if not any(map(str.isalnum, kept)):  # only a log
        kept = "\n".join(code)
    return Prompt(
        whole,
        kept,
        aside,
        "\n".join(code),
        trace.frames,
        fingerprint(whole),
        len(whole) > Weights.BEGINNING + Weights.END,
    )


def clean_prompt(text: str) -> str:
    """The text without lone surrogates and control characters."""
    sound = text.encode("utf-8", "replace").decode("utf-8")
    sound = unicodedata.normalize("NFC", sound.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROL.sub(" ", sound)


def fingerprint(cleaned: str) -> str:
    """A fingerprint that ignores blanks and line ends."""
    return xxhash.xxh3_128_hexdigest(" ".join(cleaned.split()).encode())


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

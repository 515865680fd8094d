"""Finds messages of programs in a prompt, and the parts of them that source code may contain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.question.weights import PromptWeights as Weights

_TWO_WORDS: Final = re.compile(r"[^\W_]{2,}\W+(?:\w+\W+)*[^\W_]{2,}")
_TYPED: Final = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_][\w.]{0,120}(?:Error|Exception|Warning|Failure|Fault|Panic))"
    r"(?: \[[^\]\n]{1,40}\])?:[ \t]+(?P<message>\S.*)"
)
_ANNOUNCED: Final = re.compile(
    r"\b(?:error|fatal(?: error)?|panic|warning|failed|failure|oops|bug|critical|abort(?:ed)?"
    r"|assertion failed|message|says?|reports?|prints?|logs?)\b"
    r"(?: ?\[?[A-Z]{0,3}\d{1,5}\]?)?:[ \t]+(?P<message>\S.*)",
    re.IGNORECASE,
)
# a log line of a driver or a daemon: its name, and what went wrong
_REPORTED: Final = re.compile(
    r"^\s*[\w.-]+(?: [\w.:()-]+)?: "
    r"(?P<message>(?:\S.*)?\b(?:error|fail|failed|failure|unable|cannot|timed out|timeout"
    r"|invalid|denied|corrupt(?:ed)?|refused|lost|reset|no such)\b.*)",
    re.IGNORECASE,
)
# variable parts: quoted values, numbers, addresses, paths, objects
_VALUES: Final = re.compile(
    r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|\b0x[0-9a-fA-F]+\b|(?<![\w/.])-?\d[\d.,:]*(?![\w/])|<[^<>\n]*>"
    r"|(?<!\w)/\S+/\S+"
)
_JOINTS: Final = re.compile(r"(?<=[\w)]): |; |, | - |\((?=\w)|\)")
_EDGES: Final = " \t.,;-([{=<>'\"`"


class Message(NamedTuple):
    """A message, and the type of its error or an empty text."""

    text: str
    name: str


def find_messages(text: str) -> list[Message]:
    """The distinct messages of a text."""
    found: dict[str, Message] = {}
    for row in text.split("\n"):
        for message in _find_in_row(row[: Weights.LONGEST_MESSAGE_LINE]):
            found.setdefault(message.text, message)
            if len(found) == Weights.MOST_MESSAGES:
                return list(found.values())
    return list(found.values())


def _find_in_row(row: str) -> Iterator[Message]:
    for form in (_TYPED, _ANNOUNCED, _REPORTED):
        match = form.search(row)
        if match is not None:
            name = match.groupdict().get("name") or ""
            message = _trim(match["message"])
            if (
                form is _ANNOUNCED
                and len(row[: match.start()].split()) >= Weights.WORDS_BEFORE_COLON
            ):
                message = _trim(row)  # what failed may stand before the colon
            yield Message(message, name.rpartition(".")[2])
            return


def _trim(text: str) -> str:
    return text[: Weights.LONGEST_MESSAGE].strip().strip("`").strip()


def literal_parts(message: str) -> list[str]:
    """Parts of a message that its source may contain, longest first."""
    pieces = [part for part in _VALUES.split(message) if part]
    smaller = [part for piece in pieces for part in _JOINTS.split(piece)]
    ordered = [message, *_longest_first(pieces), *_longest_first(smaller)]
    trimmed = (part.strip(_EDGES) for part in ordered)
    return [
        part
        for part in dict.fromkeys(trimmed)
        if len(part) >= Weights.SHORTEST_MESSAGE_PART and _TWO_WORDS.search(part)
    ]


def _longest_first(parts: list[str]) -> list[str]:
    return sorted(parts, key=len, reverse=True)

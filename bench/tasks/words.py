"""Parts of questions and answers that an agent asks for: words, parts of messages, names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_STOP_WORDS: Final = (
    "a all an and are as at before by does each every for from get gets grows how in is it its made"
    " makes of on or such that the their them this to too when where which with what it all"
    " moves move"
)
_STOP: Final = frozenset(_STOP_WORDS.split())
_WORD: Final = re.compile(r"[A-Za-z_]\w+")
# what a message has from its values: quoted, numbers, the beginning that a program prints
_VALUE: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^']*'|\([^)]*\)|\b\d+\b|^error:")
_CALLED: Final = re.compile(r"#?([A-Za-z_]\w{2,})\s*(?:<[^<>()]*>)?\(")
_KEYWORDS: Final = (
    "if for while switch return func fn def function catch await async match loop sizeof print len"
    " range append make new isinstance super str int list set dict tuple type panic string error"
    " Errorf Error Sprintf printf format println write resolve reject then push slice min max and"
)
_CONSTANT: Final = re.compile(r"(?:=|:)\s*([A-Z][A-Z0-9_]{3,})\b")
# words that a line has to have in a row to be the source of a message, and tenths of those
# of a constant part
_LEAST_WORDS: Final = 3
_SHARE_OF_RUN: Final = 6
_NOT_NAMES: Final = frozenset(_KEYWORDS.split())


def words_of(question: str) -> list[str]:
    """The words of a question that say something."""
    found = (word for word in _WORD.findall(question) if word.lower() not in _STOP)
    return list(dict.fromkeys(found))


def last_name(subject: str) -> str:
    """The last part of a dotted name."""
    return re.split(r"::|\.", subject)[-1]


def owner_of(subject: str) -> str:
    """The part of a dotted name before the last; empty if there is none."""
    parts = re.split(r"::|\.", subject)
    return parts[-2] if len(parts) > 1 else ""


def constant_parts(message: str) -> list[str]:
    """Runs of words of a message that can't be values, the longest first."""
    runs = (run.strip(" :,.") for run in _VALUE.split(message))
    return sorted((run for run in runs if len(run) > 3), key=len, reverse=True)


def halves(text: str) -> list[str]:
    """Both halves of a run of words."""
    words = text.split(" ")
    middle = len(words) // 2
    return [" ".join(words[:middle]), " ".join(words[middle:])]


def is_code(path: str) -> bool:
    """True for a file that is neither a test nor a document."""
    return "test" not in path.lower() and not path.endswith((".md", ".rst", ".txt"))


def tried_parts(message: str) -> list[str]:
    """The parts of a message to search for, in turn: the longest run, its halves, the others."""
    first, *others = constant_parts(message)
    return [first, *halves(first), *(run for run in others if " " in run)]


def is_message(line: str, message: str) -> bool:
    """True if a line has most of a constant part of a message, word by word."""
    for part in constant_parts(message):
        words = part.split(" ")
        least = max(_LEAST_WORDS, 1 + (_SHARE_OF_RUN * len(words)) // 10)
        runs = (" ".join(words[at : at + least]) for at in range(len(words) - least + 1))
        if any(run in line for run in runs):
            return True
    return False


def called_names(code: str, known: Iterable[str], question: str) -> list[str]:
    """Names that some code calls and that are not known yet: those like the question first."""
    left_out = {*known} | _NOT_NAMES
    names = [name for name in dict.fromkeys(_CALLED.findall(code)) if name not in left_out]
    asked = {word.lower()[:5] for word in words_of(question)}
    return sorted(names, key=lambda name: not any(part in asked for part in _parts(name)))


def _parts(name: str) -> Iterator[str]:
    for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name):
        yield part.lower()[:5]


def constants_of(text: str, name: str) -> list[str]:
    """Constants that lines with a name assign, as `timeout = SOCKET_TIMEOUT`."""
    lines = (line for line in text.split("\n") if re.search(rf"\b{re.escape(name)}\b", line))
    return list(dict.fromkeys(found for line in lines for found in _CONSTANT.findall(line)))

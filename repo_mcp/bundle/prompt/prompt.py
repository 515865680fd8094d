"""Splits a prompt into prose, code and the frames of stack traces."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import xxhash

from index_format.records import Record
from repo_mcp.bundle.prompt.asides import separate_asides
from repo_mcp.bundle.prompt.traces import Frame, parse_traces
from repo_mcp.bundle.weights import PromptWeights as Weights

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd]+")
# timestamps that the kernel and other programs write before a log line
_STAMP: Final = re.compile(
    r"^\s*(?:<\d>)?(?:\[\s*\d+\.\d+\]|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*"
    r"|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \S+(?: kernel:)?(?: \[\s*\d+\.\d+\])?)[ \t]?"
)
_IN_AND_OUT: Final = re.compile(r"\b[Ii]/[Oo]\b(?!/)")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")


class Prompt(Record):
    """A parsed prompt: `code` is fenced text and logs, `prose` the rest; both without traces.

    `aside` is what the prose says in passing, and not part of it.
    """

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
    text, aside = separate_asides(prose)
    if not any(map(str.isalnum, text)):  # only a log
        text = "\n".join(code)
    return Prompt(
        text,
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

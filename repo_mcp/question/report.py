"""Reads a text of several lines or many words: its title, names, files, prose, and quoted text.

A title says more about the place of a defect than what follows it; names and files are written on
purpose; logs, templates and remarks say least.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph import identifiers_in
from index_format.records import Record
from index_format.tuples import NamedTuple
from repo_mcp.question.parse import Prompt, parse_prompt

# a longer first line is a sentence and what follows it
_LONGEST_TITLE: Final = 40
_TICKS: Final = re.compile(r"`([^`\n]{2,80})`")
# what a template of a tracker asks to be filled in
_COMMENTS: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CHECKS: Final = re.compile(r"^\s*[-*] \[[ xX]\] .*$", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_HEADING: Final = re.compile(r"^\s*(?:#+|\*+|title:)\s*", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?:])\s")
_PATH: Final = re.compile(
    r"(?<![\w/.@:])(?:\.{0,2}/)?(?:[\w.+-]+/)*[\w+-][\w.+-]*\.[a-zA-Z]\w{0,9}\b"
)
# a word of several parts, as files are called: `no-shadow`, `ObservableQuery`; with underscores it
# is more often a function
_STEM: Final = re.compile(
    r"(?<![\w./-])(?:[A-Za-z]\w*(?:-\w+)+|[A-Za-z]*[a-z0-9][A-Z]\w*)(?![\w/-])"
)
_MOST_FILES: Final = 24
_MOST_NAMES: Final = 40


class FileMention(NamedTuple):
    """A file that a text names; a frame with how many calls it is from the fault."""

    path: str
    is_frame: bool = False
    depth: int = 0


class ReportParts(Record):
    """The parts of a report."""

    title: str
    # names as they are written, in backquotes or by their form
    names: str
    prose: str
    # fenced text, logs, and what is said in passing
    rest: str
    files: tuple[FileMention, ...]


def read_report(text: str) -> ReportParts:
    """The parts of a text; any text has a title."""
    prompt = parse_prompt(_CHECKS.sub("", _COMMENTS.sub("", text)))
    title, prose = _split_title(prompt)
    names = [*_TICKS.findall(prompt.prose), *identifiers_in(prompt.prose)]
    names += [frame.function for frame in prompt.frames if frame.function]
    return ReportParts(
        title,
        " ".join(names[:_MOST_NAMES]),
        prose,
        f"{prompt.code}\n{prompt.aside}",
        tuple(dict.fromkeys(_files(prompt)))[:_MOST_FILES],
    )


def _split_title(prompt: Prompt) -> tuple[str, str]:
    rows = prompt.prose.split("\n")
    first = next((at for at, row in enumerate(rows) if _WORD.search(row)), 0)
    title, rest = _HEADING.sub("", rows[first]), rows[first + 1 :]
    if len(title.split()) >= _LONGEST_TITLE:
        title, *more = _SENTENCE_END.split(title, maxsplit=1)
        rest = [*more, *rest]
    return title.strip(), "\n".join(row for row in rest if row.strip() != title.strip())


def _files(prompt: Prompt) -> Iterator[FileMention]:
    for path in _PATH.findall(f"{prompt.prose}\n{prompt.code}"):
        yield FileMention(path.lstrip("./"))
    for frame in prompt.frames:
        if frame.path:
            yield FileMention(frame.path.lstrip("./"), True, frame.depth)  # noqa: FBT003 a tuple
    for stem in _STEM.findall(prompt.prose):
        yield FileMention(stem)

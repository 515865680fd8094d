"""Makes rows of exams from the commits of a repository: what is given, and the files asked for.

A row has no text: the message and the diffs of its commit are read from git when it is asked. A
`ripple` gives the diff of the source file with the most changed lines, and asks for the other ones
that the commit changed. `tests` gives the diff of all source files, and asks for files of tests.
`functions` gives the message, and asks for the functions that were changed. `reviews` gives the
message of a commit that says it does what a reviewer asked for, and asks for its source files.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, NamedTuple

from bench.answers.history import History, read_git
from bench.answers.judge import ROUTINE, SOURCE, is_source
from bench.ranking import messages
from bench.ranking.patches import Patch
from code_graph.paths.path_kinds import is_test

RIPPLE, TESTS, FUNCTIONS, REVIEWS = "ripple", "tests", "functions", "reviews"
REPORTS, TRACES = "reports", "traces"
# whose rows are the same for the same commits, of up to so many of a repository
DRAWN: Final = {RIPPLE: 10, TESTS: 10, FUNCTIONS: 10, REVIEWS: 6}
# no message has it
_END: Final = "\0"
_RAW: Final = re.compile(r"^:\d+ (\d+) \S+ \S+ ([AMDT])\t(.+)$")
_COUNTS: Final = re.compile(r"^(\d+)\t(\d+)\t(.+)$")
_MOST_FILES, _MOST_SOURCES, _MOST_TESTS = 15, 8, 8
_FEWEST_WORDS: Final = 3
# a sentence about a review that says as little is no question
_FEWEST_WORDS_OF_REVIEW: Final = 8
# a longer message is about more than the review
_MOST_PARAGRAPHS: Final = 2
_REVIEWED: Final = re.compile(
    r"(?:address|appl|incorporat|implement|adopt)\w*.{0,30}\b(?:review|feedback|suggestion)"
    r"|\bas (?:suggested|requested|pointed out) (?:by|in)\b|\bsuggested by\b|\bper review\b"
    r"|\breview (?:comment|feedback|suggestion)|\breviewer",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Row:
    """A question of an exam, in the tree of the commit `before`."""

    kind: str
    repository: str
    split: str
    before: str
    fix: str
    given: tuple[str, ...]
    right: tuple[str, ...]
    # of the issue or pull request whose text is asked
    number: int = 0

    def line(self) -> str:
        """As it stands in a file."""
        return json.dumps(asdict(self))

    @staticmethod
    def parse(line: str) -> Row:
        """The inverse of `line`."""
        fields = json.loads(line)
        return Row(**{**fields, "given": tuple(fields["given"]), "right": tuple(fields["right"])})


class ChangedFile(NamedTuple):
    """A file that a commit changed, or deleted, added, …: the letter of git."""

    path: str
    status: str
    lines: int

    @property
    def was_there(self) -> bool:
        """True if the tree before has the file."""
        return self.status in {"M", "D"}


class Commit(NamedTuple):
    """A commit of one parent."""

    name: str
    parent: str
    patch: Patch
    files: tuple[ChangedFile, ...]

    @property
    def sources(self) -> list[ChangedFile]:
        """The files with code that is no test, as far as the tree before has them."""
        kept = (it for it in self.files if it.was_there and not is_test(it.path))
        return [it for it in kept if is_source(it.path)]


def rows_of(git_dir: Path, history: History) -> list[Row]:
    """The rows of a repository, drawn by chance, but always the same ones."""
    listed = [*commits(git_dir, f"{history.base}..{history.head}")]
    reviewed = _reviewed(git_dir, history) or listed
    found: list[Row] = []
    for kind, most in DRAWN.items():
        made = [
            Row(kind, history.name, history.split, commit.parent, commit.name, *parts)
            for commit in (reviewed if kind == REVIEWS else listed)
            if (parts := _RECIPES[kind](commit)) is not None
        ]
        found += sorted(made, key=lambda row: chance_of(row.fix))[:most]
    return found


def _reviewed(git_dir: Path, history: History) -> list[Commit]:
    """The commits up to the last one that may say so; none of a copy that lacks old files."""
    told = f"--grep={_GREP}", "--extended-regexp", "--regexp-ignore-case"
    try:
        return [*commits(git_dir, history.head, *told)]
    except subprocess.CalledProcessError:
        return []


# what git looks for; the messages are looked at more closely afterwards
_GREP: Final = "review|suggested|feedback"


def chance_of(commit: str) -> bytes:
    """The same commits come first for each kind, so that few trees are written."""
    return hashlib.sha256(commit.encode()).digest()


def commits(git_dir: Path, span: str, *options: str) -> Iterator[Commit]:
    """The commits of a span that have one parent, newest first."""
    form = "--format=%x00%H %P%x00%B%x00"
    shown = ("log", "--no-merges", "--no-renames", "--raw", "--numstat", "--abbrev=7", form)
    told = read_git(git_dir, "-c", "core.quotepath=off", *shown, *options, span)
    parts = iter(told.split(_END)[1:])
    for names, message, files in zip(parts, parts, parts, strict=True):
        name, *parents = names.split()
        if len(parents) == 1:
            changed = tuple(_changed_files(files.split("\n")))
            patch = Patch.of_commit(message, (it.path for it in changed))
            yield Commit(name, parents[0], patch, changed)


def _changed_files(lines: Iterable[str]) -> Iterator[ChangedFile]:
    rows = [*lines]
    counts = {
        found[3]: int(found[1]) + int(found[2]) for found in map(_COUNTS.match, rows) if found
    }
    for found in map(_RAW.match, rows):
        if found and found[3] in counts and " " not in found[3]:
            yield ChangedFile(found[3], found[2], counts[found[3]])


Parts = tuple[tuple[str, ...], tuple[str, ...]]


def ripple(commit: Commit) -> Parts | None:
    """The file with the most changed lines, and the other ones."""
    sources = commit.sources
    kept = [it for it in sources if it.status == "M"]
    if not (_is_fit(commit) and kept and 2 <= len(sources) <= _MOST_SOURCES):
        return None
    given = min(kept, key=lambda it: (-it.lines, it.path)).path
    return (given,), tuple(it.path for it in sources if it.path != given)


def changed_tests(commit: Commit) -> Parts | None:
    """The source files, and the files of tests that the tree before has."""
    sources = [it.path for it in commit.sources if it.status == "M"]
    tests = [it.path for it in commit.files if it.status == "M" and _is_test_file(it.path)]
    is_small = 0 < len(sources) <= _MOST_SOURCES and 0 < len(tests) <= _MOST_TESTS
    return (tuple(sources), tuple(tests)) if is_small and _is_fit(commit) else None


def functions(commit: Commit) -> Parts | None:
    """Nothing but the message, and the source files whose functions are asked for."""
    sources = tuple(it.path for it in commit.sources if it.status == "M")
    is_told = len(messages.WORD.findall(message_of(commit.patch))) >= _FEWEST_WORDS
    is_small = 0 < len(sources) <= _MOST_SOURCES
    return ((), sources) if is_told and is_small and _is_fit(commit) else None


def reviews(commit: Commit) -> Parts | None:
    """Nothing but the message, and the source files, of a commit that a reviewer asked for."""
    patch = commit.patch
    text = " ".join((patch.title, *patch.paragraphs))
    sources = tuple(it.path for it in commit.sources)
    told = len(messages.WORD.findall(_REVIEWED.sub(" ", message_of(patch))))
    is_told = _REVIEWED.search(text) is not None and told >= _FEWEST_WORDS_OF_REVIEW
    is_small = 0 < len(sources) <= _MOST_SOURCES and len(patch.paragraphs) <= _MOST_PARAGRAPHS
    return ((), sources) if is_told and is_small and _is_fit(commit) else None


_RECIPES: Final[Mapping[str, Callable[[Commit], Parts | None]]] = {
    RIPPLE: ripple,
    TESTS: changed_tests,
    FUNCTIONS: functions,
    REVIEWS: reviews,
}


def message_of(patch: Patch) -> str:
    """The title and the first paragraph of a message, without paths and numbers of issues."""
    return " ".join(messages.message(patch, messages.parts(patch.paths))).strip()


def _is_fit(commit: Commit) -> bool:
    return len(commit.files) <= _MOST_FILES and ROUTINE.search(commit.patch.title) is None


def _is_test_file(path: str) -> bool:
    return is_test(path) and SOURCE.search(path) is not None

"""A question about the history of one root, and the entries that answers to it have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.history import COMMITS, FILE, CommitEntry, HistoryResult, HunkEntry
from repo_mcp.answers.records import AnswerRecord
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.git import Commit
from repo_mcp.history.model import ChangedLines, CommitHit
from repo_mcp.history.repository_history import RepositoryHistory
from repo_mcp.history.service import OpenHistory
from repo_mcp.safety.redaction import SUSPECT, looks_secret
from repo_mcp.stored_commits import HASH_BYTES
from repo_mcp.text.cutting import cut_lines, cut_words

# digits of a hash: enough for a million commits
SHOWN_DIGITS: Final = 10
# lines of a file that is shown as it was, and files of a commit
MOST_LINES: Final = 1000
_LINES: Final = re.compile(r"(\d{1,9})(?:\s*[-,:]\s*(\d{1,9}))?")
_PARAGRAPH: Final = re.compile(r"\n\s*\n")
# lines at the end of a message that people and programs sign with
_TRAILERS: Final = re.compile(r"(?:[A-Z][\w-]*: [^\n]*(?:\n|\Z))+")
# characters of a message below its subject that a list shows
_MOST_BODY: Final = 240
# characters before each of its lines
_MARGIN: Final = 4
# what stands around an entry in an answer
AROUND: Final = 60


# the hash of a commit, and the second of its date
CommitPlace = tuple[str, int]
# of a root whose commits were all shown
ALL_SHOWN: Final[CommitPlace] = ("", 0)


class HistoryQuestion(NamedTuple):
    """The arguments of a question; empty ones are not given."""

    text: str = ""
    regex: str = ""
    words: str = ""
    path: str = ""
    lines: str = ""
    # where the declaration is that is asked about, in the file as it is now; of overloads, each
    declared: tuple[tuple[int, int], ...] | None = None
    # these overloads by name and line, and their declarations, where there is more than one
    overloads: tuple[tuple[str, str], ...] = ()
    # that declaration, and the places of others of its name
    chosen: str = ""
    others: tuple[str, ...] = ()
    about: str = COMMITS
    rev: str = ""
    author: str = ""
    since: str = ""
    until: str = ""
    ignore_case: bool = False
    any_blanks: bool = False
    copies: bool = False
    limit: int = 10
    full_hashes: bool = False
    # the commit that the page before ended with: its hash and its date
    after: CommitPlace | None = None

    @property
    def is_of_file(self) -> bool:
        """True if it is about one path, lines of it, or one commit: `.git` alone may answer."""
        is_sought = self.text or self.regex or self.words
        is_named = self.path or self.rev or self.lines or self.declared is not None
        return not is_sought and self.about in {COMMITS, FILE} and bool(is_named)

    @property
    def is_of_commits(self) -> bool:
        """True if it is about commits by their names, or what of them is in a path."""
        named = HistoryQuestion(path=self.path, rev=self.rev, limit=self.limit)
        return bool(self.rev) and self == named._replace(full_hashes=self.full_hashes)


class HistoryAnswer(NamedTuple):
    """The answer's record, the places of its commits, and where the next page begins."""

    result: HistoryResult
    places: Sequence[CommitPlace] = ()
    shown: Sequence[str] = ()
    # by prefix of a root, the last commit that was shown of it; empty if all were
    after: Mapping[str, CommitPlace] = MappingProxyType({})


class RootQuestion:
    """A question to one root, with its history opened and the room for the answer."""

    def __init__(
        self, asked: HistoryQuestion, opened: OpenHistory, budget: Budget, chars: int
    ) -> None:
        """Keep the arguments."""
        self.asked = asked
        self.opened = opened
        self.history = opened.history
        self.budget = budget
        self.chars = chars

    @cached_property
    def digits(self) -> int:
        """Digits of the hashes of the answer."""
        return 2 * HASH_BYTES if self.asked.full_hashes else SHOWN_DIGITS

    def entry(self, hit: CommitHit) -> CommitEntry:
        """A commit as an answer has it."""
        commit = hit.commit
        entry = CommitEntry(
            commit=commit.identity.hex()[: self.digits],
            date=commit.author.day,
            author=commit.author.name,
            subject=shown_text(commit.subject),
            files=[self.shown_path(path) for path in hit.files],
            hunks=self.hunks(hit.hunks),
        )
        if hit.before != hit.after:
            entry.note = f"{hit.before} → {hit.after}"
        if hit.more_files:
            entry.more_files = hit.more_files
        return entry

    def hunks(self, changed: Iterable[ChangedLines]) -> list[HunkEntry]:
        """Changed lines as an answer has them."""
        return [
            HunkEntry(
                path=self.shown_path(hunk.path),
                line=hunk.new_line,
                text="\n".join(hunk.lines),
                old_path=hunk.old_path,
                symbols=[*hunk.symbols],
            )
            for hunk in changed
        ]

    def shown_path(self, path: str) -> str:
        """A path behind what the paths of the root begin with."""
        return self.opened.prefix + path


def is_about_file(history: RepositoryHistory, asked: HistoryQuestion) -> bool:
    """True for a question that `.git` alone answers at once; a `Problem` for a denied path."""
    if not asked.is_of_file:
        return False
    if asked.rev or asked.lines or asked.declared is not None or asked.about == FILE:
        return True
    return history.version(history.named(""), asked.path) is not None


def parse_lines(text: str) -> tuple[int, int]:
    """The first and the last line of a range; a `Problem` for what is none."""
    found = _LINES.fullmatch(text.strip())
    first = int(found[1]) if found else 0
    last = int(found[2] or first) if found else 0
    if not 0 < first <= last:
        raise Problem("argument_invalid", "lines is a number or a range: 12 or 12-40")
    return first, last


def message_body(commit: Commit) -> str:
    """The beginning of what a message says below its subject, without trailers."""
    text = commit.message.strip().partition("\n\n")[2].strip()
    paragraphs = [" ".join(part.split()) for part in _PARAGRAPH.split(text)]
    if paragraphs and _TRAILERS.fullmatch(text.rpartition("\n\n")[2].strip()):
        paragraphs.pop()
    return shown_text(cut_words(" ".join(paragraphs), _MOST_BODY))


def message_rest(commit: Commit) -> str:
    """The text of a message below its subject."""
    text = commit.message.strip().partition("\n")[2].strip()
    return "\n".join(map(shown_text, text.splitlines()))


def cut_message(text: str, longest: int) -> str:
    """The first lines of a message below the line of its commit, and how many are missing."""
    return cut_lines(text, longest, _MARGIN)


def shown_text(text: str) -> str:
    """A text, unless it looks secret."""
    return SUSPECT if looks_secret(text) else text


def size_of(entry: AnswerRecord) -> int:
    """The characters that an entry takes."""
    return sum(len(row) + 1 for row in entry.as_text()) + AROUND

"""Asks the product a row in the ways that a user would: the tools of a server with its defaults.

Each way is a system of the figures. Of `repo.search` the hits count, of a bundle its excerpts, of
`repo.changes` the places that may break and then the files that usually change along, or the tests.
`changes, search` reads the list of the one and then that of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.answers import issues, regions
from bench.answers.history import check_out, link_past, read_git, repository_folder
from bench.bundles.client import BUNDLE, SEARCH, Answer, Client
from bench.exams.listed import asked
from bench.exams.rows import (
    FUNCTIONS,
    REPORTS,
    REVIEWS,
    RIPPLE,
    TESTS,
    TRACES,
    Row,
    commits,
    message_of,
)
from bench.exams.texts import key_of
from bench.ranking import messages
from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked
from repo_mcp.answers.lines import FILE, FUNCTION

_CHANGES: Final = "repo.changes"
_ROOM: Final = 40_000
_MOST_FILES: Final = 20
_MOST_FUNCTIONS: Final = 10
# a longer query is refused
_LONGEST_QUERY: Final = 2_000
_MOST_PAGES: Final = 5
# whose answers are by edges
_LINKED: Final = frozenset({RIPPLE, TESTS, TRACES})


class Question(NamedTuple):
    """A row whose tree is laid out, with its texts and the places that are right."""

    row: Row
    client: Client
    # what is asked, and for reports its first sentences
    text: str
    short: str
    right: tuple[Place, ...]


Found = Sequence[Ranked]
System = Callable[[Question], Found]


class Served:
    """A server over one repository, whose tree goes from commit to commit."""

    def __init__(self, git: Path, keep: Path, name: str) -> None:
        """Write nothing yet."""
        folder = name.replace("/", "+")
        self._git_dir = repository_folder(git, name).resolve()
        self._root, self._data = keep / "trees" / folder, keep / "indexes" / folder
        self._client: Client | None = None

    def in_time(self, rows: Iterable[Row]) -> list[Row]:
        """The rows by the time of the commit before: few files differ from one to the next."""
        listed = [*rows]
        names = [*dict.fromkeys(row.before for row in listed)]
        told = read_git(self._git_dir, "show", "--no-patch", "--format=%H %ct", *names)
        times = {name: int(at) for name, at in (line.split() for line in told.splitlines())}
        return sorted(listed, key=lambda row: (times[row.before], row.before))

    def question(self, row: Row, texts: Mapping[str, str]) -> Question:
        """Lay out the tree of a row, with the commits before it, and bring the index up to date."""
        check_out(self._git_dir, row.before, self._root)
        link_past(self._git_dir, row.before, self._root)
        if self._client is None:
            self._client = Client(self._root, self._data)
        self._client.refresh(linked=row.kind in _LINKED)
        text, short = self._texts(row, texts)
        return Question(row, self._client, text, short, self._right(row))

    def _texts(self, row: Row, texts: Mapping[str, str]) -> tuple[str, str]:
        if row.number:
            text = asked(row.kind, texts[key_of(row.repository, row.number)])
            known = messages.parts(row.right)
            return text, issues.question(text, frozenset(known))
        if row.given:
            diff = read_git(
                self._git_dir, "diff", "--no-renames", row.before, row.fix, "--", *row.given
            )
            return diff, _changed_lines(diff)
        message = message_of(next(commits(self._git_dir, row.fix, "-1")).patch)
        return message, message

    def _right(self, row: Row) -> tuple[Place, ...]:
        if row.kind != FUNCTIONS or self._client is None:
            return tuple(map(Place, row.right))
        lines = issues.changed_lines(self._git_dir, row.before, row.fix, *row.right)
        return tuple(regions.functions(self._client.snapshot(), lines))


def _changed_lines(diff: str) -> str:
    rows = (row for row in diff.split("\n") if row[:1] in {"+", "-"})
    return "\n".join(row[1:] for row in rows if not row.startswith(("+++ ", "--- ")))


def _files(paths: Iterable[str], question: Question) -> Found:
    """Each path once, without those that were given."""
    given = question.row.given
    return [Ranked(path) for path in dict.fromkeys(paths) if path not in given]


def _searched(question: Question, text: str, **options: str) -> Found:
    room = {"top_k": _MOST_FILES + len(question.row.given), "max_chars": _ROOM}
    query = text[:_LONGEST_QUERY]
    answer = question.client(SEARCH, query=query, level=FILE, **room, **options)
    return _files((hit["path"] for hit in answer.result.get("hits", ())), question)


def _search(question: Question) -> Found:
    return _searched(question, question.short)


def _search_whole(question: Question) -> Found:
    return _searched(question, question.text)


def _search_code(question: Question) -> Found:
    return _searched(question, question.short, kind="code")


def _search_tests(question: Question) -> Found:
    return _searched(question, question.short, kind="tests")


def _search_functions(question: Question) -> Found:
    room = {"top_k": _MOST_FUNCTIONS, "max_chars": _ROOM}
    query = question.text[:_LONGEST_QUERY]
    answer = question.client(SEARCH, query=query, level=FUNCTION, **room)
    hits = answer.result.get("hits", ())
    return [Ranked(hit["path"], hit["start_line"], hit["end_line"]) for hit in hits]


def _bundle(question: Question) -> Found:
    return _files((place.path for place in _excerpts(_bundled(question))), question)


def _bundle_of_tests(question: Question) -> Found:
    answer = _bundled(question, include_tests=True)
    return _files((place.path for place in _excerpts(answer)), question)


def _places(question: Question) -> Found:
    return [*_excerpts(_bundled(question, strategy="regions"))]


def _bundled(question: Question, **options: object) -> Answer:
    return question.client(BUNDLE, prompt=question.text, max_chars=_ROOM, **options)


def _excerpts(answer: Answer) -> Iterator[Ranked]:
    for excerpt in answer.result.get("excerpts", ()):
        path, _, spans = excerpt["citation"].rpartition(":")
        for span in spans.split(","):
            first, _, last = span.partition("-")
            yield Ranked(path, int(first), int(last or first))


def _changes(question: Question) -> Found:
    return _files(_listed(question, "breaking", "companions"), question)


def _changes_tests(question: Question) -> Found:
    return _files(_listed(question, "tests"), question)


def _listed(question: Question, *lists: str) -> Iterator[str]:
    """The paths of lists of a review, of all its pages."""
    pages = [question.client(_CHANGES, patch=question.text, max_chars=_ROOM)]
    while len(pages) < _MOST_PAGES and (cursor := pages[-1].result.get("cursor")):
        given = {"patch": question.text, "max_chars": _ROOM, "cursor": cursor}
        pages.append(question.client(_CHANGES, **given))
    for name in lists:
        for page in pages:
            yield from (entry["path"] for entry in page.result.get(name, ()))


def _one_after_the_other(first: System, second: System) -> System:
    return lambda question: [*dict.fromkeys((*first(question), *second(question)))]


SYSTEMS: Final[Mapping[str, Mapping[str, System]]] = {
    RIPPLE: {
        "search": _search_code,
        "bundle": _bundle,
        "changes": _changes,
        "changes, search": _one_after_the_other(_changes, _search_code),
    },
    TESTS: {
        "search": _search_tests,
        "bundle": _bundle_of_tests,
        "changes": _changes_tests,
        "changes, search": _one_after_the_other(_changes_tests, _search_tests),
    },
    FUNCTIONS: {"search": _search_functions, "bundle": _places},
    REVIEWS: {"search": _search, "bundle": _bundle},
    TRACES: {"search": _search_whole, "bundle": _bundle},
    REPORTS: {"search": _search, "search, whole": _search_whole, "bundle": _bundle},
}

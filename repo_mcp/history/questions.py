"""Answers questions about the history: which one it is by its arguments, and its answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Final

from index_format import WeightedTerm, top_chunks
from repo_mcp.answers.history import (
    COMMITS,
    FILE,
    PEOPLE,
    RELATED,
    CommitEntry,
    HistoryResult,
    PersonEntry,
    RelatedEntry,
)
from repo_mcp.errors import Problem
from repo_mcp.git import (
    MANY_FILES,
    Commit,
    ObjectGap,
    diff_lines,
)
from repo_mcp.history.blame_answer import BlameAnswer
from repo_mcp.history.chosen_commits import ChosenCommits, allowed_commits
from repo_mcp.history.commit_index import CommitIndex, Mask, path_filter
from repo_mcp.history.earlier_changes import answer_earlier
from repo_mcp.history.file_history import (
    FileCommit,
    FileHistory,
    FileWalk,
    people_of,
    related_files,
)
from repo_mcp.history.line_history import commits_of_lines, lines_before, shown_spans
from repo_mcp.history.model import CommitFilter, CommitHit
from repo_mcp.history.pickaxe import Pickaxe, SoughtText
from repo_mcp.history.repository_history import RepositoryHistory
from repo_mcp.history.root_question import (
    SHOWN_DIGITS,
    CommitPlace,
    HistoryAnswer,
    RootQuestion,
    is_about_file,
    message_body,
    size_of,
)
from repo_mcp.history.version_answers import answer_commit, answer_file
from repo_mcp.question.terms import parse_terms
from repo_mcp.question.word_lists import STOP
from repo_mcp.stored import CHANGED, MESSAGE
from repo_mcp.stored_commits import CommitFile

# a word of the message says more of a commit than one in its lines
_FIELDS: Final = {MESSAGE: 2.0, CHANGED: 1.0}
# chunks that are ranked for each commit that is asked for
_CHUNKS_PER_COMMIT: Final = 8
_MOST_CHUNKS: Final = 2000
_MOST_FILES: Final = 5
# commits that are ranked: a page of words has no more
_MOST_RANKED: Final = 100
# and those of them that may have what is asked for as their title
_MOST_TITLED: Final = 20
# the number of a request behind a title
_NUMBER: Final = re.compile(r"\s*\([#!]\d+\)$")


def answer_question(root: RootQuestion) -> HistoryAnswer:
    """The answer of one root; what is wrong with the arguments is a `Problem`."""
    asked = root.asked
    root.history.check_path(asked.path)
    if asked.lines or (asked.about == FILE):
        if not asked.path:
            raise Problem("argument_invalid", "lines and about=file need the path of a file")
        return answer_file(root) if asked.about == FILE else BlameAnswer(root).answer()
    sought = [asked.text, asked.regex, asked.words]
    if sum(map(bool, sought)) > 1:
        raise Problem("argument_invalid", "give one of text, regex and words")
    if asked.rev and not any(sought) and asked.declared is None:
        if asked.about == COMMITS:
            return answer_commit(root)
        if asked.about == RELATED:
            return answer_earlier(root)
    return _CommitsAnswer(root).answer()


def last_of_lines(root: RootQuestion, walked: int | None = None) -> CommitEntry | None:
    """The last commit that has changed the lines that are asked for, among so many of the file."""
    root.history.check_path(root.asked.path)
    found = _CommitsAnswer(root).of_lines(root.asked.declared or (), walked)
    return next((root.entry(hit) for _, hit in found), None)


class _CommitsAnswer:
    """Answers one question from the index of commits; about one file from `.git` without it."""

    def __init__(self, root: RootQuestion) -> None:
        self._question = root
        self._walked: FileWalk | None = None

    def answer(self) -> HistoryAnswer:
        """Commits, related files or people."""
        asked, index = self._question.asked, self._question.opened.commits
        result = HistoryResult(indexed=0 if index is None else len(index.table))
        if asked.declared is not None:
            return self._page(result, self.of_lines(asked.declared))
        if index is not None and (asked.path or asked.text or asked.regex or asked.words):
            self._note_crowded(index, sorted(index.crowded))
        if is_about_file(self._question.history, asked) if index is None else self._has_file(index):
            return self._page(result, self._of_file())
        if index is None:
            raise Problem("history_unindexed")
        return self._by_index(index, result)

    def _has_file(self, index: CommitIndex) -> bool:
        """True if the commits of one file are asked for, and the index has it."""
        asked = self._question.asked
        return asked.is_of_file and bool(len(index.with_path(asked.path)))

    def _by_index(self, index: CommitIndex, result: HistoryResult) -> HistoryAnswer:
        asked = self._question.asked
        if asked.about == RELATED:
            return self._related(index, result)
        allowed = allowed_commits(self._question.history, index, self._filter())
        if asked.about == PEOPLE:
            return self._people(index, result, allowed)
        if asked.text or asked.regex:
            return self._of_text(index, result, allowed)
        found = self._newest(index, allowed)
        if asked.words:
            found = self._ranked(index, allowed, result)
        return self._page(result, self._placed(index, found))

    def _of_text(self, index: CommitIndex, result: HistoryResult, allowed: Mask) -> HistoryAnswer:
        asked = self._question.asked
        sought = SoughtText(
            asked.text or asked.regex, regex=bool(asked.regex), ignore_case=asked.ignore_case
        )
        pickaxe = Pickaxe(self._question.history, index, sought, path_filter(asked.path))
        found = pickaxe.find(allowed, self._question.budget, self._after(index))
        answer = self._page(result, self._placed(index, found))
        if answer.result.truncated and asked.after is None:
            oldest = pickaxe.find(allowed, self._question.budget, oldest_first=True)
            result.first = [self._question.entry(hit) for _, hit in islice(oldest, 1)]
        return answer

    def _filter(self) -> CommitFilter:
        asked = self._question.asked
        since, until = _first_second(asked.since, "since"), _first_second(asked.until, "until")
        day = int(timedelta(days=1).total_seconds())
        return CommitFilter(asked.path, asked.author, since, until + day if until else 0)

    def _after(self, index: CommitIndex) -> int:
        """The place of the last commit of the page before; -1 for the first page."""
        if self._question.asked.after is None:
            return -1
        identity, seconds = self._question.asked.after
        place = index.table.place(bytes.fromhex(identity))
        return index.table.place_before(seconds) if place is None else place

    def _newest(self, index: CommitIndex, allowed: Mask) -> Iterator[tuple[int, CommitHit]]:
        """The last commits, of all files or those of a folder or glob."""
        path, after = self._question.asked.path, self._after(index)
        for place in range(after + 1, len(index.table)):
            if allowed[place] and not (path and index.table.is_merge[place]):
                yield place, self._hit(index, place)

    @staticmethod
    def _placed(
        index: CommitIndex, found: Iterator[tuple[int, CommitHit]]
    ) -> Iterator[tuple[CommitPlace, CommitHit]]:
        """Hits with the hashes and dates of their commits."""
        for place, hit in found:
            yield (index.table.identity(place).hex(), int(index.table.dates[place])), hit

    def _commits_of_file(self) -> Iterator[FileCommit]:
        """The commits of the file that is asked for through its renames, by index or by `.git`."""
        root = self._question
        index, path = root.opened.commits, root.asked.path
        if index is None:
            self._walked = FileWalk(root.history, path, root.budget.check)
            return self._walked.commits()
        return FileHistory(index, path).commits()

    def _of_file(self) -> Iterator[tuple[CommitPlace, CommitHit]]:
        """The last commits of a file."""
        chosen = ChosenCommits(self._question, self._filter()._replace(path=""))
        for item in filter(chosen, self._commits_of_file()):
            commit = self._commit(item.identity)
            file = item.file
            if item.place < 0:
                file = counted_lines(self._question.history, commit, file)
            name = f"{file.old_path} → {file.path}" if file.kind == "R" else file.path
            hit = CommitHit(commit, [f"{name} +{file.added} -{file.removed}"])
            yield (item.identity.hex(), item.date), hit

    def _ranked(
        self, index: CommitIndex, allowed: Mask, result: HistoryResult
    ) -> Iterator[tuple[int, CommitHit]]:
        """The best commits for words; where these are a title, its commits are a page."""
        ranked = _rank_commits(index, self._question.asked.words, allowed, _MOST_RANKED)
        titled = self._titled(index, [place for place, _, _ in ranked[:_MOST_TITLED]])
        ranked.sort(key=lambda row: row[0] not in titled)
        after = self._after(index)
        places = [place for place, _, _ in ranked]
        begin = places.index(after) + 1 if after in places else 0
        end = len(titled) if begin < len(titled) else len(ranked)
        for place, _, numbers in ranked[begin:end]:
            files = index.files(place)
            named = [files[number].path for number in numbers if number < len(files)]
            names = [*filter(path_filter(self._question.asked.path), named)]
            yield place, self._hit(index, place, names)
        result.truncated |= end < len(ranked)

    def _titled(self, index: CommitIndex, places: Sequence[int]) -> frozenset[int]:
        """Commits among some with the title that is asked for, but for a number behind it."""
        title = _bare_title(self._question.asked.words)
        found = ((place, self._found(index, place).subject) for place in places)
        return frozenset(place for place, subject in found if _bare_title(subject) == title)

    def of_lines(
        self, spans: Sequence[tuple[int, int]], walked: int | None = None
    ) -> Iterator[tuple[CommitPlace, CommitHit]]:
        """The commits that have changed lines of a file as it is now, among so many of the file."""
        history, check = self._question.history, self._question.budget.check
        committed, names = self._committed_lines(self._question.asked.path, spans)
        chosen = ChosenCommits(self._question, self._filter()._replace(path=""))
        # lines are followed back through all commits of the file
        commits = islice(self._commits_of_file(), walked)
        for item in commits_of_lines(history, commits, committed, check):
            if not chosen(item.commit):
                continue
            commit, file = self._commit(item.commit.identity), item.commit.file
            change = history.change_of(commit, file)
            hunks = [*shown_spans(change, item.texts, item.spans, names)]
            place = item.commit.identity.hex(), item.commit.date
            yield place, CommitHit(commit, [file.path], hunks)

    def _committed_lines(
        self, path: str, spans: Sequence[tuple[int, int]]
    ) -> tuple[list[tuple[int, int]], Sequence[str]]:
        """Where lines of a file as it is now are at HEAD, without new ones, and what they are of.

        Names are told of overloads alone.
        """
        names = [name for name, _ in self._question.asked.overloads]
        head = self._question.history.named("")
        version = self._question.history.version(head, path)
        if version is None:
            return [], names
        now = self._question.history.current(path)
        before = self._question.history.committed(version)
        if now is None or now == before:
            return [*spans], names
        hunks = diff_lines(before, now)
        found = [lines_before(hunks, *lines) for lines in spans]
        kept = [at for at, (begin, end) in enumerate(found) if end >= begin]
        return [found[at] for at in kept], [names[at] for at in kept if names]

    def _hit(self, index: CommitIndex, place: int, paths: Sequence[str] = ()) -> CommitHit:
        commit = self._found(index, place)
        if place in index.crowded:
            self._note_crowded(index, [place])
        files = index.files(place)
        shown = list(dict.fromkeys(paths))
        others = [item.path for item in files if item.path not in shown]
        shown += [*filter(path_filter(self._question.asked.path), others)] or others
        return CommitHit(commit, shown[:_MOST_FILES], more_files=max(len(shown) - _MOST_FILES, 0))

    def _note_crowded(self, index: CommitIndex, places: Iterable[int]) -> None:
        """Have the answer name commits that may have changed other files."""
        for place in places:
            identity = index.table.identity(place)
            self._question.history.skip(ObjectGap("", "commit", identity, MANY_FILES))

    def _found(self, index: CommitIndex, place: int) -> Commit:
        return self._commit(index.table.identity(place))

    def _commit(self, identity: bytes) -> Commit:
        found = self._question.history.commit(identity)
        if found is None:  # removed since by git gc
            raise Problem("history_unread", "a commit is no longer there")
        return found

    def _page(
        self, result: HistoryResult, found: Iterator[tuple[CommitPlace, CommitHit]]
    ) -> HistoryAnswer:
        rows: list[CommitEntry] = []
        room = self._question.chars
        shown: list[str] = []
        places: list[CommitPlace] = []
        for place, hit in found:
            entry = self._question.entry(hit)
            entry.body = message_body(hit.commit)
            size = size_of(entry)
            if len(rows) >= self._question.asked.limit or (rows and size > room):
                result.truncated = True
                break
            room -= size
            rows.append(entry)
            places.append(place)
            shown += [f"{path}@{place[0][:SHOWN_DIGITS]}" for path in hit.files]
        result.commits = rows
        if self._walked is not None:
            result.indexed = self._walked.count
        return HistoryAnswer(result, places, shown)

    def _related(self, index: CommitIndex, result: HistoryResult) -> HistoryAnswer:
        path = self._question.asked.path
        if not path:
            raise Problem("argument_invalid", "about=related needs the path of a file")
        found = related_files(index, path, self._question.budget.check)
        allowed = [item for item in found if not self._question.history.is_denied(item.path)]
        result.related = [
            RelatedEntry(
                path=self._question.shown_path(item.path),
                together=item.together,
                commits=item.of,
                last=self._commit(item.last).author.day,
            )
            for item in allowed[: self._question.asked.limit]
        ]
        result.truncated = len(allowed) > self._question.asked.limit
        return HistoryAnswer(result)

    def _people(self, index: CommitIndex, result: HistoryResult, allowed: Mask) -> HistoryAnswer:
        found = people_of(self._question.history, index, allowed, self._question.budget.check)
        result.people = [
            PersonEntry(name=item.name, email=item.email, commits=item.commits, last=item.last)
            for item in found[: self._question.asked.limit]
        ]
        result.truncated = len(found) > self._question.asked.limit
        return HistoryAnswer(result)


def _bare_title(text: str) -> str:
    return " ".join(_NUMBER.sub("", text.strip()).casefold().split())


def _first_second(text: str, name: str) -> int:
    if not text.strip():
        return 0
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        raise Problem("argument_invalid", f"{name} is a day, as 2024-01-31") from None
    return max(int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()), 1)


def _rank_commits(
    index: CommitIndex, words: str, allowed: Mask, most: int
) -> list[tuple[int, float, list[int]]]:
    """Places of the best commits, their scores, and the numbers of their files that count.

    A commit has the score of its message and of the best of its files.
    """
    terms = [item.term for item in parse_terms(words) if item.term not in STOP]
    weighted = [
        WeightedTerm(field, term.encode("utf-8", "surrogatepass"), boost)
        for term in dict.fromkeys(terms)
        for field, boost in _FIELDS.items()
    ]
    if not weighted or not allowed.any():
        return []
    limit = min(most * _CHUNKS_PER_COMMIT, _MOST_CHUNKS)
    hits = top_chunks(index.snapshot, weighted, limit, allowed=index.chunk_mask(allowed))
    scores: defaultdict[int, dict[int, float]] = defaultdict(dict)
    located = index.located([hit.chunk for hit in hits])
    for hit, (place, number) in zip(hits, located, strict=True):
        scores[place][number] = hit.score
    ranked = [
        (
            place,
            parts.get(0, 0.0) + max((score for n, score in parts.items() if n), default=0.0),
            sorted((n - 1 for n in parts if n), key=lambda n: -parts[n + 1]),
        )
        for place, parts in scores.items()
    ]
    return sorted(ranked, key=lambda row: (-row[1], row[0]))[:most]


def counted_lines(history: RepositoryHistory, commit: Commit, file: CommitFile) -> CommitFile:
    """A changed file with the numbers of its lines that are new and gone."""
    texts = history.texts(history.change_of(commit, file))
    if texts is None:
        return file
    hunks = diff_lines(*texts, whole=True)
    added = sum(hunk.new_end - hunk.new for hunk in hunks)
    return file._replace(added=added, removed=sum(hunk.old_end - hunk.old for hunk in hunks))

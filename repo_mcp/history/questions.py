"""Answers questions about the history: which one it is by its arguments, and its answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Final

import numpy as np

from index_format import WeightedTerm, top_chunks
from index_format.analysis.words import terms_of_words
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
    DAMAGE,
    MANY_FILES,
    Commit,
    CommitWalk,
    ObjectGap,
    Version,
    diff_lines,
    find_version,
    read_links,
)
from repo_mcp.history.blame_answer import BlameAnswer
from repo_mcp.history.commit_index import CommitIndex, Mask, path_filter
from repo_mcp.history.earlier_changes import answer_earlier
from repo_mcp.history.file_history import FileCommit, FileHistory, people_of, related_files
from repo_mcp.history.line_history import commits_of_lines, lines_before, shown_spans
from repo_mcp.history.model import Check, CommitFilter, CommitHit
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
# trees in which the place of the file is remembered
_MOST_KEPT: Final = 4_096
# parents of a merge
_MERGED: Final = 2
# no zone is further from UTC
_DAY: Final = int(timedelta(days=1).total_seconds())


def answer_question(root: RootQuestion) -> HistoryAnswer:
    """The answer of one root; what is wrong with the arguments is a `Problem`."""
    asked = root.asked
    if root.history.denylist.rule(asked.path):
        raise Problem("path_denied")
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
    if root.history.denylist.rule(root.asked.path):
        raise Problem("path_denied")
    found = _CommitsAnswer(root).of_lines(root.asked.declared or (), walked)
    return next((root.entry(hit) for _, hit in found), None)


class _CommitsAnswer:
    """Answers one question from the index of commits; about one file from `.git` without it."""

    def __init__(self, root: RootQuestion) -> None:
        self._root = root
        self._walked: FileWalk | None = None

    def answer(self) -> HistoryAnswer:
        """Commits, related files or people."""
        asked, index = self._root.asked, self._root.opened.commits
        result = HistoryResult(indexed=0 if index is None else len(index.table))
        if asked.declared is not None:
            return self._page(result, self.of_lines(asked.declared))
        if index is not None and (asked.path or asked.text or asked.regex or asked.words):
            self._note_crowded(index, sorted(index.crowded))
        if is_about_file(self._root.history, asked) if index is None else self._has_file(index):
            return self._page(result, self._of_file())
        if index is None:
            raise Problem("history_unindexed")
        return self._by_index(index, result)

    def _has_file(self, index: CommitIndex) -> bool:
        """True if the commits of one file are asked for, and the index has it."""
        asked = self._root.asked
        return asked.is_of_file and bool(len(index.with_path(asked.path)))

    def _by_index(self, index: CommitIndex, result: HistoryResult) -> HistoryAnswer:
        asked = self._root.asked
        if asked.about == RELATED:
            return self._related(index, result)
        allowed = allowed_commits(self._root.history, index, self._filter())
        if asked.about == PEOPLE:
            return self._people(index, result, allowed)
        if asked.text or asked.regex:
            return self._of_text(index, result, allowed)
        found = self._newest(index, allowed)
        if asked.words:
            found = self._ranked(index, allowed, result)
        return self._page(result, self._placed(index, found))

    def _of_text(self, index: CommitIndex, result: HistoryResult, allowed: Mask) -> HistoryAnswer:
        asked = self._root.asked
        sought = SoughtText(
            asked.text or asked.regex, regex=bool(asked.regex), ignore_case=asked.ignore_case
        )
        pickaxe = Pickaxe(self._root.history, index, sought, path_filter(asked.path))
        found = pickaxe.find(allowed, self._root.budget, self._after(index))
        answer = self._page(result, self._placed(index, found))
        if answer.result.truncated and asked.after is None:
            oldest = pickaxe.find(allowed, self._root.budget, oldest_first=True)
            result.first = [self._root.entry(hit) for _, hit in islice(oldest, 1)]
        return answer

    def _filter(self) -> CommitFilter:
        asked = self._root.asked
        since, until = _first_second(asked.since, "since"), _first_second(asked.until, "until")
        day = int(timedelta(days=1).total_seconds())
        return CommitFilter(asked.path, asked.author, since, until + day if until else 0)

    def _after(self, index: CommitIndex) -> int:
        """The place of the last commit of the page before; -1 for the first page."""
        if self._root.asked.after is None:
            return -1
        identity, seconds = self._root.asked.after
        place = index.table.place(bytes.fromhex(identity))
        return index.table.place_before(seconds) if place is None else place

    def _newest(self, index: CommitIndex, allowed: Mask) -> Iterator[tuple[int, CommitHit]]:
        """The last commits, of all files or those of a folder or glob."""
        path, after = self._root.asked.path, self._after(index)
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
        root = self._root
        index, path = root.opened.commits, root.asked.path
        if index is None:
            self._walked = FileWalk(root.history, path, root.budget.check)
            return self._walked.commits()
        return FileHistory(index, path).commits()

    def _of_file(self) -> Iterator[tuple[CommitPlace, CommitHit]]:
        """The last commits of a file."""
        chosen = ChosenCommits(self._root, self._filter()._replace(path=""))
        for item in filter(chosen, self._commits_of_file()):
            commit = self._commit(item.identity)
            file = item.file
            if item.place < 0:
                file = counted_lines(self._root.history, commit, file)
            name = f"{file.old_path} → {file.path}" if file.kind == "R" else file.path
            hit = CommitHit(commit, [f"{name} +{file.added} -{file.removed}"])
            yield (item.identity.hex(), item.date), hit

    def _ranked(
        self, index: CommitIndex, allowed: Mask, result: HistoryResult
    ) -> Iterator[tuple[int, CommitHit]]:
        """The best commits for words; where these are a title, its commits are a page."""
        ranked = _rank_commits(index, self._root.asked.words, allowed, _MOST_RANKED)
        titled = self._titled(index, [place for place, _, _ in ranked[:_MOST_TITLED]])
        ranked.sort(key=lambda row: row[0] not in titled)
        after = self._after(index)
        places = [place for place, _, _ in ranked]
        begin = places.index(after) + 1 if after in places else 0
        end = len(titled) if begin < len(titled) else len(ranked)
        for place, _, numbers in ranked[begin:end]:
            files = index.files(place)
            named = [files[number].path for number in numbers if number < len(files)]
            names = [*filter(path_filter(self._root.asked.path), named)]
            yield place, self._hit(index, place, names)
        result.truncated |= end < len(ranked)

    def _titled(self, index: CommitIndex, places: Sequence[int]) -> frozenset[int]:
        """Commits among some with the title that is asked for, but for a number behind it."""
        title = _bare_title(self._root.asked.words)
        found = ((place, self._found(index, place).subject) for place in places)
        return frozenset(place for place, subject in found if _bare_title(subject) == title)

    def of_lines(
        self, spans: Sequence[tuple[int, int]], walked: int | None = None
    ) -> Iterator[tuple[CommitPlace, CommitHit]]:
        """The commits that have changed lines of a file as it is now, among so many of the file."""
        history, check = self._root.history, self._root.budget.check
        committed, names = self._committed_lines(self._root.asked.path, spans)
        chosen = ChosenCommits(self._root, self._filter()._replace(path=""))
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
        names = [name for name, _ in self._root.asked.overloads]
        head = self._root.history.named("")
        version = self._root.history.version(head, path)
        if version is None:
            return [], names
        now = self._root.history.current(path)
        before = self._root.history.committed(version)
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
        shown += [*filter(path_filter(self._root.asked.path), others)] or others
        return CommitHit(commit, shown[:_MOST_FILES], more_files=max(len(shown) - _MOST_FILES, 0))

    def _note_crowded(self, index: CommitIndex, places: Iterable[int]) -> None:
        """Have the answer name commits that may have changed other files."""
        for place in places:
            identity = index.table.identity(place)
            self._root.history.skip(ObjectGap("", "commit", identity, MANY_FILES))

    def _found(self, index: CommitIndex, place: int) -> Commit:
        return self._commit(index.table.identity(place))

    def _commit(self, identity: bytes) -> Commit:
        found = self._root.history.commit(identity)
        if found is None:  # removed since by git gc
            raise Problem("history_unread", "a commit is no longer there")
        return found

    def _page(
        self, result: HistoryResult, found: Iterator[tuple[CommitPlace, CommitHit]]
    ) -> HistoryAnswer:
        rows: list[CommitEntry] = []
        room = self._root.chars
        shown: list[str] = []
        places: list[CommitPlace] = []
        for place, hit in found:
            entry = self._root.entry(hit)
            entry.body = message_body(hit.commit)
            size = size_of(entry)
            if len(rows) >= self._root.asked.limit or (rows and size > room):
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
        path = self._root.asked.path
        if not path:
            raise Problem("argument_invalid", "about=related needs the path of a file")
        found = related_files(index, path, self._root.budget.check)
        allowed = [item for item in found if not self._root.history.denylist.rule(item.path)]
        result.related = [
            RelatedEntry(
                path=self._root.shown_path(item.path),
                together=item.together,
                commits=item.of,
                last=self._commit(item.last).author.day,
            )
            for item in allowed[: self._root.asked.limit]
        ]
        result.truncated = len(allowed) > self._root.asked.limit
        return HistoryAnswer(result)

    def _people(self, index: CommitIndex, result: HistoryResult, allowed: Mask) -> HistoryAnswer:
        found = people_of(self._root.history, index, allowed, self._root.budget.check)
        result.people = [
            PersonEntry(name=item.name, email=item.email, commits=item.commits, last=item.last)
            for item in found[: self._root.asked.limit]
        ]
        result.truncated = len(found) > self._root.asked.limit
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


class FileWalk:
    """The commits of one file, back through its renames."""

    def __init__(self, history: RepositoryHistory, path: str, check: Check) -> None:
        """Read nothing yet."""
        self._history = history
        self._path = path
        self._check = check
        self._versions: dict[bytes, Version | None] = {}
        # commits that were asked so far
        self.count = 0

    def commits(self) -> Iterator[FileCommit]:
        """The commits without merges that have changed the file, the newest first."""
        walk = CommitWalk(self._history.objects)
        for identity, seconds, parents in walk.newest_first([self._history.find("HEAD")]):
            self._check()
            self.count += 1
            file = self._change(identity, parents) if len(parents) < _MERGED else None
            if file is None:
                continue
            # else another file took its name from it
            if file.kind == "R" and file.path == self._path:
                self._path, self._versions = file.old_path, {}
            yield FileCommit(identity, seconds, file)

    def _change(self, identity: bytes, parents: tuple[bytes, ...]) -> CommitFile | None:
        """The change of a commit to the file; None where it has none, or can't be read."""
        new = self._version(identity)
        old = self._version(parents[0]) if parents else None
        if new == old:
            return None
        if new is not None and old is not None:
            return CommitFile("M", self._path)
        commit = self._history.commit(identity)
        changes = () if commit is None else self._history.reader.changes(commit, self._history.skip)
        for change in changes:
            if self._path in {change.new.path, change.old.path}:
                old_path = change.old.path if change.kind == "R" else ""
                return CommitFile(change.kind, change.path, old_path)
        return None

    def _version(self, commit: bytes) -> Version | None:
        try:
            links = read_links(self._history.objects, commit)
            if links is None:
                return None
            if links.tree not in self._versions:
                found = find_version(self._history.objects, links.tree, self._path)
                # a commit is compared with its parent, which comes soon after it
                if len(self._versions) >= _MOST_KEPT:
                    self._versions.clear()
                self._versions[links.tree] = found
            return self._versions[links.tree]
        except DAMAGE:
            return None


def counted_lines(history: RepositoryHistory, commit: Commit, file: CommitFile) -> CommitFile:
    """A changed file with the numbers of its lines that are new and gone."""
    texts = history.texts(history.change_of(commit, file))
    if texts is None:
        return file
    hunks = diff_lines(*texts, whole=True)
    added = sum(hunk.new_end - hunk.new for hunk in hunks)
    return file._replace(added=added, removed=sum(hunk.old_end - hunk.old for hunk in hunks))


class ChosenDays:
    """Tells commits of the days that are asked for."""

    def __init__(self, history: RepositoryHistory, wanted: CommitFilter) -> None:
        """Keep the arguments; the bounds are those of days of UTC."""
        self._history = history
        self._since, self._until = wanted.since, wanted.until

    def __call__(self, identity: bytes, date: int) -> bool:
        """True if a commit with this date is; it is read where its zone may decide that."""
        if any(bound and abs(date - bound) <= _DAY for bound in (self._since, self._until)):
            commit = self._history.commit(identity)
            date = date if commit is None else commit.committer.local_time
        return date >= self._since and (not self._until or date < self._until)


def allowed_commits(history: RepositoryHistory, index: CommitIndex, wanted: CommitFilter) -> Mask:
    """By place in the index, whether a commit is one that is asked for."""
    since, until = (wanted.since - _DAY) * bool(wanted.since), wanted.until
    wide = wanted._replace(since=max(since, 0), until=until + _DAY if until else 0)
    found = index.allowed(wide)
    is_chosen, dates = ChosenDays(history, wanted), index.table.dates
    for bound in filter(None, (wanted.since, until)):
        for place in np.flatnonzero(found & (np.abs(dates - bound) <= _DAY)).tolist():
            found[place] = is_chosen(index.table.identity(place), int(dates[place]))
    return found


class ChosenCommits:
    """Is asked of one commit after another, the newest first; by the index, if there is one."""

    def __init__(self, root: RootQuestion, wanted: CommitFilter) -> None:
        """Find the commits that are newer than the one from which on is asked, if there is one."""
        self._root = root
        self._wanted = wanted
        self._is_behind = root.asked.after is None
        index, rev = root.opened.commits, root.asked.rev
        self._days = ChosenDays(root.history, wanted)
        self._allowed = None if index is None else allowed_commits(root.history, index, wanted)
        first = root.history.find(rev) if rev and root.asked.declared is not None else b""
        place = index.table.place(first) if index is not None and first else 0
        newer = self._newer_than(first) if index is None and first else frozenset()
        if place is None or newer is None:
            raise Problem("argument_invalid", f"{rev} is none of the commits before HEAD")
        self._place, self._newer = place, newer

    def __call__(self, item: FileCommit) -> bool:
        """True if it is, and is behind the last commit of the page before."""
        return self._comes_behind(item) and self._is_chosen(item)

    def _comes_behind(self, item: FileCommit) -> bool:
        after = self._root.asked.after
        if self._is_behind or after is None:
            return True
        if item.identity.hex() == after[0]:
            self._is_behind = True
            return False
        self._is_behind = item.date < after[1]
        return self._is_behind

    def _is_chosen(self, item: FileCommit) -> bool:
        if self._allowed is not None:
            return item.place >= self._place and bool(self._allowed[item.place])
        wanted = self._wanted
        if item.identity in self._newer or not self._days(item.identity, item.date):
            return False
        commit = self._root.history.commit(item.identity) if wanted.author else None
        names = "" if commit is None else f"{commit.author.name} {commit.author.email}"
        return {*terms_of_words(names)}.issuperset(terms_of_words(wanted.author))

    def _newer_than(self, first: bytes) -> frozenset[bytes] | None:
        """The commits that come before one; None where it is not before HEAD."""
        history = self._root.history
        newer: set[bytes] = set()
        for identity, _, _ in CommitWalk(history.objects).newest_first([history.find("HEAD")]):
            self._root.budget.check()
            if identity == first:
                return frozenset(newer)
            newer.add(identity)
        return None

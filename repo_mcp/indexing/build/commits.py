"""Makes documents of commits: the words of their messages and of the lines that they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from index_format import (
    Chunk,
    Document,
    SegmentEntry,
    Store,
    Tokens,
    Vocabulary,
    build_segment,
)
from index_format.analysis.counting import Analyser
from index_format.tuples import NamedTuple
from repo_mcp.git import (
    CROWDED,
    DAMAGE,
    Commit,
    FileChange,
    GitObjects,
    ObjectGap,
    Skipped,
    UnreadObjectError,
    Version,
    changed_files,
    commit_or_none,
    diff_lines,
    is_binary,
    read_commit,
    shown_path,
    with_renames,
)
from repo_mcp.safety.denylist import Denylist
from repo_mcp.stored import AUTHOR, CHANGED, CHANGED_PATH, HISTORY_SCHEMA, MESSAGE
from repo_mcp.stored_commits import (
    FILES,
    MANY_PATHS,
    PARENTS,
    UNREAD_LINES,
    CommitFile,
    commit_path,
    pack_files,
)

# bytes of a path that its term has
_LONGEST_PATH: Final = 1024
# part of the index's signature: raise it when documents change
VERSION: Final = 3
# larger files have no words
MOST_BLOB_BYTES: Final = 16 << 20
# characters that are analysed together
_BATCH_CHARACTERS: Final = 1 << 20
# paths of one merge; of more it has none
_MOST_MERGED: Final = 20_000
# of one commit, bytes of files that are read, and of lines that have words: its other files have
# none, and are candidates of any text
_MOST_READ_BYTES: Final = 512 << 20
_MOST_LINE_BYTES: Final = 8 << 20


class CommitLines(NamedTuple):
    """A file that a commit has changed, and its lines that are gone and new; None if unread."""

    file: CommitFile
    lines: bytes | None
    # bytes of both sides
    size: int = 0


class CommitText(NamedTuple):
    """A commit and the files that it has changed."""

    commit: Commit
    files: Sequence[CommitLines]
    # the terms of paths that a merge has changed
    merged: Sequence[bytes] = ()


class CommitReader:
    """Reads the commits of a repository as they are indexed, without files that are denied."""

    def __init__(self, objects: GitObjects, denylist: Denylist) -> None:
        """Keep the arguments; reads nothing."""
        self._objects = objects
        self._denylist = denylist

    def read(self, identity: bytes) -> CommitText | None:
        """A commit; None where it can't be read. One whose parent is missing has no files."""
        commit = commit_or_none(self._objects, identity)
        if commit is None:
            return None
        self._objects.work.begin()
        many: list[bytes] = []

        def skip(gap: ObjectGap) -> None:
            if gap.reason != CROWDED:
                raise UnreadObjectError(gap)
            many.append(MANY_PATHS)

        try:
            if commit.is_merge:
                return CommitText(commit, (), self._merged_paths(commit))
            return CommitText(commit, [*self._texts(self.changes(commit, skip))], many)
        except DAMAGE:  # a partial clone has not all of them
            return CommitText(commit, (), (MANY_PATHS,))

    def _texts(self, changes: Sequence[FileChange]) -> Iterator[CommitLines]:
        """The changed lines of files, of the first ones if they are very many."""
        read, kept = _MOST_READ_BYTES, _MOST_LINE_BYTES
        for change in changes:
            if read < 0 or kept < 0:
                yield CommitLines(CommitFile(change.kind, change.path, _old_path(change)), None)
                continue
            found = self._text(change)
            read -= found.size
            kept -= len(found.lines or b"")
            yield found

    def _merged_paths(self, commit: Commit) -> Sequence[bytes]:
        """The paths that a merge has not as its first parent has them."""
        parent = read_commit(self._objects, commit.parents[0])
        if parent is None:
            return (MANY_PATHS,)
        found = changed_files(self._objects, parent.tree, commit.tree)
        if len(found) > _MOST_MERGED:
            return (MANY_PATHS,)
        paths = (item.path for item in found)
        return [path_term(path) for path in paths if not self._denylist.rule(path)]

    def changes(self, commit: Commit, skipped: Skipped | None = None) -> list[FileChange]:
        """The files that a commit has changed, against its first parent; one of `DAMAGE`.

        Folders that can't be read are passed over if there is someone to be told.
        """
        before = None
        if commit.parents:
            parent = commit_or_none(self._objects, commit.parents[0])
            if parent is None:  # where a shallow clone ends, all files would be new
                return []
            before = parent.tree
        found = changed_files(self._objects, before, commit.tree, skipped)
        return self.allowed(with_renames(found, self.content_or_none))

    def allowed(self, changes: Sequence[FileChange]) -> list[FileChange]:
        """Changes as far as their files may be read."""
        return [item for item in map(self._allowed, changes) if item is not None]

    def content(self, identity: bytes) -> bytes:
        """The content of a file by its hash; one of `DAMAGE`."""
        return self._objects.data(identity, "blob")

    def content_or_none(self, identity: bytes) -> bytes | None:
        """The content of a file by its hash; None where it can't be read."""
        try:
            return self.content(identity)
        except DAMAGE:
            return None

    def texts(self, change: FileChange) -> tuple[bytes, bytes] | None:
        """A file before and after; None for what is no text. One of `DAMAGE`."""
        both = [self._content_of(version) for version in change]
        return None if any(map(is_binary, both)) else (both[0], both[1])

    def _content_of(self, version: Version) -> bytes:
        return self.content(version.identity) if version.is_regular else b""

    def _text(self, change: FileChange) -> CommitLines:
        try:
            texts = self.texts(change)
        except DAMAGE:
            texts = None
        added = removed = 0
        lines: list[bytes] = []
        if texts is not None and (texts[0] or texts[1]):
            for hunk in diff_lines(*texts, whole=True):
                added += hunk.new_end - hunk.new
                removed += hunk.old_end - hunk.old
                lines += (
                    texts[0][hunk.old_at : hunk.old_stop],
                    texts[1][hunk.new_at : hunk.new_stop],
                )
        file = CommitFile(change.kind, change.path, _old_path(change), added, removed)
        joined = b"\n".join(lines)
        words = joined if len(joined) <= _MOST_LINE_BYTES else None
        return CommitLines(file, words, sum(map(len, texts or ())))

    def _allowed(self, change: FileChange) -> FileChange | None:
        """A change as far as its files may be read."""
        old, new = change
        if old.is_there and self._denylist.rule(old.path):
            old = Version(new.path)
        if new.is_there and self._denylist.rule(new.path):
            new = Version(old.path)
        if not (old.is_there or new.is_there):
            return None
        return FileChange(
            old._replace(path=shown_path(old.path)), new._replace(path=shown_path(new.path))
        )


class CommitIndexer:
    """Builds segments of commits; keeps its vocabulary from one to the next."""

    def __init__(self, reader: CommitReader, store: Store) -> None:
        """Keep the arguments; reads nothing."""
        self._reader = reader
        self._store = store
        self._analyser = Analyser()
        self._vocabulary = Vocabulary()

    def build(
        self, identities: Sequence[bytes], at: Callable[[int], None] = lambda _: None
    ) -> SegmentEntry | None:
        """The unpublished segment of these commits; `at` is called with the number of each."""
        if self._analyser.is_full:
            self._vocabulary = Vocabulary()
        documents: list[Document] = []
        for batch in self._batches(identities, at):
            documents += self._documents(batch)
        if not documents:
            return None
        return build_segment(self._store, HISTORY_SCHEMA, documents, self._vocabulary)

    def _batches(
        self, identities: Sequence[bytes], at: Callable[[int], None]
    ) -> Iterator[list[CommitText]]:
        batch: list[CommitText] = []
        held = 0
        for number, identity in enumerate(identities):
            at(number)
            found = self._reader.read(identity)
            if found is None:
                continue
            batch.append(found)
            lines = sum(len(item.lines or b"") for item in found.files)
            held += len(found.commit.message) + lines
            if held >= _BATCH_CHARACTERS:
                yield batch
                batch, held = [], 0
        if batch:
            yield batch

    def _documents(self, batch: Sequence[CommitText]) -> Iterator[Document]:
        pieces: list[str | bytes] = []
        for item in batch:
            author = item.commit.author
            pieces += item.commit.message, f"{author.name} {author.email}"
            pieces += [_analysed(file.lines or b"") for file in item.files]
        tokens = iter(self._analyser.count(pieces, self._vocabulary))
        for item in batch:
            fields = {MESSAGE: next(tokens), AUTHOR: next(tokens)}
            if item.merged:
                fields[CHANGED_PATH] = self._vocabulary.tokens(item.merged)
            chunks = [Chunk(1, 1, fields)]
            for number, file in enumerate(item.files, 2):
                words = next(tokens)
                if file.lines is None:
                    words = self._vocabulary.tokens([UNREAD_LINES])
                fields = {CHANGED: words, CHANGED_PATH: self._path_tokens(file.file)}
                chunks.append(Chunk(number, number, fields))
            commit = item.commit
            yield Document(
                commit_path(commit.identity, commit.committer.time),
                chunks,
                attachments={
                    PARENTS: b"".join(commit.parents),
                    FILES: pack_files([file.file for file in item.files]),
                },
            )

    def _path_tokens(self, file: CommitFile) -> Tokens:
        paths = [path_term(path) for path in (file.path, file.old_path) if path]
        return self._vocabulary.tokens(paths)


def _old_path(change: FileChange) -> str:
    return change.old.path if change.kind == "R" else ""


def path_term(path: str) -> bytes:
    """The term of a path: what it begins with, if it is very long."""
    return path.encode("utf-8", "surrogateescape")[:_LONGEST_PATH]


def _analysed(lines: bytes) -> str | bytes:
    return lines if lines.isascii() else lines.decode("utf-8", "replace")

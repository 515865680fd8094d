"""Builds one unpublished segment from a list of files, in this process or in a worker.

Files are read in groups; where they are slow to come, several groups at once. The files and their
order are the same in any case.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from code_graph import Languages, facts_to_store
from code_graph.facts import FAILED, STOPPED, Facts
from index_format import Document, Store, Vocabulary, build_segment
from index_format.analysis.content import fingerprint
from index_format.analysis.counting import Analyser
from repo_mcp.budget import Clock
from repo_mcp.documents import is_unread
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.documents import TextFile, make_documents
from repo_mcp.indexing.build.tasks import INDEXED, SAME, BuildResult, FileResult, FileTask
from repo_mcp.model import Windows
from repo_mcp.safety.sandbox import UNKNOWN_KEY, Content, Sandbox
from repo_mcp.stored import SCHEMA
from repo_mcp.text.files import decode
from repo_mcp.vectors.embedder import Embedder

if TYPE_CHECKING:  # loaded where files are slow
    from concurrent.futures import Future

# characters analysed in one batch: more is no faster and takes more memory
_BATCH_CHARACTERS: Final = 1 << 20
_GROUP: Final = 128
_GROUP_BYTES: Final = 1 << 20
# seconds that a file takes, from which on several groups are read at once: forty times as long as
# where the system has it in memory
_SLOW: Final = 0.001
# so many smaller groups are read ahead, each in a thread
_AHEAD: Final = 8
_SMALL_GROUP: Final = 16
# files that are read so, before it is looked whether they still are slow
_STRETCH: Final = 1024

_ReadFile = tuple[FileTask, Content | Problem]


class Builder:
    """Reads, parses and analyses files; keeps its vocabulary from one segment to the next."""

    def __init__(
        self,
        sandbox: Sandbox,
        windows: Windows,
        store: Store,
        languages: Languages,
        embedder: Embedder | None = None,
    ) -> None:
        """Keep the settings; reads nothing."""
        self._embedder = embedder
        self._reader = FileReader(sandbox)
        self._languages = languages
        self._windows = windows
        self._store = store
        self._analyser = Analyser()
        self._vocabulary = Vocabulary()

    def build(
        self,
        wanted: Sequence[FileTask],
        *,
        parse: bool,
        unparsed: Collection[str] = (),
        at: Callable[[int], None] = lambda _: None,
    ) -> BuildResult:
        """Index files with different paths; without `parse`, their words only.

        Files in `unparsed` are not given to a parser. `at` is called with each file's number before
        the file is read.
        """
        if self._analyser.is_full:
            self._vocabulary = Vocabulary()
        done: list[FileResult] = []
        made: list[Document] = []
        for batch in self._batches(wanted, parse, unparsed, at, done):
            made += make_documents(
                batch,
                self._windows,
                self._analyser,
                self._vocabulary,
                self._embedder,
                words_only=not parse,
            )
        entry = build_segment(self._store, SCHEMA, made, self._vocabulary) if made else None
        return BuildResult(entry, done)

    def _batches(
        self,
        wanted: Sequence[FileTask],
        parse: bool,  # noqa: FBT001 passed through
        unparsed: Collection[str],
        at: Callable[[int], None],
        done: list[FileResult],
    ) -> Iterator[list[TextFile]]:
        batch: list[TextFile] = []
        held = 0
        for number, (item, content) in enumerate(self._reader.read(wanted)):
            at(number)
            source, outcome = self._source(
                item, content, parse=parse, is_skipped=item.path in unparsed
            )
            done.append(outcome)
            if source is None:
                continue
            batch.append(source)
            held += len(source.text)
            if held >= _BATCH_CHARACTERS:
                yield batch
                batch, held = [], 0
        if batch:
            yield batch

    def _source(
        self, item: FileTask, content: Content | Problem, *, parse: bool, is_skipped: bool
    ) -> tuple[TextFile | None, FileResult]:
        path = item.path
        if isinstance(content, Problem):
            return None, FileResult(path, content.code, UNKNOWN_KEY, b"", 0, shallow=False)
        print_ = fingerprint(content.data)
        size = len(content.data)
        if print_ == item.known_fingerprint:
            return None, FileResult(path, SAME, content.key, print_, size, shallow=False)
        is_missing = is_unread(path, content.data)
        text = None if is_missing else decode(content.data)
        if text is None:
            reason = "document_unread" if is_missing else "binary"
            return None, FileResult(path, reason, content.key, print_, size, shallow=False)
        facts = self._facts(path, text.content, is_skipped=is_skipped) if parse else None
        source = TextFile(path, text.content, print_, size, facts)
        return source, FileResult(path, INDEXED, content.key, print_, size, shallow=not parse)

    def _facts(self, path: str, text: str, *, is_skipped: bool) -> Facts | None:
        if is_skipped:
            language = self._languages.language_of(path)
            return Facts(language, STOPPED) if language else None
        return make_facts(self._languages, path, text)


def make_facts(languages: Languages, path: str, text: str) -> Facts | None:
    """The facts of a file to be stored, None without a language; a failure costs one file's."""
    adapter = languages.adapter_for(path)
    if adapter is None:
        return None
    try:
        return facts_to_store(adapter, path, text)
    except Exception:  # noqa: BLE001 it may be a plugin
        return Facts(adapter.name, FAILED)


class FileReader:
    """Reads files through the sandbox, and remembers whether they are slow to come."""

    def __init__(self, sandbox: Sandbox, clock: Clock = time.perf_counter) -> None:
        """Nothing is read yet."""
        self._sandbox = sandbox
        self._clock = clock
        self._is_slow = False

    def read(self, wanted: Sequence[FileTask]) -> Iterator[_ReadFile]:
        """These files with their contents, in their order."""
        files = iter(wanted)
        while group := _take(files, _GROUP):
            if self._is_slow:
                yield from self._read_ahead([*group, *islice(files, _STRETCH)])
            else:
                yield from self._read(group)

    def _read_ahead(self, wanted: Sequence[FileTask]) -> Iterator[_ReadFile]:
        """Read a few groups at once, while what was read before is worked on."""
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 where files are slow

        files = iter(wanted)
        waiting: deque[Future[Sequence[_ReadFile]]] = deque()
        pool = ThreadPoolExecutor(_AHEAD)
        try:
            while group := _take(files, _SMALL_GROUP):
                waiting.append(pool.submit(self._read, group))
                if len(waiting) == _AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _read(self, group: Sequence[FileTask]) -> Sequence[_ReadFile]:
        begun = self._clock()
        plain = self._sandbox.read_plain([item.path for item in group])
        found = [
            (item, content or self._read_alone(item.path))
            for item, content in zip(group, plain, strict=True)
        ]
        self._is_slow = self._clock() - begun > _SLOW * len(group)
        return found

    def _read_alone(self, path: str) -> Content | Problem:
        try:
            return self._sandbox.read(path, follow=False)
        except Problem as problem:
            return problem


def _take(files: Iterator[FileTask], most: int) -> list[FileTask]:
    """The next files, so many or so many bytes."""
    group: list[FileTask] = []
    held = 0
    for item in islice(files, most):
        group.append(item)
        held += item.size
        if held >= _GROUP_BYTES:
            break
    return group

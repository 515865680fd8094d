"""Builds one unpublished segment from a list of files, in this process or in a worker."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from code_graph import Languages, facts_to_store
from code_graph.facts import FAILED, STOPPED, Facts
from index_format import Document, Store, Vocabulary, build_segment
from index_format.analysis.content import fingerprint
from index_format.analysis.counting import Analyser
from repo_mcp.documents import is_unread
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.documents import TextFile, make_documents
from repo_mcp.indexing.build.reading import FileReader
from repo_mcp.indexing.build.tasks import INDEXED, SAME, BuildResult, FileResult, FileTask
from repo_mcp.model import Windows
from repo_mcp.safety.sandbox import UNKNOWN_KEY, Content, Sandbox
from repo_mcp.stored import SCHEMA
from repo_mcp.text.files import decode
from repo_mcp.vectors.embedder import Embedder

# characters analysed in one batch: more is no faster and takes more memory
_BATCH_CHARACTERS: Final = 1 << 20


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

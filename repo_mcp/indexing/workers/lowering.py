"""Makes the symbolic code of files, here or in worker processes.

A document has one file's code, and the keys of the names that it shares. A file that is not what
the text index has of it gets no document: a refresh of the text comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from code_graph import Languages
from code_graph.contracts.read.file_contracts import add_contracts
from code_graph.expressions import FileCode
from code_graph.expressions.wire import encode_code, is_consistent
from code_graph.facts import DamagedFactsError, Facts, decode_for_linking
from code_graph.link.shared_names import keys_of
from code_graph.store.code_files import code_of
from code_graph.store.schema import CODE, CODE_SCHEMA, FACTS, SHARED
from code_graph.store.terms import id_term
from index_format import (
    Chunk,
    Document,
    SegmentEntry,
    Snapshot,
    Store,
    Tokens,
    Vocabulary,
    build_segment,
)
from index_format.analysis.content import fingerprint
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.indexing.workers.file_jobs import FileGroup, FileJob
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.files import decode


class LoweredPart(NamedTuple):
    """The unpublished segment of some files, and those of them that have changed."""

    entry: SegmentEntry | None
    changed: Sequence[str]


class LowerTask(FileJob):
    """Makes the code of these files and builds one segment; skipped ones have none."""

    def __init__(self, group: FileGroup, fingerprints: Sequence[bytes]) -> None:
        super().__init__(group)
        self.fingerprints = fingerprints

    @property
    def retained_bytes(self) -> int:
        """Bytes of all files."""
        return self.size

    def message(self) -> object:
        """The task message for the worker."""
        return {
            "lower": [list(self.paths), list(self.fingerprints)],
            "unparsed": sorted(self.skipped),
        }

    def result(self, message: Any) -> LoweredPart:  # noqa: ANN401 as the worker sent it
        """The built segment, and which files have changed."""
        record, changed = message
        return LoweredPart(None if record is None else SegmentEntry.from_record(record), changed)


def lower_tasks(groups: Sequence[FileGroup], files: Mapping[str, bytes]) -> list[LowerTask]:
    """One task for each group, with the fingerprints of its files."""
    return [LowerTask(group, [files[path] for path in group.paths]) for group in groups]


def lower_files(
    store: Store,
    sandbox: Sandbox,
    languages: Languages,
    text: Snapshot,
    files: Mapping[str, bytes],
    *,
    unparsed: Collection[str] = (),
    at: Callable[[int], None] = lambda _: None,
) -> LoweredPart:
    """Build a segment of the code of files with these fingerprints, in `text` and on disk.

    Files in `unparsed` are not parsed. `at` is called with each file's number before it is read.
    """
    documents: list[Document] = []
    changed: list[str] = []
    vocabulary = Vocabulary()
    for number, (path, known) in enumerate(files.items()):
        at(number)
        facts = _facts(text, path, known)
        content = None if facts is None else _read(sandbox, path, known)
        if content is None or facts is None:
            changed.append(path)
            continue
        code, data = None, encode_code(None)
        if path not in unparsed:
            code, data = _encoded(make_code(languages, path, content, facts))
        keys = keys_of(path, facts, code_of(facts, code))
        shared = Tokens(np.array(vocabulary.numbers(map(id_term, keys)), dtype=np.uint32))
        chunks = [Chunk(1, 1, {SHARED: shared})] if keys else []
        documents.append(Document(path, chunks, known, attachments={CODE: data}))
    if not documents:
        return LoweredPart(None, changed)
    return LoweredPart(build_segment(store, CODE_SCHEMA, documents, vocabulary), changed)


def _facts(text: Snapshot, path: str, known: bytes) -> Facts | None:
    """The facts of a file of this fingerprint; None if the text index has another one.

    Damaged facts are those of a file without declarations, as for the linker.
    """
    file = text.file(path)
    if file is None or file.fingerprint != known:
        return None
    try:
        return decode_for_linking(text.attachment(path, FACTS))
    except DamagedFactsError:
        return Facts("")


def _read(sandbox: Sandbox, path: str, known: bytes) -> str | None:
    """The text of a file; None if it is not the one of this fingerprint."""
    try:
        content = sandbox.read(path, follow=False)
    except Problem:
        return None
    text = decode(content.data) if fingerprint(content.data) == known else None
    return None if text is None else text.content


def make_code(
    languages: Languages, path: str, text: str, facts: Facts, *, with_contracts: bool = True
) -> FileCode | None:
    """The code of a file; a failure costs one file's code."""
    adapter = languages.code_adapter_for(path)
    with suppress(Exception):
        found = None if adapter is None else adapter.code(path, text, facts)
        if with_contracts:
            found = add_contracts(text, facts, found)
        if found is not None and is_consistent(found):
            return found
    return None


def _encoded(code: FileCode | None) -> tuple[FileCode | None, bytes]:
    """The code with its bytes; a failure costs one file's code."""
    with suppress(Exception):
        return code, encode_code(code)
    return None, encode_code(None)

"""Makes the symbolic code of files, here or in worker processes.

A document has one file's code and nothing else. A file that is not what the text index has of it
gets no document: a refresh of the text comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from index_format import Document, SegmentEntry, Store, Vocabulary, build_segment
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.file_jobs import FileGroup, FileJob
from repo_mcp.languages import Languages
from repo_mcp.languages.code.wire import encode_code
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import CODE, CODE_SCHEMA
from repo_mcp.text.files import decode, fingerprint


class LoweredPart(NamedTuple):
    """The unpublished segment of some files, and those of them that have changed."""

    entry: SegmentEntry | None
    changed: Sequence[str]


@dataclass(slots=True)
class LowerTask(FileJob):
    """Makes the code of these files and builds one segment; skipped ones have none."""

    fingerprints: Sequence[bytes]

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
    return [LowerTask(*group, [files[path] for path in group.paths]) for group in groups]


def lower_files(
    store: Store,
    sandbox: Sandbox,
    languages: Languages,
    files: Mapping[str, bytes],
    *,
    unparsed: Collection[str] = (),
    at: Callable[[int], None] = lambda _: None,
) -> LoweredPart:
    """Build a segment of the code of files with these fingerprints.

    Files in `unparsed` are not parsed. `at` is called with each file's number before it is read.
    """
    documents: list[Document] = []
    changed: list[str] = []
    for number, (path, known) in enumerate(files.items()):
        at(number)
        text = _read(sandbox, path, known)
        if text is None:
            changed.append(path)
        else:
            code = b"" if path in unparsed else _code(languages, path, text)
            attachments = {CODE: code or encode_code(None)}
            documents.append(Document(path, [], known, attachments=attachments))
    if not documents:
        return LoweredPart(None, changed)
    return LoweredPart(build_segment(store, CODE_SCHEMA, documents, Vocabulary()), changed)


def _read(sandbox: Sandbox, path: str, known: bytes) -> str | None:
    """The text of a file; None if it is not the one of this fingerprint."""
    try:
        content = sandbox.read(path, follow=False)
    except Problem:
        return None
    text = decode(content.data) if fingerprint(content.data) == known else None
    return None if text is None else text.content


def _code(languages: Languages, path: str, text: str) -> bytes:
    adapter = languages.code_adapter_for(path)
    with suppress(Exception):  # a failure costs one file's code
        return b"" if adapter is None else encode_code(adapter.code(path, text))
    return b""

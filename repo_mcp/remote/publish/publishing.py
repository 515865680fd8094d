"""Publishes the indexes of a checkout: what is missing is uploaded, the label moves last.

    1. put a run: the names of the publication and of all its segments, packs of texts and tree
    2. wait while a collector is at work
    3. list these objects, upload those that are missing
    4. put the publication, then what names it: its commit, its pin and at last the label
    5. remove the run

A reader goes from a label to a publication and on to its objects, each of which is there before it
is named. So a run that ends anywhere leaves the old or the new publication, and the next one goes
on from the objects that are there. What a run needs stays while it is in progress: either the
collector sees the run of step 1, or the run sees the collector in step 2 (`retention`).
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Final

from code_graph.store.schema import GraphProgress
from index_format import (
    Index,
    IndexFormatError,
    IndexMissingError,
    SegmentEntry,
    SegmentReader,
    Snapshot,
    export_manifest,
)
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import Progress
from repo_mcp.remote.objects.contract import ObjectStore
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.local_index import LocalIndex
from repo_mcp.remote.publish.notes import (
    PublicationNote,
    Signer,
    commit_place,
    encode_note,
    move_label,
)
from repo_mcp.remote.publish.publication import Publication
from repo_mcp.remote.publish.retention import wait_for_collector
from repo_mcp.remote.publish.texts import TextExport
from repo_mcp.stored import CODE_INDEX, GRAPH_INDEX, STORED_KINDS, TEXT_INDEX, IndexProgress

_UPLOADS: Final = 4
_PIECE_BYTES: Final = 4 << 20
_POLL_SECONDS: Final = 0.2
# the number of the text's generation in a portable manifest of the graph, if it is of that text
PORTABLE_TEXT: Final = 1
PUBLISHING: Final = "publishing"


# the open segments of a checkout by their names
Readers = Mapping[str, SegmentReader]


class PublishReport(NamedTuple):
    """The result of a run; `moved`: the label named something else before."""

    publication: str
    commit: str
    segments: int
    size: int
    uploaded: int
    uploaded_size: int
    moved: bool
    removed: int = 0
    # packs of texts and the tree, their bytes, and how much of them was not there
    texts: int = 0
    texts_size: int = 0
    texts_uploaded: int = 0
    texts_uploaded_size: int = 0


class IndexExport(NamedTuple):
    """A publication, and the open segments that it names."""

    publication: Publication
    # they keep the segments readable, whatever other writers remove meanwhile
    readers: Readers
    texts: TextExport | None = None

    def with_texts(self, texts: TextExport) -> IndexExport:
        """The same publication with the texts of its files."""
        return IndexExport(replace(self.publication, texts=texts.names), self.readers, texts)


class _Upload(NamedTuple):
    """An object that is published: its name, its bytes, and how many these are."""

    name: str
    length: int
    pieces: Callable[[], Iterable[bytes]]


class Publisher:
    """Publishes to one store; `pause` waits for so many seconds."""

    def __init__(
        self,
        store: ObjectStore,
        budget: Budget,
        on_progress: Callable[[Progress], None] = lambda _: None,
        pause: Callable[[float], None] = time.sleep,
        uploads: int = _UPLOADS,
        signer: Signer | None = None,
    ) -> None:
        """Keep the arguments; asks for nothing yet."""
        self._signer = signer
        self._store = store
        self._budget = budget
        self._on_progress = on_progress
        self._pause = pause
        self._uploads = uploads

    def publish(self, found: IndexExport, label: str | None, *, pin: bool = False) -> PublishReport:
        """Publish what was exported under a label; `pin` keeps it for good.

        Without a label, only the commit names them.
        """
        if label is not None:
            names.check_label(label)
        publication = found.publication
        identity = publication.identity
        segments, texts = _segments_of(found), _texts_of(found)
        run = names.run(secrets.token_hex(8))
        needed = {"publication": identity, "segments": sorted(publication.object_names)}
        self._store.put(run, [json.dumps(needed).encode()])
        wait_for_collector(self._store, run, self._budget, self._pause)
        folders = [names.SEGMENTS, *([names.TEXTS] if texts else [])]
        there = {row.name: row.size for folder in folders for row in self._store.rows(folder)}
        missing = [item for item in segments if there.get(item.name) != item.length]
        missing_texts = [item for item in texts if there.get(item.name) != item.length]
        self._upload([*missing, *missing_texts])
        self._store.put(names.publication(identity), [publication.data])
        moved = self._name(publication, label, pin=pin)
        self._store.remove(run)
        return PublishReport(
            identity,
            publication.commit,
            len(segments),
            _size(segments),
            len(missing),
            _size(missing),
            moved,
            texts=len(texts),
            texts_size=_size(texts),
            texts_uploaded=len(missing_texts),
            texts_uploaded_size=_size(missing_texts),
        )

    def _name(self, publication: Publication, label: str | None, *, pin: bool) -> bool:
        identity = publication.identity
        if pin:
            self._store.put(names.pin(identity), [encode_note(PublicationNote(identity))])
        if publication.commit:
            name = names.commit(publication.signature, publication.commit)
            self._store.put(name, [self._commit_note(publication)])
        if label is None:
            return False
        return move_label(self._store, label, identity, self._signer)

    def _commit_note(self, publication: Publication) -> bytes:
        identity, signer = publication.identity, self._signer
        if signer is None:
            return encode_note(PublicationNote(identity))
        place = commit_place(publication.signature, publication.commit)
        return signer.note(identity, place, signer.next_number(None, place))

    def _upload(self, missing: Sequence[_Upload]) -> None:
        """Upload objects, a few at a time."""
        started = self._budget.clock()
        all_size, done, size = _size(missing), 0, 0

        def uploaded(item: _Upload) -> None:
            nonlocal done, size
            done, size = done + 1, size + item.length
            seconds = self._budget.clock() - started
            self._on_progress(Progress(PUBLISHING, done, len(missing), size, all_size, seconds))

        if self._uploads <= 1:
            for item in missing:
                self._put(item)
                uploaded(item)
            return
        with ThreadPoolExecutor(self._uploads) as pool:
            pending = {pool.submit(self._put, item): item for item in missing}
            try:
                for future in self._finished(pending):
                    future.result()
                    uploaded(pending[future])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _finished(self, pending: dict[Future[None], _Upload]) -> Iterator[Future[None]]:
        """The uploads as they end; ends with a `Problem` when the work is cancelled."""
        rest = set(pending)
        while rest:
            self._budget.check()
            done, rest = wait(rest, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
            yield from done

    def _put(self, item: _Upload) -> None:
        self._store.put(item.name, item.pieces())


def _segments_of(found: IndexExport) -> Sequence[_Upload]:
    """The segments of a publication, by their names."""
    entries = {entry.name: entry for _, entry in found.publication.segments()}
    return [
        _Upload(names.segment(name), entry.length, partial(_pieces, found.readers[name], entry))
        for name, entry in sorted(entries.items())
    ]


def _texts_of(found: IndexExport) -> Sequence[_Upload]:
    """The packs of texts and the tree of a publication, if it has texts."""
    texts = found.texts
    if texts is None:
        return ()

    def pieces(name: str) -> Iterable[bytes]:
        return [texts.data(name)]

    sizes = sorted(texts.sizes.items())
    return [_Upload(names.texts(name), size, partial(pieces, name)) for name, size in sizes]


def _size(objects: Iterable[_Upload]) -> int:
    return sum(item.length for item in objects)


def export(local: LocalIndex) -> IndexExport:
    """The current generations; `Problem` if there are none, or some files are not indexed yet."""
    indexes: dict[str, bytes] = {}
    text = _snapshot(local, TEXT_INDEX.folder)
    if text is None:
        raise Problem("index_missing")
    progress = IndexProgress.of(text)
    if progress != IndexProgress(local.settings):
        raise Problem("index_behind")
    indexes[TEXT_INDEX.folder] = export_manifest(text.manifest, progress.to_settings())
    code, graph = (_snapshot(local, kind.folder) for kind in (CODE_INDEX, GRAPH_INDEX))
    if code is not None and graph is not None and GraphProgress.of(graph).complete:
        linked = GraphProgress.of(graph)
        number = PORTABLE_TEXT if linked.is_of(text) else 0
        indexes[CODE_INDEX.folder] = export_manifest(code.manifest, code.manifest.settings)
        settings = linked._replace(text=number).to_settings()
        indexes[GRAPH_INDEX.folder] = export_manifest(graph.manifest, settings)
    publication = Publication.of(local.signature, local.recipe, local.commit, indexes)
    found = (snapshot for snapshot in (text, code, graph) if snapshot is not None)
    readers = {
        segment.entry.name: segment.reader for snapshot in found for segment in snapshot.segments
    }
    return IndexExport(publication, readers)


def _snapshot(local: LocalIndex, folder: str) -> Snapshot | None:
    kind = next(kind for kind in STORED_KINDS if kind.folder == folder)
    try:
        return Index(local.store(kind), kind.schema).snapshot()
    except IndexMissingError:
        return None


def _pieces(reader: SegmentReader, entry: SegmentEntry) -> Iterator[bytes]:
    """The bytes of a segment of this checkout."""
    try:
        for start in range(0, entry.length, _PIECE_BYTES):
            yield reader.frame.file_bytes(start, min(_PIECE_BYTES, entry.length - start))
    except IndexFormatError as error:
        raise Problem("index_unavailable", str(error)[:200]) from error

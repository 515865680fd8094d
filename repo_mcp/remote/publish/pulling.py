"""Takes over a published index: only the segments that are missing here, each verified by its name.

The publication is that of the commit that HEAD names, or of its nearest ancestor that was
published with the same settings, or else of the commit with the nearest ancestor in common, or the
one of a label. Segments are fetched, or, where the local stores share the store's, read there.
Where keys are named, only a note that one of them has signed for its place leads to a publication.
Nothing of it is believed: names are
checked by their form, segments by the hash of their bytes, manifests against the segments, paths
against the denylist. What fails removes again what had come with it, and is a `Problem`; segments
that arrived before a lost connection stay for the next attempt.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from typing import Final

from code_graph.store.schema import PROJECT_EXPORTS_PATH, GraphProgress
from index_format import (
    CorruptIndexError,
    FileMissingError,
    IndexBusyError,
    IndexFormatError,
    Manifest,
    SharedStore,
    UnsupportedVersionError,
    adopt_manifest,
    holds_segment,
    list_segment_paths,
    receive_segment,
)
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import Progress
from repo_mcp.remote.objects.contract import ObjectReader
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.local_index import LocalIndex
from repo_mcp.remote.publish.notes import PublicationNote, commit_place, read_label, read_note
from repo_mcp.remote.publish.publication import (
    Publication,
    PublishedSegment,
    invalid,
    read_publication,
)
from repo_mcp.remote.publish.publishing import PORTABLE_TEXT
from repo_mcp.remote.publish.signing import check_public_keys
from repo_mcp.remote.publish.transfer import Transfer
from repo_mcp.stored import GRAPH_INDEX, STORED_KINDS, TEXT_INDEX, IndexProgress, StoredKind

# requests at a time, and how much each asks for: a request ends well before its limit of time
_REQUESTS: Final = 8
_RANGE_BYTES: Final = 4 << 20
# where names can't be listed, so many ancestors are asked for
_MOST_PROBES: Final = 16
# of HEAD, further ones are not looked at; fewer where no published commit is here
_MOST_ANCESTORS: Final = 20_000
_MOST_OF_STRANGERS: Final = 500
_LOCK_SECONDS: Final = 10.0
PULLING: Final = "pulling"


class PullReport(NamedTuple):
    """The result of a pull; `ancestor`: it was found by a commit, not by the label.

    `signed_by` is the trusted key that has signed it, empty where no key is named.
    """

    publication: str
    commit: str
    ancestor: bool
    segments: int
    size: int
    fetched: int
    fetched_size: int
    signed_by: str = ""


class _Choice(NamedTuple):
    """A publication, the note that named it, and whether that is a commit's."""

    publication: Publication
    note: PublicationNote
    ancestor: bool


class Puller:
    """Pulls from one store; `in_place`: the local stores share its segments and copy none."""

    def __init__(
        self,
        store: ObjectReader,
        budget: Budget,
        on_progress: Callable[[Progress], None] = lambda _: None,
        requests: int = _REQUESTS,
        *,
        in_place: bool = False,
    ) -> None:
        """Keep the arguments; asks for nothing yet."""
        self._in_place = in_place
        self._store = store
        self._budget = budget
        self._on_progress = on_progress
        self._requests = requests

    def pull(self, local: LocalIndex, label: str | None) -> PullReport:
        """Let the checkout have the publication that is nearest to it, or the label's if none is.

        Without a label there has to be one.
        """
        if label is not None:
            names.check_label(label)
        check_public_keys(local.trust)
        choice = self._choose(local, label)
        report = self._take(local, choice)
        if local.trust and not choice.ancestor and label is not None:
            local.remember(label, choice.note.number)
        return report

    def take(self, local: LocalIndex, publication: Publication) -> PullReport:
        """Let the indexes here be those of one publication, which the caller trusts."""
        _check_signature(publication, local)
        _check_settings(publication, local)
        note = PublicationNote(publication.identity)
        return self._take(local, _Choice(publication, note, ancestor=False))

    def _take(self, local: LocalIndex, choice: _Choice) -> PullReport:
        publication, note, ancestor = choice
        segments = list(publication.segments())
        with ExitStack() as locks:
            for kind in STORED_KINDS:
                try:
                    locks.enter_context(local.store(kind).lock(_LOCK_SECONDS))
                except IndexBusyError:
                    raise Problem("index_busy") from None
            missing = _borrow(local, segments) if self._in_place else _missing(local, segments)
            fetched = [] if self._in_place else missing
            try:
                self._check_room(local, fetched)
                self._fetch(local, publication, fetched)
                _check_paths(local, publication)
                _adopt(local, publication)
            except Problem as problem:
                if problem.code == "publication_invalid":
                    _discard(local, missing)
                raise
        return PullReport(
            publication.identity,
            publication.commit,
            ancestor,
            len(segments),
            sum(item.entry.length for item in segments),
            len(fetched),
            sum(item.entry.length for item in fetched),
            note.signature.key if local.trust and note.signature is not None else "",
        )

    def nearest(self, local: LocalIndex) -> Publication | None:
        """The publication that a pull without a label would take."""
        try:
            return self._choose(local, None).publication
        except Problem as problem:
            if problem.code != "publication_missing":
                raise
            return None

    def _choose(self, local: LocalIndex, label: str | None) -> _Choice:
        """The nearest publication that is trusted."""
        for commit in self._published_commits(local):
            note = read_note(self._store, names.commit(local.signature, commit))
            if note is None or not _is_trusted(note, local, commit_place(local.signature, commit)):
                continue
            found = read_publication(self._store, note.publication)
            if found is not None and (found.signature, found.commit) == (local.signature, commit):
                _check_settings(found, local)
                return _Choice(found, note, ancestor=True)
        return self._labelled(local, label)

    def _labelled(self, local: LocalIndex, label: str | None) -> _Choice:
        if label is None:
            raise Problem(
                "publication_missing", "none has an ancestor in common with this checkout"
            )
        note = read_label(self._store, label, local.trust, local.last_number)
        found = read_publication(self._store, note.publication)
        if found is None:
            raise Problem("publication_missing", f"the label {label} names one that was removed")
        _check_signature(found, local)
        _check_settings(found, local)
        return _Choice(found, note, ancestor=False)

    def _published_commits(self, local: LocalIndex) -> Iterator[str]:
        """HEAD, then ancestors that may be published, the nearest first."""
        if not local.commit:
            return
        yield local.commit
        ancestors = islice(local.ancestors(), _MOST_ANCESTORS)
        if not self._store.lists:
            yield from islice(ancestors, _MOST_PROBES)
            return
        rows = sorted(
            self._store.rows(names.commits(local.signature)), key=lambda row: -row.modified
        )
        published = dict.fromkeys(names.stem(row.name) for row in rows)
        here = list(filter(local.is_here, published))
        if not here:  # a history that is cut off knows the parents of its end, but has them not
            ancestors = islice(ancestors, _MOST_OF_STRANGERS)
        for commit in ancestors if published else ():
            if commit in published:
                yield commit
        yield from local.relatives(here)

    def _check_room(self, local: LocalIndex, missing: Sequence[PublishedSegment]) -> None:
        needed = sum(item.entry.length for item in missing)
        if needed > local.room:
            raise Problem("index_unavailable", f"{needed} bytes are to be pulled: too little room")

    def _fetch(
        self, local: LocalIndex, publication: Publication, missing: Sequence[PublishedSegment]
    ) -> None:
        """Fetch segments in order, by parts of which several are requested at a time."""
        with ThreadPoolExecutor(self._requests) as pool:
            parts = _Parts(self._store, missing, pool, self._requests)
            report = Transfer(
                PULLING, (item.entry for item in missing), self._budget, self._on_progress
            )
            try:
                for number, item in enumerate(missing):
                    pieces = report.count(item.entry, parts.of(number))
                    _receive(local, publication, item, pieces)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


class _Parts:
    """The bytes of segments, prefetched in order."""

    def __init__(
        self,
        store: ObjectReader,
        missing: Sequence[PublishedSegment],
        pool: ThreadPoolExecutor,
        prefetched: int,
    ) -> None:
        self._store = store
        self._pool = pool
        self._prefetched = prefetched
        self._rest = (
            (number, item.entry.name, start, min(_RANGE_BYTES, item.entry.length - start))
            for number, item in enumerate(missing)
            for start in range(0, item.entry.length, _RANGE_BYTES)
        )
        self._pending: deque[tuple[int, int, Future[bytes]]] = deque()

    def of(self, number: int) -> Iterator[bytes]:
        """The parts of a segment; ends early with one that is shorter than was asked for."""
        self._request()
        while self._pending and self._pending[0][0] == number:
            _, length, future = self._pending.popleft()
            piece = future.result()
            yield piece
            if len(piece) != length:
                return
            self._request()

    def _request(self) -> None:
        for number, name, start, length in islice(
            self._rest, self._prefetched - len(self._pending)
        ):
            future = self._pool.submit(self._store.read, names.segment(name), start, length)
            self._pending.append((number, length, future))


def _missing(local: LocalIndex, segments: Sequence[PublishedSegment]) -> list[PublishedSegment]:
    """The segments that the local stores do not have, whole.

    A segment that only others need where this store shares it is none of its own.
    """
    missing: list[PublishedSegment] = []
    for kind in STORED_KINDS:
        store = local.store(kind)
        listed = set(store.names())
        missing += (
            item
            for item in segments
            if item.kind is kind
            and not (item.entry.name in listed and holds_segment(store, item.entry))
        )
    return missing


def _borrow(local: LocalIndex, segments: Sequence[PublishedSegment]) -> list[PublishedSegment]:
    """Let the local stores need the segments that they have not; returns those.

    They are verified where they are adopted.
    """
    missing = []
    for kind in STORED_KINDS:
        store = local.store(kind)
        if isinstance(store, SharedStore):
            there = set(store.names())
            wanted = [
                item for item in segments if item.kind is kind and item.entry.name not in there
            ]
            store.borrow(item.entry.name for item in wanted)
            missing += wanted
    return missing


def _is_trusted(note: PublicationNote, local: LocalIndex, place: Sequence[str]) -> bool:
    return not local.trust or note.is_by(local.trust, place)


def _check_signature(publication: Publication, local: LocalIndex) -> None:
    """Refuse a publication that was made with other settings or by another version."""
    if publication.signature != local.signature:
        parts = ", ".join(publication.differing_parts(local.recipe)) or "their signature alone"
        raise Problem("publication_differs", parts[:200])


def _check_settings(publication: Publication, local: LocalIndex) -> None:
    """Refuse manifests that are not complete, or of other settings than the publication says."""
    text = publication.manifests[TEXT_INDEX.folder]
    if text.settings != IndexProgress(local.settings).to_settings():
        raise invalid(publication.identity, "its index is not complete, or of other settings")


def _receive(
    local: LocalIndex, publication: Publication, item: PublishedSegment, pieces: Iterator[bytes]
) -> None:
    try:
        receive_segment(local.store(item.kind), item.entry, pieces)
    except CorruptIndexError as error:
        raise invalid(publication.identity, str(error)) from error
    except IndexFormatError as error:
        raise Problem("index_unavailable", str(error)[:200]) from error


def _check_paths(local: LocalIndex, publication: Publication) -> None:
    """Refuse documents of files that are denied here."""
    try:
        for kind, entry in publication.segments():
            for path in list_segment_paths(local.store(kind), entry, kind.schema):
                if path != PROJECT_EXPORTS_PATH and local.is_denied(path):
                    raise invalid(publication.identity, "it has files that are denied here")
    except (CorruptIndexError, FileMissingError, UnsupportedVersionError) as error:
        raise invalid(publication.identity, str(error)) from error


def _adopt(local: LocalIndex, publication: Publication) -> None:
    """Publish the generations here, each behind what it is made from."""
    text = 0
    try:
        for kind in STORED_KINDS:
            manifest = publication.manifests.get(kind.folder)
            if manifest is not None:
                settings = _settings_here(kind, manifest, text)
                adopted = adopt_manifest(local.store(kind), manifest, settings)
                text = adopted.generation if kind is TEXT_INDEX else text
    except (CorruptIndexError, UnsupportedVersionError) as error:
        raise invalid(publication.identity, str(error)) from error
    except IndexFormatError as error:
        raise Problem("index_unavailable", str(error)[:200]) from error


def _settings_here(kind: StoredKind, manifest: Manifest, text: int) -> str:
    """The settings of a generation here, where the text has this generation."""
    if kind is not GRAPH_INDEX:
        return manifest.settings
    progress = GraphProgress.parse(manifest.settings)
    number = text if progress.text == PORTABLE_TEXT else 0
    return progress._replace(text=number).to_settings()


def _discard(local: LocalIndex, missing: Sequence[PublishedSegment]) -> None:
    """Remove what has come of a publication that is not what it says."""
    for kind, entry in missing:
        local.store(kind).remove(entry.name)

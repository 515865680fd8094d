"""Checkouts for tests: small indexes of all kinds in memory, and what a published prefix holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from code_graph.store.schema import GraphProgress, digest_of_segments
from index_format import (
    Chunk,
    Document,
    Index,
    IndexMissingError,
    MemoryStore,
    Snapshot,
    Store,
    check,
)
from repo_mcp.budget import Budget
from repo_mcp.remote.publish import (
    CheckoutFile,
    LocalIndex,
    ObjectStore,
    Publisher,
    Puller,
    PullReport,
    TextExport,
    TextKind,
)
from repo_mcp.remote.publish.notes import Signer, read_note
from repo_mcp.remote.publish.publication import Publication, read_publication
from repo_mcp.remote.publish.publishing import PublishReport, export
from repo_mcp.stored import (
    CODE_INDEX,
    GRAPH_INDEX,
    STORED_KINDS,
    TEXT_INDEX,
    IndexProgress,
    StoredKind,
)
from tests.repo_mcp.clocks import Clock

SETTINGS = "5" * 32
RECIPE = {"words": "1", "languages": "2"}
Files = Mapping[str, str]


def budget() -> Budget:
    return Budget(clock=Clock())


@dataclass
class Checkout:
    """The indexes of one checkout."""

    files: Files = field(default_factory=dict)
    recipe: Mapping[str, str] = field(default_factory=lambda: dict(RECIPE))
    commit: str = ""
    before: tuple[str, ...] = ()
    trust: tuple[str, ...] = ()
    numbers: dict[str, int] = field(default_factory=dict)
    stores: dict[str, Store] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind in STORED_KINDS:
            self.stores.setdefault(kind.folder, MemoryStore())
        if self.files:
            self.change(self.files)

    @property
    def local(self) -> LocalIndex:
        return LocalIndex(
            lambda kind: self.stores[kind.folder],
            SETTINGS,
            self.recipe,
            self.commit,
            lambda: iter(self.before),
            lambda path: path.endswith(".env"),
            self.trust,
            lambda label: self.numbers.get(label, 0),
            self.numbers.__setitem__,
        )

    def change(self, files: Files) -> None:
        """Index these files instead of the ones before."""
        old, self.files = self.files, files
        settings = IndexProgress(SETTINGS).to_settings()
        text = self._commit(TEXT_INDEX, old, settings)
        self._commit(CODE_INDEX, old, "code")
        linked = GraphProgress("graph", text.generation, source=digest_of_segments(text))
        self._commit(GRAPH_INDEX, old, linked.to_settings())

    def _commit(self, kind: StoredKind, old: Files, settings: str) -> Snapshot:
        index = Index(self.stores[kind.folder], kind.schema, settings=settings)
        with index.writer() as writer:
            for path in old:
                writer.remove(path)
            name = kind.schema.fields[0].name
            for path, text in self.files.items():
                words = writer.vocabulary.tokens(text.split())
                print_ = hashlib.blake2b(text.encode(), digest_size=16).digest()
                chunk = Chunk(1, 1, {name: words})
                writer.add(
                    Document(path, [chunk], print_, len(text), {"facts": kind.folder.encode()})
                )
            return writer.commit()

    def snapshot(self, kind: StoredKind) -> Snapshot | None:
        try:
            return Index(self.stores[kind.folder], kind.schema).snapshot()
        except IndexMissingError:
            return None

    def contents(self) -> dict[str, list[tuple[str, bytes]]]:
        """Paths and fingerprints of all indexes that are there."""
        found = {}
        for kind in STORED_KINDS:
            snapshot = self.snapshot(kind)
            if snapshot is not None:
                rows = ((path, snapshot.file(path)) for path in snapshot.paths())
                found[kind.folder] = [(path, file.fingerprint) for path, file in rows if file]
        return found

    def segments(self) -> dict[str, list[str]]:
        found = ((kind, self.snapshot(kind)) for kind in STORED_KINDS)
        return {
            kind.folder: [entry.name for entry in snapshot.manifest.segments]
            for kind, snapshot in found
            if snapshot is not None
        }

    def is_sound(self) -> bool:
        return all(
            finding.severity == "note"
            for kind in STORED_KINDS
            for finding in check(self.stores[kind.folder])
        )


def publish(
    objects: ObjectStore,
    checkout: Checkout,
    label: str = "main",
    *,
    pin: bool = False,
    signer: Signer | None = None,
    texts: bool = False,
) -> PublishReport:
    publisher = Publisher(objects, budget(), pause=lambda _: None, uploads=1, signer=signer)
    exported = export(checkout.local)
    if texts:
        exported = exported.with_texts(texts_of(checkout.files))
    return publisher.publish(exported, label, pin=pin)


def texts_of(files: Files) -> TextExport:
    """The packs of these files."""
    listed = [CheckoutFile(path, TextKind.FILE, len(files[path])) for path in sorted(files)]
    return TextExport(listed, lambda file: files[file.path].encode())


def pull(objects: ObjectStore, checkout: Checkout, label: str = "main") -> PullReport:
    return Puller(objects, budget(), requests=1).pull(checkout.local, label)


def label_of(objects: ObjectStore, label: str = "main") -> str | None:
    note = read_note(objects, f"v1/labels/{label}.json")
    return None if note is None else note.publication


def broken_publications(objects: ObjectStore) -> Iterator[str]:
    """Publications that a label, a pin or a commit reaches and that are not whole."""
    for folder in ("labels", "pins", "commits"):
        for row in list(objects.rows(f"v1/{folder}")):
            note = read_note(objects, row.name)
            found = None if note is None else read_publication(objects, note.publication)
            if found is None:
                yield f"{row.name}: no publication"
            else:
                yield from _missing_segments(objects, row.name, found)


def _missing_segments(objects: ObjectStore, name: str, found: Publication) -> Iterator[str]:
    for text in found.texts:
        kept = objects.get(f"v1/texts/{text}", 1 << 30)
        packed = b"" if kept is None else kept.data
        if text.partition("-")[2] != f"{hashlib.blake2b(packed, digest_size=20).hexdigest()}.rmt":
            yield f"{name}: {text} is missing or altered"
    for _, entry in found.segments():
        data = objects.get(f"v1/segments/{entry.name}", 1 << 30)
        digest = "" if data is None else hashlib.blake2b(data.data, digest_size=20).hexdigest()
        if entry.name != f"seg-{digest}.rix":
            yield f"{name}: {entry.name} is missing or altered"

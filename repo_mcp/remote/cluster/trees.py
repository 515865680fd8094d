"""The indexes that parsing and linking read, as objects of the store.

    v1/parts/<hash>.tree    zlib: msgpack [[folder, manifest], …]; its segments lie beside it

Code is made of a file and its facts, and edges are linked from the facts and the code of the whole
tree: a worker fetches segments of both once, and keeps them for all parts of the same generations.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import msgpack

from code_graph.store.text_tree import TreeGenerations
from index_format import (
    Index,
    IndexMissingError,
    Manifest,
    SegmentEntry,
    Snapshot,
    adopt_manifest,
    export_manifest,
    holds_segment,
    import_manifest,
    receive_segment,
)
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.remote.cluster import orders
from repo_mcp.remote.cluster.segments import fetch_segment
from repo_mcp.remote.publish import ObjectStore
from repo_mcp.stored import CODE_INDEX, TEXT_INDEX, StoredKind

_LEVEL: Final = 1
_MOST_BYTES: Final = 1 << 30
_LOCK_SECONDS: Final = 30.0
_KINDS: Final = (TEXT_INDEX, CODE_INDEX)

# uploads a segment of an index here, if this run has not done that
Upload = Callable[[StoredKind, SegmentEntry], None]


class TreeObjects:
    """The current generations here, brought to the store where a worker needs them."""

    def __init__(
        self, store: ObjectStore, recipe: Recipe, upload: Upload, uploaded: set[str]
    ) -> None:
        """Nothing is opened yet; `uploaded` gets the names of objects."""
        self._store = store
        self._indexes = {kind: Index(recipe.store(kind), kind.schema) for kind in _KINDS}
        self._upload = upload
        self._uploaded = uploaded
        self._snapshots: dict[StoredKind, Snapshot] = {}

    @property
    def text(self) -> Snapshot:
        """The current generation of the text."""
        found = self._snapshot(TEXT_INDEX)
        if found is None:
            raise Problem("index_missing", "nothing is indexed yet")
        return found

    def is_of(self, generations: TreeGenerations) -> bool:
        """True if these are the current generations."""
        found = [self._snapshot(kind) for kind in _KINDS]
        numbers = [0 if item is None else item.generation for item in found]
        return numbers == [generations.text, generations.code]

    def put(self, *kinds: StoredKind) -> str:
        """The name of the object of these indexes, which is there with its segments."""
        rows: list[list[Any]] = []
        for kind in kinds:
            found = self._snapshot(kind)
            if found is not None:
                manifest = found.manifest
                rows.append([kind.folder, export_manifest(manifest, manifest.settings)])
        name = orders.tree(orders.digest(rows))
        if name not in self._uploaded:
            for kind in kinds:
                found = self._snapshots.get(kind)
                for entry in () if found is None else found.manifest.segments:
                    self._upload(kind, entry)
            self._store.put(name, [zlib.compress(msgpack.packb(rows, use_bin_type=True), _LEVEL)])
            self._uploaded.add(name)
        return name

    def _snapshot(self, kind: StoredKind) -> Snapshot | None:
        try:
            self._snapshots[kind] = self._indexes[kind].snapshot(self._snapshots.get(kind))
        except IndexMissingError:  # no file has code
            self._snapshots.pop(kind, None)
        return self._snapshots.get(kind)


class FetchedTree:
    """The indexes of a worker, which are those of one object at a time."""

    def __init__(self, store: ObjectStore, recipe: Recipe) -> None:
        """Nothing is fetched yet."""
        self._store = store
        self._recipe = recipe
        self._name = ""
        self._generations: Sequence[int] = ()
        # of its segments
        self.names: set[str] = set()

    def fetch(self, name: str, budget: Budget) -> Sequence[int]:
        """The generations of text and code here; 0 where the object has none."""
        if name != self._name:
            self._name = ""
            found = self._store.get(name, _MOST_BYTES)
            if found is None:
                raise Problem("store_unavailable", f"{name} is missing")
            data = zlib.decompressobj().decompress(found.data, _MOST_BYTES)
            manifests = dict(msgpack.unpackb(data, raw=False))
            self.names.clear()
            self._generations = [
                self._adopt(kind, manifests.get(kind.folder), budget) for kind in _KINDS
            ]
            self._name = name
        return self._generations

    def _adopt(self, kind: StoredKind, data: bytes | None, budget: Budget) -> int:
        store = self._recipe.store(kind)
        if data is None:
            for name in store.names():
                store.remove(name)
            return 0
        manifest: Manifest = import_manifest(data, kind.schema)
        self.names.update(entry.name for entry in manifest.segments)
        for entry in manifest.segments:
            if not holds_segment(store, entry):
                receive_segment(store, entry, fetch_segment(self._store, entry, budget))
        with store.lock(_LOCK_SECONDS):
            adopted = adopt_manifest(store, manifest, manifest.settings)
        with suppress(IndexMissingError):
            Index(store, kind.schema).collect_garbage(grace_seconds=0)
        return adopted.generation

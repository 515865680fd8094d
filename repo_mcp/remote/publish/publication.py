r"""A publication: the manifests of all indexes of one tree, and what they were made with.

It is one line of JSON in one spelling (keys sorted, no spaces, ASCII), named by the hash of its
bytes:

    {"commit":"","format":1,"indexes":{"index":"<portable manifest>",...},
     "recipe":{"<part>":"<digest>",...},"segments":["<name>",...],"signature":"<of the recipe>"}\n

One with the texts of its files has `"texts":["<name>",...]` behind the signature, too: the packs of
texts and the tree, sorted.

The recipe has a digest for each part of settings and format that decides what an index holds, so
that a refusal can say which one differs. The list of segments is there for those who can't read the
manifests, such as a collector of another version. Equal indexes of equal settings and commits are
equal publications, whoever made them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from index_format import (
    IndexFormatError,
    Manifest,
    SegmentEntry,
    import_manifest,
)
from index_format.records import Record
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.remote.objects.contract import ObjectReader
from repo_mcp.remote.publish import names
from repo_mcp.stored import STORED_KINDS, TEXT_INDEX, StoredKind

_FORMAT: Final = 1
_DIGEST_BYTES: Final = 20
_KEYS: Final = {"commit", "format", "indexes", "recipe", "segments", "signature"}
_TEXTS: Final = "texts"
_MOST_PARTS: Final = 100
# a tree of a hundred million files has a few thousand segments
_MOST_SEGMENTS: Final = 100_000
# its bytes are manifests and names nearly alone: a document of empty arrays is not parsed, since it
# takes twenty times its size
_MARKS: Final = (b"[", b"{", b":")
_FEW_MARKS: Final = 1000
_BYTES_PER_MARK: Final = 16
_KINDS: Final = {kind.folder: kind for kind in STORED_KINDS}


class PublishedSegment(NamedTuple):
    """A segment, and the index it belongs to."""

    kind: StoredKind
    entry: SegmentEntry


class Publication(Record):
    """Portable manifests by the folder of their index, with recipe, signature and commit."""

    __slots__ = ("__dict__",)  # for what is made once

    signature: str
    recipe: Mapping[str, str]
    commit: str
    segment_names: tuple[str, ...]
    indexes: Mapping[str, bytes]
    # the names of packs and of the tree; none without texts
    texts: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, signature: str, recipe: Mapping[str, str], commit: str, indexes: Mapping[str, bytes]
    ) -> Publication:
        """The publication of these manifests."""
        listed = sorted(_segment_names(_manifests(indexes)))
        return cls(signature, recipe, commit, tuple(listed), indexes)

    @cached_property
    def data(self) -> bytes:
        """The bytes of its object."""
        document = {
            "commit": self.commit,
            "format": _FORMAT,
            "indexes": {folder: data.decode("ascii") for folder, data in self.indexes.items()},
            "recipe": dict(self.recipe),
            "segments": list(self.segment_names),
            "signature": self.signature,
            **({_TEXTS: list(self.texts)} if self.texts else {}),
        }
        return json.dumps(document, separators=(",", ":"), sort_keys=True).encode() + b"\n"

    @property
    def identity(self) -> str:
        """The name: a digest of its bytes."""
        return hashlib.blake2b(self.data, digest_size=_DIGEST_BYTES).hexdigest()

    @property
    def tree(self) -> str:
        """The name of its tree; empty without texts."""
        return next(filter(names.is_tree, self.texts), "")

    @property
    def object_names(self) -> Iterator[str]:
        """The names of the segments, packs and the tree that it needs."""
        yield from self.segment_names
        yield from self.texts

    @cached_property
    def manifests(self) -> Mapping[str, Manifest]:
        """Its manifests; raises `Problem` if one can't be read, or lists other segments."""
        try:
            found = _manifests(self.indexes)
        except IndexFormatError as error:
            raise invalid(self.identity, str(error)) from error
        # a collector goes by the list
        if _segment_names(found) != {*self.segment_names}:
            raise invalid(self.identity, "its manifests have other segments")
        return found

    def segments(self) -> Iterator[PublishedSegment]:
        """The segments of all its indexes."""
        for folder, manifest in self.manifests.items():
            for entry in manifest.segments:
                yield PublishedSegment(_KINDS[folder], entry)

    def differing_parts(self, recipe: Mapping[str, str]) -> list[str]:
        """The parts of the settings that are not those of this recipe."""
        parts = self.recipe.keys() | recipe.keys()
        return sorted(part for part in parts if self.recipe.get(part) != recipe.get(part))


def read_publication(store: ObjectReader, identity: str) -> Publication | None:
    """A publication, verified by its name; None if it is not there."""
    found = store.get(names.publication(identity), names.MAX_PUBLICATION_BYTES)
    return None if found is None else decode(found.data, identity)


def decode(data: bytes, identity: str) -> Publication:
    """The publication of this identity; `Problem` for any other bytes."""
    digest = hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()
    if digest != identity:
        raise invalid(identity, f"its bytes are those of {digest}")
    if sum(map(data.count, _MARKS)) > _FEW_MARKS + len(data) // _BYTES_PER_MARK:
        raise invalid(identity, "not of the form of a publication")
    try:
        document = json.loads(data.decode("ascii"))
        made = _build(document)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise invalid(identity, "not of the form of a publication") from error
    if made.data != data:
        raise invalid(identity, "not in the one spelling of a publication")
    return made


def invalid(identity: str, why: str) -> Problem:
    """The refusal of a publication that is not what it says; it is never used."""
    return Problem("publication_invalid", f"{identity[:12]}: {why}"[:200])


def _manifests(indexes: Mapping[str, bytes]) -> dict[str, Manifest]:
    return {
        folder: import_manifest(data, _KINDS[folder].schema) for folder, data in indexes.items()
    }


def _segment_names(manifests: Mapping[str, Manifest]) -> set[str]:
    return {entry.name for manifest in manifests.values() for entry in manifest.segments}


def _build(document: dict[str, Any]) -> Publication:
    if document.keys() - {_TEXTS} != _KEYS or document["format"] != _FORMAT:
        raise ValueError
    recipe, indexes = _texts(document["recipe"]), _texts(document["indexes"])
    commit, signature = document["commit"], document["signature"]
    known = indexes.keys() <= _KINDS.keys() and TEXT_INDEX.folder in indexes
    if not known or not isinstance(commit, str) or not isinstance(signature, str):
        raise ValueError
    if commit and not names.is_commit(commit):
        raise ValueError
    # in the order in which one is made from the other
    ordered = [folder for folder in _KINDS if folder in indexes]
    manifests = {folder: indexes[folder].encode("ascii") for folder in ordered}
    listed = document["segments"]
    if not all(isinstance(name, str) for name in listed) or len(listed) > _MOST_SEGMENTS:
        raise ValueError
    texts = tuple(document.get(_TEXTS, ()))
    if texts and (len(texts) > _MOST_SEGMENTS or sum(map(names.is_tree, texts)) != 1):
        raise ValueError
    if not all(map(names.is_texts, texts)) or sorted({*texts}) != [*texts]:
        raise ValueError
    return Publication(signature, recipe, commit, tuple(listed), manifests, texts)


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > _MOST_PARTS:
        raise ValueError
    if not all(isinstance(item, str) for item in value.values()):
        raise ValueError
    return value

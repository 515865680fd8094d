"""Input from an object store, and the files of `.git` that say where a checkout stands."""

from __future__ import annotations

import json
import struct
import tempfile
import zlib
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.git import GitHistory
from repo_mcp.remote.publish.names import tree_of
from repo_mcp.remote.publish.notes import (
    PublicationNote,
    Signer,
    encode_note,
    label_place,
    read_note,
)
from repo_mcp.remote.publish.publication import decode
from repo_mcp.remote.publish.signing import SigningKey
from repo_mcp.remote.publish.tree import PublishedTree, encode_tree
from tests.fuzz.engine import Target
from tests.fuzz.mutations import tree_mutation
from tests.repo_mcp.remote.publish.checkouts import Checkout, publish, texts_of
from tests.repo_mcp.remote.publish.objects import DictObjects

_FOLDER: Final = "v1/publications/"


def run_publication(data: bytes) -> object:
    """A publication is refused, or is one whose bytes are these and whose segments are listed."""
    try:
        found = decode(data, _identity(data))
        listed = {entry.name for _, entry in found.segments()}
    except Problem as problem:
        return problem.code, problem.detail[14:40]
    assert found.data == data
    assert listed == {*found.segment_names}
    return len(listed)


def _identity(data: bytes) -> str:
    return blake2b(data, digest_size=20).hexdigest()


def publication_seeds() -> Iterator[bytes]:
    """Publications of no, one and several files."""
    for files in ({"a.py": "one"}, {"a.py": "one two", "b/c.py": "three", "d": ""}):
        objects = DictObjects()
        publish(objects, Checkout(files, commit="1" * 40))
        yield from (data for name, (data, _) in objects.objects.items() if name.startswith(_FOLDER))


def _spelled(document: object) -> bytes:
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode() + b"\n"


# ---- the tree of a publication, before it is compressed ----


def run_tree(data: bytes) -> object:
    """A tree is refused, or has the files of these bytes, below its root, in its packs."""
    packed = zlib.compress(data)
    name = tree_of(bytes.fromhex(_identity(packed)))
    try:
        tree = PublishedTree.decode(packed, name)
    except Problem as problem:
        return problem.code, problem.detail[40:60]
    files = [*tree.files()]
    assert zlib.decompress(encode_tree(tree.packs, files)) == data
    for number, file in enumerate(files):
        assert tree.find(file.path) == number
        assert {"", ".", "..", ".git"}.isdisjoint(file.path.split("/"))
        if file.has_text and file.place.length:
            assert sum(file.place[1:]) <= tree.packs[file.place.pack].length
    listed = {name for name, _ in tree.entries("")}
    assert listed == {file.path.partition("/")[0] for file in files}
    return len(files), len(listed)


def tree_seeds() -> Iterator[bytes]:
    """Trees of no, one and several files."""
    for files in ({}, {"a.py": "one"}, {"a.py": "one two", "b/c.py": "three", "d": ""}):
        yield zlib.decompress(texts_of(files).tree)


# ---- a note, in the place of a label ----

_SIGNER: Final = Signer(SigningKey(b"k" * 32), lambda: 1000.0)
_LABEL: Final = "v1/labels/main.json"
_PLACE: Final = label_place("main")


def run_note(data: bytes) -> object:
    """A note is refused, or read as it would be written; no change leaves a signature right."""
    objects = DictObjects()
    objects.put(_LABEL, [data])
    try:
        found = read_note(objects, _LABEL)
    except Problem as problem:
        return problem.code
    assert found is not None
    trusted = found.is_by([_SIGNER.key.public], _PLACE)
    signed = _SIGNER.note(found.publication, _PLACE, found.number)
    assert not trusted or encode_note(found) == signed
    return trusted, found.signature is None


def note_seeds() -> Iterator[bytes]:
    """A note that is signed, and one that is not."""
    yield encode_note(PublicationNote("1" * 40))
    yield _SIGNER.note("2" * 40, _PLACE, 7)


# ---- a pack of one commit and one delta, behind its index and the length of that ----

_FIRST, _SECOND = bytes(20), b"\xff" * 20


def run_git_history(data: bytes) -> object:
    """Whatever a pack holds, what is given are hashes of commits."""
    length = int.from_bytes(data[:2], "big")
    with tempfile.TemporaryDirectory() as folder:
        packs = Path(folder, ".git/objects/pack")
        packs.mkdir(parents=True)
        (packs / "pack-1.idx").write_bytes(data[2 : 2 + length])
        (packs / "pack-1.pack").write_bytes(data[2 + length :])
        (Path(folder) / ".git/HEAD").write_text(_SECOND.hex())
        history = GitHistory(folder)
        found = list(history.ancestors())
        assert set(history.relatives(found)) <= set(found)
        assert list(history.worktrees()) == []
    assert all(len(commit) == 40 and int(commit, 16) >= 0 for commit in found)
    return len(found)


def git_history_seeds() -> Iterator[bytes]:
    """A commit with a parent, whole and as a delta of another one."""
    text = b"parent " + _FIRST.hex().encode() + b"\n\nmessage"
    whole = bytes([0x90, 1]) + zlib.compress(text)
    delta = bytes([len(text), len(text), 0x90, len(text)])
    for kind, base in ((0x60, b"\x17"), (0x70, _FIRST)):
        first = b"PACK" + bytes(8)
        second = bytes([kind | len(delta)]) + base + zlib.compress(delta)
        yield _with_index(first + whole + second, 12, 12 + len(whole))


def _with_index(pack: bytes, *offsets: int) -> bytes:
    counts = [1] * 255 + [2]
    index = b"\xfftOc\x00\x00\x00\x02" + struct.pack(">256I", *counts) + _FIRST + _SECOND
    index += bytes(8) + struct.pack(">2I", *offsets)
    return len(index).to_bytes(2, "big") + index + pack


PUBLICATION: Final = Target(
    "publication",
    run_publication,
    publication_seeds,
    ("repo_mcp/remote/publish/publication.py", "index_format/generation/portable.py"),
    mutation=tree_mutation(json.loads, _spelled, ("index", "segments", "../x", "1" * 40)),
)
NOTE: Final = Target(
    "note",
    run_note,
    note_seeds,
    ("repo_mcp/remote/publish/notes.py", "repo_mcp/remote/publish/signing.py"),
    mutation=tree_mutation(json.loads, _spelled, ("publication", "number", "1" * 40)),
)
GIT_HISTORY: Final = Target(
    "git_history",
    run_git_history,
    git_history_seeds,
    ("repo_mcp/git/history.py", "repo_mcp/git/objects.py"),
)

TREE: Final = Target("tree", run_tree, tree_seeds, ("repo_mcp/remote/publish/tree.py",))

TARGETS: Final = (PUBLICATION, TREE, NOTE, GIT_HISTORY)

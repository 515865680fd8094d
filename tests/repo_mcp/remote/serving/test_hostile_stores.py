"""Damaged and hostile stores: clear errors, nothing outside of the tree, bounded memory."""

from __future__ import annotations

import shutil
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from index_format.records import replace
from repo_mcp.errors import Problem
from repo_mcp.remote.objects.blocks import BlockCache
from repo_mcp.remote.objects.folder import FolderObjects
from repo_mcp.remote.publish import (
    CheckoutFile,
    PublishedDoor,
    TextExport,
    TextKind,
    names,
    open_published,
)
from repo_mcp.remote.publish.publication import Publication
from repo_mcp.remote.publish.tree import (
    NOWHERE,
    PackedPlace,
    PublishedTree,
    StoredPack,
    TreeFile,
    digest_of,
    encode_tree,
    stored_text,
)
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox

TEXT = b"def pay(card):\n    return card\n" * 20
STORED = stored_text(TEXT)
PACK = StoredPack(digest_of(STORED), len(STORED))
FILE = TreeFile(
    "src/card.py", TextKind.FILE, len(TEXT), digest_of(TEXT), PackedPlace(0, 0, len(STORED))
)


def named(data: bytes) -> str:
    return names.tree_of(digest_of(data))


def decoded(data: bytes) -> PublishedTree:
    return PublishedTree.decode(data, named(data))


class Store(NamedTuple):
    """A store in a folder, and the blocks of it that are kept."""

    objects: FolderObjects
    blocks: BlockCache

    def sandbox(self, tree: PublishedTree) -> Sandbox:
        publication = Publication("", {}, "", (), {})
        door = PublishedDoor(lambda: self.objects, publication, tree, self.blocks, "/nowhere/tree")
        return Sandbox("/nowhere/tree", Denylist(), max_file_bytes=1 << 20, door=door)

    def put(self, pack: bytes = STORED, name: str = PACK.name) -> None:
        self.objects.put(names.texts(name), [pack])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(
        FolderObjects(str(tmp_path / "store")), BlockCache(str(tmp_path / "blocks"), 1 << 20)
    )


def refusal(act: Callable[[], object]) -> Problem:
    with pytest.raises(Problem) as raised:
        act()
    return raised.value


def test_a_text_is_read_from_its_pack(store: Store) -> None:
    store.put()
    sandbox = store.sandbox(decoded(encode_tree([PACK], [FILE])))
    assert sandbox.read("src/card.py").data == TEXT
    assert [found and found.data for found in sandbox.read_plain(["src/card.py", "src/x"])] == [
        TEXT,
        None,
    ]


@pytest.mark.parametrize(
    "path",
    [
        *("../x", "/etc/passwd", "a/../x", "a//x", "./x", ".git/config", "a/.git/x", "x/", ".."),
        *("d" * 5000, "d/" * 201 + "x"),
    ],
)
def test_names_that_no_file_has_are_refused(path: str) -> None:
    data = encode_tree([PACK], [FILE._replace(path=path)])
    assert refusal(lambda: decoded(data)).code == "publication_invalid"


@pytest.mark.parametrize(
    "paths", [["b", "a"], ["a", "a"], ["a", "a.b", "a/b"], ["a\0b", "c"], ["\ud800"]]
)
def test_lists_of_names_that_no_tree_has_are_refused(paths: list[str]) -> None:
    raw = b"".join(path.encode("utf-8", "surrogatepass") + b"\0" for path in paths)
    rows = struct.pack("<BQ20sIII", *FILE[1:4], *FILE.place) * len(paths)
    packs = struct.pack("<20sQ", *PACK)
    head = b"rmtree1\n" + struct.pack("<II", 1, len(paths))
    data = zlib.compress(head + packs + rows + raw)
    assert refusal(lambda: decoded(data)).code == "publication_invalid"


@pytest.mark.parametrize(
    "file",
    [
        FILE._replace(size=1 << 40),
        FILE._replace(size=len(STORED) - 1),
        FILE._replace(place=PackedPlace(1, 0, 10)),
        FILE._replace(place=PackedPlace(0, 1, len(STORED))),
        FILE._replace(place=PackedPlace(0, 0xFFFFFFFF, 10)),
    ],
)
def test_texts_outside_of_their_packs_are_refused(file: TreeFile) -> None:
    data = encode_tree([PACK], [file])
    assert refusal(lambda: decoded(data)).code == "publication_invalid"


@pytest.mark.parametrize("counts", [(0xFFFFFFFF, 0), (0, 0xFFFFFFFF), (1, 2), (2, 1)])
def test_counts_that_lie_are_refused_before_anything_is_made(counts: tuple[int, int]) -> None:
    plain = zlib.decompress(encode_tree([PACK], [FILE]))
    data = zlib.compress(plain[:8] + struct.pack("<II", *counts) + plain[16:])
    assert refusal(lambda: decoded(data)).code == "publication_invalid"


def test_a_tree_that_unpacks_to_gigabytes_is_refused() -> None:
    bomb = zlib.compressobj(9)
    zeros = bytes(1 << 20)
    data = b"".join([*(bomb.compress(zeros) for _ in range(200)), bomb.flush()])
    assert len(data) < 1 << 20
    assert refusal(lambda: decoded(data)).code == "publication_invalid"


def test_a_tree_of_another_name_is_refused() -> None:
    data = encode_tree([PACK], [FILE])
    problem = refusal(lambda: PublishedTree.decode(data + b"x", named(data)))
    assert problem.code == "publication_invalid"


@pytest.mark.parametrize(
    "pack",
    [
        STORED[:-1] + b"\0",
        STORED[:10],
        b"",
        bytes(len(STORED)),
        # another text of the same size
        stored_text(TEXT.replace(b"card", b"cash")).ljust(len(STORED), b"\0")[: len(STORED)],
    ],
)
def test_other_bytes_than_those_of_a_text_are_refused(store: Store, pack: bytes) -> None:
    store.put(pack)
    sandbox = store.sandbox(decoded(encode_tree([PACK], [FILE])))
    problem = refusal(lambda: sandbox.read("src/card.py"))
    assert problem.code in {"publication_invalid", "store_unavailable"}
    assert sandbox.read_plain(["src/card.py"]) == [None]
    # once the store is mended, nothing of it is left
    store.put()
    assert sandbox.read("src/card.py").data == TEXT


def test_a_pack_that_is_missing_is_told(store: Store) -> None:
    sandbox = store.sandbox(decoded(encode_tree([PACK], [FILE])))
    assert refusal(lambda: sandbox.read("src/card.py")).code == "store_unavailable"


def test_a_text_that_unpacks_to_more_than_it_says_is_not_unpacked(store: Store) -> None:
    bomb = zlib.compress(bytes(64 << 20), 9)
    pack = StoredPack(digest_of(bomb), len(bomb))
    store.put(bomb, pack.name)
    size = len(bomb) + 1
    file = FILE._replace(size=size, place=PackedPlace(0, 0, len(bomb)))
    sandbox = store.sandbox(decoded(encode_tree([pack], [file])))
    assert refusal(lambda: sandbox.read("src/card.py")).code == "publication_invalid"


def test_links_lead_nowhere_else(store: Store) -> None:
    store.put()
    link = FILE._replace(path="src/link.py", kind=TextKind.LINK)
    other = FILE._replace(path="src/out.py", kind=TextKind.OTHER, place=NOWHERE)
    sandbox = store.sandbox(decoded(encode_tree([PACK], [FILE, link, other])))
    assert sandbox.read("src/link.py").data == TEXT
    assert refusal(lambda: sandbox.read("src/link.py", follow=False)).code == "not_a_file"
    assert refusal(lambda: sandbox.read("src/out.py")).code == "not_found"
    assert [entry.kind for entry in sandbox.list_folder("src").entries] == ["file", "link", "link"]


def test_denied_files_of_a_tree_are_not_there(store: Store) -> None:
    store.put()
    tree = decoded(encode_tree([PACK], [FILE._replace(path=".env"), FILE]))
    assert refusal(lambda: store.sandbox(tree).read(".env")).code == "path_denied"


class Place(NamedTuple):
    """A store with one publication, whose objects a test alters."""

    objects: FolderObjects
    folder: Path
    publication: Publication

    def open(self) -> PublishedDoor:
        url, blocks = Path(self.objects.folder).as_uri(), (str(self.folder / "blocks"), 1 << 20)
        kept, root = str(self.folder / "kept"), str(self.folder / "tree")
        return open_published(url, self.publication.identity, kept, blocks, root)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    export = TextExport([CheckoutFile("a", TextKind.FILE, len(TEXT))], lambda _: TEXT)
    objects = FolderObjects(str(tmp_path / "store"))
    for name in export.names:
        objects.put(names.texts(name), [export.data(name)])
    return published(Place(objects, tmp_path, Publication("", {}, "", (), {})), export.names)


def published(place: Place, texts: tuple[str, ...]) -> Place:
    """The same with this list of texts."""
    indexes = {"index": b""}
    publication = replace(place.publication, texts=texts, indexes=indexes)
    place.objects.put(names.publication(publication.identity), [publication.data])
    return place._replace(publication=publication)


def test_a_publication_is_opened_with_its_tree(place: Place) -> None:
    assert [*place.open().tree.entries("")] == [("a", 0)]
    # what is kept is read again, and compared again
    shutil.rmtree(place.objects.folder)
    assert [*place.open().tree.entries("")] == [("a", 0)]
    (place.folder / "kept" / "tree.rmt").write_bytes(b"")
    assert refusal(place.open).code == "publication_invalid"


def test_a_publication_whose_list_lacks_a_pack_is_refused(place: Place) -> None:
    altered = published(place, tuple(filter(names.is_tree, place.publication.texts)))
    assert "other packs" in refusal(altered.open).reason


def test_a_publication_without_texts_says_how_to_publish_them(place: Place) -> None:
    assert "--texts" in refusal(published(place, ()).open).reason


@pytest.mark.parametrize(
    "texts",
    [
        ("pack-x.rmt",),
        ("../tree-" + "0" * 40 + ".rmt",),
        ("pack-" + "0" * 40 + ".rmt",),
        tuple(f"tree-{digit * 40}.rmt" for digit in "01"),
        tuple(f"{kind}-{'0' * 40}.rmt" for kind in ("tree", "pack")),
    ],
)
def test_names_of_texts_that_none_has_are_refused(place: Place, texts: tuple[str, ...]) -> None:
    assert refusal(published(place, texts).open).code == "publication_invalid"


def test_a_tree_that_is_missing_or_another_is_refused(place: Place) -> None:
    path = Path(place.objects.folder, names.texts(place.publication.tree))
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    assert "its bytes are those of" in refusal(place.open).reason
    path.unlink()
    assert "missing" in refusal(place.open).reason

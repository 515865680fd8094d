"""Pulling: the nearest publication, verified, whole or not at all."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Sequence
from hashlib import blake2b

import pytest

from code_graph.store.schema import GraphProgress
from index_format import MemoryStore
from repo_mcp.errors import Problem
from repo_mcp.remote.publish import names
from repo_mcp.remote.publish.publication import decode
from repo_mcp.stored import GRAPH_INDEX, STORED_KINDS, TEXT_INDEX, StoredKind
from tests.repo_mcp.remote.publish.checkouts import RECIPE, Checkout, publish, pull
from tests.repo_mcp.remote.publish.objects import Crash, DictObjects, FaultyObjects, Mode

FILES = {"a.py": "one two", "b.py": "three"}
OTHER = {**FILES, "c.py": "four"}
Document = dict[str, object]


def published(*checkouts: Checkout) -> DictObjects:
    objects = DictObjects()
    for checkout in checkouts or (Checkout(FILES),):
        publish(objects, checkout)
    return objects


def test_a_checkout_gets_all_indexes_with_equal_segments() -> None:
    source, target = Checkout(FILES), Checkout()
    report = pull(published(source), target)
    assert target.contents() == source.contents()
    assert target.segments() == source.segments()
    assert (report.segments, report.fetched, report.ancestor) == (3, 3, False)
    assert target.is_sound()


def test_the_graph_is_of_the_text_it_came_with_whatever_its_number_is_here() -> None:
    target = Checkout(OTHER)
    target.change({"z.py": "zero"})
    pull(published(), target)
    text, graph = target.snapshot(TEXT_INDEX), target.snapshot(GRAPH_INDEX)
    assert text is not None
    assert graph is not None
    assert text.generation > 1
    assert GraphProgress.of(graph).is_of(text)


def test_only_segments_that_are_missing_are_fetched() -> None:
    source = Checkout(FILES)
    objects, target = published(source), Checkout()
    pull(objects, target)
    source.change(OTHER)
    publish(objects, source)
    report = pull(objects, target)
    assert target.contents() == source.contents()
    assert pull(objects, target).fetched == 0
    assert report.fetched == 3


def test_the_nearest_published_ancestor_is_taken_before_the_label() -> None:
    near, far, label = (Checkout({f"{name}.py": name}) for name in ("near", "far", "label"))
    near.commit, far.commit, label.commit = "1" * 40, "2" * 40, "3" * 40
    for lists in (True, False):
        objects = published(far, near, label)
        objects.lists = lists
        target = Checkout(commit="9" * 40, before=("8" * 40, "1" * 40, "2" * 40))
        report = pull(objects, target)
        assert (report.ancestor, report.commit) == (True, near.commit)
        assert target.contents() == near.contents()


def test_without_a_published_ancestor_the_label_is_taken() -> None:
    label = Checkout(FILES, commit="3" * 40)
    target = Checkout(commit="9" * 40, before=("8" * 40,))
    assert not pull(published(label), target).ancestor


def test_a_commit_whose_publication_was_removed_is_passed_over() -> None:
    gone, label = Checkout(FILES, commit="1" * 40), Checkout(OTHER, commit="3" * 40)
    objects = DictObjects()
    identity = publish(objects, gone).publication
    publish(objects, label)
    objects.remove(f"v1/publications/{identity}.json")
    target = Checkout(commit="1" * 40)
    assert pull(objects, target).commit == label.commit


def test_other_settings_are_refused_and_named() -> None:
    target = Checkout(recipe={**RECIPE, "languages": "9", "new": "x"})
    with pytest.raises(Problem, match="languages, new") as caught:
        pull(published(), target)
    assert caught.value.code == "publication_differs"
    assert target.contents() == {}


def test_a_label_that_is_not_there_is_said() -> None:
    with pytest.raises(Problem) as caught:
        pull(published(), Checkout(), "other")
    assert caught.value.code == "publication_missing"


@pytest.mark.parametrize("mode", ["before", "after"])
def test_a_crash_anywhere_leaves_no_index_or_the_whole_one(mode: Mode) -> None:
    objects, source = published(), Checkout(FILES)
    whole = FaultyObjects(objects)
    pull(whole, Checkout())
    assert len(whole.operations) > 4
    for at in range(len(whole.operations)):
        target = Checkout()
        with pytest.raises(Crash):
            pull(FaultyObjects(objects, at, mode), target)
        assert target.contents() in ({}, source.contents())
        report = pull(objects, target)
        assert target.contents() == source.contents()
        assert target.is_sound()
        assert report.fetched <= 3


def test_a_lost_connection_keeps_what_has_arrived() -> None:
    objects, target = published(), Checkout()
    whole = FaultyObjects(objects)
    pull(whole, Checkout())
    reads = [at for at, line in enumerate(whole.operations) if line.startswith("read")]

    def lost() -> Problem:
        return Problem("store_unavailable", "gone")

    with pytest.raises(Problem, match="gone"):
        pull(FaultyObjects(objects, reads[-1], error=lost), target)
    assert pull(objects, target).fetched == 1


def damage_segment(change: Callable[[bytes], bytes]) -> Callable[[DictObjects], None]:
    def damage(objects: DictObjects) -> None:
        name = max(name for name in objects.objects if name.startswith("v1/segments/"))
        objects.put(name, [change(objects.objects[name][0])])

    return damage


def forge(change: Callable[[Document], None]) -> Callable[[DictObjects], None]:
    """A publication that was changed and named by its bytes again, as an attacker would."""

    def damage(objects: DictObjects) -> None:
        (name,) = (name for name in objects.objects if name.startswith("v1/publications/"))
        document = json.loads(objects.objects[name][0])
        change(document)
        data = json.dumps(document, separators=(",", ":"), sort_keys=True).encode() + b"\n"
        identity = blake2b(data, digest_size=20).hexdigest()
        objects.put(f"v1/publications/{identity}.json", [data])
        note = json.dumps({"publication": identity}).encode()
        objects.put("v1/labels/main.json", [note])

    return damage


def in_manifest(change: Callable[[Document], None]) -> Callable[[Document], None]:
    """A change of the text index's manifest, with its checksum and the list of segments."""
    import xxhash  # noqa: PLC0415 this forgery alone needs it

    def changed(document: Document) -> None:
        indexes = document["indexes"]
        assert isinstance(indexes, dict)
        manifest = json.loads(indexes["index"])["manifest"]
        change(manifest)
        inner = json.dumps(manifest, separators=(",", ":"), sort_keys=True)
        checksum = xxhash.xxh3_128_hexdigest(inner.encode())
        indexes["index"] = f'{{"checksum":"{checksum}","manifest":{inner}}}\n'

    return changed


def set_entry(**values: object) -> Callable[[Document], None]:
    def change(manifest: Document) -> None:
        segments = manifest["segments"]
        assert isinstance(segments, list)
        segments[0].update(values)

    return in_manifest(change)


DAMAGES: dict[str, Callable[[DictObjects], None]] = {
    "a byte of a segment": damage_segment(lambda data: data[:50] + b"?" + data[51:]),
    "a segment cut short": damage_segment(lambda data: data[:-9]),
    "an empty segment": damage_segment(lambda _: b""),
    "a segment that is missing": lambda objects: objects.remove(
        max(name for name in objects.objects if name.startswith("v1/segments/"))
    ),
    "a name that leads elsewhere": forge(set_entry(name="../../../etc/passwd")),
    "a name with a slash": forge(set_entry(name="a/seg-" + "0" * 40 + ".rix")),
    "a segment of another name": forge(set_entry(name="seg-" + "0" * 40 + ".rix")),
    "a length that lies": forge(set_entry(length=1 << 62)),
    "a length of one byte": forge(set_entry(length=1)),
    "more files than there are": forge(set_entry(files=2**31 - 1)),
    "more chunks than there are": forge(set_entry(chunks=1 << 27, live_chunks=1 << 27)),
    "totals that lie": forge(set_entry(live_totals=[9] * 6)),
    "another seal": forge(set_entry(seal="0" * 32)),
    "dead files beyond the end": forge(set_entry(dead_files=[99])),
    "an index that is not complete": forge(
        in_manifest(lambda manifest: manifest.update(settings="5" * 32 + " partial"))
    ),
    "no text index": forge(lambda document: document.update(indexes={})),
    "an index of an unknown kind": forge(
        lambda document: document["indexes"].update({"../x": ""})  # type: ignore[attr-defined]
    ),
    "a number for a text": forge(lambda document: document.update(recipe=7)),
    "another format": forge(lambda document: document.update(format=2)),
    "a list for segments of numbers": forge(lambda document: document.update(segments=[1])),
    "other segments than the manifests": forge(lambda document: document.update(segments=["x"])),
    "no list of segments": forge(lambda document: document.update(segments=[])),
    "a commit that is none": forge(lambda document: document.update(commit="../..")),
    "a label that leads elsewhere": lambda objects: objects.put(
        "v1/labels/main.json", [b'{"publication":"../../x"}']
    ),
    "a label that is no JSON": lambda objects: objects.put("v1/labels/main.json", [b"\xff{"]),
    "a label nested deeply": lambda objects: objects.put("v1/labels/main.json", [b"[" * 1000]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_was_altered_is_refused_and_nothing_of_it_stays(damage: str) -> None:
    objects, target = published(), Checkout()
    DAMAGES[damage](objects)
    with pytest.raises(Problem) as caught:
        pull(objects, target)
    assert caught.value.code in {"publication_invalid", "index_unavailable"}
    assert {kind.folder: target.stores[kind.folder].names() for kind in STORED_KINDS} == {
        kind.folder: [] for kind in STORED_KINDS
    }


BOMBS = {
    "arrays": b"[" + b"[]," * (2 << 20) + b"0]",
    "objects": b"[" + b"{}," * (2 << 20) + b"0]",
    "one object": b"{" + b",".join(b'"%06d":0' % number for number in range(700_000)) + b"}",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_publication_takes_little_more_memory_than_its_bytes(bomb: str) -> None:
    data = BOMBS[bomb]
    assert len(data) <= names.MAX_PUBLICATION_BYTES
    identity = blake2b(data, digest_size=20).hexdigest()
    tracemalloc.start()
    with pytest.raises(Problem, match="form"):
        decode(data, identity)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(data)


def test_a_publication_that_is_larger_than_any_is_not_read() -> None:
    objects, identity = published(), "0" * 40
    objects.put(f"v1/publications/{identity}.json", [bytes(names.MAX_PUBLICATION_BYTES + 1)])
    objects.put("v1/labels/main.json", [b'{"publication":"%s"}' % identity.encode()])
    with pytest.raises(Problem) as caught:
        pull(objects, Checkout())
    assert caught.value.code == "publication_invalid"


@pytest.mark.parametrize("kinds", [STORED_KINDS, *((kind,) for kind in STORED_KINDS)])
def test_a_publication_with_files_that_are_denied_here_is_refused(
    kinds: Sequence[StoredKind],
) -> None:
    source, more, target = Checkout(FILES), Checkout({**FILES, "s/.env": "token"}), Checkout()
    source.stores.update({kind.folder: more.stores[kind.folder] for kind in kinds})
    with pytest.raises(Problem, match="denied"):
        pull(published(source), target)
    assert target.contents() == {}
    assert all(not target.stores[kind.folder].names() for kind in STORED_KINDS)


def test_what_was_altered_leaves_the_index_that_is_there() -> None:
    objects, target = published(), Checkout(OTHER)
    before = target.contents()
    damage_segment(lambda data: data[:-1] + b"?")(objects)
    with pytest.raises(Problem):
        pull(objects, target)
    assert target.contents() == before
    assert target.is_sound()


def test_a_planted_segment_is_fetched_anew() -> None:
    source, target = Checkout(FILES), Checkout()
    name = source.segments()["index"][0]
    store = source.stores["index"]
    target.stores["index"] = MemoryStore({name: b"x" * store.open(name).size})
    assert pull(published(source), target).fetched == 3
    assert target.contents() == source.contents()


def test_too_little_room_is_said_before_anything_is_fetched() -> None:
    from repo_mcp.remote.publish import Puller  # noqa: PLC0415 with room of its own
    from tests.repo_mcp.remote.publish.checkouts import budget  # noqa: PLC0415 as above

    objects, target = FaultyObjects(published()), Checkout()
    with pytest.raises(Problem, match="room"):
        Puller(objects, budget(), requests=1).pull(target.local._replace(room=10), "main")
    assert not any(line.startswith("read") for line in objects.operations)

"""Several indexes as one, against one index of all files."""

from __future__ import annotations

import gc
from collections.abc import Mapping

import pytest

from index_format import Mount, Snapshot, WeightedTerm, top_chunks, unite
from index_format.errors import InvalidInputError
from index_format.generation.index import Index
from index_format.model import Field, Schema
from index_format.store.memory_store import MemoryStore
from tests.index_format.oracle import (
    SETTINGS,
    Tree,
    change,
    commit_change,
    contents,
    expected,
    index_in,
    tree_at,
)

FOLDERS = ("é/", "a/", "a-b/", "b/c/")


def trees() -> Mapping[str, Tree]:
    """A tree in each folder: of other files, of the same, and of none in common."""
    late = {path: file for path, file in tree_at(6, files=30).items() if "1" in path}
    return dict(zip(FOLDERS, (tree_at(2), tree_at(3), tree_at(3), late), strict=True))


def united_tree() -> Tree:
    """All files with the paths that they have in the union."""
    return {folder + path: file for folder, tree in trees().items() for path, file in tree.items()}


def snapshot_of(tree: Tree) -> Snapshot:
    """An index with dead files."""
    store = MemoryStore()
    commit_change(store, {}, tree_at(0))
    commit_change(store, tree_at(0), tree)
    return index_in(store).snapshot()


def united() -> Snapshot:
    return unite([Mount(folder, snapshot_of(tree)) for folder, tree in trees().items()], SETTINGS)


def test_the_union_has_what_one_index_of_all_files_has() -> None:
    assert contents(united()) == expected(united_tree())


def test_paths_are_in_order_and_are_found() -> None:
    union, paths = united(), sorted(united_tree(), key=str.encode)

    assert list(union.paths()) == paths
    assert [path for path in paths if union.find(path) is None] == []
    assert not any(union.find(path.partition("/")[2]) for path in paths)
    inside = [path.decode() for path, _, _ in union.files(b"a/", b"a0")]
    assert inside == [path for path in paths if path.startswith("a/")]
    assert list(union.fingerprints()) == paths


def test_scores_are_those_of_one_index() -> None:
    store = MemoryStore()
    with index_in(store).writer() as writer:
        change(writer, {}, united_tree())
        writer.commit()
    whole, union = index_in(store).snapshot(), united()
    terms = sorted(whole.terms(0))
    assert len(terms) > 20

    for term in terms:
        wanted = [WeightedTerm("body", term), WeightedTerm("body", terms[0], 2.0)]
        found = [
            sorted((-hit.score, snapshot.sort_key(hit.chunk)) for hit in hits)
            for snapshot in (whole, union)
            for hits in [top_chunks(snapshot, wanted, 1000)]
        ]
        assert found[0] == found[1]


def test_two_indexes_with_the_same_segment_are_told_apart() -> None:
    same = snapshot_of(tree_at(3))
    union = unite([Mount("a/", same), Mount("b/", same)], SETTINGS)

    names = {entry.name for entry in union.manifest.segments}
    assert len(names) == 2 * len(same.segments)
    assert not names & {entry.name for entry in same.manifest.segments}
    assert union.file_count == 2 * same.file_count
    assert union.generation == 2 * same.generation


def test_a_union_keeps_the_files_of_its_parts_open() -> None:
    union = unite([Mount("a/", snapshot_of(tree_at(3)))], SETTINGS)
    gc.collect()

    assert contents(union) == expected({f"a/{path}": file for path, file in tree_at(3).items()})


def test_a_union_leaves_its_parts_as_they_are() -> None:
    part = snapshot_of(tree_at(3))
    union = unite([Mount("a/", part)], SETTINGS)

    assert list(union.paths()) == [f"a/{path}" for path in part.paths()]
    assert contents(part) == expected(tree_at(3))


def test_files_that_another_mount_has_are_left_out() -> None:
    tree = {**tree_at(3), **{f"lib/{path}": file for path, file in tree_at(2).items()}}
    tree["lib0"] = tree["lib/" + next(iter(tree_at(2)))]
    whole, inner = snapshot_of(tree), snapshot_of(tree_at(2))
    union = unite([Mount("a/", whole, ("lib/", "none/")), Mount("b/", inner)], SETTINGS)

    kept = {f"a/{path}": file for path, file in tree.items() if not path.startswith("lib/")}
    assert contents(union) == expected(
        kept | {f"b/{path}": file for path, file in tree_at(2).items()}
    )


def test_indexes_of_other_fields_are_refused() -> None:
    other = Index(MemoryStore(), Schema((Field("other"),)), settings=SETTINGS)
    with other.writer() as writer:
        writer.commit()

    with pytest.raises(InvalidInputError, match="another schema"):
        unite([Mount("a/", snapshot_of(tree_at(3))), Mount("b/", other.snapshot())], SETTINGS)

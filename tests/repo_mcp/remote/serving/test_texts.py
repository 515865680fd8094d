"""Texts are published once, in packs that equal trees share, and stay while they are needed."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from repo_mcp.errors import Problem
from repo_mcp.remote.publish import TextExport, collect, names
from repo_mcp.remote.publish.publication import read_publication
from repo_mcp.remote.publish.tree import PublishedTree, read_text
from tests.repo_mcp.remote.publish.checkouts import (
    Checkout,
    Files,
    broken_publications,
    budget,
    label_of,
    publish,
    texts_of,
)
from tests.repo_mcp.remote.publish.objects import Crash, DictObjects, FaultyObjects, Mode

FILES: Files = {
    f"src/m{number:03}.py": f"def call{number}():\n    return {number}\n" * 9
    for number in range(300)
}
FIRST = {"a.py": "one two", "b.py": "three"}
SECOND = {"a.py": "one two", "b.py": "four", "c.py": "five"}
OLD = 1000.0
MODES: tuple[Mode, ...] = ("before", "after")


def texts_in(objects: dict[str, bytes]) -> Files:
    """The texts of a tree and its packs, each read from its pack."""
    name = next(filter(names.is_tree, objects))
    tree = PublishedTree.decode(objects[name], name)
    found: dict[str, str] = {}
    for file in tree.files():
        begin, length = file.place.begin, file.place.length
        pack = objects[tree.packs[file.place.pack].name] if file.size else b""
        text = read_text(pack[begin : begin + length], file)
        assert text is not None
        found[file.path] = text.decode()
    return found


def objects_of(export: TextExport) -> dict[str, bytes]:
    return {name: export.data(name) for name in export.names}


paths = st.text("ab./é", min_size=1, max_size=6).filter(
    lambda path: not {"", ".", ".."} & {*path.split("/")}
)


@given(st.dictionaries(paths, st.text("aä\n", max_size=200)))
def test_packs_have_the_texts_of_all_files(files: Files) -> None:
    files = {path: text for path, text in files.items() if not _is_above(path, files)}
    assert texts_in(objects_of(texts_of(files))) == files


def _is_above(path: str, files: Files) -> bool:
    return any(other.startswith(f"{path}/") for other in files)


def test_an_edit_changes_one_pack_and_the_tree() -> None:
    before, after = texts_of(FILES), texts_of({**FILES, "src/m150.py": "changed\n"})
    assert len(before.names) > 5
    assert len({*after.names} - {*before.names}) == 2
    added = texts_of({**FILES, "src/m150b.py": "new\n"})
    assert len({*added.names} - {*before.names}) <= 3


def test_equal_trees_are_equal_objects_whatever_came_before() -> None:
    assert objects_of(texts_of(FILES)) == objects_of(
        texts_of(dict(sorted(FILES.items(), reverse=True)))
    )


def test_a_file_that_changes_while_it_is_published_is_told() -> None:
    files = dict(FILES)
    export = texts_of(files)
    packs = [name for name in export.names if not names.is_tree(name)]
    before = {name: export.data(name) for name in packs}
    files["src/m150.py"] = "changed\n"
    changed = [name for name in packs if name not in texts_of(files).names]
    assert len(changed) == 1
    with pytest.raises(Problem, match="changes while"):
        export.data(changed[0])
    assert all(export.data(name) == before[name] for name in packs if name not in changed)


def test_only_missing_texts_are_uploaded() -> None:
    objects, checkout = DictObjects(), Checkout(FILES)
    first = publish(objects, checkout, texts=True)
    assert first.texts == first.texts_uploaded > 5
    again = publish(objects, checkout, texts=True)
    assert (again.texts_uploaded, again.publication) == (0, first.publication)
    checkout.change({**FILES, "src/m150.py": "changed\n"})
    later = publish(objects, checkout, texts=True)
    assert (later.texts, later.texts_uploaded) == (first.texts, 2)


def test_a_publication_without_texts_is_as_it_was() -> None:
    objects = DictObjects()
    bare, whole = publish(objects, Checkout(FIRST)), publish(objects, Checkout(FIRST), texts=True)
    assert bare.publication != whole.publication
    found = read_publication(objects, bare.publication)
    assert found is not None
    assert b"texts" not in found.data


@pytest.mark.differential
@pytest.mark.parametrize("mode", MODES)
def test_a_crash_anywhere_leaves_nothing_half_visible(mode: Mode) -> None:
    def published() -> DictObjects:
        objects = DictObjects()
        publish(objects, Checkout(FIRST), texts=True)
        return objects

    whole = FaultyObjects(published())
    new = publish(whole, Checkout(SECOND), texts=True).publication
    assert sum(line.startswith("put v1/texts/") for line in whole.operations) == 2
    for at in range(len(whole.operations)):
        objects = published()
        old = label_of(objects)
        with pytest.raises(Crash):
            publish(FaultyObjects(objects, at, mode), Checkout(SECOND), texts=True)
        assert list(broken_publications(objects)) == []
        assert label_of(objects) in {old, new}
        collect(objects, OLD, budget())
        publish(objects, Checkout(SECOND), texts=True)
        assert label_of(objects) == new
        assert list(broken_publications(objects)) == []


def test_packs_stay_as_long_as_a_publication_needs_them() -> None:
    objects = DictObjects()
    publish(objects, Checkout({"pinned.py": "p"}), "release", pin=True, texts=True)
    publish(objects, Checkout({"superseded.py": "s"}), "release", texts=True)
    publish(objects, Checkout({"newest.py": "n"}), "release", texts=True)
    collect(objects, 0.0, budget())
    assert len(list(objects.rows("v1/texts"))) == 6  # younger than a day
    objects.grow_old()
    removed = collect(objects, OLD, budget())
    assert sum(name.startswith("v1/texts/") for name in removed) == 2
    assert len(list(objects.rows("v1/texts"))) == 4
    assert list(broken_publications(objects)) == []

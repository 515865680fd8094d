"""A path is found among the files of a segment, whether or not they were read as objects."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from index_format import Document, Field, Index, MemoryStore, Schema

SCHEMA = Schema((Field("body"),))
PATH = st.text("ab/", min_size=1, max_size=4)


@given(st.sets(PATH, min_size=1), st.sets(PATH), st.booleans())
def test_the_numbers_of_paths_are_their_places_in_order(
    paths: set[str],
    wanted: set[str],
    read: bool,  # noqa: FBT001 drawn
) -> None:
    index = Index(MemoryStore(), SCHEMA)
    with index.writer() as writer:
        for path in paths:
            writer.add(Document(path, []))
        writer.commit()
    files = index.snapshot().segments[0].reader.files
    ordered = sorted(path.encode() for path in paths)
    if read:
        assert files.paths == ordered
    asked = sorted(path.encode() for path in wanted)
    expected = {ordered.index(path) for path in asked if path in ordered}
    assert files.find_all(asked) == expected
    assert {files.find(path) for path in asked} - {None} == expected
    assert list(files.each_path()) == ordered
    assert files.list_paths() == ordered

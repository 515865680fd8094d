"""The mask cache returns what was put into it, and evicts masks that do not fit."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from repo_mcp.search.filter.file_masks import FileAxis, MaskCache, MasksBySnapshot
from tests.repo_mcp.search.filter.condition_oracle import File, index_of


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1000])
def test_a_mask_comes_back_as_it_was(count: int) -> None:
    mask = np.arange(count) % 3 == 1
    remembered = MaskCache()
    assert remembered.get("a") is None
    remembered.put("a", mask)
    remembered.put("a", ~mask)
    found = remembered.get("a")
    assert found is not None
    assert np.array_equal(found, mask)


def test_the_least_recently_used_mask_is_evicted() -> None:
    remembered = MaskCache(3 * 356)
    for name in "abc":
        remembered.put(name, np.ones(800, dtype=np.bool_))
    assert remembered.get("a") is not None
    remembered.put("d", np.ones(800, dtype=np.bool_))
    assert [name for name in "abcd" if remembered.get(name) is None] == ["b"]


def test_masks_are_kept_while_the_snapshot_is_open() -> None:
    known = MasksBySnapshot()
    _, snapshot = index_of([File("a", ("x",))])
    first = weakref.ref(known.get(snapshot))
    assert known.get(snapshot) is first()
    del snapshot
    gc.collect()
    assert first() is None


@pytest.mark.parametrize("chosen", [0, 1, 2, 3, 20])
def test_few_files_and_many_have_their_chunks(chosen: int) -> None:
    files = [File(f"f{at:02}", ("x",) * (at % 3 + 1)) for at in range(20)]
    _, snapshot = index_of(files, files[:1])
    axis = FileAxis(snapshot)
    mask = axis.no_files()
    mask[axis.count - chosen :] = True
    chunks = np.flatnonzero(axis.chunks(mask)).tolist()
    paths = {snapshot.chunk(at).path for at in chunks}
    # the last file is a new version of the first one
    expected = [*files[1:], files[0]][20 - chosen :]
    assert paths == {file.path for file in expected}
    assert len(chunks) == sum(len(file.bodies) for file in expected)

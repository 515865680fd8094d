"""A refresh frees at its end all that it has worked with, though garbage is never collected.

A server collects garbage rarely: objects of a refresh that refer to each other would stay until
then, and those of one edit after the other are hundreds of megabytes.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.repo_mcp.trees import FOREVER, served, write

EDITS = 5
MOST_BYTES = 100_000


@pytest.fixture
def kept_garbage() -> Iterator[list[object]]:
    """Garbage that a collection has found; it is collected when a test asks."""
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.collect()
        if was_on:
            gc.enable()


def size(item: object) -> int:
    return item.nbytes if isinstance(item, np.ndarray) else sys.getsizeof(item)


def held(garbage: list[object]) -> int:
    """Bytes of these objects, and of texts, bytes and arrays that they refer to."""
    leaves = (str, bytes, bytearray, np.ndarray)
    found = {id(item): item for item in garbage}
    for item in garbage:
        found |= {id(leaf): leaf for leaf in gc.get_referents(item) if isinstance(leaf, leaves)}
    return sum(map(size, found.values()))


def test_edits_leave_no_garbage(
    tmp_path: Path, kept_garbage: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    # small refreshes work in this process
    monkeypatch.setattr("code_graph.registry.Languages.needs_worker", lambda *_: False)
    files = {f"part{number}.py": f"def lock{number}(of the):\n    pass\n" for number in range(8)}
    root = write(tmp_path / "root", dict(files))
    manager = served(root, tmp_path / "data").manager
    manager.refresh(FOREVER)
    gc.collect()
    kept_garbage.clear()
    for edit in range(EDITS):
        write(root, {"part1.py": f"# which of the parts is this for: {edit}\n"})
        manager.refresh(FOREVER)
    gc.collect()
    assert held(kept_garbage) < EDITS * MOST_BYTES

"""A query over several segments names the one that is damaged."""

from __future__ import annotations

import pytest

from index_format.errors import CorruptIndexError
from index_format.query.scoring import top_chunks
from index_format.query.term_scores import WeightedTerm
from index_format.store.memory_store import MemoryStore
from tests.index_format.health.hostile_cases import Case, block
from tests.index_format.reseal import changed_sections
from tests.index_format.samples import add_all, index_in, segment_names


@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_the_damaged_segment_is_named(damaged: int) -> None:
    store = MemoryStore()
    for part in "abc":
        with index_in(store).writer() as writer:
            add_all(writer, {f"{part}{at:03}": [{"body": f"same {part}"}] for at in range(130)})
            writer.commit()
    wrong = Case("block-end", b"BLKM", block(1, last=126), "BLKR[0]")
    store = changed_sections(store, damaged, wrong.apply)
    snapshot = index_in(store).snapshot()
    with pytest.raises(CorruptIndexError) as caught:
        top_chunks(snapshot, [WeightedTerm("body", b"same")], 3)
    assert caught.value.file == snapshot.manifest.segments[damaged].name
    assert caught.value.section == "BLKR[0]"
    assert len(segment_names(store)) == 3

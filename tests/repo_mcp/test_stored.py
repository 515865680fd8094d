"""Progress in a manifest is parsed as it was written, and old texts keep their meaning."""

from __future__ import annotations

from itertools import product

import pytest

from index_format import Index, MemoryStore, Snapshot
from repo_mcp.stored import SCHEMA, IndexProgress


def with_settings(settings: str) -> Snapshot:
    index = Index(MemoryStore(), SCHEMA, settings=settings)
    with index.writer() as writer:
        return writer.commit()


@pytest.mark.parametrize(("complete", "deep"), [*product([True, False], repeat=2)])
def test_progress_is_read_as_it_was_written(*, complete: bool, deep: bool) -> None:
    progress = IndexProgress("abc", complete, deep)
    assert IndexProgress.of(with_settings(progress.to_settings())) == progress


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("abc", IndexProgress("abc")),
        ("abc partial", IndexProgress("abc", complete=False)),
        ("abc shallow", IndexProgress("abc", deep=False)),
        ("abc partial shallow", IndexProgress("abc", complete=False, deep=False)),
    ],
)
def test_the_text_in_a_manifest_stays_as_it_is(settings: str, expected: IndexProgress) -> None:
    assert IndexProgress.of(with_settings(settings)) == expected
    assert expected.to_settings() == settings

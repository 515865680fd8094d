"""Pages that are kept: those of the right file, and no more of all files than of one."""

from __future__ import annotations

from hypothesis import given, strategies as st

from index_format.codec.frame import PAGES, PageCache, new_keys
from index_format.layout import PAGE_BYTES
from tests.index_format.codec.test_frame import frame_of


@given(st.lists(st.tuples(st.integers(0, 40), st.booleans())), st.integers(1, 8))
def test_what_is_found_was_kept_and_what_was_asked_last_is_there(
    steps: list[tuple[int, bool]], most: int
) -> None:
    pages = PageCache(most)
    recent: list[int] = []  # asked for or kept, the last at the end
    for key, kept in steps:
        expected = str(key).encode()
        if kept:
            pages.keep(key, expected)
        found = pages.find(key)
        assert found in (None, expected)
        if kept or key in recent[-most:]:
            assert found == expected
        if found is not None:
            recent = [*(other for other in recent if other != key), key]
        assert len(pages) <= 2 * most


def test_many_files_share_one_budget_and_have_their_own_bytes() -> None:
    before = len(PAGES)
    frames = [frame_of((b"AAAA", bytes([number]) * (80 * PAGE_BYTES))) for number in range(20)]
    for page in range(79):
        for number, frame in enumerate(frames):
            found = frame.read(frame.section(b"AAAA"), page * PAGE_BYTES, 10)
            assert bytes(found) == bytes([number]) * 10
    assert len(PAGES) <= max(before, 1024)


def test_no_two_files_have_a_key_in_common() -> None:
    first, second = new_keys(), new_keys()
    assert second - first > 1 << 32

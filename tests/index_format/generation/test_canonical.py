"""Equal live content gives equal bytes: whatever the order, history, memory or process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from index_format.generation.commit import load_current
from index_format.generation.compaction import TIER_WIDTH
from index_format.generation.cuts import find_cuts
from index_format.model import Limits
from index_format.store.memory_store import MemoryStore
from tests.index_format.generation.canonical_build import WAYS, built, content, current_segments
from tests.index_format.samples import LIMITS, add_all, answers, index_in

ROOT = Path(__file__).parents[3]
FRESH = current_segments(built("sorted", content()))
ENVIRONMENTS = [
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kolkata"},
    {"PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/New_York"},
]
PATHS = st.sets(st.binary(min_size=1, max_size=3), max_size=120).map(sorted)
CROWDED = Limits(8, 32, 3, max_tokens=20, full_bits=1)
SMALL = Limits(min_files=2, max_files=6, boundary_bits=2)


def test_there_is_more_than_one_segment_to_compare() -> None:
    assert len(FRESH) > 2


@pytest.mark.requirement("CARD-compactor")
@pytest.mark.parametrize("way", WAYS)
def test_compaction_ends_in_the_same_bytes_after_any_history(way: str) -> None:
    assert current_segments(built(way, content(), seed=3)) == FRESH


def test_a_removed_file_leaves_nothing_in_a_canonical_segment() -> None:
    store = built("sorted", content())
    index = index_in(store)
    (first, *_) = index.snapshot().paths()
    with index.writer() as writer:
        writer.remove(first)
        writer.commit()
    assert index.compact(full=True) > 0
    rest = {path: chunks for path, chunks in content().items() if path != first}
    assert current_segments(store) == current_segments(built("sorted", rest))


@pytest.mark.parametrize("way", ["shuffled", "edited", "one by one"])
def test_segments_cut_by_tokens_are_the_same_after_any_history(way: str) -> None:
    fresh = current_segments(built("sorted", content(), limits=CROWDED))
    assert len(fresh) > len(FRESH)
    assert current_segments(built(way, content(), seed=4, limits=CROWDED)) == fresh


def test_a_fresh_build_that_fits_one_segment_is_canonical_already() -> None:
    limits = Limits(1_000, 2_000, 3)
    store = MemoryStore()
    index = index_in(store, limits)
    with index.writer() as writer:
        add_all(writer, content(20))
        writer.commit()
    before = current_segments(store)
    assert index.compact(full=True) == 0
    assert current_segments(store) == before


@pytest.mark.servers
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda item: item["PYTHONHASHSEED"])
def test_another_process_builds_the_same_bytes(environment: dict[str, str]) -> None:
    way = {"0": "sorted", "1": "shuffled", "2": "edited"}[environment["PYTHONHASHSEED"]]
    command = [sys.executable, "-m", "tests.index_format.generation.canonical_build"]
    outputs = {
        subprocess.run(
            [*command, *arguments],
            env={**os.environ, **extra},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for arguments, extra in (((way, "5"), environment), (("sorted", "0"), {}))
    }
    assert [line.split()[0] for line in outputs.pop().splitlines()] == list(FRESH)
    assert outputs == set()


@pytest.mark.parametrize("number", [0, 17, 42, 59])
def test_one_changed_file_changes_one_segment(number: int) -> None:
    files = content()
    path = list(files)[number]
    after = current_segments(built("shuffled", files | {path: [{"body": "another text"}]}))
    assert len(after) == len(FRESH)
    assert len(set(after) - set(FRESH)) == 1


@pytest.mark.requirement("CARD-compactor")
def test_small_segments_wait_until_there_are_enough_to_merge() -> None:
    store = built("sorted", content())
    index = index_in(store)
    for number in range(TIER_WIDTH):
        assert index.compact() == 0
        with index.writer() as writer:
            add_all(writer, {f"small{number}.py": [{"body": "small change"}]})
            writer.commit()
    assert index.compact() == 1
    entries = load_current(store).segments
    assert [entry.name for entry in entries if entry.canonical] == list(FRESH)
    assert [entry.files for entry in entries if not entry.canonical] == [TIER_WIDTH]
    assert index.snapshot().file_count == len(content()) + TIER_WIDTH


def test_full_compaction_of_what_is_compacted_does_nothing() -> None:
    store = built("sorted", content())
    before = load_current(store)
    assert index_in(store).compact(full=True) == 0
    assert load_current(store) == before


def test_answers_do_not_depend_on_how_far_compaction_has_come() -> None:
    store = built("edited", content())
    index = index_in(store)
    truth = answers(index.snapshot())[1:]  # without the generation's number
    assert answers(index_in(built("one by one", content())).snapshot())[1:] == truth


@given(PATHS)
def test_cuts_cover_all_files_within_the_limits(paths: list[bytes]) -> None:
    edges = find_cuts(paths, SMALL)
    sizes = [end - begin for begin, end in zip([0, *edges], edges, strict=False)]
    assert sum(sizes) == len(paths)
    assert all(SMALL.min_files <= size <= SMALL.max_files for size in sizes[:-1])
    assert all(0 < size <= SMALL.max_files for size in sizes[-1:])


@given(PATHS, st.data())
def test_a_segment_ends_early_only_when_it_is_crowded(
    paths: list[bytes], data: st.DataObject
) -> None:
    counts = st.lists(st.integers(0, 9), min_size=len(paths), max_size=len(paths))
    tokens = data.draw(counts)
    edges = find_cuts(paths, CROWDED, tokens)
    spans = [range(begin, end) for begin, end in zip([0, *edges], edges, strict=False)]
    assert sum(map(len, spans)) == len(paths)
    for span in spans[:-1]:
        held = sum(tokens[at] for at in span)
        assert len(span) >= CROWDED.min_files or held >= CROWDED.max_tokens


@given(PATHS, st.integers(0, 119))
def test_cuts_before_a_new_file_stay_where_they_are(paths: list[bytes], at: int) -> None:
    """Cuts behind it may move, up to the next boundary both have in common."""
    before = find_cuts(paths, SMALL)
    chosen = at % (len(paths) + 1)
    lower = paths[chosen - 1] if chosen else b""
    added = lower + b"\x00"
    if added in paths:
        return
    after = find_cuts(sorted([*paths, added]), SMALL)
    assert [edge for edge in before if edge < chosen] == [edge for edge in after if edge < chosen]


def test_cuts_behind_a_new_file_meet_again() -> None:
    paths = sorted(f"f{number:05}".encode() for number in range(4_000))
    before = {paths[edge - 1] for edge in find_cuts(paths, LIMITS)}
    after_paths = sorted([*paths, b"f00000x"])
    after = {after_paths[edge - 1] for edge in find_cuts(after_paths, LIMITS)}
    assert len(before) > 50
    assert len(before ^ after) < 10


def test_cuts_depend_on_the_paths_alone() -> None:
    paths = sorted(path.encode() for path in content())
    ends = [entry.files for entry in load_current(built("spilled", content())).segments]
    assert [sum(ends[: at + 1]) for at in range(len(ends))] == find_cuts(paths, LIMITS)

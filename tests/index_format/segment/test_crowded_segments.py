"""Files that are long end a canonical segment early, whatever the history."""

from __future__ import annotations

from random import Random

from index_format.generation.cuts import find_cuts
from index_format.generation.index import Index
from index_format.model import Limits
from index_format.store.memory_store import MemoryStore
from tests.index_format.samples import SCHEMA, document

LIMITS = Limits(min_files=50, max_files=200, boundary_bits=5, max_tokens=300, full_bits=1)
PATHS = [f"d{number % 7}/f{number:03}" for number in range(120)]


def _text(path: str, version: int) -> str:
    random = Random(f"{path} {version}")
    return " ".join(f"w{random.randrange(90)}" for _ in range(random.randrange(10, 40)))


def _index(versions: dict[str, int], batches: int) -> Index:
    index = Index(MemoryStore(), SCHEMA, limits=LIMITS)
    names = sorted(versions)
    Random(batches).shuffle(names)
    for part in range(batches):
        with index.writer() as writer:
            for path in names[part::batches]:
                text = {"body": _text(path, versions[path])}
                writer.add(document(path, [text], writer.vocabulary))
            writer.commit()
    index.compact(full=True)
    return index


def _names(index: Index) -> list[str]:
    return [entry.name for entry in index.snapshot().manifest.segments]


def test_a_segment_ends_soon_after_it_is_full() -> None:
    """No segment has many tokens more than the limit, and none ends before its time."""
    entries = _index(dict.fromkeys(PATHS, 0), 1).snapshot().manifest.segments
    assert len(entries) > 3
    assert all(entry.canonical and not entry.dead_files for entry in entries)
    assert all(sum(entry.live_totals) >= LIMITS.max_tokens for entry in entries[:-1])
    assert max(sum(entry.live_totals) for entry in entries) < 3 * LIMITS.max_tokens


def test_a_segment_is_full_with_as_many_tokens_or_files_as_its_limit() -> None:
    paths = [b"%02d" % number for number in range(7)]
    by_tokens = Limits(50, 200, 5, max_tokens=20, full_bits=0)
    assert find_cuts(paths, by_tokens, [10] * 7) == [2, 4, 6, 7]
    assert find_cuts(paths, by_tokens, [9, 9, 9, 9, 1, 1, 20]) == [3, 7]
    assert find_cuts(paths, Limits(50, 3, 5, max_tokens=999, full_bits=0), [10] * 7) == [3, 6, 7]


def test_equal_content_gives_equal_segments_whatever_the_history() -> None:
    """The place of a cut is a function of what is live."""
    first = _index(dict.fromkeys(PATHS, 0), 5)
    edited = dict.fromkeys(PATHS, 0) | dict.fromkeys(PATHS[::9], 3)
    with first.writer() as writer:
        for path in PATHS[::9]:
            writer.add(document(path, [{"body": _text(path, 3)}], writer.vocabulary))
        writer.commit()
    first.compact(full=True)
    assert _names(first) == _names(_index(edited, 1))
    assert first.compact(full=True) == 0


def test_most_cuts_stay_when_a_file_grows() -> None:
    """An edit that changes a count of tokens moves few of the places behind it."""
    paths = sorted(path.encode() for path in PATHS)
    tokens = [20] * len(paths)
    before = find_cuts(paths, LIMITS, tokens)
    kept = 0
    for at in range(len(paths)):
        after = find_cuts(paths, LIMITS, [*tokens[:at], 23, *tokens[at + 1 :]])
        kept += len(set(before) & set(after))
    assert kept > 0.9 * len(before) * len(paths)


def test_short_files_are_cut_by_their_number_alone() -> None:
    """Below the limit tokens have no say."""
    paths = sorted(path.encode() for path in PATHS)
    assert find_cuts(paths, LIMITS, [1] * len(paths)) == find_cuts(paths, LIMITS)

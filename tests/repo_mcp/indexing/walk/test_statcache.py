"""The stat cache: saved atomically, trusted for one index only, and never needed."""

from __future__ import annotations

from pathlib import Path

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repo_mcp import side_files
from repo_mcp.indexing.fresh.changes import cacheable_key, compare, merge_stats
from repo_mcp.indexing.walk import statcache
from repo_mcp.indexing.walk.statcache import UNKNOWN, CachedStat, StatCache
from repo_mcp.indexing.walk.walk import WalkedFile
from repo_mcp.safety.sandbox import StatKey
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, served

NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
KEYS = st.builds(StatKey, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
PATHS = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=9)
SEEN = st.builds(
    CachedStat,
    KEYS,
    st.binary(min_size=16, max_size=16),
    st.sampled_from(["", "binary"]),
    st.booleans(),
)
KEY = StatKey(1, 2, 3, 4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.dictionaries(PATHS, SEEN, max_size=6))
def test_a_saved_cache_is_loaded(tmp_path: Path, files: dict[str, CachedStat]) -> None:
    cache = StatCache("settings", "7:abc", files, unsaved=True)
    statcache.save(str(tmp_path), cache)
    assert not cache.unsaved
    assert statcache.load(str(tmp_path), "settings") == cache
    assert statcache.load(str(tmp_path), "others") == StatCache("others")


def test_a_damaged_cache_is_empty(tmp_path: Path) -> None:
    statcache.save(str(tmp_path), StatCache("s", "1:x", {"a": CachedStat(KEY, bytes(16))}))
    file = tmp_path / "stat.cache"
    data = file.read_bytes()
    for at in range(len(data)):
        file.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert statcache.load(str(tmp_path), "s") == StatCache("s"), at
        file.write_bytes(data[:at])
        assert statcache.load(str(tmp_path), "s") == StatCache("s"), at
    statcache.delete(str(tmp_path))
    statcache.delete(str(tmp_path))
    assert not file.exists()


SOUND: list[object] = ["s", "1:x", b"a", bytes(32), bytes(16), [[":"], bytes(2)]]


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (1, 3),
        (2, "a"),
        (2, [b"a"]),
        (3, "\0" * 32),
        (4, "\0" * 16),
        (5, [[3], bytes(2)]),
        (5, [[b":"], bytes(2)]),
        (5, [[":"], "\0\0"]),
        (5, {}),
    ],
)
def test_a_forged_cache_with_values_of_other_types_is_empty(
    tmp_path: Path, at: int, value: object
) -> None:
    for record in (SOUND, [*SOUND[:at], value, *SOUND[at + 1 :]]):
        data = statcache._HEAD.pack(b"rmsc", 2) + msgpack.packb(record)
        side_files.put_tagged(str(tmp_path), "stat.cache", data)
        assert bool(statcache.load(str(tmp_path), "s").files) == (record is SOUND)


def test_a_folder_that_can_not_be_written_is_no_error(tmp_path: Path) -> None:
    statcache.save(str(tmp_path / "missing"), StatCache("s"))
    assert statcache.load(str(tmp_path / "missing"), "s") == StatCache("s")


def test_a_file_modified_just_before_it_was_read_is_read_again() -> None:
    second = 1_000_000_000
    now = 100 * second
    old = StatKey(1, 90 * second, 90 * second, 1)
    assert cacheable_key(old, now) == old
    assert cacheable_key(old._replace(mtime_ns=99 * second), now) == UNKNOWN
    assert cacheable_key(old._replace(ctime_ns=200 * second), now) == UNKNOWN


def test_files_are_compared_by_every_part_of_their_stat_key() -> None:
    known = {"same": CachedStat(KEY, b"f" * 16), "gone": CachedStat(KEY, b"f" * 16)}
    for name in StatKey._fields:
        known[name] = CachedStat(KEY._replace(**{name: 9}), b"f" * 16)
    known["binary"] = CachedStat(KEY, b"f" * 16, "binary")
    known["shallow"] = CachedStat(KEY, b"f" * 16, "", shallow=True)
    files = [WalkedFile(path, KEY) for path in [*known, "new"] if path != "gone"]
    changes = compare(files, known)
    assert [item.path for item in changes.changed] == [*StatKey._fields, "new"]
    assert [item.path for item in changes.shallow] == ["shallow"]
    assert (changes.gone, changes.left_out) == (["gone"], {"binary": 1})


def test_only_fingerprints_that_index_and_cache_agree_on_are_trusted() -> None:
    index = {"a": CachedStat(UNKNOWN, b"1" * 16), "b": CachedStat(UNKNOWN, b"2" * 16)}
    memory = {
        "a": CachedStat(KEY, b"1" * 16),
        "b": CachedStat(KEY, b"x" * 16),
        "c": CachedStat(KEY, b"3" * 16),
    }
    memory["d"] = CachedStat(KEY, b"4" * 16, "binary")
    found = merge_stats(index, memory)
    assert found == {"a": memory["a"], "b": index["b"], "d": memory["d"]}


@pytest.mark.requirement("INT-09.3-incremental")
@pytest.mark.parametrize("loss", ["cache", "index", "both", "neither"])
def test_losing_the_cache_changes_no_answer(tmp_path: Path, loss: str) -> None:
    root = write(tmp_path / "root", {"a.py": "alpha", "b.py": "beta", "c.bin": b"\0"})
    data = tmp_path / "data"
    served(root, data).manager.refresh(FOREVER)
    if loss in {"cache", "both"}:
        statcache.delete(str(data))
    if loss in {"index", "both"}:
        for path in (data / "index").iterdir():
            path.unlink()
    write(root, {"a.py": "gamma"})
    manager = served(root, data).manager
    done = manager.refresh(FOREVER)
    assert indexed(manager) == ["a.py", "b.py"]
    assert (done.added, done.updated) == ((2, 0) if loss in {"index", "both"} else (0, 1))

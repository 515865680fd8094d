"""The file of vectors of functions: what is whole is read, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from repo_mcp import side_files
from repo_mcp.vectors.function_vectors import WIDTH, FunctionVectors

IDENTITY = "encoder 1"
# keys of files, each with so many functions
FILES = {bytes([number]) * 16: number % 4 for number in range(1, 9)}


def rows_of(key: bytes, version: int = 0) -> list[bytes]:
    return [bytes([key[0], at, version]) + b"fvec" * 23 + b"x" for at in range(FILES[key])]


def opened(folder: Path) -> FunctionVectors:
    return FunctionVectors(str(folder), IDENTITY)


def file_of(folder: Path) -> Path:
    (found,) = folder.glob("functions-*.vectors")
    return found


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vectors")
    opened(folder).append(next(iter(FILES)), [])
    return folder


def test_a_row_is_as_wide_as_it_should_be() -> None:
    assert {len(row) for key in FILES for row in rows_of(key)} == {WIDTH}
    assert WIDTH <= 100


def test_there_is_nothing_at_first(tmp_path: Path) -> None:
    assert opened(tmp_path).known() == {}


def test_what_is_appended_is_read_by_all(tmp_path: Path) -> None:
    reader, writer = opened(tmp_path), opened(tmp_path)
    for key in FILES:
        writer.append(key, rows_of(key))
        assert reader.known()[key] == b"".join(rows_of(key))
    assert reader.known() == opened(tmp_path).known()
    assert reader.known().keys() == FILES.keys()


def test_another_encoder_has_other_vectors(tmp_path: Path) -> None:
    key = next(iter(FILES))
    opened(tmp_path).append(key, rows_of(key))
    assert FunctionVectors(str(tmp_path), "encoder 2").known() == {}


@given(
    order=st.lists(st.sampled_from(sorted(FILES)), min_size=1, max_size=12),
    cut=st.integers(min_value=0),
    damaged=st.lists(st.integers(min_value=0), max_size=3),
)
def test_after_any_writes_a_kill_and_damage_only_whole_records_are_read(
    keyed: Path, order: list[bytes], cut: int, damaged: list[int]
) -> None:
    file = file_of(keyed)
    file.write_bytes(b"")
    ends = []
    for key in order:
        opened(keyed).append(key, rows_of(key))
        ends.append(file.stat().st_size)
    content = bytearray(file.read_bytes())
    # killed while it writes: the file ends anywhere
    left = cut % (len(content) + 1)
    del content[left:]
    flipped = {at % left for at in damaged} if left else set()
    for at in flipped:
        content[at] ^= 0xFF
    file.write_bytes(content)
    begins = [0, *ends]
    whole = {
        key
        for key, begin, end in zip(order, begins, ends, strict=False)
        if end <= left and not flipped.intersection(range(begin, end))
    }
    reader = opened(keyed)
    assert reader.known() == {key: b"".join(rows_of(key)) for key in whole}
    # what is missing is written behind, and read by those who have read before, too
    for key in order:
        if key not in whole:
            opened(keyed).append(key, rows_of(key))
    assert reader.known().keys() == set(order) == opened(keyed).known().keys()


def test_the_latest_record_of_a_key_counts(tmp_path: Path) -> None:
    key = b"\7" * 16
    writer = opened(tmp_path)
    for version in range(3):
        writer.append(key, rows_of(key, version))
    assert writer.known() == opened(tmp_path).known() == {key: b"".join(rows_of(key, 2))}


def test_what_most_of_the_file_is_of_and_nobody_needs_goes(tmp_path: Path) -> None:
    writer, reader = opened(tmp_path), opened(tmp_path)
    for key in FILES:
        writer.append(key, rows_of(key))
    before = file_of(tmp_path).stat().st_size
    assert reader.known().keys() == FILES.keys()
    used = [*FILES][1:4]
    writer.drop_unused(FILES)
    assert file_of(tmp_path).stat().st_size == before
    writer.drop_unused([*used, b"?" * 16])
    assert file_of(tmp_path).stat().st_size < before
    assert writer.known().keys() == set(used) == opened(tmp_path).known().keys()
    # another process goes on with what is there now
    added = [*FILES][-1]
    writer.append(added, rows_of(added))
    assert reader.known().keys() >= {*used, added}


def test_records_of_another_data_folder_do_not_count(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        side_files.prepare(str(folder))
        for key in FILES:
            opened(folder).append(key, rows_of(key))
    file_of(other).write_bytes(file_of(one).read_bytes())
    assert opened(other).known() == {}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes")
def test_a_pipe_in_its_place_is_no_file(tmp_path: Path) -> None:
    writer = opened(tmp_path)
    writer.append(next(iter(FILES)), [])
    file = file_of(tmp_path)
    file.unlink()
    os.mkfifo(file)
    assert opened(tmp_path).known() == {}

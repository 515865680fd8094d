"""Steps of compaction taken by other processes: the same bytes, whoever dies meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from multiprocessing import get_context
from pathlib import Path

import msgpack
import numpy as np
import pytest

from index_format.errors import InvalidInputError
from index_format.generation.commit import load_current
from index_format.generation.compaction import MOST_DELTAS
from index_format.generation.index import Index
from index_format.generation.merge_task import MergeTask, merge_segments
from index_format.health.check import check
from index_format.segment.entry import SegmentEntry
from index_format.store.contract import Store
from index_format.store.file_store import FileStore
from index_format.store.memory_store import MemoryStore
from tests.index_format.generation.canonical_build import built, content, current_segments
from tests.index_format.samples import SCHEMA, add_all, answers, index_in

FRESH = current_segments(built("sorted", content()))
Run = Callable[[Sequence[MergeTask]], Iterable[SegmentEntry]]


def fill(store: Store) -> None:
    """Several segments with dead files, far from the canonical layout."""
    index = index_in(store)
    files = content()
    with index.writer() as writer:
        for part in range(5):
            add_all(writer, {path: [{"body": "old words"}] for path in list(files)[part::5]})
            writer.commit()
        for part in range(3):
            add_all(writer, {path: files[path] for path in list(files)[part::3]})
            writer.commit()


def work(folder: str, record: bytes) -> bytes:
    """The work of a worker process: bytes come in, bytes go out."""
    task = MergeTask.from_record(msgpack.unpackb(record))
    return bytes(msgpack.packb(merge_segments(FileStore(folder), SCHEMA, task).to_record()))


def work_until(folder: str, victim: bytes, record: bytes) -> bytes:
    """The same, but one task kills its process."""
    if record == victim:
        os._exit(9)
    return work(folder, record)


def packed(tasks: Sequence[MergeTask]) -> list[bytes]:
    return [bytes(msgpack.packb(task.to_record())) for task in tasks]


def here(store: Store) -> Run:
    return lambda tasks: (merge_segments(store, SCHEMA, task) for task in tasks)


@pytest.mark.servers
@pytest.mark.requirement("CARD-compactor")
def test_other_processes_merge_to_the_same_bytes(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    fill(store)
    index = index_in(store)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:

        def run(tasks: Sequence[MergeTask]) -> Iterator[SegmentEntry]:
            for record in pool.map(partial(work, str(tmp_path)), packed(tasks)):
                yield SegmentEntry.from_record(msgpack.unpackb(record))

        assert index.compact(full=True, run=run) == len(FRESH)
    names = [entry.name for entry in load_current(store).segments]
    assert {name: store.open(name).read(0, len(FRESH[name])) for name in names} == FRESH
    assert list(names) == list(FRESH)
    index.collect_garbage(grace_seconds=0)
    assert list(check(store)) == []


@pytest.mark.servers
def test_a_worker_that_dies_loses_nothing(tmp_path: Path) -> None:
    """The caller gets the error; steps taken by then stand, and the rest can be taken again."""
    store = FileStore(tmp_path)
    fill(store)
    index = index_in(store)
    truth = answers_without_numbers(store)
    before = load_current(store).generation
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:

        def run(tasks: Sequence[MergeTask]) -> Iterator[SegmentEntry]:
            records = packed(tasks)
            for record in pool.map(partial(work_until, str(tmp_path), records[2]), records):
                yield SegmentEntry.from_record(msgpack.unpackb(record))

        with pytest.raises(BrokenProcessPool):
            index.compact(full=True, run=run)
    assert load_current(store).generation <= before + 2
    assert answers_without_numbers(store) == truth
    assert list(check(store)) == []
    index.compact(full=True)
    assert [entry.name for entry in load_current(store).segments] == list(FRESH)


def answers_without_numbers(store: Store) -> list[tuple[str, object]]:
    """The contents of each file, however they are spread over segments."""
    snapshot = index_in(store).snapshot()
    held = [(path, snapshot.file(path)) for path in snapshot.paths()]
    prints = [(path, file and (file.fingerprint, file.size)) for path, file in held]
    return [*prints, *((str(field), snapshot.token_count(field)) for field in (0, 1))]


def test_steps_are_published_as_they_come() -> None:
    """An error after the first step leaves that one published, and the index whole."""
    store = MemoryStore()
    fill(store)
    index = index_in(store)
    before = load_current(store).generation

    def run(tasks: Sequence[MergeTask]) -> Iterator[SegmentEntry]:
        yield merge_segments(store, SCHEMA, tasks[0])
        assert load_current(store).generation == before + 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        index.compact(full=True, run=run)
    assert load_current(store).generation == before + 1
    assert list(check(store)) == []
    assert index.compact(full=True, run=here(store)) == len(FRESH) - 1
    assert current_segments(store) == FRESH


def test_merging_stops_between_steps_when_others_wait() -> None:
    store = MemoryStore()
    fill(store)
    index = index_in(store)
    before = load_current(store).generation
    assert index.compact(full=True, stop=lambda: True) == 0
    waiting = chain([False], repeat(True))  # noqa: FBT003 what it repeats
    assert index.compact(full=True, stop=lambda: next(waiting)) == 1
    assert load_current(store).generation == before + 1
    assert list(check(store)) == []
    assert index.compact(full=True) == len(FRESH) - 1
    assert current_segments(store) == FRESH


@pytest.mark.differential
def test_many_deltas_are_merged_though_others_wait() -> None:
    """Edits that never pause leave few segments, and the same answers."""
    store, peer = MemoryStore(), MemoryStore()
    rows = {f"{number:03}": [{"body": f"word{number % 7} common"}] for number in range(200)}
    most = 0
    for path, chunks in rows.items():
        for each in (store, peer):
            with index_in(each).writer() as writer:
                add_all(writer, {path: chunks})
                writer.commit()
        index_in(store).compact(stop=lambda: True)
        most = max(most, sum(not entry.canonical for entry in load_current(store).segments))
    assert most == MOST_DELTAS
    assert answers_without_numbers(store) == answers_without_numbers(peer)
    assert list(check(store)) == []


def test_as_many_steps_as_asked_for_are_handed_out() -> None:
    store = MemoryStore()
    fill(store)
    seen: list[int] = []

    def run(tasks: Sequence[MergeTask]) -> Iterable[SegmentEntry]:
        seen.append(len(tasks))
        return here(store)(tasks)

    assert index_in(store).compact(full=True, steps=2, run=run) == 2
    assert index_in(store).compact(full=True, run=run) == len(FRESH) - 2
    assert seen == [2, len(FRESH) - 2]
    assert index_in(store).compact(full=True, run=run) == 0


def test_lazy_steps_can_be_taken_elsewhere_too() -> None:
    """Each depends on the one before, so that they are handed out one by one."""
    alone, helped = MemoryStore(), MemoryStore()
    for store in (alone, helped):
        fill(store)
    steps = index_in(alone).compact()
    assert steps > 0
    assert index_in(helped).compact(run=here(helped)) == steps
    assert answers(index_in(helped).snapshot()) == answers(index_in(alone).snapshot())


@pytest.mark.parametrize("spoil", ["swapped", "missing", "dead", "lazy"])
def test_what_is_not_the_answer_to_a_task_is_not_published(spoil: str) -> None:
    store = MemoryStore()
    fill(store)
    before = load_current(store)

    def run(tasks: Sequence[MergeTask]) -> Iterable[SegmentEntry]:
        entries = list(here(store)(tasks))
        if spoil == "swapped":
            return entries[::-1]
        if spoil == "missing":
            return []
        if spoil == "dead":
            return [replace(entries[0], dead_files=(0,), live_chunks=0), *entries[1:]]
        return [replace(entry, canonical=False) for entry in entries]

    with pytest.raises(InvalidInputError, match=r"gave|keep the order of the tasks"):
        index_in(store).compact(full=True, run=run)
    assert load_current(store) == before


def some_task() -> tuple[MemoryStore, MergeTask]:
    store = MemoryStore()
    fill(store)
    tasks: list[MergeTask] = []
    with pytest.raises(ValueError, match="kept"):
        index_in(store).compact(full=True, run=lambda found: keep(tasks, found))
    return store, tasks[0]


def keep(tasks: list[MergeTask], found: Sequence[MergeTask]) -> Iterable[SegmentEntry]:
    tasks.extend(found)
    msg = "kept"
    raise ValueError(msg)


def test_a_task_comes_back_from_its_record() -> None:
    _, task = some_task()
    record = msgpack.unpackb(msgpack.packb(task.to_record()))
    assert MergeTask.from_record(record) == task
    assert task.source_bytes == sum(entry.length for entry in task.segments) > 0
    for entry in (*task.segments, replace(task.segments[0], canonical=True)):
        assert SegmentEntry.from_record(msgpack.unpackb(msgpack.packb(entry.to_record()))) == entry


@pytest.mark.parametrize("at", range(5))
def test_a_record_of_other_values_is_no_task(at: int) -> None:
    _, task = some_task()
    record = task.to_record()
    for wrong in (None, "x", 1.5):
        with pytest.raises(InvalidInputError):
            MergeTask.from_record([*record[:at], wrong, *record[at + 1 :]])
    with pytest.raises(InvalidInputError):
        MergeTask.from_record(record[:at])


@pytest.mark.parametrize("at", range(9))
def test_a_record_of_other_values_is_no_segment(at: int) -> None:
    _, task = some_task()
    record = task.segments[0].to_record()
    others: tuple[object, ...] = (None, 1.5, [None], {})
    for wrong in others:
        with pytest.raises(InvalidInputError):
            SegmentEntry.from_record([*record[:at], wrong, *record[at + 1 :]])
    with pytest.raises(InvalidInputError):
        SegmentEntry.from_record(record[:at])


def test_a_task_names_files_that_are_there_in_path_order() -> None:
    store, task = some_task()
    files = len(task.numbers) // 4
    beyond = np.full(files, 10**6, dtype="<u4").tobytes()
    reverse = [np.frombuffer(data, "<u4")[::-1].tobytes() for data in (task.sources, task.numbers)]
    for spoilt in (
        replace(task, numbers=beyond),
        replace(task, sources=beyond),
        replace(task, numbers=task.numbers[4:]),
        replace(task, numbers=task.numbers[:-1]),
        replace(task, sources=reverse[0], numbers=reverse[1]),
        replace(task, sources=b"", numbers=b""),
    ):
        with pytest.raises(InvalidInputError, match="a task names files"):
            merge_segments(store, SCHEMA, spoilt)


def test_fingerprints_are_of_live_files_in_path_order() -> None:
    """Dead files do not count, and a replaced one has what it was replaced by."""
    store = MemoryStore()
    fill(store)
    with index_in(store).writer() as writer:
        writer.remove("src/f001.py")
        snapshot = writer.commit()
    found = snapshot.fingerprints()
    assert list(found) == list(snapshot.paths())
    assert "src/f001.py" not in found
    for path, pair in found.items():
        record = snapshot.file(path)
        assert record is not None
        assert pair == (record.fingerprint, record.size)


def test_merging_keeps_the_settings_that_documents_were_made_with() -> None:
    store = MemoryStore()
    index = Index(store, SCHEMA, settings="made so")
    for number in range(3):
        with index.writer() as writer:
            add_all(writer, {f"{number}.txt": [{"body": "words"}]})
            writer.commit()
    assert Index(store, SCHEMA, settings="others").compact(full=True) == 1
    assert index.snapshot().manifest.settings == "made so"

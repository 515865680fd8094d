"""A job of files skips those that end its workers, and ends where they are not the cause."""

from __future__ import annotations

import pytest

from repo_mcp.errors import Problem
from repo_mcp.indexing.workers.file_jobs import FileGroup, FileJob

PATHS = [f"f{number}.py" for number in range(80)]
GROUP = FileGroup(PATHS, size=80, largest_bytes=1)


def test_a_file_is_skipped_after_its_second_crash() -> None:
    job = FileJob(GROUP)
    job.record_crash(1)
    job.record_crash(2)
    assert job.skipped == set()
    job.record_crash(1)
    assert job.skipped == {"f1.py"}
    with pytest.raises(Problem):  # it was not read this time
        job.record_crash(1)


def test_crashes_before_the_first_file_are_not_blamed_on_one() -> None:
    job = FileJob(GROUP)
    for _ in range(3):
        job.record_crash(-1)
    assert job.skipped == set()
    with pytest.raises(Problem):
        job.record_crash(-1)


def test_after_many_files_the_cause_is_another() -> None:
    job = FileJob(GROUP)
    for number in range(64):
        job.record_crash(number)
        job.record_crash(number)
    assert len(job.skipped) == 64
    with pytest.raises(Problem):
        job.record_crash(64)

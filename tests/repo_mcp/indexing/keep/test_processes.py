"""Many processes on one repository: one writes, all get the result, a killed one does no harm."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from index_format.health.check import Severity
from tests.repo_mcp.server_process import PROGRAM, UNHURRIED
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, segment_names, served
from tests.waiting import HANG, until

pytestmark = pytest.mark.servers

COUNTED = re.compile(r"(\d+) added, (\d+) updated, (\d+) removed")
FILES: dict[str, str | bytes] = {
    f"{number % 5}/f{number}.py": f"def f{number}(): return 'word{number}'\n" * 20
    for number in range(120)
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


def start(root: Path, *more: str) -> subprocess.Popen[str]:
    command = [*UNHURRIED, "index", "--repo-root", str(root), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_many_processes_at_once_index_once(root: Path) -> None:
    herd = [start(root) for _ in range(8)]
    outputs = [process.communicate(timeout=HANG)[0] for process in herd]
    assert [process.returncode for process in herd] == [0] * 8, outputs
    added = [int(match[1]) for match in map(COUNTED.search, outputs) if match]
    assert sum(added) == len(FILES)
    manager = served(root, root / ".repo_mcp").manager
    assert indexed(manager) == sorted(FILES)


def written(index: Path) -> set[str]:
    return {path.name for path in index.iterdir()} if index.is_dir() else set()


def test_a_killed_build_is_resumed(root: Path, tmp_path: Path) -> None:
    index = root / ".repo_mcp" / "index"
    for number in range(6):
        process = start(root, "--workers", "2")
        before = written(index)
        # killed when it has written so many files, or when it is done
        assert until(lambda: process.poll() is not None or len(written(index) - before) >= number)  # noqa: B023 called in this round
        process.kill()
        process.communicate()
        write(root, {"0/f0.py": f"changed = {number}\n"})
    manager = served(root, root / ".repo_mcp").manager
    manager.refresh(FOREVER)
    manager.tidy(FOREVER, full=True)
    fresh = served(root, tmp_path / "fresh").manager
    fresh.refresh(FOREVER)
    fresh.tidy(FOREVER, full=True)
    assert segment_names(manager) == segment_names(fresh)
    # what killed processes wrote and nobody lists is garbage, not damage
    assert {finding.severity for finding in manager.stored.check()} <= {Severity.NOTE}


def test_readers_do_not_wait_for_a_writer(root: Path, tmp_path: Path) -> None:
    manager = served(root, tmp_path / "data").manager
    manager.refresh(FOREVER)
    with manager.text.store.lock(0):
        command = [
            *PROGRAM,
            "status",
            "--repo-root",
            str(root),
            "--data-dir",
            str(tmp_path / "data"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=True)
    assert f"ready, {len(FILES)} files" in done.stdout


def test_the_commands_that_look_after_an_index(root: Path, tmp_path: Path) -> None:
    where = ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [*PROGRAM, *arguments, *where],
            capture_output=True,
            text=True,
            timeout=HANG,
            check=False,
        )
        return done.returncode, done.stdout

    assert run("index")[0] == 0
    assert run("check") == (0, "sound\n")
    assert "nothing to merge" in run("compact")[1]
    (segment,) = (tmp_path / "data" / "index").glob("seg-*")
    assert "CURRENT" in run("dump")[1].split()
    code, shown = run("dump", segment.name)
    assert (code, f"{segment.name}: {segment.stat().st_size} bytes" in shown) == (0, True)
    assert run("dump", "../outside")[0] == 2
    data = bytearray(segment.read_bytes())
    data[100] ^= 255
    segment.write_bytes(data)
    code, shown = run("check")
    assert (code, segment.name in shown) == (1, True)
    code, shown = run("check", "--repair")
    assert (code, f"{len(FILES)} files indexed" in shown) == (0, True)
    assert run("check")[0] == 0
    assert sys.executable

"""No byte from outside is read while another process swaps files, folders and links."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from tests.repo_mcp.fences import BOTH, SECRET, sandbox, write

pytestmark = pytest.mark.servers

_READS = 2_500
_MOST_READS = 300_000
_BEGIN = """
import os, sys
from contextlib import suppress
def put(make):
    make("root/new")
    os.replace("root/new", "root/target")
def file(path):
    with open(path, "w") as made:
        made.write("inside")
def swap(name, here, there):
    os.rename(f"root/{name}", here)
    os.rename(there, f"root/{name}")
print("ready", flush=True)
"""
# what is done again and again beside the reads, and the path that is read meanwhile
SWAPS = {
    "a file and a link out": (
        'put(file); put(lambda new: os.symlink("../outside/file.txt", new))',
        "target",
    ),
    "a folder and a link out": (
        'swap("folder", "kept", "link"); swap("folder", "link", "kept")',
        "folder/file.txt",
    ),
    "a folder that is moved out with a link in it that leads up": (
        'os.rename("root/deep/er", "away/er"); os.rename("away/er", "root/deep/er")',
        "deep/er/up.txt",
    ),
    "a link's targets": (
        'for up in ["src", "../outside"]: put(lambda new: os.symlink(up + "/file.txt", new))',
        "target",
    ),
    "a file and another name of a denied one": (
        'put(file); put(lambda new: os.link("root/.env", new))',
        "target",
    ),
}


@pytest.fixture(params=BOTH, ids=["kernel", "walk"])
def fence(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sandbox]:
    write(tmp_path, {"outside/file.txt": SECRET, "outside/only-outside": SECRET})
    write(tmp_path, {"away/kept": "", "file.txt": SECRET})
    write(tmp_path / "root", {"target": "inside", "src/file.txt": "inside", ".env": SECRET})
    write(tmp_path / "root", {"folder/file.txt": "inside", "file.txt": "inside"})
    write(tmp_path / "root", {"deep/er/file.txt": "inside"})
    (tmp_path / "root" / "deep" / "er" / "up.txt").symlink_to("../../file.txt")
    (tmp_path / "link").symlink_to("outside", target_is_directory=True)
    found = sandbox(tmp_path / "root", openat2=request.param)
    yield found
    found.close()


@contextmanager
def swapping(swap: str, folder: Path) -> Iterator[None]:
    """Another process that swaps until it is killed."""
    program = f"{_BEGIN}while True:\n    {swap}\n"
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", program], cwd=folder, stdout=subprocess.PIPE
    ) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == b"ready\n"
            yield
            assert other.poll() is None, "the other process gave up"
        finally:
            other.kill()


def outcomes(ask: Callable[[], str]) -> Counter[str]:
    """Repeat until both an answer and a refusal were seen."""
    answers: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    for count in range(_MOST_READS):
        try:
            answers[ask()] += 1
        except Problem as problem:
            refusals[problem.code] += 1
        if count >= _READS and answers and refusals:
            break
    return answers + refusals


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize("swap", SWAPS)
def test_no_swap_leaks_a_byte(fence: Sandbox, tmp_path: Path, swap: str) -> None:
    program, path = SWAPS[swap]

    def read() -> str:
        return fence.read(path).data.decode()

    with swapping(program, tmp_path):
        seen = outcomes(read)
    assert SECRET not in seen
    assert seen.pop("inside") > 0
    refusals = {"path_outside", "not_found", "path_hard_link", "path_invalid", "file_changing"}
    assert set(seen) & refusals == set(seen) != set()


@pytest.mark.requirement("INT-07.1-root")
def test_no_swap_leaks_a_name(fence: Sandbox, tmp_path: Path) -> None:
    with swapping(SWAPS["a folder and a link out"][0], tmp_path):
        seen = outcomes(
            lambda: " ".join(entry.name for entry in fence.list_folder("folder").entries)
        )
    assert seen.pop("file.txt") > 0
    assert set(seen) <= {"not_a_file", "not_found", "path_outside"}


@pytest.mark.requirement("INT-07.1-root")
def test_opening_by_name_after_a_check_would_leak_bytes(tmp_path: Path) -> None:
    """Proves that the races work: the same reads leak if they are checked by name first."""
    write(tmp_path, {"outside/file.txt": SECRET, "root/target": "inside"})
    program, path = SWAPS["a file and a link out"]
    target = tmp_path / "root" / path

    def naive() -> str:
        with suppress(OSError):  # what Python's own functions say when a link is gone meanwhile
            if target.resolve().is_relative_to(tmp_path / "root"):
                return target.read_text()
        raise Problem("path_outside")

    with swapping(program, tmp_path):
        seen: Counter[str] = Counter()
        while SECRET not in seen and seen.total() < _MOST_READS:
            seen += outcomes(naive)
    assert seen[SECRET] > 0

"""A made tree, its index, and the limits; `--write-limits` stores what is measured now."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.corpora.monorepo import write
from bench.peers.process import Tree
from bench.regressions.calibration import least_seconds, multiple
from repo_mcp.budget import Budget
from repo_mcp.services import Services, services
from repo_mcp.settings import Options

LIMITS: Final = Path(__file__).parent / "limits.json"
_FILES: Final = 300
_ROUNDS: Final = 5
# a slower one is measured again: only what is slower each time is slower
_ATTEMPTS: Final = 6
# a limit is this much above what was measured when it was stored: machines whose memory is slower,
# or shared, differ by half, and work that is done twice is found
_ROOM: Final = 2.0
# most of a process is what it loads, which differs less; and a count of bytes hardly at all
_ROOM_OF_PROCESSES: Final = 1.5
_ROOM_OF_FIGURES: Final = 1.25


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that stores limits."""
    parser.addoption("--write-limits", action="store_true", help="store what is measured as limits")


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The made tree."""
    folder = tmp_path_factory.mktemp("made") / "root"
    write(folder, _FILES, workers=1)
    return folder


@pytest.fixture(scope="session")
def made(root: Path) -> Services:
    """Its index."""
    found = services(Options(str(root), str(root.with_name("data")), watch=False))
    found.manager.refresh(Budget())
    return found


@pytest.fixture(scope="session")
def tree(root: Path, made: Services) -> Tree:
    """The made tree as a list of files."""
    snapshot = made.manager.snapshot()
    assert snapshot is not None
    listed = root.with_name("files")
    listed.write_text("".join(f"{root}/{path}\n" for path in snapshot.paths()), "utf-8")
    return Tree(root, listed)


class Check:
    """Runs an operation once; with timing on, compares what it takes with its limit."""

    def __init__(
        self, request: pytest.FixtureRequest, benchmark: BenchmarkFixture, stored: dict[str, float]
    ) -> None:
        self._name = request.node.name.removeprefix("test_")
        self._writes = bool(request.config.getoption("--write-limits"))
        self._benchmark = benchmark
        self._stored = stored

    def __call__(self, work: Callable[[], object]) -> None:
        """Of work in this process: its processor time, in the fixed work's."""
        self._run(work, _ROUNDS)
        self._compare(lambda rounds: multiple(partial(least_seconds, work, 1), rounds))

    def seconds(self, taken: Callable[[], float]) -> None:
        """Of another process: the seconds of the processor that it took, in the fixed work's."""
        self._run(taken, 1)
        self._compare(lambda rounds: multiple(taken, rounds), _ROOM_OF_PROCESSES)

    def figure(self, measured: Callable[[], float]) -> None:
        """Of anything else, in its own unit."""
        self._run(measured, 1)
        self._compare(lambda _: measured(), _ROOM_OF_FIGURES, "figure")

    def _run(self, work: Callable[[], object], rounds: int) -> None:
        self._benchmark.pedantic(work, rounds=rounds if self._benchmark.enabled else 1)

    def _compare(
        self,
        measure: Callable[[int], float],
        room: float = _ROOM,
        unit: str = "times the fixed work",
    ) -> None:
        name = self._name
        if not self._benchmark.enabled:
            return
        if self._writes:
            self._stored[name] = round(measure(3 * _ROUNDS) * room, 3)
            return
        assert name in self._stored, f"{name} has no limit: run with --write-limits"
        figures = [measure(_ROUNDS)]
        while min(figures) > self._stored[name] and len(figures) < _ATTEMPTS:
            figures.append(measure(_ROUNDS))
        self._benchmark.extra_info[unit] = round(min(figures), 3)
        assert min(figures) <= self._stored[name], f"{name}: {min(figures):.3f}, above its limit"


@pytest.fixture
def check(
    request: pytest.FixtureRequest, benchmark: BenchmarkFixture, stored: dict[str, float]
) -> Check:
    """The comparison of a test's operation with its limit."""
    return Check(request, benchmark, stored)


@pytest.fixture(scope="session")
def stored(request: pytest.FixtureRequest) -> Iterator[dict[str, float]]:
    """The limits by operation."""
    limits: dict[str, float] = json.loads(LIMITS.read_text()) if LIMITS.exists() else {}
    yield limits
    if request.config.getoption("--write-limits"):
        LIMITS.write_text(json.dumps(limits, indent=2, sort_keys=True) + "\n")

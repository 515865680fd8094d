"""A made tree, its index, and the limits; `--write-limits` stores what is measured now."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.corpora.monorepo import write
from bench.peers.process import Tree
from bench.regressions.calibration import multiple
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

Check = Callable[[Callable[[], object]], None]


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


@pytest.fixture
def check(
    request: pytest.FixtureRequest, benchmark: BenchmarkFixture, stored: dict[str, float]
) -> Check:
    """Run an operation once; with timing on, compare it with its limit."""
    name = request.node.name.removeprefix("test_")

    def run(work: Callable[[], object]) -> None:
        benchmark.pedantic(work, rounds=_ROUNDS if benchmark.enabled else 1)
        if not benchmark.enabled:
            return
        if request.config.getoption("--write-limits"):
            stored[name] = round(multiple(work, 3 * _ROUNDS) * _ROOM, 3)
            return
        assert name in stored, f"{name} has no limit: run with --write-limits"
        found = [multiple(work, _ROUNDS)]
        while min(found) > stored[name] and len(found) < _ATTEMPTS:
            found.append(multiple(work, _ROUNDS))
        benchmark.extra_info["times the fixed work"] = round(min(found), 3)
        assert min(found) <= stored[name], f"{name}: {min(found):.3f} times the fixed work"

    return run


@pytest.fixture(scope="session")
def stored(request: pytest.FixtureRequest) -> Iterator[dict[str, float]]:
    """The limits by operation."""
    limits: dict[str, float] = json.loads(LIMITS.read_text()) if LIMITS.exists() else {}
    yield limits
    if request.config.getoption("--write-limits"):
        LIMITS.write_text(json.dumps(limits, indent=2, sort_keys=True) + "\n")

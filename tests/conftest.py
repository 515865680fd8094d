"""Settings every test shares."""

from __future__ import annotations

import atexit
import gc
import os
import re
import shutil
import signal
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from repo_mcp.processes.pool import ProcessPool
from tests.warm_start import start_warm

# No deadline, and no complaint about slow examples: a busy machine is no reason for a red test.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("default", PATIENT)
# of few examples, chance may filter too many
FEW = settings(PATIENT, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
# The same examples every time, so that a red build is red again on the next run, and fewer of them.
settings.register_profile(
    "ci",
    FEW,
    derandomize=True,
    max_examples=40,
    database=None,
    print_blob=True,
)
settings.register_profile("nightly", PATIENT, max_examples=5_000, print_blob=True)

# a few examples each: for the edit loop
settings.register_profile("fast", FEW, max_examples=5)

settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default")
)

# Shells start what runs in the background with this signal ignored, and programs that tests start
# would inherit that: whether it is heeded is for them to show.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Whoosh draws the names of its temporary files by chance, and with one seed for all the processes
# that run tests they would be the same names: each has a folder of its own.
tempfile.tempdir = os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="t-")
atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)

# Index files are shared by checkouts of one user: not with those of who runs the tests.
os.environ["XDG_CACHE_HOME"] = str(Path(tempfile.tempdir, "cache"))

# Programs that the tests need are installed beside this Python: ripgrep is one.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"

start_warm()

# tests that read every file of this repository, and those of tools that users don't have
_NOT_FAST: Final = frozenset(
    Path(__file__).parent / name for name in ("bench", "fuzz", "house", "mutants", "soak")
)
_LANES: Final = ("unit", "differential", "servers")
_MODULE_LANE: Final = re.compile(
    r"^pytestmark = (?:\[\s*)?pytest\.mark\.(?:differential|servers)\b", re.MULTILINE
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """For the edit loop; the whole suite is what counts."""
    parser.addoption("--lane", choices=_LANES, help="run the tests of one lane")
    parser.addoption(
        "--fast",
        action="store_true",
        help="the lane `unit` for what users have: few examples, one case of each",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Few examples are tried with `--fast`."""
    if config.getoption("--fast"):
        settings.load_profile("fast")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True if no test of a module is in the lane: importing all would take seconds."""
    lane = _chosen(config)
    if config.getoption("--fast") and collection_path in _NOT_FAST:
        return True
    if lane is None or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text(encoding="utf-8")
    is_left_out = _MODULE_LANE.search(text) if lane == "unit" else f"mark.{lane}" not in text
    return True if is_left_out else None


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """With `--fast` one case of each test is made: making all and leaving them takes seconds."""
    if not metafunc.config.getoption("--fast"):
        return
    parametrize = metafunc.parametrize

    def parametrize_once(
        names: str | Sequence[str],
        values: Iterable[Any],
        *args: Any,  # noqa: ANN401 handed on to pytest
        **options: Any,  # noqa: ANN401 as above
    ) -> None:
        ids = options.get("ids")
        if ids is not None and not callable(ids):
            options["ids"] = [*islice(ids, 1)]
        parametrize(names, [*islice(values, 1)], *args, **options)

    metafunc.parametrize = parametrize_once  # type: ignore[method-assign, assignment]


# tests whose idle workers are ended together
_TOGETHER: Final = 16
_ended = count(1)
_pools: weakref.WeakSet[ProcessPool] = weakref.WeakSet()
_make_pool: Final = ProcessPool.__init__


def _note_pool(pool: ProcessPool, *args: Any, **options: Any) -> None:  # noqa: ANN401 handed on
    _make_pool(pool, *args, **options)
    _pools.add(pool)


ProcessPool.__init__ = _note_pool  # type: ignore[method-assign, assignment]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    """End idle workers after some tests: all of a module would leave no memory for other modules.

    A pool that goes on to work, as one of a fixture of a module does, starts others.
    """
    yield
    if next(_ended) % _TOGETHER == 0:
        for pool in [*_pools]:
            pool.shrink(0)


def pytest_collection_finish() -> None:
    """Modules and tests are never garbage: a collection passes them by."""
    _freeze()


@pytest.fixture(autouse=True, scope="module")
def _what_is_left_is_kept() -> Iterator[None]:
    """Threads and caches that a module's tests leave stay for good, and are looked through once.

    Linking collects garbage after each edit: with all that tests had left before, this was a fifth
    of the time of all tests.
    """
    yield
    _freeze()


def _freeze() -> None:
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before the order is shuffled: all workers keep the same tests
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of one lane, and with `--fast` one case of each parametrised test."""
    fast, lane = config.getoption("--fast"), _chosen(config)
    if lane is None:
        return
    kept: dict[str, pytest.Item] = {}
    for item in items:
        if _lane(item) == lane:
            kept.setdefault(item.nodeid.partition("[")[0] if fast else item.nodeid, item)
    chosen = set(kept.values())
    left_out = [item for item in items if item not in chosen]
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept.values()


def _chosen(config: pytest.Config) -> str | None:
    lane: str | None = "unit" if config.getoption("--fast") else config.getoption("--lane")
    return lane


def _lane(item: pytest.Item) -> str:
    """The lane that a test's nearest mark names."""
    return next((mark.name for mark in item.iter_markers() if mark.name in _LANES), "unit")

"""numpy by halves: the core first, and the whole module as soon as anything else is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import HANG

pytestmark = pytest.mark.servers

START = """
import sys
sys.path[:0] = {path!r}
from index_format import lean_numpy
lean_numpy.install()
import numpy as np
assert not {{"numpy.lib", "numpy.linalg", "inspect"}} & set(sys.modules), "more than the core"
held = {{name: value for name, value in vars(np).items() if not name.startswith("_")}}
assert {{"array", "uint32", "searchsorted", "bincount"}} <= set(held)
"""


THREADS = """
from threading import Thread
found = []
threads = [Thread(target=lambda: found.append(np.diff([1, 3]))) for _ in range(8)]
[one.start() for one in threads]; [one.join() for one in threads]
assert len(found) == 8
"""


@pytest.mark.parametrize(
    "code",
    [
        "np.diff; from numpy import linalg; assert np.linalg is linalg",
        "import numpy.linalg; np.unique",
        "from numpy import *; assert held['array'] is array; assert diff",
        "assert np.__version__.count('.') >= 1 and 'diff' in np.__all__",
        "assert np.unique([2, 1, 2]).tolist() == [1, 2]",  # masked arrays read signatures
        "import pickle; a = np.arange(3); assert (pickle.loads(pickle.dumps(a)) == a).all()",
        "import inspect; np.diff; assert 'dtype' in str(inspect.signature(np.empty_like))",
        "np.diff; assert 'dtype' in np.frombuffer.__doc__ and np.ndarray.sort.__doc__",
        THREADS,
        "assert not hasattr(np, 'no_such_name') and not hasattr(np, '__no_such_name__')",
    ],
)
def test_whoever_asks_for_more_than_the_core_gets_all_of_numpy(code: str) -> None:
    run(code)


def test_names_of_the_core_are_those_of_the_whole_module() -> None:
    run("np.diff\nfor name, value in held.items(): assert getattr(np, name) is value, name")


def test_a_numpy_of_another_layout_is_loaded_whole() -> None:
    code = START.replace(
        "lean_numpy.install()", "lean_numpy._COMPILED = ('x',); lean_numpy.install()"
    )
    run("assert np.diff", code.partition("assert")[0])


def test_a_numpy_that_is_loaded_stays_as_it_is() -> None:
    run("", "import sys\nsys.path[:0] = {path!r}\nimport numpy\nbefore = [*sys.meta_path]\n"
        "from index_format import lean_numpy\nlean_numpy.install()\n"
        "assert sys.meta_path == before\n")  # fmt: skip


def run(code: str, start: str = START) -> None:
    path = [str(Path(__file__).parents[2]), *sys.path]
    text = start.format(path=path) + code
    command = [sys.executable, "-I", "-S", "-c", text]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=HANG)
    assert done.returncode == 0, done.stderr

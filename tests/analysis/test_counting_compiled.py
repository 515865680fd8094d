"""The compiled module alone: what it refuses, and that no input makes it touch foreign memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from repo_mcp.analysis.counting import COMPILED

if TYPE_CHECKING:
    from repo_mcp.analysis._counting import WordCounter

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "repo_mcp" / "analysis" / "_counting.c"
FUZZ = Path(__file__).with_name("fuzz_counting.py")
HEADERS = Path(sysconfig.get_paths()["include"])
KEY = bytes(16)

needs_compiled = pytest.mark.skipif(not COMPILED, reason="nothing was compiled here")


def counter() -> WordCounter:
    from repo_mcp.analysis._counting import WordCounter as Made  # noqa: PLC0415 it may not be there

    return Made(KEY)


def numbers(words: list[bytes]) -> list[int]:
    return list(range(len(words)))


def refused(word: bytes) -> list[bytes]:
    raise LookupError(word)


def nothing(_: bytes) -> list[bytes]:
    return []


@needs_compiled
@pytest.mark.parametrize("key", [b"", bytes(15), bytes(17)])
def test_a_key_has_sixteen_bytes(key: bytes) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        type(counter())(key)


@needs_compiled
@pytest.mark.parametrize(
    ("pieces", "numbers", "other_terms", "error"),
    [
        ([b"a", None], numbers, nothing, TypeError),
        ([b"a", 3], numbers, nothing, TypeError),
        ([b"a"], lambda _: None, nothing, TypeError),
        ([b"a b"], lambda _: [1], nothing, TypeError),
        ([b"a"], lambda _: [-1], nothing, OverflowError),
        ([b"a"], lambda _: [1 << 32], nothing, OverflowError),
        ([b"a"], lambda _: ["1"], nothing, TypeError),
        (["\u00e4"], numbers, refused, LookupError),
        (["\u00e4"], numbers, lambda _: ("a",), TypeError),
        (["\u00e4"], numbers, lambda _: ["a"], TypeError),
    ],
)
def test_what_went_wrong_leaves_nothing_behind(
    pieces: Sequence[bytes],
    numbers: Callable[[list[bytes]], list[int]],
    other_terms: Callable[[bytes], list[bytes]],
    error: type[Exception],
) -> None:
    counting = counter()
    for _ in range(2):
        counting.count([b"one two", "three"], lambda words: list(range(len(words))), nothing)
        assert len(counting) == 3
        with pytest.raises(error):
            counting.count(pieces, numbers, other_terms)
        assert len(counting) == 0


@needs_compiled
def test_it_counts_one_batch_at_a_time() -> None:
    counting = counter()

    def again(_: bytes) -> list[bytes]:
        counting.count([b"a"], numbers, nothing)
        return []

    with pytest.raises(RuntimeError, match="already"):
        counting.count(["\u00e4"], numbers, again)
    assert counting.count([b"a"], numbers, nothing)[2] == [1]


def sanitizer() -> str | None:
    """The library that has to be loaded first, where modules can be compiled with sanitizers."""
    compiler = shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    if not (HEADERS / "Python.h").exists():
        return None
    command = [compiler, "-print-file-name=libasan.so"]
    library = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return library if Path(library).is_absolute() else None


def test_no_text_makes_it_touch_foreign_memory(tmp_path: Path) -> None:
    library = sanitizer()
    if library is None:
        pytest.skip("no compiler with sanitizers here")
    module = tmp_path / "_counting.so"
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    flags += ["-Wno-missing-field-initializers", "-Wno-cast-function-type"]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    flags += ["-DPy_LIMITED_API=0x030B0000", f"-I{HEADERS}"]
    subprocess.run(["gcc", *flags, str(SOURCE), "-o", str(module)], check=True)  # noqa: S607 found above
    run = subprocess.run(
        [sys.executable, "-P", str(FUZZ), str(module), "400"],
        env={**os.environ, "LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr[-3000:]) == (0, "")

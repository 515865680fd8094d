"""Compiled code stays within its memory and gives it back, whatever it is called with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from index_format import native

pytestmark = pytest.mark.servers

SOURCES = Path(native.__file__).parent
HEADERS = Path(sysconfig.get_paths()["include"])
FUZZER = Path(__file__).with_name("fuzz.py")
# `make sanitize` sets it
ROUNDS = os.environ.get("FUZZ_ROUNDS", "150")


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


def fuzz(module: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    run = subprocess.run(
        [sys.executable, "-P", str(FUZZER), str(module), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stderr[-3000:]


def test_no_input_makes_it_touch_foreign_memory(tmp_path: Path) -> None:
    library = sanitizer()
    if library is None:
        pytest.skip("no compiler with sanitizers here")
    module = tmp_path / "_native.so"
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    flags += ["-Wno-missing-field-initializers", "-Wno-cast-function-type"]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    flags += ["-DPy_LIMITED_API=0x030B0000", f"-I{HEADERS}"]
    sources = sorted(map(str, SOURCES.glob("*.c")))
    subprocess.run(["gcc", *flags, *sources, "-o", str(module)], check=True)  # noqa: S607 found above
    environment = {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"}
    assert fuzz(module, ROUNDS, **environment) == (0, "")


@pytest.mark.skipif(native.NATIVE is None, reason="nothing was compiled here")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it asks glibc what is in use")
def test_it_gives_back_all_memory() -> None:
    (module,) = SOURCES.glob("_native*.so")
    assert fuzz(module, "--leaks") == (0, "")

"""Puts compiled modules to the test with sanitizers, which stop at the first wrong step."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEADERS = Path(sysconfig.get_paths()["include"])
ROUNDS = "400"


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


def fuzzed(source: str, program: str, folder: Path) -> None:
    """Compile a module with sanitizers, and give it to a program of this folder."""
    library = sanitizer()
    if library is None:
        pytest.skip("no compiler with sanitizers here")
    module = folder / f"{Path(source).stem}.so"
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    flags += ["-Wno-missing-field-initializers", "-Wno-cast-function-type"]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    flags += ["-DPy_LIMITED_API=0x030B0000", f"-I{HEADERS}"]
    subprocess.run(["gcc", *flags, str(ROOT / source), "-o", str(module)], check=True)  # noqa: S607 found above
    run = subprocess.run(
        [sys.executable, "-P", str(Path(__file__).with_name(program)), str(module), ROUNDS],
        env={**os.environ, "LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr[-3000:]) == (0, "")

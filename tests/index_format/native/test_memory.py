"""Compiled code stays within its memory and gives it back, whatever it is called with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from code_graph import native as code_native
from index_format import native
from repo_mcp import native as server_native

pytestmark = pytest.mark.servers

ROOT = Path(native.__file__).parents[2]
SHARED = ROOT / "index_format/native"
PACKAGES = ["index_format", "code_graph", "repo_mcp"]
COMPILED = all(item.NATIVE for item in (native, code_native, server_native))
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


def fuzz(package: str, module: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    run = subprocess.run(
        [sys.executable, "-P", str(FUZZER), package, str(module), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stderr[-3000:]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_input_makes_it_touch_foreign_memory(package: str, tmp_path: Path) -> None:
    library = sanitizer()
    if library is None:
        pytest.skip("no compiler with sanitizers here")
    module = tmp_path / "_native.so"
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    flags += ["-Wno-missing-field-initializers", "-Wno-cast-function-type"]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    flags += ["-DPy_LIMITED_API=0x030B0000", f"-I{HEADERS}", f"-I{SHARED}"]
    sources = sorted(map(str, (ROOT / package / "native").glob("*.c")))
    subprocess.run(["gcc", *flags, *sources, "-o", str(module)], check=True)  # noqa: S607 found above
    environment = {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"}
    assert fuzz(package, module, ROUNDS, **environment) == (0, "")


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.skipif(not COMPILED, reason="nothing was compiled here")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it asks glibc what is in use")
def test_it_gives_back_all_memory(package: str) -> None:
    (module,) = (ROOT / package / "native").glob("_native*.so")
    assert fuzz(package, module, "--leaks") == (0, "")

"""Checks the installation: Python, packages, compiled code, the system."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

import repo_mcp
from index_format.analysis import counting
from repo_mcp import __version__
from repo_mcp.cli.doctor.finding import DoctorFinding, fail, ok, warn
from repo_mcp.cli.program import command, is_temporary

_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA: Final = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
_LEAST: Final = re.compile(r">=\s*([\d.]+)")
# packages whose absence is only a warning
_OPTIONAL: Final = ("watchfiles", "tree-sitter")
_AGAIN: Final = "install repo-mcp again"


def checks() -> Iterator[DoctorFinding]:
    """All findings about the installation."""
    yield ok("python", f"{platform.python_version()} ({platform.machine()}), {sys.executable}")
    yield _command()
    yield from _packages()
    yield _bytecode()
    yield _compiled_code()
    yield _opening()


def _command() -> DoctorFinding:
    line = command()
    text = f"repo-mcp {__version__}, started as {line[0]}"
    if len(line) > 1:
        return warn("command", f"{text} -P -c ...: the command itself is missing", _AGAIN)
    if is_temporary(line):
        todo = "install it permanently, e.g. with `pipx install` or `uv tool install`"
        return warn("command", f"{text}, in a cache that may be emptied", todo)
    return ok("command", text)


def _packages() -> Iterator[DoctorFinding]:
    try:
        required = metadata.requires("repo-mcp") or []
    except metadata.PackageNotFoundError:
        yield warn("packages", "repo-mcp runs without being installed", _AGAIN)
        return
    have = [_package(line) for line in required if not _EXTRA.search(line)]
    found = [finding for finding in have if finding.level != "ok"]
    yield from found or [ok("packages", f"all {len(have)} required packages are installed")]
    http = [_package(line) for line in required if "http" in _EXTRA.findall(line)]
    missing = any(finding.level != "ok" for finding in http)
    yield ok("extra http", "not installed: stdio only" if missing else "installed")


def _package(line: str) -> DoctorFinding:
    match = _NAME.match(line)
    name = match[0] if match else line
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        level = warn if name.startswith(_OPTIONAL) else fail
        return level("packages", f"{name} is missing", _AGAIN)
    least = _LEAST.search(line)
    if least and _numbers(version) < _numbers(least[1]):
        return warn("packages", f"{name} {version} is older than {least[1]}", _AGAIN)
    return ok("packages", f"{name} {version}")


def _numbers(version: str) -> tuple[int, ...]:
    release = version.partition("+")[0]
    return tuple(int(part) for part in re.findall(r"\d+", release)[:4])


def _bytecode() -> DoctorFinding:
    source = Path(repo_mcp.__file__).parent / "server.py"
    if Path(cache_from_source(str(source))).exists():
        return ok("bytecode", "compiled")
    todo = f"run `{sys.executable} -m compileall -q {source.parent}`"
    return warn("bytecode", "not compiled: every start is slower than necessary", todo)


def _compiled_code() -> DoctorFinding:
    if counting.COMPILED:
        return ok("compiled part", "in use")
    todo = "install repo-mcp with a C compiler available, if indexing takes too long"
    return warn("compiled part", "missing: Python code is used, which is slower", todo)


def _opening() -> DoctorFinding:
    if sys.platform == "win32":
        return ok("opening files", "by handles, each checked before reading")
    from repo_mcp.safety.sandbox import openat2  # noqa: PLC0415 not available on Windows

    if openat2.is_available():
        return ok("opening files", "the kernel keeps every path below the root (openat2)")
    return ok(
        "opening files", "component by component: this system has no openat2; safe, slightly slower"
    )

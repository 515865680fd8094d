"""Installs peers by package name into a folder, without root's rights."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bench.peers.table import Package, Peer, Place, filled

_SECONDS: Final = 600
_MODULES: Final = {"whoosh-reloaded": "whoosh"}


class MissingError(Exception):
    """A peer can't be had here; the message says why."""


def prepare(peer: Peer, keep: Path, place: Place) -> dict[str, str]:
    """The environment in which a peer runs; what is missing is installed below `keep` once."""
    for package in peer.packages:
        if package.source == "python":
            _python(package.name, keep)
        else:
            _debian(package, peer, keep)
    around = _around(keep)
    around.update(zip(peer.around, filled(tuple(peer.around.values()), place), strict=True))
    return around


def _around(keep: Path) -> dict[str, str]:
    libraries = [str(path) for path in sorted((keep / "debian" / "usr" / "lib").glob("*-linux-*"))]
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(keep / "debian" / "usr" / "bin"), os.environ["PATH"]]),
        # last, so that this project's own packages win
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *_paths(keep)]),
        "LD_LIBRARY_PATH": os.pathsep.join(libraries),
        "PYTHONDONTWRITEBYTECODE": "",
    }


def _paths(keep: Path) -> Iterator[str]:
    yield str(keep / "debian" / "usr" / "lib" / "python3" / "dist-packages")
    yield str(keep / "python")


def _python(name: str, keep: Path) -> None:
    module = _MODULES.get(name, name)
    if importlib.util.find_spec(module) or (keep / "python" / module).is_dir():
        return
    target = ["--target", str(keep / "python"), "--no-deps", name]
    _run([sys.executable, "-m", "pip", "install", "--quiet", *target], keep)


def _debian(package: Package, peer: Peer, keep: Path) -> None:
    programs = {command[0] for command in (*peer.build, *peer.ask.values())}
    here = all(shutil.which(program) for program in programs) and not peer.module
    mark = keep / "debian" / f".{package.name}"
    if here or mark.exists():
        return
    if shutil.which("apt-get") is None:
        raise MissingError(f"{package.name} is taken from Debian, and apt-get is not here")
    folder = keep / "packages"
    folder.mkdir(parents=True, exist_ok=True)
    _run(["apt-get", "download", package.name], folder)
    (archive,) = folder.glob(f"{package.name}_*.deb")
    _run(["dpkg-deb", "-x", str(archive), str(keep / "debian")], folder)
    mark.touch()


def _run(command: list[str], folder: Path, around: Mapping[str, str] | None = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=around,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingError(f"{command[0]}: {error}") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise MissingError(f"{' '.join(command[:3])}: {last[:200]}")

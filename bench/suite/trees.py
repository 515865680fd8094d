"""The trees that are measured, fetched by a package's name or made, in a folder that is kept."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.corpora import monorepo
from bench.peers import MissingError

_PACKAGES: Final = ("django==5.2.8", "sqlalchemy==2.0.44", "sympy==1.14.0")
_LINUX: Final = "linux-source-6.1"
_MADE: Final = "monorepo-"


def tree(name: str, keep: Path) -> Path:
    """The folder of a tree; it is fetched or written at the first time."""
    root = keep / "trees" / name
    if not root.exists():
        making = root.with_name(f"{name}.making")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        _maker(name)(making)
        making.rename(root)
    return root


def made_tree(files: int) -> str:
    """The name of the made monorepo of so many files."""
    return f"{_MADE}{files}"


def _maker(name: str) -> Callable[[Path], object]:
    size = name.removeprefix(_MADE)
    if size != name and size.isdecimal():
        return lambda folder: monorepo.write(folder, int(size))
    if name not in _MAKERS:
        raise MissingError(f"there is no such tree: it is one of {', '.join(TREES)}")
    return _MAKERS[name]


def _library(folder: Path) -> None:
    """The standard library of the Python that runs this, without what was installed into it."""
    ignored = shutil.ignore_patterns("site-packages", "__pycache__", "config-*")
    shutil.copytree(sysconfig.get_path("stdlib"), folder, ignore=ignored, dirs_exist_ok=True)


def _packages(folder: Path) -> None:
    """Source archives of some packages of Python."""
    for package in _PACKAGES:
        options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation"]
        _run([sys.executable, "-m", "pip", "download", *options, package], folder)
    for archive in sorted(folder.glob("*.tar.gz")):
        _unpack(archive, folder)


def _linux(folder: Path) -> None:
    """The kernel's sources as Debian packs them."""
    if shutil.which("apt-get") is None:
        raise MissingError(f"{_LINUX} is taken from Debian, and apt-get is not here")
    _run(["apt-get", "download", _LINUX], folder)
    (package,) = folder.glob("*.deb")
    _run(["dpkg-deb", "-x", str(package), "."], folder)
    (archive,) = folder.glob(f"usr/src/{_LINUX}.tar.*")
    _unpack(archive, folder)
    package.unlink(missing_ok=True)
    shutil.rmtree(folder / "usr")
    # Debian's `.gitignore` there leaves out everything, which does not count for what is the root
    sources = folder / _LINUX
    for item in sources.iterdir():
        item.rename(folder / item.name)
    sources.rmdir()


def _unpack(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    archive.unlink()


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise MissingError(f"{' '.join(command[:3])}: {last[:200]}")


_MAKERS: Final[dict[str, Callable[[Path], None]]] = {
    "cpython-library": _library,
    "python-packages": _packages,
    _LINUX: _linux,
}
# those of `--all`; any other number of files can be asked for by name
TREES: Final = (*_MAKERS, *map(made_tree, (10_000, 100_000, 1_000_000)))

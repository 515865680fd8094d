"""Calls `apt-get` with the sources of this machine, as those of source packages, in a folder."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_CONFIGURATION: Final = Path("/etc/apt")


def source_entries(text: str) -> str:
    """A file that names binary packages' places, in either of apt's forms, for source packages."""
    return re.sub(r"(?m)^deb(?=\s)", "deb-src", re.sub(r"(?m)^Types:.*$", "Types: deb-src", text))


class Apt:
    """apt with a configuration and lists of its own, which are fetched once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sources = folder / "sources.list.d"
        self._lists = folder / "lists"
        updated = folder / "updated"
        if not updated.exists():
            self._configure()
            self.run(["update"], folder)
            updated.touch()

    def _configure(self) -> None:
        for folder in (self._sources, self._lists / "partial"):
            folder.mkdir(parents=True, exist_ok=True)
        for path in (_CONFIGURATION / "sources.list", *_CONFIGURATION.glob("sources.list.d/*")):
            if path.suffix in {".list", ".sources"} and path.is_file():
                text = source_entries(path.read_text("utf-8"))
                (self._sources / path.name).write_text(text, "utf-8")

    def run(self, arguments: Sequence[str], folder: Path) -> str:
        """The output of a command that runs in a folder."""
        options = (
            "Dir::Etc::sourcelist=/dev/null",
            f"Dir::Etc::sourceparts={self._sources}",
            f"Dir::State::lists={self._lists}",
            f"Dir::Cache={self._folder}",
            "APT::Sandbox::User=root",
        )
        settings = [f"--option={option}" for option in options]
        command = ["apt-get", "--quiet=2", *settings, *arguments]
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout

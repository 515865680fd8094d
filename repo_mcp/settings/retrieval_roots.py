"""The two folders of the toolset `retrieval`: whether they can be served, and where its data goes.

Nothing is ever written into either of them: their indexes lie in the user's folder for what can be
made again, or below the data folder that was named.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from repo_mcp.settings.table import BY_NAME
from repo_mcp.settings.values import ConfigError

DOCS: Final = "docs"
CODE: Final = "code"
# in the order of answers
NAMES: Final = (DOCS, CODE)
# the code of every refusal of a root
ROOT_INVALID: Final = "ROOT_INVALID"
SUBFOLDER: Final = "retrieval"
_OURS: Final = "repo-mcp"
_SAID: Final = {
    "missing": "is not set",
    "not_found": "is not there",
    "not_a_folder": "is not a folder",
    "unreadable": "can't be read",
    "holds_data": "holds the data folder, and nothing is written into it: name another --data-dir",
    "no_data_folder": "has nowhere to put its index, as there is no home folder: name a --data-dir",
}
REASONS: Final = tuple(_SAID)


class RootsError(ConfigError):
    """The toolset was asked for and can't be served; the text is for a person and for a program."""


class RootFault(NamedTuple):
    """Why a folder can't be served; `reason` is one of `REASONS`."""

    repo: str
    variable: str
    path: str
    reason: str

    @property
    def text(self) -> str:
        """The same in words."""
        return " ".join(filter(None, (self.variable, self.path, _SAID[self.reason])))


class Roots(NamedTuple):
    """Both folders as they were named, the folder for their data, and what is wrong with them."""

    folders: Mapping[str, str]
    data: str
    faults: tuple[RootFault, ...]

    @property
    def said(self) -> bool:
        """Whether any of them was named."""
        return any(self.folders.values())

    @property
    def refusal(self) -> str:
        """Why the toolset can't be served, and the same as data on a line of its own."""
        message = "; ".join(fault.text for fault in self.faults)
        error = {
            "code": ROOT_INVALID,
            "message": message,
            "details": {"roots": [fault._asdict() for fault in self.faults]},
        }
        needs = "the toolset retrieval needs two folders that can be read"
        return f"{ROOT_INVALID}: {message} ({needs})\n{json.dumps({'error': error})}"


def roots(
    docs: str, code: str, data_dir: str | None, environment: Mapping[str, str] | None = None
) -> Roots:
    """The folders as they were named; `data_dir` is the one that was named for data, if any was."""
    folders = {DOCS: docs and os.path.abspath(docs), CODE: code and os.path.abspath(code)}
    data = _data(data_dir, os.environ if environment is None else environment)
    return Roots(folders, data, tuple(_faults(folders, data)))


def fault(name: str, path: str) -> RootFault | None:
    """Why a folder can't be served now; None when it can."""
    reason = _reason(path)
    return RootFault(name, _variable(name), path, reason) if reason else None


def identity(path: str) -> tuple[int, int]:
    """Which folder has this path now."""
    found = os.stat(path)
    return found.st_dev, found.st_ino


def data_folder(roots: Roots, name: str) -> str:
    """Where the index of a root lies: its own folder for each root and place."""
    from hashlib import blake2b  # noqa: PLC0415 not before the first call

    real = os.path.realpath(roots.folders[name])
    digest = blake2b(os.fsencode(real), digest_size=8).hexdigest()
    return os.path.join(roots.data, f"{name}-{digest}")


def _faults(folders: Mapping[str, str], data: str) -> Iterator[RootFault]:
    for name in NAMES:
        path = folders[name]
        found = _reason(path)
        if not found and not data:
            found = "no_data_folder"
        elif not found and _is_inside(data, path):
            found = "holds_data"
        if found:
            yield RootFault(name, _variable(name), path, found)


def _reason(path: str) -> str:
    if not path:
        return "missing"
    try:
        found = os.stat(path)
    except PermissionError:
        return "unreadable"
    except OSError:
        return "not_found"
    if not stat.S_ISDIR(found.st_mode):
        return "not_a_folder"
    try:
        with os.scandir(path):
            return "" if os.access(path, os.R_OK | os.X_OK) else "unreadable"
    except OSError:
        return "unreadable"


def _variable(name: str) -> str:
    return BY_NAME[f"{name}_root"].variable


def _data(data_dir: str | None, around: Mapping[str, str]) -> str:
    """The folder that holds the indexes; empty where there is none."""
    if data_dir:
        return os.path.join(os.path.abspath(data_dir), SUBFOLDER)
    home = os.path.expanduser("~")
    known = os.path.isabs(home)
    if sys.platform == "win32":
        base = around.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches") if known else ""
    else:
        base = around.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.join(home, ".cache") if known else ""
    return os.path.join(base, _OURS, SUBFOLDER) if base else ""


def _is_inside(path: str, folder: str) -> bool:
    real, top = os.path.realpath(path), os.path.realpath(folder)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)

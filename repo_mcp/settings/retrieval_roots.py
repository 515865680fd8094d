"""The two roots of the toolset `retrieval`: checks them and chooses their data folders.

Nothing is ever written into a root: the indexes lie in the user's cache folder, or below the data
folder if one is set.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator, Mapping

from index_format.annotations import Final
from index_format.tuples import NamedTuple
from repo_mcp.settings.table import BY_NAME
from repo_mcp.settings.values import ConfigError

DOCS: Final = "docs"
CODE: Final = "code"
# in the order in which answers list them
NAMES: Final = (DOCS, CODE)
# error code for a root that can't be served
ROOT_INVALID: Final = "ROOT_INVALID"
SUBFOLDER: Final = "retrieval"
_OURS: Final = "repo-mcp"
_REASON_TEXTS: Final = {
    "missing": "is not set",
    "not_found": "does not exist",
    "not_a_folder": "is not a folder",
    "unreadable": "can't be read",
    "holds_data": "contains the data folder, but is read-only: set another --data-dir",
    "no_data_folder": "has no place for its index without a home folder: set --data-dir",
}
REASONS: Final = tuple(_REASON_TEXTS)


class RootsError(ConfigError):
    """The requested toolset can't be served; there is a line for people and one of JSON."""

    def __init__(self, message: str, record: str) -> None:
        super().__init__(f"{message}\n{record}")
        self._lines = (message, record)

    @property
    def lines(self) -> tuple[str, ...]:
        """The message, then the same as a line of JSON."""
        return self._lines


class RootFault(NamedTuple):
    """A folder that can't be served; `reason` is one of `REASONS`."""

    repo: str
    variable: str
    path: str
    reason: str

    @property
    def text(self) -> str:
        """The message for a person."""
        return " ".join(filter(None, (self.variable, self.path, _REASON_TEXTS[self.reason])))


class Roots(NamedTuple):
    """Both roots, the folder for their data, and why they can't be served."""

    folders: Mapping[str, str]
    data: str
    faults: tuple[RootFault, ...]
    # where the folders' paths led at the start
    real: Mapping[str, str] = {}

    @property
    def any_set(self) -> bool:
        """True if at least one root is set."""
        return any(self.folders.values())

    @property
    def refusal(self) -> RootsError:
        """The reason that the toolset can't be served."""
        message = "; ".join(fault.text for fault in self.faults)
        error = {
            "code": ROOT_INVALID,
            "message": message,
            "details": {"roots": [fault._asdict() for fault in self.faults]},
        }
        needs = "the toolset retrieval needs two readable folders"
        return RootsError(f"{ROOT_INVALID}: {message} ({needs})", json.dumps({"error": error}))


def resolve_roots(
    docs: str, code: str, data_dir: str | None, environment: Mapping[str, str] | None = None
) -> Roots:
    """Resolve and check both roots; `data_dir` is the data folder if the user set one."""
    folders = {DOCS: docs and os.path.abspath(docs), CODE: code and os.path.abspath(code)}
    data = _data_parent(data_dir, os.environ if environment is None else environment)
    real = {name: path and os.path.realpath(path) for name, path in folders.items()}
    return Roots(folders, data, tuple(_find_faults(folders, data)), real)


def check_root(name: str, path: str) -> RootFault | None:
    """The reason that a root can't be served now, or None if it can."""
    reason = _fault_reason(path)
    return RootFault(name, variable_of(name), path, reason) if reason else None


def data_folder(roots: Roots, name: str) -> str:
    """The data folder of a root: one for each name and path."""
    from index_format.blake2 import blake2b  # noqa: PLC0415 not at start

    digest = blake2b(os.fsencode(roots.real[name]), digest_size=8).hexdigest()
    return os.path.join(roots.data, f"{name}-{digest}")


def _find_faults(folders: Mapping[str, str], data: str) -> Iterator[RootFault]:
    for name in NAMES:
        path = folders[name]
        reason = _fault_reason(path)
        if not reason and not data:
            reason = "no_data_folder"
        elif not reason and _is_inside(data, path):
            reason = "holds_data"
        if reason:
            yield RootFault(name, variable_of(name), path, reason)


def _fault_reason(path: str) -> str:
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


def variable_of(name: str) -> str:
    """The variable that names a root."""
    return BY_NAME[f"{name}_root"].variable


def _data_parent(data_dir: str | None, variables: Mapping[str, str]) -> str:
    """The folder that contains the data folders; empty if the user has no cache folder."""
    if data_dir:
        return os.path.join(os.path.abspath(data_dir), SUBFOLDER)
    base = cache_folder(variables)
    return os.path.join(base, SUBFOLDER) if base else ""


def cache_folder(variables: Mapping[str, str]) -> str:
    """The program's folder in the user's cache folder; empty if the user has none."""
    home = os.path.expanduser("~")
    has_home = os.path.isabs(home)
    if sys.platform == "win32":
        base = variables.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches") if has_home else ""
    else:
        base = variables.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):
            base = os.path.join(home, ".cache") if has_home else ""
    return os.path.join(base, _OURS) if base else ""


def _is_inside(path: str, folder: str) -> bool:
    real, top = os.path.realpath(path), os.path.realpath(folder)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)

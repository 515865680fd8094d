"""The file of tokens: read at the start, and again once it has changed."""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from code_graph.formats.toml import TomlError, parse_toml
from repo_mcp.console import log_call
from repo_mcp.grants.grant import Grant, read_grants
from repo_mcp.settings import ConfigError

_MOST_BYTES: Final = 1 << 20


class TokenFile:
    """Tells whose a token is, by the hashes of a file; thread-safe.

    Once the file can't be read, nobody has a token: who was taken out of it may not come in.
    """

    def __init__(self, path: str) -> None:
        """Read the file; raises `ConfigError`. Why it can't be read later is logged."""
        self._path = path
        self._lock = threading.Lock()
        self._state = _state_of(path)
        self._grants: Mapping[str, tuple[str, Grant]] = _read(path)

    def name_of(self, token: bytes) -> str | None:
        """The name of a token; None for one that is not there."""
        digest = hashlib.sha256(token).hexdigest()
        name = None
        # all are compared: the time tells nothing of where one stands
        for known, (wanted, _) in self._current().items():
            if hmac.compare_digest(digest, wanted):
                name = known
        return name

    def grant_of(self, name: str) -> Grant | None:
        """The grant of a token by its name; None for one that is not there any more."""
        entry = self._current().get(name)
        return None if entry is None else entry[1]

    @property
    def grants(self) -> Mapping[str, Grant]:
        """The grants of all tokens by their names."""
        return {name: grant for name, (_, grant) in self._current().items()}

    def _current(self) -> Mapping[str, tuple[str, Grant]]:
        state = _state_of(self._path)
        if state == self._state:
            return self._grants
        with self._lock:
            if state != self._state:
                try:
                    self._grants = _read(self._path)
                except ConfigError as error:
                    self._grants = {}
                    log_call(f"nobody has a token until this is mended: {error}")
                self._state = state
            return self._grants


def _state_of(path: str) -> tuple[int, int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _read(path: str) -> Mapping[str, tuple[str, Grant]]:
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ConfigError(f"{path}: is larger than {_MOST_BYTES} bytes")
        return read_grants(parse_toml(data.decode("utf-8")), path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'it is not readable'}") from None
    except (ValueError, TomlError) as error:
        raise ConfigError(f"{path}: {error}") from None

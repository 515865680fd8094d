"""The cores that answer the bearers of tokens, one for each set of what may be seen."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Final

from repo_mcp.answering.processes import AnsweringProcesses, core_of
from repo_mcp.budget import Clock
from repo_mcp.console import log_call
from repo_mcp.grants.grant import Grant
from repo_mcp.grants.narrowing import narrowed
from repo_mcp.grants.token_file import TokenFile
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.jsonrpc import INVALID_REQUEST, WireError
from repo_mcp.settings import ConfigError, Options

# each has its own index, watcher and memory
_MOST_OPEN: Final = 64


class GrantedCores:
    """Opens a core for each grant once it is asked; equal grants share one. Thread-safe."""

    def __init__(
        self, options: Options, clock: Clock, processes: AnsweringProcesses | None = None
    ) -> None:
        """Read the tokens; raises `ConfigError` for a grant that can't be served."""
        self._options = options
        self._clock = clock
        self._processes = processes
        self._tokens = TokenFile(options.http_tokens)
        self._lock = threading.Lock()
        self._cores: dict[Grant, Core] = {}
        for grant in self._tokens.grants.values():
            narrowed(options, grant)

    def bearer(self, token: bytes) -> str | None:
        """The name of the bearer of a token; None for a token of nobody."""
        return self._tokens.name_of(token)

    def core(self, bearer: str) -> Core:
        """The core that answers a bearer; raises `WireError` for one who is gone."""
        grant = self._tokens.grant_of(bearer)
        if grant is None:
            raise WireError(INVALID_REQUEST, "the token is not known any more")
        with self._lock:
            if grant not in self._cores:
                if len(self._cores) >= _MOST_OPEN:
                    raise WireError(INVALID_REQUEST, "too many different grants are served")
                try:
                    options = narrowed(self._options, grant)
                    core = core_of(options, self._clock, self._processes)
                except ConfigError as error:
                    log_call(f"[tokens.{bearer}]: {error}")
                    raise WireError(INVALID_REQUEST, "the grant can't be served") from None
                self._cores[grant] = core
            return self._cores[grant]

    def open_cores(self) -> Iterable[Core]:
        """The cores that have answered."""
        with self._lock:
            return [*self._cores.values()]

"""A tree with its index, a server of it as a client starts one, and memory without files."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from bench.costs.server import Server
from bench.index.building import ours

_DROP_CACHES: Final = Path("/proc/sys/vm/drop_caches")
_ALL_CACHES: Final = "3"


class IndexedTree(NamedTuple):
    """A tree and the data folder of its index."""

    root: Path
    data: Path

    def start(self) -> Server:
        """A server, as a client starts it."""
        return Server(ours(self.root, self.data, "serve"), self.root, os.environ)


def drop_caches() -> None:
    """Drop what the system has of files in memory, where that is allowed."""
    os.sync()
    with suppress(OSError):
        _DROP_CACHES.write_text(_ALL_CACHES, "ascii")

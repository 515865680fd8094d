"""A cluster of Dask's processes on this machine, which nobody without its certificate gets into.

Each server of Dask runs the functions that it is sent, and a port of this machine is open to all of
its users. So scheduler, nannies and workers speak TLS, with a certificate that is made for each
cluster, signs itself and is kept in memory: either side has to show it before a message is read.
They serve no pages, which ask for no certificate, and hold few connections without one.

Each server also imports modules from the folder that it works in, before any others. So that folder
is new: nobody could put a file into it, neither the repository, in which the data folder may lie,
nor another user, who may have made a folder in the one for temporary files.
"""

from __future__ import annotations

import logging
import secrets
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_all_start_methods
from pathlib import Path
from typing import Any, Final

import dask
from distributed import Nanny, Scheduler, Security, SpecCluster, Worker
from distributed.core import Server, Status
from distributed.utils import silence_logging_cmgr

from index_format import FileStore, IndexBusyError
from repo_mcp import side_files
from repo_mcp.processes.start import keep_imports_safe

# a worker that dies is not the fault of the task that it had: the caller counts attempts
_ALLOWED_FAILURES: Final = 1000
# workers are forked from one process that has imported Dask, where the system can
_START: Final = {"distributed.worker.multiprocessing-method": "forkserver"}
_FOLDER: Final = "engine-"
_LOCK_SECONDS: Final = 30
# connections to a server on which nobody has shown a certificate: the oldest gives way
MOST_STRANGERS: Final = 64


class _LocalServer(Server):
    """A server of Dask's that listens for Dask's own messages alone, from those it knows."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Start none."""

    async def listen(self, *values: Any, **named: Any) -> None:  # noqa: ANN401 as Dask
        """Listen, with few connections at a time that have not shown a certificate."""
        await super().listen(*values, **named)  # type: ignore[no-untyped-call]
        listener: Any = self.listeners[-1]
        handle, waiting = listener.tcp_server.handle_stream, deque[Any]()

        def handle_few(stream: Any, address: Any) -> Any:  # noqa: ANN401 as Dask
            known = [item for item in waiting if not item.closed() and not item.socket.cipher()]
            waiting.clear()
            waiting.extend([*known, stream])
            if len(waiting) > MOST_STRANGERS:
                waiting.popleft().close()
            return handle(stream, address)

        listener.tcp_server.handle_stream = handle_few


class LocalScheduler(_LocalServer, Scheduler):
    """A scheduler of this machine."""


class LocalNanny(_LocalServer, Nanny):
    """Starts a worker's process, and starts it again."""


class LocalWorker(_LocalServer, Worker):
    """A worker of this machine; its process imports this module to find it."""


@contextmanager
def open_cluster(workers: int, data_dir: str) -> Iterator[Any]:
    """Processes that work in the data folder, until the block ends."""
    keep_imports_safe()
    # connections may fail until the last server of the cluster is gone
    quiet = silence_logging_cmgr(logging.CRITICAL)
    forked = dask.config.set(_START if "forkserver" in get_all_start_methods() else {})
    with quiet, forked, _new_folder(data_dir) as folder, _cluster(workers, folder) as cluster:
        yield cluster


def _cluster(workers: int, folder: str) -> Any:  # noqa: ANN401 without types
    security = Security.temporary()  # type: ignore[no-untyped-call]
    shared = {
        "host": "127.0.0.1",
        "protocol": "tls://",
        "security": security,
        "dashboard": False,
        "local_directory": folder,
    }
    worker = {
        "cls": LocalNanny,
        "options": shared
        | {
            "worker_class": LocalWorker,
            "nthreads": 1,
            "memory_limit": 0,
            "preload": ["repo_mcp.remote.cluster.worker"],
            "silence_logs": logging.CRITICAL,
        },
    }
    scheduler = {
        "cls": LocalScheduler,
        "options": shared
        # a folder of its own it would remove when it is garbage
        | {"port": 0, "allowed_failures": _ALLOWED_FAILURES, "needs_workdir": False},
    }
    return SpecCluster(  # type: ignore[no-untyped-call]
        workers=dict.fromkeys(range(workers), worker),
        worker=worker,
        scheduler=scheduler,
        security=security,
    )


@contextmanager
def _new_folder(data_dir: str) -> Iterator[str]:
    """A folder of a name that nobody knew, while it is locked; those of killed runs are removed."""
    side_files.prepare(data_dir)
    for path in Path(data_dir).glob(f"{_FOLDER}*"):
        if path.is_dir() and not path.is_symlink():
            with suppress(IndexBusyError), FileStore(path).lock(0):
                shutil.rmtree(path, ignore_errors=True)
    path = Path(data_dir, f"{_FOLDER}{secrets.token_hex(16)}")
    with FileStore(path).lock(_LOCK_SECONDS):
        try:
            yield str(path)
        finally:
            shutil.rmtree(path, ignore_errors=True)


def restore_workers(cluster: Any) -> None:  # noqa: ANN401 without types
    """Start the workers that died and did not come back; does not wait.

    Dask's nanny of a process starts it again. It gives up when that takes longer than a while, as
    on a busy machine, or when the process dies while it starts.
    """

    def start() -> None:
        for name, nanny in list(cluster.workers.items()):
            if nanny.status in {Status.closed, Status.failed}:
                del cluster.workers[name]
        cluster.scale(len(cluster.worker_spec))

    cluster.loop.add_callback(start)

"""The only module that talks to Dask: a cluster at an address, or one of processes here.

    dask://HOST:PORT    a scheduler that is there and asks nobody who they are
    tls://HOST:PORT     one that lets in those with a certificate, which Dask's settings name
    local:N             N worker processes on this machine, for as long as the command runs

Each server of Dask runs the functions that it is sent, and its replies are unpickled: a client that
a scheduler lets in runs code there, on its workers and, by what these reply, in all other clients.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar

from index_format.late_import import how_to_install
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.remote.cluster.orders import Order

if TYPE_CHECKING:  # loaded when an engine is opened
    from distributed import Client

T = TypeVar("T")

_REMOTE: Final = re.compile(r"(?:dask|tcp|tls)://[A-Za-z0-9._\[\]:-]{1,200}:[0-9]{1,5}")
_LOCAL: Final = re.compile(r"local:([1-9][0-9]?)")
# Dask's settings of certificates for a scheduler that is there: the user's, in ~/.config/dask or in
# variables of the environment; the key may be in the file of the certificate
_CERTIFICATES: Final = ("distributed.comm.tls.ca-file", "distributed.comm.tls.client.cert")
_KEY: Final = "distributed.comm.tls.client.key"
_CONNECT_SECONDS: Final = 30
_CHECK_SECONDS: Final = 30
# the longest that a list of workers is waited for: searches are answered here meanwhile
LIST_SECONDS: Final = 2.0


class TaskEnd(NamedTuple):
    """The end of a task: its answer, or None where the engine has given up on it."""

    key: str
    answer: dict[str, Any] | None


def _nothing() -> None:
    """Workers elsewhere are the business of whoever started them."""


class ClusterEngine:
    """A connected cluster; tasks are given and taken by one thread."""

    def __init__(
        self, client: Client, least: int = 0, restore: Callable[[], None] = _nothing
    ) -> None:
        """`restore` is called when a list of workers has fewer than `least`; it does not wait."""
        self._client: Any = client  # most of its methods have no types
        self._least = least
        self._restore = restore
        self._ended: SimpleQueue[str] = SimpleQueue()
        self._futures: dict[str, Any] = {}
        # workers that have another recipe hash, with the hash
        self.refusing: dict[str, str] = {}

    def workers(self) -> list[str]:
        """Addresses of the workers that may be given orders."""
        return list(self._usable(self._client.scheduler_info(n_workers=-1)))

    @property
    def is_connected(self) -> bool:
        """True if there is a connection, or one is being made."""
        return self._client.status in {"running", "connecting"}

    def wait_for_workers(self) -> None:
        """Wait for a first worker; `Problem` if none comes."""
        try:
            self._client.wait_for_workers(1, timeout=_CHECK_SECONDS)
        except (TimeoutError, OSError) as error:
            raise Problem("engine_unusable", "it has no workers that answer") from error

    def named_workers(self, seconds: float = LIST_SECONDS) -> dict[str, str]:
        """Names of the workers that may be asked, by their addresses; none without a connection."""
        try:
            info = self._soon(self._client.scheduler.identity(n_workers=-1)).result(seconds)
        except Exception:  # noqa: BLE001 a connection may break in many ways
            return {}
        return {address: str(worker["name"]) for address, worker in self._usable(info).items()}

    def _usable(self, info: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """The workers that a scheduler lists and that do not refuse; lost ones are restored."""
        found: dict[str, dict[str, Any]] = info["workers"]
        if len(found) < self._least:
            self._restore()
        return {at: worker for at, worker in found.items() if at not in self.refusing}

    def process_ids(self) -> dict[str, int]:
        """The processes of the workers, by their addresses."""
        found: dict[str, int] = self._client.run(os.getpid, on_error="ignore")
        return found

    def send(self, address: str, request: bytes) -> Future[bytes]:
        """Ask one worker beside its tasks; any thread may. Fails when the worker dies."""
        from repo_mcp.remote.cluster.shards.worker import answer_request  # noqa: PLC0415 as below

        return self._soon(self._ask(address, answer_request, request))

    def forget(self, address: str, names: list[str]) -> None:
        """Tell a worker that nobody waits for these requests; does not wait."""
        from repo_mcp.remote.cluster.shards.worker import cancel_requests  # noqa: PLC0415 as below

        self._soon(self._ask(address, cancel_requests, names))

    def _soon(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """The future of work on the client's thread; it has failed if there is none any more."""
        try:
            return asyncio.run_coroutine_threadsafe(work, self._client.loop.asyncio_loop)
        except RuntimeError as error:
            work.close()
            failed: Future[T] = Future()
            failed.set_exception(error)
            return failed

    async def _ask(self, address: str, function: Any, value: Any) -> Any:  # noqa: ANN401 as Dask
        found = await self._client.run(function, value, workers=[address], asynchronous=True)
        return found[address]

    def check(self, record: dict[str, Any], recipe_hash: str) -> None:
        """Find out which workers would refuse this recipe; `Problem` if all of them do."""
        from repo_mcp.remote.cluster.worker import report_recipe  # noqa: PLC0415 needs what Dask brings

        self.wait_for_workers()
        try:
            found = self._client.run(report_recipe, record, on_error="return")
        except (TimeoutError, OSError) as error:
            raise Problem("engine_unusable", "it has no workers that answer") from error
        for address, its_hash in found.items():
            if its_hash != recipe_hash:
                self.refuse(address, str(its_hash)[:80])

    def refuse(self, address: str, reason: str) -> None:
        """Give this worker no more orders; `Problem` when no other is left."""
        self.refusing[address] = reason
        if not self.workers():
            detail = "its workers have another version of repo-mcp, or lack a part of it"
            raise Problem("engine_unusable", detail)

    def submit(self, key: str, order: Order) -> None:
        """Let a worker carry out an order; its end has this key."""
        from repo_mcp.remote.cluster.worker import run_order  # noqa: PLC0415 as above

        allowed = self.workers() if self.refusing else None
        future = self._client.submit(
            run_order, list(order), key=f"repo-mcp-{key}", pure=False, workers=allowed
        )
        self._futures[key] = future
        future.add_done_callback(lambda _: self._ended.put(key))

    def next_end(self, seconds: float) -> TaskEnd | None:
        """The next end of a task, or None if there is none so soon."""
        try:
            key = self._ended.get(timeout=seconds)
        except Empty:
            if not self.is_connected:
                raise Problem("engine_unusable", "the connection to it is lost") from None
            return None
        future = self._futures.pop(key, None)
        if future is None:
            return None
        answer = None
        if future.status == "finished":
            with suppress(Exception):  # the worker that had the result may be gone
                answer = future.result(timeout=_CHECK_SECONDS)
        future.release()
        return TaskEnd(key, answer)

    def cancel(self, keys: Sequence[str]) -> None:
        """Cancel tasks; their ends are not reported."""
        known = [self._futures.pop(key) for key in keys if key in self._futures]
        if known:
            with suppress(Exception):  # a scheduler that is gone has cancelled them
                self._client.cancel(known, force=True)


def check_url(url: str) -> None:
    """`Problem` for what is no address of an engine."""
    if _LOCAL.fullmatch(url) is None and _REMOTE.fullmatch(url) is None:
        raise Problem("argument_invalid", "an engine is dask://HOST:PORT, tls://HOST:PORT, local:N")


@contextmanager
def open_engine(url: str, data_dir: str) -> Iterator[ClusterEngine]:
    """The engine of an address, until the block ends; a local one works in the data folder."""
    check_url(url)
    local = _LOCAL.fullmatch(url)
    try:
        from distributed import Client  # noqa: PLC0415 an extra that takes half a second
        from distributed.comm.core import CommClosedError  # noqa: PLC0415 as above
    except ImportError:
        message = f"engines need the package distributed: {how_to_install('cluster')}"
        raise Problem("argument_invalid", message) from None
    _check_certificates(url)
    with ExitStack() as opened:
        where: Any = url.replace("dask://", "tcp://", 1)
        least, restore = 0, _nothing
        if local is not None:
            from repo_mcp.remote.cluster.local import open_cluster, restore_workers  # noqa: PLC0415 as Dask

            least = int(local[1])
            where = opened.enter_context(open_cluster(least, data_dir))
            restore = partial(restore_workers, where)
        try:
            # its own block would have to be left in the thread that entered it
            client = Client(  # type: ignore[no-untyped-call]
                where, timeout=_CONNECT_SECONDS, set_as_default=False
            )
            opened.callback(client.close)
        except CommClosedError as error:
            detail = "it ends connections: it needs other certificates, or the other of"
            reason = f"{detail} dask:// and tls:// ({error.__cause__ or error})"
            raise Problem("engine_unusable", reason) from error
        except (OSError, TimeoutError) as error:
            raise Problem("engine_unusable", "there is no scheduler that answers") from error
        yield ClusterEngine(client, least, restore)


def _check_certificates(url: str) -> None:
    """`Problem` for an address that needs certificates, where there are none of use."""
    from distributed import Security  # noqa: PLC0415 as above

    security: Any = Security()  # type: ignore[no-untyped-call]
    if url.startswith("tls://"):
        _check_files(security)
    elif security.require_encryption and _LOCAL.fullmatch(url) is None:
        detail = "Dask's settings require encryption: name the engine tls://HOST:PORT"
        raise Problem("argument_invalid", detail)


def _check_files(security: Any) -> None:  # noqa: ANN401 its fields have no types
    files = zip(_CERTIFICATES, (security.tls_ca_file, security.tls_client_cert), strict=True)
    named = {**dict(files), _KEY: security.tls_client_key}
    if any(not named[name] for name in _CERTIFICATES):
        lacking = [name for name, value in named.items() if not value]
        variables = (name.upper().replace(".", "__").replace("-", "_") for name in lacking)
        detail = f"tls:// needs certificates: set {', '.join(lacking)} in ~/.config/dask, or"
        raise Problem("argument_invalid", f"{detail} DASK_{', DASK_'.join(variables)}")
    for name, value in named.items():
        if value:
            _mode_of(name, value)
    try:
        security.get_connection_args("client")
    except OSError as error:
        detail = f"{', '.join(named)}: no certificate with its key, or no PEM: {error.strerror}"
        raise Problem("argument_invalid", detail) from None
    private = _KEY if named[_KEY] else _CERTIFICATES[1]
    if _mode_of(private, named[private]):
        detail = f"{private}: {named[private]}: others can read this key: chmod 600"
        raise Problem("argument_invalid", detail)


def _mode_of(name: str, path: str) -> int:
    """The permissions of others on a file that a setting names; 0 for the text of a certificate."""
    if "\n" in path:
        return 0
    try:
        with Path(path).open("rb") as file:
            found = os.fstat(file.fileno())
    except OSError as error:
        raise Problem("argument_invalid", f"{name}: {path}: {error.strerror}") from None
    if os.name == "nt":  # modes say nothing of who may read
        return 0
    # an administrator's file may be for the user's group, as secrets of containers are
    return found.st_mode & (0o077 if found.st_uid == os.getuid() else 0o007)

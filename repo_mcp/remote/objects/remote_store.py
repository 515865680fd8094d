"""Objects of S3, GCS, Azure and web servers, over obstore.

The only module that reaches a network, at an address that the user has named; obstore is an extra,
and loaded for such an address alone. Requests have limits of time, and few retries.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

import obstore
from obstore import exceptions
from obstore.store import from_url

from repo_mcp.errors import Problem
from repo_mcp.remote.objects.contract import ObjectRow, VersionedObject
from repo_mcp.settings import allows_plain_http

if TYPE_CHECKING:
    from obstore import UpdateVersion
    from obstore.store import ClientConfig, ObjectStore as Backend, RetryConfig

_CONNECT_SECONDS: Final = 5
_REQUEST_SECONDS: Final = 60
_RETRY_SECONDS: Final = 60
# before the first repetition; each one after it waits twice as long
_PAUSE_SECONDS: Final = 0.1
# up to so many bytes are written by one request
_SMALL_BYTES: Final = 5 << 20
_MOST_CHARACTERS: Final = 160
_PIECE_BYTES: Final = 1 << 20
# of a list: a tree of a hundred million files has a few thousand segments
_MOST_ROWS: Final = 250_000
_MOST_NAME_CHARACTERS: Final = 1024
# of an address in a message: who signs in, and signed parameters
_SECRETS: Final = re.compile(r"//[^/@\s]*@|\?\S*")

T = TypeVar("T")


def open_remote(url: str, *, lists: bool, retries: int) -> RemoteStore:
    """The place that an address names."""
    with _problems():
        options: ClientConfig = {
            "connect_timeout": timedelta(seconds=_CONNECT_SECONDS),
            "timeout": timedelta(seconds=_REQUEST_SECONDS),
        }
        scheme = urlsplit(url).scheme
        # credentials go over plain HTTP only where the user says so
        if scheme == "http" or allows_plain_http(scheme):
            options["allow_http"] = True
        retry: RetryConfig = {
            "max_retries": retries,
            "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
        }
        backend = from_url(url, client_options=options, retry_config=retry)
        never: RetryConfig = {"max_retries": 0, "retry_timeout": timedelta(seconds=_RETRY_SECONDS)}
        once = from_url(url, client_options=options, retry_config=never)
        return RemoteStore(backend, lists=lists, once=once, retries=retries)


class RemoteStore:
    """An `ObjectStore` over one of obstore's.

    `once` is the same place by a client that repeats no request: those that obstore repeats in some
    cases alone are made by it, and repeated here.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        lists: bool = True,
        once: Backend | None = None,
        retries: int = 0,
    ) -> None:
        self.lists = lists
        self._retries = retries
        self._backend = backend
        self._once = once

    def get(self, name: str, most: int) -> VersionedObject | None:
        """An object of at most so many bytes, or None if there is none of this name."""
        with _problems():
            try:
                result = obstore.get(self._backend, name)
            except FileNotFoundError:
                return None
            meta = result.meta
            pieces = result.stream(min_chunk_size=min(most, _PIECE_BYTES))
            data = b"".join(_first_pieces(pieces, most))
        if len(data) > most:
            raise Problem("publication_invalid", f"{name}: more than {most} bytes")
        version: UpdateVersion = {}
        if meta["e_tag"] is not None:
            version["e_tag"] = meta["e_tag"]
        if meta["version"] is not None:
            version["version"] = meta["version"]
        return VersionedObject(data, version)

    def read(self, name: str, start: int, length: int) -> bytes:
        """These bytes of an object, fewer if it is shorter; any thread may call it."""
        with _problems():
            try:
                found = obstore.get(self._backend, name, options={"range": (start, start + length)})
            except FileNotFoundError:
                raise Problem("publication_invalid", f"{name} is missing") from None
            # `get_range` holds a whole answer, however long it is
            data = b"".join(_first_pieces(found.stream(min_chunk_size=length), length))
        if len(data) > length:
            raise Problem("store_unavailable", f"more was sent than {length} bytes of {name}")
        return data

    def size(self, name: str) -> int | None:
        """The bytes of an object, None if there is none of this name."""
        with _problems():
            try:
                return int(obstore.head(self._backend, name)["size"])
            except FileNotFoundError:
                return None

    def rows(self, folder: str) -> Iterator[ObjectRow]:
        """All objects below a folder, in no order."""

        def listed(place: Backend) -> list[ObjectRow]:
            rows: list[ObjectRow] = []
            for batch in obstore.list(place, prefix=f"{folder}/"):
                for item in batch:
                    moment = item["last_modified"].timestamp()
                    rows.append(ObjectRow(item["path"], item["size"], moment))
                    if len(rows) > _MOST_ROWS or len(item["path"]) > _MOST_NAME_CHARACTERS:
                        message = f"it lists more objects below {folder} than are ever published"
                        raise Problem("store_unavailable", message)
            return rows

        with _problems():
            yield from self._repeated(listed)

    def put(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write an object whole, in place of an older one; any thread may call it."""
        rest = iter(pieces)
        first = bytearray()
        for piece in rest:
            first += piece
            if len(first) > _SMALL_BYTES:
                break
        with _problems():
            if len(first) <= _SMALL_BYTES:
                obstore.put(self._backend, name, bytes(first), use_multipart=False)
            else:
                obstore.put(self._backend, name, _followed_by(bytes(first), rest))

    def create(self, name: str, data: bytes) -> bool:
        """Write an object if there is none of this name; whether that is so."""
        with _problems():
            try:
                self._repeated(
                    lambda place: obstore.put(place, name, data, mode="create", use_multipart=False)
                )
            except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
                return False
        return True

    def replace(self, name: str, data: bytes, version: object) -> bool:
        """Replace an object if it still has this version; whether it had."""
        with _problems():
            try:
                self._repeated(
                    lambda place: obstore.put(
                        place,
                        name,
                        data,
                        mode=version,  # type: ignore[arg-type]
                        use_multipart=False,
                    )
                )
            except (exceptions.PreconditionError, FileNotFoundError):
                return False
        return True

    def remove(self, name: str) -> None:
        """Remove an object; nothing happens when there is none."""
        with _problems():
            try:
                self._repeated(lambda place: obstore.delete(place, name))
            except FileNotFoundError:
                return

    def _repeated(self, work: Callable[[Backend], T]) -> T:
        """Make a request again whose answer was lost, though the server may have carried it out.

        obstore repeats no list whose answer is cut, no removal and no write with a condition. Such
        a write may find itself done, and then says that it was not: whoever asked looks again.
        """
        if self._once is None:
            return work(self._backend)
        for number in range(self._retries):
            try:
                return work(self._once)
            except exceptions.GenericError:
                time.sleep(_PAUSE_SECONDS * 2**number)
        return work(self._once)


def _first_pieces(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Pieces until there are more than so many bytes; what comes behind them is not read."""
    for piece in pieces:
        yield piece
        most -= len(piece)
        if most < 0:
            return


def _followed_by(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


@contextmanager
def _problems() -> Iterator[None]:
    """Turn errors of obstore into a `Problem` that shows no secret."""
    try:
        yield
    except (exceptions.BaseError, OSError, ValueError) as error:
        raise Problem("store_unavailable", _cause(error)) from error


def _cause(error: Exception) -> str:
    if isinstance(error, exceptions.NotSupportedError):
        return "it does not support what is needed, such as requests for parts of an object"
    if isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError):
        return "access is denied"
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return _SECRETS.sub("", line)[:_MOST_CHARACTERS]

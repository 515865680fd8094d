"""The place that an address names: a folder, or S3, GCS, Azure and web servers."""

from __future__ import annotations

import os
from typing import Final
from urllib.parse import SplitResult, urlsplit
from urllib.request import url2pathname

from index_format.late_import import how_to_install
from repo_mcp.errors import Problem
from repo_mcp.remote.objects.contract import ObjectStore
from repo_mcp.remote.objects.folder import FolderObjects

_SCHEMES: Final = ("file", "s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "http", "https")
_WEB: Final = ("http", "https")
RETRIES: Final = 4


def is_remote(url: str) -> bool:
    """True for the address of a place that is reached over the network."""
    scheme = urlsplit(url).scheme
    return scheme in _SCHEMES and scheme != "file"


def open_store(url: str, *, write: bool = False, retries: int | None = None) -> ObjectStore:
    """The place that an address names; with `write`, a folder is made where there is none.

    Nothing bounds what a remote place lets this process hold; `open_reader` does.
    """
    retries = RETRIES if retries is None else retries
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in ("file", "s3", "gs", "az", "https"))
        raise Problem("argument_invalid", f"not the address of an object store ({known})")
    if write and parts.scheme in _WEB:
        raise Problem("argument_invalid", "a web server is only read: publish to its folder")
    if parts.scheme == "file":
        return _open_folder(parts, write=write)
    try:
        from repo_mcp.remote.objects.remote_store import open_remote  # noqa: PLC0415 needs an extra
    except ImportError:
        message = f"published indexes need the package obstore: {how_to_install('cluster')}"
        raise Problem("argument_invalid", message) from None
    return open_remote(url, lists=parts.scheme not in _WEB, retries=retries)


def _open_folder(parts: SplitResult, *, write: bool) -> FolderObjects:
    folder = url2pathname(parts.path)
    if parts.netloc or not os.path.isabs(folder):
        raise Problem("argument_invalid", "a folder needs its full path: file:///folder")
    place = FolderObjects(folder)
    if write:
        place.make()
    elif not os.path.isdir(folder):
        raise Problem("store_unavailable", "there is no such folder")
    return place

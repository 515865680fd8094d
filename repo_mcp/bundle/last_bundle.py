"""The last bundle in the data folder: as data and as a page, served only if written here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from repo_mcp import side_files

DATA: Final = "last_bundle.json"
PAGE: Final = "last_bundle.md"
# vouches for both: nothing that came with the repository may be served as ours
_ORIGIN: Final = "last_bundle.origin"
_MAX_BYTES: Final = 16 << 20


def write_last_bundle(data_dir: str, data: bytes, page: bytes) -> None:
    """Replace the files, each atomically; may raise `OSError`."""
    files = {DATA: data, PAGE: page}
    side_files.prepare(data_dir)
    for name, content in files.items():
        side_files.put(data_dir, name, content)
    side_files.put_tagged(data_dir, _ORIGIN, _digests(files))


def read_last_bundle(data_dir: str) -> dict[str, bytes]:
    """Both files by name, if they were written here together; else raises `OSError`."""
    files = {name: side_files.get(data_dir, name, _MAX_BYTES) for name in (DATA, PAGE)}
    if side_files.get_tagged(data_dir, _ORIGIN, _MAX_BYTES) != _digests(files):
        message = "the last bundle was not written here"
        raise OSError(message)
    return files


def _digests(files: Mapping[str, bytes]) -> bytes:
    return "".join(f"{side_files.digest_of(data)}\n" for data in files.values()).encode()

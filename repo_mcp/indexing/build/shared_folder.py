"""The folder of shared segments, and the list of those that one index of a checkout needs.

    <folder>/v1/segments/seg-<blake2b>.rix    a segment, named by its content, never changed
    <folder>/v1/runs/<who>-<index>.json       {"index":"<folder of the index>","publication":"",
                                               "segments":["<name>",...]}

The list has the form of a run that publishes (`repo_mcp/remote/publish/publishing.py`): both keep
segments from the collector. Nothing here is believed: a segment is opened without following a link,
and is verified by the index's record of origin or by its name.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Final

from index_format import CorruptIndexError, FileMissingError, FileStore, ReadHandle, StoreError
from repo_mcp import side_files
from repo_mcp.stored import RUN_OBJECTS, SEGMENT_OBJECTS

_MAX_LIST_BYTES: Final = 8 << 20
_DIGEST_BYTES: Final = 16


class SharedFolder:
    """The source of one index's shared segments; reads and writes nothing before it is asked."""

    def __init__(self, folder: str, index_dir: str, kind_folder: str) -> None:
        self._folder = folder
        self._index_dir = index_dir
        self._kind_folder = kind_folder
        self._name = ""

    def open(self, name: str) -> ReadHandle:
        """Open a segment; one that can't be read counts as missing, and is made again."""
        try:
            return FileStore(os.path.join(self._folder, SEGMENT_OBJECTS), create=False).open(name)
        except CorruptIndexError:
            raise
        except StoreError as error:
            raise FileMissingError(name) from error

    def needed(self) -> frozenset[str]:
        """The listed segments that are there."""
        segments = os.path.join(self._folder, SEGMENT_OBJECTS)
        return frozenset(
            name for name in self._listed() if os.path.lexists(os.path.join(segments, name))
        )

    def list_needed(self, segments: frozenset[str]) -> None:
        """Replace the list, durably; an empty one is removed."""
        runs = os.path.join(self._folder, RUN_OBJECTS)
        if not segments:
            side_files.forget(runs, self.list_name)
            return
        where = os.path.realpath(self._index_dir)
        record = {"index": where, "publication": "", "segments": sorted(segments)}
        try:
            side_files.make_folders(runs)
            side_files.put(runs, self.list_name, json.dumps(record).encode(), durable=True)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            message = f"list shared segments: {reason}"
            raise StoreError(message) from error

    @property
    def list_name(self) -> str:
        """The file of the list: one for each index of each checkout."""
        if not self._name:
            from index_format.blake2 import blake2b  # noqa: PLC0415 most indexes share nothing

            where = os.fsencode(os.path.realpath(self._index_dir))
            digest = blake2b(where, digest_size=_DIGEST_BYTES).hexdigest()
            self._name = f"{digest}-{self._kind_folder}.json"
        return self._name

    def _listed(self) -> list[str]:
        runs = os.path.join(self._folder, RUN_OBJECTS)
        if not os.path.isdir(runs):  # before anything is hashed
            return []
        with suppress(OSError, ValueError, RecursionError, AttributeError, TypeError):
            record = json.loads(side_files.get(runs, self.list_name, _MAX_LIST_BYTES))
            return [name for name in map(str, record.get("segments", ())) if _is_name(name)]
        return []


def _is_name(name: str) -> bool:
    return name.startswith("seg-") and os.sep not in name and "\0" not in name

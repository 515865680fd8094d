"""Opens the index in the data folder if it fits the settings; removes an unusable or copied one.

A repository may contain a data folder with a forged index of its files, and a `git pull` may bring
one later. The library records what was published here (`index_format/generation/origin.py`); an
index that it does not vouch for is removed and rebuilt, and the next answer says so.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Final

import xxhash

from code_graph import Languages, facts
from index_format import (
    CorruptIndexError,
    ForeignIndexError,
    Index,
    IndexBusyError,
    IndexFormatError,
    IndexMissingError,
    SegmentLostError,
    Snapshot,
    Store,
    StoreError,
    UnsupportedVersionError,
)
from index_format.analysis import counting, word_pairs
from index_format.records import values_of
from repo_mcp import side_files
from repo_mcp.errors import Problem
from repo_mcp.indexing.build import chunking
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.walk import statcache
from repo_mcp.model import AnswerWarning, Settings
from repo_mcp.safety import denylist
from repo_mcp.stored import SCHEMA, STORED_KINDS, IndexProgress
from repo_mcp.text import files

_LOCK_WAIT: Final = 10.0
# the record of origin of earlier versions
_OLD_ORIGIN: Final = "place"
# there if files that are read elsewhere were lost once: from then on this index has its own
_KEEPS_COPIES: Final = "keeps-copies"
UNUSABLE: Final = (CorruptIndexError, UnsupportedVersionError)
DAMAGED: Final = AnswerWarning("rebuilt", "the index was damaged and has been rebuilt")
_FOREIGN: Final = AnswerWarning(
    "rebuilt", "the index in the data folder was not made here and has been rebuilt"
)
_LOST: Final = AnswerWarning(
    "rebuilt",
    "index files, which may have been shared with other checkouts, were gone and made again",
)
_OTHER_VERSION: Final = AnswerWarning(
    "rebuilt", "the index was made by another version of this program and has been rebuilt"
)


class StoredIndex:
    """One repository's index on disk; `signature` is that of the current settings."""

    def __init__(self, settings: Settings, index_dir: str, store: Store, signature: str) -> None:
        self._root = settings.root
        self._data = settings.data_dir
        self._index_dir = index_dir
        self._store = store
        self._signature = signature
        # the last opened generation, whose segments the next one shares
        self.latest: Snapshot | None = None
        self._notices: deque[AnswerWarning] = deque(maxlen=1)

    def index(self) -> Index:
        """The index with the current settings."""
        return Index(self._store, SCHEMA, settings=self._signature)

    def snapshot(self) -> Snapshot | None:
        """The current generation, or None if none fits the settings."""
        try:
            self.check_folder()
            found = self.index().snapshot(self.latest)
        except (IndexMissingError, *UNUSABLE):
            return None
        except IndexFormatError as error:
            raise problem_of(error) from error
        if found.schema != SCHEMA or IndexProgress.of(found).signature != self._signature:
            return None
        self.latest = found
        return found

    def keep(self, published: Snapshot) -> None:
        """Keep a generation that this process has published: it need not be opened again."""
        self.latest = published

    def check_folder(self) -> None:
        """Refuse a data folder, or an index in it, that a symlink in the repository leads to."""
        for kind in STORED_KINDS:
            if os.path.islink(os.path.join(self._index_dir, kind.folder)):
                raise Problem("data_link")
        folder, above = self._index_dir, self._root + os.sep
        while folder.startswith(above):
            if os.path.islink(folder):
                raise Problem("data_link")
            folder = os.path.dirname(folder)

    def prepare(self) -> None:
        """Create the data folder."""
        if not os.path.isdir(self._root):
            raise Problem("index_unavailable", "the repository's folder is gone")
        side_files.prepare(self._data)
        side_files.forget(self._data, _OLD_ORIGIN)

    def drop_unusable(self) -> None:
        """Remove an index that is damaged, was not made here, or has another version or schema."""
        if self._fault() is None:
            return
        with self._store.lock(_LOCK_WAIT):
            fault = self._fault()
            if fault is not None:  # no other process has replaced it meanwhile
                self._remove_all(fault)

    def drop(self) -> None:
        """Remove an index that is damaged in a part that was read just now."""
        with self._store.lock(_LOCK_WAIT):
            self._remove_all(DAMAGED)

    def take_notice(self) -> AnswerWarning | None:
        """Why an index was removed, once."""
        try:
            return self._notices.popleft()
        except IndexError:
            return None

    def last_refresh(self) -> str:
        """Time of the last refresh; empty if unknown."""
        from repo_mcp.indexing.keep.runs import last_refresh  # noqa: PLC0415 few searches ask

        return last_refresh(self._index_dir)

    def set_last_refresh(self, timestamp: str, seconds: float = 0.0) -> None:
        """Store the time of the last refresh, if the folder is writable; remember what it made."""
        from repo_mcp.indexing.keep.runs import IndexRun, index_runs, store_refresh  # noqa: PLC0415 as above

        runs = list(index_runs(self._index_dir))
        found = self.latest
        if found is not None and (not runs or runs[-1].generation != found.generation):
            runs.append(IndexRun(timestamp, found.generation, found.file_count, round(seconds, 3)))
        store_refresh(self._index_dir, timestamp, runs)

    def _fault(self) -> AnswerWarning | None:
        """Why the index can't be used, or None if it can or there is none."""
        try:
            return None if self.index().snapshot(self.latest).schema == SCHEMA else _OTHER_VERSION
        except IndexMissingError:
            return None
        except ForeignIndexError:
            return _FOREIGN
        except SegmentLostError:
            return _LOST
        except CorruptIndexError:
            return DAMAGED
        except UnsupportedVersionError:
            return _OTHER_VERSION

    def _remove_all(self, reason: AnswerWarning) -> None:
        self.latest = None
        for name in self._store.names():
            self._store.remove(name)
        self._notices.append(reason)
        if reason is _LOST:
            keep_copies(self._index_dir)


def signature_of(settings: Settings, languages: Languages) -> str:
    """A hash of everything that decides which documents and terms an index holds."""
    parts = list(signature_parts(settings, languages).values())
    return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())


def signature_parts(settings: Settings, languages: Languages) -> Mapping[str, object]:
    """What the signature is a hash of, as values of JSON with their names for people."""
    parts: dict[str, object] = {
        "words": counting.VERSION,
        "word pairs": word_pairs.VERSION,
        "chunks": chunking.VERSION,
        "facts": facts.VERSION,
        "chunk_lines and chunk_overlap": values_of(settings.windows),
        "languages": languages.signature(),
        "denylist": denylist.signature(),
        "text": files.VERSION,
        "max_file_bytes": settings.limits.max_file_bytes,
        "exclude_globs": sorted(settings.exclude_globs),
        "deny_globs": sorted(settings.deny_globs),
        "allow_hardlinks": settings.allow_hardlinks,
    }
    return parts | _vectors_parts(settings.embedding_model)


def _vectors_parts(model: str | None) -> dict[str, object]:
    """What decides the vectors of an index, if it has any."""
    if model is None:
        return {}
    from repo_mcp.vectors import symbol_rows  # noqa: PLC0415 for vectors alone
    from repo_mcp.vectors.choice import identity_of  # noqa: PLC0415 as above

    return {"embeddings": identity_of(model), "symbol rows": symbol_rows.VERSION}


def current_time() -> str:
    """The current time as an ISO 8601 string in UTC."""
    from repo_mcp.indexing.keep.runs import format_time  # noqa: PLC0415 as above

    return format_time(datetime.now(UTC))


def empty_indexes(recipe: Recipe) -> None:
    """Remove all indexes of a folder, and what is known of the files."""
    for store in map(recipe.store, STORED_KINDS):
        for name in store.names():
            store.remove(name)
    statcache.delete(recipe.index_dir)


def keeps_copies(index_dir: str) -> bool:
    """Whether an index has lost shared files before, and has its own since then.

    One that a container sees without them would otherwise be made anew in turn, here and there.
    """
    return os.path.lexists(os.path.join(index_dir, _KEEPS_COPIES))


def keep_copies(index_dir: str) -> None:
    """Let an index have its own copy of what others publish, before it is used."""
    with suppress(OSError):
        side_files.put(index_dir, _KEEPS_COPIES)


_MOST_CHARACTERS: Final = 200


@contextmanager
def raise_problems() -> Iterator[None]:
    """Turn errors of the disk and the index into a `Problem`."""
    try:
        yield
    except (OSError, IndexFormatError) as error:
        raise problem_of(error) from error


def problem_of(error: Exception) -> Problem:
    """The `Problem` for an error of the disk or the index; names no file of the repository."""
    if isinstance(error, IndexBusyError):
        return Problem("index_busy")
    reason = type(error).__name__
    if isinstance(error, OSError):
        reason = error.strerror or reason
    elif isinstance(error, StoreError):  # its message names index files only
        reason = str(error)
    return Problem("index_unavailable", reason[:_MOST_CHARACTERS])

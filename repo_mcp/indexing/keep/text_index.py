"""The text index of a root, with the walks that find its files and what is remembered of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeVar

import xxhash

import index_format
from code_graph import Languages, facts
from index_format import Snapshot, UnsupportedVersionError
from index_format.analysis import counting, word_pairs
from index_format.records import values_of
from repo_mcp import documents
from repo_mcp.budget import Budget, Clock
from repo_mcp.indexing.build import chunking
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.changes import Changes, find_changes, known_stats
from repo_mcp.indexing.keep.index_folder import keep_copies, refuse_links
from repo_mcp.indexing.keep.keeper import IndexFault, IndexKeeper, raise_problems
from repo_mcp.indexing.walk import memory_file
from repo_mcp.indexing.walk.memory import WalkMemory
from repo_mcp.indexing.walk.memory_file import DamagedBlocksError
from repo_mcp.indexing.walk.walk import Discovery, Selection
from repo_mcp.model import AnswerWarning, Settings
from repo_mcp.safety import denylist
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import SCHEMA, TEXT_INDEX, WORDS_ONLY, IndexProgress
from repo_mcp.text import files

if TYPE_CHECKING:
    from repo_mcp.processes.pool import JobRunner

DAMAGED: Final = AnswerWarning("rebuilt", "the index was damaged and has been rebuilt")
_LOST: Final = AnswerWarning(
    "rebuilt",
    "index files, which may have been shared with other checkouts, were gone and made again",
)
_T = TypeVar("_T")


class TextIndex(IndexKeeper):
    """The text index with this signature."""

    lost = IndexFault.LOST

    def __init__(
        self,
        recipe: Recipe,
        sandbox: Sandbox,
        languages: Languages,
        selection: Selection,
        signature: str,
        clock: Clock = time.monotonic,
    ) -> None:
        """Keep the arguments; reads nothing."""
        super().__init__(recipe, TEXT_INDEX, clock)
        self.index.settings = signature
        self.sandbox = sandbox
        self.languages = languages
        self.signature = signature
        # of the last run of this process; without it, the saved one is read
        self.memory: WalkMemory | None = None
        self._selection = selection

    def signature_of(self, found: Snapshot) -> str:
        """The signature that a generation was made with."""
        return IndexProgress.of(found).signature

    def notice_of(self, fault: IndexFault) -> AnswerWarning:
        """The notice for a fault of this index."""
        if fault is IndexFault.LOST:
            return _LOST
        return AnswerWarning("rebuilt", f"the index {fault} and has been rebuilt")

    def snapshot(self) -> Snapshot | None:
        """The current generation, or None if none fits the settings."""
        self.refuse_links()
        with raise_problems():
            return self.open(self.signature)

    def refuse_links(self) -> None:
        """Refuse a data folder, or an index in it, that a symlink in the repository leads to."""
        refuse_links(self.recipe.root, self.recipe.index_dir)

    def discovery(self) -> Discovery:
        """A walk that begins now."""
        return Discovery(self.sandbox, self._selection)

    def changes(self, budget: Budget) -> Changes | None:
        """The difference between files and index by stat keys; takes no lock, reads no file.

        None if there is no index, or if that takes longer than the budget lasts.
        """
        base = self.snapshot()
        if base is None:
            return None

        def find(memory: WalkMemory) -> Changes | None:
            known = known_stats(base, memory)
            return find_changes(known, self.discovery(), budget)

        return self.with_memory(find)

    def with_memory(self, work: Callable[[WalkMemory], _T]) -> _T:
        """Work with what is remembered of files; with nothing, if that is damaged."""
        memory = self.memory
        if memory is None:
            memory = WalkMemory.load(self.recipe.index_dir, self.signature)
        try:
            return work(memory)
        except DamagedBlocksError:
            memory_file.delete(self.recipe.index_dir)
            memory.clear()
            return work(memory)

    def walked_folders(self) -> bytes:
        """The folders of the last walk that was saved (see `memory_file.read_folders`)."""
        return memory_file.read_folders(self.recipe.index_dir)

    def forget(self) -> None:
        """Forget what is remembered of files: the next run reads all of them."""
        memory_file.delete(self.recipe.index_dir)
        self.memory = None

    def merge(
        self,
        pool: JobRunner,
        budget: Budget,
        *,
        full: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Merge segments where that pays; what is remembered is of the merged generation then."""
        before = self.snapshot()
        steps = super().merge(pool, budget, full=full, stop=stop)
        if steps and self.memory is not None:
            self.memory.reassign(self.index.snapshot(before), before, steps)
            if not stop():
                self.memory.save(self.recipe.index_dir)
        return steps

    def repair(self) -> Sequence[str]:
        """Keep intact segments; returns the files that were lost with the others."""
        again: Sequence[str] = ()
        try:
            again = index_format.repair(self.store, fallback=SCHEMA).again
        except UnsupportedVersionError:
            self.drop()
        self.forget()
        return again

    def last_refresh(self) -> str:
        """Time of the last refresh; empty if unknown."""
        from repo_mcp.indexing.keep.runs import last_refresh  # noqa: PLC0415 few searches ask

        return last_refresh(self.recipe.index_dir)

    def set_last_refresh(self, timestamp: str, seconds: float = 0.0) -> None:
        """Store the time of the last refresh, if the folder is writable; remember what it made."""
        from repo_mcp.indexing.keep.runs import IndexRun, store_refresh  # noqa: PLC0415 as above

        found = self.latest
        run = None
        if found is not None:
            run = IndexRun(timestamp, found.generation, found.file_count, round(seconds, 3))
        store_refresh(self.recipe.index_dir, timestamp, run)

    def _remove(self, fault: IndexFault) -> None:
        super()._remove(fault)
        if fault is IndexFault.LOST:
            keep_copies(self.recipe.index_dir)


def current_time() -> str:
    """The current time as an ISO 8601 string in UTC."""
    from repo_mcp.indexing.keep.runs import format_time  # noqa: PLC0415 as above

    return format_time(datetime.now(UTC))


def signature_of(settings: Settings, languages: Languages) -> str:
    """A hash of everything that decides which documents and terms a text index holds."""
    parts = list(signature_parts(settings, languages).values())
    return xxhash.xxh3_128_hexdigest(json.dumps(parts).encode())


def signature_parts(settings: Settings, languages: Languages) -> Mapping[str, object]:
    """The values of JSON that the signature is a hash of, with their names for people."""
    parts: dict[str, object] = {
        "words": counting.VERSION,
        "word pairs": word_pairs.VERSION,
        "chunks": chunking.VERSION,
        "facts": facts.VERSION,
        "words only": WORDS_ONLY,
        "chunk_lines and chunk_overlap": values_of(settings.windows),
        "languages": languages.signature(),
        "denylist": denylist.signature(),
        "text": files.VERSION,
        "documents": documents.signature(),
        "max_file_bytes": settings.limits.max_file_bytes,
        "exclude_globs": sorted(settings.exclude_globs),
        "deny_globs": sorted(settings.deny_globs),
        **({"only": sorted(settings.entries)} if settings.entries else {}),
        "allow_hardlinks": settings.allow_hardlinks,
    }
    return parts | _vectors_parts(settings.embedding_model)


def _vectors_parts(model: str | None) -> dict[str, object]:
    """The parts that decide the vectors of an index, if it has any."""
    if model is None:
        return {}
    from repo_mcp.vectors import symbol_rows  # noqa: PLC0415 for vectors alone
    from repo_mcp.vectors.choice import identity_of  # noqa: PLC0415 as above

    return {"embeddings": identity_of(model), "symbol rows": symbol_rows.VERSION}

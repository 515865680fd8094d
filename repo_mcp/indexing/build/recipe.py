"""The settings that make every process index the same file in the same way."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from code_graph import Languages
from code_graph.language import LanguageChoice
from index_format import (
    FileStore,
    Index,
    IndexMissingError,
    SharedStore,
    Snapshot,
    Store,
    StoreError,
)
from index_format.records import Record, replace, values_of
from repo_mcp import git
from repo_mcp.budget import Clock
from repo_mcp.documents import DocumentReader
from repo_mcp.indexing.build.shared_folder import SharedFolder
from repo_mcp.model import Settings, Windows
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Door, Sandbox, open_root
from repo_mcp.stored import CODE_INDEX, HISTORY_INDEX, QUARANTINE_FOLDER, TEXT_INDEX, StoredKind

if TYPE_CHECKING:
    from index_format import SegmentSource
    from repo_mcp.indexing.build.builder import Builder
    from repo_mcp.indexing.build.mounts import InnerRoots


_BLOCKS: Final = "blocks"
# the segments at an address, for an index in a folder: the address, the folder, the name of the
# index in it, where blocks of them are kept and how many bytes of these, and the store of copies
OpenSegments = Callable[[str, str, str, tuple[str, int], Store | None], "SegmentSource"]

# the tree of a publication: the address, the publication, the folder where it is kept, where blocks
# of its texts are kept and how many bytes of these, and the folder that stands for it
OpenTree = Callable[[str, str, str, tuple[str, int], str], Door]


def reads_in_place(settings: Settings) -> bool:
    """True if a published index stays where it is; signatures need every byte of a segment."""
    return bool(settings.index_in_place and settings.index_from and not settings.index_trust)


def copies_later(settings: Settings) -> bool:
    """True if a published index is read where it is until it is copied."""
    return bool(settings.index_from and not settings.index_in_place and not settings.index_trust)


class Recipe(Record):
    """Location of files and index, what may be read, and how files are cut and parsed.

    `index_dir` is the folder in the data folder that has the indexes, their records of origin and
    the memory of their files.
    """

    root: str
    data_dir: str
    index_dir: str
    deny_globs: tuple[str, ...]
    max_file_bytes: int
    allow_hardlinks: bool
    windows: Windows
    languages: LanguageChoice
    real_root: str = ""
    # imported indexes of SCIP, as paths of the repository
    scip: tuple[str, ...] = ()
    # the model whose vectors chunks get: the folder it is in, the built-in one for "", or none
    embedding_model: str | None = None
    # the folder that has to be at the root; empty: any
    folder: tuple[int, ...] = ()
    # the folder of segments that other checkouts read too; empty: none is shared
    shared: str = ""
    # the address of a published index that is read where it is, and where blocks of it are kept
    in_place: str = ""
    # whether it is copied meanwhile, so that in the end nothing is read there
    copies: bool = False
    # the function that opens its segments there, as module:name
    remote_segments: str = ""
    blocks: str = ""
    blocks_bytes: int = 0
    # the recipes of several roots, each with the name that its paths begin with; texts and code
    # are theirs, and the graph is here
    mounts: tuple[tuple[str, Recipe], ...] = ()
    # paths below the root that alone are seen, with what is below them; empty: all
    entries: tuple[str, ...] = ()
    # the commit that is read in the place of the files at the root; empty: these
    commit: str = ""
    # the publication that is, where it is, and the function that opens it, as module:name
    publication: str = ""
    published_at: str = ""
    remote_door: str = ""

    @classmethod
    def of(cls, settings: Settings, index_dir: str | None = None) -> Recipe:
        """The recipe for these settings; the index is in the data folder itself by default."""
        return cls(
            settings.root,
            settings.data_dir,
            index_dir or settings.data_dir,
            settings.deny_globs,
            settings.limits.max_file_bytes,
            settings.allow_hardlinks,
            settings.windows,
            settings.languages,
            settings.real_root,
            settings.scip,
            settings.embedding_model,
            shared=settings.index_cache,
            in_place="" if settings.index_trust else settings.index_from,
            copies=copies_later(settings),
            remote_segments=settings.remote_segments,
            blocks=os.path.join(settings.index_cache or settings.data_dir, _BLOCKS),
            blocks_bytes=settings.index_cache_bytes,
            entries=settings.entries,
            commit=settings.commit,
            publication=settings.publication,
            published_at=settings.index_from if settings.publication else "",
            remote_door=settings.remote_door,
        )

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Recipe:
        """Undo `record`."""
        given = dict(record)
        given["deny_globs"] = tuple(given["deny_globs"])
        given["entries"] = tuple(given["entries"])
        given["folder"] = tuple(given["folder"])
        given["scip"] = tuple(given["scip"])
        given["windows"] = Windows(**given["windows"])
        disabled, extensions = given["languages"]["disabled"], given["languages"]["extensions"]
        pairs = tuple((extension, name) for extension, name in extensions)
        given["languages"] = LanguageChoice(tuple(disabled), pairs)
        given["mounts"] = tuple((name, cls.from_record(item)) for name, item in given["mounts"])
        return cls(**given)

    def record(self) -> dict[str, Any]:
        """Plain values to send to another process."""
        values = values_of(self)
        values |= {name: values_of(values[name]) for name in ("windows", "languages")}
        return values | {"mounts": [(name, recipe.record()) for name, recipe in self.mounts]}

    def sandbox(self, door: Door | None = None) -> Sandbox:
        """A sandbox around the repository, through a `door` if it is open already.

        Of several roots each is opened when it is needed.
        """
        if self.mounts:
            from repo_mcp.safety.sandbox import MountedSandboxes  # noqa: PLC0415 few have several

            recipes = dict(self.mounts)
            roots = {name: (item.root, item.real_root) for name, item in recipes.items()}
            open_sandbox = cache(lambda name: recipes[name].sandbox())
            return MountedSandboxes(roots, open_sandbox, self.inner_roots)
        return Sandbox(
            self.root,
            Denylist(self.deny_globs, self.entries),
            max_file_bytes=self.max_file_bytes,
            data_dir=self.data_dir,
            allow_hardlinks=self.allow_hardlinks,
            door=door or self._door(),
            documents=DocumentReader(self.data_dir),
        )

    def _door(self) -> Door:
        if self.publication:
            module, _, name = self.remote_door.partition(":")
            open_tree: OpenTree = getattr(import_module(module), name)
            blocks = self.blocks, self.blocks_bytes
            return open_tree(self.published_at, self.publication, self.data_dir, blocks, self.root)
        if not self.commit:
            return open_root(self.root, self.real_root, self.folder)
        return git.RevisionDoor(self.real_root or self.root, self.commit)

    def within(self, sandbox: Sandbox) -> Recipe:
        """The recipe for use beside this sandbox: data below the root stay in the open root."""
        own = sandbox.own_path
        return replace(self, data_dir=own(self.data_dir), index_dir=own(self.index_dir))

    def store(
        self,
        kind: StoredKind = TEXT_INDEX,
        clock: Clock = time.monotonic,
        *,
        create: bool = True,
    ) -> Store:
        """The store of an index; `clock` measures waits for its lock.

        Without `create` its folder must be there.
        """
        own = FileStore(
            os.path.join(self.index_dir, kind.folder),
            clock=clock,
            create=create,
            origin=os.path.join(self.index_dir, kind.origin),
            quarantine=os.path.join(self.data_dir, QUARANTINE_FOLDER),
        )
        if kind is HISTORY_INDEX:  # checkouts have other commits
            return own
        shares = self.shared and (self.copies or not self.in_place)
        here: Store = own
        if shares:
            here = SharedStore(own, SharedFolder(self.shared, self.index_dir, kind.folder))
        return self._remote_store(here, kind) if self.in_place else here

    def _remote_store(self, here: Store, kind: StoredKind) -> SharedStore:
        """A store of which some segments are where they were published."""
        module, _, name = self.remote_segments.partition(":")
        open_segments: OpenSegments = getattr(import_module(module), name)
        copies = here if self.copies else None
        blocks = self.blocks, self.blocks_bytes
        source = open_segments(self.in_place, self.index_dir, kind.folder, blocks, copies)
        return SharedStore(here, source, merges=False)

    @property
    def inner_roots(self) -> InnerRoots:
        """The roots inside of other roots."""
        from repo_mcp.indexing.build.mounts import find_inner_roots  # noqa: PLC0415 as above

        return find_inner_roots(
            (name, recipe.real_root or os.path.realpath(recipe.root))
            for name, recipe in self.mounts
        )

    def open_languages(self) -> Languages:
        """The languages of the repository, as its settings choose them."""
        if self.mounts:
            from repo_mcp.indexing.build.mounts import MountedLanguages  # noqa: PLC0415 as above

            return MountedLanguages({name: item.open_languages() for name, item in self.mounts})
        return Languages(self.languages)

    def text(self) -> Snapshot:
        """The current generation of the text index; that of all roots as one, if there are several.

        Raises `IndexMissingError` where there is none.
        """
        if not self.mounts:
            return Index(self.store(), TEXT_INDEX.schema).snapshot()
        from repo_mcp.indexing.build.mounts import unite_texts  # noqa: PLC0415 as above

        found = unite_texts(self._parts(TEXT_INDEX), self.inner_roots)
        if found is None:
            message = "no root has an index"
            raise IndexMissingError(message)
        return found

    def code(self) -> Snapshot | None:
        """The same of the index of code; None where no file has code."""
        if self.mounts:
            from repo_mcp.indexing.build.mounts import unite_codes  # noqa: PLC0415 as above

            return unite_codes(self._parts(CODE_INDEX), self.inner_roots)
        return self._current(CODE_INDEX)

    def _parts(self, kind: StoredKind) -> dict[str, Snapshot | None]:
        return {name: recipe._current(kind) for name, recipe in self.mounts}  # noqa: SLF001 its own

    def _current(self, kind: StoredKind) -> Snapshot | None:
        try:
            return Index(self.store(kind, create=False), kind.schema).snapshot()
        except (IndexMissingError, StoreError):
            return None

    def near(self) -> Recipe:
        """The recipe for the same index, of which only what is on this machine is seen."""
        return replace(self, in_place="", copies=False)

    def builder(self, sandbox: Sandbox, languages: Languages) -> Builder:
        """A segment builder; `languages` must be those of this recipe."""
        from repo_mcp.indexing.build.builder import Builder  # noqa: PLC0415 searching needs none
        from repo_mcp.vectors.choice import choose_embedder  # noqa: PLC0415 as above

        embedder = choose_embedder(self.embedding_model)
        return Builder(sandbox, self.windows, self.store(), languages, embedder)

"""Opens what is on the disk of a repository's indexes, as it is: nothing is built or compared."""

from __future__ import annotations

import os

from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import GraphProgress
from index_format import Index, IndexFormatError, Snapshot
from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.data_owner import DataOwner
from repo_mcp.indexing.keep.index_folder import index_folders, refuse_links
from repo_mcp.model import Settings
from repo_mcp.repository import Repository, SourceFiles
from repo_mcp.root_settings import ruled_settings, ruling_files
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox, open_root
from repo_mcp.settings import Options, data_dir_of
from repo_mcp.stored import GRAPH_INDEX, INDEX_FOLDER, TEXT_INDEX, StoredKind


class StoredIndex(NamedTuple):
    """The last generations of a repository's indexes, and its files as they are now."""

    settings: Settings
    sandbox: Sandbox
    denylist: Denylist
    text: Snapshot
    # None where no link has ended yet
    graph: GraphSnapshot | None
    files: SourceFiles

    def is_shown(self, path: str) -> bool:
        """True unless a file is denied by now, as the index may be of other settings."""
        return not self.denylist.rule(path)

    @classmethod
    def of_recipe(cls, settings: Settings, sandbox: Sandbox, recipe: Recipe) -> StoredIndex | None:
        """The indexes of a recipe; None where there is none of the words."""
        text = _last_generation(recipe, TEXT_INDEX)
        return None if text is None else cls.of_text(settings, sandbox, text, recipe)

    @classmethod
    def of_text(
        cls, settings: Settings, sandbox: Sandbox, text: Snapshot, recipe: Recipe
    ) -> StoredIndex:
        """The same with a text that is open already."""
        denylist = Denylist(settings.deny_globs, settings.entries)
        files = SourceFiles(sandbox, text)
        return cls(settings, sandbox, denylist, text, _graph_of(recipe), files)

    @classmethod
    def of_open(cls, repository: Repository) -> StoredIndex | None:
        """The same of a repository that is open, as far as it is; nothing is waited for."""
        text = repository.current_index().snapshot
        if text is None:
            return None
        settings, sandbox = repository.settings, repository.sandbox
        denylist = Denylist(settings.deny_globs, settings.entries)
        graph = repository.whole_graph()
        return cls(settings, sandbox, denylist, text, graph, SourceFiles(sandbox, text))


def open_stored(options: Options) -> StoredIndex | None:
    """The indexes that these settings name; None where there is none of the words.

    Raises a `Problem` where the data folder is that of another root.
    """
    if options.mounts:
        return _open_workspace(options)
    folders = index_folders(data_dir_of(options))
    index_dir = next((path for path in folders if _has_index(path)), None)
    if index_dir is None:
        return None
    door = open_root(options.repo_root, options.real_root)
    settings = ruled_settings(options, ruling_files(options, door))
    sandbox = Recipe.of(settings).sandbox(door)
    own_dir = sandbox.own_path(settings.data_dir)
    real_root = settings.real_root or os.path.realpath(settings.root)
    DataOwner(real_root, settings.data_dir, own_dir).check()
    refuse_links(sandbox.own_path(settings.root), sandbox.own_path(index_dir))
    own = replace(settings, data_dir=own_dir)
    return StoredIndex.of_recipe(settings, sandbox, Recipe.of(own, sandbox.own_path(index_dir)))


def _open_workspace(options: Options) -> StoredIndex | None:
    """The same of several roots, whose words are put together first."""
    from repo_mcp.services import services  # noqa: PLC0415 few have several roots

    parts = services(options)
    manager = parts.manager
    text = manager.snapshot()
    if text is None:
        return None
    return StoredIndex.of_text(parts.settings, parts.sandbox, text, manager.recipe)


def _graph_of(recipe: Recipe) -> GraphSnapshot | None:
    """The graph of the last link that has ended; one of an edit ago serves as well."""
    snapshot = _last_generation(recipe, GRAPH_INDEX)
    if snapshot is None or not GraphProgress.of(snapshot).complete:
        return None
    return GraphSnapshot(snapshot)


def _last_generation(recipe: Recipe, kind: StoredKind) -> Snapshot | None:
    """The last generation of an index that was made here, by this version's schema."""
    try:
        last = Index(recipe.store(kind, create=False), kind.schema).snapshot()
    except IndexFormatError:
        return None
    return last if last.schema == kind.schema else None


def _has_index(index_dir: str) -> bool:
    return os.path.isdir(f"{index_dir}{os.sep}{INDEX_FOLDER}")  # noqa: PTH112 pathlib takes 4 ms

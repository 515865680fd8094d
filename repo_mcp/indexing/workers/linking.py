"""Links files in worker processes: the tasks, and the part that runs in a worker.

Parent and worker read the same generations of the indexes of text and code. A worker that finds
others, since a different process has published them, links nothing: the next run starts from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from code_graph import Languages
from code_graph.scip.occurrences import MountedScip, ScipIndex, ScipOccurrences
from code_graph.store.builder import GraphBuilder, LinkerFactory
from code_graph.store.code_files import CodeFiles
from code_graph.store.relink import LinkedPart
from code_graph.store.text_tree import TextTree, TreeGenerations
from index_format import SegmentEntry
from repo_mcp import side_files
from repo_mcp.indexing.build.manifests import list_manifests, read_texts
from repo_mcp.indexing.build.mounts import folder_of
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.workers.file_jobs import FileGroup, FileJob, group_files
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import GRAPH_INDEX, SCIP_FILE

# what linking a file keeps in memory, in bytes of its text
_RETAINED: Final = 2
_MAX_SCIP_BYTES: Final = 1 << 30
# the worker's answer where an index has another generation, or a manifest another text
_MOVED: Final[list[Any]] = []


class LinkTask(FileJob):
    """Links these files and builds one segment of them; skipped ones get declarations only.

    `linker` is the "package.module:function" that makes the linker of a tree, `scip` the digest of
    the imported indexes, empty without any, and `tree` that of all that is linked.
    """

    def __init__(
        self,
        group: FileGroup,
        linker: str,
        generations: TreeGenerations,
        scip: str = "",
        tree: str = "",
    ) -> None:
        super().__init__(group)
        self.linker = linker
        self.generations = generations
        self.scip = scip
        self.tree = tree

    @property
    def retained_bytes(self) -> int:
        """About what the linker remembers of these files."""
        return _RETAINED * self.size

    def message(self) -> object:
        """The task message for the worker."""
        return {
            "link": list(self.paths),
            "linker": self.linker,
            "generations": self.generations,
            "unlinked": sorted(self.skipped),
            "scip": self.scip,
        }

    def result(self, message: Any) -> LinkedPart | None:  # noqa: ANN401 as the worker sent it
        """The linked files; None where the text index has another generation."""
        if message == _MOVED:
            return None
        return LinkedPart(self.paths, SegmentEntry.from_record(message[0]))


def link_tasks(
    files: Sequence[tuple[str, int]],
    linker: str,
    generations: TreeGenerations,
    scip: str = "",
    tree: str = "",
) -> list[LinkTask]:
    """Split paths with their sizes into tasks, by their order and sizes alone."""
    return [LinkTask(group, linker, generations, scip, tree) for group in group_files(files)]


def read_scip(recipe: Recipe) -> ScipIndex | None:
    """The kept part of imported indexes; None if there is nothing that was written here."""
    try:
        return ScipIndex(side_files.get_tagged(recipe.index_dir, SCIP_FILE, _MAX_SCIP_BYTES))
    except (OSError, ValueError):
        return None


def read_scip_of_all(recipe: Recipe) -> ScipOccurrences | None:
    """The same of the roots whose settings name such indexes, if there are several roots."""
    if not recipe.mounts:
        return read_scip(recipe)
    return mounted_scip({name: read_scip(item) for name, item in recipe.mounts if item.scip})


def mounted_scip(roots: Mapping[str, ScipOccurrences | None]) -> MountedScip | None:
    """The imported indexes of roots by their names as one; None if no root has any."""
    found = {folder_of(name): index for name, index in roots.items() if index is not None}
    return MountedScip(found) if found else None


def load_linker(name: str) -> LinkerFactory:
    """The function of a name as tasks have it."""
    module, _, function = name.partition(":")
    factory: LinkerFactory = getattr(import_module(module), function)
    return factory


class LinkService:
    """Links files in a worker; keeps the linker while the text index stays the same."""

    def __init__(self, recipe: Recipe, sandbox: Sandbox, languages: Languages) -> None:
        """Nothing is opened yet."""
        self._recipe = recipe
        self._sandbox = sandbox
        self._languages = languages
        self._tree: TextTree | None = None
        self._builder: GraphBuilder | None = None
        self._linker = ""
        self._scip = ""

    def result(self, task: Mapping[str, Any], send: Callable[[int], None]) -> list[Any]:
        """The answer to a task's message; `send` gets each file's number before it is linked."""
        wanted = TreeGenerations(*task["generations"])
        is_older = self._tree is None or self._tree.generations != wanted
        if self._tree is None or is_older or self._scip != task["scip"]:
            self._builder = None
            self._tree = self._open_tree()
            self._tree.scip = read_scip_of_all(self._recipe) if task["scip"] else None
            self._scip = "" if self._tree.scip is None else self._tree.scip.digest
        if (self._tree.generations, self._scip) != (wanted, task["scip"]):
            return _MOVED
        if self._builder is None or self._linker != task["linker"]:
            self._linker = task["linker"]
            linker = load_linker(self._linker)(self._tree)
            self._builder = GraphBuilder(self._recipe.store(GRAPH_INDEX), self._tree, linker)
        entry = self._builder.build(task["link"], unlinked=frozenset(task["unlinked"]), at=send)
        return _MOVED if entry is None else [entry.to_record()]

    def _open_tree(self) -> TextTree:
        text, code = self._recipe.text(), self._recipe.code()
        manifests = read_texts(list_manifests(text), self._sandbox)
        return TextTree(text, manifests, CodeFiles(code, self._languages.is_lowered))

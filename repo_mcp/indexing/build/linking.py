"""Links files in worker processes: the tasks, and the part that runs in a worker.

Parent and worker read the same generation of the text index. A worker that finds another one, since
a different process has published it, links nothing: the next run starts from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from index_format import Index, SegmentEntry
from repo_mcp.errors import Problem
from repo_mcp.graph.index.builder import GraphBuilder, LinkerFactory
from repo_mcp.graph.index.refresh import LinkedPart
from repo_mcp.graph.index.text_tree import TextTree
from repo_mcp.indexing.build.manifests import list_manifests, read_texts
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import SCHEMA

# a linker has budgets of its own; this is for one that is stuck
_TIMEOUT: Final = 60.0
# what linking a file keeps in memory, in bytes of its text
_RETAINED: Final = 2
_MIN_TASK_BYTES: Final = 1 << 19
_MAX_TASK_BYTES: Final = 8 << 20
_MAX_TASK_FILES: Final = 2048
# enough to keep eight workers busy to the end; the same on every machine
_TASKS: Final = 32
_CRASHES_PER_FAULT: Final = 2
_MAX_FALSE_STARTS: Final = 3
# after so many crashing files of one task the cause is not the files
_MAX_UNLINKED: Final = 64

# the worker's answer where the text index has another generation
_MOVED: Final[list[Any]] = []


@dataclass(slots=True)
class LinkTask:
    """Links these files and builds one segment of them."""

    paths: Sequence[str]
    linker: str  # "package.module:function" that makes the linker of a tree
    generation: int  # of the text index
    size: int
    # files that crashed a worker: they get their declarations only
    unlinked: set[str] = field(default_factory=set)
    _crashes: Counter[str] = field(default_factory=Counter)

    @property
    def retained_bytes(self) -> int:
        """About what the linker remembers of these files."""
        return _RETAINED * self.size

    @property
    def timeout(self) -> float:
        """Seconds that the slowest file, or writing the segment, may take."""
        return _TIMEOUT

    def message(self) -> object:
        """The task message for the worker."""
        return {
            "link": list(self.paths),
            "linker": self.linker,
            "generation": self.generation,
            "unlinked": sorted(self.unlinked),
        }

    def advance(self, at: int) -> int:
        """The number of files that were linked before this one."""
        return at

    def result(self, message: Any) -> LinkedPart | None:  # noqa: ANN401 as the worker sent it
        """The linked files; None where the text index has another generation."""
        if message == _MOVED:
            return None
        return LinkedPart(self.paths, SegmentEntry.from_record(message[0]))

    def record_crash(self, at: int) -> None:
        """Stop linking a file that crashes workers; a first crash may have other causes."""
        path = self.paths[at] if at >= 0 else ""
        self._crashes[path] += 1
        false_starts = self._crashes[""] > _MAX_FALSE_STARTS
        if false_starts or path in self.unlinked or len(self.unlinked) >= _MAX_UNLINKED:
            raise Problem("workers_end")
        if path and self._crashes[path] >= _CRASHES_PER_FAULT:
            self.unlinked.add(path)


def link_tasks(files: Sequence[tuple[str, int]], linker: str, generation: int) -> list[LinkTask]:
    """Split paths with their sizes into tasks, by their order and sizes alone."""
    limit = min(max(sum(size for _, size in files) // _TASKS, _MIN_TASK_BYTES), _MAX_TASK_BYTES)
    tasks: list[LinkTask] = []
    begin = held = 0
    for at, (_, size) in enumerate(files, 1):
        held += size
        if held >= limit or at - begin >= _MAX_TASK_FILES or at == len(files):
            paths = [path for path, _ in files[begin:at]]
            tasks.append(LinkTask(paths, linker, generation, held))
            begin, held = at, 0
    return tasks


def load_linker(name: str) -> LinkerFactory:
    """The function of a name as tasks have it."""
    module, _, function = name.partition(":")
    factory: LinkerFactory = getattr(import_module(module), function)
    return factory


class LinkService:
    """Links files in a worker; keeps the linker while the text index stays the same."""

    def __init__(self, recipe: Recipe, sandbox: Sandbox) -> None:
        """Nothing is opened yet."""
        self._recipe = recipe
        self._sandbox = sandbox
        self._tree: TextTree | None = None
        self._builder: GraphBuilder | None = None
        self._linker = ""

    def result(self, task: Mapping[str, Any], send: Callable[[int], None]) -> list[Any]:
        """The answer to a task's message; `send` gets each file's number before it is linked."""
        if self._tree is None or self._tree.snapshot.generation != task["generation"]:
            self._builder = None
            text = Index(self._recipe.store(), SCHEMA).snapshot()
            self._tree = TextTree(text, read_texts(list_manifests(text), self._sandbox))
        if self._tree.snapshot.generation != task["generation"]:
            return _MOVED
        if self._builder is None or self._linker != task["linker"]:
            self._linker = task["linker"]
            linker = load_linker(self._linker)(self._tree)
            self._builder = GraphBuilder(self._recipe.graph_store(), self._tree, linker)
        entry = self._builder.build(task["link"], unlinked=frozenset(task["unlinked"]), at=send)
        return _MOVED if entry is None else [entry.to_record()]

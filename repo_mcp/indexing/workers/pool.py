"""The pool of workers that build, merge, parse and link."""

from __future__ import annotations

from typing import Any, Final

from index_format import CorruptIndexError, StoreError
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.processes.pool import PooledProcess, ProcessPool, ProcessStock
from repo_mcp.processes.start import command_of

_COMMAND: Final = command_of("repo_mcp.indexing.workers.worker")
# each worker uses one core, so libraries must not start threads; returning memory to the system
# after each array and allocating it again would cost a quarter of the time
_ENVIRONMENT: Final = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": "1073741824",
    "MALLOC_TRIM_THRESHOLD_": "1073741824",
    "MALLOC_TOP_PAD_": "67108864",
    # a heap for the thread that reads the pipe would count against the memory limit
    "MALLOC_ARENA_MAX": "1",
}


class Pool(ProcessPool):
    """Worker processes for the jobs of one recipe."""

    def __init__(self, recipe: Recipe, workers: int, stock: ProcessStock | None = None) -> None:
        """Keep the settings; starts no process. Pools of other recipes may share a `stock`."""
        super().__init__(
            lambda: PooledProcess(_COMMAND, _ENVIRONMENT, recipe.record()),
            workers,
            _failure,
            stock,
            lambda process: process.pipe.send({"recipe": recipe.record()}),
        )
        self.recipe = recipe


def _failure(message: dict[str, Any]) -> Exception:
    """The error that a worker met when reading or writing the index."""
    if message["damaged"]:
        file = message["damaged"]
        return CorruptIndexError(file, "a section", 0, message["failed"], "what was written")
    return StoreError(message["failed"])

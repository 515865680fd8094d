"""A worker process that builds and merges segments and links files; a crash costs one file.

Parsers read text that may be made to crash them. A separate process has a memory limit, and its
parent can see at which file it died.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NoReturn

from index_format import CorruptIndexError, IndexFormatError, MergeTask, merge_segments
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.builder import Builder, FileTask
from repo_mcp.indexing.build.linking import LinkService
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.processes.child_process import ParentPipe
from repo_mcp.languages import Languages
from repo_mcp.stored import GRAPH_SCHEMA, SCHEMA

_MEMORY: Final = 2 * 1024**3


def main() -> NoReturn:
    """Serve tasks from the pipe; never returns, the process exits when the pipe closes."""
    parent = ParentPipe()
    _bound_memory()
    gc.disable()  # reference counts free what a task makes; collecting takes two thirds of the time
    recipe = Recipe.from_record(parent.receive())
    try:
        sandbox = recipe.sandbox()
    except Problem:  # the repository's folder is gone or replaced: the pipe closes
        os._exit(1)
    recipe = recipe.within(sandbox)
    builder = recipe.builder(sandbox, Languages(recipe.languages, with_code=recipe.links))
    linking = LinkService(recipe, sandbox)
    while True:
        task = parent.receive()
        try:
            parent.send(_result(builder, linking, recipe, task, parent))
        except (OSError, IndexFormatError) as error:  # caused by the disk, not by a file
            damaged = isinstance(error, CorruptIndexError)
            parent.send({"failed": str(error), "damaged": damaged})
        gc.collect()


def _result(
    builder: Builder,
    linking: LinkService,
    recipe: Recipe,
    task: Mapping[str, Any],
    parent: ParentPipe,
) -> list[Any]:
    if "merge" in task:
        merge = MergeTask.from_record(task["merge"])
        if task["graph"]:
            return merge_segments(recipe.graph_store(), GRAPH_SCHEMA, merge).to_record()
        return merge_segments(recipe.store(), SCHEMA, merge).to_record()
    if "link" in task:
        return linking.result(task, parent.send)
    every = task["every"]

    def at(number: int) -> None:
        if not number % every:
            parent.send(number)

    built = builder.build(
        [FileTask(*item) for item in task["wanted"]],
        parse=task["parse"],
        unparsed=frozenset(task["unparsed"]),
        at=at,
    )
    return [None if built.entry is None else built.entry.to_record(), built.files]


def _bound_memory() -> None:
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 Windows has no such module

    with suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


if __name__ == "__main__":
    main()

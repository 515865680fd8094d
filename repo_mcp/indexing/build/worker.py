"""A process that makes segments for another one: what goes wrong here costs one file there.

Parsers are given text that may be made to break them. A process of its own has a bound on its
memory, and whoever asked can see at which file it ended.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NoReturn

from index_format import CorruptIndexError, IndexFormatError, MergeTask, merge_segments
from repo_mcp.indexing.build.builder import Builder, FileTask
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.processes.child_process import ParentPipe
from repo_mcp.languages import Languages
from repo_mcp.stored import SCHEMA

_MEMORY: Final = 2 * 1024**3


def main() -> NoReturn:
    """Do what comes in; never returns: the process ends with the pipe."""
    parent = ParentPipe()
    _bound_memory()
    gc.disable()  # what is made here dies by reference counts; collecting would take two thirds
    recipe = Recipe.from_record(parent.receive())
    try:
        builder = recipe.builder(recipe.sandbox(), Languages(recipe.languages))
    except OSError:  # the repository's folder is gone: that shows where this is waited for
        os._exit(1)
    while True:
        task = parent.receive()
        try:
            parent.send(_result(builder, recipe, task, parent))
        except (OSError, IndexFormatError) as error:  # the disk's doing, and no file's
            damaged = isinstance(error, CorruptIndexError)
            parent.send({"failed": str(error), "damaged": damaged})
        gc.collect()


def _result(
    builder: Builder, recipe: Recipe, task: Mapping[str, Any], parent: ParentPipe
) -> list[Any]:
    if "merge" in task:
        merge = MergeTask.from_record(task["merge"])
        return merge_segments(recipe.store(), SCHEMA, merge).to_record()
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
    import resource  # noqa: PLC0415 it is not there on Windows

    with suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


if __name__ == "__main__":
    main()

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
from typing import Any, Final

from index_format import CorruptIndexError, IndexFormatError, MergeTask, merge_segments
from repo_mcp.indexing.builder import Builder, Wanted
from repo_mcp.indexing.documents import SCHEMA
from repo_mcp.indexing.recipe import Recipe
from repo_mcp.indexing.wire import Pipe
from repo_mcp.languages import registry

_MEMORY: Final = 2 * 1024**3


def main() -> None:
    """Do what comes in until nothing more does."""
    pipe = _take_over()
    _bound_memory()
    gc.disable()  # what is made here dies by reference counts; collecting would take two thirds
    with suppress(EOFError, BrokenPipeError):
        recipe = Recipe.from_record(pipe.receive())
        registry.use(recipe.languages)
        builder = recipe.builder(recipe.sandbox())
        while True:
            task = pipe.receive()
            try:
                pipe.send(_done(builder, recipe, task, pipe))
            except BrokenPipeError:
                break
            except (OSError, IndexFormatError) as error:  # the disk's doing, and no file's
                damaged = isinstance(error, CorruptIndexError)
                pipe.send({"failed": str(error), "damaged": damaged})
            gc.collect()
    os._exit(0)


def _done(builder: Builder, recipe: Recipe, task: Mapping[str, Any], pipe: Pipe) -> list[Any]:
    if "merge" in task:
        merge = MergeTask.from_record(task["merge"])
        return merge_segments(recipe.store(), SCHEMA, merge).to_record()
    every = task["every"]

    def at(number: int) -> None:
        if not number % every:
            pipe.send(number)

    built = builder.build(
        [Wanted(*item) for item in task["wanted"]],
        parse=task["parse"],
        unparsed=frozenset(task["unparsed"]),
        at=at,
    )
    return [None if built.entry is None else built.entry.to_record(), built.files]


def _take_over() -> Pipe:
    """Keep the pipe to ourselves: a print of any library must not end up in it."""
    pipe = Pipe(os.dup(0), os.dup(1))
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return pipe


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

"""A worker process that builds and merges segments, parses and links files.

Parsers read text that may be made to crash them, which costs one file. A separate process has a
memory limit, and its parent can see at which file it died.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from index_format import CorruptIndexError, IndexFormatError, MergeTask, merge_segments
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import FileTask
from repo_mcp.processes.child_process import ParentPipe, bound_memory, yield_to_answers
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import ALL_KINDS, CODE_INDEX

if TYPE_CHECKING:  # loaded for checks only
    from repo_mcp.indexing.build.commits import CommitIndexer
    from repo_mcp.indexing.workers.linking import LinkService
    from repo_mcp.indexing.workers.on_demand import TreeListing

# objects that were made and not freed since garbage was last looked for: a linker keeps millions,
# and looking through all of them after each task took a quarter of its time
_MOST_NEW: Final = 2_000_000
# tasks that an answer waits for
_FOR_QUESTIONS: Final = frozenset({"on_demand", "parse_now"})


def main() -> NoReturn:
    """Serve tasks from the pipe; never returns, the process exits when the pipe closes."""
    parent = ParentPipe()
    bound_memory()
    gives_way = False
    gc.disable()  # reference counts free what a task makes; collecting takes two thirds of the time
    service = _open(parent.receive(), parent)
    while True:
        task = parent.receive()
        if "recipe" in task:  # for another root from now on
            service = _open(task["recipe"], parent)
            gc.collect()
            continue
        if not gives_way and not _is_waited_for(task):
            yield_to_answers()
            gives_way = True
        try:
            parent.send(service.result(task))
        except (OSError, IndexFormatError) as error:  # caused by the disk, not by a file
            damaged = error.file if isinstance(error, CorruptIndexError) else ""
            parent.send({"failed": str(error), "damaged": damaged})
        if gc.get_count()[0] > _MOST_NEW:
            gc.collect()


def _is_waited_for(task: Mapping[str, Any]) -> bool:
    """True for a question's task, and for words without facts: every answer waits for all words."""
    return task.get("parse") is False or not _FOR_QUESTIONS.isdisjoint(task)


def _open(record: dict[str, Any], parent: ParentPipe) -> _Service:
    """A service for the tasks of a recipe."""
    recipe = Recipe.from_record(record)
    try:
        sandbox = recipe.sandbox()
    except Problem:  # the repository's folder is gone or replaced: the pipe closes
        os._exit(1)
    return _Service(recipe.within(sandbox), sandbox, parent)


class _Service:
    """Does the tasks of one worker."""

    def __init__(self, recipe: Recipe, sandbox: Sandbox, parent: ParentPipe) -> None:
        self._recipe = recipe
        self._sandbox = sandbox
        self._parent = parent
        self._languages = recipe.open_languages()
        self._builder = recipe.builder(sandbox, self._languages)
        self._linking: LinkService | None = None
        self._listing: TreeListing | None = None
        self._commits: CommitIndexer | None = None

    def result(self, task: Mapping[str, Any]) -> list[Any]:
        """The answer to a task's message."""
        if "merge" in task:
            return self._merge(task)
        if "link" in task:
            return self._link_service().result(task, self._parent.send)
        if "on_demand" in task:
            return self._link_on_demand(task)
        if "parse_now" in task:
            return self._parse_now(task)
        if "commits" in task:
            return self._index_commits(task)
        return self._lower(task) if "lower" in task else self._build(task)

    def _merge(self, task: Mapping[str, Any]) -> list[Any]:
        kind = next(kind for kind in ALL_KINDS if kind.folder == task["folder"])
        merge = MergeTask.from_record(task["merge"])
        return merge_segments(self._recipe.store(kind), kind.schema, merge).to_record()

    def _link_service(self) -> LinkService:
        from repo_mcp.indexing.workers.linking import LinkService  # noqa: PLC0415 builds load no linker

        if self._linking is None:
            self._linking = LinkService(self._recipe, self._sandbox, self._languages)
        return self._linking

    def _link_on_demand(self, task: Mapping[str, Any]) -> list[Any]:
        from code_graph.store.code_files import CodeFiles  # noqa: PLC0415 as above
        from repo_mcp.indexing.workers import on_demand  # noqa: PLC0415 as above

        text = self._recipe.text()
        if self._listing is None or not self._listing.is_of(text):
            self._listing = on_demand.TreeListing(text, self._sandbox)
        code = self._recipe.code() if task["code"] else None
        is_of_task = code is not None and code.generation == task["code"]
        codes = CodeFiles(code if is_of_task else None, self._languages.is_lowered)
        given = self._sandbox, self._languages, self._listing, codes, task
        return on_demand.link_for_question(*given, self._parent.send)

    def _parse_now(self, task: Mapping[str, Any]) -> list[Any]:
        from repo_mcp.indexing.workers.on_demand import parse_for_question  # noqa: PLC0415 as above

        return parse_for_question(self._sandbox, self._languages, task, self._parent.send)

    def _index_commits(self, task: Mapping[str, Any]) -> list[Any]:
        from repo_mcp.indexing.workers.commits import open_indexer  # noqa: PLC0415 as above

        if self._commits is None:
            self._commits = open_indexer(self._recipe)
        entry = self._commits.build(task["commits"], self._parent.send)
        return [None if entry is None else entry.to_record()]

    def _lower(self, task: Mapping[str, Any]) -> list[Any]:
        from repo_mcp.indexing.workers.lowering import lower_files  # noqa: PLC0415 as above

        found = lower_files(
            self._recipe.store(CODE_INDEX),
            self._sandbox,
            self._languages,
            self._recipe.text(),
            dict(zip(*task["lower"], strict=True)),
            unparsed=frozenset(task["unparsed"]),
            at=self._parent.send,
        )
        return [None if found.entry is None else found.entry.to_record(), found.changed]

    def _build(self, task: Mapping[str, Any]) -> list[Any]:
        every = task["every"]

        def at(number: int) -> None:
            if not number % every:
                self._parent.send(number)

        built = self._builder.build(
            [FileTask(*item) for item in task["wanted"]],
            parse=task["parse"],
            unparsed=frozenset(task["unparsed"]),
            at=at,
        )
        return [None if built.entry is None else built.entry.to_record(), built.files]

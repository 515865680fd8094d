"""The command `index --engine`: the parts of an index are made by the workers of a cluster."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from index_format import FileStore
from index_format.blake2 import blake2b
from repo_mcp import side_files
from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.display import Display, size_text
from repo_mcp.cli.state.linking import link_graph
from repo_mcp.cli.state.report import print_refresh, print_state, refresh_record, state_record
from repo_mcp.console import print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.keeper import raise_problems
from repo_mcp.model import RefreshResult
from repo_mcp.remote.cluster import ClusterRunner, open_engine
from repo_mcp.services import Services
from repo_mcp.text.plurals import counted

# in the data folder, while an engine is in use
_FOLDER: Final = "engine"
_LOCK_SECONDS: Final = 1.0
_NAME_BYTES: Final = 16


def build(args: CommandLine, parts: Services) -> int:
    """Bring the index up to date on an engine; returns the exit code."""
    data_dir = parts.settings.data_dir
    if not args.store and not args.engine.startswith("local:"):
        raise Problem("argument_invalid", "name the --store that the workers write to")
    runners: list[ClusterRunner] = []
    manager, budget = parts.manager, parts.budget
    with Display(sys.stderr) as display, ExitStack() as opened:
        store = args.store or opened.enter_context(own_store(data_dir))
        display.phase("connecting")
        with open_engine(args.engine, data_dir) as engine:

            def make(recipe: Recipe) -> ClusterRunner:
                if not runners:
                    runner = ClusterRunner(engine, recipe, parts.sandbox, store, args.files)
                    runners.append(runner)
                return runners[-1]

            display.phase("looking for changes")
            most = 0 if args.words_only else math.inf
            done = manager.refresh(budget, display, force=args.force, most_parsed=most, engine=make)
            # a worker's state of a checkout may be older than this one
            after = manager.refresh(budget, display, most_parsed=most)
            if not args.words_only:  # the next run replaces most of such an index
                manager.tidy(budget, full=bool(after.added or after.updated), free=True)
            if args.graph:
                link_graph(manager, budget, display, make)
            for runner in runners:
                runner.clean()
    _print(args, parts, done, runners)
    return 0


@contextmanager
def own_store(data_dir: str) -> Iterator[str]:
    """The address of a store in the data folder, where the next run finds what a killed one made.

    Its name follows from what the system chose for the folder: no repository can ship one.
    """
    folder = Path(data_dir, _FOLDER).absolute()
    if folder.is_symlink():
        raise Problem("data_link")
    lock = ExitStack()
    with raise_problems():
        side_files.prepare(data_dir)
        store = FileStore(folder)
        lock.enter_context(store.lock(_LOCK_SECONDS))
        name = blake2b(b"store", key=store.origin_key(), digest_size=_NAME_BYTES).hexdigest()
    with lock:
        yield (folder / name).as_uri()
        shutil.rmtree(folder, ignore_errors=True)


def _print(
    args: CommandLine, parts: Services, done: RefreshResult, runners: list[ClusterRunner]
) -> None:
    state = parts.manager.state()
    cost = runners[-1].cost
    made_here = runners[-1].made_here
    if args.json:
        record = {**state_record(parts, state), "refresh": refresh_record(done)}
        print_json({**record, "engine": {**cost._asdict(), "made_here": made_here}})
        return
    print_refresh(done)
    print_line(
        f"engine: {counted(cost.tasks, 'task')}, {cost.reused} found done, {made_here} made here;"
        f" {cost.cpu_seconds:.1f} s of processors, {size_text(cost.bytes_read)} read"
    )
    print_line(
        f"store: {counted(cost.requests, 'request')}, {size_text(cost.sent)} sent,"
        f" {size_text(cost.received)} received"
    )
    print_state(parts, state)

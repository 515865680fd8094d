"""The command `index --engine`: the parts of an index are made by the workers of a cluster."""

from __future__ import annotations

import math
import shutil
import sys
from pathlib import Path
from typing import Final

from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.display import Display, size_text
from repo_mcp.cli.state.linking import link_graph
from repo_mcp.cli.state.report import print_refresh, print_state, refresh_record, state_record
from repo_mcp.cluster import ClusterRunner, open_engine
from repo_mcp.console import print_json, print_line
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.model import RefreshResult
from repo_mcp.repository.services import Services
from repo_mcp.text.english.plurals import counted

# in the data folder, while an engine is in use
_FOLDER: Final = "engine"


def build(args: CommandLine, parts: Services) -> int:
    """Bring the index up to date on an engine; returns the exit code."""
    folder = Path(parts.settings.data_dir, _FOLDER).absolute()
    is_local = args.engine.startswith("local:")
    if not args.store and not is_local:
        raise Problem("argument_invalid", "name the --store that the workers write to")
    folder.mkdir(parents=True, exist_ok=True)
    store = args.store or (folder / "store").as_uri()
    runners: list[ClusterRunner] = []
    manager, budget = parts.manager, parts.budget
    with Display(sys.stderr) as display:
        display.phase("connecting")
        with open_engine(args.engine, str(folder)) as engine:

            def make(recipe: Recipe) -> ClusterRunner:
                if not runners:
                    runner = ClusterRunner(engine, recipe, parts.sandbox, store, args.files)
                    runners.append(runner)
                return runners[-1]

            manager.engine = make
            try:
                display.phase("looking for changes")
                most = 0 if args.words_only else math.inf
                done = manager.refresh(
                    budget, force=args.force, most_parsed=most, on_progress=display.show
                )
                manager.engine = None
                # what workers saw of a checkout may be older than what is here
                after = manager.refresh(budget, most_parsed=most, on_progress=display.show)
                if not args.words_only:  # the next run replaces most of such an index
                    manager.tidy(budget, full=bool(after.added or after.updated), free=True)
                if args.graph:
                    link_graph(manager, budget, display, make)
            finally:
                manager.engine = None
            for runner in runners:
                runner.clean()
        shutil.rmtree(folder, ignore_errors=True)
    _print(args, parts, done, runners)
    return 0


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

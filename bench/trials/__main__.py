"""Costs of recorded trials, and new trials of an agent with and without the server.

    python -m bench.trials costs [--record]
    python -m bench.trials run claude|codex --tree TREE --tasks FILE --name NAME [--model MODEL]

`run` needs a client that is signed in: its model answers, and is paid for. TREE is a checkout, FILE
has a task under each heading of second level. Rows, events and a summary are kept below
`bench/results/trials/NAME`; answers are scored by hand, by rows of truth.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any, Final

from bench.trials.arms import CLIENTS, run_arms, summary, tasks_in
from bench.trials.recorded import TRIALS, trial_costs

RESULT: Final = TRIALS.parent / "trial-costs.json"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("costs").add_argument("--record", action="store_true")
    run = commands.add_parser("run")
    run.add_argument("client", choices=CLIENTS)
    run.add_argument("--tree", type=Path, required=True)
    run.add_argument("--tasks", type=Path, required=True)
    run.add_argument("--name", required=True)
    run.add_argument("--model", default="")
    run.add_argument("--program", default="")
    run.add_argument("--server", default="repo-mcp")
    run.add_argument("--keep", type=Path, default=TRIALS)
    given = parser.parse_args()
    if given.command == "run":
        _run(given)
        return
    costs = {"command": "python -m bench.trials costs --record", **trial_costs()}
    print(json.dumps(costs["sums"], indent=1))
    if given.record:
        RESULT.write_text(json.dumps(costs, indent=1) + "\n", "utf-8")


def _run(given: argparse.Namespace) -> None:
    kept: Path = given.keep / given.name
    kept.mkdir(parents=True)
    shutil.copyfile(given.tasks, kept / "tasks.md")
    tasks = tasks_in(given.tasks.read_text("utf-8"))
    program, server = (
        shutil.which(name) or _missing(name)
        for name in (given.program or given.client, given.server)
    )
    rows: list[dict[str, Any]] = []
    client = CLIENTS[given.client]
    tree = given.tree.absolute()
    for row in run_arms(client, program, server, tree, tasks, kept.absolute(), given.model):
        rows.append(row)
        print(json.dumps({key: row[key] for key in ("task", "arm", "calls", "tokens", "seconds")}))
    sums = {"client": given.client, "model": given.model, "arms": summary(rows)}
    (kept / "summary.json").write_text(json.dumps(sums, indent=1) + "\n", "utf-8")
    print(json.dumps(sums, indent=1))


def _missing(name: str) -> str:
    raise SystemExit(f"there is no program {name}")


if __name__ == "__main__":
    main()

"""Does thirty tasks with the tools of this server, through an MCP client, and with rg and sed.

    python -m bench.tasks --mirror DIR [--keep FOLDER] [--tasks tasks|flows]
        [--repository NAME …] [--show] [--record]

DIR holds bare repositories as OWNER+NAME/repo. `tasks.toml` has thirty tasks, `flows.toml` sixteen
flows and sixteen questions for a behaviour, with the places that answer them, read from the
sources, and say what each repository was used for; `policies.py` has what an agent calls. Each tree
is indexed and linked before. Counted are calls, bytes of answers, and the share of the places that
the first call and all calls have shown. To conclude: the tools take at most .7 of the calls and of
the bytes of rg and sed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from bench import machine
from bench.research.trees import checkout
from bench.tasks.judge import Call, Task, missing, right, tables, tasks_of
from bench.tasks.policies import Tools, by_shell, by_tools
from repo_mcp.cli.graph.open_graph import CommandGraph
from repo_mcp.repository import OutdatedFiles
from repo_mcp.services import services
from repo_mcp.settings import Options

SIDES: Final = ("repo-mcp", "rg and sed")
_MOST: Final = 0.7


class Outcome(NamedTuple):
    """A task as one side did it."""

    task: Task
    side: str
    calls: Sequence[Call]

    @property
    def at_first(self) -> float:
        """The share of the places that the first call shows."""
        return right(self.task, self.calls[:1])

    @property
    def at_end(self) -> float:
        """The share that all calls show."""
        return right(self.task, self.calls)

    @property
    def size(self) -> int:
        """Bytes of all answers."""
        return sum(call.size for call in self.calls)


def main() -> int:
    """Run the command line; 1 if the conclusion does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="keeps trees and indexes for the next run")
    parser.add_argument("--tasks", default="tasks", choices=["tasks", "flows"], help="their file")
    parser.add_argument("--repository", action="append", help="only this one; may be repeated")
    parser.add_argument("--show", action="store_true", help="list calls and missing places")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        outcomes = []
        for outcome in _outcomes(args, args.keep or Path(made)):
            outcomes.append(outcome)
            print(_line(outcome), flush=True)
            if args.show:
                print(*_details(outcome), sep="\n")
    found = summary(outcomes)
    for kind, sides in found.items():
        for side, figures in sides.items():
            print(f"{kind:14} {side:10} {figures}")
    if args.record:
        print(
            machine.keep(
                args.tasks, {"kinds": found, "tasks": [_record(item) for item in outcomes]}
            )
        )
    ours, shell = (found["all"][side] for side in SIDES)
    holds = ours["calls"] <= _MOST * shell["calls"] and ours["bytes"] <= _MOST * shell["bytes"]
    return int(not holds)


def _outcomes(args: argparse.Namespace, keep: Path) -> Iterator[Outcome]:
    table = tables(args.tasks)
    for repository in table["repository"]:
        name = repository["name"]
        if args.repository and name not in args.repository:
            continue
        tree = checkout(args.mirror, repository, keep)
        data = keep / "data" / tree.name
        linked = CommandGraph(services(Options(str(tree), str(data), watch=False)), refresh=True)
        linked.answer(lambda _, __: None, lambda _: OutdatedFiles())
        with server(tree, data) as tools:
            for task in (item for item in tasks_of(table) if item.repository == name):
                language = repository["language"]
                yield Outcome(task, SIDES[0], by_tools(tools, task, language))
                yield Outcome(task, SIDES[1], by_shell(tree, task, language))


@contextmanager
def server(root: Path, data: Path) -> Iterator[Tools]:
    """A server as a process, reached by the client of the MCP SDK."""
    start = "import sys; from repo_mcp.server import main; sys.exit(main())"
    arguments = ["-P", "-c", start, "serve", "--no-watch"]
    arguments += ["--repo-root", str(root), "--data-dir", str(data)]
    around = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=around)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(parameters))) as client,
    ):

        def call(tool: str, arguments: Mapping[str, Any]) -> str:
            answer = portal.call(client.call_tool, tool, dict(arguments))
            return "\n".join(item.text for item in answer.content if item.type == "text")

        call("repo.refresh_index", {})  # no answer says that files are still being compared
        yield call


def summary(outcomes: Sequence[Outcome]) -> dict[str, dict[str, dict[str, float]]]:
    """The figures of each kind and of all, for each side."""
    kinds = [*dict.fromkeys(item.task.kind for item in outcomes), "all"]
    return {
        kind: {
            side: _figures([item for item in outcomes if _is(item, kind, side)]) for side in SIDES
        }
        for kind in kinds
    }


def _is(outcome: Outcome, kind: str, side: str) -> bool:
    return outcome.side == side and kind in {outcome.task.kind, "all"}


def _figures(rows: Sequence[Outcome]) -> dict[str, float]:
    count = len(rows)
    return {
        "tasks": count,
        "right_at_first": round(sum(item.at_first for item in rows) / count, 3),
        "right_at_end": round(sum(item.at_end for item in rows) / count, 3),
        "calls": sum(len(item.calls) for item in rows),
        "bytes": sum(item.size for item in rows),
    }


def _record(outcome: Outcome) -> dict[str, object]:
    task = outcome.task
    return {
        "repository": task.repository,
        "kind": task.kind,
        "text": task.text,
        "side": outcome.side,
        "right_at_first": round(outcome.at_first, 3),
        "right_at_end": round(outcome.at_end, 3),
        "calls": len(outcome.calls),
        "bytes": outcome.size,
    }


def _line(outcome: Outcome) -> str:
    shares = f"{outcome.at_first:4.2f} {outcome.at_end:4.2f}"
    counts = f"{len(outcome.calls)} calls {outcome.size:6}"
    task = outcome.task
    return f"{shares} {counts} {outcome.side:10} {task.repository} {task.kind}: {task.text}"


def _details(outcome: Outcome) -> Iterator[str]:
    for call in outcome.calls:
        yield f"      {call.size:6} {call.words}"
    lost = missing(outcome.task, outcome.calls)
    if lost:
        yield f"      missing {', '.join(lost)}"


if __name__ == "__main__":
    sys.exit(main())

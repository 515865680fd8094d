"""Times a server of a tree's folders as roots beside one of the tree: answers, memory, refreshes.

    python -m bench.workspace TREE --keep FOLDER [--record]

Both have an index of their own below `--keep`, which is built if it is not there, by a process
that is not timed. They answer the same calls in turns, each in a process of its own, and the
answers have to be equal. A ratio above its limit is marked. `--starts N` times the start of a
server of so many small roots instead.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from bench import machine
from bench.costs.server import Server
from bench.timing import percentile

if TYPE_CHECKING:
    from repo_mcp.app import App

_LIMITS: Final = {"ranked_p95": 1.3, "exact_p95": 1.3, "memory": 1.2, "refresh": 1.2}
_START_LIMIT_MS: Final = 150.0
_ROUNDS: Final = 5
_CALLS: Final = 40
_STARTS: Final = 7
_KINDS: Final = ("tree", "roots")
_REFRESH: Final = "repo.refresh_index"
# of each call the median counts: a walk in the background meets one of them now and then
_REPEATS: Final = 5
_REFRESHES: Final = 9
_SWITCH_SECONDS: Final = 0.0002
_WORD: Final = re.compile(r"[a-z][a-z0-9]+(?:_[a-z0-9]+)+")


def main() -> int:
    """Run what the arguments ask for; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    parser.add_argument("--starts", type=int, default=0)
    parser.add_argument("--answer", default="", help=argparse.SUPPRESS)
    parser.add_argument("--build", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.build:
        _serve(given.build, given.tree, given.keep)
        return 0
    if given.answer:
        _answer(_serve(given.answer, given.tree, given.keep))
        return 0
    if given.starts:
        found = _time_starts(given.tree, given.starts)
    else:
        found = _compare(given.tree, given.keep, given.rounds)
    print(json.dumps(found, indent=2))
    if given.record:
        name = f"workspace-{'starts' if given.starts else given.tree.name}"
        path = machine.RESULTS / f"{name}.json"
        path.write_text(json.dumps({"machine": machine.described(), **found}, indent=2) + "\n")
    return int(bool(found["over"]))


def roots_of(tree: Path) -> list[Path]:
    """The folders that are roots."""
    return sorted(path for path in tree.iterdir() if path.is_dir() and path.name[0] != ".")


def _compare(tree: Path, keep: Path, count: int) -> dict[str, Any]:
    for kind in _KINDS:
        subprocess.run(_command(tree, keep, "--build", kind), check=True, capture_output=True)
    rounds = [_round(tree, keep) for _ in range(count)]
    medians = {
        kind: {
            name: round(statistics.median(found[kind][name] for found in rounds), 2)
            for name in rounds[0][kind]
        }
        for kind in _KINDS
    }
    ratios = {
        name: round(medians["roots"][name] / medians["tree"][name], 3) for name in medians["tree"]
    }
    over = [name for name, limit in _LIMITS.items() if ratios[name] > limit]
    return {"roots": len(roots_of(tree)), **medians, "ratios": ratios, "over": over}


def _round(tree: Path, keep: Path) -> Mapping[str, Mapping[str, float]]:
    """Figures of both servers, new processes that answer each call in turns."""
    times: dict[str, dict[str, list[float]]] = {kind: {} for kind in _KINDS}
    with ExitStack() as stack:
        servers = {
            kind: stack.enter_context(_Server(_command(tree, keep, "--answer", kind)))
            for kind in _KINDS
        }
        for name, arguments in _calls(tree):
            spent: dict[str, list[float]] = {kind: [] for kind in _KINDS}
            for _ in range(_REPEATS + 1):
                found = {kind: server.ask(name, arguments) for kind, server in servers.items()}
                if len({answer.digest for answer in found.values()}) != 1:
                    raise SystemExit(f"the answers of tree and roots differ: {arguments}")
                for kind, answer in found.items():
                    spent[kind].append(answer.spent)
            for kind, each in spent.items():  # the first answer of each warms what it needs
                part = times[kind].setdefault("exact" if "mode" in arguments else "ranked", [])
                part.append(statistics.median(each[1:]))
        for _ in range(_REFRESHES):
            for kind, server in servers.items():
                times[kind].setdefault("refresh", []).append(server.ask(_REFRESH, {}).spent)
        return {kind: _figures(times[kind], server.memory()) for kind, server in servers.items()}


def _figures(times: Mapping[str, Sequence[float]], memory: float) -> Mapping[str, float]:
    found = {f"{kind}_p50": statistics.median(times[kind]) for kind in ("ranked", "exact")}
    found |= {f"{kind}_p95": percentile(times[kind], 0.95) for kind in ("ranked", "exact")}
    return {**found, "memory": memory, "refresh": statistics.median(times["refresh"])}


def _command(tree: Path, keep: Path, *flags: str) -> list[str]:
    return [sys.executable, "-m", "bench.workspace", str(tree), "--keep", str(keep), *flags]


class _Answer(NamedTuple):
    """The milliseconds that an answer took, and a hash of its text."""

    spent: float
    digest: str


class _Server:
    """A process that answers one call after the other."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.terminate()
        self._process.communicate()

    def ask(self, name: str, arguments: Mapping[str, object]) -> _Answer:
        """Have a tool called."""
        if self._process.stdin is None or self._process.stdout is None:
            raise EOFError
        print(json.dumps([name, arguments]), file=self._process.stdin, flush=True)
        return _Answer(*json.loads(self._process.stdout.readline()))

    def memory(self) -> float:
        """The megabytes that it has in memory."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        return int(fields["VmRSS"].split()[0]) / 1000


def _serve(kind: str, tree: Path, keep: Path) -> App:
    """A server of the tree or of its roots whose index follows the files."""
    from bench.workspace.answering import ask  # noqa: PLC0415 in the process that is measured
    from repo_mcp.allocator import share_arena  # noqa: PLC0415 as above
    from repo_mcp.app import App  # noqa: PLC0415 as above
    from repo_mcp.settings import read_options  # noqa: PLC0415 as above

    given = [("repo_root", str(tree))]
    if kind == "roots":
        given = [("roots", str(path)) for path in roots_of(tree)]
    flags = [*given, ("data_dir", str(keep / kind)), ("embeddings", "off"), ("watch", "off")]
    options = read_options([*flags, ("index_share", "never"), ("content", "text")], {})
    share_arena()  # as a server does, which also lets threads take turns more often
    sys.setswitchinterval(_SWITCH_SECONDS)
    app = App(options, links_ahead=False)
    while "incomplete" in ask(app, _REFRESH):
        pass
    return app


def _answer(app: App) -> None:
    """Answer each call of the input with its milliseconds and a hash."""
    from bench.workspace.answering import ask  # noqa: PLC0415 in the process that is measured

    for line in sys.stdin:
        name, arguments = json.loads(line)
        begin = time.perf_counter()
        answer = ask(app, name, **arguments)
        spent = (time.perf_counter() - begin) * 1000
        print(json.dumps([spent, hashlib.sha256(answer.encode()).hexdigest()]), flush=True)


def _calls(tree: Path) -> Iterator[tuple[str, dict[str, object]]]:
    """Searches for names that the tree has, drawn by chance, the same for equal trees."""
    chance = random.Random(7)
    names = sorted(_names(tree, chance))
    for _ in range(_CALLS):
        first, second = chance.choice(names), chance.choice(names)
        yield "repo.search", {"query": first}
        yield "repo.search", {"query": f"{first.replace('_', ' ')} {second.split('_')[0]}"}
        yield "repo.search", {"query": first, "mode": "literal"}


def _names(tree: Path, chance: random.Random) -> set[str]:
    files = sorted(path for path in tree.rglob("*.[chp]*") if path.suffix in {".c", ".h", ".py"})
    found: set[str] = set()
    for path in chance.sample(files, min(len(files), 80)):
        words = _WORD.findall(path.read_text(encoding="utf-8", errors="replace"))
        found.update(words[:: max(1, len(words) // 5)][:5])
    return found


def _time_starts(tree: Path, count: int) -> dict[str, Any]:
    """The time from the start of a server of small roots to its answer to `initialize`."""
    for number in range(count):
        folder = tree / f"root{number:03}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "module.py").write_text(f"def function_{number}():\n    return {number}\n")
    flags = [word for path in roots_of(tree)[:count] for word in ("--root", str(path))]
    several = statistics.median(_start(flags) for _ in range(_STARTS))
    one = statistics.median(_start(["--repo-root", str(tree)]) for _ in range(_STARTS))
    over = ["start"] if several > _START_LIMIT_MS else []
    return {
        "roots": count,
        "start_ms": round(several, 1),
        "one_root_ms": round(one, 1),
        "over": over,
    }


def _start(flags: Sequence[str]) -> float:
    command = [str(Path(sys.executable).parent / "repo-mcp"), "serve", *flags]
    begin = time.perf_counter()
    with Server(command, Path.cwd(), os.environ):
        return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    sys.exit(main())

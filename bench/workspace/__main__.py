"""Times a server of a tree's folders as roots beside one of the tree: answers, memory, refreshes.

    python -m bench.workspace TREE --keep FOLDER [--record]

Both have an index of their own below `--keep`, which is built if it is not there. They answer the
same calls in turns, each in a process of its own, and the answers have to be equal. A ratio above
its limit is marked. `--starts N` times the start of a server of so many small roots instead.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench import machine
from bench.timing import milliseconds, percentile

_LIMITS: Final = {"ranked_p95": 1.3, "exact_p95": 1.3, "memory": 1.2, "refresh": 1.2}
_START_LIMIT_MS: Final = 150.0
_ROUNDS: Final = 5
_CALLS: Final = 40
_STARTS: Final = 7
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
    given = parser.parse_args()
    if given.answer:
        print(json.dumps(_answer(given.answer == "roots", given.tree, given.keep)))
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
    rounds: dict[str, list[Mapping[str, Any]]] = {"tree": [], "roots": []}
    for _ in range(count):
        for kind, found in rounds.items():
            command = [sys.executable, "-m", "bench.workspace", str(tree), "--keep", str(keep)]
            run = subprocess.run(
                [*command, "--answer", kind], check=True, capture_output=True, text=True
            )
            found.append(json.loads(run.stdout))
    digests = {item["digest"] for found in rounds.values() for item in found}
    if len(digests) != 1:
        raise SystemExit("the answers of tree and roots differ")
    medians = {
        kind: {
            name: statistics.median(item[name] for item in found)
            for name in found[0]
            if name != "digest"
        }
        for kind, found in rounds.items()
    }
    ratios = {
        name: round(medians["roots"][name] / medians["tree"][name], 3) for name in medians["tree"]
    }
    over = [name for name, limit in _LIMITS.items() if ratios[name] > limit]
    return {"roots": len(roots_of(tree)), **medians, "ratios": ratios, "over": over}


def _answer(several: bool, tree: Path, keep: Path) -> dict[str, Any]:  # noqa: FBT001 of a command line
    from bench.workspace.answering import ask  # noqa: PLC0415 in the process that is measured
    from repo_mcp.allocator import share_arena  # noqa: PLC0415 as above
    from repo_mcp.app import App  # noqa: PLC0415 as above
    from repo_mcp.settings import read_options  # noqa: PLC0415 as above

    given = (
        [("roots", str(path)) for path in roots_of(tree)] if several else [("repo_root", str(tree))]
    )
    data = keep / ("roots" if several else "tree")
    flags = [*given, ("data_dir", str(data)), ("embeddings", "off"), ("watch", "off")]
    options = read_options([*flags, ("index_share", "never"), ("content", "text")], {})
    share_arena()  # as a server does, which also lets threads take turns more often
    sys.setswitchinterval(_SWITCH_SECONDS)
    app = App(options, links_ahead=False)

    while "incomplete" in ask(app, "repo.refresh_index"):
        pass
    times: dict[str, list[float]] = {}
    digest = hashlib.sha256()
    for name, arguments in _calls(tree):
        kind = "exact" if "mode" in arguments else "ranked"
        give = partial(ask, app, name, **arguments)
        give()  # warm
        times.setdefault(kind, []).append(statistics.median(_time(give, digest)))
    refreshes = [milliseconds(lambda: ask(app, "repo.refresh_index")) for _ in range(3)]
    found = {f"{kind}_p50": statistics.median(spent) for kind, spent in times.items()}
    found |= {f"{kind}_p95": percentile(spent, 0.95) for kind, spent in times.items()}
    found |= {"memory": _resident_mb(), "refresh": statistics.median(refreshes)}
    return {name: round(value, 2) for name, value in found.items()} | {"digest": digest.hexdigest()}


def _time(
    give: Callable[[], str],
    digest: Any,  # noqa: ANN401 a hash
) -> Iterator[float]:
    """The time of a call, three times."""
    for _ in range(3):
        begin = time.perf_counter()
        answer = give()
        yield (time.perf_counter() - begin) * 1000
        digest.update(answer.encode())


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


def _resident_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["VmRSS"].split()[0]) / 1000


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
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    }
    command = [str(Path(sys.executable).parent / "repo-mcp"), "serve", *flags]
    begin = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        if server.stdin is None or server.stdout is None:
            raise EOFError
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        spent = (time.perf_counter() - begin) * 1000
        server.stdin.close()
    return spent


if __name__ == "__main__":
    sys.exit(main())

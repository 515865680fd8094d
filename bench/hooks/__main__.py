"""Measures the hook of prompts on some trees that are indexed: when it speaks, what, how fast.

    python -m bench.hooks --program PROGRAM [--busy 2] [--seed 1] [--show] TREE…

Each tree gets the prompts of `prompts.toml`, and first lines of its own commits, as people wrote
them. Of a prompt with names it is right if it names a place that ctags knows for each; of the
others it is counted how often the hook speaks, which `--show` prints. The hook of searches gets
what ripgrep prints for the first name, and is right if it names that. Times are those of whole
processes, alone and beside a server of the tree, and ripgrep's, while `--busy` processes keep the
cores busy.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.costs.server import Server
from bench.hooks.names import NamedPrompt, TreeNames
from index_format.tuples import NamedTuple
from repo_mcp.hook.endpoint import link_name, own_folder
from repo_mcp.hook.weights import FactLimits

_HERE: Final = Path(__file__).parent
_RESULT: Final = Path("bench/results/hook-prompts.json")
_BUSY: Final = "while True: pass"
# prompts of each tree that people wrote
_WRITTEN: Final = 25
_LOOK_SECONDS: Final = 0.01
_TIMED: Final = ("speaking", "silent", "every prompt", "beside a search", "rg")


class TimedText(NamedTuple):
    """The text of the hook, and the seconds that it took."""

    text: str
    seconds: float


def main() -> None:
    """Run all prompts on all trees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("trees", nargs="+", type=Path)
    given = parser.parse_args()
    prompts = tomllib.loads((_HERE / "prompts.toml").read_text("utf-8"))
    rows = []
    with _busy(given.busy):
        for tree in map(Path.absolute, given.trees):
            names = TreeNames(tree, given.seed)
            named = [("named", prompt) for prompt in names.prompts(prompts["named"])]
            named += [("written", prompt) for prompt in names.written(_WRITTEN)]
            row = _measure(given.program, tree, named, prompts, show=given.show)
            with _served(given.program, tree):
                again = _measure(given.program, tree, named, prompts, show=False)
            if any(again[name] != row[name] for name in row if isinstance(row[name], int)):
                print(f"other answers beside a server: {json.dumps(again)}", file=sys.stderr)
            row["beside a server"] = {name: again[name] for name in _TIMED}
            rows.append(row)
            print(json.dumps(row), flush=True)
    if given.record:
        before = json.loads(_RESULT.read_text("utf-8"))["trees"] if _RESULT.exists() else []
        new = {row["tree"] for row in rows}
        rows += [row for row in before if row["tree"] not in new]
        record = {"busy": given.busy, "seed": given.seed, "trees": rows, "all": _sum(rows)}
        _RESULT.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    print(json.dumps(_sum(rows)))


def _measure(
    program: str,
    tree: Path,
    named: Sequence[tuple[str, NamedPrompt]],
    prompts: Mapping[str, Sequence[str]],
    *,
    show: bool,
) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    seconds: list[float] = []
    silent: list[float] = []
    peer: list[float] = []
    searching: list[float] = []
    for kind, prompt in named:
        told = _ask(program, tree, prompt.text)
        counts[kind] += 1
        counts[f"{kind}, spoke"] += bool(told.text)
        is_right = all(_names(told.text, name.places) for name in prompt.named)
        counts[f"{kind}, right"] += is_right
        seconds.append(told.seconds)
        if show and not is_right:
            _print(prompt.text, told.text, [name.places[:2] for name in prompt.named])
        first = prompt.named[0]
        shown = _search(tree, first.written)
        peer.append(shown.seconds)
        if kind == "named" and first.written.strip("`").isidentifier():
            beside = _ask_beside_search(program, tree, first.written.strip("`"), shown.text)
            searching.append(beside.seconds)
            counts["searches"] += 1
            # few hits that show the declaration need no more
            is_shown = shown.text.count("\n") <= FactLimits.FEW_HITS
            texts = beside.text + (shown.text if is_shown else "")
            counts["searches, right"] += _names(texts, first.places)
    for kind in ("words", "other"):
        for text in prompts[kind]:
            told = _ask(program, tree, text)
            counts[kind] += 1
            counts[f"{kind}, spoke"] += bool(told.text)
            (seconds if told.text else silent).append(told.seconds)
            if show and told.text:
                _print(text, told.text)
    return {
        "tree": tree.name,
        **counts,
        "speaking": _spread(seconds),
        "silent": _spread(silent),
        "every prompt": _spread([*seconds, *silent]),
        "beside a search": _spread(searching),
        "rg": _spread(peer),
    }


@contextmanager
def _served(program: str, tree: Path) -> Iterator[None]:
    """A server of a tree, as a client has one that started it for a session."""
    link = link_name(tree.stat(), "")
    with Server([program, "serve"], tree, os.environ) as server:
        server.tools()  # after which it answers hooks
        while not any(path.name.startswith(link) for path in Path(own_folder()).glob("*")):
            time.sleep(_LOOK_SECONDS)
        yield


def _ask(program: str, tree: Path, prompt: str) -> TimedText:
    event = {"hook_event_name": "UserPromptSubmit", "transcript_path": "", "cwd": str(tree)}
    return _hook(program, "prompt", {**event, "prompt": prompt})


def _ask_beside_search(program: str, tree: Path, name: str, output: str) -> TimedText:
    event = {"hook_event_name": "PostToolUse", "transcript_path": "", "cwd": str(tree)}
    command = {"command": f"rg -nwF {name}"}
    return _hook(
        program, "search", {**event, "tool_input": command, "tool_response": {"stdout": output}}
    )


def _hook(program: str, kind: str, event: Mapping[str, Any]) -> TimedText:
    data = json.dumps(event).encode()
    began = time.perf_counter()
    line = [program, "hook", kind]
    done = subprocess.run(line, input=data, capture_output=True, check=True, cwd=event["cwd"])
    seconds = time.perf_counter() - began
    output = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    return TimedText(output.get("additionalContext", ""), seconds)


def _search(tree: Path, written: str) -> TimedText:
    """The lines that ripgrep lists with a name."""
    name = written.strip("`").split("\n")[-1].strip()
    line = ["rg", "-nwF", "--", name]
    began = time.perf_counter()
    done = subprocess.run(line, cwd=tree, capture_output=True, check=False)
    return TimedText(done.stdout.decode("utf-8", "replace")[:30_000], time.perf_counter() - began)


def _names(text: str, places: Sequence[str]) -> bool:
    """True if a text has one of these places, perhaps as the first of several lines."""
    return any(f"{place}{end}" in text for place in places for end in ("-", "\n", ":", ",", " "))


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    if not seconds:
        return {}
    ordered = sorted(seconds)
    return {
        "median_ms": round(1000 * statistics.median(ordered), 1),
        "p95_ms": round(1000 * ordered[int(0.95 * (len(ordered) - 1))], 1),
    }


def _sum(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for row in rows:
        total.update({name: value for name, value in row.items() if isinstance(value, int)})
    return {
        **total,
        "named, share that spoke": round(total["named, spoke"] / total["named"], 3),
        "named, share right": round(total["named, right"] / total["named"], 3),
        "written, share right": round(total["written, right"] / max(total["written"], 1), 3),
        "other, share that spoke": round(total["other, spoke"] / total["other"], 3),
    }


@contextmanager
def _busy(count: int) -> Iterator[None]:
    running = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def _print(prompt: str, told: str, expected: object = "") -> None:
    print(f"--- {prompt}\n{told}\n    expected: {expected}{os.linesep if expected else ''}")


if __name__ == "__main__":
    main()

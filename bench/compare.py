"""Compares two results of one benchmark, figure by figure.

    python -m bench.compare BEFORE.json AFTER.json [--least 0.05]

A result is a file of `bench/results`, what pytest-benchmark stores, or the limits of
`bench/regressions`. Figures that changed by less than `--least` are left out. A ratio that has its
noise beside it is marked where the change is larger than the noise of both. Where machine, tree or
rounds differ, that is said first.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """One number of a result; `noise` is a share of it, if it is known."""

    value: float
    noise: float | None = None


def of_benchmarks(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of what pytest-benchmark stores: medians in ms, and what was noted beside them.

    The noise of a median is the distance of its quartiles.
    """
    about = stored["machine_info"]
    machine = {name: about.get(name) for name in ("processor", "system", "python_version")}
    medians, noted = {}, {}
    for item in stored["benchmarks"]:
        stats = item["stats"]
        noise = stats["iqr"] / stats["median"] if stats["median"] else 0.0
        name = item["name"].removeprefix("test_")
        medians[name] = {"value": round(stats["median"] * 1000, 4), "noise": noise}
        noted[name] = item["extra_info"]
    rounds = {item["stats"]["rounds"] for item in stored["benchmarks"]}
    return {"machine": machine, "rounds": sorted(rounds), "median_ms": medians, "noted": noted}


def figures(found: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, Figure]]:
    """The numbers of a result by where they stand."""
    if found.keys() == {"value", "noise"}:
        yield " / ".join(path), Figure(found["value"], found["noise"])
        return
    for name, item in found.items():
        if isinstance(item, Mapping):
            yield from figures(item, (*path, name))
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield " / ".join((*path, name)), Figure(float(item))


def changes(before: Mapping[str, Any], after: Mapping[str, Any], least: float) -> Iterator[str]:
    """A line for each figure that changed, and for those that one result alone has."""
    for name in ("machine", "tree", "files", "rounds"):
        if before.get(name) != after.get(name):
            yield f"not the same {name}: {before.get(name)} and {after.get(name)}"
    old, new = (dict(figures(_measured(item))) for item in (before, after))
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            yield f"{'only after' if name in new else 'only before'}: {name}"
        elif old[name].value != new[name].value:
            line = _change(old[name], new[name], least)
            if line:
                yield f"{line}  {name}"


def _read(path: Path) -> Mapping[str, Any]:
    stored: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return of_benchmarks(stored) if "benchmarks" in stored else stored


def _measured(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: item for name, item in result.items() if name not in {"machine", "rounds"}}


def _change(old: Figure, new: Figure, least: float) -> str:
    """The change in words; nothing if it is small."""
    share = new.value / old.value - 1 if old.value else float("inf")
    if abs(share) < least:
        return ""
    mark = ""
    if old.noise is not None and new.noise is not None:
        mark = "*" if abs(share) > old.noise + new.noise else "~"
    return f"{old.value:>12g} {new.value:>12g} {share:>+8.0%}{mark:1}"


def main() -> None:
    """Print the changes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--least", type=float, default=0.05)
    args = parser.parse_args()
    before, after = map(_read, (args.before, args.after))
    print("before, after, change (* beyond the noise, ~ within it)")
    for line in changes(before, after, args.least):
        print(line)


if __name__ == "__main__":
    main()

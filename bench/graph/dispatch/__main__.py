"""Records what tests call, and compares it with the graph.

    python -m bench.graph.dispatch record --keep FOLDER --git FOLDER [--project NAME …]
    python -m bench.graph.dispatch compare --keep FOLDER --git FOLDER [--split tune] [--misses 5]

`--keep` gets trees, environments and `records/NAME.jsonl`; `--git` has a bare repository
OWNER+NAME/repo for each project of projects.toml. `--misses` lists pairs that the graph lacks, by
how their calls come about, the same sample each time.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.graph.dispatch.judge import IMPLICIT, Judged, Verdict, judge
from bench.graph.dispatch.linked_graph import LinkedGraph
from bench.graph.dispatch.missed import Mechanisms
from bench.graph.dispatch.projects import projects, record
from bench.graph.dispatch.records import BUILTIN, LIBRARY, WAYS, read_recording
from code_graph.model import Confidence

_LANGUAGES: Final = ("python", "javascript", "typescript", "tsx", "lua")
_GROUPS: Final = (*WAYS, IMPLICIT)
# pairs of which one's frame is right below the other's, whatever called
_ADJACENT: Final = "adjacent"
# the groups of pairs that something outside calls
_OUTSIDE: Final = (BUILTIN, LIBRARY)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["record", "compare"])
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--git", type=Path, required=True)
    parser.add_argument("--project", action="append", default=[])
    parser.add_argument("--split", choices=["tune", "held-out"], default="")
    parser.add_argument("--misses", type=int, default=0, metavar="COUNT")
    given = parser.parse_args()
    verdicts = []
    for project in projects(given.project, given.split):
        if given.command == "record":
            print(record(project, given.keep, given.git), flush=True)
            continue
        graph = LinkedGraph(project.tree(given.keep, given.git), _LANGUAGES)
        verdict = judge(graph, read_recording(given.keep / "records" / f"{project.name}.jsonl"))
        verdicts.append(verdict)
        ways = Mechanisms(graph)
        for line in (*_table(project.name, verdict), *_missed(verdict, ways, given.misses)):
            print(line, flush=True)
    if len(verdicts) > 1:
        for line in _table("every project", _pooled(verdicts)):
            print(line, flush=True)


def _pooled(verdicts: list[Verdict]) -> Verdict:
    every = Verdict()
    for verdict in verdicts:
        every.judged += verdict.judged
        every.unknown += verdict.unknown
        every.exact += verdict.exact
        every.refuted += verdict.refuted
        every.dispatched += verdict.dispatched
        every.dispatched_ran += verdict.dispatched_ran
    return every


def _table(name: str, verdict: Verdict) -> Iterator[str]:
    others = ", ".join(f"{count} {reason}" for reason, count in sorted(verdict.unknown.items()))
    yield f"{name}: {len(verdict.judged)} pairs judged; not: {others}"
    for group in (*_GROUPS, _ADJACENT, "all"):
        found = [item for item in verdict.judged if _is_of(item, group)]
        if found:
            yield f"  {group:10} {len(found):5}  {_shares(found)}"
    right = verdict.exact - len(verdict.refuted)
    share = right / max(verdict.exact, 1)
    yield f"  exact edges on lines that called: {verdict.exact}, {share:.4f} of them right"
    ran = verdict.dispatched_ran / max(verdict.dispatched, 1)
    yield f"  edges of dispatch on such lines: {verdict.dispatched}, {ran:.2f} of them ran"


def _is_of(item: Judged, group: str) -> bool:
    """True if a pair counts in a group; one without a library between is adjacent, too."""
    if group == _ADJACENT:
        return item.calls.way != LIBRARY
    return group in (item.group, "all")


def _shares(found: list[Judged]) -> str:
    """The share of pairs that are found at each confidence or a surer one."""
    counts = Counter(item.edge.confidence for item in found if item.edge is not None)
    total, parts = 0, []
    for confidence in Confidence:
        total += counts[confidence]
        parts.append(f"{confidence.name.lower()} {total / len(found):.3f}")
    entries = sum(
        (item.edge is not None and item.edge.confidence <= Confidence.DISPATCH)
        or (item.entry is not None and item.group in _OUTSIDE)
        for item in found
    )
    return "  ".join(parts) + f"  or called from outside {entries / len(found):.3f}"


def _missed(verdict: Verdict, ways: Mechanisms, count: int) -> Iterator[str]:
    """A sample of each kind of difference."""
    by: defaultdict[tuple[str, str], list[Judged]] = defaultdict(list)
    for item in verdict.judged:
        if item.edge is None or item.edge.confidence > Confidence.DISPATCH:
            by[item.group, ways.of(item)].append(item)
    for (group, way), items in sorted(by.items(), key=lambda pair: -len(pair[1])) if count else ():
        yield f"  missed, {group}: {len(items)} {way}"
        for item in items[:: max(1, len(items) // max(count, 1))][:count]:
            caller, callee = item.pair
            place = f"{caller.path}:{min(item.calls.lines)} {caller.name}"
            target = f"{callee.path}:{callee.first} {callee.name}"
            yield f"    {place} → {target}  {item.calls.by} {' '.join(sorted(item.calls.ops))}"
    for refuted in verdict.refuted[:count]:
        edge = refuted.edge
        yield f"    refuted {edge.path}:{edge.line} → {refuted.target.name}, but {refuted.instead}"


if __name__ == "__main__":
    main()

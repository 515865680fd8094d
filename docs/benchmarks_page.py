"""Generates the page of benchmarks and its plots from the results of `python -m bench.suite`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from docs.bar_chart import Bar, bar_chart
from docs.costs_page import tasks_table

RESULTS: Final = Path(__file__).resolve().parents[1] / "bench" / "results"
OURS: Final = "repo-mcp"
HEAD: Final = """# Benchmarks

Written by `make docs` from `bench/results/suite-*.json`, which `make bench` and `make bench-full`
measure ([bench/README.md](../bench/README.md) says how): repo-mcp beside programs that could be
picked instead, on the same files and the same questions, taking turns in one run. Processor time
counts all processes. Ratios are medians over rounds, with half the range of their middle half as
noise.

A program is in a table only where it does the same: ripgrep has no index to build and ranks
nothing, tantivy finds files and no lines.
"""
_CHANGED: Final = "changed_"
_KINDS: Final = {
    "ranked": "the ten best files for one to four words",
    "passages": "the ten best passages, with the lines to show, read from files as they are now",
    "phrase": "words that stand one after the other; ours with passages, the others paths alone",
    "literal": "lines with a piece of text; ours the first 50, the others all",
    "regex": "lines that match an expression; ours the first 50, the others all",
    "symbol": "where a name is declared",
}


class Plot(NamedTuple):
    """A picture beside the page."""

    name: str
    text: str


def trees() -> list[Mapping[str, Any]]:
    """The results by tree, small ones first."""
    found = [json.loads(path.read_text("utf-8")) for path in RESULTS.glob("suite-*.json")]
    return sorted(found, key=lambda item: item["text_mib"])


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for found in trees():
        parts += _tree(found)
    for name, section in _SECTIONS.items():
        path = RESULTS / f"{name}.json"
        if path.exists():
            parts += section(json.loads(path.read_text("utf-8")))
    return "\n".join(parts).rstrip("\n") + "\n"


def plots() -> list[Plot]:
    """All pictures of the page."""
    return [plot for found in trees() for plot in _plots(found)]


def _tree(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {found['tree']}\n"
    yield (
        f"{found['files']:,} files, {found['text_mib']:,.0f} MiB of text; {found['rounds']} rounds;"
        f" {_where(found['machine'])}; {found['measured']}.\n"
    )
    if found.get("note"):
        yield f"{found['note']}\n"
    for plot in _plots(found):
        yield f"![{plot.name}](benchmarks/{plot.name}.svg)\n"
    if "builds" in found:
        yield from _builds(found["builds"])
    if "starts" in found:
        yield from _starts(found["starts"])
    for kind, measured in found.get("answers", {}).get("kinds", {}).items():
        yield from _answers(kind, measured)
    if "answers" in found:
        yield from _memory(found["answers"]["memory_at_rest_mib"])
    if "refreshes" in found:
        yield from _refreshes(found["refreshes"])
    if found["skipped"]:
        yield (
            "Left out: "
            + "; ".join(f"{name} ({reason})" for name, reason in found["skipped"].items())
            + ".\n"
        )


def _where(machine: Mapping[str, Any]) -> str:
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB,"
        f" Python {machine['python']}"
    )


def _builds(found: Mapping[str, Any]) -> Iterator[str]:
    yield "### Building an index\n"
    yield (
        "| program | CPU s | wall s | memory MiB | index MiB | index / text |"
        " disk at most / index | ours / theirs, CPU |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for name, row in found["peers"].items():
        yield (
            f"| {name} | {row['cpu_s']} | {row['wall_s']} | {row['peak_mib']:.0f} |"
            f" {row['index_mib']} | {row['index_to_text']} | {row['disk_peak_to_index']} |"
            f" {_ratio(found['ours_to_theirs_cpu'].get(name))} |"
        )
    yield ""


def _starts(found: Mapping[str, Any]) -> Iterator[str]:
    yield "### From nothing to an answer\n"
    yield "| program | question | CPU ms | wall ms | ours / theirs, CPU |\n|---|---|---|---|---|"
    for name, row in found["commands"].items():
        ratio = _ratio(found["ours_to_theirs_cpu"].get(name))
        yield f"| {name} | {row['kind']} | {row['cpu_ms']} | {row['wall_ms']} | {ratio} |"
    server = found["server"]
    yield (
        f"\nThe server answers `initialize` after {server['initialize_ms']} ms and its first search"
        f" after {server['first_answer_ms']} ms; then {server['answers_per_s_1_clients']} searches"
        f" a second for one client, {server['answers_per_s_4_clients']} for four at once, each with"
        " a server of its own.\n"
    )


def _answers(kind: str, found: Mapping[str, Any]) -> Iterator[str]:
    yield f"### Answers: {kind}\n"
    yield f"{_KINDS[kind][0].upper()}{_KINDS[kind][1:]}; {found['questions']} questions.\n"
    yield "| program | p50 ms | p95 ms | p99 ms | CPU p50 ms | answered | ours / theirs, p50 |"
    yield "|---|---|---|---|---|---|---|"
    for name, row in found["peers"].items():
        ratio = _ratio(found["ours_to_theirs_p50"].get(name))
        yield (
            f"| {name} | {row['p50']} | {row['p95']} | {row['p99']} | {row['cpu_p50']} |"
            f" {row['answered']} | {ratio} |"
        )
    yield ""


def _memory(found: Mapping[str, float]) -> Iterator[str]:
    yield "### Memory at rest, after all answers\n"
    yield "| program | MiB |\n|---|---|"
    for name, value in found.items():
        yield f"| {name} | {value} |"
    yield ""


def _refreshes(found: Mapping[str, Any]) -> Iterator[str]:
    changes = {label: row for label, row in found.items() if label.startswith(_CHANGED)}
    names = list(next(iter(changes.values())))
    yield "### After changes, by a new process\n"
    yield f"| changed files | {' | '.join(f'{name}, wall s (CPU s)' for name in names)} |"
    yield f"|---|{'---|' * len(names)}"
    for label, row in changes.items():
        cells = " | ".join(f"{row[name]['wall_s']} ({row[name]['cpu_s']})" for name in names)
        yield f"| {label.removeprefix(_CHANGED)} | {cells} |"
    yield ""
    if "compaction" in found:
        merged = found["compaction"][OURS]
        yield (
            "Merging all of it into what a build gives takes"
            f" {merged['wall_s']} s ({merged['cpu_s']} s of processor time).\n"
        )


def _ratio(found: Mapping[str, float] | None) -> str:
    return f"{found['value']} ± {found['noise']:.0%}" if found else ""


def _plots(found: Mapping[str, Any]) -> Iterator[Plot]:
    if "builds" in found:
        rows = {name: row["cpu_s"] for name, row in found["builds"]["peers"].items()}
        yield _plot(found, "build", "processor time of building", "seconds", rows)
    for kind, measured in found.get("answers", {}).get("kinds", {}).items():
        rows = {name: row["p50"] for name, row in measured["peers"].items()}
        if len(rows) > 1:
            yield _plot(found, kind, f"{kind}: median time of an answer", "milliseconds", rows)


def _plot(
    found: Mapping[str, Any], name: str, title: str, unit: str, rows: Mapping[str, float]
) -> Plot:
    bars = [
        Bar(label, value, is_ours=label.startswith(OURS))
        for label, value in sorted(rows.items(), key=lambda item: item[1])
    ]
    return Plot(f"{found['tree']}-{name}", bar_chart(f"{found['tree']}: {title}", unit, bars))


def _growth(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Growth\n"
    yield (
        "Made monorepos, indexed by words, and a server over each while it reads declarations and,"
        f" where that was waited for, afterwards (`python -m bench.index.growth`);"
        f" {_where(found['machine'])}; {found['measured']}.\n"
    )
    yield (
        "| files | words: CPU s, memory MiB | ranked p50 / p95 ms while reading | new file found"
        " after s, at most | resident MiB | refresh, nothing changed: wall s (CPU s) |"
    )
    yield "|---|---|---|---|---|---|"
    for files, row in found.items():
        if not files.isdecimal():
            continue
        words, during = row["words"], row["serving"]["during"]
        refresh = row["serving"].get("refresh")
        refreshed = f"{refresh['wall_s']} ({refresh['cpu_s']})" if refresh else ""
        yield (
            f"| {int(files):,} | {words['cpu_s']}, {words['peak_mib']:.0f} |"
            f" {during['ranked_p50_ms']} / {during['ranked_p95_ms']} | {during['new_file_max_s']} |"
            f" {during['resident_mib']} | {refreshed} |"
        )
    slopes = ", ".join(f"{name} {value}" for name, value in found["slopes"].items())
    yield f"\nSlopes of the last step (1: in proportion to the files): {slopes}.\n"


def _ranking(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Ranking\n"
    yield (
        "Repositories that nothing was tuned on; the wanted files are those that a commit changed,"
        " that a documentation describes, or that declare a name as somebody types it"
        f" ([bench/ranking](../bench/ranking/README.md)); {found['measured']}.\n"
    )
    yield "| questions | program | nDCG at 10 | found among 10 |\n|---|---|---|---|"
    for task, systems in found["splits"]["test"].items():
        if not task.endswith("files"):
            continue
        for name, row in systems.items():
            label = OURS if name == "ours" else name
            shown = task.removesuffix(" files")
            yield f"| {shown} | {label} | {row['ndcg@10']} | {row['recall@10']} |"
    yield ""


def _tasks(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Tasks of an agent\n"
    yield "Thirty tasks beside rg and sed; [costs.md](costs.md#tasks) says how they are done.\n"
    yield tasks_table(found)
    yield ""


def _complete_lists(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Lists of uses that are said to be complete\n"
    yield (
        "Each function and type of a project is asked for; compilers and type checkers say where it"
        " is used. A claim is wrong if they know a use on a line that is not listed"
        " (`python -m bench.graph.complete_lists`, [bench/graph](../bench/graph/README.md)).\n"
    )
    yield "| project | language | symbols | said to be complete | wrong | without uses | wrong |"
    yield "|---|---|---|---|---|---|---|"
    total: Counter[str] = Counter()
    for name, row in found.items():
        total.update({key: value for key, value in row.items() if key != "language"})
        yield f"| {name} | {row['language']} | {_claims(row)} |"
    yield f"| all | | {_claims(total)} |\n"


def _claims(row: Mapping[str, Any]) -> str:
    claims = row.get("complete", 0)
    share = f"{claims:,} ({claims / row['symbols']:.2f})"
    none = f"{row.get('without uses', 0):,} | {row.get('wrong without uses', 0)}"
    return f"{row['symbols']:,} | {share} | {row.get('wrong', 0)} | {none}"


def _graph_tasks(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Definitions, references, imports and dead code\n"
    yield (
        "Questions to the tools, scored by pyright's and TypeScript's language servers: F1, with"
        " the number of items of dead code"
        " (`python -m bench.graph.tasks`, [bench/graph](../bench/graph/README.md)).\n"
    )
    yield f"| project | language | {' | '.join(_TASKS)} |"
    yield f"|---|---|{'---|' * len(_TASKS)}"
    for name, row in found.items():
        cells = " | ".join(_score(kind, row.get(kind)) for kind in _TASKS)
        yield f"| {name} | {row['language']} | {cells} |"
    yield ""


def _score(kind: str, row: Mapping[str, Any] | None) -> str:
    if row is None:
        return ""
    return f"{row['f1']:.2f}" + (f" ({row['items']})" if kind == _TASKS[-1] else "")


_TASKS: Final = ("definition", "references", "dependencies", "dependents", "dead code")
# what other measures say, by the file of their results
_SECTIONS: Final[Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]]] = {
    "growth": _growth,
    "ranking": _ranking,
    "tasks": _tasks,
    "complete-lists": _complete_lists,
    "graph-tasks": _graph_tasks,
}

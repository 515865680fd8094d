"""Measured figures in written pages, each named by a comment.

A figure is taken from where it was recorded: `bench/results`, or the table of dependencies.

`<!--figure NAME-->shown<!--/figure-->` holds a figure or a table; `make docs` writes what stands
between the comments. A page has no other measured figure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from docs import cluster_figures
from docs.costs_page import tasks_result, tasks_table

RESULTS: Final = Path(__file__).resolve().parents[1] / "bench" / "results"
DEPENDENCIES: Final = Path(__file__).with_name("dependencies.md")
OURS: Final = "repo-mcp"
MARK: Final = re.compile(r"<!--figure\s([a-z0-9_]+)-->(.*?)<!--/figure-->", re.DOTALL)
# questions of the table beside other programs, as a reader says them
_KINDS: Final = {
    "literal": "lines with a piece of text",
    "regex": "lines that match an expression",
    "passages": "the ten best passages, with their lines",
    "ranked": "the ten best files",
    "phrase": "words that stand one after the other",
    "symbol": "where a name is declared",
}
_PEERS: Final = ("ripgrep", "codesearch", "tantivy", "SQLite FTS5", "Xapian", "universal-ctags")


def fill(text: str) -> str:
    """A page with the figures that its comments name; raises `KeyError` for an unknown name."""
    return MARK.sub(lambda found: _written(found[1], found[2]), text)


def _written(name: str, shown: str) -> str:
    figure = FIGURES[name]()
    if "\n" in shown or "\n" in figure:
        figure = f"\n\n{figure}\n\n"
    return f"<!--figure {name}-->{figure}<!--/figure-->"


@cache
def _result(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return found


@cache
def _suite() -> Mapping[str, Any]:
    """The results beside other programs, on the largest tree that they were measured on."""
    found = [json.loads(path.read_text("utf-8")) for path in RESULTS.glob("suite-*.json")]
    complete = [item for item in found if "answers" in item and "builds" in item]
    largest: Mapping[str, Any] = max(complete, key=lambda item: item["text_mib"])
    return largest


def _rounded(value: float) -> str:
    """Two digits that count, or all before the point."""
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def _tree() -> str:
    found = _suite()
    machine = found["machine"]
    return (
        f"{found['files']:,} files, {found['text_mib']:,.0f} MiB ({found['tree']}); warm, on"
        f" {machine['cores']} cores of {machine['processor']}; {found['measured']}"
    )


def _beside() -> str:
    """Medians of all questions, in milliseconds."""
    kinds = _suite()["answers"]["kinds"]
    lines = [
        f"| p50 in ms | **{OURS}** | {' | '.join(_PEERS)} |",
        f"|---|{'---|' * (1 + len(_PEERS))}",
    ]
    for kind, label in _KINDS.items():
        peers = kinds[kind]["peers"]
        cells = [_rounded(peers[name]["p50"]) if name in peers else "" for name in _PEERS]
        lines.append(f"| {label} | **{_rounded(peers[OURS]['p50'])}** | {' | '.join(cells)} |")
    return "\n".join(lines)


def _builds() -> str:
    peers = _suite()["builds"]["peers"]
    lines = ["| index of | CPU s | memory MiB | index / text |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {row['cpu_s']} | {row['peak_mib']:,.0f} | {row['index_to_text']:.2f} |"
        for name, row in peers.items()
    ]
    return "\n".join(lines)


def _ranking() -> str:
    test = _result("ranking")["splits"]["test"]
    labels = {
        "identifiers": "a name as somebody types it",
        "documented": "what a documentation describes",
        "changes": "what a commit changed",
    }
    lines = [f"| nDCG at 10 | **{OURS}** | tantivy | Whoosh | ripgrep |", "|---|---|---|---|---|"]
    for task, label in labels.items():
        for size, shown in (("", "all trees"), ("small:", "small trees")):
            row = test[f"{size}{task} files"]
            cells = [
                f"{row[name]['ndcg@10']:.2f}" if name in row else ""
                for name in ("tantivy", "whoosh", "ripgrep")
            ]
            ours = f"**{row['ours']['ndcg@10']:.2f}**"
            lines.append(f"| {label}, {shown} | {ours} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _memory() -> str:
    rows = _suite()["answers"]["memory_at_rest_mib"]
    lines = [f"| {name} | {value} |" for name, value in rows.items()]
    return "\n".join(["| program | MiB |", "|---|---|", *lines])


def _index(tree: str) -> str:
    """Cost of an index of words, and of one with declarations."""
    found = _result(f"suite-{tree}")
    lines = [
        (
            f"| {found['files']:,} files, {found['text_mib']:,.0f} MiB | CPU s | wall s |"
            " memory MiB | index MiB |"
        ),
        "|---|---|---|---|---|",
    ]
    peers = found["builds"]["peers"]
    for name, label in ((OURS, "words"), (f"{OURS} with declarations", "words, declarations")):
        row = peers[name]
        lines.append(
            f"| {label} | {row['cpu_s']} | {row['wall_s']} | {row['peak_mib']:,.0f} |"
            f" {row['index_mib']} |"
        )
    return "\n".join(lines)


def _tasks() -> str:
    return tasks_table(tasks_result())


def _all_tasks(key: str) -> str:
    sides = tasks_result()["kinds"]["all"]
    return f"{sides[OURS][key] / sides['rg and sed'][key]:.2f}"


def _kernel_fresh(key: str) -> str:
    return f"{_result('freshness-linux-source-6.1')[key]['p50_ms'] / 1000:.2f} s"


def _installed(prefix: str = "") -> str:
    """Megabytes of what is always installed, by the table of dependencies."""
    table = DEPENDENCIES.read_text("utf-8").partition("## Always")[2].partition("## Extras")[0]
    rows = re.findall(r"^\| `([\w-]+)` \|.*?\| ([\d.]+) MB", table, re.MULTILINE)
    return f"{sum(float(size) for name, size in rows if name.startswith(prefix)):.0f} MB"


def _worktrees() -> str:
    """Cost of worktrees that share index files, beside those that do not."""
    found = _result("worktrees-cpython")
    lines = [
        (
            f"| {found['worktrees']} worktrees, {found['files']:,} files each | MB on disk |"
            " CPU s to a first answer |"
        ),
        "|---|---|---|",
    ]
    for name in ("shared", "each its own"):
        row = found[name]
        seconds = row["first_answer_cpu_s"]["median"]
        lines.append(f"| {name} | {row['disk_bytes'] / 1e6:.1f} | {seconds} |")
    return "\n".join(lines)


def _worktrees_kernel() -> str:
    """The same of a large tree, where few or none were measured that share nothing."""
    found = _result("worktrees-linux-source-6.1")
    shared = found["shared"]
    first, second = (shared[f"{name}_answer_cpu_s"]["median"] for name in ("first", "second"))
    alone = found["each its own"]["first_answer_cpu_s"]["median"]
    return (
        f"{found['worktrees']} worktrees of Linux ({found['files']:,} files) and their repository"
        f" take {shared['disk_bytes'] / 1e6:.0f} MB together, of which"
        f" {shared['of_these_in_the_shared_folder'] / 1e6:.0f} MB are one index in the shared"
        f" folder. A worktree gives its first answer after {first:.1f} s of processor time, and its"
        f" second after {second:.1f} s. One that shares nothing takes {alone:.0f} s to the first"
        f" answer, from words alone, and the whole index took {found['first_index_cpu_s']:.0f} s."
    )


def _bytes_of(answer: str) -> str:
    return f"{_result('costs')['now']['calls'][answer]['text']:,}"


def _kernel_latency(rank: str) -> str:
    return f"{_result('latency-linux-source-6.1')['ranked'][f'wall_{rank}_ms']:.1f} ms"


def _pages(mode: str) -> str:
    found = _result("pages-linux-source-6.1")[mode]
    return f"{found['p50_ms']:.0f} ms (95 % within {found['p95_ms']:.0f} ms)"


def _publishing(kind: str, first: str) -> str:
    return cluster_figures.publishing(_result(f"publish-cpython{kind}"), first)


def _versus(chunks: int) -> Mapping[str, Any]:
    return _result(f"versus-tantivy-linux-source-6.1-{chunks}")


def _share_of_text() -> str:
    share = _versus(1_000_000)["index_share_of_text"]
    return f"{share['ours']:.0%} of the text (tantivy: {share['tantivy']:.0%})"


def _hook_prompts() -> str:
    """The answers of the hook of prompts in each tree, and the time that they take."""
    kinds = {"names": ("named", "right"), "commits": ("written", "right")}
    kinds |= {"words": ("words", "spoke"), "others": ("other", "spoke")}
    shown = [f"{name}: {what}" for name, (_, what) in kinds.items()]
    times = {"speaks": "speaking", "beside a search": "beside a search"}
    columns = ["tree", *shown, *times, *(f"{name}, alone" for name in times), "ripgrep"]
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for tree in _result("hook-prompts")["trees"]:
        shares = [
            f"{tree.get(f'{kind}, {what}', 0)} of {tree.get(kind, 0)}"
            for kind, what in kinds.values()
        ]
        served = tree["beside a server"]
        spans = [held[name] for held in (served, tree) for name in times.values()]
        taken = [
            f"{span['median_ms']:.0f}, {span['p95_ms']:.0f} ms" for span in [*spans, tree["rg"]]
        ]
        rows.append(f"| {' | '.join([tree['tree'], *shares, *taken])} |")
    return "\n".join(rows)


def _served() -> str:
    """The times of answers of one server to many clients, with one process and with several."""
    kinds = {
        "one client, one call after another": "one_client",
        "200 clients that pause 10 s": "all_with_pauses",
        "these beside a greedy token, with turns": "beside_a_greedy_token",
        "the same without turns: one token for all": "beside_one_of_their_token",
        "200 clients that never pause": "all_without_pauses",
    }
    loads = _result("served-repo-mcp")["processes"]
    columns = ["", *(f"{count} process{'' if count == '1' else 'es'}" for count in loads)]
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for shown, kind in kinds.items():
        taken = [
            f"{load[kind]['p50_ms']:,.0f} ms, p95 {load[kind]['p95_ms']:,.0f} ms"
            for load in loads.values()
        ]
        rows.append(f"| {' | '.join([shown, *taken])} |")
    rates = [f"{load['all_without_pauses']['calls_a_second']:.0f}" for load in loads.values()]
    rows.append(f"| calls a second of these | {' | '.join(rates)} |")
    memory = [f"{load['memory_after_mb']} MB" for load in loads.values()]
    rows.append(f"| memory of all processes then | {' | '.join(memory)} |")
    return "\n".join(rows)


def _large_stages() -> str:
    """The stages of indexing a tree of ten gigabytes."""
    result = _result("large-tree")
    shown = {
        "words": "all words, after which everything can be searched",
        "declarations": "declarations of all files, behind that",
    }
    rows = ["| stage | seconds | of processors | memory | index |", "|---|---|---|---|---|"]
    for stage, about in shown.items():
        row = result[stage]
        rows.append(
            f"| {about} | {row['wall_seconds']:,.0f} | {row['cpu_seconds']:,.0f} "
            f"| {row['peak_mib']:,} MiB | {row['index_mib']:,.0f} MiB |"
        )
    return "\n".join(rows)


def _large_definitions() -> str:
    row = _result("large-answers")["definitions"]
    return (
        f"{row['right_first']} of {row['asked']} have it first, {row['right_listed']} among ten; "
        f"{row['warm_p50_ms']:.0f} ms in the median, {row['warm_p95_ms']:.0f} ms at p95, and "
        f"{row['cold_p50_s']:.1f} s from the start of a server with nothing of the disk in memory"
    )


FIGURES: Final[Mapping[str, Callable[[], str]]] = {
    "tree": _tree,
    "beside": _beside,
    "builds": _builds,
    "ranking": _ranking,
    "memory": _memory,
    "index_small": lambda: _index("cpython-library"),
    "index_kernel": lambda: _index("linux-source-6.1"),
    "installed": _installed,
    "installed_numpy": lambda: _installed("numpy"),
    "installed_grammars": lambda: _installed("tree-sitter"),
    "tasks": _tasks,
    "tasks_calls": lambda: _all_tasks("calls"),
    "tasks_bytes": lambda: _all_tasks("bytes"),
    "worktrees": _worktrees,
    "worktrees_kernel": _worktrees_kernel,
    "hook_prompts": _hook_prompts,
    "served": _served,
    "large_stages": _large_stages,
    "large_definitions": _large_definitions,
    "tools_bytes": lambda: f"{_result('costs')['now']['tools_bytes']:,}",
    "bytes_of_passages": lambda: _bytes_of("10 passages: JSONEncoder"),
    "first_answer": lambda: f"{_suite()['starts']['server']['first_answer_ms']:.0f} ms",
    "kernel_files": lambda: f"{_result('search-linux-source-6.1')['files']:,}",
    "kernel_ranked_p50": lambda: f"{_result('search-linux-source-6.1')['ours']['p50_ms']:.1f} ms",
    "kernel_ranked_p95": lambda: f"{_result('search-linux-source-6.1')['ours']['p95_ms']:.1f} ms",
    "kernel_unchanged": lambda: _kernel_fresh("nothing_changed"),
    "kernel_one_file": lambda: _kernel_fresh("one_file_when_told_which"),
    "kernel_page_words": lambda: _pages("words"),
    "kernel_page_lines": lambda: _pages("literal"),
    "kernel_symbols": lambda: f"{_result('graph-queries')['symbols']:,}",
    "kernel_callers_p50": (
        lambda: f"{_result('graph-queries')['milliseconds']['callers']['p50']:.1f} ms"
    ),
    "publishing": lambda: _publishing("", "publish into a folder"),
    "publishing_graph": lambda: _publishing("-graph", "link the graph and publish"),
    "in_place": lambda: cluster_figures.in_place(_result("in-place-cpython")),
    "in_place_adopting": lambda: cluster_figures.adopting(_result("in-place-cpython")),
    "first_answer_far": lambda: cluster_figures.first_answer(
        _result("first-answer-linux-source-6.1")
    ),
    "kills": lambda: cluster_figures.kills(_result("cluster-kills-pylib")["builds"]),
    "spread": lambda: cluster_figures.spread(_result("cluster-search-cpython")),
    "format_costs": lambda: cluster_figures.format_costs(_versus(10_000), _versus(1_000_000)),
    "format_share": _share_of_text,
    "kernel_latency": lambda: _kernel_latency("p50"),
    "kernel_latency_p95": lambda: _kernel_latency("p95"),
}

"""Generates the page on what answers cost from the result of `python -m bench.costs`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "bench" / "results"
RESULT = RESULTS / "costs.json"
TASKS = RESULTS / "tasks.json"
HEAD = """# What answers cost

Written by `make docs` from [bench/results/costs.json](../bench/results/costs.json), which
`python -m bench.costs` measures: bytes in UTF-8 on the standard library of CPython 3.11 (2,091
files). An agent's model reads the text of an answer or its structured form, rarely both:
[clients.md](clients.md) says which, and `repo-mcp install` writes `--content` accordingly.
[0064](decisions/0064-what-an-answer-costs.md) has the reasons.
"""


def page() -> str:
    """The whole page."""
    found = json.loads(RESULT.read_text("utf-8"))
    parts = [HEAD, *_answers(found), *_tasks(tasks_result()), *_peers(found)]
    return "\n".join(parts).rstrip("\n") + "\n"


def tasks_result() -> dict[str, Any]:
    """The recorded result of the thirty tasks."""
    found: dict[str, Any] = json.loads(TASKS.read_text("utf-8"))
    return found


def _answers(found: Mapping[str, Any]) -> Iterator[str]:
    now, before = found["now"], found["before"]
    yield "## Answers\n"
    yield (
        f"The list of the {now['tools']} default tools takes {now['tools_bytes']:,} bytes, and took"
        f" {before['tools_bytes']:,}; with `--content text` it is smaller still, as there are no"
        " schemas of results. Before and now:\n"
    )
    yield "| answer | text | structured | text before | structured before | beside |"
    yield "|---|---|---|---|---|---|"
    for label, sizes in now["calls"].items():
        old = before["calls"][label]
        beside = ""
        if label in found["rg"]:
            beside = f"`rg -n`: {found['rg'][label]:,}"
        elif label in found["files"]:
            beside = f"the file: {found['files'][label]:,}"
        yield (
            f"| {label} | {sizes['text']:,} | {sizes['structured']:,} | {old['text']:,} |"
            f" {old['structured']:,} | {beside} |"
        )
    yield ""


def _tasks(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Tasks\n"
    yield (
        "Thirty tasks on six repositories in six languages that no weight was tuned on, with"
        " answers read from the sources ([tasks.toml](../bench/tasks/tasks.toml)), done by a"
        " [policy](../bench/tasks/policies.py) for each side: the natural first call, then at most"
        " four more, chosen from what the answers so far show. One side has the default tools"
        " through an MCP client, the other `rg -n` and `sed -n`. Right is the share of the lines"
        " that answer a task and were shown; bytes are those of the text of all answers"
        " (`python -m bench.tasks`).\n"
    )
    yield tasks_table(found)
    yield ""


def tasks_table(found: Mapping[str, Any]) -> str:
    """The tasks by kind, each side beside the other."""
    lines = [
        "| kind | tasks | right at first: repo-mcp, rg | right in the end | calls | bytes |",
        "|---|---|---|---|---|---|",
    ]
    for kind, sides in found["kinds"].items():
        ours, theirs = sides["repo-mcp"], sides["rg and sed"]
        cells = [
            *(f"{ours[key]:.2f}, {theirs[key]:.2f}" for key in ("right_at_first", "right_at_end")),
            *(f"{ours[key]:,}, {theirs[key]:,}" for key in ("calls", "bytes")),
        ]
        lines.append(f"| {kind} | {ours['tasks']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _peers(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Other servers\n"
    yield (
        "Installed from their registries, started without a network, on the same tree. `lines` is a"
        " search for `shutil.rmtree` (of at most 25 lines where that can be said), `outline` of"
        " textwrap.py, `files` a list of the root folder, `open` 100 lines of json/decoder.py,"
        " `passages` a search for `parse http headers`.\n"
    )
    yield "| server | tools | bytes of their list | answers: text / structured |"
    yield "|---|---|---|---|"
    now = found["now"]
    yield f"| repo-mcp | {now['tools']} | {now['tools_bytes']:,} | above |"
    for name, peer in found["peers"].items():
        if "skipped" in peer:
            yield f"| {name} | | | skipped: {peer['skipped']} |"
            continue
        told = (_need(need, sizes) for need, sizes in peer["needs"].items())
        needs = "; ".join(told) or "only by code that its client writes"
        yield f"| {name} | {peer['tools']} | {peer['tools_bytes']:,} | {needs} |"
    yield ""


def _need(need: str, sizes: Mapping[str, Any]) -> str:
    if "failed" in sizes:
        return f"{need}: failed ({' '.join(sizes['failed'].split())[:60]})"
    return f"{need}: {sizes['text']:,} / {sizes['structured']:,}"
